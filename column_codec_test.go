package berth

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed505807e1/berth/internal/wiretest"
)

// columnSaver is what the tests below use of a Column and a DenseColumn.
type columnSaver interface {
	MarshalBinary() ([]byte, error)
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(data []byte) error
	checkInvariants()
}

// savedColumns returns a Pool and a Dense with a column each, which share of the values are in.
func savedColumns(values, share int) (*Pool[int64], *Column[int64, padded], *Dense[int64], *DenseColumn[int64, padded]) {
	p, d := NewPool[int64](Config{Seed: 3}), NewDense(DenseConfig[int64]{Seed: 3, Defrag: DefragManual})
	c, dc := NewColumn[padded](p), NewDenseColumn[padded](d)
	for i := range values {
		h, g := p.Insert(int64(i)), d.Insert(int64(i))
		if i%share == 0 {
			c.Set(h, paddedOf(uint64(i)))
			*dc.Ptr(g) = paddedOf(uint64(i))
		}
		if i%7 == 3 {
			p.Remove(h)
			d.Remove(g)
		}
	}
	return p, c, d, dc
}

// contents returns the Vs of a column by handle.
func contents(s columnSaver) map[uint64]padded {
	m := map[uint64]padded{}
	switch c := s.(type) {
	case *Column[int64, padded]:
		for h, v := range c.All() {
			m[h.Uint64()] = *v
		}
	case *DenseColumn[int64, padded]:
		for h := range c.d.All() {
			m[h.Uint64()] = *c.Ptr(h)
		}
	}
	return m
}

// A column that is saved and loaded over its container has the same Vs, and the same bytes.
func TestColumnCodec(t *testing.T) {
	for _, values := range []int{0, 1, 63, 300, 5000} {
		for _, share := range []int{1, 2, 70} {
			p, c, d, dc := savedColumns(values, share)
			pb, _ := p.MarshalBinary()
			db, _ := d.MarshalBinary()
			q, e := NewPool[int64](Config{}), NewDense(DenseConfig[int64]{})
			into, dinto := NewColumn[padded](q), NewDenseColumn[padded](e)
			if err := errors.Join(q.UnmarshalBinary(pb), e.UnmarshalBinary(db)); err != nil {
				t.Fatal(err)
			}
			for h := range q.Handles() {
				into.Set(h, paddedOf(9)) // which the load replaces
			}
			for _, x := range []struct{ from, to columnSaver }{{c, into}, {dc, dinto}} {
				data, err := x.from.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				if err := x.to.UnmarshalBinary(data); err != nil {
					t.Fatal(err)
				}
				x.to.checkInvariants()
				if !maps.Equal(contents(x.from), contents(x.to)) {
					t.Errorf("%d values, 1 in %d: the Vs differ after a load", values, share)
				}
				again, _ := x.to.AppendBinary([]byte("x"))
				if !bytes.Equal(again[1:], data) {
					t.Errorf("%d values, 1 in %d: other bytes after a load", values, share)
				}
				for n := range min(len(data), 300) {
					if err := x.to.UnmarshalBinary(data[:n]); !errors.Is(err, ErrCorrupt) ||
						!errors.Is(err, io.ErrUnexpectedEOF) {
						t.Fatalf("%d bytes: %v", n, err)
					}
				}
				if !maps.Equal(contents(x.from), contents(x.to)) {
					t.Error("a load that fails changes Vs")
				}
			}
		}
	}
}

