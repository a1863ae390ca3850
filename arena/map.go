package arena

import (
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"reflect"
	"sync/atomic"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

// fewEntries is how many entries a Map begins with.
const fewEntries = 6

// maxEntries is how many entries a Map has at most.
const maxEntries = min(1<<31, math.MaxInt>>3)

// entry is a key and its value.
type entry[K comparable, V any] struct {
	key K
	val V
}

// Map is a hash map in an [Arena]. It remembers the order in which keys came, and loops go by it.
// It has a table of entries, in that order, and an index into it, by open addressing. When it grows
// it moves, and leaves its old memory behind: give it the room that it will need with [Map.Grow].
//
// The zero Map has no arena: it is empty, and every Set fails. A Map must not be copied. Pointers
// to values are good until the next Set of a new key, and until its memory is rewound; a Map whose
// memory has been rewound panics when it is used. As with Go's maps, a NaN is a new key each time.
//
// Loops visit each entry that is there throughout exactly once, in the order in which the keys
// came. Entries that the body deletes before their turn are not visited; those that it adds may be
// visited or not, never twice, and the loop ends. While a loop runs, a Set that finds the table
// full makes a larger one also where there is room between the entries.
//
// Keys are hashed with a seed of each map's own, which nobody outside can know. No result depends
// on it.
//
// Invariants (checkInvariants):
//  1. len(index) is a power of two, or 0; cap(entries) is three eighths of it at most, and low has
//     just the bits that its numbers take
//  2. live has a bit per entry; n are set; the last entry is live
//  3. index has one slot per live entry: its number + 1 in the bits of low, and in the others those
//     of its key's hash, between whose place and the slot all others are taken; but that of a NaN,
//     whose hash is another each time, may lie anywhere
//  4. an entry that is not live is zero
//
// Source: R. Hettinger's compact dict (2012): the index apart from the entries. D. Knuth, The Art
// of Computer Programming 3, section 6.4, algorithm R: deletion that leaves no mark behind.
type Map[K comparable, V any] struct {
	_       nocopy.NoCopy
	mem     memory
	seed    maphash.Seed
	entries []entry[K, V]
	live    []uint64 // a bit per entry
	index   []uint32
	low     uint32 // the bits of index that are numbers
	n       int
	loops   atomic.Int32 // loops that run; atomic because there may be many readers
}

// NewMap returns an empty Map in a, which may be nil. It panics if K or V holds Go pointers.
// Cost: O(1); allocates what is not in the arena, and takes nothing of a.
func NewMap[K comparable, V any](a *Arena) *Map[K, V] {
	mustHold[K](a, "NewMap")
	mustHold[V](a, "NewMap")
	m := &Map[K, V]{seed: maphash.MakeSeed()}
	m.mem.init(a, m)
	return m
}

// Len returns the number of entries.
// Cost: O(1).
func (m *Map[K, V]) Len() int { // inlined
	if m.n == 0 {
		m.mem.check("Map.Len")
	}
	return m.n
}

// Cap returns how many entries there is room for.
// Cost: O(1).
func (m *Map[K, V]) Cap() int {
	m.mem.check("Map.Cap")
	return cap(m.entries)
}

// String returns the types of keys and values, and how many entries there are, as in
// "arena.Map[int, bool](3 of 8 entries)".
// Cost: allocates the string.
func (m *Map[K, V]) String() string {
	m.mem.check("Map.String")
	return fmt.Sprintf("arena.Map[%v, %v](%d of %d entries)",
		reflect.TypeFor[K](), reflect.TypeFor[V](), m.Len(), m.Cap())
}

// Ptr returns a pointer to the value of k, or nil if there is none.
// Cost: O(1). The pointer is good until the next Set of a new key.
func (m *Map[K, V]) Ptr(k K) *V {
	if m.n == 0 {
		m.mem.check("Map.Get")
		return nil
	}
	return m.find(k, m.hash(k))
}

// find returns a pointer to the value of k, whose hash is h, or nil.
func (m *Map[K, V]) find(k K, h uint64) *V {
	mask, tag := uint(len(m.index)-1), uint32(h>>32)
	for i := uint(h) & mask; i < uint(len(m.index)); i = (i + 1) & mask {
		s := m.index[i]
		if s == 0 {
			break
		}
		if (s^tag)&^m.low == 0 {
			if e := &m.entries[s&m.low-1]; e.key == k {
				return &e.val
			}
		}
	}
	return nil
}

// Get returns the value of k, and reports false if there is none.
// Cost: O(1) and the copy.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if p := m.Ptr(k); p != nil {
		return *p, true
	}
	return v, false
}

