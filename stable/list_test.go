package stable_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// fill inserts the values 0 to n-1 and returns their keys.
func fill[I stable.Index, D stable.Identifier[D]](t testing.TB, l *stable.ListOf[int, I, D], n int) (ks []stable.Key[int, I, D]) {
	t.Helper()
	for i := range n {
		k, err := l.TryInsert(i)
		if err != nil {
			t.Fatalf("TryInsert of value %d: %v", i, err)
		}
		ks = append(ks, k)
	}
	return ks
}

// Figure 5.1: the slots are taken again part by part, in each the last vacated first, and only then
// does the list grow.
func TestFigure51(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 16)
		for _, i := range []int{12, 1, 5, 9, 4, 3, 10} {
			l.Remove(ks[i])
		}
		var got []uint32
		for range 7 {
			got = append(got, l.Insert(0).Index())
		}
		if want := []uint32{3, 1, 4, 5, 10, 9, 12}; !slices.Equal(got, want) {
			t.Errorf("%v: the slots taken are %v, want %v", p, got, want)
		}
		if l.Cap() != 16 || l.Insert(0).Index() != 16 || l.Cap() != 32 {
			t.Errorf("%v: then it grew to %d", p, l.Cap())
		}
	}
}

// Figure 5.2: a full list gets new parts without a look at its slots, and the first insert goes to
// the second half.
func TestFigure52(t *testing.T) {
	l := stable.New[int](stable.Config{Placement: stable.Quartered})
	for n := 4; n <= 1<<16; n *= 2 {
		fill(t, l, n-l.Len())
		k := l.Insert(0)
		if int(k.Index()) != n || l.Cap() != 2*n || l.Stats().Visits != 0 {
			t.Fatalf("insert %d took slot %d of %d, with %d visits", n, k.Index(), l.Cap(), l.Stats().Visits)
		}
	}
}

// Section 5.2: max is what was made, open what was touched, len what lives.
func TestMaxOpenLen(t *testing.T) {
	l := stable.New[int](stable.Config{Capacity: 1000})
	ks := fill(t, l, 200)
	for _, k := range ks[:50] {
		l.Remove(k)
	}
	if l.Cap() != 1000 || l.Touched() != 200 || l.Len() != 150 {
		t.Errorf("Cap, Touched, Len = %d, %d, %d, want 1000, 200, 150", l.Cap(), l.Touched(), l.Len())
	}
}

// farSurvivor returns a list of 16 384 slots of which 0, 1 and the last live, and the last's key.
func farSurvivor(t *testing.T, p stable.Placement, least int) (l *stable.List[int], last stable.ListKey[int]) {
	l = stable.New[int](stable.Config{Placement: p, Min: least})
	ks := fill(t, l, 16_384)
	for _, k := range ks[2:16_383] {
		l.Remove(k)
	}
	if l.Touched() != 16_384 || l.Stats() != (stable.Stats{Live: 3, Vacant: 16_381}) {
		t.Fatalf("%v: Cap %d, %+v before the removal", p, l.Cap(), l.Stats())
	}
	return l, ks[16_383]
}

