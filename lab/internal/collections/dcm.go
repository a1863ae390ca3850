package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The shape of dcm: frames, each of which begins with inserting, and then makes passes over all.
const (
	frames      = 5
	framePasses = 300
	mortalHP    = 100
)

// mortalSeed is odd, so that no number below 2^32 - 1 makes a generator of 0.
const mortalSeed = 0x9E3779B9

// Mortal is a thing that loses hit points, and dies for lack of them. When it does so is for its
// own generator to say, and so the same in whatever order a collection visits.
type Mortal struct {
	rng uint32 // xorshift32
	hp  int32
	_   [8]byte // what else there may be to a thing
}

// newMortal makes the mortal that is inserted after so many others.
func newMortal(number uint32) Mortal {
	return Mortal{rng: (number + 1) * mortalSeed, hp: mortalHP}
}

// Update takes a hit point off in one visit of four. It does so without a branch, which a processor
// would mispredict as often, and at the same cost in every collection.
func (m *Mortal) Update() {
	s := m.rng
	s ^= s << 13
	s ^= s >> 17
	s ^= s << 5
	m.rng = s
	m.hp -= int32((s>>30 - 1) >> 31)
}

func (m *Mortal) Dead() bool { return m.hp <= 0 }

// UpdateAll is update for all of ms. It is the loop of everything that has its values side by side
// in memory, and kept from being inlined as meetAll is. It returns how many there were.
//
//go:noinline
func UpdateAll(ms []Mortal) uint64 {
	for i := range ms {
		ms[i].Update()
	}
	return uint64(len(ms))
}

// Mortals is a collection of mortal: what dcm asks for.
type Mortals interface {
	Insert(ms []Mortal)
	// Update visits all once, and returns how many it visited.
	Update() uint64
	// Bury removes those that are dead, and returns how many.
	Bury() (deaths int)
	Len() int
}

var dcm = &measure.Workload{
	Name:  "dcm",
	About: "5 frames: things come; 300 passes visit all, and after each the dead are removed",
	Method: "In each frame, n things of 100 hit points come. A visit takes one off with a " +
		"chance of 1 in 4, which the thing's own random numbers decide, so that most die " +
		"300 to 500 passes after they came. " +
		"insert is the time of inserting, divided by the things inserted; iterate that of the " +
		"visiting passes, divided by the visits; " +
		"remove that of the removing passes, in which each collection looks at all and removes " +
		"the dead in its own best way, divided by the dead: it is mostly looking, since one of " +
		"400 is dead. " +
		"What a collection puts off in removing is in the iterate of the next pass.",
	N: 15_000, QuickN: 1_500, MaxN: 100_000, NMeans: "things that come in a frame",
	Elems: []int{16}, Own: true,
	Reps: 7, QuickReps: 2,
	Budget: 5 * time.Second, ImplBudget: 500 * time.Millisecond,
	Key:     []string{"iterate", "insert", "remove"},
	Metrics: measure.Everyone("iterate", "insert", "remove"),
	Runs:    func(im measure.Impl) bool { return KitOf(im).Mortals != nil },
	Want:    func(j measure.Job) any { return wantDcm(j.N) },
	Start:   func(t *measure.Trial) func() error { return func() error { return dcmOnce(t) } },
}

// dcmSums adds up what the passes of dcm or dcm-pool did.
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
