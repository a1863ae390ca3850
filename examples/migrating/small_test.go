package migrating

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// small is a container with few values. K refers to a value.
type small[K any] interface {
	Add(uint64) K
	Drop(K) bool
	Sum() uint64
}

type smallPool struct{ berth.Pool[uint64] }

func (c *smallPool) Add(v uint64) berth.Handle[uint64] { return c.Insert(v) }
func (c *smallPool) Drop(h berth.Handle[uint64]) bool  { return c.Delete(h) }
func (c *smallPool) Sum() (sum uint64) {
	for v := range c.Values() {
		sum += *v
	}
	return sum
}

type smallDense struct{ berth.Dense[uint64] }

func (c *smallDense) Add(v uint64) berth.Handle[uint64] { return c.Insert(v) }
func (c *smallDense) Drop(h berth.Handle[uint64]) bool  { return c.Delete(h) }
func (c *smallDense) Sum() (sum uint64) {
	for _, v := range c.Slice() {
		sum += v
	}
	return sum
}

type smallList struct{ stable.List[uint64] }

func (c *smallList) Add(v uint64) stable.ListKey[uint64] { return c.Insert(v) }
func (c *smallList) Drop(k stable.ListKey[uint64]) bool  { return c.Delete(k) }
func (c *smallList) Sum() (sum uint64) {
	for v := range c.Values() {
		sum += *v
	}
	return sum
}

// smallMap has the caller's own keys: here, the values.
type smallMap map[uint64]struct{}

func (c smallMap) Add(v uint64) uint64 {
	c[v] = struct{}{}
	return v
}

func (c smallMap) Drop(key uint64) bool {
	_, ok := c[key]
	delete(c, key)
	return ok
}

func (c smallMap) Sum() (sum uint64) {
	for v := range c {
		sum += v
	}
	return sum
}

// smallSlice finds a value by a search.
type smallSlice []uint64

func (c *smallSlice) Add(v uint64) uint64 {
	*c = append(*c, v)
	return v
}

func (c *smallSlice) Drop(v uint64) bool {
	i := slices.Index(*c, v)
	if i < 0 {
		return false
	}
	last := len(*c) - 1
	(*c)[i] = (*c)[last]
	*c = (*c)[:last]
	return true
}

func (c *smallSlice) Sum() (sum uint64) {
	for _, v := range *c {
		sum += v
	}
	return sum
}

// replace takes the value out that has been in c the longest, and puts another in. refs is a queue.
func replace[K any](c small[K], refs []K, at int, v uint64) bool {
	ref := &refs[at%len(refs)]
	ok := c.Drop(*ref)
	*ref = c.Add(v)
	return ok
}

func testSmall[K any](t *testing.T, c small[K]) {
	t.Helper()
	var refs []K
	for v := range uint64(5) {
		refs = append(refs, c.Add(v))
	}
	gone := refs[0]
	for i := range 7 {
		if !replace(c, refs, i, uint64(5+i)) {
			t.Errorf("%T: value %d is not there", c, i)
		}
	}
	if sum := c.Sum(); sum != 7+8+9+10+11 {
		t.Errorf("%T: sum %d, want %d", c, sum, 7+8+9+10+11)
	}
	if c.Drop(gone) {
		t.Errorf("%T: a value is there twice", c)
	}
}

func TestSmall(t *testing.T) {
	testSmall(t, new(smallPool))
	testSmall(t, new(smallDense))
	testSmall(t, new(smallList))
	testSmall(t, smallMap{})
	testSmall(t, new(smallSlice))
}

func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{1, 5, 20, 60, 200, 1000} {
		benchSmall(b, "Pool", n, func() small[berth.Handle[uint64]] { return new(smallPool) })
		benchSmall(b, "Dense", n, func() small[berth.Handle[uint64]] { return new(smallDense) })
		benchSmall(b, "List", n, func() small[stable.ListKey[uint64]] { return new(smallList) })
		benchSmall(b, "map", n, func() small[uint64] { return smallMap{} })
		benchSmall(b, "slice", n, func() small[uint64] { return new(smallSlice) })
	}
}

// benchSmall measures 20 000 values in containers of n: bytes for each container, without the
// references, and the time for each value of a loop, and of a replacement.
func benchSmall[K any](b *testing.B, impl string, n int, empty func() small[K]) {
	rooms := burst / 5 / n
	all, refs := make([]small[K], rooms), make([][]K, rooms)
	for i := range refs {
		refs[i] = make([]K, n)
	}
	size := heap()
	next := uint64(0)
	for i := range all {
		all[i] = empty()
		for k := range refs[i] {
			refs[i][k] = all[i].Add(next)
			next++
		}
	}
	bytes := float64(heap()-size) / float64(rooms)
	b.Run(fmt.Sprintf("op=loop/impl=%s/n=%d", impl, n), func(b *testing.B) {
		sum, at, want := uint64(0), 0, uint64(0)
		for b.Loop() {
			sum += all[at].Sum()
			at = (at + 1) % rooms
		}
		for i := range b.N {
			first := uint64(i%rooms) * uint64(n)
			want += uint64(n)*first + uint64(n)*uint64(n-1)/2
		}
		if sum != want {
			b.Fatalf("checksum %d, want %d", sum, want)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		b.ReportMetric(bytes, "B/room")
	})
	b.Run(fmt.Sprintf("op=replace/impl=%s/n=%d", impl, n), func(b *testing.B) {
		replaced, turn := 0, 0
		for b.Loop() {
			room := turn % rooms
			if replace(all[room], refs[room], turn/rooms, next) {
				replaced++
			}
			next++
			turn++
		}
		if replaced != b.N {
			b.Fatalf("checksum %d, want %d", replaced, b.N)
		}
	})
}
