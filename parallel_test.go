package berth

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

var crews = []int{1, 2, 3, 8, 0}

// forkWhen sets the remaining work from which a loop starts goroutines: 0 is at once, 1 after the
// first part, and an hour never.
func forkWhen(t *testing.T, at time.Duration) {
	was := forkAt
	forkAt = at
	t.Cleanup(func() { forkAt = was })
}

var forks = []time.Duration{0, 1, time.Hour}

// eachFork runs f as a subtest with each of forks. Containers that check themselves take long, so
// they only fork at once.
func eachFork(t *testing.T, f func(t *testing.T)) {
	for _, at := range forks[:fewer(len(forks), 1)] {
		t.Run(fmt.Sprint("fork at ", at), func(t *testing.T) {
			forkWhen(t, at)
			f(t)
		})
	}
}

// gappy returns a Pool of about n numbers, some of its slots vacant.
func gappy(n int) *Pool[int] {
	p := NewPool[int](Config{Seed: 5})
	var hs []Handle[int]
	for i := range n {
		hs = append(hs, p.Insert(i))
	}
	for i, h := range hs {
		if i%7 == 3 || i > 5000 && i < 9500 {
			p.Delete(h)
		}
	}
	return p
}

// Each value is in one span, for any number of workers.
func TestParallelSpans(t *testing.T) { eachFork(t, testParallelSpans) }

func testParallelSpans(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 4097, 20_000} {
		for _, n := range crews {
			p := gappy(size)
			want := slices.Collect(Handles(p))
			var mu sync.Mutex
			var got []Handle[int]
			ParallelSpans(p, n, func(first Handle[int], span []int) {
				for i := range span {
					span[i]++
				}
				mu.Lock()
				defer mu.Unlock()
				for i := range span {
					got = append(got, handleAt(p, p.IndexOf(first)+i))
				}
			})
			slices.SortFunc(got, func(a, b Handle[int]) int { return p.IndexOf(a) - p.IndexOf(b) })
			if !slices.Equal(got, want) {
				t.Errorf("%d values, %d workers: %d visited", len(want), n, len(got))
			}
			for h, v := range p.All() {
				if *v != p.IndexOf(h)+1 {
					t.Fatalf("%d workers: slot %d holds %d", n, p.IndexOf(h), *v)
				}
			}
		}
	}
}

// Each value with a V is visited once with it, for any number of workers.
func TestParallelJoin(t *testing.T) { eachFork(t, testParallelJoin) }

func testParallelJoin(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 4097, 20_000} {
		for _, n := range crews {
			p := gappy(size)
			c := NewColumn[int](p)
			want := 0
			for h, v := range p.All() {
				if *v = p.IndexOf(h); *v%3 != 0 {
					c.Set(h, -*v)
					want++
				}
			}
			var calls atomic.Int64
			ParallelJoin(c, n, func(v, x *int) {
				if *v != -*x {
					t.Errorf("%d with %d", *v, *x)
				}
				*v, *x = *v+1, *x+1
				calls.Add(1)
			})
			if calls.Load() != int64(want) {
				t.Errorf("%d workers: %d calls for %d values", n, calls.Load(), want)
			}
			for h, v := range p.All() {
				i := p.IndexOf(h)
				if x := c.Ptr(h); x != nil && (*v != i+1 || *x != 1-i) || x == nil && *v != i {
					t.Fatalf("%d workers: slot %d holds %d", n, i, *v)
				}
			}
			c.Close()
			ParallelJoin(c, n, func(_, _ *int) { t.Error("a closed Column has a V") })
		}
	}
	p := gappy(9000)
	c := NewColumn[int](p)
	SetAll(c, 1)
	wantPanic(t, "boom", func() { ParallelJoin(c, 2, func(_, _ *int) { panic("boom") }) })
	if invariants.On {
		h := slices.Collect(Handles(p))[0]
		wantPanic(t, "berth: ParallelJoin: f must not set or delete", func() {
			ParallelJoin(c, 1, func(_, _ *int) { c.Delete(h) })
		})
	}
	wantPanic(t, "berth: ParallelJoin: n must not be negative (got -1)", func() {
		ParallelJoin(c, -1, func(_, _ *int) {})
	})
}

