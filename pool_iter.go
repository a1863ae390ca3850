package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
)

// The loops below are all of one shape, and it is the speed of the package.
//
//   - live is asked again for each block, and a block's occ for each slot, so that a removal is
//     noticed at once, and no loop holds a lock or a counter that a panic could leave behind.
//   - What a word held when the loop came to it decides what is visited, so that a slot is visited
//     once even if it is refilled; and no block behind the directory of the beginning is, so that a
//     loop ends even if its body inserts at every turn.
//   - yield is called at one place. The compiler then makes the loop's body part of the loop.
//   - Clip and Clear may give back the chunk that a loop looks at. On Go's heap, the collector
//     keeps it. With a Memory, the loop leaves a block that is gone before it reads it again.
//   - An index that is masked, or comes from a word known not to be 0, needs no bounds check.
//
// docs/decisions/0002-loops.md has the figures.

// All returns an iterator over the live values in slot order, with their handles. The pointers
// may be written through. See the rules of loops at [Pool].
// Cost: O(Len) and a word for each 64 blocks ([TruncateNever]: for each block that was ever in
// use); allocates nothing where it is inlined, see Loops at [Pool].
func (p *Pool[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			first := p.salt + uint32(k<<6)
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(Handle[T]{index: first + uint32(i), gen: b.gens[i]}, &b.vals[i]) {
					return
				}
				if given && p.left(k, b) {
					break
				}
			}
		}
	}
}

// Values is [Pool.All] without the handles.
// Cost: as All, and less.
func (p *Pool[T]) Values() iter.Seq[*T] { return p.valuesBut(Handle[T]{}) }

// valuesBut is Values without the one that pivot names, if any. Others is served by the same loop:
// to ask about the pivot costs a comparison per block. Where handles are made too, in All and
// Spans, it also costs a register, and 5 to 20 %: there the loops stay apart.
func (p *Pool[T]) valuesBut(pivot Handle[T]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		if p == nil {
			return
		}
		skip, rest := p.place(pivot)
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			w := b.occ
			if k == skip {
				w &= rest
			}
			for ; w != 0; w = (w & b.occ) & (w - 1) {
				if !yield(&b.vals[bits.TrailingZeros64(w)]) {
					return
				}
				if given && p.left(k, b) {
					break
				}
			}
		}
	}
}

// Handles is [Pool.All] without the values.
// Cost: as All.
func (p *Pool[T]) Handles() iter.Seq[Handle[T]] {
	return func(yield func(Handle[T]) bool) {
		for h := range p.All() {
			if !yield(h) {
				return
			}
		}
	}
}

// Backward is [Pool.All] from the highest slot to the lowest.
// Cost: as All.
func (p *Pool[T]) Backward() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		given := p.supply != nil
		for k := p.live.Last(); k >= 0; k = p.live.Prev(k - 1) {
			b := p.dir[k]
			for w := b.occ; w != 0; w &= b.occ {
				i := bits.Len64(w) - 1
				w &^= 1 << (i & 63)
				if !yield(p.handle(b, k, i), &b.vals[i&63]) {
					return
				}
				if given && p.left(k, b) {
					break
				}
			}
		}
	}
}

// Spans returns an iterator over runs of live values that lie side by side, up to 64 each, with
// the handle of each run's first; [Pool.HandleAt] gives those of the others. It is the fast loop:
// inside a span there is nothing to ask. Rule 7 of loops says what that means for removals: do
// them after the loop, or be ready to meet a zero T.
// Cost: O(Len) and a word for each 64 blocks; allocates nothing where it is inlined.
// Ends: appending to a span copies it; it has no room of its own.
func (p *Pool[T]) Spans() iter.Seq2[Handle[T], []T] {
	return func(yield func(Handle[T], []T) bool) {
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.occ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if !yield(p.handle(b, k, i), b.vals[i:i+n:i+n]) {
					return
				}
				if given && p.left(k, b) {
					break
				}
			}
		}
	}
}

// left reports whether block k, which was b, is no longer in memory: it was given back inside a
// loop. It must be inlined: with a call inside, the loops find fewer registers, and take four times
// as long.
func (p *Pool[T]) left(k int, b *block[T]) bool {
	return uint(k) >= uint(len(p.dir)) || p.dir[k] != b
}

// place returns the block of h's slot, and the bits of that block that are not the slot's; no block
// if h is not live.
func (p *Pool[T]) place(h Handle[T]) (k int, rest uint64) {
	b, s := p.find(h)
	if b == nil {
		return -1, 0
	}
	return int(s >> 6), ^(uint64(1) << (s & 63))
}

// Drain returns an iterator that removes each value before it hands it out. After an early break
// the value just handed out is gone, and those not yet reached are as they were. What the body
// inserts may stay behind, by rule 3 of loops.
// Cost: a loop over the live values, and [Pool.Remove] for each.
// Ends: the handles and pointers of what it removes.
func (p *Pool[T]) Drain() iter.Seq2[Handle[T], T] {
	return func(yield func(Handle[T], T) bool) {
		for h := range p.All() {
			if v, _ := p.Remove(h); !yield(h, v) {
				return
			}
		}
	}
}
