package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The shape of dcm-pool: frames of n loops, each of which inserts one thing, visits all, and
// removes the dead.
const (
	loopFrames = 3
	loopHP     = 3475 // the maximum of hit points in a frame of loopsFull loops
	loopsFull  = 15_000
)

// hpOf returns a thing's initial hit points in a frame of n loops. They are spread evenly, as the
// multiples of mortalSeed are.
func (m *Mortal) hpOf(n int) int32 {
	most := uint64(max(1, n*loopHP/loopsFull))
	return 1 + int32(uint64(m.rng)*most>>32)
}

// newLooped returns the mortal of dcm-pool with this number of inserts before it.
func newLooped(number uint32, n int) Mortal {
	m := newMortal(number)
	m.hp = m.hpOf(n)
	return m
}

var dcmPool = &measure.Workload{
	Name:  "dcm-pool",
	About: "3 frames of n loops: each inserts one thing, visits all, and removes the dead",
	Method: "The benchmark that R. Ness's dcm_pool publishes: a frame is n loops, and each " +
		"inserts one thing, visits all in a pass, and removes the dead in another. The things " +
		"have hit points that are spread evenly, and lose them as those of dcm do: so they live " +
		"for 6950 loops on average, and as many are live from the end of the first frame on, as " +
		"in its tables. The figures are of the third frame, whole: iterate, insert and remove " +
		"are the times of its visiting passes, inserts and removing passes, and calls is the " +
		"number of visits. The clock is read around each of them, some 50 ns each time, which is " +
		"most of insert. Work that a removal defers is in iterate.",
	N: loopsFull, QuickN: 300, MaxN: 20_000, NMeans: "loops in a frame",
	Elems: []int{16}, Own: true, OnlyFull: true,
	Reps: 3, QuickReps: 1,
	Budget: 60 * time.Second, ImplBudget: 8 * time.Second,
	Key:   []string{"iterate", "insert", "remove", "calls"},
	Runs:  func(im measure.Impl) bool { return KitOf(im).Mortals != nil },
	Want:  func(j measure.Job) any { return wantDcmPool(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return dcmPoolOnce(t) } },
}

func dcmPoolOnce(t *measure.Trial) error {
	if err := t.Pause(); err != nil {
		return err
	}
	var sum dcmSums
	var insert, iterate, remove time.Duration
	var calls uint64
	c := KitOf(t.Impl).Mortals()
	one := make([]Mortal, 1)
	for frame := range loopFrames {
		insert, iterate, remove, calls = 0, 0, 0, 0
		for loop := range t.N {
			if t.Ctx.Err() != nil {
				return measure.ErrStopped
			}
			one[0] = newLooped(uint32(frame*t.N+loop), t.N)
			start := time.Now()
			c.Insert(one)
			inserted := time.Now()
			updates := c.Update()
			visited := time.Now()
			sum.deaths += uint64(c.Bury())
			remove += time.Since(visited)
			iterate += visited.Sub(inserted)
			insert += inserted.Sub(start)
			calls += updates
		}
		sum.updates += calls
	}
	add := func(metric, unit string, value float64) {
		t.Add(metric, unit, value, sum.checksum(), t.Want.(dcmSums).checksum())
	}
	add("iterate", "ms", float64(iterate.Nanoseconds())/1e6)
	add("insert", "ms", float64(insert.Nanoseconds())/1e6)
	add("remove", "ms", float64(remove.Nanoseconds())/1e6)
	add("calls", "count", float64(calls))
	return nil
}

// wantDcmPool returns the sums of dcm-pool. At the published size its model takes a second.
func wantDcmPool(n int) dcmSums {
	if n == loopsFull {
		return dcmSums{updates: 280_604_270, deaths: 38_047}
	}
	return modelDcmPool(n)
}

// modelDcmPool counts as modelDcm does, with one insert in each loop of all frames.
func modelDcmPool(n int) (sum dcmSums) {
	loops := loopFrames * n
	for k := range loops {
		left := loops - k
		visits := lifetime(uint32(k), int(1+uint64(uint32(k+1)*mortalSeed)*
			uint64(max(1, n*loopHP/loopsFull))>>32))
		sum.updates += uint64(min(visits, left))
		if visits <= left {
			sum.deaths++
		}
	}
	return sum
}
