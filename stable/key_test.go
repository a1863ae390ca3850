package stable_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/stable"
)

// The counters skip 0.
func TestCounters(t *testing.T) {
	if n := stable.Counter32(math.MaxUint32).Next(); n != 1 {
		t.Errorf("Next of the last Counter32 = %d, want 1", n)
	}
	if n := stable.Counter64(math.MaxUint64).Next(); n != 1 {
		t.Errorf("Next of the last Counter64 = %d, want 1", n)
	}
}

// serial is an identifier whose Next calls beforeNext, once, and nextOf, if they are set.
type serial uint32

var (
	beforeNext func()
	nextOf     func(serial) serial
)

func (d serial) Next() serial {
	if f := beforeNext; f != nil {
		beforeNext = nil
		f()
	}
	if nextOf != nil {
		return nextOf(d)
	}
	return d + 1
}

// A Next that uses the list finds it whole and leaves it whole.
func TestNextThatUsesTheList(t *testing.T) {
	for _, p := range placements {
		for n := range 9 {
			for name, f := range map[string]func(l *stable.ListOf[int, uint32, serial]){
				"Insert": func(l *stable.ListOf[int, uint32, serial]) { l.Insert(99) },
				"Inserts": func(l *stable.ListOf[int, uint32, serial]) {
					k := l.Insert(99)
					l.Insert(99)
					l.Remove(k)
					if l.Insert(99) == k {
						t.Errorf("%v: a key was given twice", p)
					}
				},
				"Clear": func(l *stable.ListOf[int, uint32, serial]) { l.Clear(); l.Clip() },
				"Put": func(l *stable.ListOf[int, uint32, serial]) {
					mustInsertAt(t, l, stable.KeyForTest[int](uint32(l.Touched()), serial(50)), 99)
				},
				"CopyFrom": func(l *stable.ListOf[int, uint32, serial]) {
					c := l.Clone()
					c.Clear()
					l.CopyFrom(c)
				},
				"Grow": func(l *stable.ListOf[int, uint32, serial]) { l.Grow(100) },
				"Remove": func(l *stable.ListOf[int, uint32, serial]) {
					l.RemoveFunc(func(stable.Key[int, uint32, serial], *int) bool { return true })
				},
			} {
				l := stable.NewOf[int, uint32, serial](stable.Config{Placement: p})
				fill(t, l, n)
				beforeNext = func() { f(l) }
				k, err := l.TryInsert(1)
				if err != nil && (name[0] != 'I' || !errors.Is(err, stable.ErrSpent)) {
					t.Errorf("%v: Insert whose Next calls %s: %v", p, name, err)
				}
				if err == nil && name[0] == 'I' {
					t.Errorf("%v: Insert whose Next calls %s = %v", p, name, k)
				}
				if v, ok := l.Get(k); err == nil && (v != 1 || !ok) {
					t.Errorf("%v: after Next called %s, Get(%v) = %d, %v", p, name, k, v, ok)
				}
				l.CheckInvariants()
			}
		}
	}
}

// Next fills the last slot, which the calling insert has counted on.
func TestNextThatFillsTheList(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint16, serial](stable.Config{Placement: p})
		fill(t, l, 1<<16-1)
		beforeNext = func() { l.Insert(7) }
		if k, err := l.TryInsert(8); err == nil {
			t.Errorf("%v: value 65 537 gets %v", p, k)
		}
		if l.Len() != 1<<16 || !l.Insert(1).IsZero() {
			t.Errorf("%v: %d values", p, l.Len())
		}
		l.CheckInvariants()
	}
}

// The sizes of keys, for tables of them.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"ListKey", unsafe.Sizeof(stable.ListKey[string]{}), 8},
		{"Key of uint16 and Counter32", unsafe.Sizeof(stable.Key[int, uint16, stable.Counter32]{}), 8},
		{"Key of uint32 and Counter64", unsafe.Sizeof(stable.Key[int, uint32, stable.Counter64]{}),
			8 + unsafe.Alignof(stable.Counter64(0))},
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
	if !none.IsZero() || none.String() != "none" {
		t.Errorf("the zero Key is %v", none)
	}
	l := stable.NewOf[int, uint32, tiny](stable.Config{})
	l.Insert(1)
	k := l.Insert(2)
	if k.IsZero() || k.Index() != 1 || k.ID() != 2 || k.String() != "1:2" {
		t.Errorf("the second key is %v", k)
	}
	if s := fmt.Sprintf("%d %s %x %v", k, k, stable.KeyAt(l, 0), none); s != "1:2 1:2 0:1 none" {
		t.Errorf("keys are printed as %s", s)
	}
	if stable.KeyAt(l, 1) != k || !stable.KeyAt(l, 2).IsZero() || !stable.KeyAt(l, math.MaxUint32).IsZero() {
		t.Errorf("At = %v, %v, %v", stable.KeyAt(l, 1), stable.KeyAt(l, 2), stable.KeyAt(l, math.MaxUint32))
	}
	l.Remove(k)
	if !stable.KeyAt(l, 1).IsZero() {
		t.Errorf("At of a vacant slot = %v", stable.KeyAt(l, 1))
	}
}

