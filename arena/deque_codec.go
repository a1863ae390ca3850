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
	// maxNothings is the most zero-size values that UnmarshalBinary reads, since they take no
	// input.
	maxNothings = 1 << 30
)

// AppendBinary appends the result of [Deque.MarshalBinary] to b. If it fails, it returns b
// unchanged.
// Cost: O(Len); allocates if b has no room.
func (d *Deque[T]) AppendBinary(b []byte) ([]byte, error) {
	return d.appendBinary("Deque.AppendBinary", b)
}

// MarshalBinary encodes the values, first to last. For types without int, uint and uintptr, the
// bytes are the same on every machine. It fails if T holds a [Nested], whose values lie outside the
// Deque.
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

// UnmarshalBinary replaces the values of d by those encoded in data. It returns [ErrCorrupt] if
// data is not a marshalled Deque of this type, [ErrNoSpace] if the arena has no room, and an error
// if T holds a [Nested]. If it fails, d is unchanged. Types with different names but the same
// fields are the same type. The blocks of d are reused, and keep their size. The data must not lie
// in them. It reads at most 2^30 zero-size values, into at most 4096 new blocks. More fail with
// ErrNoSpace.
// Cost: O(len(data)/size of T), and O(blocks); takes the missing blocks from the arena, and about
// 48 bytes of Go's heap for each.
// Ends: pointers to values, and running loops at their next step.
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
	d.Clear() // running loops end at their next step
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
