package pages

import (
	"errors"
	"slices"
	"sync/atomic"
)

var (
	errMappings  = errors.New("no mappings are left for regions")
	errAddresses = errors.New("too few addresses would be left for the rest of the process")
)

// mappings counts the system mappings that all regions use. If a process has no mapping left, Go's
// heap cannot grow, and the process ends. So regions may use only a part of them: see maxMappings.
var mappings atomic.Int64

// charge adds n to the mappings in use; n may be negative. It reports false, and adds nothing, if
// regions would have more than they may.
func charge(n int) bool {
	if sum := mappings.Add(int64(n)); n > 0 && sum > int64(maxMappings()) {
		mappings.Add(int64(-n))
		return false
	}
	return true
}

// span is a range of bytes.
type span struct{ from, to int }

// spans are ordered ranges with gaps between them.
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

// overlap returns the indices i to j of the spans that overlap or touch [from, to).
func (s spans) overlap(from, to int) (i, j int) {
	i, _ = slices.BinarySearchFunc(s, from, func(e span, from int) int { return e.to - from })
	for j = i; j < len(s) && s[j].from <= to; j++ {
	}
	return i, j
}

// apply returns s after c.
func (s spans) apply(c change) spans { return slices.Replace(s, c.i, c.j, c.put[:c.n]...) }

// mappings returns the maximum number of mappings of a region whose committed spans are s after c.
// The bytes between two spans are one mapping, and so are those after the last span together with
// the guard page. A region of huge pages needs mappings of its own for the bytes that align it.
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

// charge charges r for the mappings that it has after c. It reports false, and does nothing, if too
// few are left.
func (r *Region) charge(c change) bool {
	n := r.committed.mappings(c, r.huge)
	if !charge(n - r.charged) {
		return false
	}
	r.charged = n
	return true
}
