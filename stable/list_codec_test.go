package stable_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/wiretest"
	"github.com/seed505807e1/berth/stable"
)

// padded has padding, a bool and a blank field.
type padded struct {
	A uint8
	B uint64
	C bool
	_ uint16
	D [3]int16
}

func paddedOf(i int) padded {
	return padded{A: uint8(i), B: uint64(i), C: i&1 != 0, D: [3]int16{int16(i), -1, int16(i >> 8)}}
}

// spanning spans chunks of the frame.
type spanning [20_000]uint32

// shapes returns lists in all the states that a frame can describe.
func shapes[T any, I stable.Index, D stable.Identifier[D]](
	value func(int) T,
) (names []string, ls []*stable.ListOf[T, I, D]) {
	add := func(name string, l *stable.ListOf[T, I, D]) {
		names, ls = append(names, name), append(ls, l)
	}
	add("zero", new(stable.ListOf[T, I, D]))
	for _, p := range placements {
		for seed, n := range []int{0, 1, 3, 40, 200, 900} {
			c := stable.Config{Placement: p, Seed: 3, Truncate: berth.TruncateMemory + berth.Truncate(seed%3)}
			if seed%2 == 1 {
				c.Min = 12
			}
			r := rand.New(rand.NewPCG(uint64(seed), 3))
			l, ks := churned[T, I, D](c, r, n, value)
			add(fmt.Sprintf("%v/%d", p, n), l)
			if n < 40 {
				continue
			}
			l = l.Clone() // with skipped slots, and slots filled from the middle
			for i := range 20 {
				k := ks[r.IntN(len(ks))]
				v, ok := l.Get(k)
				if !ok {
					continue
				}
				l.Delete(k)
				for range r.IntN(3) {
					l.Delete(ks[r.IntN(len(ks))])
				}
				far := stable.KeyForTest[T](I(l.Touched()+r.IntN(30)), k.ID())
				if i%2 == 0 && l.InsertAt(k, v) == nil || i%5 == 0 && l.InsertAt(far, v) == nil {
					continue
				}
			}
			add(fmt.Sprintf("%v/%d/at", p, n), l)
		}
		l, ks := churned[T, I, D](stable.Config{Placement: p, Capacity: 700}, rand.New(rand.NewPCG(1, 1)), 100, value)
		add(p.String()+"/capacity", l)
		for _, k := range ks {
			l.Delete(k)
		}
		add(p.String()+"/emptied", l)
	}
	return names, ls
}

// eachLoad calls load with each shape and receivers of several kinds, and compares the two lists.
func eachLoad[T comparable, I stable.Index, D stable.Identifier[D]](
	t *testing.T, value func(int) T, load func(t *testing.T, from, to *stable.ListOf[T, I, D]),
) {
	t.Helper()
	names, ls := shapes[T, I, D](value)
	for i, from := range ls {
		for warm := range 4 {
			to := new(stable.ListOf[T, I, D])
			switch warm {
			case 1:
				to = from.Clone()
				to.Insert(value(3))
			case 2:
				to = ls[(i*7+3)%len(ls)].Clone()
			case 3:
				c := stable.Config{Placement: placements[i%5], Truncate: berth.TruncateMemory}
				to, _ = churned[T, I, D](c, rand.New(rand.NewPCG(9, uint64(i))), 1500, value)
			}
			what := fmt.Sprintf("%s, receiver %d", names[i], warm)
			from := from.Clone()
			load(t, from, to)
			if t.Failed() {
				t.Fatal(what)
			}
			to.CheckInvariants()
			same(t, what, to, from)
			if to.Cap() != from.Cap() || to.Touched() != from.Touched() {
				t.Fatalf("%s: %v, %d touched, want %v, %d", what, to, to.Touched(), from, from.Touched())
			}
			sameAhead(t, what, to, from, uint64(i))
		}
	}
}

func mustUnmarshal(t *testing.T, l interface{ UnmarshalBinary([]byte) error }, data []byte, err error) {
	t.Helper()
	if err == nil {
		err = l.UnmarshalBinary(data)
	}
	if err != nil {
		t.Error(err)
	}
}