// The same removals leave the same handles, and later inserts issue the same, for any number of
// workers, with and without OnRemove.
func TestParallelRemoveFunc(t *testing.T) { eachFork(t, testParallelRemoveFunc) }

func testParallelRemoveFunc(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		var want []Handle[int]
		for _, n := range crews {
			p := gappy(13_000)
			c := NewColumn[int](p)
			for h, v := range p.All() {
				c.Set(h, *v)
			}
			if hooked {
				calls := 0
				SetHooks(p, Hooks[int]{OnRemove: func(Handle[int], *int) {
					if calls++; calls%50 == 0 {
						p.Insert(-1)
					}
				}})
			}
			for range 3 {
				before := p.Len()
				removed := ParallelRemoveFunc(p, n, func(_ Handle[int], v *int) bool {
					*v = *v*7 + 1
					return *v%3 == 0
				})
				if !hooked && removed != before-p.Len() || removed == 0 {
					t.Errorf("%d workers: %d removed of %d, %d left", n, removed, before, p.Len())
				}
				p.checkInvariants()
				for i := range 1000 {
					p.Insert(i)
				}
			}
			got := slices.Collect(Handles(p))
			if hooked && n == 1 {
				continue // removes before later calls of f, which OnRemove's values see
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("hooked %v: %d workers leave other handles", hooked, n)
			}
		}
	}
}

// Parallel loops call their function once for each value, also at the ends of parts.
func TestParallelOnce(t *testing.T) {
	const n = 5*slots.PartBlocks*slots.BlockSlots + 1000
	forkWhen(t, 0)
	p := NewPool[int](Config{Seed: 1})
	for i := range n {
		p.Insert(i)
	}
	var calls atomic.Int64
	count := func(loop func()) int {
		calls.Store(0)
		loop()
		return int(calls.Load())
	}
	for name, got := range map[string]int{
		"RemoveFunc": count(func() {
			ParallelRemoveFunc(p, 3, func(Handle[int], *int) bool { return calls.Add(1) < 0 })
		}),
		"Spans": count(func() {
			ParallelSpans(p, 3, func(_ Handle[int], span []int) { calls.Add(int64(len(span))) })
		}),
		"Reduce": ParallelReduce(p, 3, func(n int, span []int) int { return n + len(span) },
			func(a, b int) int { return a + b }),
	} {
		if got != n {
			t.Errorf("%s: %d calls for %d values", name, got, n)
		}
	}
}

// A value that OnRemove inserts stays, though its slot held one that was to be removed.
func TestParallelRemoveFuncReused(t *testing.T) {
	const n = 5 * slots.PartBlocks * slots.BlockSlots
	p := NewPool[int](Config{Seed: 1})
	hs := make([]Handle[int], n)
	for i := range hs {
		hs[i] = p.Insert(i)
	}
	reused := Handle[int]{}
	SetHooks(p, Hooks[int]{OnRemove: func(h Handle[int], _ *int) {
		if h != hs[0] {
			return
		}
		p.Delete(hs[n-1])
		for p.IndexOf(reused) != n-1 {
			reused = p.Insert(-1)
		}
	}})
	removed := ParallelRemoveFunc(p, 2, func(h Handle[int], v *int) bool { return h == hs[0] || *v > n-10 })
	if removed != 9 || !p.Contains(reused) || p.Len() != n-8 {
		t.Errorf("%d removed, %d left, the new value: %v", removed, p.Len(), p.Contains(reused))
	}
}

func TestParallelTraverse(t *testing.T) { eachFork(t, testParallelTraverse) }

