package trace_test

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// saver has the methods that save and load.
type saver interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	json.Marshaler
	json.Unmarshaler
	Encode(w io.Writer, value func([]byte, *int32) ([]byte, error)) error
	Decode(r io.Reader, value func([]byte, *int32) error) error
}

func appendInt(b []byte, v *int32) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(b, uint32(*v)), nil
}

func readInt(b []byte, v *int32) error {
	*v = int32(binary.LittleEndian.Uint32(b))
	return nil
}

// saves are the ways to save a container, each with a way to load it.
var saves = map[string]struct {
	save func(c saver) ([]byte, error)
	load func(c saver, b []byte) error
}{
	"MarshalBinary, UnmarshalBinary": {
		func(c saver) ([]byte, error) { return c.MarshalBinary() },
		func(c saver, b []byte) error { return c.UnmarshalBinary(b) },
	},
	"Encode and Decode without a function": {
		func(c saver) ([]byte, error) {
			var b bytes.Buffer
			err := c.Encode(&b, nil)
			return b.Bytes(), err
		},
		func(c saver, b []byte) error {
			return c.Decode(bytes.NewReader(slices.Concat(b, []byte("beyond"))), nil)
		},
	},
	"Encode, Decode": {
		func(c saver) ([]byte, error) {
			var b bytes.Buffer
			err := c.Encode(&b, appendInt)
			return b.Bytes(), err
		},
		func(c saver, b []byte) error { return c.Decode(bytes.NewReader(b), readInt) },
	},
	"MarshalJSON, UnmarshalJSON": {
		func(c saver) ([]byte, error) { return c.MarshalJSON() },
		func(c saver, b []byte) error { return c.UnmarshalJSON(b) },
	},
}

// recorded is a container that is recorded, with the methods that save it.
type recorded interface {
	saver
	Insert(v int32) berth.Handle[int32]
	InsertAt(h berth.Handle[int32], v int32) error
	Delete(h berth.Handle[int32]) bool
	Contains(h berth.Handle[int32]) bool
	Get(h berth.Handle[int32]) (int32, bool)
	Len() int
}

// recordeds make the containers that are recorded.
var recordeds = map[string]func(rec *recording) recorded{
	"Pool": func(rec *recording) recorded {
		p := new(trace.Pool[int32])
		p.Record(rec.Recorder, "pool")
		return p
	},
	"Wrap of a Pool": func(rec *recording) recorded {
		return trace.Wrap(rec.track, new(berth.Pool[int32]))
	},
	"Wrap of a Dense": func(rec *recording) recorded {
		return trace.Wrap(rec.track, new(berth.Dense[int32]))
	},
}

// TestSaves saves each container, changes it, and loads it again, in each way.
func TestSaves(t *testing.T) {
	for name, s := range saves {
		for container, make := range recordeds {
			t.Run(name+" of "+container, func(t *testing.T) {
				rec := record(t)
				c := make(rec)
				a, b := c.Insert(1), c.Insert(2)
				data, err := s.save(c)
				if err != nil {
					t.Fatal(err)
				}
				c.Delete(a)
				c.Insert(3)
				d := c.Insert(4)
				if err := s.load(c, data[:len(data)/2]); err == nil {
					t.Error("a load of half the data has no error")
				}
				c.Contains(d)
				if err := s.load(c, data); err != nil {
					t.Fatal(err)
				}
				v, ok := c.Get(a)
				if !ok || v != 1 || c.Len() != 2 || c.Contains(d) || !c.Contains(b) {
					t.Errorf("Get = %d, %v, with %d values", v, ok, c.Len())
				}
				// 3 takes the name of a. It is gone after the load, and a is a new value.
				rec.check("i0 i1 r0 i0 i2 g2 r0 r2 i2 g2 m2 g1")
				if err := s.load(c, data); err != nil || c.Len() != 2 { // no longer recorded
					t.Errorf("a load after the recording: %v, %d values", err, c.Len())
				}
			})
		}
	}
}

// TestInsertAt checks that an insert by handle is recorded once, and a refused one is not.
func TestInsertAt(t *testing.T) {
	for name, make := range recordeds {
		rec := record(t)
		c := make(rec)
		a := c.Insert(1)
		c.Insert(2)
		if err := c.InsertAt(a, 3); !errors.Is(err, berth.ErrTaken) {
			t.Errorf("%s: InsertAt of a live handle: %v, want ErrTaken", name, err)
		}
		c.Delete(a)
		if err := c.InsertAt(a, 3); err != nil {
			t.Errorf("%s: InsertAt: %v", name, err)
		}
		if v, ok := c.Get(a); v != 3 || !ok {
			t.Errorf("%s: Get = %d, %v, want 3", name, v, ok)
		}
		rec.check("i0 i1 r0 i0 g0")
	}
}

// TestPoolCopyFrom checks that a copy is recorded as what is gone and what is new, and that a copy
// of another recorded Pool leaves the recording of that alone.
func TestPoolCopyFrom(t *testing.T) {
	rec := record(t)
	p, q := new(trace.Pool[int]), new(trace.Pool[int])
	p.Record(rec.Recorder, "p")
	a, b := p.Insert(1), p.Insert(2)
	q.CopyFrom(p)
	q.Delete(b)
	q.InsertSeq(func(yield func(int) bool) { _ = yield(3) && yield(4) })
	other := record(t)
	q.Record(other.Recorder, "q")
	p.CopyFrom(q)
	p.Contains(a)
	p.Contains(b)
	p.CopyFrom(p)
	if p.Len() != 3 {
		t.Errorf("%d values, want 3", p.Len())
	}
	rec.check("i0 i1 r1 i1 i2 g0 m1")
	other.check("i0 i1 i2")
}

// plain is a container with the methods of Container only.
type plain struct {
	trace.Container[int32, berth.Handle[int32]]
}

// TestWrapCannotSave checks the error for a container that cannot be saved.
func TestWrapCannotSave(t *testing.T) {
	rec := record(t)
	w := trace.Wrap(rec.track, trace.Container[int32, berth.Handle[int32]](plain{new(berth.Pool[int32])}))
	h := w.Insert(1)
	w.Delete(h)
	for name, s := range saves {
		if _, err := s.save(w); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: save: %v, want ErrUnsupported", name, err)
		}
		if err := s.load(w, nil); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: load: %v, want ErrUnsupported", name, err)
		}
	}
	if err := w.InsertAt(h, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("InsertAt: %v, want ErrUnsupported", err)
	}
	const want = "trace: Wrapped.MarshalBinary: unsupported operation: trace_test.plain has no MarshalBinary"
	if _, err := w.MarshalBinary(); err == nil || err.Error() != want {
		t.Errorf("MarshalBinary: %v, want %s", err, want)
	}
	rec.check("i0 r0")
}
