package arena

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"testing"
)

type bigOne struct {
	c   coder
	s   subject
	sum string
}

// bigOnes are containers whose frames have several chunks, and hashes of the frames.
func bigOnes() map[string]bigOne {
	const n = 30_000
	a := NewChunked(1 << 20)
	v := NewVec[[3]uint16](a)
	d := NewDeque[codecPadded](a, DequeConfig{Block: 100})
	p := NewPool[codecPadded](a)
	h := NewHandles[codecTail, Handle32[codecTail]](a, HandlesConfig{Seed: 1})
	g := NewHandles[uint64, Handle64[uint64]](a, HandlesConfig{Seed: 1})
	m := NewMap[uint32, codecPadded](a)
	l := NewVec[[70_001]uint8](a)
	for i := range n {
		x := uint16(i)
		v.Push([3]uint16{x, x ^ 0x5555, 7})
		w := codecPadded{A: i%2 == 0, B: uint64(i) << 33, C: x, E: [3]bool{i%3 == 0, i%5 == 0}}
		d.PushFront(w)
		k, _ := p.Insert(w)
		hh, _ := h.Insert(codecTail{uint8(i), uint8(i >> 8)})
		gg, _ := g.Insert(uint64(i) * 0x123456789)
		m.Set(uint32(i), w)
		if i%7 == 3 {
			p.Remove(k)
			m.Delete(uint32(i / 2))
		}
		if i%9 == 5 {
			h.Delete(hh)
			g.Delete(gg)
		}
	}
	for i := range 3 {
		l.Push([70_001]uint8{1, 70_000: uint8(i)})
	}
	return map[string]bigOne{
		"Vec":       {v, vecSubject[[3]uint16](""), "89bb48cce9293475"},
		"Deque":     {d, dequeSubject[codecPadded]("", 64), "a21c2c593a1504e3"},
		"Pool":      {p, poolSubject[codecPadded](""), "9a2e75bd3d9ae2e3"},
		"Handles32": {h, handlesSubject[codecTail, Handle32[codecTail]](""), "e3ec81542ddfa61e"},
		"Handles64": {g, handlesSubject[uint64, Handle64[uint64]](""), "8d0e04ffa07bfda2"},
		"Map":       {m, mapSubject[uint32, codecPadded](""), "42e29e582f8860b4"},
		"large":     {l, vecSubject[[70_001]uint8](""), "f3b1f1e2cfcf73e5"},
	}
}

// TestBig loads containers whose frames have several chunks and pins the frames
// by their hashes. A load into warm memory does not allocate. Then it damages and cuts them.
func TestBig(t *testing.T) {
	for name, b := range bigOnes() {
		data := marshal(t, b.c)
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:8]); got != b.sum {
			t.Errorf("%s: the frame has hash %s, want %s", name, got, b.sum)
		}
		to := b.s.make(NewChunked(1 << 20))
		for _, in := range [][]byte{
			data, b.s.frame(contentsOf(data), 1001), data,
		} {
			if err := to.UnmarshalBinary(in); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b.s.sound(to)
			if !bytes.Equal(marshal(t, to), data) {
				t.Errorf("%s: it holds other values", name)
			}
		}
		allocs := fewestAllocs(func() {
			if err := to.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
		})
		room := make([]byte, 0, 2*len(data))
		allocs += fewestAllocs(func() { room, _ = to.AppendBinary(room[:0]) })
		if allocs > 0 {
			t.Errorf("%s: into warm memory: %v allocations", name, allocs)
		}
		for n := range 16 {
			at := len(data) * n / 16
			if err := to.UnmarshalBinary(data[:at]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %d bytes of %d: %v", name, at, len(data), err)
			}
			data[at] ^= 4
			if err := to.UnmarshalBinary(data); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: byte %d of %d is changed: %v", name, at, len(data), err)
			}
			data[at] ^= 4
		}
		if !bytes.Equal(marshal(t, to), data) {
			t.Errorf("%s: refused data changes the values", name)
		}
	}
}
