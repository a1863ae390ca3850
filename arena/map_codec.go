package arena

import (
	"strconv"

	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary appends the result of [Map.MarshalBinary] to b. If it fails, it returns b unchanged.
//
// Cost: O(Cap); allocates if b has no room.
func (m *Map[K, V]) AppendBinary(b []byte) ([]byte, error) {
	return m.appendBinary("Map.AppendBinary", b)
}

// MarshalBinary encodes the entries in insertion order. For types without int, uint and uintptr,
// the bytes are the same on every machine. It fails if K or V holds a [Nested], whose values lie
// outside the Map.
//
// Cost: O(Cap); allocates the bytes.
func (m *Map[K, V]) MarshalBinary() ([]byte, error) {
	return m.appendBinary("Map.MarshalBinary", nil)
}

func (m *Map[K, V]) appendBinary(fn string, b []byte) ([]byte, error) {
	m.mem.check(fn)
	_, e, err := entryOf[K, V](fn)
	if err != nil {
		return b, err
	}
	w := begin(b, wire.ArenaMap, e, 8+m.n*e.Encoded)
	w.Uint64(uint64(m.n))
	for at := 0; at < len(m.entries); at += 64 {
		writeRuns(w, e, m.entries[at:], m.live[at/64])
	}
	return finish(w), nil
}

// entryOf returns the encodings of the keys and of the entries of a Map. An entry is encoded as its
// key and then its value.
func entryOf[K comparable, V any](fn string) (key, e *wire.Type, err error) {
	if key, err = codecOf[K](fn); err != nil {
		return nil, nil, err
	}
	if _, err = codecOf[V](fn); err != nil {
		return nil, nil, err
	}
	e, err = codecOf[entry[K, V]](fn)
	return key, e, err
}

// UnmarshalBinary replaces the entries of m by those encoded in data, in the same order. It returns
// [ErrCorrupt] if data is not a marshalled Map of these types or has a duplicate key, [ErrNoSpace]
// if the arena has no room, and an error if K or V holds a [Nested]. If it fails, m is unchanged.
// Types with different names but the same fields are the same type. The memory of m is reused if it
// is large enough, and otherwise left unused. The data must not lie in it.
//
// Cost: O(len(data)), and O(Cap); if m has to grow, takes the size of the entries and at most 24
// bytes for each. Above 64 KiB of data it needs memory on Go's heap for the entries, which later
// calls reuse.
//
// Ends: pointers to values.
//
//berth:ends all
func (m *Map[K, V]) UnmarshalBinary(data []byte) error {
	const fn = "Map.UnmarshalBinary"
	m.mem.check(fn)
	key, e, err := entryOf[K, V](fn)
	if err != nil {
		return err
	}
	r, err := open(fn, data, wire.ArenaMap, e)
	if err != nil {
		return err
	}
	defer r.close()
	all, n, err := r.entries(key, e)
	if err != nil {
		return err
	}
	w := saved[K, V]{all, n, key, e}
	if n > cap(m.entries) {
		return m.loadAnew(&w, r)
	}
	clear(m.index)
	if i := m.indexAll(m.index, m.low, &w); i >= 0 {
		clear(m.index)
		m.reindex()
		return w.twice(r, i)
	}
	m.fill(&w)
	m.changed()
	return nil
}

// entries reads the entries, and checks everything but that keys differ. The bytes are valid until
// the next read. More entries than there are possible keys are refused at once.
func (r *loader) entries(key, e *wire.Type) (all []byte, n int, err error) {
	count := r.Uint64()
	if size := key.Encoded; size < 4 && count > 1<<(8*size) {
		return nil, 0, r.corrupt(0, strconv.FormatUint(count, 10)+" entries, more than keys")
	}
	if r.fits(count, e.Encoded) {
		all = r.Next(int(count) * e.Encoded)
	}
	if r.End() != nil {
		return nil, 0, r.failed()
	}
	if at := e.Invalid(all); at >= 0 {
		return nil, 0, r.corrupt(8+at, "a bool that is neither 0 nor 1")
	}
	if count > maxEntries {
		return nil, 0, r.noSpace()
	}
	return all, int(count), nil
}

// saved is the encoded entries of a Map.
type saved[K comparable, V any] struct {
	all    []byte
	n      int
	key, e *wire.Type
}

// keyAt returns the key of entry i.
func (w *saved[K, V]) keyAt(i int) K {
	var key [1]K
	w.key.Decode(bytesOf(key[:]), w.all[i*w.e.Encoded:])
	return key[0]
}

// twice reports that entry i has the key of an earlier one.
func (w *saved[K, V]) twice(r *loader, i int) error {
	return r.corrupt(8+i*w.e.Encoded, "duplicate key")
}

// loadAnew takes new memory for n entries, and leaves the old memory unused. It first builds the
// index on Go's heap, so that nothing has been taken if it finds a duplicate key.
func (m *Map[K, V]) loadAnew(w *saved[K, V], r *loader) error {
	n := w.n
	if !mayTake[entry[K, V]](m.mem.a, 2*n, len(r.data)) {
		return r.noSpace()
	}
	index, low := make([]uint32, indexFor(n)), lowFor(n) // as move would make it
	if i := m.indexAll(index, low, w); i >= 0 {
		return w.twice(r, i)
	}
	entries, live, old := m.entries, m.live, m.index
	m.entries, m.live, m.index = nil, nil, nil // so that move does not copy them
	if !m.move(n) {
		m.entries, m.live, m.index = entries, live, old
		return r.noSpace()
	}
	m.fill(w)
	if len(index) == len(m.index) {
		copy(m.index, index)
	} else {
		m.reindex()
	}
	m.changed()
	return nil
}

// indexAll adds the keys of w to index, which is empty and has room. It returns the number of the
// first entry with a duplicate key, or -1.
func (m *Map[K, V]) indexAll(index []uint32, low uint32, w *saved[K, V]) int {
	mask := uint(len(index) - 1)
	for i := range w.n {
		key := w.keyAt(i)
		h := m.hash(key)
		at := uint(h) & mask
		for ; index[at] != 0; at = (at + 1) & mask {
			s := index[at]
			if (s^uint32(h>>32))&^low == 0 && w.keyAt(int(s&low)-1) == key {
				return i
			}
		}
		index[at] = uint32(h>>32)&^low | uint32(i+1)
	}
	return -1
}

// fill sets the entries to those of w. It leaves the index alone.
func (m *Map[K, V]) fill(w *saved[K, V]) {
	clear(m.entries)
	m.entries = m.entries[:w.n]
	w.e.Decode(bytesOf(m.entries), w.all)
	setLive(m.live, w.n)
	m.n = w.n
}
