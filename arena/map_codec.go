package arena

import (
	"encoding"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/seed505807e1/berth/internal/layout"
)

var (
	_ encoding.BinaryAppender    = (*Map[int, int])(nil)
	_ encoding.BinaryMarshaler   = (*Map[int, int])(nil)
	_ encoding.BinaryUnmarshaler = (*Map[int, int])(nil)
)

// AppendBinary appends the result of [Map.MarshalBinary] to b. If it fails, it returns b unchanged.
// Cost: O(Cap); allocates if b has no room.
func (m *Map[K, V]) AppendBinary(b []byte) ([]byte, error) {
	return m.appendBinary("Map.AppendBinary", b)
}

// MarshalBinary encodes the entries in insertion order. For types without int, uint and uintptr,
// the bytes are the same on every machine. It fails if K or V holds a [Nested], whose values lie
// outside the Map.
// Cost: O(Cap); allocates the bytes.
func (m *Map[K, V]) MarshalBinary() ([]byte, error) {
	return m.appendBinary("Map.MarshalBinary", nil)
}

func (m *Map[K, V]) appendBinary(fn string, b []byte) ([]byte, error) {
	m.mem.check(fn)
	w, err := entryOf[K, V](fn)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = slices.Grow(b, headBytes+8+m.n*w.size()+sumBytes)
	b = w.head().begin(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.n))
	for i := range m.entries {
		if m.live[i/64]>>(i%64)&1 != 0 {
			key, val := [1]K{m.entries[i].key}, [1]V{m.entries[i].val}
			b = w.key.Append(b, bytesOf(key[:]))
			b = w.val.Append(b, bytesOf(val[:]))
		}
	}
	return finish(b, start), nil
}

// entryLayout is the encoding of the entries of a Map: the key, then the value, each on its own, so
// that the encoding does not depend on the padding between them.
type entryLayout[K comparable, V any] struct{ key, val *layout.Layout }

func entryOf[K comparable, V any](fn string) (w entryLayout[K, V], err error) {
	if w.key, err = layoutOf[K](fn); err == nil {
		w.val, err = layoutOf[V](fn)
	}
	return w, err
}

func (w entryLayout[K, V]) size() int { return w.key.Encoded + w.val.Encoded }

func (w entryLayout[K, V]) head() head {
	return head{
		kind: wireMap, size: uint32(w.key.Encoded), value: uint32(w.val.Encoded),
		print: layout.Combine(w.key.Fingerprint, w.val.Fingerprint),
	}
}

// keyAt returns the key of entry i in all.
func (w entryLayout[K, V]) keyAt(all []byte, i int) K {
	var key [1]K
	w.key.Decode(bytesOf(key[:]), all[i*w.size():])
	return key[0]
}

// invalid returns the offset of the first invalid bool in all, which holds n entries, or -1.
func (w entryLayout[K, V]) invalid(all []byte, n int) int {
	if !w.key.HasBools() && !w.val.HasBools() {
		return -1
	}
	for i := range n {
		at, mid, end := i*w.size(), i*w.size()+w.key.Encoded, (i+1)*w.size()
		if k := w.key.Invalid(all[at:mid]); k >= 0 {
			return at + k
		}
		if k := w.val.Invalid(all[mid:end]); k >= 0 {
			return mid + k
		}
	}
	return -1
}

// UnmarshalBinary replaces the entries of m by those encoded in data, in the same order. It returns
// [ErrCorrupt] if data is not a marshalled Map of these types or has a duplicate key, [ErrNoSpace]
// if the arena has no room, and an error if K or V holds a [Nested]. If it fails, m is unchanged.
// Types with different names but the same fields are the same type. The memory of m is reused if it
// is large enough, and otherwise left unused. The data must not lie in it.
// Cost: O(len(data)), and O(Cap); if m has to grow, takes the size of the entries and at most 24
// bytes for each.
// Ends: pointers to values.
func (m *Map[K, V]) UnmarshalBinary(data []byte) error {
	const fn = "Map.UnmarshalBinary"
	m.mem.check(fn)
	w, err := entryOf[K, V](fn)
	if err != nil {
		return err
	}
	var r reader
	if err := r.open(fn, data, w.head(), 8); err != nil {
		return err
	}
	all, n, err := w.read(&r)
	if err != nil {
		return err
	}
	if n > cap(m.entries) {
		return m.loadAnew(w, &r, all, n)
	}
	clear(m.index)
	if i := m.indexAll(m.index, m.low, w, all, n); i >= 0 {
		clear(m.index)
		m.reindex()
		return w.twice(&r, i)
	}
	m.fill(w, all, n)
	m.changed()
	return nil
}

