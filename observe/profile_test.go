package observe_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/observe"
)

// connect inserts a value and never removes it: the leak.
func connect(p *berth.Pool[int], leaks *observe.Profile[int]) {
	for range 70 {
		leaks.Inserted(p.Insert(1)) // planted
	}
}

// handle removes what it inserts.
func handle(p *berth.Pool[int], leaks *observe.Profile[int]) {
	for range 1000 {
		h := p.Insert(1)
		leaks.Inserted(h)
		p.Remove(h)
	}
}

// line returns the number of the line of file that has text.
func line(t *testing.T, file, text string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), text)
	if !ok {
		t.Fatalf("%s lacks %q", file, text)
	}
	return 1 + strings.Count(before, "\n")
}

// TestProfileSweeps checks that new samples drop those of values that have gone, also if there are
// no more samples than before.
func TestProfileSweeps(t *testing.T) {
	var p berth.Pool[int]
	prof := observe.NewProfile("berth.test.sweep", &p, 1)
	defer prof.Close()
	for i := range 10_000 {
		prof.Inserted(p.Insert(i))
	}
	p.Clear()
	prof.Inserted(berth.Handle[int]{})
	q := pprof.Lookup("berth.test.sweep")
	if n := q.Count(); n != 10_000 {
		t.Errorf("%d samples of 10 000 values and a zero Handle", n)
	}
	for i := range 10_000/8 + 64 {
		h := p.Insert(i)
		prof.Inserted(h)
		p.Delete(h)
	}
	if n := q.Count(); n > 64 {
		t.Errorf("%d samples, and no value is left", n)
	}
}

// TestProfileCloseFrees checks that nothing keeps a closed Profile.
func TestProfileCloseFrees(t *testing.T) {
	var p berth.Pool[int]
	prof := observe.NewProfile("berth.test.close", &p, 1)
	prof.Inserted(p.Insert(1))
	prof.Close()
	kept := weak.Make(prof)
	prof = nil
	until(t, "the Profile is freed", func() bool { runtime.GC(); return kept.Value() == nil })
}

// TestLeak finds a planted leak in the profile, by its function and line.
func TestLeak(t *testing.T) {
	var p berth.Pool[int]
	leaks := observe.NewProfile("berth.test.leak", &p, 1)
	defer leaks.Close()
	connect(&p, leaks)
	handle(&p, leaks)
	q := pprof.Lookup("berth.test.leak")
	if n := q.Count(); n < 70 || n > 70+70/8+64 {
		t.Errorf("%d samples of 70 values and 1000 that have gone", n)
	}
	var b bytes.Buffer
	if err := leaks.WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	where := fmt.Sprintf(`(?m)^70 @ .*\n#\t0x[0-9a-f]+\t.*observe_test\.connect\+0x[0-9a-f]+\t.*profile_test\.go:%d$`,
		line(t, "profile_test.go", "// planted"))
	if !regexp.MustCompile(where).MatchString(text) || strings.Contains(text, "observe_test.handle") {
		t.Errorf("the leak is not in, or not alone in\n%s\nwant %s", text, where)
	}
	// The same by runtime/pprof, as /debug/pprof reads it.
	if q.Count() != 70 {
		t.Errorf("%d values in the profile, want 70", q.Count())
	}
}

// TestLeakShared is TestLeak for a concurrent.Pool.
func TestLeakShared(t *testing.T) {
	var p concurrent.Pool[int]
	leaks := observe.NewProfile("berth.test.shared", &p, 1)
	defer leaks.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 500 {
				h := p.Insert(n)
				leaks.Inserted(h) // shared
				if n%5 != 0 || i > 3 {
					p.Delete(h)
				}
			}
		}()
	}
	wg.Wait()
	if n := leaks.Count(); n != 400 || p.Len() != 400 {
		t.Errorf("%d values in the profile, %d in the Pool, want 400", n, p.Len())
	}
	var b bytes.Buffer
	if err := leaks.WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	where := fmt.Sprintf(`(?m)^400 @ .*\n#\t0x[0-9a-f]+\t.*TestLeakShared\.func1\+0x[0-9a-f]+\t.*profile_test\.go:%d$`,
		line(t, "profile_test.go", "// shared"))
	if !regexp.MustCompile(where).MatchString(b.String()) {
		t.Errorf("%s\nwant %s", b.String(), where)
	}
}