// With the same seed and calls, keys are the same everywhere.
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

// A key of another list finds nothing before one of n lists has had 2^32/3n inserts, or 2^64/3n.
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

// When its identifiers are used up, a list refuses inserts, and its values stay usable.
func TestSpent(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		l.AgeForTest(7, math.MaxUint32-4) // 10 left, across the end, which skips 0
		testSpent(t, l)
	}
	w := stable.NewOf[int, uint16, stable.Counter64](stable.Config{})
	w.AgeForTest(7, math.MaxUint64-4)
	testSpent(t, w)
	z := stable.NewOf[int, uint16, stable.Counter32](stable.Config{Seed: 3})
	z.AgeForTest(111, 100)
	testSpent(t, z)
	// A list whose first identifier is 1, as of a Start of 0, wraps around to it.
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
		t.Error("a clone issues identifiers that its list has not")
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
		t.Error("Insert succeeds after Clear, though identifiers are used up")
	}
	l.CheckInvariants()
}

// setNext makes f the Next of serial until the test ends.
func setNext(t *testing.T, f func(serial) serial) {
	nextOf = f
	t.Cleanup(func() { nextOf = nil })
}

// wrapping returns 1 to 255 and then 1. From 0, where it begins, it does not return there.
func wrapping(d serial) serial { return d%255 + 1 }

// cycling is 1, 2, 3, 1, ... It starts at 3.
type cycling uint8

func (d cycling) Next() cycling { return d%3 + 1 }

func (cycling) Start(uint32) cycling { return 3 }

// nothing is an identifier without any bits.
type nothing struct{}

func (nothing) Next() nothing { return nothing{} }

func given[T any, I stable.Index, D stable.Identifier[D]](t *testing.T, want int) {
	t.Helper()
	l := stable.NewOf[T, I, D](stable.Config{})
	n := 0
	var err error
	for ; n < 300 && err == nil; n++ {
		_, err = l.TryInsert(*new(T))
	}
	if n-1 != want || !errors.Is(err, stable.ErrSpent) {
		t.Errorf("%T: %d identifiers, then %v; want %d", *new(D), n-1, err, want)
	}
	l.CheckInvariants()
}

func TestNextThatRepeatsItself(t *testing.T) {
	for _, c := range []struct {
		next func(serial) serial
		want int
	}{
		{func(serial) serial { return 5 }, 1},
		{func(d serial) serial { return min(d+1, 3) }, 3},
		{wrapping, 255},
		{func(d serial) serial { return (d + 1) % 3 }, 2}, // 1, 2, 0
	} {
		setNext(t, c.next)
		given[int, uint32, serial](t, c.want)
	}
	given[int, uint32, cycling](t, 3)
	given[int, uint32, tiny](t, 255)
	given[struct{}, uint64, nothing](t, 0)
}

func TestNextThatPanics(t *testing.T) {
	setNext(t, func(d serial) serial {
		if d == 3 {
			panic("no more")
		}
		return d + 1
	})
	for _, p := range placements {
		l := stable.NewOf[int, uint32, serial](stable.Config{Placement: p})
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

// A stale key finds another value exactly if that value is in its slot and has its identifier. That
// cannot happen with an injective Next, such as the counters'.
func TestStaleKeysAndRepeatingIdentifiers(t *testing.T) {
	setNext(t, func(d serial) serial { // not injective: 1, 2, 3, 4, 2, 3, 4, ...
		if d == 4 {
			return 2
		}
		return d + 1
	})
	l := stable.NewOf[int, uint32, serial](stable.Config{})
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
	setNext(t, wrapping)
	w := stable.NewOf[int, uint32, serial](stable.Config{})
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
