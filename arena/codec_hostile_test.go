package arena

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/internal/pages"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// samples returns the encodings of containers of s, short ones first.
func (s subject) samples(t testing.TB) [][]byte {
	t.Helper()
	all := [][]byte{marshal(t, s.make(nil))}
	c := s.make(NewChunked(1 << 12))
	for seed := range 3 {
		s.play(c, counter(seed+3))
		all = append(all, marshal(t, c))
	}
	return all
}

// receiver is a container that has values already, and must keep them if unmarshalling fails.
type receiver struct {
	s    subject
	a    *Arena
	c    coder
	data []byte
	used int
}

func newReceiver(t testing.TB, s subject, a *Arena) *receiver {
	r := &receiver{s: s, a: a, c: s.make(a)}
	next := counter(11)
	s.play(r.c, func() int { return next() % 32 })
	NewVec[byte](a).Push(1)
	r.note(t)
	return r
}

func (r *receiver) note(t testing.TB) {
	r.data, r.used = marshal(t, r.c), r.a.Used()
}

// load unmarshals data, which may be anything. It returns the error, and fails the test if the
// receiver is not sound, or has changed despite an error.
func (r *receiver) load(t testing.TB, data []byte) error {
	t.Helper()
	err := r.c.UnmarshalBinary(data)
	if err == nil {
		r.s.sound(r.c)
		again := marshal(t, r.c)
		if !bytes.Equal(contentsOf(again), contentsOf(data)) {
			t.Fatalf("%s: after loading\n%x\nit is marshalled to\n%x", r.s.name, data, again)
		}
		r.note(t)
		return nil
	}
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNoSpace) {
		t.Fatalf("%s: %v", r.s.name, err)
	}
	r.s.sound(r.c)
	if now := marshal(t, r.c); r.a.Used() != r.used || !bytes.Equal(now, r.data) {
		t.Fatalf("%s: was\n%x\nand is\n%x\nafter error %v", r.s.name, r.data, now, err)
	}
	return err
}

// TestBitFlips flips each bit of an encoding. The checksum detects it. With a corrected checksum,
// the receiver is sound or the data is refused.
func TestBitFlips(t *testing.T) {
	each := 1
	if !long.On {
		each = 7 // so that in eight bytes each bit has its turn
	}
	for _, s := range codecSubjects {
		t.Run(s.name, func(t *testing.T) {
			for _, data := range s.samples(t)[:2] {
				testBitFlips(t, s, data, each)
			}
		})
	}
}

func testBitFlips(t *testing.T, s subject, data []byte, each int) {
	r := newReceiver(t, s, NewFixed(1<<18))
	head := contentsAt(data)
	for i := 0; i < 8*min(len(data), head+136); i += each {
		bad := slices.Clone(data)
		bad[i/8] ^= 1 << (i % 8)
		if err := r.load(t, bad); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit %d: %v, want corrupt", i, err)
		}
		err := r.load(t, wiretest.Reseal(bad))
		if i/8 < head && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit %d of the head: %v, want corrupt", i, err)
		}
	}
}

// TestTruncated cuts encodings at each length, or at many lengths if they are long, and also
// extends them, with and without corrected checksums. Then it does the same to their contents.
func TestTruncated(t *testing.T) {
	for _, s := range codecSubjects {
		for _, data := range s.samples(t)[:3] {
			testTruncated(t, s, data)
		}
	}
}

func testTruncated(t *testing.T, s subject, data []byte) {
	r := newReceiver(t, s, NewFixed(1<<18))
	refused := func(what string, n int, bad []byte) error {
		err := r.load(t, bad)
		if !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%s: %s: %d of %d bytes: %v, want corrupt", s.name, what, n, len(data), err)
		}
		return err
	}
	for n := 0; n < len(data); n += 1 + n/100 {
		err := refused("cut", n, data[:n])
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%s: %d of %d bytes: %v, want an unexpected EOF", s.name, n, len(data), err)
		}
		_ = refused("cut and sealed", n, wiretest.Reseal(data[:n]))
	}
	contents := contentsOf(data)
	for n := 0; n < len(contents); n += 1 + n/100 {
		err := refused("contents cut", n, withContents(data, contents[:n]))
		if errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%s: %d of %d bytes of contents: %v", s.name, n, len(contents), err)
		}
	}
	for n := range 20 {
		more := make([]byte, n+1)
		longer := append(slices.Clone(data), more...)
		_ = refused("longer", len(longer), longer)
		_ = refused("longer and sealed", len(longer), wiretest.Reseal(longer))
		_ = refused("contents longer", n, withContents(data, append(slices.Clone(contents), more...)))
	}
}

