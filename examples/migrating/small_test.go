package migrating

import (
	"fmt"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// small is a container with few values, each named by its first word. K refers to one.
type small[K any] interface {
	Add(uint64) K
	Drop(K) bool
	Sum() uint64
}

// words is a value of 8 or 112 bytes.
type words interface{ [1]uint64 | [14]uint64 }

func named[T words](v uint64) (t T) {
	t[0] = v
	return t
}

type smallPool[T words] struct{ berth.Pool[T] }

func (c *smallPool[T]) Add(v uint64) berth.Handle[T] { return c.Insert(named[T](v)) }
func (c *smallPool[T]) Drop(h berth.Handle[T]) bool  { return c.Delete(h) }
func (c *smallPool[T]) Sum() (sum uint64) {
	for v := range c.Values() {
		sum += (*v)[0]
	}
	return sum
}

type smallDense[T words] struct{ berth.Dense[T] }

func (c *smallDense[T]) Add(v uint64) berth.Handle[T] { return c.Insert(named[T](v)) }
func (c *smallDense[T]) Drop(h berth.Handle[T]) bool  { return c.Delete(h) }
func (c *smallDense[T]) Sum() (sum uint64) {
	s := c.Slice()
	for i := range s {
		sum += s[i][0]
	}
	return sum
}

type smallList[T words] struct{ stable.List[T] }

func (c *smallList[T]) Add(v uint64) stable.ListKey[T] { return c.Insert(named[T](v)) }
func (c *smallList[T]) Drop(k stable.ListKey[T]) bool  { return c.Delete(k) }
func (c *smallList[T]) Sum() (sum uint64) {
	for v := range c.Values() {
		sum += (*v)[0]
	}
	return sum
}

// smallMap has the caller's own keys.
type smallMap[T words] map[uint64]*T

func (c smallMap[T]) Add(v uint64) uint64 {
	t := named[T](v)
	c[v] = &t
	return v
}

func (c smallMap[T]) Drop(key uint64) bool {
	_, ok := c[key]
	delete(c, key)
	return ok
}

func (c smallMap[T]) Sum() (sum uint64) {
	for _, v := range c {
		sum += (*v)[0]
	}
	return sum
}

// smallSet is a smallMap whose keys are all there is of the values.
type smallSet map[uint64]struct{}

func (c smallSet) Add(v uint64) uint64 {
	c[v] = struct{}{}
	return v
}

func (c smallSet) Drop(key uint64) bool {
	_, ok := c[key]
	delete(c, key)
	return ok
}

func (c smallSet) Sum() (sum uint64) {
	for v := range c {
		sum += v
	}
	return sum
}

// smallSlice finds a value by a search.
type smallSlice[T words] []T

func (c *smallSlice[T]) Add(v uint64) uint64 {
	*c = append(*c, named[T](v))
	return v
}

func (c *smallSlice[T]) Drop(v uint64) bool {
	for i := range *c {
		if (*c)[i][0] == v {
			last := len(*c) - 1
			(*c)[i] = (*c)[last]
			*c = (*c)[:last]
			return true
		}
	}
	return false
}

func (c *smallSlice[T]) Sum() (sum uint64) {
	for i := range *c {
		sum += (*c)[i][0]
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
	testSmall(t, new(smallPool[[14]uint64]))
	testSmall(t, new(smallDense[[14]uint64]))
	testSmall(t, new(smallList[[14]uint64]))
	testSmall(t, smallMap[[14]uint64]{})
	testSmall(t, smallSet{})
	testSmall(t, new(smallSlice[[14]uint64]))
}

func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{1, 5, 20, 60, 200, 1000} {
		benchSmalls[[1]uint64](b, "8", n)
		benchSmall(b, "8/impl=map", n, func() small[uint64] { return smallSet{} })
		benchSmalls[[14]uint64](b, "112", n)
		benchSmall(b, "112/impl=map", n, func() small[uint64] { return smallMap[[14]uint64]{} })
	}
}

func benchSmalls[T words](b *testing.B, bytes string, n int) {
	benchSmall(b, bytes+"/impl=Pool", n, func() small[berth.Handle[T]] { return new(smallPool[T]) })
	benchSmall(b, bytes+"/impl=Dense", n, func() small[berth.Handle[T]] { return new(smallDense[T]) })
	benchSmall(b, bytes+"/impl=List", n, func() small[stable.ListKey[T]] { return new(smallList[T]) })
	benchSmall(b, bytes+"/impl=slice", n, func() small[uint64] { return new(smallSlice[T]) })
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
	b.Run(fmt.Sprintf("op=loop/bytes=%s/n=%d", impl, n), func(b *testing.B) {
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
	b.Run(fmt.Sprintf("op=replace/bytes=%s/n=%d", impl, n), func(b *testing.B) {
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
