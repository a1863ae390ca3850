// Package crowds measures collections that many goroutines use at once.
package crowds

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// words is the value of the workloads.
type words struct{ A, B, C, D uint64 }

// wordsOf returns the value with a number.
func wordsOf(number uint64) words { return words{A: number, B: 1, C: 2, D: 3} }

// Table is a collection that any number of goroutines may use at once.
type Table interface {
	Insert(v words) (key uint64)
	// Get returns the zero value if there is none, unless the Table is a haser.
	Get(key uint64) words
	Remove(key uint64) bool
}

// crowd is a number of goroutines, and GOMAXPROCS while they run; 0 leaves it as it is.
type crowd struct{ goroutines, procs int }

// sizes lists the crowds. The metrics of a crowd end in its number of goroutines.
var sizes = []crowd{{1, 0}, {2, 0}, {64, 8}}

func (c crowd) metric(op string) string { return op + "_" + strconv.Itoa(c.goroutines) }

// part returns the range [from, to) of the n values that goroutine g alone replaces.
func (c crowd) part(g, n int) (from, to int) {
	return g * n / c.goroutines, (g + 1) * n / c.goroutines
}

// as calls f under c's GOMAXPROCS.
func (c crowd) as(f func()) {
	if c.procs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
	}
	f()
}

// do calls f for each goroutine of c, all at once, and returns the time in ns.
func (c crowd) do(f func(g int)) float64 {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for g := range c.goroutines {
		wg.Go(func() {
			<-gate
			f(g)
		})
	}
	return measure.Time(func() {
		close(gate)
		wg.Wait()
	})
}

// The operations, as their numbers in the seeds of the random numbers.
const (
	getOp = iota
	mixedOp
	inFlightOp
	latencyOp
)

// One in mixedRate operations of mixed replaces a value, and one in latencyRate of the latencies.
const mixedRate, latencyRate = 20, 3

// operations returns the number of operations of each goroutine, for n values.
func (c crowd) operations(n, op int) int {
	switch op {
	case latencyOp:
		n /= 2
	default:
		n /= 5
	}
	return max(1, n/c.goroutines)
}

// rngOf returns the random numbers of a goroutine.
func rngOf(op, g int) measure.RNG {
	return measure.RNG{S: measure.Seed ^ 16 ^ uint64(op)<<8 ^ uint64(g+1)<<16}
}

// contentsWeight is the factor of the contents in a checksum.
const contentsWeight = 31

var ops = []string{"get", "mixed", "in_flight", "p999", "p9999"}

// metrics returns those of ops for each crowd.
func metrics(ops ...string) (all []string) {
	for _, c := range sizes {
		for _, op := range ops {
			all = append(all, c.metric(op))
		}
	}
	return all
}

var shared = &measure.Workload{
	Name:  "shared",
	About: "a collection that many goroutines use at once: lookups, replacements, short lives",
	Method: "n values of 32 bytes, used by 1, 2 and 64 goroutines, which the metrics end in; 64 " +
		"run with GOMAXPROCS 8. get finds random values. mixed finds values, and replaces one " +
		"in 20 before that. in_flight inserts a value, finds and removes it. All three are the " +
		"time of all goroutines together, divided by the operations. p999 and p9999 are the " +
		"latencies that 99.9 and 99.99 % of single operations stay below, with the reading of " +
		"the clock, where one in three replaces a value and the others find one. Goroutines " +
		"replace only values of their own part, so the checksum does not depend on who comes " +
		"first. It is that of all values found, of the removals that reported a value, and in " +
		"mixed and latencies of what the collection holds in the end.",
	N: 100_000, QuickN: 500, MaxN: 1_000_000, NMeans: "values",
	Elems: []int{32}, Own: true,
	Reps: 15, QuickReps: 2, Warm: true,
	Budget: 4 * time.Second, ImplBudget: time.Second,
	Key:     metrics("get", "mixed", "in_flight", "p9999"),
	Metrics: measure.Everyone(metrics(ops...)...),
	Runs:    runs,
	Want:    func(j measure.Job) any { return wantShared(j.N) },
	Start:   func(t *measure.Trial) func() error { return func() error { return sharedOnce(t) } },
	Expect:  expect,
}

func runs(im measure.Impl) bool { return measure.KitOf[Kit](im).Table != nil }

// expect looks a metric up in the sums of a workload.
func expect(_ measure.Job, want any, metric string) (uint64, bool) {
	sum, ok := want.(map[string]uint64)[metric]
	return sum, ok
}

