package freelist

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
)

// Lowest is a free list that always hands out the lowest free index. The taken indices therefore
// stay together at the front, an array beside it can be truncated behind the last one, and two
// programs that take and free alike hold the same indices. Lowest refuses a double free, can take a
// given index, and can visit the taken indices in order.
//
// The zero Lowest has no index until [Lowest.Grow] adds some. A Lowest must not be copied after its
// first use; see [Lowest.Clone]. If several goroutines use it, it needs a lock.
//
// The body of a loop may call any method:
//  1. an index that is taken throughout the loop is visited exactly once
//  2. an index that is freed before its turn is not visited, unless it is taken again
//  3. an index that is taken during the loop may be visited or not, but never twice
//  4. the loop ends, even if its body takes an index at each step
type Lowest struct {
	// Invariants (checkInvariants):
	//  1. bit i of free is set exactly when index i is free; the bits from n on are set
	//  2. room has exactly the words of free with a bit set
	//  3. used has exactly the words of free with an index that is taken
	//  4. left is the number of bits set in free before n

	free []uint64
	room bitset.Queue
	used bitset.Set
	n    int
	left int
}

// NewLowest returns a Lowest of the indices 0 to n-1, all of them free. It panics if n is negative
// or more than 2^40.
func NewLowest(n int) *Lowest {
	l := new(Lowest)
	l.grow("NewLowest", n)
	return l
}

// Len returns the number of free indices.
//
// Cost: O(1).
func (l *Lowest) Len() int { return l.left }

// Cap returns the number of all indices, free or not.
//
// Cost: O(1).
func (l *Lowest) Cap() int { return l.n }

// String returns the number of free indices, as in "freelist.Lowest(3 of 8 free)".
//
// Cost: allocates the string.
func (l *Lowest) String() string {
	return fmt.Sprintf("freelist.Lowest(%d of %d free)", l.Len(), l.Cap())
}

// IsFree reports whether index i is free. It is false if i is not in [0, Cap).
//
// Cost: O(1).
func (l *Lowest) IsFree(i int) bool {
	return uint(i) < uint(l.n) && l.free[i>>6]>>(i&63)&1 != 0
}

// Take takes the lowest free index. It reports false if none is free.
//
// Cost: O(1) where the next free index is in the same word, as it usually is; else one or two words
// in each level of bitmaps, of which there are four for 16 million indices. Never allocates.
func (l *Lowest) Take() (i int, ok bool) {
	k := l.room.Low
	if uint(k) >= uint(len(l.free)) {
		return 0, false
	}
	was := l.free[k]
	i = k<<6 + bits.TrailingZeros64(was)
	if i >= l.n {
		return 0, false
	}
	w := was & (was - 1)
	l.free[k] = w
	l.left--
	if ^was == 0 || w == 0 && !l.room.Two() {
		return l.took(k, i)
	}
	if w == 0 {
		l.room.PopLow()
	}
	if invariants.On {
		l.changed()
	}
	return i, true
}

// took is the slow path of Take: i was the first index of word k to be taken, or the last one free.
// Take ends with the call, so it need not save its variables.
func (l *Lowest) took(k, i int) (int, bool) {
	if l.free[k] == 0 {
		l.room.Pop()
	} else {
		l.used.Add(k)
	}
	if invariants.On {
		l.changed()
	}
	return i, true
}

// TakeAt takes index i, such as a reserved one, or one from a saved state. It reports false, and
// changes nothing, if i is taken already or not in [0, Cap).
//
// Cost: as [Lowest.Take].
func (l *Lowest) TakeAt(i int) bool {
	if !l.IsFree(i) {
		return false
	}
	k := i >> 6
	if ^l.free[k] == 0 {
		l.used.Add(k)
	}
	l.free[k] &^= 1 << (i & 63)
	if l.free[k] == 0 {
		l.room.Remove(k)
	}
	l.left--
	if invariants.On {
		l.changed()
	}
	return true
}

// TakeWord takes those of the indices 64k to 64k+63 whose bit is set in w and which are free, the
// lowest bit for the first. It returns the bits of those it took. With [Lowest.Init], it restores a
// saved state from what [Lowest.Word] has returned.
//
// Cost: as [Lowest.Take], for all of them together. Never allocates.
func (l *Lowest) TakeWord(k int, w uint64) (taken uint64) {
	if uint(k) >= uint(len(l.free)) {
		return 0
	}
	was := l.free[k]
	if taken = was & w & whole(k, l.n); taken == 0 {
		return 0
	}
	l.free[k] = was &^ taken
	if ^was == 0 {
		l.used.Add(k)
	}
	if was == taken {
		l.room.Remove(k)
	}
	l.left -= bits.OnesCount64(taken)
	if invariants.On {
		l.changed()
	}
	return taken
}

