package freelist_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/freelist"
)

// mustPanic calls f and returns what it panics with.
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

func TestBadSizes(t *testing.T) {
	for _, tc := range []struct {
		want string
		f    func()
	}{
		{"freelist: NewIndices: negative count -1", func() { freelist.NewIndices[uint32](-1) }},
		{"freelist: NewIndices: 257 indices do not fit uint8, whose 8 bits number only 256", func() { freelist.NewIndices[uint8](257) }},
		{"freelist: NewIndices: 300 indices do not fit freelist_test.spriteID, whose 8 bits number only 256", func() { freelist.NewIndices[spriteID](300) }},
		{"freelist: NewIndices: 65537 indices do not fit uint16, whose 16 bits number only 65536", func() { freelist.NewIndices[uint16](65537) }},
		{"freelist: NewChecked: negative count -3", func() { freelist.NewChecked[uint8](-3) }},
		{"freelist: NewChecked: 1000 indices do not fit uint8, whose 8 bits number only 256", func() { freelist.NewChecked[uint8](1000) }},
		{"freelist: NewPacked: negative count -1", func() { freelist.NewPacked(-1) }},
		{"freelist: NewPacked: negative count -9223372036854775808", func() { freelist.NewPacked(math.MinInt) }},
		{"freelist: NewPackedBits: negative count -7", func() { freelist.NewPackedBits(-7, 4) }},
		{"freelist: NewPackedBits: 0 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, 0) }},
		{"freelist: NewPackedBits: 33 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, 33) }},
		{"freelist: NewPackedBits: -1 bits are not between 1 and 32", func() { freelist.NewPackedBits(1, -1) }},
		{"freelist: NewPackedBits: 5 indices do not fit 2 bits, which number only 4", func() { freelist.NewPackedBits(5, 2) }},
		{"freelist: NewCheckedPointers: struct {} has no size, so none can be told from another", func() { freelist.NewCheckedPointers(make([]struct{}, 3)) }},
		{"freelist: NewCheckedPointers: struct {} has no size, so none can be told from another", func() { freelist.NewCheckedPointers([]struct{}(nil)) }},
		{"freelist: NewPointers: [0]int has no size, so none can be told from another", func() { freelist.NewPointers(make([][0]int, 3)) }},
		{"freelist: NewValues: struct {} has no size, so none can be told from another", func() { freelist.NewValues(make([]struct{}, math.MaxInt)) }},
		{"freelist: Lowest.Grow: negative count -1", func() { new(freelist.Lowest).Grow(-1) }},
		{"freelist: NewLowest: negative count -1", func() { freelist.NewLowest(-1) }},
		{"freelist: Lowest.Grow: negative count -2", func() { new(freelist.Lowest).Grow(-2) }},
		{"freelist: Lowest.Grow: 70 indices and 9223372036854775737 more are too many", func() { freelist.NewLowest(70).Grow(math.MaxInt) }},
	} {
		got := mustPanic(t, tc.f)
		if math.MaxInt == math.MaxInt32 {
			tc.want = strings.NewReplacer("-9223372036854775808", "-2147483648", "9223372036854775737", "2147483577").Replace(tc.want)
		}
		if got != tc.want {
			t.Errorf("panic %q, want %q", got, tc.want)
		}
	}
}

// What is too large for a width of 32 bits, or for an int on a machine of 32 bits, is refused
// before anything is allocated.
func TestTooLarge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		want := "freelist: NewPackedBits: 100000000 indices of 32 bits are more bits than an int counts"
		if got := mustPanic(t, func() { freelist.NewPackedBits(100_000_000, 32) }); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
		return
	}
	big := math.MaxInt >> 31 // 2^32-1 here
	for want, f := range map[string]func(){
		"freelist: NewIndices: 9223372036854775807 indices do not fit any memory":                                  func() { freelist.NewIndices[uint64](math.MaxInt) },
		"freelist: NewChecked: 9223372036854775807 indices do not fit any memory":                                  func() { freelist.NewChecked[uint64](math.MaxInt) },
		"freelist: NewLowest: 0 indices and 9223372036854775807 more are too many":                                 func() { freelist.NewLowest(math.MaxInt) },
		"freelist: NewCheckedPointers: 4294967297 indices do not fit uint32, whose 32 bits number only 4294967296": func() { freelist.NewCheckedPointers(make([]byte, big+2)) },
		"freelist: NewPacked: 4294967297 indices do not fit 32 bits, which number only 4294967296":                 func() { freelist.NewPacked(big + 2) },
		"freelist: NewPackedBits: 4294967297 indices do not fit 32 bits, which number only 4294967296":             func() { freelist.NewPackedBits(big+2, 32) },
		"freelist: NewIndices: 4294967297 indices do not fit uint32, whose 32 bits number only 4294967296":         func() { freelist.NewIndices[uint32](big + 2) },
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

// Exactly as many as an index type numbers.
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
	var s freelist.Stack[int]
	var p freelist.Packed
	var c freelist.Checked[uint8]
	var cp freelist.CheckedPointers[int]
	var l freelist.Lowest
	for range 2 {
		_, a := s.Pop()
		_, b := p.Pop()
		_, d := c.Pop()
		e, f := cp.Pop()
		_, g := l.Take()
		if a || b || d || f || g || e != nil {
			t.Error("a zero list hands something out")
		}
		if s.Push(0) || p.Push(0) || c.Push(0) || cp.Push(new(int)) || cp.Push(nil) || l.Free(0) || l.TakeAt(0) {
			t.Error("a zero list takes something back")
		}
		if s.Cap()+p.Cap()+c.Cap()+cp.Cap()+l.Cap()+s.Len()+p.Len()+c.Len()+cp.Len()+l.Len()+p.Bits() != 0 {
			t.Error("a zero list counts something")
		}
		if c.IsFree(0) || cp.IsFree(nil) || l.IsFree(0) {
			t.Error("something is free in a zero list")
		}
		for i := range l.Taken() {
			t.Error("taken:", i)
		}
		for i := range l.Backward() {
			t.Error("taken:", i)
		}
		s.Reset()
		p.Reset()
		c.Reset()
		cp.Reset()
		l.Reset()
		s.Clear()
		p.Clear()
		c.Clear()
		cp.Clear()
		l.Clear()
	}
}

// Memory is within one word of n times bits, and exact in the two sizes that are promised.
func TestPackedMemory(t *testing.T) {
	for bits := 1; bits <= 32; bits++ {
		for _, n := range []int{1, 2, 3, 31, 32, 33, 100, 4095} {
			if bits < 12 && n > 1<<bits {
				continue
			}
			exact := (n*bits + 7) / 8
			if got := freelist.NewPackedBits(n, bits).Bytes(); got < exact || got > exact+8 {
				t.Errorf("%d of %d bits take %d bytes, want %d to %d", n, bits, got, exact, exact+8)
			}
		}
	}
	if got := freelist.NewPacked(262_144).Bytes(); got > 589_824+8 {
		t.Errorf("262 144 of 18 bits take %d bytes", got)
	}
	if testing.Short() {
		return
	}
	if got := freelist.NewPacked(1 << 24).Bytes(); got > 48<<20+8 {
		t.Errorf("16 777 216 of 24 bits take %d bytes", got)
	}
}

// The unchecked stack does what its documentation says about a double push.
func TestDoublePushIsHandedOutTwice(t *testing.T) {
	s := freelist.NewIndices[uint8](3)
	a, _ := s.Pop()
	b, _ := s.Pop()
	for range 2 {
		if !s.Push(a) {
			t.Fatal("Push refused while there was room")
		}
	}
	if s.Push(b) {
		t.Error("Push on a full stack = true")
	}
	first, _ := s.Pop()
	second, _ := s.Pop()
	if first != a || second != a {
		t.Errorf("after Push(%d) twice: Pop = %d, %d", a, first, second)
	}
	s.Reset()
	for want := range uint8(3) {
		if i, ok := s.Pop(); i != want || !ok {
			t.Errorf("after Reset: Pop = %d, %t, want %d", i, ok, want)
		}
	}
}

func TestForeignPointers(t *testing.T) {
	all := make([]particle, 10)
	items := all[2:8]
	c := freelist.NewCheckedPointers(items)
	held, _ := c.Pop()
	copied := *held
	for what, p := range map[string]*particle{
		"nil": nil, "one before": &all[1], "one behind": &all[8], "a copy": &copied,
		"free already": &items[3], "elsewhere": new(particle),
	} {
		if c.Push(p) {
			t.Errorf("%s: Push = true", what)
		}
		if c.IsFree(p) != (what == "free already") {
			t.Errorf("%s: IsFree = %t", what, c.IsFree(p))
		}
	}
	if c.IsFree(held) || c.Len() != 5 {
		t.Errorf("refused pushes changed the list: Len = %d", c.Len())
	}
	if !c.Push(held) || c.Push(held) {
		t.Error("Push of the held one twice: want true, then false")
	}
	c.CheckInvariants()

	s := freelist.NewPointers(items)
	s.Pop()
	if !s.Push(&all[9]) {
		t.Error("NewPointers says that it takes any pointer, and refused one")
	}
}

// The index of a pointer is right for elements of any size.
func TestPointersOfAllSizes(t *testing.T) {
	allPointers[byte](t, 3000)
	allPointers[[2]byte](t, 3000)
	allPointers[[3]byte](t, 3000)
	allPointers[[12]byte](t, 3000)
	allPointers[[24]byte](t, 3000)
	allPointers[[1000]byte](t, 1000)
	allPointers[[4104]byte](t, 1000)
	allPointers[[1 << 20]byte](t, 7)
}

func allPointers[T any](t *testing.T, n int) {
	t.Helper()
	items := make([]T, n)
	c := freelist.NewCheckedPointers(items)
	for i := range items {
		if p, ok := c.Pop(); p != &items[i] || !ok || c.IsFree(p) {
			t.Fatalf("%T: Pop %d is wrong", items[0], i)
		}
	}
	for i := range items {
		if !c.Push(&items[i]) || c.Push(&items[i]) {
			t.Fatalf("%T: Push of pointer %d twice: want true, then false", items[0], i)
		}
	}
	c.CheckInvariants()
}

// What looks like an index when it is cut to 32 bits is refused.
func TestCheckedWideIndices(t *testing.T) {
	c := freelist.NewChecked[uint64](10)
	for range 10 {
		c.Pop()
	}
	c.Push(3)
	for _, i := range []uint64{1 << 32, 1<<32 + 5, 1<<63 + 5, math.MaxUint64} {
		if c.Push(i) || c.IsFree(i) || c.IsFree(i|3) {
			t.Errorf("Push(%d) or IsFree = true", i)
		}
	}
	if c.Len() != 1 {
		t.Errorf("Len = %d, want 1", c.Len())
	}
}

// A local array of elements may move with its goroutine's stack; the pointers must stay good.
func TestPointersAcrossStackGrowth(t *testing.T) {
	done := make(chan bool)
	go func() {
		var array [8]particle
		c := freelist.NewCheckedPointers(array[:])
		p, _ := c.Pop()
		deep(2000)
		done <- p == &array[0] && c.Push(p) && !c.Push(p)
	}()
	if !<-done {
		t.Error("a pointer was not recognised after the stack grew")
	}
}

//go:noinline
func deep(n int) int {
	var room [100]int
	room[n%100] = n
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[(n+1)%100]
}

// What was pushed is not kept by a list that is cleared, and Reset brings back what it was made of.
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

// A cleared list of each kind takes every entry once, in an order of the caller's, and is full.
func TestClear(t *testing.T) {
	for _, mk := range makers {
		l := mk(130) // the last words of bitmaps are not full
		n := l.cap()
		l.clear()
		if i, ok := l.pop(); ok || l.len() != 0 || l.cap() != n {
			t.Errorf("%s: after Clear, pop = %d, %t; Len %d, Cap %d", l.name, i, ok, l.len(), l.cap())
		}
		at := func(k int) int { return k * 7 % n } // 7 divides no n
		for k := range n {
			if l.safe() && l.isFree(at(k)) || !l.push(at(k)) || l.safe() && l.push(at(k)) {
				t.Fatalf("%s: cleared: %d is free before it was pushed, or twice", l.name, at(k))
			}
		}
		if l.push(0) || l.len() != n {
			t.Errorf("%s of %d: Len %d, and it takes one more", l.name, n, l.len())
		}
		for k := range n {
			want := at(n - 1 - k)
			if l.lowest != nil {
				want = k
			}
			if i, ok := l.pop(); i != want || !ok {
				t.Fatalf("%s: pop = %d, %t, want %d", l.name, i, ok, want)
			}
		}
		l.check()
	}
}

// What the package says about who keeps what from being collected.
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

func TestAllocatesNothing(t *testing.T) {
	for _, mk := range makers {
		l := mk(200)
		out := make([]int, 0, 200)
		got := testing.AllocsPerRun(20, func() {
			for range 100 {
				i, _ := l.pop()
				out = append(out, i)
			}
			for _, i := range out {
				l.push(i)
			}
			out = out[:0]
			l.reset()
		})
		if got != 0 {
			t.Errorf("%s: %v allocations", l.name, got)
		}
	}
	l := freelist.NewLowest(10_000)
	for range 5000 {
		l.Take()
	}
	if got := testing.AllocsPerRun(20, func() { sum = sumTaken(l) }); got != 0 || sum == 0 {
		t.Errorf("loops over Lowest: %v allocations", got)
	}
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

// The rules of the loops over Lowest, one test each; the model holds them too.

func TestLowestLoopRule1(t *testing.T) {
	l := freelist.NewLowest(300)
	for range 300 {
		l.Take()
	}
	var seen []int
	for i := range l.Taken() {
		seen = append(seen, i)
		l.Free(i) // the current one
		if i%3 == 0 {
			l.Take() // brings back the lowest, which has had its turn
		}
		if i == 150 {
			l.Grow(10_000) // while the words are being walked
		}
	}
	if len(seen) != 300 || !slices.IsSorted(seen) || seen[299] != 299 {
		t.Errorf("visited %d, want each of 300 once, in order", len(seen))
	}
}

func TestLowestLoopRule2(t *testing.T) {
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(200)
		for range 200 {
			l.Take()
		}
		seq, step := l.Backward(), -1
		if up {
			seq, step = l.Taken(), 1
		}
		n := 0
		for i := range seq {
			n++
			if l.IsFree(i) {
				t.Fatalf("visited %d, which is free", i)
			}
			l.Free(i + step) // the next one
		}
		if n != 100 || l.Len() != 99+1 {
			t.Errorf("up %t: visited %d of 200 while each freed the next, want 100; %d free", up, n, l.Len())
		}
	}
}

func TestLowestLoopRule3(t *testing.T) {
	l := freelist.NewLowest(1000)
	for range 500 {
		l.Take()
	}
	seen := map[int]bool{}
	for i := range l.Backward() {
		if seen[i] {
			t.Fatalf("visited %d twice", i)
		}
		seen[i] = true
		l.Free(i)
		l.TakeAt(i)   // the same again
		l.TakeAt(999) // behind
		l.Take()
	}
	for i := range 500 {
		if !seen[i] {
			t.Errorf("did not visit %d", i)
		}
	}
}

func TestLowestLoopRule4(t *testing.T) {
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(100)
		l.TakeAt(50)
		seq, n := l.Backward(), 0
		if up {
			seq = l.Taken()
		}
		for range seq {
			if n++; n > 10_000 {
				t.Fatalf("up %t: the loop does not end", up)
			}
			l.Grow(l.Len() + 64) // a new word, and something taken in it
			l.TakeAt(l.Cap() - 1)
			l.TakeAt(l.Cap() - 100)
			l.Take()
		}
	}
}