// A list that loads the bytes of another one finds the same values, and goes on alike.
func TestListBinary(t *testing.T) {
	eachLoad(t, paddedOf, func(t *testing.T, from, to *stable.List[padded]) {
		b, err := from.MarshalBinary()
		mustUnmarshal(t, to, b, err)
		if again, _ := to.MarshalBinary(); !bytes.Equal(b, again) {
			t.Error("the loaded list has other bytes")
		}
	})
	flat := func(i int) uint64 { return uint64(i) }
	eachLoad(t, flat, func(t *testing.T, from, to *stable.ListOf[uint64, uint16, stable.Counter64]) {
		b, err := from.AppendBinary([]byte("abc"))
		for _, n := range []int{1, 7, 1000} {
			mustUnmarshal(t, to, wiretest.Rechunk(b[3:], n), err)
		}
	})
	eachLoad(t, func(int) struct{} { return struct{}{} },
		func(t *testing.T, from, to *stable.List[struct{}]) {
			b, err := from.MarshalBinary()
			mustUnmarshal(t, to, b, err)
		})
	from, to := stable.New[spanning](stable.Config{Seed: 1}), new(stable.List[spanning])
	for i := range 5 {
		from.Insert(spanning{1: uint32(i), 19_999: 7})
	}
	b, err := from.MarshalBinary()
	mustUnmarshal(t, to, b, err)
	same(t, "values that span chunks", to, from)
}

