package berth

import (
	"iter"
	"slices"
)

// InsertSeq inserts the values of seq in order, and returns how many. It stops when p is full, and
// takes no value from seq beyond Limit. If Config.Memory refuses, the value just taken is lost. seq
// may use p in any way. A loop over p itself ends, by the rules of loops.
// Cost: Insert for each value, and a loop over seq, which allocates 3 small objects.
func InsertSeq[T any](p *Pool[T], seq iter.Seq[T]) (n int) {
	if p.max == 0 {
		coreOf(p).ready(0)
	}
	if p.n >= p.max {
		return 0
	}
	for v := range seq {
		if isZero(insertSlow(p, v)) {
			break
		}
		if n++; p.n >= p.max {
			break
		}
	}
	return n
}

// InsertFunc takes the lowest vacant slot, lets f build the value in place, and returns its handle.
// f gets a pointer to a zero T and the handle that the value will have. Until f returns, that
// handle finds nothing, and loops skip the slot. If p is full or Config.Memory refuses a chunk,
// InsertFunc does not call f, and returns the zero Handle.
//
// f may use p in any way. Values that it inserts get other slots, and neither Clear nor Clip frees
// the slot. If f panics, the slot is vacant again, and the handle that f was given stays stale.
// Cost: O(1) and f; without f about three times Insert, because a panic in f is undone. It
// allocates when Insert would, and for the list of running calls: the first time, and when more
// than four are nested.
//
//berth:issues r0
func (p *Pool[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	h := coreOf(p).insertFunc(func(h id, v ref) {
		f(Handle[T]{id: h}, (*T)(v))
	})
	return Handle[T]{id: h}
}

//go:noinline
func (p *core) insertFunc(f func(id, ref)) id {
	if (p.room.Low >= len(p.dir) || p.n >= p.max) && !p.makeRoom() {
		return id{}
	}
	k := p.room.Low
	b, i := p.take(k)
	h := id{p.salt + uint32(k<<6+i), b.gens[i] + 1}
	p.build(b, k, i, func() { f(h, p.kind.val(b, i)) })
	p.occupy(b, k, i)
	if p.hooked {
		p.inserted(h, p.kind.val(b, i))
	}
	return h
}

// build runs f while slot i of b is under construction, and vacates the slot if f fails.
func (p *core) build(b *head, k, i int, f func()) {
	r := p.rarely()
	if len(r.pending) == 0 {
		r.pending = r.calm[:0]
	}
	r.pending = append(r.pending, uint32(k<<6+i))
	p.setMax(p.max - 1)
	done := false
	defer func() {
		at := len(r.pending) - 1 // the last one, unless coroutines are interleaved
		for r.pending[at] != uint32(k<<6+i) {
			at--
		}
		r.pending = slices.Delete(r.pending, at, at+1)
		p.setMax(p.max + 1)
		if !done {
			p.abandon(b, k, i)
		}
	}()
	f()
	done = true
}

// abandon ends the construction in slot i of b without a value. Since the handle that f was given
// may have been kept, its generation is used up.
func (p *core) abandon(b *head, k, i int) {
	p.kind.vacate(p.kind.val(b, i))
	if b.gens[i] += 2; b.gens[i] == p.base {
		p.rarely().retired++
		return
	}
	p.free(b, k, 1<<i)
}
