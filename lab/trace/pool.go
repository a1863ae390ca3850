package trace

import (
	"iter"
	"reflect"

	"github.com/seed505807e1/berth"
)

// Pool is a [berth.Pool] that can be recorded. It has the same verbs, and the zero Pool is ready to
// use. A program that keeps its values in a berth.Pool[T] is recorded by another type of the field,
// and by one line:
//
//	enemies trace.Pool[Enemy]            // was: enemies berth.Pool[Enemy]
//	...
//	game.enemies.Record(rec, "enemies")  // new
//
// Without that line nothing is recorded. A Pool then does and costs what a berth.Pool does, and a
// comparison or two. Only a loop through a [berth.View] makes 6 small objects, twice as many.
//
// A recorded Pool answers as before, and takes as much more time and memory as a [Wrap]. A lookup
// writes to the stream, so several goroutines must not even read the Pool at a time.
//
// # What is recorded
//
// An insert by any verb is an Insert; one that the pool is too full for is nothing. That of
// InsertFunc comes when f has returned, behind all that f has done. If f panics, it does not come.
// A removal is a Remove, also in Drain and Clear, in the body of a loop, and in a hook. Remove and
// Delete of a stale handle are a Miss.
//
// Get, Ptr, Contains, IndexOf and Apply are a Get or a Miss. Of the zero handle they are nothing.
//
// A loop is a Pass when it begins. Traverse and Pairs are one Pass too, though they are quadratic.
// [berth.Others] and [berth.ReadOnly] are views of the berth.Pool inside: lookups and loops through
// them are not recorded. The [Track] that Record returns can record them by hand.
//
// Len, Cap, Grow, Clip, Stats, Slots, HandleAt, SetHooks and String are nothing in the stream. A
// Clone is not recorded.
type Pool[T any] struct {
	own  berth.Pool[T]
	made *berth.Pool[T] // in place of own, if not nil
	book *book[berth.Handle[T]]

	hooks berth.Hooks[T] // of the program
}

// NewPool returns a Pool sized by c, as [berth.NewPool] does. It is not recorded yet.
// Cost: allocates c.Capacity slots, rounded up to chunks.
func NewPool[T any](c berth.Config) *Pool[T] { return &Pool[T]{made: berth.NewPool[T](c)} }

// Record makes rec record what is done with p from now on, in a new track of this name, and returns
// the track. The values that p has already are recorded as inserts. A former recording of p ends.
// If rec is nil, none begins, and the result is nil.
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
	for h := range p.pool().All() {
		b.inserted(h)
	}
	p.book = &b
	p.SetHooks(p.hooks)
	return b.t
}

// pool returns the pool that p is.
func (p *Pool[T]) pool() *berth.Pool[T] {
	if p.made != nil {
		return p.made
	}
	return &p.own
}

// SetHooks is that of [berth.Pool]. What the hooks do is recorded behind the Insert or the Remove
// that they are called for. A value that a panic of OnInsert takes out again has a Remove, too.
func (p *Pool[T]) SetHooks(hs berth.Hooks[T]) {
	p.hooks = hs
	if p.book != nil { // the pool says itself what comes and goes
		hs = berth.Hooks[T]{OnInsert: p.inserted, OnRemove: p.removed}
	}
	p.pool().SetHooks(hs)
}

// inserted is OnInsert of a pool that is recorded.
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

// removed is OnRemove of a pool that is recorded.
func (p *Pool[T]) removed(h berth.Handle[T], v *T) {
	p.book.removed(h)
	if f := p.hooks.OnRemove; f != nil {
		f(h, v)
	}
}

// looked records that h was looked up, and found or not.
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

// Insert is that of [berth.Pool], and an Insert unless the pool is full.
func (p *Pool[T]) Insert(v T) berth.Handle[T] { return p.pool().Insert(v) }

// TryInsert is that of [berth.Pool], and an Insert if there is no error.
func (p *Pool[T]) TryInsert(v T) (berth.Handle[T], error) { return p.pool().TryInsert(v) }

