package stable_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// Every method works on the zero List, and its clone issues the same keys.
func TestZeroList(t *testing.T) {
	var l stable.List[int]
	l.Clear()
	l.Clip()
	c := l.Clone()
	for range l.All() {
		t.Error("the zero List has a value")
	}
	for range l.Spans() {
		t.Error("the zero List has a span")
	}
	for range stable.Pairs(&l) {
		t.Error("the zero List has a pair")
	}
	if v, ok := l.Remove(stable.ListKey[int]{}); ok || l.Contains(stable.ListKey[int]{}) {
		t.Errorf("Remove of the zero key is %v, %v", v, ok)
	}
	if l.Len()+l.Cap()+l.Touched() != 0 || counts(&l) != (counted{}) {
		t.Errorf("Len, Cap, Touched are %d, %d, %d", l.Len(), l.Cap(), l.Touched())
	}
	k := l.Insert(1)
	if c.Contains(k) || c.Len() != 0 || l.Len() != 1 {
		t.Error("the clone has the list's values")
	}
	if got := c.Insert(2); got != k {
		t.Errorf("the clone's first key is %v, the list's %v", got, k)
	}
	var other stable.List[int]
	if got := other.Insert(1); got == k {
		t.Errorf("another list issues the key %v too", got)
	}
	var none stable.ListOthers[int]
	for range none.All() {
		t.Error("the zero Others has a value")
	}
	for range none.Values() {
		t.Error("the zero Others has a value")
	}
	for range none.All() {
		t.Error("the zero Others has a key")
	}
	if none.Ptr(k) != nil || none.Contains(k) {
		t.Error("the zero Others finds a value")
	}
}

// An insert that is refused moves nothing.
func TestRefusedInsertMovesNothing(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint32, tiny](stable.Config{Placement: p, Capacity: 256})
		l.AgeForTest(109, 100)
		fill(t, l, 8)
		l.Clip()
		for i := range 3 {
			at, size := l.Ptr(stable.KeyAt(l, 0)), l.Cap()
			if _, err := l.TryInsert(1); !errors.Is(err, stable.ErrSpent) {
				t.Fatalf("%v: insert %d: %v", p, i, err)
			}
			if l.Ptr(stable.KeyAt(l, 0)) != at || l.Cap() != size {
				t.Errorf("%v: a refused insert has moved the values, Cap %d", p, l.Cap())
			}
		}
	}
}

// New returns the zero T, also in a slot that has held another value, and fails if Insert would.
func TestNew(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint32, tiny](stable.Config{Placement: p})
		for i := range 10 {
			k, v := l.New()
			if v == nil || *v != 0 || l.Ptr(k) != v {
				t.Fatalf("%v: New() = %v, %v", p, k, v)
			}
			if *v = i + 1; i%3 == 0 && !l.Delete(k) {
				t.Errorf("%v: Delete(%v) is false", p, k)
			}
		}
		l.AgeForTest(1, 255)
		if k, v := l.New(); !k.IsZero() || v != nil || l.Len() != 6 {
			t.Errorf("%v: without identifiers, New() = %v, %v", p, k, v)
		}
		l.CheckInvariants()
	}
	full := stable.NewOf[struct{}, uint16, stable.Counter32](stable.Config{})
	for range 1 << 16 {
		full.New()
	}
	if k, v := full.New(); !k.IsZero() || v != nil {
		t.Errorf("full list: New() = %v, %v", k, v)
	}
	var l stable.List[int]
	l.SetHooks(hooks{OnInsert: func(k key, v *int) { l.Delete(k) }})
	if k, v := l.New(); k.IsZero() || v != nil || l.Len() != 0 {
		t.Errorf("list whose hook removes: New() = %v, %v", k, v)
	}
}

// Delete removes exactly the value that its key refers to.
func TestDelete(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Seed: 1})
		ks := fill(t, l, 20)
		foreign := stable.New[int](stable.Config{Seed: 2}).Insert(1)
		if l.Delete(key{}) || l.Delete(foreign) || l.Len() != 20 {
			t.Errorf("%v: Delete of the zero key or a foreign one is true", p)
		}
		for i := 0; i < 20; i += 2 {
			if !l.Delete(ks[i]) || l.Delete(ks[i]) || l.Contains(ks[i]) || !l.Contains(ks[i+1]) {
				t.Errorf("%v: Delete(%v) of value %d", p, ks[i], i)
			}
		}
		if l.Delete(key{}) || l.Len() != 10 {
			t.Errorf("%v: Delete of the zero key is true while slot 0 is vacant", p)
		}
		l.CheckInvariants()
	}
}

