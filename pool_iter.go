package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/slots"
)

// All loops below have the same shape, which makes them fast:
//
//   - The loop reads live again for each block, and the block's occ again for each slot. So it sees
//     removals at once, and holds no lock or counter that a panic could leave behind.
//   - It visits only the slots that were set in the block's word when it came to the block, so a
//     slot is visited once even if it is refilled. It visits no block beyond the directory's length
//     at the beginning, so it ends even if its body inserts on every iteration.
//   - yield is called in one place. The compiler then inlines the loop's body there.
//   - Clip and Clear may release the chunk that the loop is in. On Go's heap, the collector keeps
//     the chunk. With a Memory, the loop leaves a released block before it reads it again.
//   - That test is written out. As core.left, which compares heads, it made Spans half as fast: the
//     compiler sees that a body without writes releases no block only if it reads blocks again.
//   - An index needs no bounds check if it is masked, or comes from a word known not to be 0.
//
// docs/decisions/0002-loops.md has the measurements.

// All returns an iterator over the live values in slot order, with their handles. The loop may
// write through the pointers. See the rules of loops at [Pool].
//
// Cost: O(Len) and a word for each 64 blocks ([TruncateNever]: for each block that was ever in
// use); allocates nothing if inlined, see Loops at [Pool].
//
//berth:issues y0
//berth:lends y1 by y0
func (p *Pool[T]) All() iter.Seq2[Handle[T], *T] {
	x := slots.Ref(p) // a closure with a *Pool[T] costs each T the description of a type
	return func(yield func(Handle[T], *T) bool) {
		p := (*Pool[T])(x)
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			first := p.state.Salt + uint32(k<<6)
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(
					Handle[T]{id: slots.ID{Index: first + uint32(i), Gen: b.Gens[i]}}, &b.Vals[i],
				) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Values is like [Pool.All], without the handles.
//
// Cost: as All, and less.
//
//berth:lends y0
func (p *Pool[T]) Values() iter.Seq[*T] {
	x := slots.Ref(p)
	return func(yield func(*T) bool) {
		p := (*Pool[T])(x)
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				if !yield(&b.Vals[bits.TrailingZeros64(w)]) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Backward is like [Pool.All], from the highest slot to the lowest.
//
// Cost: as All.
//
//berth:issues y0 of p
//berth:lends y1 by y0 of p
func Backward[T any](p *Pool[T]) iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		given := p.state.Supply != nil
		for k := p.state.Live.Last(); k >= 0; k = p.state.Live.Prev(k - 1) {
			b := p.dir[k]
			for w := b.Occ; w != 0; w &= b.Occ {
				i := bits.Len64(w) - 1
				w &^= 1 << (i & 63)
				h := Handle[T]{
					id: slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: b.Gens[i&63]},
				}
				if !yield(h, &b.Vals[i&63]) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Spans returns an iterator over runs of adjacent live values, up to 64 each, with the handle of
// the first one. The others are in the slots that follow, for [Pool.At]. It is the fastest loop,
// since the elements of a span need no test. Remove values after the loop, or expect zero values in
// the span: see rule 7 of loops. A span has no spare capacity, so appending to it copies it.
//
// Cost: O(Len) and a word for each 64 blocks; allocates nothing if inlined.
//
//berth:issues y0
//berth:lends y1
func (p *Pool[T]) Spans() iter.Seq2[Handle[T], []T] {
	x := slots.Ref(p)
	return func(yield func(Handle[T], []T) bool) {
		p := (*Pool[T])(x)
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.Occ; w != 0; w &= b.Occ {
				i, n := bitset.Run(w)
				w &= w + w&-w
				first := Handle[T]{
					id: slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: b.Gens[i&63]},
				}
				if !yield(first, b.Vals[i:i+n:i+n]) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Span returns the first run of adjacent live values at slot or after it, of up to 64, and the slot
// from which to go on. It returns nil and 0 if there is none. So this is a loop over all values, in
// which element i of the span is in slot at-len(span)+i, for [Pool.At]:
//
//	for span, at := p.Span(0); span != nil; span, at = p.Span(at) {
//
// The position is a number, and nothing is held between two calls: a program may go through a part
// of the values in each frame. Rules 1 to 7 of loops at [Pool] hold, with one exception: a body
// that inserts a value on each iteration can keep the loop running. [Pool.Values] is faster if most
// runs are short.
//
// Cost: O(1), and as [Pool.All] for the vacant blocks in between; never allocates.
//
//berth:lends r0
func (p *Pool[T]) Span(slot int) (span []T, next int) {
	k, w := slot>>6, bitset.Beyond(slot&63)
	for uint(k) < uint(len(p.dir)) {
		if b := p.dir[k]; b != nil {
			if w &= b.Occ; w != 0 {
				i, n := bitset.Run(w)
				return b.Vals[i : i+n : i+n], k<<6 + i + n
			}
		}
		k, w = p.state.Live.Next(k+1), bitset.Beyond(0)
	}
	return nil, 0
}

// Drain returns an iterator over the values of c, a [Pool], a [Dense], a stable.List or any other
// container with these methods. It removes each value before it yields it, so OnRemove is called.
// After an early break, the last value yielded is removed, and those not yet reached are untouched.
// Values that the body inserts may remain, by the rules of loops.
//
// A loop that calls Remove itself does the same, and allocates nothing:
//
//	for h := range c.All() {
//		v, _ := c.Remove(h)
//		fmt.Println(v)
//	}
//
// Cost: a loop over the live values, and Remove for each; allocates the loop.
//
// Ends: as Remove for each value.
//
//berth:begins of c
func Drain[H, T any](c interface {
	All() iter.Seq2[H, *T]
	Remove(h H) (T, bool)
}) iter.Seq2[H, T] {
	return func(yield func(H, T) bool) {
		for h := range c.All() {
			if v, _ := c.Remove(h); !yield(h, v) {
				return
			}
		}
	}
}

// Handles returns an iterator over the handles or keys of c, a [Pool], a [Dense], a stable.List or
// any other container with this method: slices.Collect(berth.Handles(c)) is a slice of them. A loop
// needs only for h := range c.All().
//
// Cost: as All; allocates the loop.
//
//berth:issues y0 of c
func Handles[H, T any](c interface{ All() iter.Seq2[H, *T] }) iter.Seq[H] {
	return func(yield func(H) bool) {
		for h := range c.All() {
			if !yield(h) {
				return
			}
		}
	}
}

// InsertSeq inserts the values of seq in order, and returns how many. It stops when p is full, and
// takes no value from seq beyond Limit. If Config.Memory refuses, the value just taken is lost. seq
// may use p in any way. A loop over p itself ends, by the rules of loops. For a slice, [InsertAll]
// is faster.
//
// Cost: Insert for each value, and a loop over seq, which allocates 3 small objects.
func InsertSeq[T any](p *Pool[T], seq iter.Seq[T]) (n int) {
	if p.state.Max == 0 {
		coreOf(p).Ready(0)
	}
	if p.state.N >= p.state.Max {
		return 0
	}
	for v := range seq {
		if slots.IsZero(p.Insert(v).id) {
			break
		}
		if n++; p.state.N >= p.state.Max {
			break
		}
	}
	return n
}
