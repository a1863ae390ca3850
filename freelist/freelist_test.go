package freelist_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/limits"
)

func TestBadSizes(t *testing.T) {
	for _, tc := range []struct {
		want string
		f    func()
	}{
		{"freelist: NewIndices: negative count -1", func() { freelist.NewIndices[uint32](-1) }},
		{"freelist: NewIndices: 257 indices do not fit uint8, whose 8 bits number only 256",
			func() { freelist.NewIndices[uint8](257) }},
		{"freelist: NewIndices: 300 indices do not fit freelist_test.spriteID, whose 8 bits number only 256",
			func() { freelist.NewIndices[spriteID](300) }},
		{"freelist: NewIndices: 65537 indices do not fit uint16, whose 16 bits number only 65536",
			func() { freelist.NewIndices[uint16](65537) }},
		{"freelist: NewChecked: negative count -3", func() { freelist.NewChecked[uint8](-3) }},
		{"freelist: NewChecked: 1000 indices do not fit uint8, whose 8 bits number only 256",
			func() { freelist.NewChecked[uint8](1000) }},
		{"freelist: NewPacked: negative count -1", func() { freelist.NewPacked(-1) }},
		{"freelist: NewPacked: negative count -9223372036854775808", func() { freelist.NewPacked(math.MinInt) }},
		{"freelist: NewPackedBits: negative count -7", func() { freelist.NewPackedBits(-7, 4) }},
		{"freelist: NewPackedBits: 0 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, 0) }},
		{"freelist: NewPackedBits: 33 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, 33) }},
		{"freelist: NewPackedBits: -1 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, -1) }},
		{"freelist: NewPackedBits: 5 indices do not fit 2 bits, which number only 4",
			func() { freelist.NewPackedBits(5, 2) }},
		{"freelist: NewCheckedPointers: struct {} has no size, so values cannot be told apart",
			func() { freelist.NewCheckedPointers(make([]struct{}, 3)) }},
		{"freelist: NewCheckedPointers: struct {} has no size, so values cannot be told apart",
			func() { freelist.NewCheckedPointers([]struct{}(nil)) }},
		{"freelist: NewPointers: [0]int has no size, so values cannot be told apart",
			func() { freelist.NewPointers(make([][0]int, 3)) }},
		{"freelist: NewValues: struct {} has no size, so values cannot be told apart",
			func() { freelist.NewValues(make([]struct{}, math.MaxInt)) }},
		{"freelist: Grow: negative count -1", func() { freelist.Grow(freelist.NewIndices[uint8](3), -1) }},
		{"freelist: Grow: 257 indices do not fit uint8, whose 8 bits number only 256",
			func() { freelist.Grow(freelist.NewIndices[uint8](200), 57) }},
		{"freelist: Lowest.Grow: negative count -1", func() { new(freelist.Lowest).Grow(-1) }},
		{"freelist: NewLowest: negative count -1", func() { freelist.NewLowest(-1) }},
		{"freelist: Lowest.Grow: negative count -2", func() { new(freelist.Lowest).Grow(-2) }},
		{"freelist: Lowest.Grow: 70 indices and 9223372036854775737 more are too many",
			func() { freelist.NewLowest(70).Grow(math.MaxInt) }},
		{fmt.Sprintf("freelist: Lowest.Grow: 70 indices and %d more are too many", limits.MaxBytes),
			func() { freelist.NewLowest(70).Grow(limits.MaxBytes + 70) }},
	} {
		got := mustPanic(t, tc.f)
		if math.MaxInt == math.MaxInt32 {
			tc.want = strings.NewReplacer("-9223372036854775808", "-2147483648",
				"9223372036854775737", "2147483577").Replace(tc.want)
		}
		if got != tc.want {
			t.Errorf("panic %q, want %q", got, tc.want)
		}
	}
}

// A count that is too large for a width of 32 bits, or for an int on a 32-bit machine, is refused
// before anything is allocated.
func TestTooLarge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		want := "freelist: NewPackedBits: 100000000 indices of 32 bits are more bits than an int can count"
		if got := mustPanic(t, func() { freelist.NewPackedBits(100_000_000, 32) }); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
		return
	}
	big := math.MaxInt >> 31 // 2^32-1 here
	for want, f := range map[string]func(){
		"freelist: NewIndices: 9223372036854775807 indices do not fit any memory": func() {
			freelist.NewIndices[uint64](math.MaxInt)
		},
		"freelist: NewChecked: 9223372036854775807 indices do not fit any memory": func() {
			freelist.NewChecked[uint64](math.MaxInt)
		},
		"freelist: NewLowest: 0 indices and 9223372036854775807 more are too many": func() {
			freelist.NewLowest(math.MaxInt)
		},
		"freelist: NewCheckedPointers: 4294967297 indices do not fit uint32, " +
			"whose 32 bits number only 4294967296": func() {
			freelist.NewCheckedPointers(make([]struct{}, big+2))
		},
		"freelist: NewPacked: 4294967297 indices do not fit 32 bits, which number only 4294967296": func() {
			freelist.NewPacked(big + 2)
		},
		"freelist: NewPackedBits: 4294967297 indices do not fit 32 bits, which number only 4294967296": func() {
			freelist.NewPackedBits(big+2, 32)
		},
		"freelist: NewIndices: 4294967297 indices do not fit uint32, whose 32 bits number only 4294967296": func() {
			freelist.NewIndices[uint32](big + 2)
		},
	} {
		if got := mustPanic(t, f); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func TestNoneAndOne(t *testing.T) {
	for _, mk := range makers {
		for n := range 3 {
			l := mk(n)
			if l.cap() != n || l.len() != n {
				t.Errorf("%s of %d: Len, Cap = %d, %d", l.name, n, l.len(), l.cap())
			}
			if n > 0 && l.push(0) {
				t.Errorf("%s of %d: push(0) on a full list = true", l.name, n)
			}
			for want := range n {
				if i, ok := l.pop(); i != want || !ok {
					t.Errorf("%s of %d: pop = %d, %t, want %d, true", l.name, n, i, ok, want)
				}
			}
			for range 2 {
				if i, ok := l.pop(); i != 0 || ok {
					t.Errorf("%s of %d: pop of an empty list = %d, %t", l.name, n, i, ok)
				}
			}
			l.check()
		}
	}
}

// A list holds exactly as many entries as its index type numbers.
func TestFullWidth(t *testing.T) {
	if c := freelist.NewIndices[uint8](256); c.Cap() != 256 {
		t.Errorf("NewIndices[uint8](256).Cap() = %d", c.Cap())
	}
	c := freelist.NewChecked[uint16](1 << 16)
	seen := make([]bool, 1<<16)
	for range seen {
		i, ok := c.Pop()
		if !ok || seen[i] {
			t.Fatalf("Pop = %d, %t", i, ok)
		}
		seen[i] = true
	}
	if !c.Push(65535) || c.Push(65535) {
		t.Error("Push(65535) twice: want true, then false")
	}
	for bits := 1; bits <= 20; bits++ {
		p := freelist.NewPackedBits(1<<bits, bits)
		if q := freelist.NewPacked(1 << bits); q.Bits() != bits {
			t.Errorf("NewPacked(%d).Bits() = %d, want %d", 1<<bits, q.Bits(), bits)
		}
		sum := 0
		for range 1 << bits {
			i, _ := p.Pop()
			sum += i
		}
		if want := (1<<bits - 1) << (bits - 1); sum != want || p.Len() != 0 {
			t.Errorf("%d bits: sum %d, want %d", bits, sum, want)
		}
	}
}

func TestZeroValues(t *testing.T) {
	var cp freelist.CheckedPointers[int]
	e, ok := cp.Pop()
	if e != nil || ok || cp.Push(new(int)) || cp.Push(nil) || cp.IsFree(nil) {
		t.Error("a zero CheckedPointers has an entry")
	}
	for _, l := range []*list{
		indicesOf(new(freelist.Stack[uint8])), packedOf("Packed", 0, new(freelist.Packed)),
		checkedOf(new(freelist.Checked[uint8])), lowestOf(new(freelist.Lowest)),
		checkedPointersOf(nil, new(freelist.CheckedPointers[particle])),
	} {
		for range 2 {
			if i, ok := l.pop(); i != 0 || ok {
				t.Errorf("a zero %s hands out %d", l.name, i)
			}
			if l.push(0) || l.cap()+l.len() != 0 || l.safe() && l.isFree(0) {
				t.Errorf("a zero %s takes an entry back, or has room for %d", l.name, l.cap())
			}
			if l.lowest != nil && (l.lowest.TakeAt(0) || sumTaken(l.lowest) != 0) {
				t.Error("an entry is taken in a zero Lowest")
			}
			l.reset()
			l.clear()
			l.check()
		}
	}
	if n := new(freelist.Packed).Bits(); n != 0 {
		t.Errorf("Bits() of a zero Packed = %d", n)
	}
}

// A cleared list does not keep pushed values alive, and Reset restores the initial ones.
func TestClearKeepsNothing(t *testing.T) {
	made := []*particle{{id: 1}, {id: 2}}
	s := freelist.NewValues(made)
	s.Clear()
	p := &particle{id: 3}
	w := weak.Make(p)
	s.Push(p)
	p = nil
	_ = p
	s.Clear()
	for range 10 {
		runtime.GC()
	}
	if w.Value() != nil {
		t.Error("a cleared list keeps what was pushed")
	}
	s.Reset()
	for _, want := range made {
		if got, ok := s.Pop(); got != want || !ok {
			t.Errorf("after Clear and Reset, Pop = %v, %t, want %v", got, ok, want)
		}
	}
}

// Lists keep elements from being collected as documented.
func TestKeepsItemsAlive(t *testing.T) {
	items := make([]particle, 100)
	w := weak.Make(&items[0])
	c := freelist.NewCheckedPointers(items)
	s := freelist.NewPointers(items)
	for range 100 {
		c.Pop()
		s.Pop()
	}
	items = nil
	runtime.GC()
	if w.Value() == nil {
		t.Error("the elements were collected, while a list may bring them back")
	}
	c.Reset()
	s.Reset()
	a, _ := c.Pop()
	b, _ := s.Pop()
	if a != b || a != w.Value() {
		t.Error("after Reset, the first pointer is not that to the first element")
	}
	runtime.KeepAlive(c)
	runtime.KeepAlive(s)
	a, b, c, s = nil, nil, nil, nil
	_, _, _, _ = a, b, c, s
	for range 10 {
		runtime.GC()
	}
	if w.Value() != nil {
		t.Error("the elements outlive the lists")
	}
}

func TestLoopsAllocateNothing(t *testing.T) {
	l := freelist.NewLowest(10_000)
	for range 5000 {
		l.Take()
	}
	if got := testing.AllocsPerRun(20, func() { sum = sumTaken(l) }); got != 0 || sum == 0 {
		t.Errorf("loops over Lowest: %v allocations", got)
	}
}

func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64 bits")
	}
	for what, got := range map[string][2]uintptr{
		"Stack":           {unsafe.Sizeof(freelist.Stack[uint8]{}), 40},
		"Packed":          {unsafe.Sizeof(freelist.Packed{}), 64},
		"Checked":         {unsafe.Sizeof(freelist.Checked[uint8]{}), 64},
		"CheckedPointers": {unsafe.Sizeof(freelist.CheckedPointers[int]{}), 104},
	} {
		if got[0] != got[1] {
			t.Errorf("%s takes %d bytes, want %d", what, got[0], got[1])
		}
	}
}

// The order of a run is pinned: lists that are used alike hand out alike, on every machine.
func TestGoldenOrder(t *testing.T) {
	for name, want := range map[string]uint64{
		"Stack[uint32]": 4752233360776641589, "Packed 24": 4752233360776641589,
		"Checked[uint32]": 4752233360776641589, "CheckedPointers": 4752233360776641589, "Lowest": 15954770850950900649,
	} {
		for _, mk := range makers {
			l := mk(1000)
			if l.name != name {
				continue
			}
			r := rand.New(rand.NewPCG(7, 7))
			hash, out := uint64(14695981039346656037), []int{}
			for range 20_000 {
				if k := len(out); k > 0 && r.IntN(100) < 45 || k == 1000 {
					j := r.IntN(k)
					l.push(out[j])
					out[j] = out[k-1]
					out = out[:k-1]
					continue
				}
				i, _ := l.pop()
				out = append(out, i)
				hash = (hash ^ uint64(i)) * 1099511628211
			}
			if hash != want {
				t.Errorf("%s: order hashes to %d, want %d", name, hash, want)
			}
		}
	}
}
