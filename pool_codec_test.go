package berth

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/seed505807e1/berth/internal/wiretest"
)

// padded has padding, a bool and a blank field.
type padded struct {
	A uint8
	B uint64
	C bool
	_ uint16
	D [3]int16
}

// spanning spans chunks of the frame, and no machine has memory for math.MaxInt32 of them.
type spanning struct {
	A [20_000]uint32
}

// churnPool makes n random calls on p, which leave holes, empty chunks and used generations.
func churnPool[T any](p *Pool[T], seed uint64, n int, value func(i uint64) T) {
	r := rand.New(rand.NewPCG(seed, 7))
	var hs []Handle[T]
	for h := range p.All() {
		hs = append(hs, h)
	}
	for range n {
		switch k := r.IntN(100); {
		case k < 60 || len(hs) == 0:
			if h := p.Insert(value(r.Uint64())); !h.IsZero() {
				hs = append(hs, h)
			}
		case k < 98:
			i := r.IntN(len(hs))
			p.Remove(hs[i])
			hs[i] = hs[len(hs)-1]
			hs = hs[:len(hs)-1]
		case k == 98 && r.IntN(20) == 0:
			p.Clear()
			hs = hs[:0]
		case r.IntN(20) == 0:
			p.Clip()
		}
	}
}

