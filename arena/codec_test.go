package arena

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/wiretest"
)

// TestRoundTrip marshals containers of all kinds after random calls, and unmarshals them into new
// containers and into used ones. A copy then goes on like the original: all contents, indices,
// handles and orders stay the same.
func TestRoundTrip(t *testing.T) {
	for _, s := range codecSubjects {
		t.Run(s.name, func(t *testing.T) {
			again := s.make(NewChunked(1 << 12)) // is loaded many times
			for seed := range 8 {
				next := counter(seed)
				a := NewChunked(1 << 12)
				from := s.make(a)
				if seed > 0 {
					s.play(from, next)
				}
				if seed%3 == 0 { // so that the memory is not the most recent, and is reused
					NewVec[byte](a).Push(1)
					s.play(from, next)
				}
				s.sound(from)
				data := marshal(t, from)
				if cap(data) > 2*len(data)+64 {
					t.Errorf("%d bytes in a slice of %d", len(data), cap(data))
				}
				other := s.make(NewFixed(1 << 20))
				s.play(other, next)
				for i, to := range []coder{s.make(NewFixed(1 << 20)), other, again, from} {
					if err := to.UnmarshalBinary(data); err != nil {
						t.Fatalf("seed %d: receiver %d: %v", seed, i, err)
					}
					s.sound(to)
					if got, want := s.dump(to), s.dump(from); got != want {
						t.Fatalf("seed %d: receiver %d: loaded\n%s\nwant\n%s", seed, i, got, want)
					}
					if i == 0 && !bytes.Equal(marshal(t, to), data) {
						t.Fatalf("seed %d: the loaded container is marshalled to other bytes", seed)
					}
				}
				more, err := from.AppendBinary([]byte("before"))
				if err != nil || !bytes.Equal(more, append([]byte("before"), data...)) {
					t.Fatalf("seed %d: AppendBinary does not append what MarshalBinary returns", seed)
				}
				for round := range 3 {
					s.play(from, counter(seed*10+round))
					s.play(again, counter(seed*10+round))
					s.sound(again)
					if got, want := s.dump(again), s.dump(from); got != want {
						t.Fatalf("seed %d, round %d: loaded\n%s\nwant\n%s", seed, round, got, want)
					}
				}
				if x, y := marshal(t, from), marshal(t, again); !bytes.Equal(x, y) {
					t.Fatalf("seed %d: %x\nwant %x", seed, y, x)
				}
			}
		})
	}
}

// TestPadding: the padding between fields is not encoded.
func TestPadding(t *testing.T) {
	garbage := func(p *codecPadded, c byte) {
		b := unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
		for i := range b {
			b[i] = c
		}
		p.A, p.B, p.C, p.E = true, 2, 3, [3]bool{true, false, true} // field by field
		for i := range p.D {
			p.D[i].X, p.D[i].Y = 4, -5
		}
	}
	fill := map[string]func(c byte) coder{
		"Vec": func(c byte) coder {
			v := NewVec[codecPadded](NewFixed(1 << 16))
			v.Resize(3)
			for _, p := range v.All() {
				garbage(p, c)
			}
			return v
		},
		"Deque": func(c byte) coder {
			d := NewDeque[codecPadded](NewFixed(1<<16), DequeConfig{Block: 2})
			for range 3 {
				d.PushFront(codecPadded{})
			}
			for _, p := range d.All() {
				garbage(p, c)
			}
			return d
		},
		"Pool": func(c byte) coder {
			p := NewPool[codecPadded](NewFixed(1 << 16))
			i, _ := p.Insert(codecPadded{})
			garbage(p.Ptr(i), c)
			return p
		},
		"Handles": func(c byte) coder {
			r := NewHandles[codecPadded, Handle64[codecPadded]](NewFixed(1<<16), HandlesConfig{Seed: 1})
			_, _ = r.InsertFunc(func(_ Handle64[codecPadded], p *codecPadded) { garbage(p, c) })
			return r
		},
		"Map": func(c byte) coder {
			m := NewMap[codecPadded, codecPadded](NewFixed(1 << 16))
			var k codecPadded
			garbage(&k, c)
			m.Set(k, codecPadded{})
			garbage(m.Ptr(k), c)
			return m
		},
	}
	for name, f := range fill {
		x, y := marshal(t, f(0x00)), marshal(t, f(0xEE))
		if !bytes.Equal(x, y) {
			t.Errorf("%s: %x\n%x", name, x, y)
		}
	}
}

// TestDecodedPadding: values are decoded into zeroed memory.
func TestDecodedPadding(t *testing.T) {
	v := NewVec[codecPadded](NewFixed(1 << 16))
	v.Resize(2)
	data := marshal(t, v)
	v.Resize(5)
	for i := range bytesOf(v.s) {
		bytesOf(v.s)[i] = 0xDB
	}
	d := NewDeque[codecPadded](NewFixed(1<<16), DequeConfig{Block: 2})
	d.PushBack(codecPadded{})
	queue := marshal(t, d)
	for i := range bytesOf(d.front) {
		bytesOf(d.front)[i] = 0xDB
	}
	if err := errors.Join(v.UnmarshalBinary(data), d.UnmarshalBinary(queue)); err != nil {
		t.Fatal(err)
	}
	if !allZero(bytesOf(v.s)) || !allZero(bytesOf(d.front[:1])) {
		t.Errorf("%x\n%x", bytesOf(v.s), bytesOf(d.front[:1]))
	}
}

