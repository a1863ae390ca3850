package arena

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/internal/pages"
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
		if strings.HasPrefix(r.s.name, "Deque") { // it keeps the size of its blocks
			copy(again[headBytes:headBytes+8], data[headBytes:])
			fixSum(again)
		}
		if !bytes.Equal(again, data) {
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
				r := newReceiver(t, s, NewFixed(1<<18))
				for i := 0; i < 8*min(len(data), 160); i += each {
					bad := slices.Clone(data)
					bad[i/8] ^= 1 << (i % 8)
					if err := r.load(t, bad); !errors.Is(err, ErrCorrupt) {
						t.Fatalf("bit %d: %v, want corrupt", i, err)
					}
					err := r.load(t, fixSum(bad))
					if i/8 < headBytes && !errors.Is(err, ErrCorrupt) {
						t.Fatalf("bit %d of the head: %v, want corrupt", i, err)
					}
				}
			}
		})
	}
}

// TestTruncated cuts encodings at each length, or at many lengths if they are long, and also
// extends them, with and without a corrected checksum.
func TestTruncated(t *testing.T) {
	for _, s := range codecSubjects {
		for _, data := range s.samples(t)[:3] {
			r := newReceiver(t, s, NewFixed(1<<18))
			for n := 0; n < len(data); n += 1 + n/100 {
				for _, bad := range [][]byte{data[:n], fixSum(slices.Clone(data[:n]))} {
					if err := r.load(t, bad); !errors.Is(err, ErrCorrupt) {
						t.Fatalf("%s: %d of %d bytes: %v, want corrupt", s.name, n, len(data), err)
					}
				}
			}
			for n := range 20 {
				long := append(slices.Clone(data), make([]byte, n+1)...)
				for _, bad := range [][]byte{long, fixSum(slices.Clone(long))} {
					if err := r.load(t, bad); !errors.Is(err, ErrCorrupt) {
						t.Fatalf("%s: %d bytes more: %v, want corrupt", s.name, n+1, err)
					}
				}
			}
		}
	}
}