func testParallelTraverse(t *testing.T) {
	for _, n := range crews {
		p := NewPool[[2]int](Config{Seed: 1})
		for i := range 700 {
			if h := p.Insert([2]int{i, 0}); i%9 == 0 {
				p.Delete(h)
			}
		}
		sum := 0
		for v := range p.Values() {
			sum += v[0]
		}
		ParallelTraverse(p, n, func(e Entry[[2]int], others Others[[2]int]) {
			if p.Ptr(e.Handle) != e.Value {
				t.Error("the entry has another value")
			}
			for v := range others.Values() {
				e.Value[1] += v[0]
			}
		})
		for v := range p.Values() {
			if v[0]+v[1] != sum {
				t.Fatalf("%d workers: %d and %d, want %d", n, v[0], v[1], sum)
			}
		}
	}
}

// A sum of floats is the same for any number of workers, in an order that is not that of Values.
func TestParallelReduce(t *testing.T) { eachFork(t, testParallelReduce) }

func testParallelReduce(t *testing.T) {
	for _, size := range []int{0, 1, 30_000} {
		p := NewPool[int](Config{Seed: 1})
		for i := range size {
			if h := p.Insert(i + 1); i%11 == 5 {
				p.Delete(h)
			}
		}
		add := func(sum float64, span []int) float64 {
			for _, v := range span {
				sum += 1 / float64(v)
			}
			return sum
		}
		var parts []string
		want := ParallelReduce(p, 1, add, func(a, b float64) float64 { return a + b })
		for _, n := range crews {
			if got := ParallelReduce(p, n, add, func(a, b float64) float64 { return a + b }); got != want {
				t.Errorf("%d workers: %v, want %v", n, got, want)
			}
			order := ParallelReduce(p, n, func(s string, span []int) string {
				if s != "" {
					return s
				}
				return fmt.Sprint(span[0])
			}, func(a, b string) string { return a + " " + b })
			if parts = append(parts, order); order != parts[0] {
				t.Errorf("%d workers merge in another order", n)
			}
		}
	}
}

func TestDenseParallelSlice(t *testing.T) { eachFork(t, testDenseParallelSlice) }

func testDenseParallelSlice(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 20_001} {
		for _, n := range crews {
			d := newDense(DenseConfig{}, size)
			c := NewDenseColumn[int](d)
			d.Delete(handleAt(d, 0))
			vs, was := c.Slice(), slices.Clone(d.Slice())
			ParallelSlice(d, n, func(i int, part []int) {
				for k, v := range part {
					part[k]++
					vs[i+k] = v
				}
				_ = append(part, -5) // must not overwrite the next part
			})
			for i, v := range d.Slice() {
				if vs[i] != was[i] || v != was[i]+1 {
					t.Fatalf("%d workers: place %d has %d and %d", n, i, v, vs[i])
				}
			}
		}
	}
}

// A panic or a Goexit in any worker is raised in the caller, once all workers have ended.
func TestParallelFailures(t *testing.T) { eachFork(t, testParallelFailures) }