// TestLeakMembers is TestLeakShared for a concurrent.Members.
func TestLeakMembers(t *testing.T) {
	var m concurrent.Members[int]
	leaks := observe.NewProfile("berth.test.members", &m, 2)
	defer leaks.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 500 {
				h := m.Insert(n)
				leaks.Inserted(h)
				m.Remove(h)
			}
		}()
	}
	wg.Wait()
	if n := leaks.Count(); n != 0 || m.Len() != 0 {
		t.Errorf("%d values in the profile, %d in the Members, want none", n, m.Len())
	}
}

// TestProfileExact compares a profile of all inserts with the Pool and the Dense, through random
// calls.
func TestProfileExact(t *testing.T) {
	type pool interface {
		observe.Holder[int]
		Insert(int) berth.Handle[int]
		Remove(berth.Handle[int]) (int, bool)
		Clear()
		Clip()
		Len() int
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a, b := new(berth.Pool[int]), new(berth.Dense[int])
		var p pool = a
		insertAt := func(h berth.Handle[int], v int) error { return berth.InsertAt(a, h, v) }
		if seed%2 == 1 {
			p = b
			insertAt = func(h berth.Handle[int], v int) error { return berth.DenseInsertAt(b, h, v) }
		}
		prof := observe.NewProfile("berth.test.exact", p, 1)
		var hs []berth.Handle[int]
		for range 300 {
			switch op := rng.IntN(20); {
			case op < 8:
				for range rng.IntN(20) {
					h := p.Insert(1)
					prof.Inserted(h)
					hs = append(hs, h)
				}
			case op < 16:
				for range min(rng.IntN(20), len(hs)) {
					i := rng.IntN(len(hs))
					p.Remove(hs[i])
					hs[i] = hs[len(hs)-1]
					hs = hs[:len(hs)-1]
				}
			case op == 16 && len(hs) > 0: // undo
				h := hs[0]
				p.Remove(h)
				if rng.IntN(2) == 0 {
					prof.Count()
				}
				if err := insertAt(h, 2); err != nil {
					t.Fatal(err)
				}
				prof.Inserted(h)
				prof.Inserted(h) // twice
			case op == 17 && rng.IntN(5) == 0:
				p.Clear()
				hs = hs[:0]
			case op == 18:
				p.Clip()
			default:
				prof.Inserted(berth.Handle[int]{})
				prof.Inserted(berth.HandleFromUint64[int](rng.Uint64()))
			}
			q := pprof.Lookup("berth.test.exact")
			if rng.IntN(4) != 0 {
				continue
			}
			if n := prof.Count(); n != p.Len() || q.Count() != n {
				t.Fatalf("Count() = %d, %d in the profile, %d in the container", n, q.Count(), p.Len())
			}
		}
		prof.Close()
		if n := pprof.Lookup("berth.test.exact").Count(); n != 0 {
			t.Fatalf("%d samples after Close", n)
		}
		prof.Inserted(p.Insert(1))
		prof.Close()
		if prof.Count() != 0 || pprof.Lookup("berth.test.exact").Count() != 0 {
			t.Fatal("a closed profile has samples")
		}
	}
}

// TestProfileRate checks that about one insert in rate is kept, also of each kind of insert in a
// regular order.
func TestProfileRate(t *testing.T) {
	var p berth.Pool[int]
	prof := observe.NewProfile("berth.test.rate", &p, 10)
	defer prof.Close()
	kinds := [2][]berth.Handle[int]{}
	for i := range 100_000 {
		h := p.Insert(i)
		prof.Inserted(h)
		kinds[i%2] = append(kinds[i%2], h)
	}
	all := prof.Count()
	for _, h := range kinds[1] {
		p.Remove(h)
	}
	if half := prof.Count(); all < 9_000 || all > 11_000 || half < 4_000 || half > 6_000 {
		t.Errorf("%d of 100 000 inserts, %d of the even ones, want a tenth", all, half)
	}

	var shared concurrent.Pool[int]
	random := observe.NewProfile("berth.test.random", &shared, 10)
	defer random.Close()
	for i := range 100_000 {
		random.Inserted(shared.Insert(i))
	}
	if n := random.Count(); n < 9_000 || n > 11_000 {
		t.Errorf("%d of 100 000 inserts, want a tenth", n)
	}
}

