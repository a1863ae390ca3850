package pages

import (
	"errors"
	"slices"
	"sync/atomic"
)

var (
	errMappings  = errors.New("the mappings for regions are used up")
	errAddresses = errors.New("too few addresses would be left for the rest of the process")
)

// mappings counts what all regions take of the mappings that the system grants a process. Where a
// process has none left, Go's heap cannot grow, and ends it. So regions get a part of them only:
// see maxMappings.
var mappings atomic.Int64

// charge takes n mappings more, or gives back -n. It reports false, and takes none, if there would
// be more than regions may have.
func charge(n int) bool {
	if sum := mappings.Add(int64(n)); n > 0 && sum > int64(maxMappings()) {
		mappings.Add(int64(-n))
		return false
	}
	return true
}

// span is a range of bytes.
type span struct{ from, to int }

// spans are ranges in order, with gaps between them.
type spans []span

// change replaces spans i to j by the first n of put.
type change struct {
	i, j, n int
	put     [2]span
}

func (c *change) add(from, to int) {
	c.put[c.n] = span{from, to}
	c.n++
}

// adding returns the change that adds [from, to) to s.
func (s spans) adding(from, to int) (c change) {
	c.i, c.j = s.overlap(from, to)
	if c.i < c.j {
		from, to = min(from, s[c.i].from), max(to, s[c.j-1].to)
	}
	c.add(from, to)
	return c
}

// removing returns the change that removes [from, to) from s.
func (s spans) removing(from, to int) (c change) {
	c.i, c.j = s.overlap(from, to)
	if c.i < c.j && s[c.i].from < from {
		c.add(s[c.i].from, from)
	}
	if c.i < c.j && s[c.j-1].to > to {
		c.add(to, s[c.j-1].to)
	}
	return c
}

// overlap returns which of s overlap or touch [from, to): those from i to j.
func (s spans) overlap(from, to int) (i, j int) {
	i, _ = slices.BinarySearchFunc(s, from, func(e span, from int) int { return e.to - from })
	for j = i; j < len(s) && s[j].from <= to; j++ {
	}
	return i, j
}

// apply returns s after c.
func (s spans) apply(c change) spans { return slices.Replace(s, c.i, c.j, c.put[:c.n]...) }

// mappings returns how many mappings a region has at most if s is what is committed of it, after c.
// The bytes between two spans are one, as are those behind the last one and the guard page. A
// region of huge pages differs from what aligns it.
func (s spans) mappings(c change, huge bool) int {
	n := len(s) - (c.j - c.i) + c.n
	first := 0
	switch {
	case c.i > 0:
		first = s[0].from
	case c.n > 0:
		first = c.put[0].from
	case c.j < len(s):
		first = s[c.j].from
	}
	n = max(2, 2*n)
	if first > 0 {
		n++
	}
	if huge {
		n += 2
	}
	return n
}

// charge charges r for the mappings that it has after c. It reports false, and does nothing, if
// there are none left.
func (r *Region) charge(c change) bool {
	n := r.committed.mappings(c, r.huge)
	if !charge(n - r.charged) {
		return false
	}
	r.charged = n
	return true
}
