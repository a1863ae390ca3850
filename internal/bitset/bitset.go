// Package bitset keeps sets of small integers as a hierarchy of bitmaps: level 0 has one bit per
// member, and each bit of a higher level says whether the word below it has any. Finding the first,
// last, next or previous member takes one or two bit scans per level: three levels serve a quarter
// of a million members, four sixteen million.
//
// It knows no container. Pools use it to find the lowest block with room and the next block with
// values, and freelist.Lowest likewise for its words; nothing here is generic.
package bitset

import (
	"fmt"
	"math/bits"
	"slices"
)

// Set is a set of integers in [0, Len()). The zero Set has length 0.
//
// Invariants (Check):
//  1. a bit of level l+1 is set exactly when its word of level l is not 0
//  2. the bits beyond the length of a level are 0
//  3. the top level is one word at most
type Set struct {
	words []uint64    // level 0, apart from the rest so that the common case is one load
	tower *[][]uint64 // levels 1 and up; nil if there are none, as in most sets
	n     int
}

// upper returns levels 1 and up.
func (s *Set) upper() [][]uint64 {
	if s.tower == nil {
		return nil
	}
	return *s.tower
}

// Len returns the length of s: its members are less than that.
func (s *Set) Len() int { return s.n }

// Bytes returns the memory that s holds, in bytes.
func (s *Set) Bytes() int {
	b := cap(s.words) * 8
	if s.tower != nil {
		b += 24 * (1 + cap(*s.tower))
	}
	for _, l := range s.upper() {
		b += cap(l) * 8
	}
	return b
}

// Has reports whether i is a member; false for every i outside [0, Len()).
func (s *Set) Has(i int) bool {
	w := uint(i) >> 6
	return w < uint(len(s.words)) && s.words[w]>>(i&63)&1 != 0
}

// Add makes i a member. It panics if i is outside [0, Len()).
//
// Cost: one word; the levels above only where the word was empty.
func (s *Set) Add(i int) {
	s.check(i)
	w := &s.words[i>>6]
	if *w == 0 {
		s.addUpper(i >> 6)
	}
	*w |= 1 << (i & 63)
}

// addUpper marks word i of level 0 as not empty.
func (s *Set) addUpper(i int) {
	for _, l := range s.upper() {
		w := l[i>>6]
		l[i>>6] = w | 1<<(i&63)
		if w != 0 {
			return
		}
		i >>= 6
	}
}

// Remove removes i. It panics if i is outside [0, Len()).
//
// Cost: one word; the levels above only where the word becomes empty.
func (s *Set) Remove(i int) {
	s.check(i)
	w := &s.words[i>>6]
	if *w == 0 {
		return
	}
	if *w &^= 1 << (i & 63); *w == 0 {
		s.removeUpper(i >> 6)
	}
}

