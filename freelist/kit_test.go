package freelist_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

// A list is any of the free lists behind an interface of indices, so that one model serves all.
type list struct {
	name    string
	pop     func() (int, bool)
	push    func(int) bool
	len     func() int
	cap     func() int
	reset   func()
	clear   func()
	check   func()
	isFree  func(int) bool // nil if not supported
	refuses bool           // it refuses indices out of range
	most    int            // most entries
	clone   func() *list
	lowest  *freelist.Lowest
}

// safe reports whether a double free is refused.
func (l *list) safe() bool { return l.isFree != nil }

type spriteID uint8

type tile struct {
	x, y uint8
	page uint16
}

type particle struct {
	id uint16
	_  [10]byte // so that its size is not a power of 2
}

// makers makes each kind of list with n entries, or as many as it can have. Lists of pointers and
// values have one foreign entry more, number n.
var makers = []func(n int) *list{
	indices[uint8], indices[uint16], indices[uint32], indices[uint64], indices[spriteID],
	pointers, values,
	packed(0), packed(1), packed(7), packed(8), packed(11), packed(16), packed(17), packed(18),
	packed(24), packed(31), packed(32),
	checked[uint8], checked[uint16], checked[uint32], checked[uint64], checked[spriteID],
	checkedPointers, lowest, lowestGrown,
}

func indices[I freelist.Index](n int) *list {
	n, _ = fit[I](n)
	return indicesOf(freelist.NewIndices[I](n))
}

func indicesOf[I freelist.Index](s *freelist.Stack[I]) *list {
	_, most := fit[I](0)
	return &list{
		name: fmt.Sprintf("Stack[%T]", I(0)), most: most,
		clone: func() *list { return indicesOf(s.Clone()) },
		pop:   func() (int, bool) { i, ok := s.Pop(); return int(i), ok },
		push:  func(i int) bool { return s.Push(I(i)) },
		len:   s.Len, cap: s.Cap, reset: s.Reset, clear: s.Clear, check: s.CheckInvariants,
	}
}

func fit[I freelist.Index](n int) (fits, most int) {
	if most := uint64(^I(0)); most < math.MaxInt32 {
		return min(n, int(most)+1), int(most) + 1
	}
	return n, math.MaxInt
}

func pointers(n int) *list {
	items := particles(n)
	return pointersOf(items, freelist.NewPointers(items[:n]))
}

func pointersOf(items []particle, s *freelist.Stack[*particle]) *list {
	return &list{
		name: "Stack[*particle]", most: math.MaxInt,
		clone: func() *list { return pointersOf(items, s.Clone()) },
		pop: func() (int, bool) {
			p, ok := s.Pop()
			if !ok {
				return 0, p != nil
			}
			return int(p.id), true
		},
		push: func(i int) bool { return s.Push(&items[i]) },
		len:  s.Len, cap: s.Cap, reset: s.Reset, clear: s.Clear, check: s.CheckInvariants,
	}
}

func particles(n int) []particle {
	items := make([]particle, n+1)
	for i := range items {
		items[i].id = uint16(i)
	}
	return items
}

func values(n int) *list {
	tiles := make([]tile, n+1)
	for i := range tiles {
		tiles[i] = tile{uint8(i % 64), uint8(i / 64 % 64), uint16(i / 4096)}
	}
	return valuesOf(tiles, freelist.NewValues(tiles[:n]))
}

func valuesOf(tiles []tile, s *freelist.Stack[tile]) *list {
	return &list{
		name: "Stack[tile]", most: math.MaxInt,
		clone: func() *list { return valuesOf(tiles, s.Clone()) },
		pop: func() (int, bool) {
			t, ok := s.Pop()
			return int(t.x) + int(t.y)*64 + int(t.page)*4096, ok
		},
		push: func(i int) bool { return s.Push(tiles[i]) },
		len:  s.Len, cap: s.Cap, reset: s.Reset, clear: s.Clear, check: s.CheckInvariants,
	}
}

