package collections

import "github.com/seed505807e1/berth/stable"

// Truncating is a Values that truncates itself, for thesis-truncation.
type Truncating interface {
	Values
	ValuesLoops
	// Waves makes the steps of w. At each step, values with consecutive numbers come, and others
	// go. It adds up the removed values. It calls look after each step, if not nil.
	Waves(w *Waves, look func()) (removed uint64)
	Len() int
	// Touched returns the number of slots that a loop visits.
	Touched() int
	Stats() stable.Stats
}

// Waves is the plan of the steps of random.
type Waves struct {
	Came  []uint8  // values inserted at each step
	Gone  []uint8  // values removed after that
	Order []uint32 // the numbers of the removed values, one step after the other
	Total int      // values inserted in all
}