// Whole words are taken one by one, from either end, and what is left is handed out in order.
func TestLowestTakeAtWholeWords(t *testing.T) {
	for _, down := range []bool{false, true} {
		l := freelist.NewLowest(200)
		for i := range 128 {
			if down {
				i = 127 - i
			}
			if !l.TakeAt(i) {
				t.Fatalf("TakeAt(%d) = false", i)
			}
			l.CheckInvariants()
		}
		for want := 128; want < 200; want++ {
			if i, ok := l.Take(); i != want || !ok {
				t.Fatalf("down %t: Take = %d, %t, want %d", down, i, ok, want)
			}
		}
		if i, ok := l.Take(); ok {
			t.Errorf("Take of nothing = %d", i)
		}
	}
}

// Clip cuts what is free at the end, also in a loop and down to nothing.
func TestLowestClip(t *testing.T) {
	for _, last := range []int{-1, 0, 1, 62, 63, 64, 65, 4095, 4096, 4999} {
		l := freelist.NewLowest(5000)
		for i := 0; i <= last; i += 3 {
			l.TakeAt(i)
		}
		if last >= 0 {
			l.TakeAt(last)
		}
		taken := slices.Collect(l.Taken())
		l.Clip()
		l.CheckInvariants()
		if got, ok := l.Last(); l.Cap() != last+1 || ok != (last >= 0) || ok && got != last {
			t.Errorf("after Clip behind %d: Cap %d, Last %d, %t", last, l.Cap(), got, ok)
		}
		if got := slices.Collect(l.Taken()); !slices.Equal(got, taken) {
			t.Errorf("Clip behind %d changed what is taken", last)
		}
		l.Grow(l.Len() + 100)
		l.CheckInvariants()
		if l.Cap() != last+101 || !l.IsFree(last+100) {
			t.Errorf("after Clip behind %d and Grow: Cap %d", last, l.Cap())
		}
	}
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(1000)
		for range 1000 {
			l.Take()
		}
		seq, n := l.Backward(), 0
		if up {
			seq = l.Taken()
		}
		for i := range seq {
			n++
			for k := range l.Cap() {
				if k >= i == up {
					l.Free(k) // this one, and all that are to come
				}
			}
			l.Clip()
			l.CheckInvariants()
		}
		if n == 0 || n > 1000 {
			t.Errorf("up %t: %d turns", up, n)
		}
	}
}