// Identifiers are saved in each encoding that a Key has.
func TestListIdentifiers(t *testing.T) {
	testIdentifiers[int, uint32, tiny](t, 70)
	testIdentifiers[int, uint32, serial](t, 70)
	testIdentifiers[float32, uint16, stable.Signed8](t, 70)
	testIdentifiers[float32, uint16, stable.WideInt](t, 70)
	testIdentifiers[bool, uint64, wide](t, 70)
	testIdentifiers[int8, uint16, stable.TextID](t, 8)
	l := stable.NewOf[struct{}, uint64, nothing](stable.Config{})
	_, err := l.MarshalBinary()
	err2 := l.Encode(io.Discard, nil)
	for i, err := range []error{
		err, err2, l.UnmarshalBinary(nil), l.Encode(nil, nil), l.Decode(nil, nil),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func testIdentifiers[T comparable, I stable.Index, D stable.Identifier[D]](t *testing.T, most int) {
	t.Helper()
	for _, n := range []int{0, 1, 2, 5, 8, 63, 64, 65, 69} {
		if n > most {
			break
		}
		from := stable.NewOf[T, I, D](stable.Config{Placement: placements[n%5]})
		for i := range n {
			if k := from.Insert(*new(T)); i%5 == 3 {
				from.Delete(k)
			}
		}
		to, again := stable.NewOf[T, I, D](stable.Config{}), new(stable.ListOf[T, I, D])
		b, err := from.MarshalBinary()
		mustUnmarshal(t, to, b, err)
		same(t, fmt.Sprintf("%T", *new(D)), to, from)
		if err := again.Decode(bytes.NewReader(b), nil); err != nil {
			t.Fatal(err)
		}
		sameAhead(t, fmt.Sprintf("%T", *new(D)), to, again, 1)
		for i := range b {
			for _, data := range [][]byte{b[:i], append(bytes.Clone(b), 0)} {
				if err := to.UnmarshalBinary(data); !errors.Is(err, stable.ErrCorrupt) {
					t.Fatalf("%T: %d of %d bytes: %v", *new(D), len(data), len(b), err)
				}
			}
		}
	}
}

func TestListStream(t *testing.T) {
	eachLoad(t, paddedOf, func(t *testing.T, from, to *stable.List[padded]) {
		var buf bytes.Buffer
		if err := from.Encode(&buf, nil); err != nil {
			t.Fatal(err)
		}
		if want, _ := from.MarshalBinary(); !bytes.Equal(buf.Bytes(), want) {
			t.Error("Encode and MarshalBinary differ")
		}
		buf.WriteString("rest")
		err := to.Decode(iotest.OneByteReader(&buf), nil)
		if err != nil || buf.String() != "rest" {
			t.Errorf("%q is left: %v", buf.String(), err)
		}
	})
}

func text(i int) string { return strings.Repeat("x", i%9) }

func TestListEncode(t *testing.T) {
	eachLoad(t, text, func(t *testing.T, from, to *stable.List[string]) {
		var buf bytes.Buffer
		if err := from.Encode(&buf, appendText); err != nil {
			t.Error(err)
		}
		if err := to.Decode(&buf, readText); err != nil {
			t.Error(err)
		}
	})
}

func appendText(b []byte, v *string) ([]byte, error) { return append(b, *v...), nil }
func readText(b []byte, v *string) error             { *v += string(b); return nil }

// A list has no JSON, and does not become {} in silence.
func TestListJSON(t *testing.T) {
	var world struct{ List stable.List[int] }
	_, err := json.Marshal(&world)
	_, err2 := json.Marshal(&world.List)
	for i, err := range []error{err, err2, json.Unmarshal([]byte(`{"List":{}}`), &world)} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestListGob(t *testing.T) {
	eachLoad(t, paddedOf, func(t *testing.T, from, to *stable.List[padded]) {
		var buf bytes.Buffer
		err := gob.NewEncoder(&buf).Encode(from)
		if err == nil {
			err = gob.NewDecoder(&buf).Decode(to)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// The functions of the caller may fail, panic, and change the list.
func TestListDecodeFails(t *testing.T) {
	for _, p := range placements {
		l, ks := churned[string, uint32, stable.Counter32](
			stable.Config{Placement: p, Seed: 1}, rand.New(rand.NewPCG(1, 1)), 900, text)
		for i := range 100 {
			ks = append(ks, l.Insert(text(i)))
		}
		errMine := errors.New("mine")
		if err := l.Encode(io.Discard, func([]byte, *string) ([]byte, error) { return nil, errMine }); !errors.Is(err, errMine) {
			t.Error(err)
		}
		full, broken := io.Pipe()
		full.CloseWithError(errMine)
		if err := l.Encode(broken, appendText); !errors.Is(err, errMine) {
			t.Error(err)
		}
		var buf bytes.Buffer
		if err := l.Encode(&buf, appendText); err != nil {
			t.Error(err)
		}
		to := stable.New[string](stable.Config{Seed: 2})
		to.Insert("old")
		turn := 0
		err := to.Decode(bytes.NewReader(buf.Bytes()), func([]byte, *string) error {
			if turn++; turn == 70 {
				return errMine
			}
			return nil
		})
		if !errors.Is(err, errMine) || errors.Is(err, stable.ErrCorrupt) || to.Len() != 1 {
			t.Error(err, to)
		}
		if msg := panics(func() {
			_ = to.Decode(bytes.NewReader(buf.Bytes()), func([]byte, *string) error { panic("boom") })
		}); msg != "boom" || to.Len() != 1 {
			t.Error(msg, to)
		}
		if err := to.Decode(iotest.ErrReader(errMine), nil); err == nil || !strings.Contains(err.Error(), "Go pointers") {
			t.Error(err)
		}
		n := stable.New[int](stable.Config{})
		if err := n.Decode(iotest.ErrReader(errMine), nil); !errors.Is(err, errMine) || errors.Is(err, stable.ErrCorrupt) {
			t.Error(err)
		}
		// A function that changes the list does no harm to it.
		_ = l.Encode(io.Discard, func(b []byte, _ *string) ([]byte, error) {
			l.Delete(ks[len(ks)-1])
			ks = ks[:len(ks)-1]
			if len(ks) < 20 {
				l.Clear()
				l.Clip()
			}
			return b, nil
		})
		l.CheckInvariants()
	}
}

// A load calls no hook and keeps those of the receiver.
func TestListLoadAndHooks(t *testing.T) {
	from := stable.New[int](stable.Config{Seed: 1})
	k := from.Insert(5)
	b, _ := from.MarshalBinary()
	for name, load := range map[string]func(l *stable.List[int]) error{
		"UnmarshalBinary": func(l *stable.List[int]) error { return l.UnmarshalBinary(b) },
		"Decode":          func(l *stable.List[int]) error { return l.Decode(bytes.NewReader(b), nil) },
	} {
		to := stable.New[int](stable.Config{})
		calls := 0
		count := func(stable.ListKey[int], *int) { calls++ }
		to.SetHooks(stable.ListHooks[int]{OnInsert: count, OnRemove: count})
		to.Insert(7)
		if err := load(to); err != nil || calls != 1 {
			t.Errorf("%s: %v, %d calls", name, err, calls)
		}
		to.CheckInvariants()
		if to.Delete(k); calls != 2 {
			t.Errorf("%s: %d calls after Delete", name, calls)
		}
	}
}

// A load into a list with room allocates nothing, and neither does a save into a buffer with room.
func TestListCodecAllocs(t *testing.T) {
	eachConfig(func(c stable.Config) {
		l, _ := churned[padded, uint32, stable.Counter32](c, rand.New(rand.NewPCG(1, 1)), 2000, paddedOf)
		b, err := l.MarshalBinary()
		to := stable.New[padded](stable.Config{Capacity: 5000, Placement: c.Placement})
		mustUnmarshal(t, to, b, err)
		if n := testing.AllocsPerRun(5, func() { mustUnmarshal(t, to, b, nil) }); n != 0 {
			t.Errorf("%+v: UnmarshalBinary: %v allocations", c, n)
		}
		buf := make([]byte, 0, len(b)+100)
		if n := testing.AllocsPerRun(5, func() { buf, _ = l.AppendBinary(buf[:0]) }); n > 1 {
			t.Errorf("%+v: AppendBinary: %v allocations", c, n)
		}
		if n := testing.AllocsPerRun(5, func() { buf, _ = l.AppendBinary(buf[:0]) }); n != 0 || !bytes.Equal(buf, b) {
			t.Errorf("%+v: AppendBinary into a buffer that it has made: %v allocations", c, n)
		}
	})
}