// A V for a handle that is not live, data of another container, and hostile numbers are refused.
func TestColumnCodecRefuses(t *testing.T) {
	p, c, d, dc := savedColumns(300, 2)
	data, _ := c.MarshalBinary()
	ddata, _ := dc.MarshalBinary()
	was, dwas := contents(c), contents(dc)
	check := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if !maps.Equal(contents(c), was) || !maps.Equal(contents(dc), dwas) {
			t.Errorf("%s: Vs have changed", name)
		}
	}
	check("kind", c.UnmarshalBinary(ddata))
	check("kind", dc.UnmarshalBinary(data))
	check("behind", c.UnmarshalBinary(append(bytes.Clone(data), 0)))
	other, _ := NewColumn[padded](NewPool[int64](Config{Seed: 4})).MarshalBinary()
	check("seed", c.UnmarshalBinary(other))
	otherType, _ := NewColumn[uint64](p).MarshalBinary()
	check("type", c.UnmarshalBinary(otherType))
	for at := 8; at < len(data); at++ {
		bad := bytes.Clone(data)
		bad[at] ^= 0x41
		if bad = wiretest.Reseal(bad); c.UnmarshalBinary(bad) == nil { // a V is another, and may be
			c.checkInvariants()
			if err := c.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
		} else if !maps.Equal(contents(c), was) {
			t.Fatalf("byte %d: Vs have changed", at)
		}
	}
	for h := range p.Handles() {
		p.Delete(h)
		was = contents(c)
		if err := c.UnmarshalBinary(data); !errors.Is(err, ErrCorrupt) {
			t.Error("a V without its value:", err)
		}
		break
	}
	for h := range d.Handles() {
		d.Delete(h)
		dwas = contents(dc)
		break
	}
	check("a V without its value", dc.UnmarshalBinary(ddata))
	c.Close()
	dc.Close()
	for _, s := range []columnSaver{c, dc} {
		if _, err := s.MarshalBinary(); !errors.Is(err, errColumnClosed) {
			t.Error(err)
		}
		if err := s.UnmarshalBinary(data); !errors.Is(err, errColumnClosed) {
			t.Error(err)
		}
	}
	if _, err := NewColumn[*int](p).MarshalBinary(); err == nil {
		t.Error("Vs with pointers are saved")
	}
}

// A load is recorded by a History.
func TestColumnCodecHistory(t *testing.T) {
	p, c, d, dc := savedColumns(300, 2)
	data, _ := c.MarshalBinary()
	ddata, _ := dc.MarshalBinary()
	c.Clear()
	for i := range dc.vals {
		dc.vals[i] = padded{}
	}
	s, ds := NewHistory(p, HistoryConfig{Frames: 2}), NewDenseHistory(d, HistoryConfig{Frames: 2})
	if err := errors.Join(c.UnmarshalBinary(data), dc.UnmarshalBinary(ddata)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Rewind(1), ds.Rewind(1)); err != nil {
		t.Fatal(err)
	}
	c.checkInvariants()
	dc.checkInvariants()
	for _, v := range dc.vals {
		if v != (padded{}) || c.Len() != 0 {
			t.Fatal("Rewind does not undo a load")
		}
	}
}

// The files in testdata/saved are version 1 of the format: see TestGoldenFiles.
func TestGoldenColumns(t *testing.T) {
	_, c, _, dc := savedColumns(200, 3)
	for name, s := range map[string]columnSaver{"column": c, "dense-column": dc} {
		file := filepath.Join("testdata", "saved", "v1-"+name+".bin")
		data, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("BERTH_GOLDEN") != "" {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(data, golden) {
			t.Errorf("%s: %d bytes, the file has %d, or others: %v", name, len(data), len(golden), err)
		}
		if err := s.UnmarshalBinary(golden); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzColumnLoad(f *testing.F) {
	_, c, _, dc := savedColumns(100, 3)
	for _, s := range []columnSaver{c, dc} {
		data, _ := s.MarshalBinary()
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, c, _, dc := savedColumns(100, 3)
		for _, s := range []columnSaver{c, dc} {
			was := contents(s)
			err := s.UnmarshalBinary(wiretest.Reseal(data))
			s.checkInvariants()
			if err != nil && !maps.Equal(contents(s), was) {
				t.Error("a load that fails changes Vs")
			}
		}
	})
}
