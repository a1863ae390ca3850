package trace

import "iter"

// book knows which value of a track a handle of a container is. It keeps the handles of those that
// live, and of each name the handle of the last value that is gone, so it holds two entries per
// name at most, however long a program runs.
type book[H comparable] struct {
	t      *Track
	values map[H]Value
	stale  []H   // by name: the handle of the last value that is gone
	last   Value // that has gone
}

func newBook[H comparable](t *Track) book[H] {
	return book[H]{t: t, values: make(map[H]Value)}
}

// Track returns the track that records, for what is done with the container by another way.
// Cost: O(1).
func (b *book[H]) Track() *Track { return b.t }

// Pass records one loop over all living values, for one that is done by another way.
// Cost: amortised O(1); never allocates.
func (b *book[H]) Pass() { b.t.Pass() }

// stopped reports whether nothing is recorded any more, and gives the memory back.
func (b *book[H]) stopped() bool {
	if !b.t.r.stopped() {
		return false
	}
	b.values, b.stale = nil, nil
	return true
}

// inserted records that h has come to life, unless it is zero or known to live.
func (b *book[H]) inserted(h H) {
	var none H
	if h == none || b.stopped() || b.lives(h) {
		return
	}
	b.add(h)
}

// insertedSince is inserted for a call of the container during which the container may have called
// a hook; last is b.last before it. If the hook has removed h, that is recorded already.
func (b *book[H]) insertedSince(last Value, h H) {
	if _, known := b.values[h]; !known || b.last == last {
		b.inserted(h)
	}
}

// add is inserted for handles of which the zero one is as good as any.
func (b *book[H]) add(h H) {
	if v := b.t.Insert(); v != (Value{}) {
		b.values[h] = v
	}
}

// lives reports whether h lives in the track.
func (b *book[H]) lives(h H) bool {
	v, ok := b.values[h]
	return ok && b.t.Contains(v)
}

// removed records that h has gone, unless it had gone before or is unknown.
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
	if o := b.values[old]; o.name == v.name && o != v { // else old has been issued anew since
		delete(b.values, old)
	}
	b.stale[v.name] = h
}

// takenSince records that a call of the container has removed h, as insertedSince does an insert.
// If h is unknown, it has come by another way, and that is recorded first.
func (b *book[H]) takenSince(last Value, h H) {
	b.insertedSince(last, h)
	b.removed(h)
}

// looked records that h was looked up, and found or not.
func (b *book[H]) looked(h H, found bool) {
	var none H
	if h == none || b.stopped() {
		return
	}
	b.look(h, found)
}

// look is looked for handles of which the zero one is as good as any. What the container answers
// is true: a value that has come or gone by another way does so in the stream at its first lookup.
func (b *book[H]) look(h H, found bool) {
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

// passes is a loop that records a Pass when it begins.
func passes[H comparable, V any](b *book[H], loop iter.Seq[V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		b.Pass()
		loop(yield)
	}
}

// passes2 is passes for pairs.
func passes2[H comparable, K, V any](b *book[H], loop iter.Seq2[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		b.Pass()
		loop(yield)
	}
}