// TestChunks reads frames with chunks of other lengths than the Writer makes.
func TestChunks(t *testing.T) {
	for _, s := range codecSubjects {
		for _, data := range s.samples(t) {
			r := newReceiver(t, s, NewFixed(1<<18))
			for _, size := range []int{1, 3, 8, 13, 100, 1000} {
				if err := r.load(t, s.frame(contentsOf(data), size)); err != nil {
					t.Fatalf("%s in chunks of %d bytes: %v", s.name, size, err)
				}
			}
		}
	}
}

// TestForeign passes the encoding of each container to all others.
func TestForeign(t *testing.T) {
	var all [][]byte
	for _, from := range codecSubjects {
		all = append(all, from.samples(t)[1])
	}
	for _, to := range codecSubjects {
		r, other := newReceiver(t, to, NewFixed(1<<18)), marshal(t, to.make(nil))
		for i, from := range codecSubjects {
			data := all[i]
			err, end := r.load(t, data), contentsAt(data)
			same := from.name == to.name || // or the same kind and type, on 32-bit machines
				math.MaxInt == math.MaxInt32 && strings.Contains(from.name+to.name, "int") &&
					data[5] == other[5] && bytes.Equal(data[12:end], other[12:end])
			if same != (err == nil) ||
				err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s to %s: %v", from.name, to.name, err)
			}
		}
	}
}

// TestHugeCounts puts large numbers wherever a count may be. Unmarshalling must then take neither
// memory of that size, on Go's heap or in the arena, nor much time.
func TestHugeCounts(t *testing.T) {
	huge := []uint64{
		1 << 10, 1 << 20, 1<<31 - 1, 1 << 32, 1 << 58, 1 << 60, 1<<61 + 1, 1<<62 + 2, 1 << 63,
		math.MaxUint64 - 62, math.MaxUint64,
	}
	for _, s := range codecSubjects {
		for _, data := range s.samples(t)[:2] {
			for at := contentsAt(data); at < min(contentsAt(data)+48, len(data)-11); at += 4 {
				for _, n := range huge {
					bad := slices.Clone(data)
					binary.LittleEndian.PutUint64(bad[at:], n)
					testHugeCount(t, s, wiretest.Reseal(bad), fmt.Sprintf("%d at %d", n, at))
				}
			}
		}
	}
}

func testHugeCount(t *testing.T, s subject, bad []byte, name string) {
	var before, after runtime.MemStats
	a := NewChunked(1 << 12)
	c := s.make(a)
	runtime.ReadMemStats(&before)
	err := c.UnmarshalBinary(bad)
	runtime.ReadMemStats(&after)
	heap := int(after.TotalAlloc - before.TotalAlloc)
	// 64 values of 40 bytes for a word of 8, and as much for the heap, where the arena lies; a
	// chunk; the table of blocks of zero-size values.
	most := 340*len(bad) + 4096
	if took := a.Used(); took > most || heap > most+8192+maxNothingBlocks*64 {
		t.Errorf("%s: %s: takes %d bytes, and %d of the heap, for %d: %v",
			s.name, name, took, heap, len(bad), err)
	}
}

// TestSparse: nearly empty blocks take no more of an unlimited arena than documented. In a limited
// arena, the limit applies.
func TestSparse(t *testing.T) {
	type large [1 << 16]byte // a block is 4 MiB
	p := NewPool[large](nil)
	blocks := uint64(1000)
	if invariants.On { // the checks read all of it
		blocks = 100
	}
	contents := binary.LittleEndian.AppendUint64(nil, blocks)
	contents = append(contents, make([]byte, 8*(blocks-1))...)
	contents = append(contents, 1, 0, 0, 0, 0, 0, 0, 0)
	contents = append(contents, make([]byte, 1<<16)...)
	data := withContents(marshal(t, p), contents)
	for name, a := range map[string]*Arena{"chunked": NewChunked(1 << 10), "fixed": NewFixed(1 << 20)} {
		p := NewPool[large](a)
		if err := p.UnmarshalBinary(data); !errors.Is(err, ErrNoSpace) || a.Used() != 0 ||
			a.Stats().Reserved > 1<<20 {
			t.Errorf("%s: %v, %d bytes taken of %d", name, err, a.Used(), a.Stats().Reserved)
		}
	}
	if math.MaxInt == math.MaxInt32 || !pages.Supported {
		return
	}
	reserve := int64(8 << 30)
	a, err := NewVirtual(int(reserve), VirtualConfig{})
	if err != nil {
		t.Fatal(err)
	}
	q := NewPool[large](a)
	if err := q.UnmarshalBinary(data); err != nil || q.Len() != 1 || !q.Contains(64*int(blocks-1)) {
		t.Errorf("Len = %d, %v", q.Len(), err)
	}
	if err := a.Release(); err != nil {
		t.Error(err)
	}
}

