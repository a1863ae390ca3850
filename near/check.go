package near

import (
	"fmt"

	"github.com/seed505807e1/berth/internal/invariants"
)

// check checks the invariants if they are switched on, of a large grid only occasionally.
func (c *cells) check() {
	if invariants.On && (len(c.items) < 256 || c.changes%64 == 0) {
		c.checkInvariants()
	}
}

// checkInvariants panics with the number of the first invariant that does not hold.
func (c *cells) checkInvariants() {
	fail := func(rule int, format string, args ...any) {
		panic(fmt.Sprintf("near: invariant %d: ", rule) + fmt.Sprintf(format, args...))
	}
	c.checkBuckets(fail)
	c.checkChains(fail)
	seen := make(map[uint64]int, len(c.items))
	vacant := 0
	for i, it := range c.items {
		if it.h == 0 {
			vacant++
		} else if j, ok := seen[it.h]; ok {
			fail(3, "items %d and %d have the same handle", i, j)
		}
		seen[it.h] = i
	}
	delete(seen, 0)
	if vacant != c.vacant {
		fail(3, "%d items without handle, vacant = %d", vacant, c.vacant)
	}
	if c.indexed {
		if c.places.n != len(seen) {
			fail(4, "%d places for %d items", c.places.n, len(seen))
		}
		for h, i := range seen {
			if j := c.places.find(c.items, h); j != i {
				fail(4, "item %d is found at %d", i, j)
			}
		}
	}
	if want := len(c.items); c.space && len(c.zs) != want || !c.space && c.zs != nil {
		fail(5, "%d items, and z of %d", want, len(c.zs))
	}
}

type failure func(rule int, format string, args ...any)

func (c *cells) checkBuckets(fail failure) {
	if c.sorted == 0 {
		return
	}
	if n := len(c.start); n != c.buckets+2 || c.start[0] != 0 || int(c.start[n-1]) != c.sorted {
		fail(1, "%d buckets from %d to %d, for %d and %d items",
			n, c.start[0], c.start[n-1], c.buckets, c.sorted)
	}
	for k := range c.buckets + 1 {
		for i := c.start[k]; i < c.start[k+1]; i++ {
			p := c.at(int(i))
			if of := c.of(p); of != k {
				fail(1, "item %d of bucket %d is in bucket %d", i, of, k)
			}
			if !c.scattered && k < c.buckets && !c.home.has(p) {
				fail(6, "item %d at %v is not within %v", i, p, c.home)
			}
		}
	}
}

func (c *cells) checkChains(fail failure) {
	if len(c.links) != len(c.items)-c.sorted {
		fail(2, "%d links for %d items of which %d are sorted",
			len(c.links), len(c.items), c.sorted)
	}
	chained := make([]bool, len(c.links))
	for k, link := range c.heads {
		for ; link != 0; link = c.links[int(link)-1-c.sorted] {
			i := int(link) - 1
			if i < c.sorted || i >= len(c.items) || chained[i-c.sorted] {
				fail(2, "the chain of bucket %d has item %d, or has it twice", k, i)
			}
			chained[i-c.sorted] = true
			if of := c.of(c.at(i)); of != k {
				fail(2, "item %d of bucket %d is in the chain of %d", i, of, k)
			}
		}
	}
	for i, ok := range chained {
		if !ok {
			fail(2, "item %d is in no chain", i+c.sorted)
		}
	}
}
