// Package wire encodes the handles and keys of berth's containers, and the frame in which saved
// containers are written: docs/format.md describes it byte by byte.
package wire

import (
	"strconv"
)

// A frame is a header of 8 bytes, and chunks. A chunk is the length of its content (4 bytes,
// little-endian), the content, and a checksum: the CRC-32C of the header, and of the lengths and
// contents of all chunks up to this one. The last chunk has no content.

const (
	// MaxChunk is the maximum content of a chunk, in bytes.
	MaxChunk = 64 << 10

	magic     = "\x8eBTH"
	version   = 1
	headBytes = 8
	wordBytes = 4 // of a length, and of a checksum
)

// Kind is the kind of container that a frame holds.
type Kind uint8

// The kinds of all versions. A kind keeps its number forever.
const (
	Pool           Kind = 1
	Dense          Kind = 2
	List           Kind = 3
	Column         Kind = 4
	DenseColumn    Kind = 5
	ArenaVec       Kind = 16
	ArenaDeque     Kind = 17
	ArenaPool      Kind = 18
	ArenaHandles32 Kind = 19
	ArenaHandles64 Kind = 20
	ArenaMap       Kind = 21
)

var names = map[Kind]string{
	Pool: "Pool", Dense: "Dense", List: "stable.List",
	Column: "Column", DenseColumn: "DenseColumn",
	ArenaVec: "arena.Vec", ArenaDeque: "arena.Deque", ArenaPool: "arena.Pool",
	ArenaHandles32: "arena.Handles of Handle32", ArenaHandles64: "arena.Handles of Handle64",
	ArenaMap: "arena.Map",
}

// String returns the name of the container, or "kind 9".
func (k Kind) String() string {
	if name, ok := names[k]; ok {
		return name
	}
	return "kind " + strconv.Itoa(int(k))
}

// Is reports whether data begins like a frame of any version.
func Is(data []byte) bool { return len(data) >= len(magic) && string(data[:len(magic)]) == magic }

// Error reports data that is not a frame, or not the expected one.
type Error struct {
	What string
	At   int64 // offset in the frame
	Err  error // io.ErrUnexpectedEOF if the frame is cut, else nil
}

func (e *Error) Error() string {
	return e.What + ", at byte " + strconv.FormatInt(e.At, 10)
}

func (e *Error) Unwrap() error { return e.Err }
