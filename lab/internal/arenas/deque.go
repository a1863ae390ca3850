package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// queueSteady is the number of values in a queue in fifo and lifo.
const queueSteady = 1000

// queueFills is the number of times that fill and drain alternate.
const queueFills = 4

// Queue is a sequence of uint64, for arena-deque.
type Queue interface {
	// New drops everything and makes an empty one for at most n values.
	New(n int)
	// Push pushes from, …, to-1 at the back.
	Push(from, to uint64)
	// Shift pops n values at the front, and returns their weighted sum.
	Shift(n int) uint64
	// Pop pops n values at the back, and returns their weighted sum.
	Pop(n int) uint64
	// Pass repeats pairs times: push next, next+1, … at the back, and pop one at the front. It
	// returns the weighted sum of the popped values.
	Pass(next uint64, pairs int) uint64
	// Close releases memory outside Go's heap.
	Close()
}

// weighted is the term of a checksum for popping v as the i-th value, from 0 on. It is never 0, so
// that a loop that pops nothing is detected.
func weighted(i int, v uint64) uint64 { return uint64(i+1) * (v + 1) }

// weightedSum is the sum for from, …, from+n-1 in this order.
func weightedSum(from uint64, n int) (sum uint64) {
	for i := range n {
		sum += weighted(i, from+uint64(i))
	}
	return sum
}

var arenaDeque = &measure.Workload{
	Name:  "arena-deque",
	About: "push at the back, pop at the front or at the back",
	Method: "fifo is the time of a push and a pop at the other end, with 1000 values in it, or n " +
		"if that is less; lifo that of pushing as " +
		"many again and popping them at the same end, " +
		"divided by their number. 16 batches of 65 536 pairs, of which the median counts. fill " +
		"pushes n values into a new one, drain pops them at the front: time divided by n, the " +
		"median of 4. The memory of an arena has been used before, as Go's heap.",
	N: 100_000, QuickN: 5_000, MaxN: collections.MaxValues, NMeans: "values of fill and drain",
	Elems: []int{8}, Own: true,
	Reps: 7, QuickReps: 2, Warm: true,
	Budget: 2 * time.Second, ImplBudget: 600 * time.Millisecond,
	Key:     []string{"fifo", "lifo", "fill", "drain"},
	Metrics: measure.Everyone("fifo", "lifo", "fill", "drain"),
	Runs:    func(im measure.Impl) bool { return kitOf(im).Queue != nil },
	Want:    func(j measure.Job) any { return wantQueue(j) },
	Start:   func(t *measure.Trial) func() error { return func() error { return queueOnce(t) } },
}

var Deques = &measure.Family{
	ID:        "queues",
	Workloads: []*measure.Workload{arenaDeque},
	Title:     "The queues",
	Stale:     "A pointer to a value that is popped later",
	Impls: []measure.Impl{
		queueArenaImpl, queueGammazeroImpl, queueEdwingengImpl, queueListImpl, queueSliceImpl,
	},
	Baseline: "gammazero/deque",
	Subjects: []string{"arena.Deque"},
}

// queueSums holds the checksums of the metrics. Fill has that of drain.
type queueSums struct{ fifo, lifo, drain uint64 }

func queueOnce(t *measure.Trial) error {
	c, want := kitOf(t.Impl).Queue(), t.Want.(queueSums)
	defer c.Close()
	steady := min(t.N, queueSteady)

	c.New(t.N)
	c.Push(0, uint64(steady))
	if err := t.Pause(); err != nil {
		return err
	}
	next, sum := uint64(steady), uint64(0)
	ns := measure.Batched(batches(t.Job), func() {
		sum += c.Pass(next, arenaBatch)
		next += arenaBatch
	})
	t.Add("fifo", "ns", ns/arenaBatch, sum+c.Shift(steady), want.fifo)

	c.New(t.N)
	c.Push(0, uint64(steady))
	if err := t.Pause(); err != nil {
		return err
	}
	sum = 0
	rounds := arenaBatch / steady
	ns = measure.Batched(batches(t.Job), func() {
		for range rounds {
			c.Push(1, uint64(steady)+1)
			sum += c.Pop(steady)
		}
	})
	t.Add("lifo", "ns", ns/float64(rounds*steady), sum, want.lifo)

	var fill, drain []float64
	sum = 0
	for range queueFills {
		c.New(t.N)
		if err := t.Pause(); err != nil {
			return err
		}
		fill = append(fill, measure.Time(func() { c.Push(0, uint64(t.N)) }))
		drain = append(drain, measure.Time(func() { sum += c.Shift(t.N) }))
	}
	t.Add("fill", "ns", measure.Quantile(fill, 0.5)/float64(t.N), sum, want.drain)
	t.Add("drain", "ns", measure.Quantile(drain, 0.5)/float64(t.N), sum, want.drain)
	return nil
}

// wantQueue adds up the popped values: in fifo the numbers from 0 on, in lifo those from steady
// down.
func wantQueue(j measure.Job) (s queueSums) {
	steady := min(j.N, queueSteady)
	for k := range batches(j) {
		s.fifo += weightedSum(uint64(k*arenaBatch), arenaBatch)
	}
	s.fifo += weightedSum(uint64(batches(j)*arenaBatch), steady)
	for i := range steady {
		s.lifo += weighted(i, uint64(steady-i))
	}
	s.lifo *= uint64(batches(j) * (arenaBatch / steady))
	s.drain = queueFills * weightedSum(0, j.N)
	return s
}
