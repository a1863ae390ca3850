// Package berth stands for the containers of berth: their signatures and directives.
package berth

// Seq and Seq2 stand for those of package iter, which needs most of the standard library.
type (
	Seq[V any]     func(yield func(V) bool)
	Seq2[K, V any] func(yield func(K, V) bool)
)

type Handle[T any] struct{ index, gen uint32 }

type Config struct{ Capacity, Seed int }

type View[T any] interface {
	// Ptr returns the address of a value.
	//
	//berth:lends r0 by h
	//berth:asks h
	Ptr(h Handle[T]) *T
	Len() int
}

type Pool[T any] struct{ m map[Handle[T]]*T }

func NewPool[T any](c Config) *Pool[T] { return &Pool[T]{} }

// Len has no directive.
func (p *Pool[T]) Len() int { return len(p.m) }

// Insert issues a handle.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) Handle[T] { return Handle[T]{} }

// TryInsert issues a handle.
//
//berth:issues r0
//berth:must r1
func (p *Pool[T]) TryInsert(v T) (Handle[T], error) { return Handle[T]{}, nil }

// New issues a handle and lends its value.
//
//berth:issues r0
//berth:lends r1 by r0
func (p *Pool[T]) New() (Handle[T], *T) { return Handle[T]{}, new(T) }

// Ptr lends a value.
//
//berth:lends r0 by h
//berth:asks h
func (p *Pool[T]) Ptr(h Handle[T]) *T { return p.m[h] }

// Get copies a value.
//
//berth:copies r0
//berth:asks h
func (p *Pool[T]) Get(h Handle[T]) (T, bool) { var zero T; return zero, false }

// Contains looks a handle up.
//
//berth:asks h
func (p *Pool[T]) Contains(h Handle[T]) bool { return false }

// Remove ends one pointer.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Remove(h Handle[T]) (T, bool) { return p.Get(h) }

// RemoveFunc ends some.
//
//berth:ends some
func (p *Pool[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	for h, v := range p.m {
		f(h, v)
	}
	return 0
}

// Clear ends all.
//
//berth:ends emptied
func (p *Pool[T]) Clear() { clear(p.m) }

// Clone issues the same handles.
//
//berth:clones r0
func (p *Pool[T]) Clone() *Pool[T] { return p }

// CopyFrom has the handles of q.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) CopyFrom(q *Pool[T]) {}

type Lease[T any] struct{ v *T }

// Value lends the value.
//
//berth:lends r0
func (l *Lease[T]) Value() *T { return l.v }

// Release gives the value back, which stays where it is.
//
//berth:ends lent
func (l *Lease[T]) Release() {}

// All lends each value.
//
//berth:lends y1 by y0
//berth:issues y0
func (p *Pool[T]) All() Seq2[Handle[T], *T] { return nil }

// Values lends each value.
//
//berth:lends y0
func (p *Pool[T]) Values() Seq[*T] { return nil }

// Drain ends all while it is ranged over.
//
//berth:begins
func (p *Pool[T]) Drain() Seq2[Handle[T], T] { return nil }

// Drain is the same for any container.
//
//berth:begins of c
func Drain[H, T any](c interface {
	All() Seq2[H, *T]
	Remove(h H) (T, bool)
}) Seq2[H, T] {
	return nil
}

type History[T any] struct{ p *Pool[T] }

// NewHistory is another way to p.
//
//berth:shares r0 of p
func NewHistory[T any](p *Pool[T]) *History[T] { return &History[T]{p} }

// Edit lends a value.
//
//berth:lends r0 by h
//berth:asks h
func (s *History[T]) Edit(h Handle[T]) *T { return nil }

// Rewind ends all.
//
//berth:ends emptied
func (s *History[T]) Rewind(frame int) {}

type Dense[T any] struct{ vals []T }

// Insert moves values.
//
//berth:issues r0
//berth:ends all
func (d *Dense[T]) Insert(v T) Handle[T] { return Handle[T]{} }

// Ptr lends a value.
//
//berth:lends r0 by h
//berth:asks h
func (d *Dense[T]) Ptr(h Handle[T]) *T { return nil }

// Find lends a value.
//
//berth:lends r0 by h of d
//berth:asks h of d
func Find[T any](d *Dense[T], h Handle[T]) *T { return d.Ptr(h) }

// Len has no directive.
func (d *Dense[T]) Len() int { return len(d.vals) }

// At issues a handle.
//
//berth:issues r0
//berth:lends r1 by r0
func (d *Dense[T]) At(i int) (Handle[T], *T) { return Handle[T]{}, nil }

// Slice lends all values.
//
//berth:lends r0
//berth:ends some
func (d *Dense[T]) Slice() []T { return d.vals }

// Remove moves values, but not inside a loop.
//
//berth:asks h
//berth:ends all by h
func (d *Dense[T]) Remove(h Handle[T]) (v T, ok bool) { return }

// Clear ends all.
//
//berth:ends emptied
func (d *Dense[T]) Clear() {}

// Sort moves values.
//
//berth:ends all
func (d *Dense[T]) Sort(cmp func(a, b *T) int) { cmp(nil, nil) }

// Shrink moves values.
//
//berth:ends all
//berth:must r0
func (d *Dense[T]) Shrink() error { return nil }

// All lends each value.
//
//berth:lends y1 by y0
//berth:issues y0
func (d *Dense[T]) All() Seq2[Handle[T], *T] { return nil }

// Values lends each value.
//
//berth:lends y0
func (d *Dense[T]) Values() Seq[*T] { return nil }

type Entry[T any] struct {
	Handle Handle[T]
	Value  *T
}

type Others[T any] struct{ p *Pool[T] }

// Ptr lends a value.
//
//berth:lends r0 by h
//berth:asks h
func (o Others[T]) Ptr(h Handle[T]) *T { return o.p.Ptr(h) }

// Traverse lends each value.
//
//berth:lends y0 by y0 of p
//berth:issues y0 of p
//berth:shares y1 of p
func Traverse[T any](p *Pool[T]) Seq2[Entry[T], Others[T]] { return nil }

type Map[K comparable, T any] struct{ m map[K]T }

func NewMap[K comparable, T any]() *Map[K, T] { return &Map[K, T]{} }

// Insert issues.
//
//berth:issues r0
func (m *Map[K, T]) Insert(k K, v T) Handle[T] { return Handle[T]{} }

// Contains asks.
//
//berth:asks h
func (m *Map[K, T]) Contains(h Handle[T]) bool { return false }
