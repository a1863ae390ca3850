package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A frame is one or more messages: parts with the changes of a cell each, and at last the commit,
// which every follower gets. A frame without a commit never happened. A message is a header and
// operations, little-endian:
//
//	1  what it is
//	8  time at the leader, in nanoseconds since 1970
//	8  number of the frame, from 1
//	4  number of the part, from 0
//	   of a commit:
//	4  number of inserts and removals in the frame
//	4  number of cells that have parts in the frame
//	   of a takeover, which begins a leader's frames and has no operations:
//	   the leader's name
//
// An operation is
//
//	1  what it is
//	8  handle
//	   of an insert or a removal: how many others of the frame, which are in other messages, were
//	   before it and after its predecessor in this message (uvarint)
//	   of a leave: the cell that the value is in now, as X and Y, 4 bytes each
//	   of an insert, an edit and an enter: the value
//
// In a world with cells, the messages for all followers have a sum for each cell that has parts, so
// that a follower of the cell can tell whether it has all of them. In place of a handle, a sum has
// the difference of the cell to that of the sum before it in the message (varint, X and Y), and the
// CRC-32C of the cell's parts, 4 bytes.
//
// The inserts and removals of a frame are numbered over all its parts, since handles depend on
// their order. The order of the others does not matter: no two are about the same value.

const (
	MsgPart     = 0x11
	MsgCommit   = 0x12
	MsgTakeover = 0x13

	HeadBytes   = 1 + 8 + 8 + 4
	CommitBytes = HeadBytes + 8
	SumBytes    = 1 + 2*5 + 4
	leaderBytes = 26 // of a leader's name, by crypto/rand.Text
	OpBytes     = 1 + 8
	CellBytes   = 8
)

const (
	OpInsert = 1 + iota // a new value
	OpRemove            // a value that was in the cell
	OpEdit              // a value that was and is in the cell
	OpLeave             // a value that was in the cell and is in another
	OpEnter             // a value that is in the cell and was in another
	OpIssue             // the insert of a value that was removed in the same frame
	OpRetire            // its removal
	OpSum               // not a change: the sum of a cell
)

// MaxBytes is the maximum size of a frame: 64 MiB.
const MaxBytes = 64 << 20

// Header is the header of a message.
type Header struct {
	Kind    byte
	Time    int64
	Frame   uint64
	Part    uint32
	Ordered uint32 // of a commit
	Cells   uint32 // of a commit: number of sums in the frame
	Leader  string // of a takeover
}

// AppendHeader appends h.
func AppendHeader(b []byte, h Header) []byte {
	b = append(b, h.Kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Time))
	b = binary.LittleEndian.AppendUint64(b, h.Frame)
	b = binary.LittleEndian.AppendUint32(b, h.Part)
	switch h.Kind {
	case MsgCommit:
		b = binary.LittleEndian.AppendUint32(b, h.Ordered)
		b = binary.LittleEndian.AppendUint32(b, h.Cells)
	case MsgTakeover:
		b = append(b, h.Leader...)
	}
	return b
}

// Op is an operation.
type Op struct {
	Kind   byte
	Order  uint32 // of an insert or a removal: its number in the frame
	Handle uint64
	To     Cell   // of a leave, and the cell of a sum
	Sum    uint32 // of a sum
	Value  []byte // of an insert, an edit or an enter
}

// Ordered reports whether operations of the kind are numbered.
func Ordered(kind byte) bool {
	return kind == OpInsert || kind == OpRemove || kind == OpIssue || kind == OpRetire
}

// Valued reports whether operations of the kind have a value.
func Valued(kind byte) bool { return kind == OpInsert || kind == OpEdit || kind == OpEnter }

// ReadHeader reads the header of a message, and returns the operations.
func ReadHeader(b []byte) (h Header, ops []byte, err error) {
	if len(b) < HeadBytes {
		return h, nil, fmt.Errorf("a message of %d bytes", len(b))
	}
	h.Kind = b[0]
	h.Time = int64(binary.LittleEndian.Uint64(b[1:]))
	h.Frame = binary.LittleEndian.Uint64(b[9:])
	h.Part = binary.LittleEndian.Uint32(b[17:])
	ops = b[HeadBytes:]
	switch {
	case h.Kind == MsgTakeover:
		if len(ops) != leaderBytes {
			return h, nil, fmt.Errorf("a leader's name of %d bytes", len(ops))
		}
		h.Leader, ops = string(ops), nil
	case h.Kind == MsgCommit && len(ops) < 8:
		return h, nil, errors.New("a commit that ends early")
	case h.Kind == MsgCommit:
		h.Ordered, h.Cells = binary.LittleEndian.Uint32(ops), binary.LittleEndian.Uint32(ops[4:])
		ops = ops[8:]
	case h.Kind != MsgPart:
		return h, nil, fmt.Errorf("a message of kind %#x", h.Kind)
	}
	return h, ops, nil
}

// AppendOp appends o, but for its value. skip is the number of inserts and removals of the frame
// that are before o and after the one before o in its message.
func AppendOp(b []byte, o *Op, skip uint32) []byte {
	b = append(b, o.Kind)
	b = binary.LittleEndian.AppendUint64(b, o.Handle)
	if Ordered(o.Kind) {
		b = binary.AppendUvarint(b, uint64(skip))
	}
	if o.Kind == OpLeave {
		b = AppendCell(b, o.To)
	}
	return b
}

