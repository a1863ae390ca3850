package trace

import (
	"iter"
	"reflect"

	"github.com/seed505807e1/berth"
)

// Pool is a [berth.Pool] that can be recorded. It has the same methods, and the zero Pool is ready
// to use. To record a program, change the type of a field from berth.Pool[T], and add one line:
//
//	enemies trace.Pool[Enemy]            // was: enemies berth.Pool[Enemy]
//	...
//	game.enemies.Record(rec, "enemies")  // new
//
// Without the second line nothing is recorded. The Pool then works as a berth.Pool does, at the
// cost of a comparison or two per call. Only a loop through a [berth.View] makes 6 small objects,
// twice as many as without trace.
//
// The functions of berth that take a Pool, such as [berth.Traverse], are methods here.
//
// Recording does not change results. It adds as much time and memory as [Wrap] does. Lookups write
// to the stream, so even concurrent lookups are not safe.
//
// # What is recorded
//
// Every insert is an Insert, unless the pool is full. The Insert of InsertFunc follows the ops of
// its function, and is left out if that panics. Every removal is a Remove, also in Drain, Clear,
// loop bodies and hooks. Remove and Delete of a stale handle are a Miss.
//
// Get, Ptr, Contains, IndexOf and Apply are a Get, or a Miss for a stale handle. For the zero
// handle nothing is recorded.
//
// A loop is a Pass when it begins. Traverse and Pairs are one Pass, though they are quadratic. So
// is a parallel loop, for any number of goroutines; its function must not call a recorded method.
// Lookups and loops through [berth.Others] and [berth.ReadOnly] are not recorded, since these are
// views of the berth.Pool inside. The [Track] that Record returns can record them by hand.
//
// CopyFrom and the methods that load are recorded by their result: a Remove for each handle that is
// no longer live, and an Insert for each that was not. A handle that is live before and after stays
// the same value, though its contents may change.
//
// Len, Cap, Grow, Clip, Stats, Slots, At, Span, SetHooks, String and the methods that save record
// nothing. A Clone is not recorded.
type Pool[T any] struct {
	pool[T] // its methods that record nothing, or whose hooks record, are those of p
	book    *book[berth.Handle[T]]

	hooks berth.Hooks[T] // of the program
}

// pool is berth.Pool under a name that is not exported.
type pool[T any] = berth.Pool[T]

// NewPool returns a Pool configured by c, as [berth.NewPool] does. It is not recorded until
// [Pool.Record] is called.
//
// Cost: allocates c.Capacity slots, rounded up to chunks.
func NewPool[T any](c berth.Config) *Pool[T] { return around(berth.NewPool[T](c)) }

// around returns a Pool with made inside. A berth.Pool must not be copied, but a new one can be
// moved, since nothing refers to it.
func around[T any](made *berth.Pool[T]) *Pool[T] {
	p := new(Pool[T])
	reflect.ValueOf(&p.pool).Elem().Set(reflect.ValueOf(made).Elem())
	return p
}

// Record starts recording p to rec, in a new track of this name, and returns the track. The values
// in p are recorded as inserts. A previous recording of p ends. If rec is nil, no recording starts,
// and the result is nil.
//
// Cost: a loop over p.
func (p *Pool[T]) Record(rec *Recorder, name string) *Track {
	if rec == nil {
		if p.book != nil {
			p.book = nil
			p.SetHooks(p.hooks)
		}
		return nil
	}
	b := newBook[berth.Handle[T]](rec.Track(name, int(reflect.TypeFor[T]().Size())))
	for h := range p.pool.All() {
		b.inserted(h)
	}
	p.book = &b
	p.SetHooks(p.hooks)
	return b.t
}

// SetHooks is [berth.SetHooks]. The actions of a hook are recorded after the Insert or Remove
// that called it. If OnInsert panics, the removal of its value is recorded as a Remove.
func (p *Pool[T]) SetHooks(hs berth.Hooks[T]) {
	p.hooks = hs
	if p.book != nil { // the pool itself reports its inserts and removals
		hs = berth.Hooks[T]{OnInsert: p.inserted, OnRemove: p.removed}
	}
	berth.SetHooks(&p.pool, hs)
}

