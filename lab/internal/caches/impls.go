package caches

import (
	"container/list"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Family compares an Order with other lists of the entries of a cache.
var Family = &measure.Family{
	ID:        "caches",
	Workloads: []*measure.Workload{lru},
	Title:     "The last used",
	Stale:     "What refers to an evicted entry",
	Impls:     []measure.Impl{orderImpl, listImpl, sliceImpl},
	Baseline:  "list and map",
	Subjects:  []string{"berth.Order"},
}

var orderImpl = measure.Impl{
	Name: "berth.Order",
	About: "berth.Pool of entries, a berth.Order of them, and a map from keys to handles. " +
		"Recycle evicts",
	Stale: "finds nothing, ever",
	Safe:  true, Ours: true,
	Kit: Kit(newOrdered),
}

var listImpl = measure.Impl{
	Name: "list and map",
	About: "container/list of pointers to entries, and a map from keys to its elements: the " +
		"usual choice",
	Stale: "a pointer to an element finds the entry that is no longer in the list",
	Kit:   Kit(newListed),
}

var sliceImpl = measure.Impl{
	Name: "links in a slice",
	About: "a slice of entries with the indices of their neighbours, and a map from keys to " +
		"indices",
	Stale: "an index finds the entry that took its place",
	Kit:   Kit(newLinked),
}

type entry struct{ key, value uint64 }

type ordered struct {
	most  int
	index map[uint64]berth.Handle[entry]
	pool  *berth.Pool[entry]
	used  *berth.Order[entry]
}

func newOrdered(n int) Cache {
	p := berth.NewPool[entry](berth.Config{Seed: 1})
	return &ordered{n, map[uint64]berth.Handle[entry]{}, p, berth.NewOrder(p)}
}

func (c *ordered) Len() int { return len(c.index) }

func (c *ordered) Get(key uint64) uint64 {
	if e := c.used.MoveToFront(c.index[key]); e != nil {
		return e.value
	}
	return 0
}

func (c *ordered) Add(key, value uint64) {
	h := c.index[key]
	e := c.used.MoveToFront(h)
	switch {
	case e != nil:
		e.value = value
		return
	case len(c.index) < c.most:
		h, e = c.pool.New()
		c.used.MoveToFront(h)
	default:
		h, e = c.used.Recycle()
		delete(c.index, e.key)
	}
	*e = entry{key, value}
	c.index[key] = h
}

type listed struct {
	most  int
	index map[uint64]*list.Element
	used  *list.List
}

func newListed(n int) Cache { return &listed{n, map[uint64]*list.Element{}, list.New()} }

func (c *listed) Len() int { return len(c.index) }

func (c *listed) Get(key uint64) uint64 {
	if x := c.index[key]; x != nil {
		c.used.MoveToFront(x)
		return x.Value.(*entry).value
	}
	return 0
}

func (c *listed) Add(key, value uint64) {
	if x := c.index[key]; x != nil {
		c.used.MoveToFront(x)
		x.Value.(*entry).value = value
		return
	}
	if len(c.index) == c.most {
		e := c.used.Remove(c.used.Back()).(*entry)
		delete(c.index, e.key)
	}
	c.index[key] = c.used.PushFront(&entry{key, value})
}

// linked has its links in the entries. Entry 0 is the root.
type linked struct {
	most    int
	index   map[uint64]uint32
	entries []linkedEntry
}

type linkedEntry struct {
	entry
	prev, next uint32
}

func newLinked(n int) Cache { return &linked{n, map[uint64]uint32{}, make([]linkedEntry, 1)} }

// toFront moves entry i, which is linked, to the front.
func (c *linked) toFront(i uint32) {
	if c.entries[0].next != i {
		e := &c.entries[i]
		c.entries[e.prev].next, c.entries[e.next].prev = e.next, e.prev
		c.link(i)
	}
}

func (c *linked) link(i uint32) {
	e, root := &c.entries[i], &c.entries[0]
	e.prev, e.next = 0, root.next
	c.entries[root.next].prev, root.next = i, i
}

func (c *linked) Len() int { return len(c.index) }

func (c *linked) Get(key uint64) uint64 {
	i := c.index[key]
	if i == 0 {
		return 0
	}
	c.toFront(i)
	return c.entries[i].value
}

func (c *linked) Add(key, value uint64) {
	i := c.index[key]
	switch {
	case i != 0:
		c.toFront(i)
		c.entries[i].value = value
		return
	case len(c.index) < c.most:
		i = uint32(len(c.entries))
		c.entries = append(c.entries, linkedEntry{})
		c.link(i)
	default:
		i = c.entries[0].prev
		c.toFront(i)
		delete(c.index, c.entries[i].key)
	}
	c.entries[i].entry = entry{key, value}
	c.index[key] = i
}
