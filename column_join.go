package berth

import (
	"iter"
	"math/bits"
)

// Join2 returns an iterator over the values that have both an A in a and a B in b, in slot order.
// It yields the two. It panics if a and b are Columns of different Pools. If either is closed, the
// loop is empty. Its rules are those of loops at [Column]. For the value itself, or for its V in a
// third Column, loop over All of the smallest Column, and call Ptr of the others.
// Cost: O(Len) of a; allocates nothing if inlined.
func Join2[T, A, B any](a *Column[T, A], b *Column[T, B]) iter.Seq2[*A, *B] {
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
			for w := x.occ & y.occ; w != 0; w = (w & x.occ & y.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				if !yield(&x.vals[i], &y.vals[i]) {
					return
				}
				if (a.moves != moves || b.moves != others) && (a.left(k, x) || b.left(k, y)) {
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
// Cost: O(Len) of a; allocates nothing if inlined.
func Without[T, A, B any](a *Column[T, A], not *Column[T, B]) iter.Seq2[Handle[T], *A] {
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
			for w := b.occ &^ not.word(k); w != 0; w = (w & b.occ) & (w - 1) &^ not.word(k) {
				i := bits.TrailingZeros64(w)
				h := Handle[T]{id: id{a.salt + first + uint32(i), b.gens[i]}}
				if !yield(h, &b.vals[i]) {
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
func (c *Column[T, V]) word(k int) uint64 {
	if uint(k) < uint(len(c.dir)) && c.dir[k] != nil {
		return c.dir[k].occ
	}
	return 0
}

// mustPair panics if two Columns have different Pools. Either may be closed.
func mustPair[T any](fn string, a, b *Pool[T]) {
	if a != b && a != nil && b != nil {
		panic("berth: " + fn + ": columns of different Pools")
	}
}
