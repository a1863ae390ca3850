package arena

import (
	"encoding"
	"encoding/binary"
	"slices"
)

var (
	_ encoding.BinaryAppender    = (*Deque[int])(nil)
	_ encoding.BinaryMarshaler   = (*Deque[int])(nil)
	_ encoding.BinaryUnmarshaler = (*Deque[int])(nil)
)

const (
	// maxShift is the binary logarithm of the largest block of a Deque.
	maxShift = 30
	// Of values without size, that no bytes pay for, so many are read, into so many new blocks.
	maxNothings = 1 << 30
)

// AppendBinary appends what [Deque.MarshalBinary] returns to b. On an error, it returns b.
// Cost: O(Len); allocates if b has no room.
func (d *Deque[T]) AppendBinary(b []byte) ([]byte, error) {
	return d.appendBinary("Deque.AppendBinary", b)
}

// MarshalBinary returns the values, first to last, as bytes, which are the same on every machine
// for types without int, uint and uintptr. It returns an error if T holds a [Nested], whose values
// are not here.
// Cost: O(Len); allocates the bytes.
func (d *Deque[T]) MarshalBinary() ([]byte, error) {
	return d.appendBinary("Deque.MarshalBinary", nil)
}

func (d *Deque[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	d.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = slices.Grow(b, headBytes+16+d.Len()*l.Encoded+sumBytes)
	b = headOf(wireDeque, l).begin(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(d.shift))
	b = binary.LittleEndian.AppendUint64(b, uint64(d.Len()))
	if l.Encoded > 0 {
		for _, s := range d.Spans() {
			b = l.Append(b, bytesOf(s))
		}
	}
	return finish(b, start), nil
}

// UnmarshalBinary makes the values of d those that were marshalled to data. It fails with
// [ErrCorrupt] if data is not what a Deque of this type was marshalled to, and with [ErrNoSpace] if
// the arena has no room; nothing changes then. A T that holds a [Nested] is an error too. A type of
// another name with the same fields is the same type. The blocks of d serve again, and stay as
// large as they are. Data must not lie in them. Of values without size, at most 2^30 are read, and
// into at most 4096 new blocks; more is ErrNoSpace.
// Cost: O(len(data)/size of T), and O(blocks); takes the blocks that d lacks of the arena, and some
// 48 bytes for each of Go's heap.
// Ends: pointers to values. A loop that runs ends at its next step.
func (d *Deque[T]) UnmarshalBinary(data []byte) error {
	const fn = "Deque.UnmarshalBinary"
	d.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return err
	}
	var r reader
	if err := r.open(fn, data, headOf(wireDeque, l), 16); err != nil {
		return err
	}
	if shift := r.uint64(); shift > maxShift {
		r.at -= 8
		return r.corrupt("blocks that are too large")
	}
	count := r.uint64()
	vals, err := r.values(count, l)
	if err != nil {
		return err
	}
	if l.Size == 0 && count > maxNothings {
		return r.noSpace()
	}
	n := int(count)
	used := (n-1)>>d.shift + 1
	if more := used - d.blocks; more > 0 {
		if l.Size == 0 && more > maxNothingBlocks ||
			!mayTake[T](d.mem.a, more<<d.shift, len(data)) || !d.addBlocks(more) {
			return r.noSpace()
		}
	}
	d.Clear() // loops that run have had all there is
	if n == 0 {
		return nil
	}
	d.used = used
	for i := range used {
		b := d.ring[(d.first+i)&(len(d.ring)-1)]
		d.back = b[:min(len(b), n)]
		n -= len(d.back)
		if !l.Flat() {
			clear(d.back)
		}
		vals = l.Decode(bytesOf(d.back), vals)
	}
	d.changed()
	return nil
}
