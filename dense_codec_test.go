package berth

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed505807e1/berth/internal/slots"
	"github.com/seed505807e1/berth/internal/wire"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// churnDense makes n random calls on d, which leave holes and used generations.
func churnDense[T any](d *Dense[T], seed uint64, n int, value func(i uint64) T) {
	r := rand.New(rand.NewPCG(seed, 7))
	var hs []Handle[T]
	for _, h := range d.state.Owner {
		if h.Gen&1 != 0 {
			hs = append(hs, Handle[T]{id: h})
		}
	}
	for range n {
		switch k := r.IntN(100); {
		case k < 60 || len(hs) == 0:
			if h := d.Insert(value(r.Uint64())); !h.IsZero() {
				hs = append(hs, h)
			}
		case k < 98:
			i := r.IntN(len(hs))
			d.Remove(hs[i])
			hs[i] = hs[len(hs)-1]
			hs = hs[:len(hs)-1]
		case k == 98 && r.IntN(20) == 0:
			d.Clear()
			hs = hs[:0]
		case r.IntN(20) == 0:
			d.Clip()
		}
	}
}

// sameDense fails t unless p and q hold the same values at the same places by the same handles, and
// issue the same handles and places from now on. It changes both.
func sameDense[T comparable](t *testing.T, p, q *Dense[T]) {
	t.Helper()
	same := func() {
		t.Helper()
		p.checkInvariants()
		q.checkInvariants()
		if p.Len() != q.Len() || len(p.state.Owner) != len(q.state.Owner) || p.Holes() != q.Holes() {
			t.Fatalf("%v %d, %v %d", p, p.Holes(), q, q.Holes())
		}
		for i := range p.state.Owner {
			if h := p.HandleAt(i); h != q.HandleAt(i) || !h.IsZero() && p.vals[i] != q.vals[i] {
				t.Fatalf("place %d: %v %v, %v %v", i, h, p.vals[i], q.HandleAt(i), q.vals[i])
			}
			if h := p.HandleAt(i); p.PlaceOf(h) != q.PlaceOf(h) {
				t.Fatal(i)
			}
		}
	}
	same()
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
	same()
}

func denseShapes[T any](value func(uint64) T) map[string]*Dense[T] {
	shapes := map[string]*Dense[T]{"zero": new(Dense[T])}
	add := func(name string, c DenseConfig, n int) {
		c.Seed = 3
		d := NewDense[T](c)
		churnDense(d, uint64(n), n, value)
		shapes[name] = d
	}
	add("one", DenseConfig{}, 1)
	add("some", DenseConfig{}, 50)
	add("many", DenseConfig{}, 3000)
	add("immediate", DenseConfig{Defrag: DefragImmediate}, 2000)
	add("manual", DenseConfig{Defrag: DefragManual}, 2000)
	add("capacity", DenseConfig{Capacity: 700}, 100)
	old := NewDense[T](DenseConfig{Seed: 9})
	old.AgeForTest(70, 2)
	churnDense(old, 5, 900, value)
	shapes["retired"] = old
	return shapes
}

func eachDense[T comparable](t *testing.T, value func(uint64) T, load func(t *testing.T, p, q *Dense[T])) {
	t.Helper()
	for name, d := range denseShapes(value) {
		for warm := range 3 {
			q := NewDense[T](DenseConfig{Defrag: Defrag(d.state.Defrag)})
			switch warm {
			case 1:
				q = d.Clone()
				churnDense(q, 8, 300, value)
			case 2:
				churnDense(q, 9, 5000, value)
			}
			t.Run(fmt.Sprintf("%s/%d", name, warm), func(t *testing.T) {
				d := d.Clone()
				load(t, d, q)
				sameDense(t, d, q)
			})
		}
	}
}

// A Dense that loads the bytes of another one finds the same values, and goes on alike.
func TestDenseBinary(t *testing.T) {
	eachDense(t, paddedOf, func(t *testing.T, p, q *Dense[padded]) {
		b, err := p.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{b, wiretest.Rechunk(b, 5)} {
			if err := q.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if again, _ := q.MarshalBinary(); !bytes.Equal(b, again) {
				t.Error("the loaded Dense has other bytes")
			}
		}
	})
}

