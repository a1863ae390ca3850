package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The shape of dcm: frames that begin with inserts, and then make passes over all values.
const (
	frames      = 5
	framePasses = 300
	mortalHP    = 100
)

// mortalSeed is odd, so that no number below 2^32 - 1 gives a generator the state 0.
const mortalSeed = 0x9E3779B9

// Mortal is a thing that loses hit points, and dies without any. Its own generator decides when, so
// the order of a collection's visits does not matter.
type Mortal struct {
	rng uint32 // xorshift32
	hp  int32
	_   [8]byte // stands for the other fields of a thing
}

// newMortal returns the mortal with this number of inserts before it.
func newMortal(number uint32) Mortal {
	return Mortal{rng: (number + 1) * mortalSeed, hp: mortalHP}
}

// Update takes a hit point off in one visit of four. It has no branch, which a processor would
// mispredict as often, at the same cost in every collection.
func (m *Mortal) Update() {
	s := m.rng
	s ^= s << 13
	s ^= s >> 17
	s ^= s << 5
	m.rng = s
	m.hp -= int32((s>>30 - 1) >> 31)
}

func (m *Mortal) Dead() bool { return m.hp <= 0 }

// UpdateAll is Update for all of ms, and returns their number. It is the loop of all collections
// whose values are adjacent in memory, and is not inlined for the reason of MeetAll.
//
//go:noinline
func UpdateAll(ms []Mortal) uint64 {
	for i := range ms {
		ms[i].Update()
	}
	return uint64(len(ms))
}

var dcm = &measure.Workload{
	Name:  "dcm",
	About: "5 frames of inserts and 300 passes that visit all, then remove the dead",
	Method: "Each frame inserts n things of 100 hit points. A visit takes one off with a chance " +
		"of 1 in 4, from the thing's own random numbers, so that most die 300 to 500 passes " +
		"after their insert. insert is the time of inserting, divided by the things inserted; " +
		"iterate that of the visiting passes, divided by the visits; remove that of the removing " +
		"passes, in which each collection checks all and removes the dead in its own best way, " +
		"divided by the dead: it is mostly checking, since one of 400 is dead. Work that a " +
		"removal defers is in the iterate of the next pass.",
	N: 15_000, QuickN: 1_500, MaxN: 100_000, NMeans: "things that come in a frame",
	Elems: []int{16}, Own: true,
	Reps: 7, QuickReps: 2,
	Budget: 5 * time.Second, ImplBudget: 500 * time.Millisecond,
	Key:   []string{"iterate", "insert", "remove"},
	Runs:  func(im measure.Impl) bool { return KitOf(im).Mortals != nil },
	Want:  func(j measure.Job) any { return modelDcm(j.N, frames, framePasses, mortalHP) },
	Start: func(t *measure.Trial) func() error { return func() error { return dcmOnce(t) } },
}

// dcmSums counts the work of the passes of dcm or dcm-pool.
type dcmSums struct{ updates, deaths uint64 }

func (s dcmSums) checksum() uint64 { return s.updates*1_000_000 + s.deaths }

func dcmOnce(t *measure.Trial) error {
	if err := t.Pause(); err != nil {
		return err
	}
	var sum dcmSums
	var insert, iterate, remove time.Duration
	c := KitOf(t.Impl).Mortals()
	come := make([]Mortal, t.N)
	for frame := range frames {
		for i := range come {
			come[i] = newMortal(uint32(frame*t.N + i))
		}
		start := time.Now()
		c.Insert(come)
		insert += time.Since(start)
		for range framePasses {
			if t.Ctx.Err() != nil {
				return measure.ErrStopped
			}
			start := time.Now()
			updates := c.Update()
			visited := time.Now()
			deaths := c.Bury()
			remove += time.Since(visited)
			iterate += visited.Sub(start)
			sum.updates += updates
			sum.deaths += uint64(deaths)
		}
	}
	add := func(metric string, took time.Duration, times uint64) {
		ns := float64(took.Nanoseconds()) / float64(max(1, times))
		t.Add(metric, "ns", ns, sum.checksum(), t.Want.(dcmSums).checksum())
	}
	add("iterate", iterate, sum.updates)
	add("insert", insert, uint64(frames*t.N))
	add("remove", remove, sum.deaths)
	return nil
}

// modelDcm counts by lifetimes alone: each thing is visited until it is dead or the passes end.
func modelDcm(n, frames, passes, hp int) (sum dcmSums) {
	for k := range frames * n {
		left := (frames - k/n) * passes
		visits := lifetime(uint32(k), hp)
		sum.updates += uint64(min(visits, left))
		if visits <= left {
			sum.deaths++
		}
	}
	return sum
}

// lifetime returns the number of visits that a mortal survives: at each draw below a quarter of all
// numbers it loses a hit point.
func lifetime(number uint32, hp int) (visits int) {
	for s := (number + 1) * mortalSeed; hp > 0; visits++ {
		s ^= s << 13
		s ^= s >> 17
		s ^= s << 5
		if s < 1<<30 {
			hp--
		}
	}
	return visits
}