// Section 5.2's example. By its rules the list is halved until it is as short as Min allows, which
// is 4: the values 0 and 1 lie in the first half of 4, as they do in that of 8. The text says 8; its
// own series of visits, which ends with 2 - 2, is that of the step from 8 to 4. With other Mins the
// text has 7 162 visits for 2 046, rounded up, and 4 094 for one step, which is the Min of 8 192, not
// of 4 096.
func TestFarSurvivor(t *testing.T) {
	for _, c := range []struct {
		p           stable.Placement
		min         int
		cap, visits int
	}{
		{stable.QuarteredStepwise, 0, 4, 8166},
		{stable.QuarteredStepwise, 8, 8, 8166},
		{stable.QuarteredStepwise, 2046, 2048, 7162},
		{stable.QuarteredStepwise, 4096, 4096, 6140},
		{stable.QuarteredStepwise, 8192, 8192, 4094},
		{stable.Quartered, 0, 4, 0},
		{stable.Quartered, 8, 8, 0},
		{stable.Quartered, 2046, 2048, 0},
		{stable.Quartered, 8192, 8192, 0},
		{stable.Quartered, 16_384, 16_384, 0},
		{stable.FirstFree, 0, 0, 0},
		{stable.FirstFreeHeap, 0, 0, 0},
		{stable.FirstFreeHeapWalk, 0, 0, 16_381},
	} {
		l, last := farSurvivor(t, c.p, c.min)
		if _, ok := l.Remove(last); !ok {
			t.Fatalf("%v: Remove(%v) fails", c.p, last)
		}
		touched := c.cap
		if c.cap == 0 {
			touched, c.cap = 2, l.Cap()
		}
		if l.Cap() != c.cap || l.Touched() != touched || l.Stats().Visits != uint64(c.visits) {
			t.Errorf("%v, Min %d: Cap %d, Touched %d, %d visits; want %d, %d, %d", c.p, c.min,
				l.Cap(), l.Touched(), l.Stats().Visits, c.cap, touched, c.visits)
		}
		l.CheckInvariants()
	}
	// The visits that the author hopes for are 2, and here they are: of the slots 2 and 3, by the
	// inserts that take them.
	l, last := farSurvivor(t, stable.Quartered, 0)
	l.Remove(last)
	if a, b := l.Insert(0), l.Insert(0); a.Index() != 2 || b.Index() != 3 || l.Stats().Visits != 2 {
		t.Errorf("inserts take %v and %v, with %d visits", a, b, l.Stats().Visits)
	}
}

// No removal looks at more than a thirty-second part of the slots (Stepwise: half of them), and over
// time each removal pays for a few.
func TestVisitsAreBounded(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		l := stable.New[int](stable.Config{Placement: p, Seed: 1})
		removals := 0
		for round := range 60 {
			ks := fill(t, l, 1<<(round%13)+round)
			for i := range ks {
				k := ks[(i*7919+round)%len(ks)]
				if round%3 == 0 {
					k = ks[len(ks)-1-i]
				}
				size, visits := l.Cap(), l.Stats().Visits
				if _, ok := l.Remove(k); ok {
					removals++
				}
				if v := int(l.Stats().Visits - visits); v > size/32 && p == stable.Quartered || v > size/2 {
					t.Fatalf("%v: a removal from %d slots looks at %d", p, size, v)
				}
			}
		}
		if v := l.Stats().Visits; v == 0 || v > uint64(removals) {
			t.Errorf("%v: %d removals looked at %d slots", p, removals, v)
		}
	}
}

// What a Key is made of, for tables of them.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"ListKey", unsafe.Sizeof(stable.ListKey[string]{}), 8},
		{"Key of uint16 and Counter32", unsafe.Sizeof(stable.Key[int, uint16, stable.Counter32]{}), 8},
		{"Key of uint32 and Counter64", unsafe.Sizeof(stable.Key[int, uint32, stable.Counter64]{}), 8 + unsafe.Alignof(stable.Counter64(0))},
		{"Key of uint16 and a byte", unsafe.Sizeof(stable.Key[int, uint16, tiny]{}), 4},
		{"Key of uint32 and 16 bytes", unsafe.Sizeof(stable.Key[int, uint32, wide]{}), 20},
	} {
		if c.got != c.want {
			t.Errorf("%s has %d bytes, want %d", c.what, c.got, c.want)
		}
	}
}

// tiny counts to 255.
type tiny uint8

func (d tiny) Next() tiny { return d + 1 }

// wide is as large as a UUID.
type wide [16]byte

func (d wide) Next() wide {
	for i := range d {
		if d[i]++; d[i] != 0 {
			break
		}
	}
	return d
}

func TestKey(t *testing.T) {
	var none stable.ListKey[int]
	if !none.IsZero() || none.String() != "none" || none.LogValue().String() != "none" {
		t.Errorf("the zero Key is %v", none)
	}
	l := stable.NewOf[int, uint16, tiny](stable.Config{})
	l.Insert(1)
	k := l.Insert(2)
	if k.IsZero() || k.Index() != 1 || k.ID() != 2 || k.String() != "1:2" {
		t.Errorf("the second key is %v", k)
	}
	if l.KeyAt(1) != k || !l.KeyAt(2).IsZero() || !l.KeyAt(math.MaxUint16).IsZero() {
		t.Errorf("KeyAt = %v, %v, %v", l.KeyAt(1), l.KeyAt(2), l.KeyAt(math.MaxUint16))
	}
	l.Remove(k)
	if !l.KeyAt(1).IsZero() {
		t.Errorf("KeyAt of a vacant slot = %v", l.KeyAt(1))
	}
}

