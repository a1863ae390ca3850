package arena

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestErrors pins the messages of errors, for both formats. The bytes that it changes are counted
// from the beginning of the contents.
func TestErrors(t *testing.T) {
	v := NewVec[bool](NewFixed(64))
	v.Append(true, false)
	m := NewMap[uint16, uint8](NewFixed(512))
	m.Set(1, 2)
	m.Set(3, 4)
	h := NewHandles[uint8, Handle32[uint8]](NewFixed(1024), HandlesConfig{Seed: 1})
	_, _ = h.Create(1)
	bools := NewMap[bool, [2]bool](NewFixed(1 << 10))
	bools.Set(true, [2]bool{})
	bits := NewMap[bool, bool](NewFixed(1 << 10))
	bits.Set(true, true)
	p := NewPool[uint8](NewFixed(1 << 10))
	p.Insert(1)
	const isBool = "a bool that is neither 0 nor 1"
	for _, c := range []struct {
		of, to coder
		s      subject
		at     int // of the contents
		b      byte
		want   string
		where  int // in the contents
	}{
		{v, v, vecSubject[bool](""), 0, 3, "the contents end too early", 10},
		{v, v, vecSubject[bool](""), 0, 1, "contents behind the last value", 9},
		{v, v, vecSubject[bool](""), 9, 2, isBool, 9},
		{v, v, vecSubject[bool](""), 7, 0xFF, "the contents end too early", 10},
		{p, p, poolSubject[uint8](""), 0, 2, "the contents end too early", 17},
		{p, p, poolSubject[uint8](""), 8, 0, "the last block is empty", 8},
		{p, p, poolSubject[uint8](""), 8, 3, "the contents end too early", 17},
		{bools, bools, mapSubject[bool, [2]bool](""), 8, 2, isBool, 8},
		{bools, bools, mapSubject[bool, [2]bool](""), 10, 2, isBool, 10},
		{bits, bits, mapSubject[bool, bool](""), 1, 1, "257 entries, more than keys", 0},
		{m, m, mapSubject[uint16, uint8](""), 11, 1, "duplicate key", 11},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 1, 0x80, "a generation that is too high", 0},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 4, 2, "the contents end too early", 21},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 16, 2, "invalid word of slot 0", 16},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 6, 1, "more slots than indices", 4},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 8, 1, "invalid chain of vacant slots", 8},
		{h, h, handlesSubject[uint8, Handle32[uint8]](""), 12, 1, "wrong number of retired slots", 12},
	} {
		frame := marshal(t, c.of)
		for _, f := range forms {
			good := f.of(c.s, frame)
			contents := slices.Clone(contentsOf(good))
			contents[c.at] = c.b
			bad := withContents(good, contents)
			at := contentsAt(good) + c.where
			if strings.HasSuffix(c.want, "too early") && !isOld(good) {
				at += 8 // behind a checksum and the length of the last chunk
			}
			_ = wantError(t, c.to, bad, fmt.Sprintf("%s, at byte %d", c.want, at))
		}
	}
}

// TestHeaderErrors pins the messages of errors in headers.
func TestHeaderErrors(t *testing.T) {
	v := NewVec[bool](NewFixed(64))
	v.Append(true, false)
	data := marshal(t, v)
	old := vecSubject[bool]("").old(contentsOf(data))
	change := func(data []byte, at int, b byte) []byte {
		bad := slices.Clone(data)
		bad[at] = b
		return reseal(bad)
	}
	sum, oldSum := slices.Clone(data), slices.Clone(old)
	sum[25]++
	oldSum[33]++
	d := NewDeque[uint8](NewFixed(64), DequeConfig{Block: 4})
	shift := dequeSubject[uint8]("", 4).old(contentsOf(marshal(t, d)))
	short := reseal(append(slices.Clone(shift[:oldHead+4]), 0, 0, 0, 0))
	w := NewVec[codecPadded](nil)
	type other struct {
		A bool
		B uint64
		C int16
	}
	for _, c := range []struct {
		to   coder
		data []byte
		want string
		eof  bool
	}{
		{v, nil, "the data ends in the header, at byte 0", true},
		{v, data[:3], "the data ends in the header, at byte 3", true},
		{v, []byte("\x8eARM12345"), "not a saved container, at byte 0", false},
		{v, []byte("no"), "not a saved container, at byte 0", false},
		{v, data[:20], "the data ends in a chunk, at byte 20", true},
		{v, sum, "a checksum does not match, at byte 27", false},
		{v, change(data, 4, 2), "version 2 of the format, not 1, at byte 4", false},
		{v, change(data, 5, 18), "a saved arena.Pool, not a arena.Vec, at byte 5", false},
		{v, change(data, 5, 99), "a saved kind 99, not a arena.Vec, at byte 5", false},
		{v, change(data, 7, 1), "reserved bytes that are not zero, at byte 6", false},
		{v, marshal(t, NewVec[int8](nil)), "another type: the type is i1, not b, at byte 16", false},
		{w, marshal(t, NewVec[other](nil)), "another type: field .C is i2, not u2, at byte 16", false},
		{v, append(slices.Clone(data), 0), "1 bytes behind the frame, at byte 39", false},
		{v, old[:3], "the data ends in the header, at byte 3", true},
		{v, old[:27], "the data ends in the header, at byte 27", true},
		{v, old[:30], "a checksum does not match, at byte 26", false},
		{v, oldSum, "a checksum does not match, at byte 34", false},
		{v, change(old, 4, 2), "version 2 of arena's format, not 1, at byte 4", false},
		{v, change(old, 5, 3), "a saved arena.Pool, not a arena.Vec, at byte 5", false},
		{v, change(old, 7, 1), "reserved bytes that are not zero, at byte 6", false},
		{v, change(old, 8, 2), "another type, of 2 and 0 bytes, not 1 and 0, at byte 8", false},
		{v, change(old, 12, 2), "another type, of 1 and 2 bytes, not 1 and 0, at byte 8", false},
		{v, change(old, 16, 0), "another type, of the same size, at byte 16", false},
		{d, change(shift, oldHead, maxOldShift+1), "blocks that are too large, at byte 24", false},
		{d, short, "the contents end too early, at byte 28", false},
	} {
		err := wantError(t, c.to, c.data, c.want)
		if errors.Is(err, io.ErrUnexpectedEOF) != c.eof {
			t.Errorf("%v: is an unexpected EOF: %t", err, !c.eof)
		}
	}
	err := NewVec[bool](NewFixed(0)).UnmarshalBinary(data)
	if want := "arena: Vec.UnmarshalBinary: arena: no space"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func wantError(t *testing.T, to coder, data []byte, want string) error {
	t.Helper()
	err := to.UnmarshalBinary(data)
	want = "arena: " + strings.Split(fmt.Sprintf("%T", to)[len("*arena."):], "[")[0] +
		".UnmarshalBinary: corrupt: " + want
	if !errors.Is(err, ErrCorrupt) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	return err
}
