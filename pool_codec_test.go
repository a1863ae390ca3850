package berth

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/wiretest"
)

// spanning spans chunks of the frame, and no machine has memory for math.MaxInt32 of them.
type spanning struct {
	A [20_000]uint32
}

// churnPool makes n random calls on p, which leave holes, empty chunks and used generations.
func churnPool[T any](p *Pool[T], seed uint64, n int, value func(i uint64) T) {
	var hs []Handle[T]
	for h := range p.All() {
		hs = append(hs, h)
	}
	churnAny(p, hs, seed, n, value)
}

// samePool fails t unless p and q hold the same values by the same handles, and issue the same
// handles from now on. It changes both.
func samePool[T comparable](t *testing.T, p, q *Pool[T]) {
	t.Helper()
	p.checkInvariants()
	q.checkInvariants()
	if p.Len() != q.Len() || p.Cap() != q.Cap() || p.seed() != q.seed() ||
		p.state.Truncate != q.state.Truncate {
		t.Fatalf("%v, %v, %d: %v, %v, %d",
			p, p.state.Truncate, p.seed(), q, q.state.Truncate, q.seed())
	}
	next := func(p *Pool[T]) func() (Handle[T], T) {
		var hs []Handle[T]
		for h := range p.All() {
			hs = append(hs, h)
		}
		i := 0
		return func() (h Handle[T], v T) {
			if i < len(hs) {
				h = hs[i]
				v, _ = p.Get(h)
				i++
			}
			return h, v
		}
	}
	a, b := next(p), next(q)
	for range p.Len() {
		h, v := a()
		if g, w := b(); h != g || v != w {
			t.Fatalf("%v %v: %v %v", h, v, g, w)
		}
	}
	goOnAlike(t, p, q)
	p.checkInvariants()
	q.checkInvariants()
}

// poolShapes are Pools in all the states that a frame can describe.
func poolShapes[T any](value func(uint64) T) map[string]*Pool[T] {
	shapes := map[string]*Pool[T]{"zero": new(Pool[T])}
	add := func(name string, c Config, n int) *Pool[T] {
		c.Seed = 3
		p := NewPool[T](c)
		churnPool(p, uint64(n), n, value)
		shapes[name] = p
		return p
	}
	add("one", Config{}, 1)
	add("some", Config{}, 50)
	add("many", Config{}, 3000)
	add("length", Config{Truncate: TruncateLength}, 2000)
	add("never", Config{Truncate: TruncateNever}, 2000)
	add("capacity", Config{Capacity: 700}, 100)
	SetHooks(add("hooks", Config{}, 500), Hooks[T]{OnInsert: func(Handle[T], *T) {}})
	far := add("far", Config{}, 0)
	var hs []Handle[T]
	for i := range 4000 {
		hs = append(hs, far.Insert(value(uint64(i))))
	}
	for i, h := range hs {
		if i%1000 != 999 {
			far.Remove(h)
		}
	}
	old := NewPool[T](Config{Seed: 9})
	old.AgeForTest(70, 2)
	churnPool(old, 5, 900, value)
	shapes["retired"] = old
	return shapes
}

// Values of eight bytes, of none, and those that span chunks.
func TestPoolBinarySizes(t *testing.T) {
	flat := NewPool[uint64](Config{Seed: 1})
	churnPool(flat, 1, 3000, func(i uint64) uint64 { return i })
	b, err := AppendBinary(flat, []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 7, 1000} {
		q := new(Pool[uint64])
		if err := q.UnmarshalBinary(wiretest.Rechunk(b[3:], n)); err != nil {
			t.Fatal(err)
		}
		samePool(t, flat.Clone(), q)
	}
	empty, wide := NewPool[struct{}](Config{Seed: 1}), NewPool[spanning](Config{Seed: 1})
	churnPool(empty, 1, 3000, func(uint64) struct{} { return struct{}{} })
	for i := range 5 {
		wide.Insert(spanning{A: [20_000]uint32{1: uint32(i), 19_999: 7}})
	}
	p, q := new(Pool[struct{}]), new(Pool[spanning])
	for _, c := range []struct {
		from interface{ MarshalBinary() ([]byte, error) }
		to   interface{ UnmarshalBinary([]byte) error }
	}{{empty, p}, {wide, q}} {
		b, err := c.from.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.to.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	samePool(t, empty, p)
	samePool(t, wide, q)
}

// A number that no Pool could have written is refused, with its place.
func TestPoolLoadRefuses(t *testing.T) {
	p := NewPool[uint64](Config{Seed: 1})
	p.Grow(100)
	p.Insert(5)
	good, _ := p.MarshalBinary()
	at := contentsAt(good)
	for _, c := range []struct {
		at    int // in the contents
		b     []byte
		want  string
		wrong bool
	}{
		{10, []byte{byte(p.places())}, "", false},
		{10, []byte{byte(p.places() + 1)}, "slots that stay in memory", true},
		{10, []byte{0, 0, 0, 0, 1}, "slots that stay in memory", true},
		{22, []byte{2, 0, 0, 0, 1}, "", false},
		{22, []byte{1, 0, 0, 0, 1}, "floor 1 of a chunk", true},
		{22, []byte{3, 0, 0, 0, 1}, "floor 3 of a chunk", true},
	} {
		b := bytes.Clone(good)
		copy(b[at+c.at:], c.b)
		b = wiretest.Reseal(b)
		q := new(Pool[uint64])
		err := Decode(q, bytes.NewReader(b), nil)
		for _, err := range []error{err, q.UnmarshalBinary(b)} {
			place := fmt.Sprintf("at byte %d", at+c.at)
			if c.wrong && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), place)) || !c.wrong && err != nil {
				t.Errorf("%v, want %q %s", err, c.want, place)
			}
		}
		q.checkInvariants()
	}
}