// AppendSum appends the sum of a cell. before is the cell of the sum before it in its message, or
// the zero Cell.
func AppendSum(b []byte, before, c Cell, sum uint32) []byte {
	b = append(b, OpSum)
	b = binary.AppendVarint(b, int64(c.X)-int64(before.X))
	b = binary.AppendVarint(b, int64(c.Y)-int64(before.Y))
	return binary.LittleEndian.AppendUint32(b, sum)
}

// Sum returns the sum of a part after those with the given sum.
func Sum(sum uint32, part []byte) uint32 { return crc32.Update(sum, castagnoli, part) }

// MakeCommit makes the part that begins at from, and is the end of b, the commit h of its frame.
func MakeCommit(b []byte, from int, h Header) []byte {
	const more = CommitBytes - HeadBytes
	at := from + HeadBytes
	b = append(b, make([]byte, more)...)
	copy(b[at+more:], b[at:])
	binary.LittleEndian.PutUint32(b[at:], h.Ordered)
	binary.LittleEndian.PutUint32(b[at+4:], h.Cells)
	b[from] = MsgCommit
	return b
}

// opReader reads the operations of a message.
type opReader struct {
	data  []byte
	size  int    // of a value
	order uint32 // of the next insert or removal, if none lies between
	cell  Cell   // of the last sum
}

// next reads an operation. There must be one: data is not empty.
func (r *opReader) next() (o Op, err error) {
	b := r.data
	if b[0] == OpSum {
		return r.sum()
	}
	if len(b) < OpBytes {
		return o, errEnds
	}
	o.Kind, o.Handle = b[0], binary.LittleEndian.Uint64(b[1:])
	b = b[OpBytes:]
	if o.Kind < OpInsert || o.Kind > OpRetire {
		return o, fmt.Errorf("an operation of kind %d", o.Kind)
	}
	if Ordered(o.Kind) {
		skip, n := binary.Uvarint(b)
		if n <= 0 || skip > maxOrder || r.order > maxOrder {
			return o, errors.New("an operation with a wrong number")
		}
		o.Order = r.order + uint32(skip)
		r.order, b = o.Order+1, b[n:]
	}
	if o.Kind == OpLeave {
		if len(b) < CellBytes {
			return o, errEnds
		}
		o.To.X = int32(binary.LittleEndian.Uint32(b))
		o.To.Y = int32(binary.LittleEndian.Uint32(b[4:]))
		b = b[CellBytes:]
	}
	if Valued(o.Kind) {
		if len(b) < r.size {
			return o, errEnds
		}
		o.Value, b = b[:r.size:r.size], b[r.size:]
	}
	r.data = b
	return o, nil
}

// sum is next for a sum.
func (r *opReader) sum() (o Op, err error) {
	o.Kind = OpSum
	b := r.data[1:]
	for _, axis := range []*int32{&r.cell.X, &r.cell.Y} {
		d, n := binary.Varint(b)
		to := int64(*axis) + d
		if n <= 0 || d < -1<<32 || d > 1<<32 || to != int64(int32(to)) {
			return o, errors.New("a sum of a wrong cell")
		}
		*axis, b = int32(to), b[n:]
	}
	if len(b) < 4 {
		return o, errEnds
	}
	o.To, o.Sum = r.cell, binary.LittleEndian.Uint32(b)
	r.data = b[4:]
	return o, nil
}

// maxOrder is the greatest number of an insert or removal: a frame has no room for more.
const maxOrder = MaxBytes / OpBytes

var errEnds = errors.New("an operation that ends early")

// checkOps checks the operations of a message, and returns how many changes there are and how many
// of them are inserts and removals.
func (c Values[T]) checkOps(data []byte) (n, inOrder int, err error) {
	r := opReader{data: data, size: c.Encoded}
	for len(r.data) > 0 {
		at := len(data) - len(r.data)
		o, err := r.next()
		if err == nil && len(o.Value) > 0 && c.Invalid(o.Value) >= 0 {
			err = errors.New("a bool that is neither 0 nor 1")
		}
		if err == nil && o.Kind != OpSum && uint32(o.Handle>>32)&1 == 0 {
			err = errors.New("a handle that no container issues")
		}
		if err != nil {
			return n, inOrder, fmt.Errorf("%w: operation %d at byte %d: %w", ErrCorrupt, n, at, err)
		}
		if o.Kind != OpSum {
			n++
		}
		if Ordered(o.Kind) {
			inOrder++
		}
	}
	return n, inOrder, nil
}

// read checks a message, and returns its header, its operations, how many there are, and how many
// of them are inserts and removals.
func (c Values[T]) read(data []byte) (h Header, ops []byte, n, inOrder int, err error) {
	h, ops, err = ReadHeader(data)
	if err != nil {
		return h, nil, 0, 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	n, inOrder, err = c.checkOps(ops)
	return h, ops, n, inOrder, err
}

// Valid reports whether data is a message that a leader could have written.
func (c Values[T]) Valid(data []byte) bool {
	_, _, _, _, err := c.read(data)
	return err == nil
}
