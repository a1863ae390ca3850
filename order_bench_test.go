package berth

import (
	"container/list"
	"math/rand/v2"
	"runtime"
	"testing"
)

// lruEntry is an entry of the caches that BenchmarkLRU compares.
type lruEntry struct{ key, value int }

// lru is a cache of at most as many entries as it was made for.
type lru interface {
	add(key, value int)
	get(key int) (int, bool)
}

type orderLRU struct {
	most  int
	index map[int]Handle[lruEntry]
	pool  *Pool[lruEntry]
	order *Order[lruEntry]
}

func newOrderLRU(n int) lru {
	p := NewPool[lruEntry](Config{Seed: 1})
	return &orderLRU{n, map[int]Handle[lruEntry]{}, p, NewOrder(p)}
}

func (c *orderLRU) get(key int) (int, bool) {
	if e := c.order.MoveToFront(c.index[key]); e != nil {
		return e.value, true
	}
	return 0, false
}

func (c *orderLRU) add(key, value int) {
	if e := c.order.MoveToFront(c.index[key]); e != nil {
		e.value = value
		return
	}
	var h Handle[lruEntry]
	var e *lruEntry
	if len(c.index) == c.most {
		h, e = c.order.Recycle()
		delete(c.index, e.key)
	} else {
		h, e = c.pool.New()
		c.order.MoveToFront(h)
	}
	*e = lruEntry{key, value}
	c.index[key] = h
}

// popLRU is an orderLRU without Recycle.
type popLRU struct{ orderLRU }

func newPopLRU(n int) lru { return &popLRU{*newOrderLRU(n).(*orderLRU)} }

func (c *popLRU) add(key, value int) {
	if e := c.order.MoveToFront(c.index[key]); e != nil {
		e.value = value
		return
	}
	if len(c.index) == c.most {
		e, _ := c.order.PopBack()
		delete(c.index, e.key)
	}
	h := c.pool.Insert(lruEntry{key, value})
	c.order.MoveToFront(h)
	c.index[key] = h
}

type listLRU struct {
	most  int
	index map[int]*list.Element
	order *list.List
}

func newListLRU(n int) lru { return &listLRU{n, map[int]*list.Element{}, list.New()} }

func (c *listLRU) get(key int) (int, bool) {
	if e := c.index[key]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*lruEntry).value, true
	}
	return 0, false
}

func (c *listLRU) add(key, value int) {
	if e := c.index[key]; e != nil {
		c.order.MoveToFront(e)
		e.Value.(*lruEntry).value = value
		return
	}
	if len(c.index) == c.most {
		e := c.order.Remove(c.order.Back()).(*lruEntry)
		delete(c.index, e.key)
	}
	c.index[key] = c.order.PushFront(&lruEntry{key, value})
}

// sliceLRU has its links in the entries. Element 0 is the root.
type sliceLRU struct {
	most    int
	index   map[int]int32
	entries []sliceEntry
}

type sliceEntry struct {
	lruEntry
	prev, next int32
}

func newSliceLRU(n int) lru {
	return &sliceLRU{n, map[int]int32{}, make([]sliceEntry, 1)}
}

func (c *sliceLRU) unlink(i int32) {
	e := &c.entries[i]
	c.entries[e.prev].next, c.entries[e.next].prev = e.next, e.prev
}

func (c *sliceLRU) link(i int32) {
	e, root := &c.entries[i], &c.entries[0]
	e.prev, e.next = 0, root.next
	c.entries[root.next].prev, root.next = i, i
}

func (c *sliceLRU) get(key int) (int, bool) {
	i := c.index[key]
	if i == 0 {
		return 0, false
	}
	if c.entries[0].next != i {
		c.unlink(i)
		c.link(i)
	}
	return c.entries[i].value, true
}

func (c *sliceLRU) add(key, value int) {
	i := c.index[key]
	switch {
	case i != 0:
		c.unlink(i)
	case len(c.index) == c.most:
		i = c.entries[0].prev
		c.unlink(i)
		delete(c.index, c.entries[i].key)
	default:
		i = int32(len(c.entries))
		c.entries = append(c.entries, sliceEntry{})
	}
	c.entries[i].lruEntry = lruEntry{key, value}
	c.link(i)
	c.index[key] = i
}

var lrus = map[string]func(n int) lru{
	"order": newOrderLRU, "pop": newPopLRU, "list": newListLRU, "slice": newSliceLRU,
}

// zipf returns n keys, most of them small, in an order that is always the same.
func zipf(n, keys int) []int {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 8, uint64(keys-1))
	out := make([]int, n)
	for i := range out {
		out[i] = int(z.Uint64())
	}
	return out
}

// BenchmarkLRU measures a least-recently-used cache of 8000 entries: an Order, with Recycle or
// PopBack; a container/list; and a slice of entries with links. Each Add evicts one. A Get finds
// one, by keys most of which are frequent.
func BenchmarkLRU(b *testing.B) {
	const n = 8000
	fill := func(c lru) { // with entries that have come and gone, so that memory is mixed
		r := rand.New(rand.NewPCG(3, 4))
		for range 4 {
			for _, i := range r.Perm(n) {
				c.add(r.IntN(1000)-1000, 0)
				c.add(i, i)
			}
		}
		for _, i := range r.Perm(n) {
			c.add(i, i)
		}
	}
	keys := zipf(1<<16, n)
	for impl, make := range lrus {
		b.Run("op=add/impl="+impl, func(b *testing.B) {
			c, i := make(n), n
			fill(c)
			for b.Loop() {
				for range n {
					c.add(i*7919, i)
					i++
				}
			}
			if v, ok := c.get((i - n) * 7919); !ok || v != i-n {
				b.Fatal(v, ok)
			}
			perElem(b, n)
		})
		b.Run("op=get/impl="+impl, func(b *testing.B) {
			c, sum, want := make(n), 0, 0
			fill(c)
			for _, k := range keys {
				want += k
			}
			for b.Loop() {
				sum = 0
				for _, k := range keys {
					v, _ := c.get(k)
					sum += v
				}
			}
			if sum != want {
				b.Fatal(sum, want)
			}
			perElem(b, len(keys))
		})
		b.Run("op=collect/impl="+impl, func(b *testing.B) {
			const n = 1_000_000
			before := heapBytes()
			c := make(n)
			for i := range n {
				c.add(i, i)
			}
			bytes := heapBytes() - before
			for b.Loop() {
				runtime.GC()
			}
			b.ReportMetric(float64(bytes)/n, "B/entry")
			runtime.KeepAlive(c)
		})
	}
}