// TestRenamed: a type with another name is the same type, and one with other fields is a different
// one.
func TestRenamed(t *testing.T) {
	type renamed codecPadded
	type other struct{ X, B uint8 }
	v := NewVec[codecPadded](NewFixed(1 << 12))
	v.Push(codecPadded{B: 7})
	w := NewVec[renamed](NewFixed(1 << 12))
	if err := w.UnmarshalBinary(marshal(t, v)); err != nil || w.At(0).B != 7 {
		t.Errorf("%v, %v", w.Slice(), err)
	}
	x := NewVec[other](NewFixed(1 << 12))
	if err := x.UnmarshalBinary(marshal(t, NewVec[codecTail](nil))); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a type of other fields: %v", err)
	}
}

// TestEmptyBlocksAreNotWritten: the encoding of a Pool that once had many values is as short as
// that of one that never had.
func TestEmptyBlocksAreNotWritten(t *testing.T) {
	p := NewPool[uint8](NewFixed(1 << 16))
	p.Insert(1)
	want := marshal(t, p)
	for range 1000 {
		p.Insert(2)
	}
	for i := range 1000 {
		p.Remove(i + 1)
	}
	if got := marshal(t, p); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestMemoryServesAgain: unmarshalling the same data repeatedly takes no memory.
func TestMemoryServesAgain(t *testing.T) {
	for _, s := range codecSubjects {
		from := s.make(NewChunked(1 << 12))
		s.play(from, counter(5))
		data := marshal(t, from)
		a := NewChunked(1 << 12)
		to := s.make(a)
		if err := to.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		NewVec[byte](a).Push(1) // so that the memory of to is not the most recent
		used := a.Used()
		allocs := fewestAllocs(func() {
			if err := to.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
		})
		if a.Used() != used || allocs > 0 {
			t.Errorf("%s: takes %d bytes, and allocates %v times", s.name, a.Used()-used, allocs)
		}
		b := make([]byte, 0, 2*len(data))
		allocs = fewestAllocs(func() { b, _ = to.AppendBinary(b[:0]) })
		if allocs > 0 {
			t.Errorf("%s: AppendBinary allocates %v times", s.name, allocs)
		}
	}
}

// A receiver that is the most recent allocation grows in place.
func TestDecodeInPlace(t *testing.T) {
	w := NewVec[uint64](NewFixed(1 << 16))
	w.Resize(100)
	last := NewVec[uint64](NewFixed(1 << 16))
	last.Push(1)
	first := last.Ptr(0)
	if err := last.UnmarshalBinary(marshal(t, w)); err != nil || last.Ptr(0) != first {
		t.Errorf("the most recent allocation does not grow in place: %v", err)
	}
}

// TestNoArena: containers without an arena can be marshalled, and can be unmarshalled from empty
// ones.
func TestNoArena(t *testing.T) {
	for _, s := range codecSubjects {
		full := s.make(NewChunked(1 << 12))
		for seed := range 5 {
			s.play(full, counter(seed+1))
		}
		for i, c := range []coder{s.zero(), s.make(nil)} {
			empty := marshal(t, c)
			if i == 0 && strings.HasPrefix(s.name, "Handles") {
				empty = marshal(t, s.make(NewFixed(0)))
			}
			if err := c.UnmarshalBinary(empty); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if err := c.UnmarshalBinary(marshal(t, full)); !errors.Is(err, ErrNoSpace) {
				t.Errorf("%s: %v, want no space", s.name, err)
			}
		}
	}
}

type (
	nestedStruct struct {
		A int
		B [2]struct{ Items Nested[uint8] }
	}
	nestedEmbedded struct{ Nested[uint8] }
	nestedRenamed  Nested[uint8]
	codecOnlyBlank struct{ _ uint64 }
)

// TestRefused: some types cannot be marshalled, and the error gives the reason.
func TestRefused(t *testing.T) {
	for want, c := range map[string]coder{
		"a Nested: arena.nestedStruct.B[0].Items": NewVec[nestedStruct](nil),
		"a Nested: arena.Nested[uint8]":           NewDeque[Nested[uint8]](nil, DequeConfig{}),
		"a Nested: arena.nestedEmbedded.Nested":   NewPool[nestedEmbedded](nil),
		"a Nested: arena.nestedRenamed":           NewVec[nestedRenamed](nil),
		"a Nested: [2]arena.Nested[uint8][0]":     NewMap[int, [2]Nested[uint8]](nil),
		"a Nested: arena.Nested[bool]": NewHandles[Nested[bool], Handle32[Nested[bool]]](
			nil, HandlesConfig{}),
		"arena.codecOnlyBlank has nothing":       NewVec[codecOnlyBlank](nil),
		"cannot marshal Go pointers: string":     new(Vec[string]),
		"cannot marshal Go pointers: [2]*int[0]": new(Map[int, [2]*int]),
	} {
		_, err1 := c.MarshalBinary()
		b, err2 := c.AppendBinary([]byte("x"))
		for _, err := range []error{err1, err2, c.UnmarshalBinary(nil)} {
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrCorrupt) {
				t.Errorf("%T: %v, want %q", c, err, want)
			}
		}
		if string(b) != "x" {
			t.Errorf("%T: AppendBinary returns %q", c, b)
		}
	}
	if v := NewVec[[0]Nested[int]](nil); len(marshal(t, v)) == 0 { // holds no Nested
		t.Error("not marshalled")
	}
}