// A load into memory in use leaves nothing of the values before, not even in the bytes that are not
// of a field.
func TestPoolLoadOverwrites(t *testing.T) {
	p, q := NewPool[padded](Config{Seed: 1}), NewPool[padded](Config{Seed: 1})
	x, h := p.Ptr(p.Insert(paddedOf(1))), q.Insert(paddedOf(2))
	for i := range unsafe.Sizeof(*x) {
		*(*byte)(unsafe.Add(unsafe.Pointer(x), i)) = 1
	}
	b, _ := q.MarshalBinary()
	if err := p.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	got := unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x)) //nolint:berthends // in place
	want := unsafe.Slice((*byte)(unsafe.Pointer(q.Ptr(h))), unsafe.Sizeof(*x))
	if x != p.Ptr(h) || !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// A header that promises much takes no memory.
func TestPoolLoadBound(t *testing.T) {
	p := NewPool[spanning](Config{Seed: 1})
	p.Insert(spanning{})
	good, _ := p.MarshalBinary()
	{
		bad := bytes.Clone(good)
		bad[contentsAt(bad)+5] = 8 // chunks of 1.3 GB
		_, size := mallocs(func() {
			if err := new(Pool[spanning]).UnmarshalBinary(wiretest.Reseal(bad)); err == nil {
				t.Error("no error")
			}
			if err := Decode(new(Pool[spanning]), bytes.NewReader(wiretest.Reseal(bad)), nil); err == nil {
				t.Error("no error")
			}
		})
		if size > 1<<20 {
			t.Errorf("%d bytes allocated", size)
		}
	}
	empty := NewPool[spanning](Config{Seed: 1})
	b, _ := empty.MarshalBinary()
	at := contentsAt(b)
	binary.LittleEndian.PutUint32(b[at+18:], 1<<20)
	if err := empty.UnmarshalBinary(wiretest.Reseal(b)); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

// Each number that no Pool writes is refused, by its name.
func TestPoolLoadNumbers(t *testing.T) {
	p := NewPool[padded](Config{Seed: 3})
	hs := fillPool(p, 100)
	p.Delete(hs[0])
	good, _ := p.MarshalBinary()
	at := contentsAt(good)
	put32, put64 := binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint64
	for want, change := range map[string]func(b []byte){
		"seed 0":                            func(b []byte) { put32(b, 0) },
		"unknown Truncate(3)":               func(b []byte) { b[4] = 3 },
		"chunks of 2^99 blocks":             func(b []byte) { b[5] = 99 },
		"floor 7 of the next chunk":         func(b []byte) { put32(b[6:], 7) },
		"8589934592 slots that stay":        func(b []byte) { put64(b[10:], 1<<33) },
		"chunks, more than 2^32 slots":      func(b []byte) { put32(b[18:], 1<<31) },
		"floor 3 of a chunk":                func(b []byte) { put32(b[22:], 3) },
		"a chunk that is in memory 2 times": func(b []byte) { b[26] = 2 },
		"both live and vacant":              func(b []byte) { b[35] |= 2 },
		// Slot 0 has the only generation that is written, in 4 bytes behind the 3 words.
		"a wrong generation in slot 0": func(b []byte) { b[51]++ },
	} {
		bad := bytes.Clone(good)
		change(bad[at:])
		bad = wiretest.Reseal(bad)
		var q Pool[padded]
		err := Decode(new(Pool[padded]), bytes.NewReader(bad), nil)
		for _, err := range []error{err, q.UnmarshalBinary(bad)} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// fillPool inserts n values, and returns their handles.
func fillPool(p *Pool[padded], n int) (hs []Handle[padded]) {
	for i := range n {
		hs = append(hs, p.Insert(paddedOf(uint64(i))))
	}
	return hs
}

// contentsAt returns the offset of the contents of a frame of one chunk behind its description.
func contentsAt(frame []byte) int {
	return 16 + int(binary.LittleEndian.Uint32(frame[12:]))
}

// A struct that holds a Pool by value loses it in JSON unless it is marshalled through a pointer.
func TestPoolJSONByValue(t *testing.T) {
	var world struct{ Pool Pool[int] }
	world.Pool.Insert(1)
	byPointer, err := json.Marshal(&world)
	if err != nil || len(byPointer) < 50 {
		t.Errorf("%s %v", byPointer, err)
	}
}

// A load with hooks calls none, and keeps the memory during Clear.
func TestPoolLoadInClear(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	for i := range 3000 {
		p.Insert(int(i))
	}
	b, _ := p.MarshalBinary()
	q := NewPool[int](Config{Seed: 2})
	calls := 0
	SetHooks(q, Hooks[int]{
		OnInsert: func(Handle[int], *int) { calls++ },
		OnRemove: func(_ Handle[int], v *int) {
			if *v == 500 {
				if err := q.UnmarshalBinary(b); err != nil {
					t.Error(err)
				}
			}
		},
	})
	for i := range 1000 {
		q.Insert(int(i))
	}
	q.Clear()
	if calls != 1000 || q.Len() != 3000 || modeOf(q) != TruncateMemory {
		t.Error(calls, q, q.state.Truncate)
	}
	q.checkInvariants()
}
