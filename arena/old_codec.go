package arena

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/seed505807e1/berth/internal/wire"
)

// This file reads version 1 of arena's own format, in which the containers were marshalled before
// they had the frame that all of berth's containers share. Nothing writes it any more. All numbers
// are little-endian.
//
//	at  bytes
//	 0  4     magic: 0x8E "ARN"
//	 4  1     version of the format: 1
//	 5  1     kind: 1 Vec, 2 Deque, 3 Pool, 4 Handles of Handle32, 5 of Handle64, 6 Map
//	 6  2     0
//	 8  4     encoded size of a value; in a Map, of a key
//	12  4     in a Map, encoded size of a value; else 0
//	16  8     fingerprint of the type: see layout.Describe; in a Map, the 64-bit FNV-1a hash of
//	          those of key and value
//	24  ...   the contents; a Deque has 8 bytes before them, the binary logarithm of its blocks
//	    4     CRC-32C of everything before it
//
// The contents are those of the frame, so upgrade puts them into one.

const (
	oldMagic   = "\x8eARN"
	oldVersion = 1
	oldHead    = 24
	oldSum     = 4
	// maxOldShift is the binary logarithm of the largest block of a Deque.
	maxOldShift = 30
)

// oldType is the description of a type in version 1.
type oldType struct {
	size, value uint32
	print       uint64
}

// isOld reports whether data begins like version 1.
func isOld(data []byte) bool {
	n := min(len(data), len(oldMagic))
	return n > 1 && string(data[:n]) == oldMagic[:n]
}

// upgrade replaces the data of r, which is of version 1, by a frame with the same contents. It
// fails unless the data is a container of the kind of r and of type e.
// Cost: O(len(data)); allocates the frame.
func (r *loader) upgrade(e *codec) error {
	data := r.data
	bad := func(at int, what string) error { return &corrupt{r.fn, what, int64(at), nil} }
	end := len(data) - oldSum
	if end < oldHead {
		return &corrupt{r.fn, "the data ends in the header", int64(len(data)), io.ErrUnexpectedEOF}
	}
	old := oldType{
		binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:]),
		binary.LittleEndian.Uint64(data[16:]),
	}
	kind := wire.ArenaVec - 1 + wire.Kind(data[5])
	sum := crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli))
	switch {
	case data[4] != oldVersion:
		return bad(4, "version "+strconv.Itoa(int(data[4]))+" of arena's format, not 1")
	case binary.LittleEndian.Uint32(data[end:]) != sum:
		return bad(end, "a checksum does not match")
	case kind != r.kind:
		return bad(5, fmt.Sprintf("a saved %v, not a %v", kind, r.kind))
	case data[6]|data[7] != 0:
		return bad(6, "reserved bytes that are not zero")
	case old.size != e.old.size || old.value != e.old.value:
		return bad(8, fmt.Sprintf("another type, of %d and %d bytes, not %d and %d",
			old.size, old.value, e.old.size, e.old.value))
	case old.print != e.old.print:
		return bad(16, "another type, of the same size")
	}
	r.old = oldHead
	if kind == wire.ArenaDeque {
		if r.old += 8; end < r.old {
			return bad(end, "the contents end too early")
		}
		if binary.LittleEndian.Uint64(data[oldHead:]) > maxOldShift {
			return bad(oldHead, "blocks that are too large")
		}
	}
	w := begin(nil, r.kind, e, end-r.old)
	w.Bytes(data[r.old:end])
	r.data = finish(w)
	return nil
}

// oldOffset returns the offset in data of version 1 of byte at of the frame that upgrade has made,
// in which all chunks but the last are full.
func (r *loader) oldOffset(at int64) int64 {
	const head, word = 8, 4
	chunks, rest := (at-head)/(wire.MaxChunk+2*word), (at-head)%(wire.MaxChunk+2*word)
	in := min(max(rest-word, 0), wire.MaxChunk)
	contents := chunks*wire.MaxChunk + in - word - int64(len(r.desc))
	return min(contents+int64(r.old), int64(r.input-oldSum))
}
