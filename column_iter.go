package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
)

// The loops below have the shape of those in pool_iter.go. In addition, they compare moves after
// each yield: the body may have emptied the block, and another block may use its memory by now. As
// long as moves is the same, every block of the Column is where it was. The block of the Pool is
// too, since a Pool releases none that has a value, and a value with a V is one.

// All returns an iterator over the Vs in slot order, with the handles of their values. The loop may
// write through the pointers. See the rules of loops at [Column].
// Cost: O(Len) and a word for each 64 blocks of the Pool; allocates nothing if inlined.
func (c *Column[T, V]) All() iter.Seq2[Handle[T], *V] {
	return func(yield func(Handle[T], *V) bool) {
		end := len(c.dir)
		for k := 0; ; k++ {
			if !c.live.Has(k) {
				k = c.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b, moves := c.dir[k], c.moves
			first := uint32(k << 6)
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: id{c.salt + first + uint32(i), b.gens[i]}}
				if !yield(h, &b.vals[i]) {
					return
				}
				if c.moves != moves && c.left(k, b) {
					break
				}
			}
		}
	}
}

// Values is like [Column.All], without the handles.
// Cost: as All, and less.
func (c *Column[T, V]) Values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		end := len(c.dir)
		for k := 0; ; k++ {
			if !c.live.Has(k) {
				k = c.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b, moves := c.dir[k], c.moves
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				if !yield(&b.vals[bits.TrailingZeros64(w)]) {
					return
				}
				if c.moves != moves && c.left(k, b) {
					break
				}
			}
		}
	}
}

// left reports whether block k, which was b, has left the directory inside a loop.
func (c *Column[T, V]) left(k int, b *block[V]) bool {
	return uint(k) >= uint(len(c.dir)) || c.dir[k] != b
}

// Join returns an iterator over the values of the Pool that have a V, in slot order, each with its
// V. It compares a word of the Pool with a word of the Column for 64 values at a time, and tests no
// value by itself.
// Cost: as All; allocates nothing if inlined.
func (c *Column[T, V]) Join() iter.Seq2[*T, *V] {
	return func(yield func(*T, *V) bool) {
		p, end := c.p, len(c.dir)
		for k := 0; ; k++ {
			if !c.live.Has(k) {
				k = c.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b, x, moves := c.dir[k], p.dir[k], c.moves
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(&x.vals[i], &b.vals[i]) {
					return
				}
				if c.moves != moves && (c.left(k, b) || look(p).left(k, &x.head)) {
					break
				}
			}
		}
	}
}

// JoinSpans is like [Column.Join], for runs of adjacent values that all have a V. The two slices
// have the same length, of up to 64. A span is fixed when it is yielded: see rule 7 of loops at
// [Pool].
// Cost: as All; allocates nothing if inlined.
func (c *Column[T, V]) JoinSpans() iter.Seq2[[]T, []V] {
	return func(yield func([]T, []V) bool) {
		p, end := c.p, len(c.dir)
		for k := 0; ; k++ {
			if !c.live.Has(k) {
				k = c.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b, x, moves := c.dir[k], p.dir[k], c.moves
			for w := b.occ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if !yield(x.vals[i:i+n:i+n], b.vals[i:i+n:i+n]) {
					return
				}
				if c.moves != moves && (c.left(k, b) || look(p).left(k, &x.head)) {
					break
				}
			}
		}
	}
}