// samePool fails t unless p and q hold the same values by the same handles, and issue the same
// handles from now on. It changes both.
func samePool[T comparable](t *testing.T, p, q *Pool[T]) {
	t.Helper()
	p.checkInvariants()
	q.checkInvariants()
	if p.Len() != q.Len() || p.Cap() != q.Cap() || p.state.Truncate != q.state.Truncate {
		t.Fatalf("%v, %v: %v, %v", p, p.state.Truncate, q, q.state.Truncate)
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
	r := rand.New(rand.NewPCG(1, 1))
	var hs []Handle[T]
	for i := range 400 {
		var zero T
		if len(hs) > 0 && r.IntN(3) == 0 {
			k := r.IntN(len(hs))
			if p.Delete(hs[k]) != q.Delete(hs[k]) {
				t.Fatal("one of the two has lost", hs[k])
			}
			continue
		}
		h := p.Insert(zero)
		if g := q.Insert(zero); h != g {
			t.Fatalf("insert %d: %v, %v", i, h, g)
		}
		hs = append(hs, h)
	}
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

func eachShape[T comparable](t *testing.T, value func(uint64) T, load func(t *testing.T, p, q *Pool[T])) {
	t.Helper()
	for name, p := range poolShapes(value) {
		for warm := range 3 {
			q := new(Pool[T])
			switch warm {
			case 1:
				q = p.Clone()
				churnPool(q, 8, 300, value)
			case 2:
				q = NewPool[T](Config{Seed: 77, Truncate: TruncateLength})
				churnPool(q, 9, 5000, value)
			}
			t.Run(fmt.Sprintf("%s/%d", name, warm), func(t *testing.T) {
				p := p.Clone()
				load(t, p, q)
				if q.seed() != p.seed() {
					t.Errorf("seed %d, want %d", q.seed(), p.seed())
				}
				samePool(t, p, q)
			})
		}
	}
}

func paddedOf(i uint64) padded {
	return padded{A: uint8(i), B: i, C: i&1 != 0, D: [3]int16{int16(i), -1, int16(i >> 8)}}
}

// A Pool that loads the bytes of another one finds the same values, and goes on alike.
func TestPoolBinary(t *testing.T) {
	binary := func(t *testing.T, b []byte, err error, q interface{ UnmarshalBinary([]byte) error }) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := q.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("padded", func(t *testing.T) {
		eachShape(t, paddedOf, func(t *testing.T, p, q *Pool[padded]) {
			b, err := p.MarshalBinary()
			binary(t, b, err, q)
			if again, _ := q.MarshalBinary(); !bytes.Equal(b, again) {
				t.Error("the loaded Pool has other bytes")
			}
		})
	})
	t.Run("flat", func(t *testing.T) {
		eachShape(t, func(i uint64) uint64 { return i }, func(t *testing.T, p, q *Pool[uint64]) {
			b, err := AppendBinary(p, []byte("abc"))
			binary(t, b[3:], err, q)
			for _, n := range []int{1, 7, 1000} {
				binary(t, wiretest.Rechunk(b[3:], n), nil, q)
			}
		})
	})
	t.Run("empty", func(t *testing.T) {
		eachShape(t, func(uint64) struct{} { return struct{}{} }, func(t *testing.T, p, q *Pool[struct{}]) {
			b, err := p.MarshalBinary()
			binary(t, b, err, q)
		})
	})
	t.Run("wide", func(t *testing.T) {
		p := NewPool[spanning](Config{Seed: 1})
		for i := range 5 {
			p.Insert(spanning{A: [20_000]uint32{1: uint32(i), 19_999: 7}})
		}
		b, err := p.MarshalBinary()
		q := new(Pool[spanning])
		binary(t, b, err, q)
		samePool(t, p, q)
	})
}

func TestPoolStream(t *testing.T) {
	eachShape(t, paddedOf, func(t *testing.T, p, q *Pool[padded]) {
		var buf bytes.Buffer
		if err := Encode(p, &buf, nil); err != nil {
			t.Fatal(err)
		}
		if want, _ := p.MarshalBinary(); !bytes.Equal(buf.Bytes(), want) {
			t.Error("Encode and MarshalBinary differ")
		}
		buf.WriteString("rest")
		if err := Decode(q, iotest.OneByteReader(&buf), nil); err != nil {
			t.Fatal(err)
		}
		if buf.String() != "rest" {
			t.Errorf("%q is left", buf.String())
		}
	})
}

func TestPoolEncode(t *testing.T) {
	value := func(i uint64) string { return strings.Repeat("x", int(i%9)) }
	eachShape(t, value, func(t *testing.T, p, q *Pool[string]) {
		var buf bytes.Buffer
		put := func(b []byte, v *string) ([]byte, error) { return append(b, *v...), nil }
		if err := Encode(p, &buf, put); err != nil {
			t.Fatal(err)
		}
		get := func(b []byte, v *string) error { *v = string(b); return nil }
		if err := Decode(q, &buf, get); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPoolJSON(t *testing.T) {
	value := func(i uint64) string { return fmt.Sprint("<", i%100, ">") }
	eachShape(t, value, func(t *testing.T, p, q *Pool[string]) {
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, q); err != nil {
			t.Fatal(err)
		}
		before, _ := json.Marshal(q)
		if err := json.Unmarshal([]byte("null"), q); err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(q); !bytes.Equal(before, after) || !bytes.Equal(before, b) {
			t.Errorf("%s\n%s\n%s", b, before, after)
		}
	})
}

func TestPoolGob(t *testing.T) {
	eachShape(t, paddedOf, func(t *testing.T, p, q *Pool[padded]) {
		var buf bytes.Buffer
		if err := gob.NewEncoder(&buf).Encode(p); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&buf).Decode(q); err != nil {
			t.Fatal(err)
		}
	})
}

// A load that fails leaves the Pool as it was, whatever is wrong with the data.
func TestPoolLoadFails(t *testing.T) {
	p := NewPool[padded](Config{Seed: 3})
	churnPool(p, 1, 500, paddedOf)
	good, _ := p.MarshalBinary()
	q := NewPool[padded](Config{Seed: 4})
	churnPool(q, 2, 700, paddedOf)
	was, _ := q.MarshalBinary()
	refuse := func(t *testing.T, data []byte, want ...error) {
		t.Helper()
		errs := []error{q.UnmarshalBinary(data)}
		if err := Decode(q, bytes.NewReader(data), nil); true {
			errs = append(errs, err)
		}
		for _, err := range errs {
			for _, w := range want {
				if !errors.Is(err, w) {
					t.Errorf("error %v, want %v", err, w)
				}
			}
		}
		if now, _ := q.MarshalBinary(); !bytes.Equal(now, was) {
			t.Fatal("the Pool has changed")
		}
		q.checkInvariants()
	}
	for n := range good {
		refuse(t, good[:n], ErrCorrupt, io.ErrUnexpectedEOF)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		refuse(t, bad, ErrCorrupt)
	}
	if err := q.UnmarshalBinary(append(bytes.Clone(good), 0)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
	small := NewPool[padded](Config{Limit: p.Len() - 1})
	if err := small.UnmarshalBinary(good); !errors.Is(err, ErrFull) || small.Len() != 0 {
		t.Errorf("beyond Limit: %v", err)
	}
	exact := NewPool[padded](Config{Limit: p.Len()})
	if err := exact.UnmarshalBinary(good); err != nil || !exact.Insert(padded{}).IsZero() {
		t.Errorf("at Limit: %v", err)
	}
	for i, err := range []error{
		new(Pool[uint64]).UnmarshalBinary(good),
		new(Dense[padded]).UnmarshalBinary(good),
		new(Pool[struct {
			A uint8
			B uint64
			C bool
			D [3]uint16
		}]).UnmarshalBinary(good),
	} {
		want := []string{"the type is a struct, not u8", "a saved Pool, not a Dense",
			"field .D[0] is i2, not u2"}[i]
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Data whose checksums are right, but not the rest, is refused, or makes a consistent Pool.
func TestPoolHostile(t *testing.T) {
	p := NewPool[padded](Config{Seed: 3})
	p.AgeForTest(70, 2)
	churnPool(p, 1, 300, paddedOf)
	good, _ := p.MarshalBinary()
	r := rand.New(rand.NewPCG(3, 3))
	refused, n := 0, fewer(4000, 400)
	for range n {
		bad := bytes.Clone(good)
		for range 1 + r.IntN(3) {
			i := 12 + r.IntN(len(bad)-12)
			bad[i] = byte(r.Uint32())
		}
		refused += hostilePool(t, wiretest.Reseal(bad))
	}
	if refused < n/10 || refused == n {
		t.Errorf("%d of %d refused", refused, n)
	}
}

// hostilePool loads data of unknown origin in both ways, and returns 1 if it is refused.
func hostilePool(t *testing.T, data []byte) int {
	t.Helper()
	q, s := NewPool[padded](Config{Seed: 4, Limit: 1000}), NewPool[padded](Config{Seed: 4, Limit: 1000})
	q.Insert(padded{})
	err := q.UnmarshalBinary(data)
	from := bytes.NewReader(data)
	other := Decode(s, from, nil)
	if more := other == nil && from.Len() > 0; (err == nil) != (other == nil && !more) {
		t.Fatalf("UnmarshalBinary: %v, Decode: %v", err, other)
	}
	q.checkInvariants()
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrFull) || q.Len() != 1 {
			t.Fatal(q, err)
		}
		return 1
	}
	samePool(t, q, s)
	return 0
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

func TestPoolSaveUnderConstruction(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	p.Insert(5)
	good, _ := p.MarshalBinary()
	p.InsertFunc(func(Handle[int], *int) {
		_, err := p.MarshalBinary()
		err2 := Encode(p, io.Discard, nil)
		_, err3 := p.MarshalJSON()
		err4 := p.UnmarshalBinary(good)
		err5 := Decode(p, bytes.NewReader(good), nil)
		for i, err := range []error{err, err2, err3, err4, err5} {
			if err == nil || !strings.Contains(err.Error(), "under construction") {
				t.Error(i, err)
			}
		}
	})
	if p.Len() != 2 {
		t.Error(p)
	}
}

// The functions of the caller may fail, panic, and change the Pool.
func TestPoolDecodeFails(t *testing.T) {
	p := NewPool[string](Config{Seed: 1})
	for i := range 100 {
		p.Insert(fmt.Sprint(i))
	}
	errMine := errors.New("mine")
	put := func(b []byte, v *string) ([]byte, error) { return append(b, *v...), nil }
	if err := Encode(p, io.Discard, func([]byte, *string) ([]byte, error) { return nil, errMine }); !errors.Is(err, errMine) {
		t.Error(err)
	}
	if err := Encode(p, failWriter{errMine}, put); !errors.Is(err, errMine) {
		t.Error(err)
	}
	var buf bytes.Buffer
	_ = Encode(p, &buf, put)
	q := NewPool[string](Config{Seed: 2})
	q.Insert("old")
	turn := 0
	err := Decode(q, bytes.NewReader(buf.Bytes()), func([]byte, *string) error {
		if turn++; turn == 70 {
			return errMine
		}
		return nil
	})
	if !errors.Is(err, errMine) || q.Len() != 1 {
		t.Error(err, q)
	}
	mustPanic(t, "boom", func() {
		_ = Decode(q, bytes.NewReader(buf.Bytes()), func([]byte, *string) error { panic("boom") })
	})
	if q.Len() != 1 {
		t.Error(q)
	}
	if err := Decode(q, iotest.ErrReader(errMine), nil); err == nil {
		t.Error("a Pool of strings was read")
	}
	n := NewPool[int](Config{})
	if err := Decode(n, iotest.ErrReader(errMine), nil); !errors.Is(err, errMine) || errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if _, err := p.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "Go pointers") {
		t.Error(err)
	}
}

type failWriter struct{ err error }

func (w failWriter) Write([]byte) (int, error) { return 0, w.err }

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
	if calls != 1000 || q.Len() != 3000 || Truncate(q.state.Truncate) != TruncateMemory {
		t.Error(calls, q, q.state.Truncate)
	}
	q.checkInvariants()
}

// A load into a Pool of the same shape allocates nothing, and neither does a save into a buffer with
// room.
func TestPoolCodecAllocs(t *testing.T) {
	p := NewPool[padded](Config{Seed: 1})
	churnPool(p, 1, 5000, paddedOf)
	b, _ := p.MarshalBinary()
	q := p.Clone()
	if n := testing.AllocsPerRun(20, func() {
		if q.UnmarshalBinary(b) != nil {
			t.Error("not loaded")
		}
	}); n != 0 {
		t.Errorf("UnmarshalBinary: %v allocations", n)
	}
	buf := make([]byte, 0, 2*len(b)+100_000)
	if n := testing.AllocsPerRun(20, func() { _, _ = AppendBinary(p, buf) }); n != 0 {
		t.Errorf("AppendBinary: %v allocations", n)
	}
}

func FuzzPoolLoad(f *testing.F) {
	p := NewPool[padded](Config{Seed: 3})
	p.AgeForTest(70, 2)
	churnPool(p, 1, 100, paddedOf)
	b, _ := p.MarshalBinary()
	f.Add(b)
	b, _ = new(Pool[padded]).MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) { hostilePool(t, wiretest.Reseal(data)) })
}
