package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed505807e1/berth/lab/internal/testkit"
	"github.com/seed505807e1/berth/lab/trace"
)

// A replay forces garbage collections, which may spin for long on several processors.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}

var must = testkit.Must

// recorded writes a stream of frames, each of which inserts ten values, looks each up, and removes
// the ten of the previous frame; then it looks up a removed one.
func recorded(t *testing.T, frames int) []byte {
	t.Helper()
	var b bytes.Buffer
	rec, err := trace.NewRecorder(&b)
	must(t, err)
	tr := rec.Track("sparks", 40)
	var last []trace.Value
	for f := range frames {
		old := last
		last = nil
		for range 10 {
			last = append(last, tr.Insert())
		}
		tr.Pass()
		for _, v := range last {
			tr.Get(v)
		}
		for _, v := range old {
			tr.Remove(v)
		}
		if len(old) > 0 {
			tr.Get(old[0])
		}
		must(t, rec.Frame())
		if f%20 == 19 {
			if err := rec.Flush(); err != nil { // its own block
				t.Fatal(err)
			}
		}
	}
	must(t, rec.Close())
	return b.Bytes()
}

// long is a frame in which no time decides, even on a loaded machine.
const long = time.Hour

func TestRun(t *testing.T) {
	const frames = 50
	var steps []string
	last, total := -1, 0
	res, err := Run(context.Background(), bytes.NewReader(recorded(t, frames)), Options{
		Rounds: 2, Budget: time.Minute, Frame: long,
		Progress: func(done, n int, what string) {
			if done < last || n < total {
				t.Errorf("progress goes back: %d of %d, %s", done, n, what)
			}
			last, total, steps = done, n, append(steps, what)
		},
	})
	must(t, err)
	if last != total || steps[len(steps)-1] != "done" || steps[1] != "memory: berth.Pool" {
		t.Errorf("progress ends at %d of %d: %q", last, total, steps)
	}
	for i, want := range []string{"round 1 of 2: berth.Pool", "round 2 of 2: berth.Dense"} {
		if got := steps[1+len(all)+i*(len(all)+1)]; got != want {
			t.Errorf("a round begins with %q, want %q", got, want)
		}
	}
	want := Counts{Inserts: 500, Removes: 490, Gets: 500, Misses: 49, Passes: 50, Visits: 10 + 49*20}
	if res.Counts != want || res.Frames != frames || res.Rounds != 2 || len(res.Notes) != 0 {
		t.Errorf("%+v, %d frames, %d rounds, notes %q", res.Counts, res.Frames, res.Rounds, res.Notes)
	}
	if len(res.Containers) != len(all) {
		t.Errorf("%d containers, want %d", len(res.Containers), len(all))
	}
	for i, f := range res.Containers {
		if i > 0 && f.P99 < res.Containers[i-1].P99 {
			t.Errorf("%s is behind %s", f.Name, res.Containers[i-1].Name)
		}
		if f.P50 <= 0 || f.P50 > f.P99 || f.P99 > f.Worst || f.Worst > f.WorstOfAll || f.Total < f.Worst {
			t.Errorf("%s: times %+v", f.Name, f.Times)
		}
		if (f.Name == "[]*T") != (f.StaleFound == 49) { // the others reject it, or its slot is still vacant
			t.Errorf("%s: found %d of what is gone", f.Name, f.StaleFound)
		}
	}
	if res.Advice.Take != Default { // in such a small stream, nothing is clearly better
		t.Errorf("take %s", res.Advice.Take)
	}
	s := res.Spent
	if s == nil || s.Container != res.Advice.Take || s.Passes <= 0 || s.Changes <= 0 || s.Passes+s.Lookups+s.Changes > 1.001 {
		t.Errorf("spent %+v", s)
	}
}

