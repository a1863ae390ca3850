package trace

import "iter"

// book maps the handles of a container to the values of a track. It keeps the handles of the live
// values, and for each name the handle of the last value removed. So it holds at most two entries
// per name, however long a program runs.
type book[H comparable] struct {
	t      *Track
	values map[H]Value
	stale  []H   // by name: the handle of the last removed value
	last   Value // the value removed last
	bare   bool  // whether the zero H is a handle like any other
}

func newBook[H comparable](t *Track) book[H] {
	return book[H]{t: t, values: make(map[H]Value)}
}

// Track returns the track that is recorded to, for operations on the container that bypass the
// recording.
//
// Cost: O(1).
func (b *book[H]) Track() *Track { return b.t }

// Pass records one loop over all live values, for a loop that bypasses the recording.
//
// Cost: amortised O(1); never allocates.
func (b *book[H]) Pass() { b.t.Pass() }

// stopped reports whether the recording has ended, and releases the memory if so.
func (b *book[H]) stopped() bool {
	if !b.t.r.stopped() {
		return false
	}
	b.values, b.stale = nil, nil
	return true
}

// none reports whether h is the handle of no value.
func (b *book[H]) none(h H) bool {
	var zero H
	return h == zero && !b.bare
}

// inserted records the insert of h, unless h is zero or known to be live.
func (b *book[H]) inserted(h H) {
	if !b.none(h) && !b.stopped() && !b.lives(h) {
		b.add(h)
	}
}

// insertedSince is inserted for a call of the container that may have run a hook; last is b.last
// before the call. If the hook has removed h, that is recorded already.
func (b *book[H]) insertedSince(last Value, h H) {
	if _, known := b.values[h]; !known || b.last == last {
		b.inserted(h)
	}
}

// add records the insert of h.
func (b *book[H]) add(h H) {
	if v := b.t.Insert(); v != (Value{}) {
		b.values[h] = v
	}
}

// lives reports whether h is live in the track.
func (b *book[H]) lives(h H) bool {
	v, ok := b.values[h]
	return ok && b.t.Contains(v)
}

// removed records the removal of h, unless it is recorded already or h is unknown.
func (b *book[H]) removed(h H) {
	if b.stopped() || !b.lives(h) {
		return
	}
	v := b.values[h]
	b.t.Remove(v)
	b.last = v
	for int(v.name) >= len(b.stale) {
		var none H
		b.stale = append(b.stale, none)
	}
	old := b.stale[v.name]
	if o := b.values[old]; o.name == v.name && o != v { // else old has been issued again since
		delete(b.values, old)
	}
	b.stale[v.name] = h
}

// replacing calls f, which replaces the state of the container c, and records the values that are
// gone and new. A handle that is live before and after keeps its name. If f returns an error, c is
// unchanged.
func replacing[T any, H comparable](b *book[H], c shared[T, H], f func() error) error {
	if b.stopped() {
		return f()
	}
	before := handles(c)
	err := f()
	if err != nil {
		return err
	}
	for _, h := range before {
		if !c.Contains(h) {
			b.removed(h)
		}
	}
	for h := range c.All() {
		b.inserted(h)
	}
	return nil
}

// handles returns the handles of the values in c.
func handles[T any, H comparable](c shared[T, H]) []H {
	hs := make([]H, 0, c.Len())
	for h := range c.All() {
		hs = append(hs, h)
	}
	return hs
}

// takenSince records a removal of h by the container, as insertedSince records an insert, or a Miss
// if ok is false. If h is unknown, its value was inserted by another way, and that is recorded
// first.
func (b *book[H]) takenSince(last Value, h H, ok bool) {
	if !ok {
		b.looked(h, false)
		return
	}
	b.insertedSince(last, h)
	b.removed(h)
}

// looked records a lookup of h and its result. The container's answer is authoritative: a value
// inserted or removed by another way is recorded so at its first lookup.
func (b *book[H]) looked(h H, found bool) {
	if b.none(h) || b.stopped() {
		return
	}
	v, known := b.values[h]
	switch {
	case found && !b.lives(h):
		b.add(h)
		v = b.values[h]
	case !found && !known:
		v = b.last
	case !found:
		b.removed(h)
	}
	b.t.Get(v)
}

// passes wraps a loop to record a Pass when it begins.
func passes[H comparable, V any](b *book[H], loop iter.Seq[V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		b.Pass()
		loop(yield)
	}
}

// passes2 is passes for an iter.Seq2.
func passes2[H comparable, K, V any](b *book[H], loop iter.Seq2[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		b.Pass()
		loop(yield)
	}
}
