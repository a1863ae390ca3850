package world

import (
	"iter"
	"time"

	"github.com/seed505807e1/berth"
)

// box is a container that holds a world. Each has its own loops, in the way that its documentation
// recommends, which call the same rules for each thing. No timed code calls the interface for each
// thing. Handles are numbers here; 0 names nothing.
type box interface {
	// pass moves all but missiles, removes particles whose time is up, and notes all other things.
	pass(s *stage)
	// home moves the missiles noted, each with its target, and removes those that are spent.
	home(s *stage)
	// bury removes the dead among the enemies noted.
	bury(s *stage)
	// insert inserts things in order.
	insert(born []Thing)
	// cull removes the doomed.
	cull(s *stage)

	len() int
	// worn reports whether the container will soon accept no more inserts, even if few values are
	// live.
	worn() bool
	// put inserts t and returns its handle.
	put(t Thing) uint64
	// at returns the thing of h, or nil.
	at(h uint64) *Thing
	all() iter.Seq[*Thing]
	// say returns h as text.
	say(h uint64) string
	// fate describes the slot of h, which is stale; "" if the container cannot.
	fate(h uint64) string
	// memory sets the figures except those of time and things.
	memory(f *Figures)
	// slots appends the states of all slots, 64 at a time, and returns the borders to mark.
	slots(words []berth.Slots) ([]berth.Slots, [3]int)
}

// The results of fate.
const (
	slotTaken  = "its slot is reused"
	slotVacant = "its slot is vacant"
)

// player is a box with its share of the world's state.
type player struct {
	kind Kind
	box
	tally
	took  time.Duration // of the last step, and the events before it
	extra time.Duration // of events since
}

// newPlayer returns an empty container.
func newPlayer(k Kind, seed uint32) *player {
	p := &player{kind: k, tally: tally{next: 1}}
	switch k {
	case Pool:
		p.box = newPoolBox(seed)
	case Dense:
		p.box = newDenseBox(seed)
	case List:
		p.box = newListBox(seed)
	case Map:
		p.box = newMapBox()
	case Gen:
		p.box = newGenBox()
	}
	return p
}

// step is the turn of p at a step of the world.
func (p *player) step(s *stage, witness bool) {
	s.begin(&p.tally)
	p.pass(s)
	p.home(s)
	if witness && s.lost.missile != 0 {
		s.lost.fate = p.fate(s.lost.target)
	}
	p.bury(s)
	s.fire()
	s.arrive()
	p.insert(s.bear(MaxThings - p.len()))
}