// hash returns k's hash: its low bits choose a slot of the index, and high ones stand in it.
func (m *Map[K, V]) hash(k K) uint64 { return maphash.Comparable(m.seed, k) }

// Set makes v the value of k. It reports false, and changes nothing, if k is new and the arena has
// no room.
// Cost: amortised O(1); but O(Cap) for each new key as long as the arena has no room for a larger
// table and there is a deleted key to make room by: Grow it to a third more than it shall hold.
// Ends: pointers to values, if k is new.
func (m *Map[K, V]) Set(k K, v V) bool {
	h := m.hash(k)
	if p := m.find(k, h); p != nil {
		*p = v
		return true
	}
	if len(m.entries) == cap(m.entries) && !m.more() {
		return false
	}
	i := len(m.entries)
	m.entries = append(m.entries, entry[K, V]{k, v})
	m.live[i/64] |= 1 << (i % 64)
	m.addIndex(h, i)
	m.n++
	if invariants.On {
		m.changed()
	}
	return true
}

// addIndex puts entry i, whose key has hash h, into the index.
func (m *Map[K, V]) addIndex(h uint64, i int) {
	mask := uint(len(m.index) - 1)
	at := uint(h) & mask
	for m.index[at] != 0 {
		at = (at + 1) & mask
	}
	m.index[at] = uint32(h>>32)&^m.low | uint32(i+1)
}

// Delete removes k and its value, and reports false if there is none.
// Cost: amortised O(1).
// Ends: pointers to its value.
func (m *Map[K, V]) Delete(k K) bool {
	if m.n == 0 {
		m.mem.check("Map.Delete")
		return false
	}
	h := m.hash(k)
	mask, tag := uint(len(m.index)-1), uint32(h>>32)
	for i := uint(h) & mask; m.index[i] != 0; i = (i + 1) & mask {
		s := m.index[i]
		if e := s&m.low - 1; (s^tag)&^m.low == 0 && m.entries[e].key == k {
			m.close(i)
			m.drop(int(e))
			return true
		}
	}
	return false
}

// close empties slot i of the index, and moves up those behind that it parted from their place.
func (m *Map[K, V]) close(i uint) {
	mask := uint(len(m.index) - 1)
	for j := (i + 1) & mask; m.index[j] != 0; j = (j + 1) & mask {
		home := uint(m.hash(m.entries[m.index[j]&m.low-1].key)) & mask
		if (j-home)&mask >= (j-i)&mask {
			m.index[i] = m.index[j]
			i = j
		}
	}
	m.index[i] = 0
}

// drop removes entry i, and those without life at the end.
func (m *Map[K, V]) drop(i int) {
	m.entries[i] = entry[K, V]{}
	m.live[i/64] &^= 1 << (i % 64)
	m.n--
	end := len(m.entries)
	for end > 0 && m.live[(end-1)/64]>>((end-1)%64)&1 == 0 {
		end--
	}
	m.entries = m.entries[:end]
	if invariants.On {
		m.changed()
	}
}

// Clear removes all entries, and keeps the memory. A Map whose memory has been rewound is good
// again, and empty.
// Cost: O(Cap).
// Ends: all pointers to values.
func (m *Map[K, V]) Clear() {
	if m.mem.revive() {
		return
	}
	clear(m.entries)
	clear(m.live)
	clear(m.index)
	m.entries = m.entries[:0]
	m.n = 0
	m.changed()
}