func TestTextAndJSON(t *testing.T) {
	res, err := Run(context.Background(), bytes.NewReader(recorded(t, 30)), Options{Rounds: 1, Frame: long})
	must(t, err)
	var text strings.Builder
	must(t, res.WriteText(&text))
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("a line of %d: %s", n, line)
		}
	}
	for _, want := range []string{
		"30 frames, 949 ops: 300 inserts, 290 removals, 300 lookups, 29 stale lookups, 30 loops",
		"  sparks: values of 40 bytes (replayed as 64), 20 at most, 10 at the end\n",
		"The time of a frame is its median over 1 round.\n",
		"\n> berth.Pool ", "\n  []*T ", "\n  of which replay ",
		"\n[]*T: 29 of 29 stale lookups found the removed value.\n",
		"\nOne round does not show how noisy its times are",
		"\nTake berth.Pool", "\nYour frames spend ", "\nNote that a pointer is valid until its value is removed", "The next best",
		" one GC ", "\nOne GC is a forced garbage collection",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	b, err := json.Marshal(res)
	must(t, err)
	var back Result
	must(t, json.Unmarshal(b, &back))
	if back.Advice.Sentences != res.Advice.Sentences || *back.Containers[3] != *res.Containers[3] || back.Itself != res.Itself {
		t.Error("JSON loses something on its way there and back")
	}
	for _, key := range []string{`"p99_ns":`, `"peak_bytes":`, `"stale_found":`, `"gc_ns":`, `"empty_gc_ns":`, `"runner_up_reason":`, `"sentences":["Take `, `"equal":[`} {
		if !bytes.Contains(b, []byte(key)) {
			t.Errorf("no %s in JSON", key)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	good := recorded(t, 40)
	o := Options{Rounds: 1}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-40] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		err  error
		some bool
	}{
		{"no trace", []byte("hello, world"), trace.ErrForeign, false},
		{"nothing at all", nil, trace.ErrTruncated, false},
		{"cut within a block", good[:len(good)-30], trace.ErrTruncated, true},
		{"no end mark", good[:len(good)-12], trace.ErrTruncated, true},
		{"cut before the first block", good[:8], trace.ErrTruncated, true},
		{"a bit that is wrong", flipped, trace.ErrCorrupt, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Run(context.Background(), bytes.NewReader(c.data), o)
			if !errors.Is(err, c.err) || !strings.HasPrefix(err.Error(), "replay: ") || !strings.Contains(err.Error(), "byte ") {
				t.Errorf("error %v, want one that wraps %q and says where", err, c.err)
			}
			if (res != nil) != c.some {
				t.Fatalf("result %v", res)
			}
			if !c.some {
				return
			}
			if len(res.Notes) == 0 || !strings.Contains(res.Notes[0], "The part before it is replayed") || !strings.Contains(res.Notes[0], "byte ") {
				t.Errorf("notes %q", res.Notes)
			}
			if res.Frames >= 40 && c.name != "no end mark" {
				t.Errorf("%d frames of a stream that breaks off", res.Frames)
			}
		})
	}
	if res, err := Run(context.Background(), bytes.NewReader(good), Options{MaxOps: 100, Rounds: 1}); err != nil || res.Ops > 100 || !strings.Contains(strings.Join(res.Notes, " "), "The stream is longer: the replay stops after its first ") {
		t.Errorf("a stream over the bound: %v, %d ops, notes %q", err, res.Ops, res.Notes)
	}
}

// Rounds completed before the end of the context are kept, and nothing continues in the background.
func TestCancel(t *testing.T) {
	data := recorded(t, 6)
	before := runtime.NumGoroutine()
	for _, c := range []struct {
		at     string // the next step when it ends
		rounds int
	}{
		{"reading the stream", 0},
		{"memory: ark", 0},
		{"round 1 of 3: genpool", 0},
		{"round 2 of 3: berth.Dense", 1},
		{"round 3 of 3: []*T", 2},
		{"profile: berth.Pool", 3},
		{"done", 3},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		res, err := Run(ctx, bytes.NewReader(data), Options{Rounds: 3, Budget: time.Minute, Frame: long, Progress: func(_, _ int, what string) {
			if what == c.at {
				cancel()
			}
		}})
		cancel()
		if c.at == "done" {
			if err != nil || res.Rounds != 3 {
				t.Errorf("stopped when all was done: %v", err)
			}
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %s: error %v", c.at, err)
		}
		if (res != nil) != (c.rounds > 0) || res != nil && res.Rounds != c.rounds {
			t.Errorf("stopped at %s: %+v, want %d rounds", c.at, res, c.rounds)
		}
		if res != nil && (res.Advice.Take == "" || len(res.Containers) != len(all)) {
			t.Errorf("stopped at %s: advice %+v", c.at, res.Advice)
		}
	}
	if n := runtime.NumGoroutine(); n != before {
		t.Errorf("%d goroutines, where there were %d", n, before)
	}
}

