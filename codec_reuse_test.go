package berth

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// A load from a stream uses the memory of the state before the present one. Nothing of that state,
// of loads that failed, or of the collector shows.
func TestDecodeAgain(t *testing.T) {
	encode := func(b []byte, v *padded) ([]byte, error) { return binary.AppendUvarint(b, v.B), nil }
	decode := func(b []byte, v *padded) error {
		i, _ := binary.Uvarint(b)
		if *v != (padded{}) {
			return fmt.Errorf("%v before it is read", *v)
		}
		*v = paddedOf(i)
		return nil
	}
	pools, denses := poolShapes(paddedOf), denseShapes(paddedOf)
	for name, c := range map[string]struct {
		make func() store[padded]
		from []store[padded]
	}{
		"Pool": {
			func() store[padded] { return new(Pool[padded]) },
			[]store[padded]{pools["many"], pools["length"], pools["some"], pools["far"], pools["retired"]},
		},
		"Dense": {
			func() store[padded] { return new(Dense[padded]) },
			[]store[padded]{denses["many"], denses["immediate"], denses["some"], denses["retired"]},
		},
	} {
		if name == "Pool" {
			c.from = append(c.from, reserving(pools["length"]))
		} else { // it has a few places more than the first
			more := denses["many"].Clone()
			for i := range uint64(20) {
				more.Insert(paddedOf(i))
			}
			c.from = slices.Insert(c.from, 1, store[padded](more))
		}
		q := c.make()
		r := rand.New(rand.NewPCG(5, 5))
		for i := range fewer(200, 60) {
			from := c.from[r.IntN(min(len(c.from), 2+i/10))] // one or two that alternate, and then all
			put, get := encode, decode
			if r.IntN(2) == 0 {
				put, get = nil, nil
			}
			var frame bytes.Buffer
			if err := EncodeAny(from, &frame, put); err != nil {
				t.Fatal(err)
			}
			switch r.IntN(6) {
			case 0:
				runtime.GC()
			case 1:
				churnAny(q, nil, uint64(i), 300, paddedOf)
			case 2:
				was, _ := q.MarshalBinary()
				cut := bytes.NewReader(frame.Bytes()[:frame.Len()-1-r.IntN(frame.Len())])
				if err := DecodeAny(q, cut, get); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatal(err)
				}
				if now, _ := q.MarshalBinary(); !bytes.Equal(now, was) {
					t.Fatal("a load that failed has changed the container")
				}
			}
			fresh := c.make()
			for _, q := range []store[padded]{q, fresh} {
				if err := DecodeAny(q, bytes.NewReader(frame.Bytes()), get); err != nil {
					t.Fatal(err)
				}
				q.checkInvariants()
			}
			want, _ := from.MarshalBinary()
			if got, _ := q.MarshalBinary(); !bytes.Equal(got, want) {
				t.Fatalf("%s, load %d: other bytes", name, i)
			}
			a, b := q.Cap(), fresh.Cap()
			if a != b {
				t.Fatalf("%s, load %d: capacity %d, and %d of a new container", name, i, a, b)
			}
		}
	}
}

// reserving returns a clone of p with reserved handles.
func reserving(p *Pool[padded]) *Pool[padded] {
	p = p.Clone()
	for range 5 {
		Reserve(p)
	}
	return p
}