// removeUpper marks word i of level 0 as empty.
func (s *Set) removeUpper(i int) {
	for _, l := range s.upper() {
		l[i>>6] &^= 1 << (i & 63)
		if l[i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

func (s *Set) check(i int) {
	if uint(i) >= uint(s.n) {
		panic(fmt.Sprintf("bitset: %d is outside [0, %d)", i, s.n))
	}
}

// Next returns the least member that is at least i, or -1; i must not be negative.
//
// Cost: one word where the next member is near; else one or two words per level.
func (s *Set) Next(i int) int {
	if w := i >> 6; w < len(s.words) {
		if b := s.words[w] >> (i & 63); b != 0 {
			return i + bits.TrailingZeros64(b)
		}
		return s.nextUpper(w + 1)
	}
	return -1
}

// nextUpper returns the least member in word i of level 0 or a later one. It climbs to the first
// level with a bit at or above i's place, and descends to the least member below it.
func (s *Set) nextUpper(i int) int {
	upper := s.upper()
	for u, l := range upper {
		if i>>6 >= len(l) {
			return -1
		}
		if w := l[i>>6] >> (i & 63); w != 0 {
			i += bits.TrailingZeros64(w)
			for ; u > 0; u-- {
				i = i<<6 + bits.TrailingZeros64(upper[u-1][i])
			}
			return i<<6 + bits.TrailingZeros64(s.words[i])
		}
		i = i>>6 + 1
	}
	return -1
}

// RemoveNext removes the least member that is at least i and returns it, or -1; i must not be
// negative.
//
// Cost: as [Set.Next].
func (s *Set) RemoveNext(i int) int {
	w := i >> 6
	if w >= len(s.words) {
		return -1
	}
	b := s.words[w] >> (i & 63)
	if b == 0 {
		i = s.nextUpper(w + 1)
		if i >= 0 {
			s.Remove(i)
		}
		return i
	}
	i += bits.TrailingZeros64(b)
	if s.words[w] &^= 1 << (i & 63); s.words[w] == 0 {
		s.removeUpper(w)
	}
	return i
}

// Prev returns the greatest member that is at most i, or -1; i may be beyond the length.
//
// Cost: as Next.
func (s *Set) Prev(i int) int {
	i = min(i, s.n-1)
	if i < 0 {
		return -1
	}
	if b := s.words[i>>6] << (63 - i&63); b != 0 {
		return i - bits.LeadingZeros64(b)
	}
	i = i>>6 - 1
	upper := s.upper()
	for u, l := range upper {
		if i < 0 {
			return -1
		}
		if w := l[i>>6] << (63 - i&63); w != 0 {
			i -= bits.LeadingZeros64(w)
			for ; u > 0; u-- {
				i = i<<6 + 63 - bits.LeadingZeros64(upper[u-1][i])
			}
			return i<<6 + 63 - bits.LeadingZeros64(s.words[i])
		}
		i = i>>6 - 1
	}
	return -1
}

// First returns the least member, or -1.
func (s *Set) First() int { return s.Next(0) }

// Last returns the greatest member, or -1.
func (s *Set) Last() int { return s.Prev(s.n - 1) }

// Clear removes every member and keeps the length.
func (s *Set) Clear() {
	clear(s.words)
	for _, l := range s.upper() {
		clear(l)
	}
}

// Resize changes the length to n, which must not be negative. It removes the members at and beyond
// n. Integers that it adds to the range are not members. The memory shrinks when three quarters of
// it are unused.
//
// Cost: growth by one is amortised O(1).
func (s *Set) Resize(n int) {
	switch {
	case n < 0:
		panic("bitset: negative length")
	case n < s.n:
		for i := s.Prev(s.n - 1); i >= n; i = s.Prev(i) {
			s.Remove(i)
		}
	}
	s.n = n
	s.words = resize(s.words, words(n))
	if words(n) <= 1 {
		s.tower = nil
		return
	}
	if s.tower == nil {
		s.tower = new([][]uint64)
	}
	upper, depth, below := *s.tower, 0, s.words
	for ; len(below) > 1; depth++ {
		if depth < len(upper) {
			upper[depth] = resize(upper[depth], words(len(below)))
		} else {
			upper = append(upper, above(below))
		}
		below = upper[depth]
	}
	clear(upper[depth:])
	if upper = upper[:depth]; depth <= cap(upper)/2 {
		upper = slices.Clone(upper)
	}
	*s.tower = upper
}

// Reset removes every member and changes the length to n, in the memory of s if that is large
// enough.
func (s *Set) Reset(n int) {
	s.n = n
	s.words = zeros(s.words, words(n))
	if s.tower == nil && len(s.words) > 1 {
		s.tower = new([][]uint64)
	}
	if s.tower == nil {
		return
	}
	upper, depth := *s.tower, 0
	for below := len(s.words); below > 1; depth++ {
		below = words(below)
		if depth == len(upper) {
			upper = slices.Grow(upper, 1)[:depth+1]
		}
		upper[depth] = zeros(upper[depth], below)
	}
	*s.tower = upper[:depth]
}

// zeros returns n zeros, in the memory of l if that is large enough.
func zeros(l []uint64, n int) []uint64 {
	if cap(l) < n {
		return make([]uint64, n)
	}
	clear(l[:n])
	return l[:n]
}

// above returns the level above the one given, for a hierarchy that becomes higher.
func above(below []uint64) []uint64 {
	l := make([]uint64, words(len(below)))
	for i, w := range below {
		if w != 0 {
			l[i>>6] |= 1 << (i & 63)
		}
	}
	return l
}

// Clip releases the memory beyond the length.
func (s *Set) Clip() {
	s.words = slices.Clone(s.words)
	for u, l := range s.upper() {
		(*s.tower)[u] = slices.Clone(l)
	}
}

// Clone returns an independent copy.
func (s *Set) Clone() Set {
	c := Set{words: slices.Clone(s.words), n: s.n}
	if s.tower != nil {
		c.tower = new([][]uint64)
		for _, l := range *s.tower {
			*c.tower = append(*c.tower, slices.Clone(l))
		}
	}
	return c
}

// CopyFrom makes s a copy of o, in the memory of s if that is large enough.
func (s *Set) CopyFrom(o *Set) {
	s.n = o.n
	s.words = append(s.words[:0], o.words...)
	from := o.upper()
	if s.tower == nil && len(from) > 0 {
		s.tower = new([][]uint64)
	}
	if s.tower == nil {
		return
	}
	to := *s.tower
	for u, l := range from {
		if u == len(to) {
			if cap(to) > u {
				to = to[:u+1]
			} else {
				to = append(to, nil)
			}
		}
		to[u] = append(to[u][:0], l...)
	}
	*s.tower = to[:len(from)]
}

// Check panics with the number of an invariant that s violates, if any.
func (s *Set) Check() {
	below, n, upper := s.words, s.n, s.upper()
	for u := -1; u < len(upper); u++ {
		if u >= 0 {
			for i, w := range below {
				if (w != 0) != (upper[u][i>>6]>>(i&63)&1 != 0) {
					panic(fmt.Sprintf("bitset: invariant 1: level %d, word %d", u, i))
				}
			}
			n, below = len(below), upper[u]
		}
		if len(below) != words(n) {
			panic(fmt.Sprintf("bitset: level %d has %d words for %d bits", u+1, len(below), n))
		}
		if n&63 != 0 && below[n>>6]>>(n&63) != 0 {
			panic(fmt.Sprintf("bitset: invariant 2: level %d", u+1))
		}
	}
	if len(below) > 1 {
		panic("bitset: invariant 3")
	}
}

func words(n int) int { return (n + 63) / 64 }

// resize sets the length of l, with zeros in what it adds. It moves to less memory when less than
// a quarter is in use, so that a set which shrank by half can grow again without moving.
func resize(l []uint64, n int) []uint64 {
	if n > len(l) {
		return append(l, make([]uint64, n-len(l))...)
	}
	clear(l[n:])
	if n < cap(l)/4 {
		return append(make([]uint64, 0, 2*n), l[:n]...)
	}
	return l[:n]
}
