package world

import (
	"iter"
	"time"

	"github.com/seed505807e1/berth"
)

// box is a container that holds a world. Each has loops of its own, written the way its
// documentation recommends, which call the same rules for each thing: nothing here is called for
// each thing by way of the interface, where time is taken. Handles are numbers here; 0 names
// nothing.
type box interface {
	// pass moves all but missiles, removes particles whose time is up, and notes what else there
	// is.
	pass(s *stage)
	// home moves the missiles noted, each with its target, and removes those that are spent.
	home(s *stage)
	// bury removes those of the enemies noted that are dead.
	bury(s *stage)
	// insert inserts things in their order.
	insert(born []Thing)
	// cull removes what is doomed.
	cull(s *stage)

	len() int
	// worn reports whether the container will soon be able to take no more, however few live.
	worn() bool
	// put inserts t and returns its handle.
	put(t Thing) uint64
	// at returns what h names, or nil.
	at(h uint64) *Thing
	all() iter.Seq[*Thing]
	// say returns h as text.
	say(h uint64) string
	// fate says what has become of the slot of h, which is stale; "" if the container cannot tell.
	fate(h uint64) string
	// memory fills in the figures but for those of time and things.
	memory(f *Figures)
	// slots appends the states of all slots, 64 at a time, and returns what to mark among them.
	slots(words []berth.Slots) ([]berth.Slots, [3]int)
}

// What fate says.
const (
	slotTaken  = "its slot has another owner"
	slotVacant = "its slot is vacant"
)

// player is a box with what the world keeps of it.
type player struct {
	kind Kind
	box
	tally
	took  time.Duration // for the last step, and the events before it
	extra time.Duration // for events since
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
