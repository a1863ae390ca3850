package arena

import "github.com/seed505807e1/berth/internal/wire"

// maxNothings is the most zero-size values that UnmarshalBinary reads, since they take no input.
const maxNothings = 1 << 30

// AppendBinary appends the result of [Deque.MarshalBinary] to b. If it fails, it returns b
// unchanged.
//
// Cost: O(Len); allocates if b has no room.
func (d *Deque[T]) AppendBinary(b []byte) ([]byte, error) {
	return d.appendBinary("Deque.AppendBinary", b)
}

// MarshalBinary encodes the values, first to last. For types without int, uint and uintptr, the
// bytes are the same on every machine. It fails if T holds a [Nested], whose values lie outside the
// Deque.
//
// Cost: O(Len); allocates the bytes.
func (d *Deque[T]) MarshalBinary() ([]byte, error) {
	return d.appendBinary("Deque.MarshalBinary", nil)
}

func (d *Deque[T]) appendBinary(fn string, b []byte) ([]byte, error) {
	d.mem.check(fn)
	e, err := codecOf[T](fn)
	if err != nil {
		return b, err
	}
	w := begin(b, wire.ArenaDeque, e, 8+d.Len()*e.Encoded)
	w.Uint64(uint64(d.Len()))
	if e.Encoded > 0 {
		for _, s := range d.Spans() {
			w.Values(e.Layout, bytesOf(s))
		}
	}
	return finish(w), nil
}

// UnmarshalBinary replaces the values of d by those encoded in data. It returns [ErrCorrupt] if
// data is not a marshalled Deque of this type, [ErrNoSpace] if the arena has no room, and an error
// if T holds a [Nested]. If it fails, d is unchanged. Types with different names but the same
// fields are the same type. The blocks of d are reused, and keep their size. The data must not lie
// in them. It reads at most 2^30 zero-size values, into at most 4096 new blocks. More fail with
// ErrNoSpace.
//
// Cost: O(len(data)/size of T), and O(blocks); takes the missing blocks from the arena, and about
// 48 bytes of Go's heap for each.
//
// Ends: pointers to values, and running loops at their next step.
//
//berth:ends all
func (d *Deque[T]) UnmarshalBinary(data []byte) error {
	const fn = "Deque.UnmarshalBinary"
	d.mem.check(fn)
	r, e, err := openOf[T](fn, data, wire.ArenaDeque)
	if err != nil {
		return err
	}
	defer r.close()
	count := r.Uint64()
	if err := r.values(e, count); err != nil {
		return err
	}
	if e.Size == 0 && count > maxNothings {
		return r.noSpace()
	}
	n := int(count)
	used := (n-1)>>d.shift + 1
	if more := used - d.blocks; more > 0 {
		if !mayTake[T](d.mem.a, more<<d.shift, len(r.data)) || !d.addBlocks(more) {
			return r.noSpace()
		}
	}
	d.Clear() // running loops end at their next step
	r.again()
	r.Uint64()
	if n > 0 {
		d.used = used
	}
	for i := range d.used {
		b := d.ring[(d.first+i)&(len(d.ring)-1)]
		d.back = b[:min(len(b), n)]
		n -= len(d.back)
		if !e.Flat() {
			clear(d.back)
		}
		r.Values(e.Layout, bytesOf(d.back), len(d.back))
	}
	r.loaded()
	d.changed()
	return nil
}