// Free makes index i free again. It reports false, and changes nothing, if i is free already or not
// in [0, Cap).
//
// Cost: O(1) where the word has other free and other taken indices; else as [Lowest.Take]. Never
// allocates.
//
// Ends: the caller's claim to i.
//
//berth:ends other
func (l *Lowest) Free(i int) bool {
	if uint(i) >= uint(l.n) {
		return false
	}
	k := i >> 6
	was := l.free[k]
	w := was | 1<<(i&63)
	if w == was {
		return false
	}
	l.free[k] = w
	l.left++
	if ^w == 0 || was == 0 && (k > l.room.Low || l.room.Two()) {
		return l.freed(k)
	}
	if was == 0 {
		l.room.AddLow(k)
	}
	if invariants.On {
		l.changed()
	}
	return true
}

// freed is the slow path of Free, as took is of Take.
func (l *Lowest) freed(k int) bool {
	if ^l.free[k] == 0 {
		l.used.Remove(k)
	} else {
		l.room.Add(k)
	}
	if invariants.On {
		l.changed()
	}
	return true
}

// Reset makes all indices free.
//
// Cost: O(Cap), a word for 64 indices; never allocates.
//
// Ends: all claims to taken indices.
//
//berth:ends other
func (l *Lowest) Reset() {
	l.used.Clear()
	l.room.Clear()
	for k := range l.free {
		l.free[k] = math.MaxUint64
		l.room.Add(k)
	}
	l.left = l.n
	if invariants.On {
		l.checkInvariants()
	}
}

// Init makes l a Lowest of the indices 0 to n-1, all of them free, in the memory that l has. It
// panics as [NewLowest] does.
//
// Cost: O(n) bits; allocates what l lacks: nothing in a steady state.
//
// Ends: all claims to indices of l.
//
//berth:ends other
func (l *Lowest) Init(n int) {
	if n < 0 || n > limits.MaxBytes {
		new(Lowest).grow("Lowest.Init", n) // panics
	}
	words := (n + 63) >> 6
	l.free = slices.Grow(l.free[:0], words)[:words]
	l.n = n
	l.used.Reset(words)
	l.room.Reset(words)
	l.Reset()
}

// Clear makes no index free: all are taken. Use it if all entries are in use at the start, or to
// restore a saved state, by then freeing the other indices in any order. To free all indices, use
// Reset.
//
// Cost: O(Cap), a word for 64 indices; never allocates.
func (l *Lowest) Clear() {
	l.used.Clear()
	l.room.Clear()
	for k := range l.free {
		l.free[k] = ^whole(k, l.n)
		l.used.Add(k)
		if l.free[k] != 0 { // the bits behind the last index
			l.room.Add(k)
		}
	}
	l.left = 0
	if invariants.On {
		l.checkInvariants()
	}
}

// Grow ensures that n indices are free, by adding indices at the end if there are fewer. To get as
// many indices as an array has elements, call Grow(len(array) - Cap() + Len()). It panics if n is
// negative, or if there would be more than 2^40 indices.
//
// Cost: O(n) bits. It may move the bitmap, which then grows in proportion to its size, so adding
// one index is amortised O(1).
func (l *Lowest) Grow(n int) { l.grow("Lowest.Grow", n) }

func (l *Lowest) grow(fn string, n int) {
	more := n - l.left
	switch {
	case n < 0:
		panic(fmt.Sprintf("freelist: %s: negative count %d", fn, n))
	case more <= 0:
		return
	case more > limits.MaxBytes-l.n:
		panic(fmt.Sprintf("freelist: %s: %d indices and %d more are too many", fn, l.n, more))
	}
	if l.n == 0 {
		l.room.Reset(0)
	}
	old, words := len(l.free), (l.n+more+63)>>6
	l.free = append(l.free, make([]uint64, words-old)...)
	l.room.Resize(words)
	l.used.Resize(words)
	for k := old; k < words; k++ {
		l.free[k] = math.MaxUint64
		l.room.Add(k)
	}
	l.n += more // the bits up to the end of the last word were set already
	l.left += more
	if invariants.On {
		l.checkInvariants()
	}
}

// Clip removes the free indices behind the last taken one, and gives back the unused memory.
//
// Cost: O(Cap), a word for 64 indices; allocates the smaller memory.
func (l *Lowest) Clip() {
	last, _ := l.Last()
	n := last + 1
	if l.left == l.n {
		*l = Lowest{}
		return
	}
	words := (n + 63) >> 6
	l.left -= l.n - n
	l.n = n
	l.free = slices.Clone(l.free[:words])
	l.used.Resize(words)
	l.used.Clip()
	l.room = bitset.NewQueue()
	l.room.Resize(words)
	for k, w := range l.free {
		if w != 0 {
			l.room.Add(k)
		}
	}
	if invariants.On {
		l.checkInvariants()
	}
}

