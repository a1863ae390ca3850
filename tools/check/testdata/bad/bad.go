package bad

// Each line of this file that lacks something is named in main_test.go.

const Limit = 1

type Pool[T any] struct{ vals []T }

// A comment that is cut off by an empty line documents nothing.

func (p *Pool[T]) Insert(v T) { p.vals = append(p.vals, v) }

// New returns an empty Pool.
func New[T any]() *Pool[T] { return &Pool[T]{} }

// Len returns the number of values, and says nothing of the cost.
//
//berth:ends all
func (p *Pool[T]) Len() int { return len(p.vals) }

// Clear empties p.
// Cost: O(1).
// Ends: all pointers.
//
//berth:lends r0
func (p *Pool[T]) Clear() { p.vals = p.vals[:0] }

// Mode has a doc comment, which is not one of its values.
type Mode int

const Fast Mode = 1

var Usual Mode

var Free = 1

// Size returns 0.
func Size() int { return 0 }

// String is called by fmt.
func (Mode) String() string { return "Mode" }