// TestForeign passes the encoding of each container to all others.
func TestForeign(t *testing.T) {
	for _, from := range codecSubjects {
		data := from.samples(t)[1]
		for _, to := range codecSubjects {
			err := newReceiver(t, to, NewFixed(1<<18)).load(t, data)
			same := from.name == to.name || // or the same type, on 32-bit machines
				math.MaxInt == math.MaxInt32 && strings.Contains(from.name+to.name, "int") &&
					bytes.Equal(data[:headBytes], marshal(t, to.make(nil))[:headBytes])
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
		1 << 10, 1 << 16, 1 << 20, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 40, 1 << 58, 1 << 60, 1 << 61,
		1<<61 + 1, 1<<62 + 2, 1 << 63, math.MaxUint64 - 62, math.MaxUint64 - 1, math.MaxUint64,
	}
	var before, after runtime.MemStats
	for _, s := range codecSubjects {
		for _, data := range s.samples(t)[:2] {
			a := NewChunked(1 << 12)
			c := s.make(a)
			for at := headBytes; at < min(headBytes+48, len(data)-sumBytes-7); at += 4 {
				for _, n := range huge {
					bad := slices.Clone(data)
					binary.LittleEndian.PutUint64(bad[at:], n)
					fixSum(bad)
					used := a.Used()
					runtime.ReadMemStats(&before)
					err := c.UnmarshalBinary(bad)
					runtime.ReadMemStats(&after)
					heap := int(after.TotalAlloc - before.TotalAlloc)
					// 64 values of 40 bytes for a word of 8, and as much for the heap, where the
					// arena lies; a chunk; the table of blocks of zero-size values.
					most := 340*len(bad) + 4096
					if took := a.Used() - used; took > most || heap > most+4096+maxNothingBlocks*64 {
						t.Errorf("%s: %d at %d: takes %d bytes, and %d of the heap, for %d: %v",
							s.name, n, at, took, heap, len(bad), err)
					}
				}
			}
		}
	}
}

// TestSparse: nearly empty blocks take no more of an unlimited arena than documented. In a limited
// arena, the limit applies.
func TestSparse(t *testing.T) {
	type large [1 << 16]byte // a block is 4 MiB
	p := NewPool[large](nil)
	data := marshal(t, p)
	data = data[:len(data)-sumBytes]
	const blocks = 1000
	binary.LittleEndian.PutUint64(data[headBytes:], blocks)
	data = append(data, make([]byte, 8*(blocks-1))...)
	data = append(data, 1, 0, 0, 0, 0, 0, 0, 0)
	data = append(data, make([]byte, 1<<16+sumBytes)...)
	fixSum(data)
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
	if err := q.UnmarshalBinary(data); err != nil || q.Len() != 1 || !q.Valid(64*(blocks-1)) {
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
		for seed := range 40 {
			s.play(big, counter(seed+1))
		}
		if err := r.load(t, marshal(t, big)); need > 0 && err == nil && len(r.data) > 2000 {
			t.Errorf("%s: %d bytes are loaded into nothing", s.name, len(r.data))
		}
	}
}

// TestErrors pins the messages of errors.
func TestErrors(t *testing.T) {
	v := NewVec[bool](NewFixed(64))
	v.Append(true, false)
	data := marshal(t, v)
	change := func(at int, b byte) []byte {
		bad := slices.Clone(data)
		bad[at] = b
		return fixSum(bad)
	}
	sum := slices.Clone(data)
	sum[35]++
	m := NewMap[uint16, uint8](NewFixed(512))
	m.Set(1, 2)
	m.Set(3, 4)
	twice := marshal(t, m)
	copy(twice[headBytes+8+3:], twice[headBytes+8:headBytes+8+3])
	h := NewHandles[uint8, Handle32[uint8]](NewFixed(1024), HandlesConfig{Seed: 1})
	_, _ = h.Create(1)
	slots := func(at int, b byte) []byte {
		bad := marshal(t, h)
		bad[at] = b
		return fixSum(bad)
	}
	d := NewDeque[uint8](NewFixed(64), DequeConfig{Block: 4})
	shift := marshal(t, d)
	shift[headBytes] = maxShift + 1
	bools := NewMap[bool, [2]bool](NewFixed(1 << 10))
	bools.Set(true, [2]bool{})
	entry := func(at int) []byte {
		bad := marshal(t, bools)
		bad[at] = 2
		return fixSum(bad)
	}
	small := NewVec[bool](NewFixed(0))
	for _, c := range []struct {
		to   coder
		data []byte
		want string
	}{
		{v, nil, "not a marshalled container, at byte 0"},
		{v, []byte("\x8eARM12345"), "not a marshalled container, at byte 0"},
		{v, data[:30], "too short, at byte 30"},
		{v, sum, "checksum, at byte 34"},
		{v, change(4, 2), "version 2 of the format, not 1, at byte 4"},
		{v, change(5, 3), "a Pool, not a Vec, at byte 5"},
		{v, change(5, 99), "a kind 99, not a Vec, at byte 5"},
		{v, change(7, 1), "reserved bytes are not zero, at byte 6"},
		{v, change(8, 2), "another type, of 2 and 0 bytes, not 1 and 0, at byte 8"},
		{v, change(16, 0), "another type, of the same size, at byte 16"},
		{v, change(24, 3), "3 values do not fit the data, at byte 32"},
		{v, change(24, 1), "1 bytes behind the last value, at byte 33"},
		{v, change(33, 2), "a bool that is neither 0 nor 1, at byte 33"},
		{d, fixSum(shift), "blocks that are too large, at byte 24"},
		{bools, entry(32), "a bool that is neither 0 nor 1, at byte 32"},
		{bools, entry(34), "a bool that is neither 0 nor 1, at byte 34"},
		{m, fixSum(twice), "duplicate key, at byte 35"},
		{h, slots(25, 0x80), "a generation that is too high, at byte 24"},
		{h, slots(28, 2), "2 slots do not fit the data, at byte 40"},
		{h, slots(40, 2), "invalid word of slot 0, at byte 40"},
		{h, slots(30, 1), "more slots than indices, at byte 28"},
		{h, slots(32, 1), "invalid chain of vacant slots, at byte 32"},
		{h, slots(36, 1), "wrong number of retired slots, at byte 36"},
	} {
		err := c.to.UnmarshalBinary(c.data)
		want := "arena: " + strings.Split(fmt.Sprintf("%T", c.to)[len("*arena."):], "[")[0] +
			".UnmarshalBinary: corrupt: " + c.want
		if !errors.Is(err, ErrCorrupt) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	err := small.UnmarshalBinary(data)
	if want := "arena: Vec.UnmarshalBinary: arena: no space"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestBadSlots gives a Handles invalid slots.
func TestBadSlots(t *testing.T) {
	type H = Handle32[uint8]
	word := func(index uint32, free bool, generation uint32) uint32 {
		return uint32(makeHandle[H](index, free, generation))
	}
	load := func(head, gone uint32, words ...uint32) error {
		b := marshal(t, NewHandles[uint8, H](nil, HandlesConfig{Seed: 1}))[:headBytes]
		live := 0
		for i, n := range append([]uint32{5, uint32(len(words)), head, gone}, words...) {
			b = binary.LittleEndian.AppendUint32(b, n)
			live += btoi(i >= 4 && n != 0 && !isFree(H(n)))
		}
		s := handlesSubject[uint8, H]("uint8")
		return newReceiver(t, s, NewFixed(1<<14)).load(t, finish(append(b, make([]byte, live)...), 0))
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