// Given the seed and the calls, keys are the same everywhere.
func TestGoldenKeys(t *testing.T) {
	l := stable.New[int](stable.Config{Seed: 7})
	ks := fill(t, l, 5)
	l.Remove(ks[1])
	l.Remove(ks[3])
	ks = append(ks, l.Insert(0), l.Insert(0))
	const want = "[0:1401181200 1:1401181201 2:1401181202 3:1401181203 4:1401181204 1:1401181205 3:1401181206]"
	if got := fmt.Sprint(ks); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}

// A key of another list finds nothing before one of n has had 2^32/3n inserts, or 2^64/3n.
func TestStartsLieApart(t *testing.T) {
	const n = 1000
	narrow, wide := make([]uint64, n), make([]uint64, n)
	for i := range uint32(n) {
		narrow[i] = uint64(stable.Counter32(0).Start(i+1)) << 32
		wide[i] = uint64(stable.Counter64(0).Start(i + 1))
	}
	for _, starts := range [][]uint64{narrow, wide} {
		slices.Sort(starts)
		for i := range starts {
			if gap := starts[(i+1)%n] - starts[i]; gap < math.MaxUint64/(3*n) {
				t.Fatalf("two of %d lists start %d apart", n, gap)
			}
		}
	}
}

// When its identifiers are used up, a list refuses, and what it holds stays as good as it was.
func TestSpent(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		l.AgeForTest(7, math.MaxUint32-4) // 10 left, across the end, which skips 0
		testSpent(t, l)
	}
	w := stable.NewOf[int, uint32, stable.Counter64](stable.Config{})
	w.AgeForTest(7, math.MaxUint64-4)
	testSpent(t, w)
	z := stable.NewOf[int, uint16, stable.Counter32](stable.Config{Seed: 3})
	z.AgeForTest(111, 100)
	testSpent(t, z)
	// A list that began with 1, as one would that starts at 0, wraps around to it.
	one := stable.NewOf[int, uint32, stable.Counter32](stable.Config{})
	one.AgeForTest(1, math.MaxUint32-10)
	testSpent(t, one)
}

func testSpent[I stable.Index, D stable.Identifier[D]](t *testing.T, l *stable.ListOf[int, I, D]) {
	t.Helper()
	ks := fill(t, l, 6)
	for _, k := range ks[:4] {
		l.Remove(k)
	}
	ks = append(ks, fill(t, l, 4)...)
	ids := map[D]bool{}
	for _, k := range ks {
		ids[k.ID()] = true
	}
	for range 3 {
		if k, err := l.TryInsert(9); !k.IsZero() || !errors.Is(err, stable.ErrSpent) || !l.Insert(9).IsZero() {
			t.Fatalf("insert 11 = %v, %v, want ErrSpent", k, err)
		}
	}
	if c := l.Clone(); !c.Insert(1).IsZero() {
		t.Error("a clone has more identifiers")
	}
	if len(ids) != 10 || l.Len() != 6 || ids[*new(D)] {
		t.Errorf("identifiers %v; %d live", ids, l.Len())
	}
	for i, k := range ks {
		if got := l.Contains(k); got != (i >= 4) {
			t.Errorf("Contains(%v) of insert %d is %v", k, i, got)
		}
	}
	l.Clear()
	if !l.Insert(1).IsZero() {
		t.Error("Clear has made identifiers good again")
	}
	l.CheckInvariants()
}

// Identifiers that repeat themselves, each in another way, and what a list gives before it refuses.
type (
	constant  uint8 // always 5
	standing  uint8 // counts to 3, and stays
	cycling   uint8 // 1, 2, 3, 1, ...
	returning uint8 // 1, 2, 0
	wrapping  uint8 // 1 to 255, 1, ...: it begins at 0, to which it never comes back
	panicking uint8 // panics at 3
	nothing   struct{}
)

func (nothing) Next() nothing { return nothing{} }

func (constant) Next() constant      { return 5 }
func (d standing) Next() standing    { return min(d+1, 3) }
func (d cycling) Next() cycling      { return d%3 + 1 }
func (cycling) Start(uint32) cycling { return 3 }
func (d returning) Next() returning  { return (d + 1) % 3 }
func (d wrapping) Next() wrapping {
	if d == math.MaxUint8 {
		return 1
	}
	return d + 1
}
func (d panicking) Next() panicking {
	if d == 3 {
		panic("no more")
	}
	return d + 1
}