// Once two states have memory, a load from a stream takes none but that of a buffer, until the
// collector has run.
func TestDecodeAllocs(t *testing.T) {
	if poison.On {
		t.Skip("memory is not used again, so that stale writes to it are found")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, c := range map[string]store[int]{"Pool": new(Pool[int]), "Dense": new(Dense[int])} {
		for i := range 50_000 {
			c.Insert(i)
		}
		b, _ := c.MarshalBinary()
		load := func() (n, size int) {
			return mallocs(func() {
				if err := DecodeAny[int](c, bytes.NewReader(b), nil); err != nil {
					t.Error(err)
				}
			})
		}
		if _, size := load(); size > 1_800_000 {
			t.Errorf("%s: %d bytes for %d of data", name, size, len(b))
		}
		load()
		if n, size := load(); n > 10 || size > 100_000 {
			t.Errorf("%s: %d allocations of %d bytes", name, n, size)
		}
		runtime.GC()
		runtime.GC()
		if _, size := load(); size < 50_000*8 {
			t.Errorf("%s: %d bytes after a collection: memory is held", name, size)
		}
	}
}

// A small container does not grow by a load.
func TestDecodeSmall(t *testing.T) {
	var p Pool[int]
	p.Insert(1)
	b, _ := p.MarshalBinary()
	for range 2 {
		if err := Decode(&p, bytes.NewReader(b), nil); err != nil || p.state.Rare != nil {
			t.Error(err, p.state.Rare)
		}
	}
}

// A loop whose body loads its Pool several times is in a block that may be part of a later state, or
// of a load that fails. It visits only values of the state that the Pool has.
func TestDecodeInLoop(t *testing.T) {
	const n = 300
	other := NewPool[int](Config{Seed: 1})
	for i := range n {
		other.Insert(1000 + i)
	}
	frame, _ := other.MarshalBinary()
	cut := frame[:len(frame)-1]
	var coded bytes.Buffer
	_ = Encode(other, &coded, func(b []byte, _ *int) ([]byte, error) { return b, nil })
	load := func(p *Pool[int], b []byte) { _ = Decode(p, bytes.NewReader(b), nil) }
	for name, body := range map[string]func(p *Pool[int]){
		"once":            func(p *Pool[int]) { load(p, frame) },
		"twice":           func(p *Pool[int]) { load(p, frame); load(p, frame) },
		"and fails":       func(p *Pool[int]) { load(p, frame); load(p, cut) },
		"fails, and goes": func(p *Pool[int]) { load(p, frame); load(p, cut); load(p, frame) },
		"and panics": func(p *Pool[int]) {
			load(p, frame)
			left := n
			mustPanic(t, "boom", func() {
				_ = Decode(p, bytes.NewReader(coded.Bytes()), func(_ []byte, v *int) error {
					if left--; left == 0 {
						panic("boom")
					}
					*v = 5000
					return nil
				})
			})
		},
	} {
		p := NewPool[int](Config{Seed: 1})
		for i := range n {
			p.Insert(i)
		}
		loaded := false
		for h, v := range p.All() {
			if at := p.Ptr(h); at != v || loaded && (*v < 1000 || *v >= 1000+n) {
				t.Fatalf("%s: %d at %p, not %p", name, *v, v, at)
			}
			if !loaded {
				body(p)
				loaded = true
			}
		}
		p.checkInvariants()
		if p.Len() != n {
			t.Error(name, p)
		}
	}
}

// A reader, or the function that reads a value, may load the same container. The outer load wins.
func TestDecodeNested(t *testing.T) {
	for name, c := range map[string]store[int]{"Pool": new(Pool[int]), "Dense": new(Dense[int])} {
		for i := range 500 {
			c.Insert(i)
		}
		frame, _ := c.MarshalBinary()
		var coded bytes.Buffer
		_ = EncodeAny(c, &coded, func(b []byte, v *int) ([]byte, error) {
			return binary.AppendUvarint(b, uint64(*v)), nil
		})
		load := func() {
			if err := DecodeAny[int](c, bytes.NewReader(frame), nil); err != nil {
				t.Error(err)
			}
		}
		load()
		load()
		calls := 0
		err := DecodeAny(c, &coded, func(b []byte, v *int) error {
			if calls++; calls%100 == 50 {
				load()
			}
			i, _ := binary.Uvarint(b)
			*v = int(i)
			return nil
		})
		c.checkInvariants()
		if again, _ := c.MarshalBinary(); err != nil || !bytes.Equal(again, frame) {
			t.Error(name, err, "other bytes")
		}
	}
}

// A load fails if the function that reads a value leaves another under construction.
func TestDecodeWhileBuilding(t *testing.T) {
	p := new(Pool[int])
	p.Insert(1)
	var coded bytes.Buffer
	_ = Encode(p, &coded, func(b []byte, _ *int) ([]byte, error) { return b, nil })
	next, stop := iter.Pull(func(yield func(int) bool) {
		p.InsertFunc(func(_ Handle[int], v *int) { *v = 2; yield(0) })
	})
	err := Decode(p, &coded, func([]byte, *int) error { next(); return nil })
	stop()
	if p.checkInvariants(); err == nil || p.Len() != 2 {
		t.Errorf("%v, and %v", err, p)
	}
}

// A Dense that has become small does not hold the array of a large state.
func TestDecodeShrinks(t *testing.T) {
	if poison.On {
		t.Skip("the array that a Dense has left is kept until the next change")
	}
	var large, small Dense[int]
	for i := range 40_000 {
		large.Insert(i)
	}
	small.Insert(1)
	d := new(Dense[int])
	for _, from := range []*Dense[int]{&large, &large, &small} {
		b, _ := from.MarshalBinary()
		if err := DenseDecode(d, bytes.NewReader(b), nil); err != nil {
			t.Fatal(err)
		}
	}
	with := heapBytes()
	runtime.KeepAlive(d)
	if n := with - heapBytes(); n > 100_000 {
		t.Errorf("a Dense of one value holds %d bytes", n)
	}
}

// Values that do not arrive take no memory, although their places have.
func TestDenseLoadBound(t *testing.T) {
	var d Dense[spanning]
	for range 50 {
		d.Insert(spanning{})
	}
	b, _ := d.MarshalBinary()
	d.Clear()
	d.Clip()
	_, size := mallocs(func() {
		err := DenseDecode(&d, bytes.NewReader(b[:len(b)/10]), nil)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
	if size > len(b)/2 {
		t.Errorf("%d bytes for a tenth of %d", size, len(b))
	}
}

// A number of holes that lies takes no memory.
func TestDenseLoadOfManyHoles(t *testing.T) {
	var d Dense[uint64]
	d.Insert(5)
	b, _ := d.MarshalBinary()
	const places = 1 << 27
	binary.LittleEndian.PutUint32(b[contentsAt(b):], places)
	holes := len(b) - 8 - 4 - 8 - 4 // before the value, the checksum, and the last chunk
	binary.LittleEndian.PutUint32(b[holes:], places-1)
	_, size := mallocs(func() {
		err := DenseDecode(new(Dense[uint64]), bytes.NewReader(wiretest.Reseal(b)), nil)
		if !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	})
	if size > 1<<20 {
		t.Errorf("%d bytes for %d of data", size, len(b))
	}
}