// A list keeps no removed value alive, neither by its slots nor by its hooks.
func TestDeleteLetsGo(t *testing.T) {
	for _, p := range placements {
		for _, hooked := range []bool{false, true} {
			l := stable.New[*[64]byte](stable.Config{Placement: p, Truncate: berth.TruncateNever})
			if hooked {
				l.SetHooks(stable.ListHooks[*[64]byte]{OnRemove: func(stable.ListKey[*[64]byte], **[64]byte) {}})
			}
			ws := make([]weak.Pointer[[64]byte], 0, 20)
			for range cap(ws) {
				k, v := l.New()
				*v = new([64]byte)
				ws = append(ws, weak.Make(*v))
				l.Delete(k)
			}
			runtime.GC()
			for i, w := range ws {
				if w.Value() != nil {
					t.Errorf("%v, hooks %v: value %d is kept alive", p, hooked, i)
				}
			}
			runtime.KeepAlive(l)
		}
	}
}

// InsertSeq takes no value that a full list has no room for, and loses at most one when the
// identifiers are used up.
func TestInsertSeq(t *testing.T) {
	l := stable.NewOf[int, uint16, stable.Counter32](stable.Config{})
	pulled := 0
	seq := func(yield func(int) bool) {
		for yield(pulled) {
			pulled++
		}
		pulled++
	}
	if n := stable.InsertSeq(l, seq); n != 1<<16 || pulled != 1<<16 || l.Len() != 1<<16 {
		t.Errorf("InsertSeq = %d of %d, %d live", n, pulled, l.Len())
	}
	if n := stable.InsertSeq(l, seq); n != 0 || pulled != 1<<16 {
		t.Errorf("into a full list, InsertSeq = %d, %d pulled", n, pulled-1<<16)
	}
	for i := range uint16(3) {
		l.Delete(stable.KeyAt(l, 7*i))
	}
	if n := stable.InsertSeq(l, seq); n != 3 || pulled != 1<<16+3 || *l.Ptr(stable.KeyAt(l, 14)) != 1<<16+2 {
		t.Errorf("into three slots, InsertSeq = %d, %d pulled", n, pulled-1<<16)
	}
	spent := stable.New[int](stable.Config{})
	spent.AgeForTest(7, math.MaxUint32-4)
	if pulled = 0; stable.InsertSeq(spent, seq) != 10 || pulled != 11 {
		t.Errorf("with 10 identifiers, %d values pulled", pulled)
	}
	if _, err := spent.TryInsert(1); !errors.Is(err, stable.ErrSpent) {
		t.Error(err)
	}
}

// A sequence may read and change the list that it is inserted into, end, or panic.
func TestInsertSeqOfTheListItself(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		fill(t, l, 10)
		n := stable.InsertSeq(l, func(yield func(int) bool) {
			for k, v := range berth.Drain(l) {
				if !yield(v) {
					t.Errorf("%v: InsertSeq breaks off at %v", p, k)
				}
				if v == 3 {
					l.Clip()
					l.Insert(100)
				}
				if l.Len() > 50 || v == 100 {
					return
				}
			}
		})
		if l.Len() < 10 || n < 10 {
			t.Errorf("%v: InsertSeq = %d, %d live", p, n, l.Len())
		}
		l.CheckInvariants()
		l.Clear()
		if msg := panics(func() {
			stable.InsertSeq(l, func(yield func(int) bool) {
				yield(1)
				yield(2)
				panic("seq")
			})
		}); msg != "seq" || l.Len() != 2 {
			t.Errorf("%v: panic %q, %d live", p, msg, l.Len())
		}
		if n := stable.InsertSeq(l, slices.Values([]int(nil))); n != 0 || l.Len() != 2 {
			t.Errorf("%v: InsertSeq of an empty sequence = %d", p, n)
		}
		l.CheckInvariants()
	}
}
