package arena

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/wiretest"
)

// TestErrors pins the messages of errors. The bytes that it changes are counted from the beginning
// of the contents.
func TestErrors(t *testing.T) {
	v := NewVec[bool](NewFixed(64))
	v.Append(true, false)
	m := NewMap[uint16, uint8](NewFixed(512))
	m.Set(1, 2)
	m.Set(3, 4)
	h := NewHandles[uint8, Handle32[uint8]](NewFixed(1024), HandlesConfig{Seed: 1})
	_, _ = h.Insert(1)
	bools := NewMap[bool, [2]bool](NewFixed(1 << 10))
	bools.Set(true, [2]bool{})
	bits := NewMap[bool, bool](NewFixed(1 << 10))
	bits.Set(true, true)
	p := NewPool[uint8](NewFixed(1 << 10))
	p.Insert(1)
	const isBool = "a bool that is neither 0 nor 1"
	for _, c := range []struct {
		of    coder
		at    int // of the contents
		b     byte
		want  string
		where int // in the contents
	}{
		{v, 0, 3, "the contents end too early", 10},
		{v, 0, 1, "contents behind the last value", 9},
		{v, 9, 2, isBool, 9},
		{v, 7, 0xFF, "the contents end too early", 10},
		{p, 0, 2, "the contents end too early", 17},
		{p, 8, 0, "the last block is empty", 8},
		{p, 8, 3, "the contents end too early", 17},
		{bools, 8, 2, isBool, 8},
		{bools, 10, 2, isBool, 10},
		{bits, 1, 1, "257 entries, more than keys", 0},
		{m, 11, 1, "duplicate key", 11},
		{h, 1, 0x80, "a generation that is too high", 0},
		{h, 4, 2, "the contents end too early", 21},
		{h, 16, 2, "invalid word of slot 0", 16},
		{h, 6, 1, "more slots than indices", 4},
		{h, 8, 1, "invalid chain of vacant slots", 8},
		{h, 12, 1, "wrong number of retired slots", 12},
	} {
		good := marshal(t, c.of)
		contents := slices.Clone(contentsOf(good))
		contents[c.at] = c.b
		bad := withContents(good, contents)
		at := contentsAt(good) + c.where
		if strings.HasSuffix(c.want, "too early") {
			at += 8 // behind a checksum and the length of the last chunk
		}
		_ = wantError(t, c.of, bad, fmt.Sprintf("%s, at byte %d", c.want, at))
	}
}

// TestHeaderErrors pins the messages of errors in headers.
func TestHeaderErrors(t *testing.T) {
	v := NewVec[bool](NewFixed(64))
	v.Append(true, false)
	data := marshal(t, v)
	change := func(at int, b byte) []byte {
		bad := slices.Clone(data)
		bad[at] = b
		return wiretest.Reseal(bad)
	}
	sum := slices.Clone(data)
	sum[25]++
	// A Vec of no bools, in the format that was arena's own before 0.1.0.
	own := []byte("\x8eARN\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" +
		"\xa5\xf1\x01\x86\x4c\xdf\x63\xaf\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
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
		{v, own, "not a saved container, at byte 0", false},
		{v, []byte("no"), "not a saved container, at byte 0", false},
		{v, data[:20], "the data ends in a chunk, at byte 20", true},
		{v, sum, "a checksum does not match, at byte 27", false},
		{v, change(4, 2), "version 2 of the format, not 1, at byte 4", false},
		{v, change(5, 18), "a saved arena.Pool, not a arena.Vec, at byte 5", false},
		{v, change(5, 99), "a saved kind 99, not a arena.Vec, at byte 5", false},
		{v, change(7, 1), "reserved bytes that are not zero, at byte 6", false},
		{v, marshal(t, NewVec[int8](nil)), "another type: the type is i1, not b, at byte 16", false},
		{w, marshal(t, NewVec[other](nil)), "another type: field .C is i2, not u2, at byte 16", false},
		{v, append(slices.Clone(data), 0), "1 bytes behind the frame, at byte 39", false},
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
