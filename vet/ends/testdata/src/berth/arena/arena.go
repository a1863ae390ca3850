// Package arena stands for the containers in arenas: their signatures and directives.
package arena

type Arena struct{ off int }

type Mark struct{ off int }

func NewFixed(n int) *Arena { return &Arena{} }

// Mark returns a position.
//
//berth:marks r0
func (a *Arena) Mark() Mark { return Mark{a.off} }

// Rewind ends the values that are later than m.
//
//berth:ends since m
func (a *Arena) Rewind(m Mark) { a.off = m.off }

// Reset ends all.
//
//berth:ends emptied
func (a *Arena) Reset() { a.off = 0 }

// Scope ends the loans of f.
//
//berth:ends some
func (a *Arena) Scope(f func(*Arena)) { f(a) }

// Alloc lends bytes.
//
//berth:lends r0
//berth:must r1
func (a *Arena) Alloc(n int) ([]byte, error) { return nil, nil }

// New lends a value.
//
//berth:lends r0 of a
func New[T any](a *Arena) *T { return new(T) }

// MakeSlice lends a slice.
//
//berth:lends r0 of a
func MakeSlice[T any](a *Arena, n int) []T { return make([]T, n) }

type Vec[T any] struct{ s []T }

// NewVec returns a Vec with its memory in a.
//
//berth:housed r0 of a
func NewVec[T any](a *Arena) *Vec[T] { return &Vec[T]{} }

// Push moves values.
//
//berth:ends all
func (v *Vec[T]) Push(x T) bool { v.s = append(v.s, x); return true }

// Len has no directive.
func (v *Vec[T]) Len() int { return len(v.s) }

// Ptr lends a value.
//
//berth:lends r0 by i
func (v *Vec[T]) Ptr(i int) *T { return &v.s[i] }

// Slice lends all values.
//
//berth:lends r0
func (v *Vec[T]) Slice() []T { return v.s }

// Pop ends the last one.
//
//berth:ends some
func (v *Vec[T]) Pop() (x T, ok bool) { return }

// Clear ends all, and makes v usable after its arena was rewound.
//
//berth:ends emptied
//berth:revives
func (v *Vec[T]) Clear() { v.s = nil }

type Stack[V any] struct{ free []V }

// Pop lends a value until Push.
//
//berth:lends r0
func (s *Stack[V]) Pop() (V, bool) { return s.free[0], true }

// Push takes v back.
//
//berth:ends by v
func (s *Stack[V]) Push(v V) bool { return true }