// New is that of [berth.Pool], and an Insert unless the pool is full.
func (p *Pool[T]) New() (berth.Handle[T], *T) { return p.pool().New() }

// InsertFunc is that of [berth.Pool], and an Insert when f has returned, unless the pool is full.
func (p *Pool[T]) InsertFunc(f func(berth.Handle[T], *T)) berth.Handle[T] {
	return p.pool().InsertFunc(f)
}

// InsertSeq is that of [berth.Pool], and an Insert for each value that it has room for.
func (p *Pool[T]) InsertSeq(seq iter.Seq[T]) int { return p.pool().InsertSeq(seq) }

// Remove is that of [berth.Pool], and a Remove if it reports true; else a Miss, since it had to
// look.
func (p *Pool[T]) Remove(h berth.Handle[T]) (T, bool) {
	v, ok := p.pool().Remove(h)
	if !ok {
		p.looked(h, false)
	}
	return v, ok
}

// Delete is that of [berth.Pool], and what Remove is.
func (p *Pool[T]) Delete(h berth.Handle[T]) bool {
	ok := p.pool().Delete(h)
	if !ok {
		p.looked(h, false)
	}
	return ok
}

// RemoveFunc is that of [berth.Pool], and a Pass, and a Remove for each value that goes.
func (p *Pool[T]) RemoveFunc(f func(berth.Handle[T], *T) bool) int {
	p.pass()
	return p.pool().RemoveFunc(f)
}

// Clear is that of [berth.Pool], and a Remove for each value, in the order of a loop.
func (p *Pool[T]) Clear() { p.pool().Clear() }

// Get is that of [berth.Pool], and a Get or a Miss.
func (p *Pool[T]) Get(h berth.Handle[T]) (T, bool) {
	v, ok := p.pool().Get(h)
	p.looked(h, ok)
	return v, ok
}

// Ptr is that of [berth.Pool], and a Get or a Miss.
func (p *Pool[T]) Ptr(h berth.Handle[T]) *T {
	v := p.pool().Ptr(h)
	p.looked(h, v != nil)
	return v
}

// Contains is that of [berth.Pool], and a Get or a Miss.
func (p *Pool[T]) Contains(h berth.Handle[T]) bool {
	ok := p.pool().Contains(h)
	p.looked(h, ok)
	return ok
}

// IndexOf is that of [berth.Pool], and a Get or a Miss.
func (p *Pool[T]) IndexOf(h berth.Handle[T]) int {
	i := p.pool().IndexOf(h)
	p.looked(h, i >= 0)
	return i
}

// Apply is that of [berth.Pool], and a Get or a Miss before f is called. What f looks up or loops
// over through the view is not recorded.
func (p *Pool[T]) Apply(h berth.Handle[T], f func(*T, berth.Others[T])) bool {
	p.looked(h, p.pool().Contains(h))
	return p.pool().Apply(h, f)
}

// HandleAt is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) HandleAt(first berth.Handle[T], i int) berth.Handle[T] {
	return p.pool().HandleAt(first, i)
}

// Len is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Len() int { return p.pool().Len() }

// Cap is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Cap() int { return p.pool().Cap() }

// Grow is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Grow(n int) { p.pool().Grow(n) }

// Clip is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Clip() { p.pool().Clip() }

// Clone is that of [berth.Pool], and nothing in the stream. The clone is not recorded until its own
// Record is called.
func (p *Pool[T]) Clone() *Pool[T] {
	q := &Pool[T]{made: p.pool().Clone(), hooks: p.hooks}
	if p.book != nil {
		q.SetHooks(q.hooks)
	}
	return q
}

// ReadOnly is that of [berth.Pool]. What is looked up or looped over through it is not recorded.
func (p *Pool[T]) ReadOnly() berth.ReadOnly[T] { return p.pool().ReadOnly() }

// Stats is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Stats() berth.Stats { return p.pool().Stats() }

// String is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) String() string { return p.pool().String() }