// inserted is the OnInsert hook of a recorded pool.
func (p *Pool[T]) inserted(h berth.Handle[T], v *T) {
	b := p.book
	b.inserted(h)
	f := p.hooks.OnInsert
	if f == nil {
		return
	}
	done := false
	defer func() {
		if !done {
			b.removed(h) // nothing, if f has removed it itself
		}
	}()
	f(h, v)
	done = true
}

// removed is the OnRemove hook of a recorded pool.
func (p *Pool[T]) removed(h berth.Handle[T], v *T) {
	p.book.removed(h)
	if f := p.hooks.OnRemove; f != nil {
		f(h, v)
	}
}

// looked records a lookup of h and its result.
func (p *Pool[T]) looked(h berth.Handle[T], found bool) {
	if p.book != nil {
		p.book.looked(h, found)
	}
}

// pass records a loop.
func (p *Pool[T]) pass() {
	if p.book != nil {
		p.book.Pass()
	}
}

// InsertAt is [berth.InsertAt]. It records an Insert, unless there is an error.
func (p *Pool[T]) InsertAt(h berth.Handle[T], v T) error { return berth.InsertAt(&p.pool, h, v) }

// InsertSeq is [berth.InsertSeq]. It records an Insert for each inserted value.
func (p *Pool[T]) InsertSeq(seq iter.Seq[T]) int { return berth.InsertSeq(&p.pool, seq) }

// Remove is [berth.Pool.Remove]. It records a Remove, or a Miss if h is stale.
func (p *Pool[T]) Remove(h berth.Handle[T]) (T, bool) {
	v, ok := p.pool.Remove(h)
	if !ok {
		p.looked(h, false)
	}
	return v, ok
}

// Delete is [berth.Pool.Delete]. It records a Remove, or a Miss if h is stale.
func (p *Pool[T]) Delete(h berth.Handle[T]) bool {
	ok := p.pool.Delete(h)
	if !ok {
		p.looked(h, false)
	}
	return ok
}

// RemoveFunc is [berth.Pool.RemoveFunc]. It records a Pass, and a Remove for each removed value.
func (p *Pool[T]) RemoveFunc(f func(berth.Handle[T], *T) bool) int {
	p.pass()
	return p.pool.RemoveFunc(f)
}

// Get is [berth.Pool.Get]. It records a Get, or a Miss if h is stale.
func (p *Pool[T]) Get(h berth.Handle[T]) (T, bool) {
	v, ok := p.pool.Get(h)
	p.looked(h, ok)
	return v, ok
}

// Ptr is [berth.Pool.Ptr]. It records a Get, or a Miss if h is stale.
func (p *Pool[T]) Ptr(h berth.Handle[T]) *T {
	v := p.pool.Ptr(h)
	p.looked(h, v != nil)
	return v
}

// Contains is [berth.Pool.Contains]. It records a Get, or a Miss if h is stale.
func (p *Pool[T]) Contains(h berth.Handle[T]) bool {
	ok := p.pool.Contains(h)
	p.looked(h, ok)
	return ok
}

// IndexOf is [berth.Pool.IndexOf]. It records a Get, or a Miss if h is stale.
func (p *Pool[T]) IndexOf(h berth.Handle[T]) int {
	i := p.pool.IndexOf(h)
	p.looked(h, i >= 0)
	return i
}

// Apply is [berth.Apply]. It records a Get, or a Miss if h is stale, before it calls f.
// Lookups and loops of f through the view are not recorded.
func (p *Pool[T]) Apply(h berth.Handle[T], f func(*T, berth.Others[T])) bool {
	p.looked(h, p.pool.Contains(h))
	return berth.Apply(&p.pool, h, f)
}

// Clone is [berth.Pool.Clone]. It records nothing. The clone is not recorded until its own Record
// is called.
func (p *Pool[T]) Clone() *Pool[T] {
	q := around(p.pool.Clone())
	q.hooks = p.hooks
	if p.book != nil {
		q.SetHooks(q.hooks)
	}
	return q
}

// ReadOnly is [berth.NewReadOnly]. Lookups and loops through the result are not recorded.
func (p *Pool[T]) ReadOnly() berth.ReadOnly[T] { return berth.NewReadOnly[T](&p.pool) }
