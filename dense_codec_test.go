package berth

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
	"github.com/seed505807e1/berth/internal/wire"
)

// churnDense is churnPool for a Dense.
func churnDense[T any](d *Dense[T], seed uint64, n int, value func(i uint64) T) {
	var hs []Handle[T]
	for _, h := range d.state.Owner {
		if h.Gen&1 != 0 {
			hs = append(hs, Handle[T]{id: h})
		}
	}
	churnAny(d, hs, seed, n, value)
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
			if h := handleAt(p, i); h != handleAt(q, i) || !h.IsZero() && p.vals[i] != q.vals[i] {
				t.Fatalf("place %d: %v %v, %v %v", i, h, p.vals[i], handleAt(q, i), q.vals[i])
			}
			if h := handleAt(p, i); p.PlaceOf(h) != q.PlaceOf(h) {
				t.Fatal(i)
			}
		}
	}
	same()
	goOnAlike(t, p, q)
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
