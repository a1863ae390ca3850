package berth

import (
	"bytes"
	"encoding"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
	"github.com/seed505807e1/berth/internal/wire"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// columnSaver is what the tests below use of a Column and a DenseColumn.
type columnSaver interface {
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	checkInvariants()
}

// savedColumns returns a Pool and a Dense with a column each, which share of the values are in.
func savedColumns(values, share int) (*Pool[int], *Column[padded, int], *Dense[int], *DenseColumn[padded, int]) {
	p, d := NewPool[int](Config{Seed: 3}), NewDense[int](DenseConfig{Seed: 3, Defrag: DefragManual})
	c, dc := NewColumn[padded](p), NewDenseColumn[padded](d)
	for i := range values {
		h, g := p.Insert(int(i)), d.Insert(int(i))
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
	case *Column[padded, int]:
		for h, v := range c.All() {
			m[h.Uint64()] = *v
		}
	case *DenseColumn[padded, int]:
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
			q, e := NewPool[int](Config{}), NewDense[int](DenseConfig{})
			into, dinto := NewColumn[padded](q), NewDenseColumn[padded](e)
			if err := errors.Join(q.UnmarshalBinary(pb), e.UnmarshalBinary(db)); err != nil {
				t.Fatal(err)
			}
			for h := range q.All() {
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
			k, g := p.Insert(1), d.Insert(1) // values of which the data knows nothing
			c.Set(k, paddedOf(5))
			*dc.Ptr(g) = paddedOf(5)
			data, _ := into.MarshalBinary()
			ddata, _ := dinto.MarshalBinary()
			if err := errors.Join(c.UnmarshalBinary(data), dc.UnmarshalBinary(ddata)); err != nil ||
				c.Contains(k) || *dc.Ptr(g) != (padded{}) {
				t.Error("a load leaves a V that it does not have:", err)
			}
		}
	}
}

// Between holes, each V comes to the place of its value.
func TestDenseColumnCodecHoles(t *testing.T) {
	_, _, d, dc := savedColumns(300, 1)
	for h, v := range d.All() {
		if *v%5 == 1 {
			d.Delete(h)
		}
	}
	want := contents(dc)
	data, _ := dc.MarshalBinary()
	if err := dc.UnmarshalBinary(data); err != nil || d.state.Holes == 0 || !maps.Equal(contents(dc), want) {
		t.Errorf("a load with %d holes: %v, other Vs: %v", d.state.Holes, err, !maps.Equal(contents(dc), want))
	}
	dc.checkInvariants()
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
	other, _ := NewColumn[padded](NewPool[int](Config{Seed: 4})).MarshalBinary()
	check("seed", c.UnmarshalBinary(other))
	other, _ = NewDenseColumn[padded](NewDense[int](DenseConfig{Seed: 4})).MarshalBinary()
	check("seed", dc.UnmarshalBinary(other))
	otherType, _ := NewColumn[uint](p).MarshalBinary()
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
	for h := range p.All() {
		p.Delete(h)
		was = contents(c)
		if err := c.UnmarshalBinary(data); !errors.Is(err, ErrCorrupt) {
			t.Error("a V without its value:", err)
		}
		break
	}
	for h := range d.All() {
		d.Delete(h)
		dwas = contents(dc)
		break
	}
	check("a V without its value", dc.UnmarshalBinary(ddata))
	c.Close()
	dc.Close()
	for _, s := range []columnSaver{c, dc} {
		if _, err := s.MarshalBinary(); !errors.Is(err, slots.ErrColumnClosed) {
			t.Error(err)
		}
		if err := s.UnmarshalBinary(data); !errors.Is(err, slots.ErrColumnClosed) {
			t.Error(err)
		}
	}
	if _, err := NewColumn[*[64]int](p).MarshalBinary(); err == nil {
		t.Error("Vs with pointers are saved")
	}
}

// Numbers of a frame with a right checksum that do not fit the Pool are refused.
func TestColumnCodecHostile(t *testing.T) {
	p := NewPool[[512]int](Config{Seed: 3}) // a chunk has one block
	c := NewColumn[uint32](p)
	for range 4 * slots.BlockSlots {
		c.Set(p.Insert([512]int{}), 5)
	}
	for _, k := range []int{2, 1} { // block 2 is given back
		for i := range slots.BlockSlots {
			p.Delete(Handle[[512]int]{id: look(p).ID(&p.dir[k].Head, k, i)})
		}
	}
	if p.dir[1] == nil || p.dir[2] != nil {
		t.Fatal("other blocks are in memory")
	}
	gen := p.dir[0].Gens[0]
	type block struct {
		k   uint32
		occ uint64
		gen uint32
	}
	frame := func(blocks uint32, bs ...block) []byte {
		vs, err := slots.CodecOf("", wire.Column, reflect.TypeFor[uint32]())
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		w.Append(nil, wire.Column, vs.Desc)
		w.Uint32(p.seed())
		w.Uint32(blocks)
		for _, b := range bs {
			w.Uint32(b.k)
			w.Uint64(b.occ)
			for n := b.occ; n != 0; n &= n - 1 {
				w.Uint32(b.gen)
			}
			for n := b.occ; n != 0; n &= n - 1 {
				w.Uint32(7)
			}
		}
		w.End()
		return w.Frame()
	}
	for name, x := range map[string]struct {
		data []byte
		text string
	}{
		"too many blocks":    {frame(5, block{0, 1, gen}, block{3, 1, gen}), "5 blocks, but the Pool has 4"},
		"a block twice":      {frame(2, block{0, 1, gen}, block{0, 2, gen}), "block 0 after 0"},
		"blocks not in turn": {frame(2, block{3, 1, gen}, block{0, 1, gen}), "block 0 after 3"},
		"a block without Vs": {frame(2, block{0, 0, 0}, block{3, 1, gen}), "with Vs 0"},
		"a missing block":    {frame(1, block{2, 1, gen}), "block 2 after -1"},
		"a block beyond":     {frame(1, block{4, 1, gen}), "of 4 blocks"},
		"a vacant slot":      {frame(1, block{1, 1, p.dir[1].Gens[0]}), "is not live"},
		"an old value":       {frame(1, block{0, 1, gen - 2}), "is not live"},
	} {
		err := c.UnmarshalBinary(x.data)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: %v", name, err)
		}
		if c.checkInvariants(); c.Len() != 2*slots.BlockSlots {
			t.Errorf("%s: the Column has changed", name)
		}
	}
	if err := c.UnmarshalBinary(frame(2, block{0, 1, gen}, block{3, 3, gen})); err != nil || c.Len() != 3 {
		t.Errorf("a frame that fits: %v, %d Vs", err, c.Len())
	}
	c.checkInvariants()
}

// A short frame cannot make a Column take much memory.
func TestColumnCodecMemory(t *testing.T) {
	const blocks = 40 // of 8 MB
	p := NewPool[int](Config{Seed: 3})
	c := NewColumn[[1 << 14]uint64](p)
	for range blocks * slots.BlockSlots {
		p.Insert(0)
	}
	vs, err := slots.CodecOf("", wire.Column, reflect.TypeFor[[1 << 14]uint64]())
	if err != nil {
		t.Fatal(err)
	}
	var w wire.Writer
	w.Append(nil, wire.Column, vs.Desc)
	w.Uint32(p.seed())
	w.Uint32(blocks)
	w.End()
	if err := c.UnmarshalBinary(w.Frame()); !errors.Is(err, ErrFull) {
		t.Errorf("a frame of %d bytes: %v", len(w.Frame()), err)
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
