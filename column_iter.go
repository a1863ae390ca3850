package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/slots"
)

// The loops below have the shape of those in pool_iter.go. In addition, they compare moves after
// each yield: the body may have emptied the block, and another block may use its memory by now. As
// long as moves is the same, every block of the Column is where it was. The block of the Pool is
// too, since a Pool releases none that has a value, and a value with a V is one.

// All returns an iterator over the Vs in slot order, with the handles of their values. The loop may
// write through the pointers. See the rules of loops at [Column].
//
// Cost: O(Len) and a word for each 64 blocks of the Pool; allocates nothing if inlined.
func (c *Column[V, T]) All() iter.Seq2[Handle[T], *V] {
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
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: slots.ID{Index: c.salt + first + uint32(i), Gen: b.Gens[i]}}
				if !yield(h, &b.Vals[i]) {
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
//
// Cost: as All, and less.
func (c *Column[V, T]) Values() iter.Seq[*V] {
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
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				if !yield(&b.Vals[bits.TrailingZeros64(w)]) {
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
func (c *Column[V, T]) left(k int, b *slots.Block[V]) bool {
	return uint(k) >= uint(len(c.dir)) || c.dir[k] != b
}

// Join returns an iterator over the values of the Pool that have a V, in slot order, each with its
// V. It compares a word of the Pool with a word of the Column for 64 values at a time, and tests no
// value by itself. To remove values, loop over All, which yields the handles.
//
// Cost: as All; allocates nothing if inlined.
func (c *Column[V, T]) Join() iter.Seq2[*T, *V] {
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
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(&x.Vals[i], &b.Vals[i]) {
					return
				}
				if c.moves != moves && (c.left(k, b) || look(p).Left(k, &x.Head)) {
					break
				}
			}
		}
	}
}

// JoinSpans is like [Column.Join], for runs of adjacent values that all have a V. The two slices
// have the same length, of up to 64. A span is fixed when it is yielded: see rule 7 of loops at
// [Pool].
//
// It is for Columns that nearly all values are in, or values side by side. If half of them are at
// random, a span has two on average, and Join takes .63 of the time for each (10 %: .46).
//
// Cost: as All; allocates nothing if inlined.
func (c *Column[V, T]) JoinSpans() iter.Seq2[[]T, []V] {
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
			for w := b.Occ; w != 0; w &= b.Occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if !yield(x.Vals[i:i+n:i+n], b.Vals[i:i+n:i+n]) {
					return
				}
				if c.moves != moves && (c.left(k, b) || look(p).Left(k, &x.Head)) {
					break
				}
			}
		}
	}
}

// Join2 returns an iterator over the values that have both an A in a and a B in b, in slot order.
// It yields the two. It panics if a and b are Columns of different Pools. If either is closed, the
// loop is empty. Its rules are those of loops at [Column]. [Join3] yields the value itself, too.
//
// Cost: O(Len) of a; allocates nothing if inlined.
func Join2[A, B, T any](a *Column[A, T], b *Column[B, T]) iter.Seq2[*A, *B] {
	mustPair("Join2", a.p, b.p)
	return func(yield func(*A, *B) bool) {
		end := min(len(a.dir), len(b.dir))
		for k := 0; ; k++ {
			if !a.live.Has(k) {
				k = a.live.Next(k)
			}
			if uint(k) >= uint(end) || k >= len(b.dir) {
				break
			}
			x, y, moves, others := a.dir[k], b.dir[k], a.moves, b.moves
			if y == nil {
				continue
			}
			for w := x.Occ & y.Occ; w != 0; w = (w & x.Occ & y.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(&x.Vals[i], &y.Vals[i]) {
					return
				}
				if (a.moves != moves || b.moves != others) && (a.left(k, x) || b.left(k, y)) {
					break
				}
			}
		}
	}
}

// Both is what a value has in two Columns.
type Both[A, B any] struct {
	A *A
	B *B
}

// Join3 returns an iterator over the values of the Pool that have both an A in a and a B in b, in
// slot order, each with the two. It compares a word of each Column for 64 values at a time. It
// panics if a and b are Columns of different Pools. If either is closed, the loop is empty. Its
// rules are those of loops at [Column]. It is fastest if a is the Column with fewer Vs. For a third
// Column, loop over All of the smallest one, and call Ptr of the others.
//
// Cost: O(Len) of a; allocates nothing if inlined.
func Join3[A, B, T any](a *Column[A, T], b *Column[B, T]) iter.Seq2[*T, Both[A, B]] {
	mustPair("Join3", a.p, b.p)
	return func(yield func(*T, Both[A, B]) bool) {
		p, end := a.p, min(len(a.dir), len(b.dir))
		for k := 0; ; k++ {
			if !a.live.Has(k) {
				k = a.live.Next(k)
			}
			if uint(k) >= uint(end) || k >= len(b.dir) {
				break
			}
			x, y, moves, others := a.dir[k], b.dir[k], a.moves, b.moves
			if y == nil {
				continue
			}
			z := p.dir[k]
			for w := x.Occ & y.Occ; w != 0; w = (w & x.Occ & y.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(&z.Vals[i], Both[A, B]{&x.Vals[i], &y.Vals[i]}) {
					return
				}
				if (a.moves != moves || b.moves != others) &&
					(a.left(k, x) || b.left(k, y) || look(p).Left(k, &z.Head)) {
					break
				}
			}
		}
	}
}

// Without returns an iterator over the values that have an A in a and no B in not, in slot order.
// It yields their handles, and the A. It panics if a and not are Columns of different Pools. A
// closed not has no B. A value that gets a B before its turn is not visited. Otherwise the rules
// are those of loops at [Column].
//
// Cost: O(Len) of a; allocates nothing if inlined.
func Without[A, B, T any](a *Column[A, T], not *Column[B, T]) iter.Seq2[Handle[T], *A] {
	mustPair("Without", a.p, not.p)
	return func(yield func(Handle[T], *A) bool) {
		end := len(a.dir)
		for k := 0; ; k++ {
			if !a.live.Has(k) {
				k = a.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b, moves := a.dir[k], a.moves
			first := uint32(k << 6)
			for w := b.Occ &^ not.word(k); w != 0; w = (w & b.Occ) & (w - 1) &^ not.word(k) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: slots.ID{Index: a.salt + first + uint32(i), Gen: b.Gens[i]}}
				if !yield(h, &b.Vals[i]) {
					return
				}
				if a.moves != moves && a.left(k, b) {
					break
				}
			}
		}
	}
}

// word returns the slots of block k that have a V.
func (c *Column[V, T]) word(k int) uint64 {
	if uint(k) < uint(len(c.dir)) && c.dir[k] != nil {
		return c.dir[k].Occ
	}
	return 0
}

// mustPair panics if two Columns have different Pools. Either may be closed.
func mustPair[T any](fn string, a, b *Pool[T]) {
	if a != b && a != nil && b != nil {
		panic("berth: " + fn + ": columns of different Pools")
	}
}