// TestUnderConstruction: a Handles cannot be marshalled while InsertFunc runs.
func TestUnderConstruction(t *testing.T) {
	r := NewHandles[int, Handle32[int]](NewFixed(1<<12), HandlesConfig{})
	data := marshal(t, r)
	_, _ = r.InsertFunc(func(Handle32[int], *int) {
		if _, err := r.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "InsertFunc") {
			t.Errorf("MarshalBinary: %v", err)
		}
		defer func() {
			if s, ok := recover().(string); !ok || !strings.Contains(s, "InsertFunc") {
				t.Errorf("UnmarshalBinary panics with %q", s)
			}
		}()
		_ = r.UnmarshalBinary(data)
	})
	if r.Len() != 1 {
		t.Errorf("Len = %d", r.Len())
	}
}

// TestLoadInLoop unmarshals more and fewer values while a loop runs, which must end.
func TestLoadInLoop(t *testing.T) {
	for _, s := range codecSubjects {
		if unsafe.Sizeof(s) == 0 || strings.Contains(s.name, "of nothing") {
			continue
		}
		var all [][]byte
		for seed := range 6 {
			c := s.make(NewChunked(1 << 12))
			for k := range seed {
				s.play(c, counter(seed*7+k))
			}
			all = append(all, marshal(t, c))
		}
		for seed := range 6 {
			c := s.make(NewChunked(1 << 12))
			s.play(c, counter(seed+50))
			steps := 0
			loop := reflect.ValueOf(c).MethodByName("All").Call(nil)[0]
			for range loop.Seq2() {
				if err := c.UnmarshalBinary(all[(steps+seed)%len(all)]); err != nil {
					t.Fatal(err)
				}
				if steps++; steps > 10_000 {
					t.Fatalf("%s: the loop does not end", s.name)
				}
			}
			s.sound(c)
		}
	}
}

// TestManyNothings: any number of zero-size values costs nothing.
func TestManyNothings(t *testing.T) {
	a := NewFixed(1 << 10)
	v := NewVec[struct{}](a)
	v.Resize(math.MaxInt)
	w := NewVec[[0]int](a)
	if err := w.UnmarshalBinary(marshal(t, v)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("another type without size: %v", err)
	}
	u := NewVec[struct{}](a)
	if err := u.UnmarshalBinary(marshal(t, v)); err != nil || u.Len() != math.MaxInt {
		t.Errorf("Len = %d, %v", u.Len(), err)
	}
	d := NewDeque[struct{}](a, DequeConfig{Block: 1 << 30})
	d.ReserveBack(1)
	d.back = d.back[:cap(d.back)]
	data := marshal(t, d)
	if err := d.UnmarshalBinary(data); err != nil || d.Len() != 1<<30 {
		t.Errorf("Len = %d, %v", d.Len(), err)
	}
	small := NewDeque[struct{}](a, DequeConfig{Block: 1 << 12})
	if err := small.UnmarshalBinary(data); !errors.Is(err, ErrNoSpace) {
		t.Errorf("2^18 blocks: %v", err)
	}
	data[contentsAt(data)]++ // one more value
	if err := d.UnmarshalBinary(wiretest.Reseal(data)); !errors.Is(err, ErrNoSpace) {
		t.Errorf("2^30+1 values: %v", err)
	}
	if a.Used() != 0 {
		t.Errorf("Used = %d", a.Used())
	}
}

// TestMapNaN: the number of NaN keys is preserved.
func TestMapNaN(t *testing.T) {
	m := NewMap[float64, uint8](NewFixed(1 << 12))
	for i := range uint8(10) {
		m.Set(math.NaN(), i)
	}
	n := NewMap[float64, uint8](NewFixed(1 << 12))
	for range 2 { // into new memory, and then into the same
		if err := n.UnmarshalBinary(marshal(t, m)); err != nil || n.Len() != 10 {
			t.Errorf("Len = %d, %v", n.Len(), err)
		}
	}
	var vals []uint8
	for _, v := range n.All() {
		vals = append(vals, *v)
	}
	if !slices.Equal(vals, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Error(vals)
	}
	n.Set(1, 1)
	if v, ok := n.Get(1); !ok || v != 1 {
		t.Error("a later key is not found")
	}
}
