// Package good has all that comments wants.
package good

import (
	"testing"
	"time"
)

// The limits.
const (
	Low  = 1
	High = 2
)

var Zero int // Zero is what a comment to the right documents as well.

// Pool is a container.
type Pool[T any] struct{ vals []T }

// New returns an empty Pool.
func New[T any]() *Pool[T] { return &Pool[T]{} }

// Len returns the number of values.
//
// Cost: O(1).
func (p *Pool[T]) Len() int { return len(p.vals) }

// Insert adds v.
//
// Cost: O(1), amortised.
//
// Ends: pointers to values.
//
//berth:ends all
func (p *Pool[T]) Insert(v T) { p.vals = append(p.vals, v) }

// View is no container, so its methods need no line about cost.
type View struct{}

// Len returns 0.
func (View) Len() int { return 0 }

// String is called by fmt, so no Example needs to.
func (View) String() string { return "View" }

// Run can have no Output, since it wants a test to run in.
func Run(t *testing.T, _ time.Duration) { t.Helper() }

func hidden() {}

type secret struct{}

func (secret) Exported() { hidden() }