// A loop that is left by break or by a panic leaves the list as usable as before, and may be
// nested.
func TestLowestLoopsNestAndBreak(t *testing.T) {
	l := freelist.NewLowest(100)
	for range 70 {
		l.Take()
	}
	pairs := 0
	for i := range l.Taken() {
		for j := range l.Backward() {
			if j <= i {
				break
			}
			pairs++
		}
	}
	if pairs != 70*69/2 {
		t.Errorf("%d pairs, want %d", pairs, 70*69/2)
	}
	mustPanic(t, func() {
		for range l.Taken() {
			l.Free(5)
			panic("from the body")
		}
	})
	l.CheckInvariants()
	if i, ok := l.Take(); i != 5 || !ok {
		t.Errorf("Take = %d, %t, want 5", i, ok)
	}
}

// Cost follows what is taken: a few left of many are found without a look at each word.
func TestLowestLoopSkipsWhatIsFree(t *testing.T) {
	l := freelist.NewLowest(1 << 22)
	want := []int{0, 63, 64, 4095, 4096, 262_143, 262_144, 1<<22 - 1}
	for _, i := range want {
		if !l.TakeAt(i) || l.TakeAt(i) {
			t.Fatalf("TakeAt(%d) twice: want true, then false", i)
		}
	}
	if got := slices.Collect(l.Taken()); !slices.Equal(got, want) {
		t.Errorf("Taken = %v, want %v", got, want)
	}
	if i, _ := l.Take(); i != 1 {
		t.Errorf("Take = %d, want 1", i)
	}
}

// Two lists that are used alike hand out alike, on every machine: the order of a run is pinned.
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

// NextTaken and Word tell the same as IsFree, at the ends and beyond them too.
func TestLowestNextTakenAndWord(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 200, 5000} {
		l := freelist.NewLowest(n)
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for i := range n {
			if n < 1000 && r.IntN(3) == 0 || r.IntN(500) == 0 {
				l.TakeAt(i)
			}
		}
		next, found := 0, false
		for i := n + 130; i >= -100; i-- {
			if i >= 0 && i < n && !l.IsFree(i) {
				next, found = i, true
			}
			if got, ok := l.NextTaken(i); ok != found || got != next {
				t.Fatalf("n %d: NextTaken(%d) = %d, %v, want %d, %v", n, i, got, ok, next, found)
			}
		}
		for k := -2; k < n/64+3; k++ {
			want := uint64(0)
			for b := range 64 {
				if i := 64*k + b; i >= 0 && i < n && !l.IsFree(i) {
					want |= 1 << b
				}
			}
			if got := l.Word(k); got != want {
				t.Errorf("n %d: Word(%d) = %x, want %x", n, k, got, want)
			}
		}
	}
}