// read reads the entries, and checks everything but that keys differ. More entries than there are
// possible keys are refused at once.
func (w entryLayout[K, V]) read(r *reader) (all []byte, n int, err error) {
	count := r.uint64()
	if size := w.key.Encoded; size < 4 && count > 1<<(8*size) {
		r.at -= 8
		return nil, 0, r.corrupt(strconv.FormatUint(count, 10) + " entries, more than keys")
	}
	all, err = r.take(count, w.size(), "entries")
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, 0, err
	}
	if at := w.invalid(all, int(count)); at >= 0 {
		r.at += at - len(all)
		return nil, 0, r.corrupt("a bool that is neither 0 nor 1")
	}
	if count > maxEntries {
		return nil, 0, r.noSpace()
	}
	return all, int(count), nil
}

// twice reports that entry i has the key of an earlier one.
func (w entryLayout[K, V]) twice(r *reader, i int) error {
	r.at = headBytes + 8 + i*w.size()
	return r.corrupt("duplicate key")
}

// loadAnew takes new memory for n entries, and leaves the old memory unused. It first builds the
// index on Go's heap, so that nothing has been taken if it finds a duplicate key.
func (m *Map[K, V]) loadAnew(w entryLayout[K, V], r *reader, all []byte, n int) error {
	if !mayTake[struct {
		key K
		val V
	}](m.mem.a, 2*n, len(all)) {
		return r.noSpace()
	}
	index, low := make([]uint32, indexFor(n)), lowFor(n) // as move would make it
	if i := m.indexAll(index, low, w, all, n); i >= 0 {
		return w.twice(r, i)
	}
	entries, live, old := m.entries, m.live, m.index
	m.entries, m.live, m.index = nil, nil, nil // so that move does not copy them
	if !m.move(n) {
		m.entries, m.live, m.index = entries, live, old
		return r.noSpace()
	}
	m.fill(w, all, n)
	if len(index) == len(m.index) {
		copy(m.index, index)
	} else {
		m.reindex()
	}
	m.changed()
	return nil
}

// indexAll adds the keys of the n entries in all to index, which is empty and has room. It returns
// the number of the first entry with a duplicate key, or -1.
func (m *Map[K, V]) indexAll(
	index []uint32, low uint32, w entryLayout[K, V], all []byte, n int,
) int {
	mask := uint(len(index) - 1)
	for i := range n {
		key := w.keyAt(all, i)
		h := m.hash(key)
		at := uint(h) & mask
		for ; index[at] != 0; at = (at + 1) & mask {
			s := index[at]
			if (s^uint32(h>>32))&^low == 0 && w.keyAt(all, int(s&low)-1) == key {
				return i
			}
		}
		index[at] = uint32(h>>32)&^low | uint32(i+1)
	}
	return -1
}

// fill sets the entries to the n entries in all. It leaves the index alone.
func (m *Map[K, V]) fill(w entryLayout[K, V], all []byte, n int) {
	clear(m.entries)
	m.entries = m.entries[:n]
	for i := range m.entries {
		var key [1]K
		var val [1]V
		all = w.key.Decode(bytesOf(key[:]), all)
		all = w.val.Decode(bytesOf(val[:]), all)
		m.entries[i].key, m.entries[i].val = key[0], val[0]
	}
	clear(m.live)
	for i := range n / 64 {
		m.live[i] = math.MaxUint64
	}
	if n%64 != 0 {
		m.live[n/64] = 1<<(n%64) - 1
	}
	m.n = n
}