// Clone returns an independent copy. The same calls on both take the same indices.
//
// Cost: O(Cap), a word for 64 indices; allocates the copy.
func (l *Lowest) Clone() *Lowest {
	return &Lowest{slices.Clone(l.free), l.room.Clone(), l.used.Clone(), l.n, l.left}
}

// CopyFrom makes l a copy of o, as Clone would return it, in the memory that l has.
//
// Cost: O(Cap), a word for 64 indices; allocates what l lacks: nothing in a steady state.
//
// Ends: all claims to indices of l.
//
//berth:ends other
func (l *Lowest) CopyFrom(o *Lowest) {
	l.free = append(l.free[:0], o.free...)
	l.room.CopyFrom(&o.room)
	l.used.CopyFrom(&o.used)
	l.n, l.left = o.n, o.left
	if invariants.On {
		l.checkInvariants()
	}
}

// Last returns the highest index that is taken. An array beside l is needed only up to there. It
// reports false if none is taken.
//
// Cost: one or two words in each level of bitmaps.
func (l *Lowest) Last() (i int, ok bool) {
	k := l.used.Last()
	if k < 0 {
		return 0, false
	}
	return k<<6 + 63 - bits.LeadingZeros64(^l.free[k]), true
}

// NextTaken returns the lowest taken index that is at least i. It reports false if there is none. A
// negative i is treated as 0.
//
// Cost: O(1) where one is near; else one or two words in each level of bitmaps.
func (l *Lowest) NextTaken(i int) (next int, ok bool) {
	i = max(i, 0)
	k := i >> 6
	if w := l.Word(k) >> (i & 63); w != 0 {
		return i + bits.TrailingZeros64(w), true
	}
	if k = l.used.Next(k + 1); k < 0 {
		return 0, false
	}
	return k<<6 + bits.TrailingZeros64(^l.free[k]), true
}

// Word returns a bitmap of which of the indices 64k to 64k+63 are taken, the lowest bit for the
// first. It is for loops over a parallel array in steps of 64. It is 0 beyond the last index.
//
// Cost: O(1).
func (l *Lowest) Word(k int) uint64 {
	if uint(k) < uint(len(l.free)) {
		return ^l.free[k]
	}
	return 0
}

// Taken returns an iterator over the taken indices in ascending order. See [Lowest] for what the
// body may do.
//
// Cost: O(1) for each index, however many free ones lie between.
func (l *Lowest) Taken() iter.Seq[int] {
	return func(yield func(int) bool) {
		end := l.used.Last()
		for k := l.used.Next(0); k >= 0 && k <= end; k = l.used.Next(k + 1) {
			for w := l.Word(k); w != 0; w = w & (w - 1) & l.Word(k) {
				if !yield(k<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Backward returns an iterator over the taken indices in descending order. See [Lowest] for what
// the body may do.
//
// Cost: as Taken.
func (l *Lowest) Backward() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := l.used.Last(); k >= 0; k = l.used.Prev(k - 1) {
			for w := l.Word(k); w != 0; {
				b := 63 - bits.LeadingZeros64(w)
				if !yield(k<<6 + b) {
					return
				}
				w &= (1<<b - 1) & l.Word(k)
			}
		}
	}
}

// changed checks the invariants after a change: always if there are few entries, and now and then
// if there are many.
func (l *Lowest) changed() {
	if l.n <= 1024 || l.left%256 == 0 {
		l.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that l breaks, if any.
func (l *Lowest) checkInvariants() {
	if len(l.free) != (l.n+63)>>6 {
		panic(fmt.Sprintf("freelist: Lowest invariant 1: %d words for %d", len(l.free), l.n))
	}
	if l.n&63 != 0 && l.free[l.n>>6]>>(l.n&63) != math.MaxUint64>>(l.n&63) {
		panic(fmt.Sprintf("freelist: Lowest invariant 1: beyond %d: %x", l.n, l.free[l.n>>6]))
	}
	left := -(len(l.free)<<6 - l.n)
	for k, w := range l.free {
		switch {
		case l.room.Has(k) != (w != 0):
			panic(fmt.Sprintf("freelist: Lowest invariant 2: word %d", k))
		case l.used.Has(k) != (^w != 0):
			panic(fmt.Sprintf("freelist: Lowest invariant 3: word %d", k))
		}
		left += bits.OnesCount64(w)
	}
	if left != l.left {
		panic(fmt.Sprintf("freelist: Lowest invariant 4: %d, want %d", l.left, left))
	}
	l.used.Check()
	if l.n > 0 {
		l.room.Check()
	}
}