func TestDenseStream(t *testing.T) {
	eachDense(t, paddedOf, func(t *testing.T, p, q *Dense[padded]) {
		var buf bytes.Buffer
		if err := DenseEncode(p, &buf, nil); err != nil {
			t.Fatal(err)
		}
		if want, _ := p.MarshalBinary(); !bytes.Equal(buf.Bytes(), want) {
			t.Error("Encode and MarshalBinary differ")
		}
		buf.WriteString("rest")
		if err := DenseDecode(q, iotest.OneByteReader(&buf), nil); err != nil {
			t.Fatal(err)
		}
		if buf.String() != "rest" {
			t.Errorf("%q is left", buf.String())
		}
	})
}

func TestDenseEncode(t *testing.T) {
	value := func(i uint64) string { return strings.Repeat("x", int(i%9)) }
	eachDense(t, value, func(t *testing.T, p, q *Dense[string]) {
		var buf bytes.Buffer
		put := func(b []byte, v *string) ([]byte, error) { return append(b, *v...), nil }
		if err := DenseEncode(p, &buf, put); err != nil {
			t.Fatal(err)
		}
		if err := DenseDecode(q, &buf, func(b []byte, v *string) error { *v = string(b); return nil }); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDenseJSON(t *testing.T) {
	value := func(i uint64) string { return fmt.Sprint("<", i%100, ">") }
	eachDense(t, value, func(t *testing.T, p, q *Dense[string]) {
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, q); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte("null"), q); err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(q); !bytes.Equal(after, b) {
			t.Errorf("%s\n%s", b, after)
		}
	})
}

func TestDenseGob(t *testing.T) {
	eachDense(t, paddedOf, func(t *testing.T, p, q *Dense[padded]) {
		var buf bytes.Buffer
		if err := gob.NewEncoder(&buf).Encode(p); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&buf).Decode(q); err != nil {
			t.Fatal(err)
		}
	})
}

// A load that fails leaves the Dense as it was, whatever is wrong with the data.
func TestDenseLoadFails(t *testing.T) {
	p := NewDense[padded](DenseConfig{Seed: 3, Defrag: DefragManual})
	churnDense(p, 1, 400, paddedOf)
	good, _ := p.MarshalBinary()
	q := NewDense[padded](DenseConfig{Seed: 4})
	churnDense(q, 2, 500, paddedOf)
	was, _ := q.MarshalBinary()
	refuse := func(data []byte, want ...error) {
		t.Helper()
		err := DenseDecode(q, bytes.NewReader(data), nil)
		for _, err := range []error{q.UnmarshalBinary(data), err} {
			for _, w := range want {
				if !errors.Is(err, w) {
					t.Errorf("error %v, want %v", err, w)
				}
			}
		}
		if now, _ := q.MarshalBinary(); !bytes.Equal(now, was) {
			t.Fatal("the Dense has changed")
		}
	}
	for n := range good {
		refuse(good[:n], ErrCorrupt, io.ErrUnexpectedEOF)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		refuse(bad, ErrCorrupt)
	}
	small := NewDense[padded](DenseConfig{Limit: p.Len() - 1})
	if err := small.UnmarshalBinary(good); !errors.Is(err, ErrFull) || small.Len() != 0 {
		t.Errorf("beyond Limit: %v", err)
	}
}

// Data whose checksums are right, but not the rest, is refused, or makes a consistent Dense.
func TestDenseHostile(t *testing.T) {
	p := NewDense[padded](DenseConfig{Seed: 3, Defrag: DefragManual})
	p.AgeForTest(70, 2)
	churnDense(p, 1, 300, paddedOf)
	good, _ := p.MarshalBinary()
	r := rand.New(rand.NewPCG(3, 3))
	refused, n := 0, fewer(4000, 400)
	for range n {
		bad := bytes.Clone(good)
		for range 1 + r.IntN(3) {
			i := 12 + r.IntN(len(bad)-12)
			bad[i] = byte(r.Uint32())
		}
		refused += hostileDense(t, wiretest.Reseal(bad))
	}
	if refused < n/10 || refused == n {
		t.Errorf("%d of %d refused", refused, n)
	}
}