// An exhausted budget leaves one round.
func TestBudget(t *testing.T) {
	res, err := Run(context.Background(), bytes.NewReader(recorded(t, 20)), Options{Rounds: 9, Budget: 1})
	must(t, err)
	if res.Rounds != 1 || len(res.Notes) != 2 || res.Notes[0] != "1 round of 9: more would have exceeded 1ns." {
		t.Errorf("%d rounds, notes %q", res.Rounds, res.Notes)
	}
}

// A container that takes far longer than the rest costs the others no round.
func TestSlowContainersAreLeftAtOneRound(t *testing.T) {
	m := newMeter(context.Background(), &stream{}, Options{Rounds: 5, Budget: time.Hour})
	for i, r := range m.runs {
		r.took = time.Duration(10 + i%3)
	}
	m.runs[5].took = 1000
	m.rounds = 1
	if !m.fits(5000) || m.runs[5].once {
		t.Error("all fits, and yet something is left out")
	}
	if !m.fits(700) || !m.runs[5].once || m.runs[4].once {
		t.Error("what is slow is not left out, or something else is")
	}
	m.rounds = 2
	if m.fits(100) {
		t.Error("a round of 130 fits into 100")
	}
}

func TestMemorySeesASpikeComeAndGo(t *testing.T) {
	const spike, stay = 40_000, 100
	var list []trace.Op
	for i := range uint32(spike + stay) {
		list = append(list, trace.Op{Kind: trace.Insert, Value: i})
	}
	list = append(list, trace.Op{Kind: trace.Frame})
	for i := range uint32(spike) {
		list = append(list, trace.Op{Kind: trace.Remove, Value: stay + i})
	}
	for range 300 {
		list = append(list, trace.Op{Kind: trace.Pass}, trace.Op{Kind: trace.Frame})
	}
	s, err := decode(&ops{list: list, tracks: []trace.TrackInfo{{Name: "x", Bytes: 64}}}, Few, 1<<20, never)
	must(t, err)
	defer s.release()
	m := newMeter(context.Background(), s, Options{Rounds: 1})
	defer m.release()
	for _, r := range m.runs[:len(all)] {
		must(t, m.weigh(r))
		if r.peak < spike*64 || r.peak > spike*64*5 {
			t.Errorf("%s: %d bytes at the peak, with %d values of 64", r.name, r.peak, spike)
		}
		switch r.container {
		case &poolKind, &denseKind:
			if r.end > r.peak/20 {
				t.Errorf("%s: %d bytes are left of %d", r.name, r.end, r.peak)
			}
		case &mapKind, &genpoolKind, &sliceKind, &handlesKind, &firstFreeKind:
			if r.end < r.peak/2 {
				t.Errorf("%s: only %d bytes are left of %d", r.name, r.end, r.peak)
			}
		}
	}
}

// TestCollections checks when garbage collections are timed: before all containers, and at the peak
// of the stream with each container alone. The number of heap objects stands for the time.
func TestCollections(t *testing.T) {
	const peak, later = 5000, 50
	var list []trace.Op
	for i := range uint32(peak) {
		list = append(list, trace.Op{Kind: trace.Insert, Value: i})
	}
	list = append(list, trace.Op{Kind: trace.Frame})
	for i := range uint32(peak - later) {
		list = append(list, trace.Op{Kind: trace.Remove, Value: i})
	}
	list = append(list, trace.Op{Kind: trace.Frame})
	s, err := decode(&ops{list: list, tracks: []trace.TrackInfo{{Name: "x", Bytes: 64}}}, Few, 1<<20, never)
	must(t, err)
	defer s.release()
	m := newMeter(context.Background(), s, Options{Rounds: 1}.withDefaults())
	defer m.release()
	m.collect = func() time.Duration {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return time.Duration(stats.HeapObjects)
	}
	must(t, m.measure())
	r := m.result()
	for _, f := range r.Containers {
		more := f.GC - r.EmptyGC
		if each := f.Name == "map[uint64]*T" || f.Name == "[]*T"; each != (more >= peak) || each && more > 2*peak {
			t.Errorf("%s: a collection sees %d objects more than before, with %d values", f.Name, more, peak)
		}
		if pieces := f.Objects - int64(more); pieces < -100 || pieces > 100 {
			t.Errorf("%s: %d pieces, want %d", f.Name, f.Objects, more)
		}
		if more < -100 {
			t.Errorf("%s: a collection sees %d objects less than before", f.Name, -more)
		}
	}
	if n := len(m.emptyGC); n != gcRounds {
		t.Errorf("%d collections were timed before, want %d", n, gcRounds)
	}
	m.collect = func() time.Duration { return gcBudget }
	if n := len(m.collections()); n != 3 {
		t.Errorf("%d long collections, want 3", n)
	}
}

