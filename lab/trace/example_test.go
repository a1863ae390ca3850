package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// printOps prints a stream, one frame per line.
func printOps(stream io.Reader) {
	r, err := trace.NewReader(stream)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		op, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			fmt.Println(err)
			return
		case op.Kind == trace.Frame:
			fmt.Println(op.Kind)
		case op.Kind == trace.Pass:
			fmt.Print(op.Kind, " of ", r.Tracks()[op.Track].Name, "; ")
		default:
			fmt.Print(op.Kind, " ", op.Value, "; ")
		}
	}
}

func ExampleWrap() {
	var file bytes.Buffer
	rec, err := trace.NewRecorder(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	// This line was: enemies := new(berth.Pool[string])
	enemies := trace.Wrap(rec.Track("enemies", 16), new(berth.Pool[string]))

	drone := enemies.Insert("drone")
	enemies.Insert("tank")
	for range enemies.Values() {
	}
	_ = rec.Frame() // Close returns the first error
	enemies.Remove(drone)
	enemies.Insert("boss")      // takes the drone's name
	_, ok := enemies.Get(drone) // a miss
	_ = rec.Frame()
	fmt.Println(ok, rec.Close())
	printOps(&file)
	// Output:
	// false <nil>
	// insert 0; insert 1; pass of enemies; frame
	// remove 0; insert 0; miss 0; frame
}

func ExampleTrack() {
	var file bytes.Buffer
	rec, _ := trace.NewRecorder(&file)
	jobs := rec.Track("jobs", 32)
	queue := map[string]trace.Value{}

	queue["print"] = jobs.Insert()
	queue["mail"] = jobs.Insert()
	old := queue["print"]
	fmt.Println(jobs.Remove(old), jobs.Remove(old), jobs.Len())
	fmt.Println(jobs.Get(queue["mail"]), jobs.Get(old), jobs.Contains(old), queue["mail"].Name())
	jobs.Pass()
	_ = rec.Frame()
	if err := rec.Close(); err != nil {
		fmt.Println(err)
	}
	printOps(&file)
	// Output:
	// true false 1
	// true false false 1
	// insert 0; insert 1; remove 0; miss 0; get 1; miss 0; pass of jobs; frame
}

// stream returns a short stream.
func stream() *bytes.Buffer {
	var file bytes.Buffer
	rec, _ := trace.NewRecorder(&file)
	users := rec.Track("users", 64)
	for range 3 {
		users.GetRandom(2)
		users.Insert()
		users.Pass()
		_ = rec.Frame()
	}
	if err := rec.Close(); err != nil {
		fmt.Println(err)
	}
	return &file
}

func ExampleNewReader() {
	r, err := trace.NewReader(stream())
	if err != nil {
		fmt.Println(err)
		return
	}
	var counts [trace.Frame + 1]int
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		counts[op.Kind]++
	}
	fmt.Println(r.Tracks(), r.Info().Version, r.Offset())
	fmt.Println(counts[trace.Insert], counts[trace.Get], counts[trace.Frame])
	_, err = trace.NewReader(bytes.NewReader([]byte("a text")))
	fmt.Println(errors.Is(err, trace.ErrForeign))
	// Output:
	// [{users 64}] 1 59
	// 3 4 3
	// true
}

func ExampleSummarise() {
	r, _ := trace.NewReader(stream())
	s, err := trace.Summarise(r)
	fmt.Println(err)
	fmt.Print(s)
	// Output:
	// <nil>
	// 3 frames, 10 other ops in 59 bytes (36.31 bits per op)
	// "users", values of 64 bytes
	//   live       3 at the end, 3 at most
	//   inserts    3, at most 1 in a frame
	//   removals   0
	//   lookups    4 found, 0 missed
	//   passes     3
}

func ExampleModel_Write() {
	lifetime, err := trace.ParseLifetime("exp:500ms")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := trace.Model{
		Name: "sparks", Bytes: 24, Live: 1000, Lifetime: lifetime,
		Burst: 500, Every: 4 * time.Second, Lookups: 2, Misses: 0.1, Passes: 1,
		FPS: 60, For: 10 * time.Second,
	}
	var file bytes.Buffer
	err = m.Write(&file)
	fmt.Println(err)
	r, _ := trace.NewReader(&file)
	s, _ := trace.Summarise(r)
	sparks := s.Tracks[0]
	fmt.Println(s.Frames, sparks.Peak, sparks.Final, sparks.Gets, sparks.Misses)
	// Output:
	// <nil>
	// 600 1537 1022 1138952 126328
}

// To record a program that keeps its values in a pool, change two lines.
func ExamplePool() {
	type game struct {
		enemies trace.Pool[string] // was: berth.Pool[string]
	}
	var file bytes.Buffer
	rec, err := trace.NewRecorder(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var g game
	g.enemies.Record(rec, "enemies") // new

	drone := g.enemies.Insert("drone")
	h, v := g.enemies.New()
	*v = "tank"
	for a, b := range g.enemies.Pairs() {
		fmt.Println(*a, "meets", *b)
	}
	g.enemies.Delete(drone)
	fmt.Println(g.enemies.Contains(drone), g.enemies.IndexOf(h))
	_ = rec.Frame() // Close returns the first error
	fmt.Println(rec.Close())
	printOps(&file)
	// Output:
	// drone meets tank
	// false 1
	// <nil>
	// insert 0; insert 1; pass of enemies; remove 0; miss 0; get 1; frame
}

func ExamplePool_Record() {
	var file bytes.Buffer
	rec, _ := trace.NewRecorder(&file)
	var users trace.Pool[string]
	ada := users.Insert("Ada")
	track := users.Record(rec, "users") // Ada is recorded, too
	users.Apply(ada, func(v *string, others berth.Others[string]) {
		for range others.Values() { // a view is not recorded
		}
		track.Pass() // except by hand
	})
	users.Record(nil, "") // ends the recording
	users.Clear()
	fmt.Println(rec.Close())
	printOps(&file)
	fmt.Println()
	// Output:
	// <nil>
	// insert 0; get 0; pass of users;
}