func packed(width int) func(int) *list {
	return func(n int) *list {
		most := math.MaxInt
		if width > 0 && width < 31 {
			most = 1 << width
		}
		n = min(n, most)
		p := freelist.NewPacked(n)
		if width > 0 {
			p = freelist.NewPackedBits(n, width)
		}
		return packedOf(fmt.Sprintf("Packed %d", width), most, p)
	}
}

func packedOf(name string, most int, p *freelist.Packed) *list {
	return &list{
		name: name, most: most, refuses: true,
		clone: func() *list { return packedOf(name, most, p.Clone()) },
		pop:   p.Pop, push: p.Push, len: p.Len, cap: p.Cap, reset: p.Reset, clear: p.Clear,
		check: p.CheckInvariants,
	}
}

func checked[I freelist.Index](n int) *list {
	n, _ = fit[I](n)
	return checkedOf(freelist.NewChecked[I](n))
}

func checkedOf[I freelist.Index](c *freelist.Checked[I]) *list {
	_, most := fit[I](0)
	return &list{
		name: fmt.Sprintf("Checked[%T]", I(0)), most: most, refuses: true,
		clone: func() *list { return checkedOf(c.Clone()) },
		pop:   func() (int, bool) { i, ok := c.Pop(); return int(i), ok },
		push:  func(i int) bool { return int(I(i)) == i && c.Push(I(i)) },
		len:   c.Len, cap: c.Cap, reset: c.Reset, clear: c.Clear, check: c.CheckInvariants,
		isFree: func(i int) bool { return int(I(i)) == i && c.IsFree(I(i)) },
	}
}

func checkedPointers(n int) *list {
	items := particles(n)
	return checkedPointersOf(items, freelist.NewCheckedPointers(items[:n]))
}

func checkedPointersOf(items []particle, c *freelist.CheckedPointers[particle]) *list {
	at := func(i int) *particle {
		if i < 0 || i >= len(items) {
			return new(particle)
		}
		return &items[i]
	}
	return &list{
		name: "CheckedPointers", most: math.MaxInt, refuses: true,
		clone: func() *list { return checkedPointersOf(items, c.Clone()) },
		pop: func() (int, bool) {
			p, ok := c.Pop()
			if !ok {
				return 0, p != nil
			}
			return int(p.id), true
		},
		push: func(i int) bool { return c.Push(at(i)) },
		len:  c.Len, cap: c.Cap, reset: c.Reset, clear: c.Clear, check: c.CheckInvariants,
		isFree: func(i int) bool { return c.IsFree(at(i)) },
	}
}

func lowest(n int) *list { return lowestOf(freelist.NewLowest(n)) }

func lowestOf(l *freelist.Lowest) *list {
	return &list{
		name: "Lowest", most: math.MaxInt, refuses: true, lowest: l,
		clone: func() *list {
			if l.Len()%2 == 0 {
				return lowestOf(l.Clone())
			}
			c := freelist.NewLowest(5000 * (l.Len() & 2))
			c.Take()
			c.CopyFrom(l)
			return lowestOf(c)
		},
		pop: l.Take, push: l.Free, len: l.Len, cap: l.Cap, reset: l.Reset, clear: l.Clear,
		check: l.CheckInvariants, isFree: l.IsFree,
	}
}

// lowestGrown makes a Lowest in two steps, from the zero value.
func lowestGrown(n int) *list {
	l := lowest(0)
	l.name = "Lowest, grown"
	*l.lowest = freelist.Lowest{}
	l.lowest.Grow(n / 3)
	l.lowest.Grow(n)
	return l
}

// mustPanic calls f and returns the message of its panic.
func mustPanic(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
			return
		}
		t.Error("no panic")
	}()
	f()
	return ""
}

var sum int

func sumTaken(l *freelist.Lowest) (s int) {
	for i := range l.Taken() {
		s += i
	}
	for i := range l.Backward() {
		s += i
	}
	return s
}