// hostileDense loads data of unknown origin in both ways, and returns 1 if it is refused.
func hostileDense(t *testing.T, data []byte) int {
	t.Helper()
	c := DenseConfig{Seed: 4, Limit: 1000, Defrag: DefragManual}
	q, s := NewDense[padded](c), NewDense[padded](c)
	q.Insert(padded{})
	err := q.UnmarshalBinary(data)
	from := bytes.NewReader(data)
	other := DenseDecode(s, from, nil)
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
	sameDense(t, q, s)
	return 0
}

// The removal of the last value leaves no holes, so a frame of holes alone is refused.
func TestDenseLoadOfHolesAlone(t *testing.T) {
	c, _ := slots.CodecOf("test", wire.Dense, reflect.TypeFor[uint64]())
	var d Dense[uint64]
	d.state.Index.Core().Ready(0)
	var w wire.Writer
	w.Append(nil, wire.Dense, c.Desc)
	w.Uint32(1) // places
	places := slots.PlaceCodec("test")
	d.state.Index.Core().Write(&w, &places)
	w.Uint32(1) // holes
	w.Uint32(0)
	w.End()
	err := DenseDecode(&d, bytes.NewReader(w.Frame()), nil)
	for _, err := range []error{err, d.UnmarshalBinary(w.Frame())} {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("a frame of a hole: %v", err)
		}
	}
	d.checkInvariants()
}

func TestDenseSaveUnderConstruction(t *testing.T) {
	d := NewDense[int](DenseConfig{Seed: 1})
	d.Insert(5)
	good, _ := d.MarshalBinary()
	d.InsertFunc(func(Handle[int], *int) {
		_, err := d.MarshalBinary()
		err2 := DenseEncode(d, io.Discard, nil)
		_, err3 := d.MarshalJSON()
		err4 := d.UnmarshalBinary(good)
		err5 := DenseDecode(d, bytes.NewReader(good), nil)
		for i, err := range []error{err, err2, err3, err4, err5} {
			if err == nil || !strings.Contains(err.Error(), "under construction") {
				t.Error(i, err)
			}
		}
	})
	if d.Len() != 2 {
		t.Error(d)
	}
}

// A running loop ends when its Dense is loaded, or copied into.
func TestDenseLoadInLoop(t *testing.T) {
	p := newDense(DenseConfig{Seed: 1}, 100)
	other := newDense(DenseConfig{Seed: 2}, 300)
	b, _ := other.MarshalBinary()
	turns := 0
	for range p.All() {
		if turns++; turns == 3 {
			if err := p.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range p.Values() {
		if turns++; turns == 10 {
			DenseCopyFrom(p, newDense(DenseConfig{Seed: 1}, 50))
		}
	}
	if turns != 10 || p.Len() != 50 {
		t.Error(turns, p)
	}
	p.checkInvariants()
}

func TestDenseCodecAllocs(t *testing.T) {
	p := NewDense[padded](DenseConfig{Seed: 1})
	churnDense(p, 1, 5000, paddedOf)
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
	if n := testing.AllocsPerRun(20, func() { _, _ = DenseAppendBinary(p, buf) }); n != 0 {
		t.Errorf("AppendBinary: %v allocations", n)
	}
	if n := testing.AllocsPerRun(20, func() { DenseCopyFrom(q, p) }); n != 0 {
		t.Errorf("CopyFrom: %v allocations", n)
	}
}

func FuzzDenseLoad(f *testing.F) {
	p := NewDense[padded](DenseConfig{Seed: 3, Defrag: DefragManual})
	p.AgeForTest(70, 2)
	churnDense(p, 1, 100, paddedOf)
	b, _ := p.MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) { hostileDense(t, wiretest.Reseal(data)) })
}