func testParallelFailures(t *testing.T) {
	loops := map[string]func(p *Pool[int], n int, f func()){
		"Spans": func(p *Pool[int], n int, f func()) { ParallelSpans(p, n, func(Handle[int], []int) { f() }) },
		"RemoveFunc": func(p *Pool[int], n int, f func()) {
			ParallelRemoveFunc(p, n, func(Handle[int], *int) bool { f(); return false })
		},
		"Traverse": func(p *Pool[int], n int, f func()) { ParallelTraverse(p, n, func(Entry[int], Others[int]) { f() }) },
		"Reduce": func(p *Pool[int], n int, f func()) {
			ParallelReduce(p, n, func(r int, _ []int) int { f(); return r }, func(a, _ int) int { return a })
		},
		"Slice": func(p *Pool[int], n int, f func()) {
			ParallelSlice(newDense(DenseConfig{}, p.Len()), n, func(int, []int) { f() })
		},
	}
	p := gappy(30_000)
	for name, loop := range loops {
		wantPanic(t, map[string]string{
			"Spans": "berth: ParallelSpans", "RemoveFunc": "berth: ParallelRemoveFunc",
			"Traverse": "berth: ParallelTraverse", "Reduce": "berth: ParallelReduce",
			"Slice": "berth: ParallelSlice",
		}[name]+": n must not be negative (got -2)", func() { loop(p, -2, func() {}) })
		for _, n := range crews {
			for at := range 3 {
				var calls, running atomic.Int64
				body := func(end func()) func() {
					return func() {
						running.Add(1)
						defer running.Add(-1)
						if calls.Add(1) == int64(at+1) {
							end()
						}
						runtime.Gosched()
					}
				}
				wantPanic(t, "no", func() { loop(p, n, body(func() { panic("no") })) })
				if running.Load() != 0 {
					t.Errorf("%s: %d workers: calls run after the panic", name, n)
				}
				calls.Store(0)
				done, returned := make(chan bool), false
				go func() {
					defer close(done)
					loop(p, n, body(runtime.Goexit))
					returned = true
				}()
				<-done
				if returned || running.Load() != 0 {
					t.Errorf("%s: %d workers: Goexit is lost", name, n)
				}
			}
		}
		p.checkInvariants()
	}
}

// A loop without other goroutines starts none, and allocates nothing.
func TestParallelSerial(t *testing.T) {
	p := gappy(20_000)
	sum := 0
	f := func(_ Handle[int], span []int) { sum += span[0] + runtime.NumGoroutine()*0 }
	if n := testing.AllocsPerRun(10, func() { ParallelSpans(p, 1, f) }); n != 0 || sum == 0 {
		t.Errorf("%v allocations", n)
	}
	before := runtime.NumGoroutine()
	ParallelSpans(p, 1, func(Handle[int], []int) {
		if runtime.NumGoroutine() > before {
			t.Error("a goroutine for n = 1")
		}
	})
	forkWhen(t, 0)
	ParallelSpans(gappy(100), 8, func(Handle[int], []int) {
		if runtime.NumGoroutine() > before {
			t.Error("a goroutine for one part")
		}
	})
	forkWhen(t, time.Hour)
	ParallelSpans(p, 8, func(Handle[int], []int) {
		if runtime.NumGoroutine() > before {
			t.Error("a goroutine though little work remains")
		}
	})
}

// Goroutines are started after the first part that shows enough work, and each part is done once.
// If none is, a later part waits for it for ever.
func TestParallelAlone(t *testing.T) {
	forkWhen(t, time.Millisecond)
	for _, slow := range []int{0, 5, 20, 90, 99} { // the part that takes long
		var calls [100]atomic.Int64
		var running atomic.Int64
		var both atomic.Bool // two goroutines have run at once
		share(2, len(calls), func(i int) {
			calls[i].Add(1)
			if running.Add(1) > 1 {
				both.Store(true)
			}
			defer running.Add(-1)
			if i == slow {
				time.Sleep(2 * time.Millisecond)
			}
			for i > slow+8 && slow < 90 && !both.Load() { // the clock is read after each eighth part
				runtime.Gosched()
			}
		})
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Fatalf("slow from %d: part %d was done %d times", slow, i, n)
			}
		}
	}
}

// Changing the Pool inside is found with the tag berth_invariants.
func TestParallelMisuse(t *testing.T) {
	if !invariants.On {
		t.Skip("without the tag berth_invariants")
	}
	p := gappy(100)
	mustPanic(t, "berth: ParallelSpans: f must not insert or remove", func() {
		ParallelSpans(p, 1, func(Handle[int], []int) { p.Insert(1) })
	})
}

// A part that panics is the last one that is begun.
func TestCrewStops(t *testing.T) {
	c := &crew{parts: 9}
	c.wg.Add(2)
	n := 0
	c.work(func(int) { n++; panic("no") })
	c.work(func(int) { n++ })
	c.wg.Wait()
	if n != 1 || !c.ended || c.value != "no" {
		t.Errorf("%d parts, ended %v with %v", n, c.ended, c.value)
	}
}
