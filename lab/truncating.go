package main

import "github.com/seed505807e1/berth/stable"

// Truncating is a Values that makes itself shorter: what thesis-truncation asks for.
type Truncating interface {
	Values
	valuesLoops
	// Waves makes the steps of w: at each, values come, numbered on, and others go. It adds up what
	// it removed. look is called behind each step, if it is not nil.
	Waves(w *waves, look func()) (removed uint64)
	Len() int
	// Touched returns how many slots a loop looks at.
	Touched() int
	Stats() stable.Stats
}

// waves says what happens at each step of random.
type waves struct {
	came  []uint8  // how many values come
	gone  []uint8  // how many go, behind that
	order []uint32 // the numbers of those that go, one step after the other
	total int      // how many come in all
}