func given[D stable.Identifier[D]](t *testing.T, want int) {
	t.Helper()
	l := stable.NewOf[int, uint32, D](stable.Config{})
	n := 0
	var err error
	for ; n < 300 && err == nil; n++ {
		_, err = l.TryInsert(1)
	}
	if n-1 != want || !errors.Is(err, stable.ErrSpent) {
		t.Errorf("%T: %d identifiers, then %v; want %d", *new(D), n-1, err, want)
	}
	l.CheckInvariants()
}

func TestNextThatRepeatsItself(t *testing.T) {
	given[constant](t, 1)
	given[standing](t, 3)
	given[cycling](t, 3)
	given[wrapping](t, 255)
	given[returning](t, 2)
	given[tiny](t, 255)
	given[nothing](t, 0)
}

func TestNextThatPanics(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint32, panicking](stable.Config{Placement: p})
		ks := fill(t, l, 3)
		for range 2 {
			if msg := panics(func() { l.Insert(4) }); msg != "no more" {
				t.Fatalf("%v: %q", p, msg)
			}
			l.CheckInvariants()
		}
		if l.Len() != 3 || !l.Contains(ks[2]) {
			t.Errorf("%v: %d values", p, l.Len())
		}
	}
}

// panics returns what f panics with; "" if it does not.
func panics(f func()) (msg string) {
	defer func() {
		if e := recover(); e != nil {
			msg = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

// A list of 16-bit indices ends at 65 536 values, in each placement and from each size.
func TestIndexTypeEnds(t *testing.T) {
	for _, p := range placements {
		for _, c := range []stable.Config{{}, {Min: 12}, {Capacity: 1 << 16}, {Capacity: 65_533}, {Min: 1 << 16}} {
			c.Placement = p
			l := stable.NewOf[int, uint16, stable.Counter32](c)
			ks := fill(t, l, 1<<16)
			for range 2 {
				k, err := l.TryInsert(1)
				if !k.IsZero() || !errors.Is(err, stable.ErrFull) || !errors.Is(err, berth.ErrFull) {
					t.Fatalf("%+v: value 65 537 gets %v, %v", c, k, err)
				}
				l.Grow(0)
			}
			seen := make([]bool, 1<<16)
			for i, k := range ks {
				if v, ok := l.Get(k); seen[k.Index()] || !ok || v != i {
					t.Fatalf("%+v: Get(%v) = %d, %v; the slot had another: %v", c, k, v, ok, seen[k.Index()])
				}
				seen[k.Index()] = true
			}
			l.CheckInvariants()
			l.Remove(ks[40_000])
			if k := l.Insert(1); k.Index() != 40_000 {
				t.Errorf("%+v: the one vacant slot is 40 000, taken is %v", c, k)
			}
			n := 0
			for k := range l.All() {
				if k.Index() > 5 {
					l.Remove(k)
				}
				n++
			}
			if n != 1<<16 || l.Len() != 6 || l.Touched() > max(16, c.Min) {
				t.Errorf("%+v: visited %d; %d of %d left", c, n, l.Len(), l.Touched())
			}
			l.CheckInvariants()
			fill(t, l, 1<<16-6)
			if !l.Insert(1).IsZero() {
				t.Errorf("%+v: filled again, it takes more", c)
			}
		}
	}
}

func TestBadConfig(t *testing.T) {
	huge := math.MaxInt
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { stable.New[int](stable.Config{Capacity: -1}) }, "stable: New: Capacity must not be negative (got -1)"},
		{func() { stable.New[int](stable.Config{Min: -5}) }, "stable: New: Min must not be negative (got -5)"},
		{func() { stable.New[int](stable.Config{Capacity: huge}) }, "stable: New: Capacity"},
		{func() { stable.New[[1 << 20]byte](stable.Config{Min: 1 << 30}) }, "stable: New: Min"},
		{func() { stable.NewOf[int, uint16, tiny](stable.Config{Capacity: 1<<16 + 1}) },
			"stable: NewOf: Capacity must be at most 65536, the slots that the index type can number (got 65537)"},
		{func() { stable.NewOf[int, uint16, tiny](stable.Config{Min: 1<<16 + 1}) },
			"stable: NewOf: Min must be at most 65536, the slots that the index type can number (got 65537)"},
		{func() { stable.NewOf[int, uint64, tiny](stable.Config{Min: huge}) }, "stable: NewOf: Min"},
		{func() { stable.New[int](stable.Config{Truncate: 3}) }, "stable: New: Truncate must be one of its constants (got Truncate(3))"},
		{func() { stable.New[int](stable.Config{Placement: 5}) }, "stable: New: Placement must be one of its constants (got Placement(5))"},
		{func() { new(stable.List[int]).Grow(-1) }, "stable: ListOf.Grow: n must not be negative (got -1)"},
		{func() { new(stable.List[int]).Grow(huge) }, "stable: ListOf.Grow: n must be at most "},
		{func() {
			l := new(stable.ListOf[int, uint16, tiny])
			fill(t, l, 10)
			l.Grow(1<<16 - 10)
			l.Grow(1<<16 - 9)
		}, "stable: ListOf.Grow: n must be at most 65526 (got 65527)"},
		{func() { new(stable.ListOf[int, uint16, tiny]).Grow(1<<16 + 1) }, "stable: ListOf.Grow: n must be at most 65536 (got 65537)"},
	} {
		if got := panics(c.f); !strings.HasPrefix(got, c.want) {
			t.Errorf("panics with %q, want %q", got, c.want)
		}
	}
	for in, want := range map[int]int{0: 0, 1: 4, 4: 4, 5: 8, 1000: 1000, 1001: 1004} {
		if got := stable.New[int](stable.Config{Capacity: in}).Cap(); got != want {
			t.Errorf("Capacity %d makes Cap %d, want %d", in, got, want)
		}
		l := stable.New[int](stable.Config{Min: in})
		if l.Insert(1); l.Cap() != max(4, want) {
			t.Errorf("Min %d makes Cap %d, want %d", in, l.Cap(), want)
		}
	}
}

// Under TruncateMemory memory goes back with the length, one halving behind, so that a list whose
// length goes up and down by a step does not move each time.
func TestMemoryFollowsLength(t *testing.T) {
	for _, p := range placements {
		l := stable.New[[64]byte](stable.Config{Placement: p, Truncate: stable.TruncateMemory})
		var ks []stable.ListKey[[64]byte]
		for range 1 << 14 {
			ks = append(ks, l.Insert([64]byte{}))
		}
		full := heap()
		for _, k := range ks[16:] {
			l.Remove(k)
		}
		l.Delete(l.Insert([64]byte{})) // under berth_poison, the memory that was left stays until then
		if got := full - heap(); got < 1<<20 {
			t.Errorf("%v: %d bytes came back", p, got)
		}
		k := l.Insert([64]byte{})
		if n := testing.AllocsPerRun(100, func() {
			l.Remove(k)
			k = l.Insert([64]byte{})
		}); n != 0 {
			t.Errorf("%v: a step down and up allocates %v times", p, n)
		}
		runtime.KeepAlive(l)
	}
}

// heap returns the bytes of live objects.
func heap() int {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// branching is an identifier whose Next is not injective: 1, 2, 3, 4, 2, 3, 4, ...
type branching uint8

func (d branching) Next() branching {
	if d == 4 {
		return 2
	}
	return d + 1
}

// A stale key finds another value exactly if that lies in its slot and has its identifier. With a
// Next that is injective, and so with the counters, that does not come about.
func TestStaleKeysAndRepeatingIdentifiers(t *testing.T) {
	l := stable.NewOf[int, uint32, branching](stable.Config{})
	l.Insert(0)
	old := l.Insert(1)
	l.Remove(old)
	for want := range 6 { // 3, 4, 2, 3, 4, 2, all in the slot of old
		k := l.Insert(want)
		if found := l.Contains(old); found != (k == old) || found != (want%3 == 2) {
			t.Errorf("insert %d is %v: %v finds something: %v", want, k, old, found)
		}
		l.Remove(k)
	}
	w := stable.NewOf[int, uint32, wrapping](stable.Config{})
	first := w.Insert(0)
	w.Remove(first)
	for range 1000 {
		if k := w.Insert(1); w.Contains(first) || k == first {
			t.Fatalf("%v finds another value", first)
		} else {
			w.Remove(k)
		}
	}
}