// TestProfileSnapshot checks that a snapshot of a container drops stale samples.
func TestProfileSnapshot(t *testing.T) {
	var p, other berth.Pool[int]
	prof := observe.NewProfile("berth.test.snapshot", &p, 1)
	defer prof.Close()
	h := p.Insert(1)
	prof.Inserted(h)
	p.Remove(h)
	q := pprof.Lookup("berth.test.snapshot")
	var r observe.Registry
	r.Register("a function", observe.StatsFunc(other.Stats), nil)
	r.Register("other", &other, nil)
	if r.Snapshots(within(t, long), false); q.Count() != 1 {
		t.Errorf("%d samples after a snapshot of another Pool", q.Count())
	}
	r.Register("p", &p, nil)
	if r.Snapshots(within(t, long), false); q.Count() != 0 {
		t.Errorf("%d samples after a snapshot", q.Count())
	}
}

// TestProfileMean checks the mean of the intervals where it is small, so that an interval
// that is off by one shows.
func TestProfileMean(t *testing.T) {
	var p berth.Pool[int]
	prof := observe.NewProfile("berth.test.mean", &p, 2)
	defer prof.Close()
	for i := range 3000 {
		prof.Inserted(p.Insert(i))
	}
	if n := prof.Count(); n < 1400 || n > 1600 {
		t.Errorf("%d samples of 3000 values at a rate of 2, want about 1500", n)
	}
}

// odd is a Container and a Holder that cannot be compared with itself if id is a slice.
type odd struct {
	*berth.Pool[int]
	id any
}

// TestProfileIncomparable checks that a container that cannot be compared is shown.
func TestProfileIncomparable(t *testing.T) {
	c := odd{new(berth.Pool[int]), []int{1}}
	prof := observe.NewProfile("berth.test.odd", c, 1)
	defer prof.Close()
	var r observe.Registry
	r.Register("odd", c, nil)
	if s := r.Snapshots(within(t, long), true)[0]; s.Err != nil || s.Late {
		t.Errorf("%+v", s)
	}
}

func TestNewProfile(t *testing.T) {
	var p berth.Pool[int]
	for want, f := range map[string]func(){
		"observe: NewProfile: the container must not be nil": func() { observe.NewProfile[int]("x", nil, 1) },
		"observe: NewProfile: rate must be positive (got 0)": func() { observe.NewProfile("x", &p, 0) },
		"observe: NewProfile: name must not be empty":        func() { observe.NewProfile("", &p, 1) },
		"observe: NewProfile: name must not be that of another profile (got \"heap\")": func() {
			observe.NewProfile("heap", &p, 1)
		},
	} {
		if got := panics(f); got != want {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
	a, b := observe.NewProfile("berth.test.two", &p, 1), observe.NewProfile("berth.test.two", &p, 1)
	h := p.Insert(1)
	a.Inserted(h)
	b.Inserted(h)
	q := pprof.Lookup("berth.test.two")
	if q.Count() != 2 {
		t.Errorf("%d samples of two profiles with one name", q.Count())
	}
	if a.Close(); q.Count() != 1 || b.Count() != 1 {
		t.Errorf("%d samples after one Close", q.Count())
	}
	b.Close()
	var none *observe.Profile[int]
	none.Inserted(h)
	if err := none.WriteTo(nil, 0); err != nil || none.Count() != 0 {
		t.Errorf("a nil Profile has %d samples, %v", none.Count(), err)
	}
	none.Close()
	huge := observe.NewProfile("berth.test.huge", &p, int(^uint(0)>>1))
	huge.Inserted(h)
	huge.Close()
}

// TestProfileAllocs checks that an insert that is not sampled allocates nothing.
func TestProfileAllocs(t *testing.T) {
	var p berth.Pool[int]
	prof := observe.NewProfile("berth.test.allocs", &p, 1<<30)
	defer prof.Close()
	h := p.Insert(1)
	if n := testing.AllocsPerRun(1000, func() { prof.Inserted(h) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
