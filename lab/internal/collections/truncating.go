package collections

import "github.com/seed505807e1/berth/stable"

// Truncating is a Values that makes itself shorter: what thesis-truncation asks for.
type Truncating interface {
	Values
	ValuesLoops
	// Waves makes the steps of w: at each, values come, numbered on, and others go. It adds up what
	// it removed. look is called behind each step, if it is not nil.
	Waves(w *Waves, look func()) (removed uint64)
	Len() int
	// Touched returns how many slots a loop looks at.
	Touched() int
	Stats() stable.Stats
}

// Waves says what happens at each step of random.
type Waves struct {
	Came  []uint8  // how many values come
	Gone  []uint8  // how many go, behind that
	Order []uint32 // the numbers of those that go, one step after the other
	Total int      // how many come in all
}