// Grow makes room for n more entries. It reports false if the arena has no room; m then has the
// entries and the memory that it had. It panics if n is negative.
// Cost: O(Len+n) if m moves.
// Ends: pointers to values, also if it reports false.
func (m *Map[K, V]) Grow(n int) bool {
	if n < 0 {
		panic("arena: Map.Grow: negative count")
	}
	m.mem.check("Map.Grow")
	return n <= cap(m.entries)-len(m.entries) || m.makeRoom(n)
}

// All returns a loop over the keys and pointers to their values, in the order in which the keys
// came. See [Map] for the rules.
// Cost: O(Cap) at worst, 64 at a time where entries have been deleted.
func (m *Map[K, V]) All() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		m.mem.check("Map.All")
		m.loops.Add(1)
		defer m.loops.Add(-1)
		end := len(m.entries)
		for i := 0; i < min(end, len(m.entries)); i++ {
			w := m.live[i/64] >> (i % 64)
			if w == 0 {
				i |= 63
				continue
			}
			if i += bits.TrailingZeros64(w); i >= end {
				return
			}
			if e := &m.entries[i]; !yield(e.key, &e.val) {
				return
			}
			m.mem.check("Map.All")
		}
	}
}

// makeRoom makes room for n more entries: by closing up the places of those that were deleted, if
// there are many, or else in a larger table.
func (m *Map[K, V]) makeRoom(n int) bool {
	if m.n < len(m.entries) && m.loops.Load() == 0 {
		m.compact()
		if room := cap(m.entries) - m.n; room >= max(n, cap(m.entries)/4) {
			return true
		}
	}
	if n > maxEntries-len(m.entries) || !m.mem.usable() {
		return false
	}
	need := len(m.entries) + n
	few := max(need, min(2*cap(m.entries), maxEntries), fewEntries)
	return m.move(few) || few > need && need > cap(m.entries) && m.move(need) ||
		need <= cap(m.entries)
}

// compact closes up the places of entries that were deleted.
func (m *Map[K, V]) compact() {
	n := 0
	for i := range m.entries {
		if m.live[i/64]>>(i%64)&1 != 0 {
			m.entries[n] = m.entries[i]
			n++
		}
	}
	clear(m.entries[n:])
	m.entries = m.entries[:n]
	clear(m.live)
	for i := range n / 64 {
		m.live[i] = math.MaxUint64
	}
	if n%64 != 0 {
		m.live[n/64] = 1<<(n%64) - 1
	}
	clear(m.index)
	m.reindex()
}

// reindex enters all entries into the index, which is empty.
func (m *Map[K, V]) reindex() {
	for i := range m.entries {
		if m.live[i/64]>>(i%64)&1 != 0 {
			m.addIndex(m.hash(m.entries[i].key), i)
		}
	}
}

// indexFor returns how many slots the index for n entries has: few enough are taken that most keys
// are where they are looked for first.
func indexFor(n int) int {
	slots := 16
	for slots/8*3 < n {
		slots *= 2
	}
	return slots
}

// lowFor returns the bits of the numbers 0 to n.
func lowFor(n int) uint32 { return uint32(1<<bits.Len(uint(n)) - 1) }

// move moves m to new memory with room for n entries, and reports false if the arena has no room.
func (m *Map[K, V]) move(n int) bool {
	slots := indexFor(n)
	a := m.mem.a
	mark := a.position()
	var live []uint64
	var index []uint32
	entries, ok := carve[entry[K, V]](a, n)
	if ok {
		live, ok = carveZero[uint64](a, (n+63)/64)
	}
	if ok {
		index, ok = carveZero[uint32](a, slots)
	}
	if !ok {
		a.rewind(mark)
		return false
	}
	copy(live, m.live)
	m.entries, m.live, m.index = append(entries[:0], m.entries...), live, index
	m.low = lowFor(n)
	grew[uint32](&m.mem)
	m.reindex()
	return true
}

func (m *Map[K, V]) more() bool {
	m.mem.check("Map.Set")
	return m.makeRoom(1)
}

func (m *Map[K, V]) evict() { m.entries, m.live, m.index, m.n = nil, nil, nil, 0 }
