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

// appendSlots appends the states of n slots. live reports whether a slot is live.
func appendSlots(words []berth.Slots, n int, live func(i int) bool) []berth.Slots {
	for first := 0; first < n; first += 64 {
		var w berth.Slots
		for i := range min(64, n-first) {
			if live(first + i) {
				w.Live |= 1 << i
			} else {
				w.Vacant |= 1 << i
			}
		}
		words = append(words, w)
	}
	return words
}

const (
	// MaxThings is the maximum number of things. Births beyond it are dropped, the same ones in
	// each container.
	MaxThings = 200_000
	// Burst is the number of particles in a burst.
	Burst = burst
)

// Figures are the figures of one container.
type Figures struct {
	Step   time.Duration // the last step, with the events before it
	Bytes  int           // held for values and bookkeeping
	Live   int
	Vacant int
	// Retired slots have no generations left. Their memory may have been released.
	Retired int
	Slots   int // in memory
	Chunks  int // pieces of memory
}