// TestExhaustion unmarshals into arenas of all sizes. It fails with ErrNoSpace until there is room,
// and succeeds from then on.
func TestExhaustion(t *testing.T) {
	for _, s := range codecSubjects {
		data := s.samples(t)[3]
		full := NewChunked(1 << 20)
		if err := s.make(full).UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		need := full.Used()
		for _, size := range []int{0, 1, need / 4, need / 2, need - 64, need - 1, need, need + 200} {
			size = max(size, 0)
			a := NewFixed(size)
			err := s.make(a).UnmarshalBinary(data)
			switch {
			case size < need && (!errors.Is(err, ErrNoSpace) || a.Used() != 0):
				t.Errorf("%s: %d bytes of %d: %v, Used = %d", s.name, size, need, err, a.Used())
			case size >= need && err != nil:
				t.Errorf("%s: %d bytes of %d: %v", s.name, size, need, err)
			}
		}
		a := NewFixed(1 << 17)
		r := newReceiver(t, s, a)
		if _, err := a.AllocDirty(a.Stats().Reserved-a.Used(), 1); err != nil { // take the rest
			t.Fatal(err)
		}
		r.note(t)
		big := s.make(NewChunked(1 << 12))
		for seed := range 20 {
			s.play(big, counter(seed+1))
		}
		if err := r.load(t, marshal(t, big)); need > 0 && err == nil && len(r.data) > 2000 {
			t.Errorf("%s: %d bytes are loaded into nothing", s.name, len(r.data))
		}
	}
}

// TestBadSlots gives a Handles invalid slots.
func TestBadSlots(t *testing.T) {
	type H = Handle32[uint8]
	word := func(index uint32, free bool, generation uint32) uint32 {
		return uint32(makeHandle[H](index, free, generation))
	}
	s := handlesSubject[uint8, H]("uint8")
	load := func(head, gone uint32, words ...uint32) (err error) {
		var b []byte
		live := 0
		for i, n := range append([]uint32{5, uint32(len(words)), head, gone}, words...) {
			b = binary.LittleEndian.AppendUint32(b, n)
			live += btoi(i >= 4 && n != 0 && !isFree(H(n)))
		}
		b = append(b, make([]byte, live)...)
		for i, data := range [][]byte{s.frame(b, 1<<16), s.frame(b, 5)} {
			got := newReceiver(t, s, NewFixed(1<<14)).load(t, data)
			if i > 0 && (got == nil) != (err == nil) {
				t.Errorf("%v for one chunk, %v for several", err, got)
			}
			err = got
		}
		return err
	}
	good := map[string]error{
		"none":    load(0, 0),
		"live":    load(0, 0, word(1, false, 5), word(2, false, 0)),
		"vacant":  load(2, 0, word(0, true, 6), word(1, true, 4)),
		"retired": load(0, 2, 0, 0),
		"all":     load(3, 1, word(1, false, 7), 0, word(4, true, 9), word(0, true, 9)),
	}
	for name, err := range good {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := map[string]error{
		"another slot's handle": load(0, 0, word(2, false, 5)),
		"under construction":    load(0, 0, word(0, false, 5)),
		"first generation":      load(1, 0, word(0, true, 5)),
		"beyond the last":       load(1, 0, word(2, true, 6)),
		"head beyond the last":  load(3, 0, word(1, false, 6)),
		"chain to itself":       load(1, 0, word(1, true, 6)),
		"circle":                load(1, 0, word(2, true, 6), word(1, true, 6)),
		"circle behind":         load(1, 0, word(2, true, 6), word(3, true, 6), word(2, true, 6)),
		"not all in the chain":  load(1, 0, word(0, true, 6), word(0, true, 6)),
		"none in the chain":     load(0, 0, word(0, true, 6)),
		"chain to a value":      load(1, 0, word(2, true, 6), word(2, false, 6)),
		"chain to a retired":    load(1, 1, word(2, true, 6), 0),
		"retired in the chain":  load(1, 1, word(2, true, 6), 0, word(0, true, 6)),
		"head is a value":       load(1, 0, word(1, false, 6)),
		"retired uncounted":     load(0, 0, 0),
		"too many retired":      load(0, 1<<32-1, 0),
	}
	for name, err := range bad {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
