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

var arenaDeque = &measure.Workload{
	Name:  "arena-deque",
	About: "push at the back, pop at the front or at the back",
	Method: "fifo is the time of a push and a pop at the other end, with 1000 values in it, or n " +
		"if that is less; lifo that of pushing as many again and popping them at the same end, " +
		"divided by their number. 16 batches of 65 536 pairs, of which the median counts. fill " +
		"pushes n values into a new one, drain pops them at the front: time divided by n, the " +
		"median of 4. The memory of an arena has been used before, as Go's heap.",
	N: 100_000, QuickN: 5_000, MaxN: collections.MaxValues, NMeans: "values of fill and drain",
	Elems: []int{8}, Own: true,
	Reps: 7, QuickReps: 2, Warm: true,
	Budget: 2 * time.Second, ImplBudget: 600 * time.Millisecond,
	Key:   []string{"fifo", "lifo", "fill", "drain"},
	Runs:  func(im measure.Impl) bool { return measure.KitOf[Kit](im).Queue != nil },
	Want:  func(j measure.Job) any { return wantQueue(j) },
	Start: func(t *measure.Trial) func() error { return func() error { return queueOnce(t) } },
}

var Deques = &measure.Family{
	ID:        "queues",
	Workloads: []*measure.Workload{arenaDeque},
	Title:     "The queues",
	Stale:     "A pointer to a value that is popped later",
	Impls: []measure.Impl{
		queueArenaImpl, queueGammazeroImpl, queueEdwingengImpl, queueSliceImpl,
	},
	Baseline: "gammazero/deque",
	Subjects: []string{"arena.Deque"},
}

// queueSums holds the checksums of the metrics. Fill has that of drain.
type queueSums struct{ fifo, lifo, drain uint64 }

func queueOnce(t *measure.Trial) error {
	c, want := measure.KitOf[Kit](t.Impl).Queue(), t.Want.(queueSums)
	defer closing(c)
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