// worker is a goroutine of a crowd.
type worker struct {
	t        Table
	r        measure.RNG
	keys     []uint64 // of all values
	from, to int      // its part
	fresh    uint64   // number of the next value
	step     uint64   // to the one after it, so that no two goroutines insert one number
	took     []time.Duration
	sum      uint64
}

func (w *worker) get(n int) {
	for range n {
		w.sum += w.t.Get(w.keys[w.r.Below(uint64(len(w.keys)))]).A
	}
}

// own returns the place of a random value of the worker's part.
func (w *worker) own() int { return w.from + int(w.r.Below(uint64(w.to-w.from))) }

func (w *worker) replace(i int) {
	if w.t.Remove(w.keys[i]) {
		w.sum++
	}
	w.keys[i] = w.t.Insert(wordsOf(w.fresh))
	w.fresh += w.step
}

// mixed finds n values, and replaces some of them.
func (w *worker) mixed(n int) {
	for range n {
		i := w.own()
		if w.r.Below(mixedRate) == 0 {
			w.replace(i)
		}
		w.sum += w.t.Get(w.keys[i]).A
	}
}

// inFlight inserts n values, each of which it removes before the next.
func (w *worker) inFlight(n int) {
	for range n {
		k := w.t.Insert(wordsOf(w.fresh))
		w.fresh += w.step
		w.sum += w.t.Get(k).A
		if w.t.Remove(k) {
			w.sum++
		}
	}
}

// timed replaces or finds n values, and notes the time of each.
func (w *worker) timed(n int) {
	for range n {
		i := w.own()
		other := w.r.Below(latencyRate) == 0
		start := time.Now()
		if other {
			w.replace(i)
		} else {
			w.sum += w.t.Get(w.keys[i]).A
		}
		w.took = append(w.took, time.Since(start))
	}
}

func contents(t Table, keys []uint64) (sum uint64) {
	for i, k := range keys {
		sum += uint64(i+1) * t.Get(k).A
	}
	return sum * contentsWeight
}

type game struct {
	crowd
	t    Table
	keys []uint64
}

// play lets each goroutine do its operations. It returns the time per operation, in ns, the sum of
// the workers, and their latencies.
func (g *game) play(
	op int, do func(w *worker, n int),
) (ns float64, sum uint64, took []time.Duration) {
	n, each := len(g.keys), g.operations(len(g.keys), op)
	workers, total := make([]*worker, g.goroutines), 0
	for k := range workers {
		w := &worker{
			t: g.t, r: rngOf(op, k), keys: g.keys,
			fresh: freshNumber(n, k), step: uint64(g.goroutines),
		}
		if w.from, w.to = g.part(k, n); w.from < w.to {
			total += each
		}
		if op == latencyOp {
			w.took = make([]time.Duration, 0, each)
		}
		workers[k] = w
	}
	ns = g.do(func(k int) {
		if w := workers[k]; w.from < w.to {
			do(w, each)
		}
	})
	for _, w := range workers {
		sum += w.sum
		took = append(took, w.took...)
	}
	return ns / float64(total), sum, took
}

// freshNumber returns the number of the first value that goroutine g inserts, beside n values.
func freshNumber(n, g int) uint64 { return uint64(n + g + 1) }

func sharedOnce(t *measure.Trial) (err error) {
	for _, c := range sizes {
		if c.as(func() { err = sharedCrowd(t, c) }); err != nil {
			return err
		}
	}
	return nil
}

// sharedCrowd measures one crowd on a new collection, made under its GOMAXPROCS.
func sharedCrowd(t *measure.Trial, c crowd) error {
	table := t.Impl.Kit.(Kit).Table()
	g := &game{crowd: c, t: table, keys: make([]uint64, t.N)}
	for i := range g.keys {
		g.keys[i] = table.Insert(wordsOf(uint64(i + 1)))
	}
	want := t.Want.(map[string]uint64)
	for op, do := range []func(*worker, int){
		(*worker).get, (*worker).mixed, (*worker).inFlight, (*worker).timed,
	} {
		if err := t.Pause(); err != nil {
			return err
		}
		ns, sum, took := g.play(op, do)
		if op == mixedOp || op == latencyOp {
			sum += contents(table, g.keys)
		}
		if op != latencyOp {
			metric := c.metric(ops[op])
			t.Add(metric, "ns", ns, sum, want[metric])
			continue
		}
		slices.Sort(took)
		for metric, share := range map[string]float64{"p999": 0.999, "p9999": 0.9999} {
			metric = c.metric(metric)
			at := took[min(int(share*float64(len(took))), len(took)-1)]
			t.Add(metric, "ns", float64(at), sum, want[metric])
		}
	}
	for _, k := range g.keys { // cgo has one table for the process
		table.Remove(k)
	}
	return nil
}