func TestShortest(t *testing.T) {
	if least, noise := shortest([]time.Duration{130, 100, 110, 150, 900}); least != 100 || noise != 0.3 {
		t.Errorf("%d, noise %v; want 100, 0.3", least, noise)
	}
	if least, noise := shortest(nil); least != 0 || noise != 0 {
		t.Errorf("of none: %d, noise %v", least, noise)
	}
}

func TestSampled(t *testing.T) {
	for _, n := range []int{0, 1, 2, 61, 62, 63, 1000, 100_000} {
		at := sampled(&stream{frames: make([]uint32, n), peak: n / 3})
		if len(at) > samples || n > 0 && (!at[n/3] || !at[n-1] || !at[0]) || n == 0 && len(at) != 0 {
			t.Errorf("%d frames: looks at %d, peak %t, last %t", n, len(at), at[n/3], at[n-1])
		}
		for f := range at {
			if f < 0 || f >= n {
				t.Errorf("%d frames: looks at %d", n, f)
			}
		}
	}
}

// A container with a wrong result ends the replay.
func TestCheck(t *testing.T) {
	m := &meter{s: &stream{want: sums{gets: 3, passes: 4}}}
	for _, c := range []struct {
		c    *container
		got  sums
		good bool
	}{
		{&poolKind, sums{3, 4, 0}, true},
		{&poolKind, sums{3, 4, 1}, false},
		{&poolKind, sums{2, 4, 0}, false},
		{&poolKind, sums{3, 5, 0}, false},
		{&sliceKind, sums{3, 4, 9}, true},
		{&sliceKind, sums{3, 0, 9}, false},
		{&emptyKind, sums{3, 0, 0}, true},
		{&emptyKind, sums{2, 0, 0}, false},
	} {
		if err := m.check(&series{container: c.c}, c.got); (err == nil) != c.good || err != nil && !errors.Is(err, ErrChecksum) {
			t.Errorf("%s, %+v: %v", c.c.name, c.got, err)
		}
	}
}

func TestSummary(t *testing.T) {
	first := func(x float32, rest ...float32) []float32 { return append([]float32{x}, rest...) }
	got, noise := summary([][]float32{first(900, 10, 20, 30), first(800, 12, 50, 30), first(700, 11, 22, 36)})
	want := Times{First: 800, P50: 22, P99: 30, Worst: 30, Total: 863, WorstOfAll: 50}
	if got != want || noise.P99 != 0 || noise.Worst != 0 {
		t.Errorf("three rounds: %+v, noise %v; want %+v, none", got, noise, want)
	}
	got, noise = summary([][]float32{first(1, 100), first(1, 150)})
	if got.Worst != 100 || noise.P99 != 0.5 || noise.Worst != 0.5 {
		t.Errorf("two rounds: %+v, noise %v; want 100, and a half", got, noise)
	}
	got, noise = summary([][]float32{{7}})
	if want := (Times{First: 7, P50: 7, P99: 7, Worst: 7, Total: 7, WorstOfAll: 7}); got != want || noise.P99 != unknownNoise {
		t.Errorf("one frame, one round: %+v, noise %v", got, noise)
	}
	if got, _ := summary([][]float32{{}}); got != (Times{}) {
		t.Errorf("no frames: %+v", got)
	}
}
