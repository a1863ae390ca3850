package main

import "time"

// The workloads of arena each have a family: what stands beside an arena is another thing in each.
// Those of an Arena itself are in arena_bump.go and arena_pages.go, those of its containers in
// arena_queue.go, arena_array.go and arena_table.go, and berth.Pool in memory of an arena is in
// arena_backing.go.

// arenaKit is what stands beside an arena, or is in one: it has one of these, or some.
type arenaKit struct {
	Bump  func(elemBytes int) Bump
	Pages func() Pages
	Queue func() Queue
	Array func() Array
	Table func() Table
}

// arenaKitOf returns the kit of an implementation.
func arenaKitOf(im impl) arenaKit {
	k, _ := im.kit.(arenaKit)
	return k
}

// bumpElem is a value that is taken of an arena.
type bumpElem interface{ [2]uint64 | [8]uint64 }

// Bump hands out zeroed values, and takes back all at once: what arena-bump asks for.
type Bump interface {
	// New makes one with room for n values.
	New(n int)
	// Fill does so many times: take back all, and hand out n values. The k-th of all, from 1 on,
	// gets k for its first word. It adds up the first words, each read when the next value is out.
	Fill(rounds int) uint64
	// Check takes back all, hands out n values, and writes to all of their words. It adds up what
	// they hold, and a lot for each that was not zero.
	Check() uint64
	// Close gives back what the collector does not.
	Close()
}

var arenaBump = &workload{
	name:  "arena-bump",
	about: "hand out small values one by one, and take all back at once",
	method: "Time of handing out a zeroed value, writing a word to it and reading that of the " +
		"value before. When 8 KiB are out, all are taken back, which is part of the time, and " +
		"the same memory goes out again. A million values go out in 16 batches, whose median " +
		"counts. new(T) has no way to take back: the last 8 KiB stay reachable, and the " +
		"collector does the rest.",
	n: 8192, quickN: 8192, maxN: 1 << 20, nMeans: "bytes that are out at most",
	elems: []int{16, 64}, own: true,
	reps: 7, quickReps: 2, warm: true,
	budget: 1500 * time.Millisecond, implBudget: 400 * time.Millisecond,
	key:   []string{"ns_per_value"},
	runs:  func(im impl) bool { return arenaKitOf(im).Bump != nil },
	want:  func(j job) any { return wantBump(j) },
	start: func(t *trial) func() error { return func() error { return bumpOnce(t) } },
}

var bumps = &family{
	id:        "bumps",
	workloads: []*workload{arenaBump},
	title:     "What hands out values",
	stale:     "A pointer that is kept when all is taken back",
	impls: []impl{
		bumpFixedImpl, bumpChunkedImpl, bumpVirtualImpl, bumpBlocksImpl, bumpTypedImpl,
		bumpSliceImpl, bumpFieldImpl, bumpNewImpl, nukeImpl, moderncImpl,
	},
	baseline: "slice by index",
	subjects: []string{
		"New on Fixed", "New on Chunked", "New on Virtual", "Bump on Fixed", "Typed",
	},
}

// The shape of the workloads of arena: a batch is long enough for the clock, and of 16 the median
// counts.
const (
	arenaBatches = 16
	arenaBatch   = 1 << 16
)

// batches returns how many batches a job of arena makes.
func batches(j job) int {
	if j.quick {
		return 2
	}
	return arenaBatches
}

// bumpValues is how many values are out at most.
func bumpValues(j job) int { return max(1, j.n/j.elem) }

// bumpRounds is how often a batch hands out all.
func bumpRounds(j job) int { return max(1, arenaBatch/bumpValues(j)) }

// notZero is what Check adds for a word that is not zero.
const notZero = 1 << 40

func bumpOnce(t *trial) error {
	c := arenaKitOf(t.im).Bump(t.elem)
	n, rounds := bumpValues(t.job), bumpRounds(t.job)
	c.New(n)
	defer c.Close()
	if err := t.pause(); err != nil {
		return err
	}
	sum := c.Fill(1)
	ns := batched(batches(t.job), func() { sum += c.Fill(rounds) })
	t.add("ns_per_value", "ns", ns/float64(n*rounds), sum+c.Check(), t.want.(uint64))
	return nil
}

// wantBump is the sum of what Fill writes, once and in all batches, and of what Check does.
func wantBump(j job) uint64 {
	n, words := uint64(bumpValues(j)), uint64(j.elem/8)
	first := func(n uint64) uint64 { return n * (n + 1) / 2 }
	all := n * uint64(bumpRounds(j))
	return first(n) + uint64(batches(j))*first(all) + words*first(n)
}

// checkBump is Check for who hands out values by take, of which there are n.
func checkBump[E bumpElem](n int, take func() *E) (sum uint64) {
	out := make([]*E, n)
	for i := range out {
		p := take()
		if p == nil {
			return 0
		}
		for k := range len(*p) {
			if (*p)[k] != 0 {
				sum += notZero
			}
			(*p)[k] = uint64(i + 1)
		}
		out[i] = p
	}
	for _, p := range out {
		for k := range len(*p) {
			sum += (*p)[k]
		}
	}
	return sum
}
