package arena

import (
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/seed505807e1/berth/internal/inline"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// fewEntries is the number of entries that a Map begins with.
const fewEntries = 6

// maxEntries is the most entries of a Map.
const maxEntries = min(1<<31, math.MaxInt>>3)

// entry is a key and its value.
type entry[K comparable, V any] struct {
	key   K
	value V
}

// Map is a hash map in an [Arena] that iterates in insertion order. It consists of a table of
// entries in that order, and an open-addressing index into it. When it grows it moves, and its old
// memory stays unused until the arena is rewound. [Map.Grow] avoids that by reserving the room in
// advance.
//
// The zero Map has no arena. It is empty, and every Set fails. A Map must not be copied. A pointer
// to a value is valid until the next Set of a new key, and until its memory is rewound. A Map whose
// memory has been rewound panics when it is used. As in Go's maps, a NaN is a new key each time.
//
// A loop visits each entry that is present throughout it exactly once, in insertion order. An entry
// deleted before its turn is not visited. An entry added during the loop may be visited or not, but
// never twice, and the loop always ends. While a loop runs, a Set that finds the table full
// allocates a larger one, even if deleted entries have left room.
//
// Keys are hashed with a random seed for each Map, so an attacker cannot choose colliding keys. No
// result depends on the seed.
//
// Source: R. Hettinger's compact dict (2012): the index apart from the entries. D. Knuth, The Art
// of Computer Programming 3, section 6.4, algorithm R: deletion without tombstones. Wang Yi's
// wyhash, in the form of Go's runtime/hash64.go: the hash of small keys.
type Map[K comparable, V any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. len(index) is a power of two, or 0; cap(entries) is at most three eighths of it, and low
	//     has exactly the bits that entry numbers take
	//  2. live has a bit per entry, n of which are set; the last entry is live
	//  3. index has one slot per live entry, with the entry's number + 1 in the bits of low, and
	//     bits of the key's hash in the others; all slots between the key's home slot and this one
	//     are taken, except for a NaN, which may lie anywhere because its hash differs each time
	//  4. an entry that is not live is zero

	mem     memory
	seed    maphash.Seed
	secret  [2]uint64 // of hashing; 0 if it cannot hash a K
	entries []entry[K, V]
	live    []uint64 // a bit per entry
	index   []uint32
	low     uint32 // the bits of index that hold entry numbers
	n       int
	loops   atomic.Int32 // running loops; atomic because there may be many readers
}

// NewMap returns an empty Map in a. If a is nil, every Set fails. It panics if K or V holds Go
// pointers.
//
// Cost: O(1); allocates the Map on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
func NewMap[K comparable, V any](a *Arena) *Map[K, V] {
	mustHold[K](a, "NewMap")
	mustHold[V](a, "NewMap")
	m := &Map[K, V]{seed: maphash.MakeSeed()}
	m.secret = secretFor[K](m.seed)
	m.mem.init(a, m)
	return m
}

// Len returns the number of entries.
//
// Cost: O(1).
func (m *Map[K, V]) Len() int { // inlined
	if m.n == 0 {
		m.mem.check("Map.Len")
	}
	return m.n
}

// Cap returns the number of entries for which m has room.
//
// Cost: O(1).
func (m *Map[K, V]) Cap() int {
	m.mem.check("Map.Cap")
	return cap(m.entries)
}

// String returns the types of keys and values and the number of entries, as in "arena.Map[int,
// bool](3 of 8 entries)".
//
// Cost: allocates the string.
func (m *Map[K, V]) String() string {
	m.mem.check("Map.String")
	return fmt.Sprintf("arena.Map[%v, %v](%d of %d entries)",
		plain.TypeFor[K](), plain.TypeFor[V](), m.Len(), m.Cap())
}

// Ptr returns a pointer to the value of k, or nil if k is absent. The pointer is valid until the
// next Set of a new key.
//
// Cost: O(1).
//
//berth:lends r0 by k
func (m *Map[K, V]) Ptr(k K) *V {
	h := m.hash(k)
	mask, tag := uint(len(m.index)-1), uint32(h>>32)
	for i := uint(h) & mask; i < uint(len(m.index)); i = (i + 1) & mask {
		s := m.index[i]
		if s == 0 {
			break
		}
		if (s^tag)&^m.low == 0 {
			if e := &m.entries[s&m.low-1]; e.key == k {
				return &e.value
			}
		}
	}
	if m.n == 0 {
		m.mem.check("Map.Get")
	}
	return nil
}

// Get returns the value of k. It reports false if k is absent.
//
// Cost: O(1) and the copy.
//
//berth:copies r0
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if p := m.Ptr(k); p != nil {
		return *p, true
	}
	return v, false
}

// hash returns the hash of k. Its low bits select a slot of the index, and some of its high bits
// are stored there.
func (m *Map[K, V]) hash(k K) uint64 { return inline.Call(m.hashing(k)) }

// hashAny is hash for the keys that hashing cannot hash.
func (m *Map[K, V]) hashAny(k K) uint64 { return maphash.Comparable(m.seed, k) }

// find returns the entry of k, its slot of the index, and the hash of k. If k is absent, the entry
// is nil, and the slot is the vacant one for k. Ptr repeats the loop to save a call.
func (m *Map[K, V]) find(k K) (e *entry[K, V], i uint, h uint64) {
	h = m.hash(k)
	mask, tag := uint(len(m.index)-1), uint32(h>>32)
	for i = uint(h) & mask; i < uint(len(m.index)); i = (i + 1) & mask {
		s := m.index[i]
		if s == 0 {
			break
		}
		if (s^tag)&^m.low == 0 {
			if e = &m.entries[s&m.low-1]; e.key == k {
				return e, i, h
			}
		}
	}
	return nil, i, h
}

// Set sets the value of k to v. It reports false, and changes nothing, if k is new and the arena
// has no room.
//
// Cost: amortised O(1); but O(Cap) for each new key if the arena has no room for a larger table and
// Set reclaims a deleted entry each time. To avoid that, Grow it to a third more than you need.
//
// Ends: pointers to values, if k is new.
//
//berth:ends all
func (m *Map[K, V]) Set(k K, v V) bool {
	e, at, h := m.find(k)
	if e != nil {
		e.value = v
		return true
	}
	if len(m.entries) == cap(m.entries) {
		if !m.more() {
			return false
		}
		_, at, _ = m.find(k) // in the new index
	}
	i := len(m.entries)
	m.entries = append(m.entries, entry[K, V]{k, v})
	m.live[i/64] |= 1 << (i % 64)
	m.index[at] = uint32(h>>32)&^m.low | uint32(i+1)
	m.n++
	if invariants.On {
		m.changed()
	}
	return true
}

// addIndex adds entry i, whose key has hash h, to the index.
func (m *Map[K, V]) addIndex(h uint64, i int) {
	mask := uint(len(m.index) - 1)
	at := uint(h) & mask
	for m.index[at] != 0 {
		at = (at + 1) & mask
	}
	m.index[at] = uint32(h>>32)&^m.low | uint32(i+1)
}

// Delete removes k and its value. It reports false if k is absent.
//
// Cost: amortised O(1).
//
// Ends: pointers to its value.
//
//berth:ends by k
func (m *Map[K, V]) Delete(k K) bool {
	if m.n == 0 {
		m.mem.check("Map.Delete")
		return false
	}
	e, at, _ := m.find(k)
	if e == nil {
		return false
	}
	i := m.index[at]&m.low - 1
	m.close(at)
	m.drop(int(i))
	return true
}

// close removes slot i from the index, and moves up later slots that it separated from their home
// slot.
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

// drop removes entry i, and then any entries at the end that are not live.
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

// Clear removes all entries, and keeps the memory. A Map whose memory has been rewound becomes
// usable again, and is empty.
//
// Cost: O(Cap).
//
// Ends: all pointers to values.
//
//berth:ends emptied
//berth:revives
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

// Grow makes room for n more entries. It reports false if the arena has no room; the entries and
// the memory are then unchanged. It panics if n is negative.
//
// Cost: O(Len+n) if m moves.
//
// Ends: pointers to values, even if it reports false.
//
//berth:ends all
func (m *Map[K, V]) Grow(n int) bool {
	if n < 0 {
		panic("arena: Map.Grow: negative count")
	}
	m.mem.check("Map.Grow")
	return n <= cap(m.entries)-len(m.entries) || m.makeRoom(n)
}

// All returns an iterator over keys and pointers to their values, in insertion order. See [Map] for
// the rules.
//
// Cost: O(Cap) at worst; it skips 64 deleted entries at a time.
//
//berth:lends y1 by y0
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
			if e := &m.entries[i]; !yield(e.key, &e.value) {
				return
			}
			m.mem.check("Map.All")
		}
	}
}

// makeRoom makes room for n more entries. It reclaims deleted entries if there are many, and
// otherwise moves to a larger table.
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

// compact moves the live entries together.
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
	setLive(m.live, n)
	clear(m.index)
	m.reindex()
}

// setLive sets the first n bits of live, and clears the others.
func setLive(live []uint64, n int) {
	clear(live)
	for i := range n / 64 {
		live[i] = math.MaxUint64
	}
	if n%64 != 0 {
		live[n/64] = 1<<(n%64) - 1
	}
}

// reindex adds all entries to the index, which is empty.
func (m *Map[K, V]) reindex() {
	for i := range m.entries {
		if m.live[i/64]>>(i%64)&1 != 0 {
			m.addIndex(m.hash(m.entries[i].key), i)
		}
	}
}

// indexFor returns the length of the index for n entries. The index is sparse enough that most keys
// are in their home slot.
func indexFor(n int) int {
	slots := 16
	for slots/8*3 < n {
		slots *= 2
	}
	return slots
}

// lowFor returns a mask of the bits of the numbers 0 to n.
func lowFor(n int) uint32 { return uint32(1<<bits.Len(uint(n)) - 1) }

// move moves m to new memory with room for n entries. It reports false if the arena has no room.
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

// changed checks the invariants after a change if the tag berth_invariants is set.
func (m *Map[K, V]) changed() {
	if invariants.On && checkNow(m.n) {
		m.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that m breaks, if any.
func (m *Map[K, V]) checkInvariants() {
	if s := len(m.index); s&(s-1) != 0 || cap(m.entries) > s/8*3 ||
		s > 0 && m.low != lowFor(cap(m.entries)) {
		fail("Map", 1, "%d slots and %d entries", s, cap(m.entries))
	}
	n := 0
	for i := range m.entries {
		if m.live[i/64]>>(i%64)&1 != 0 {
			n++
		} else if !invariants.IsZero(&m.entries[i]) {
			fail("Map", 4, "entry %d is not live, and not zero", i)
		}
	}
	for i := len(m.entries); i < len(m.live)*64; i++ {
		if m.live[i/64]>>(i%64)&1 != 0 {
			fail("Map", 2, "entry %d of %d is live", i, len(m.entries))
		}
	}
	if last := len(m.entries) - 1; n != m.n || last >= 0 && m.live[last/64]>>(last%64)&1 == 0 {
		fail("Map", 2, "%d of %d entries are live, noted %d", n, len(m.entries), m.n)
	}
	m.checkIndex()
}

// checkIndex checks invariant 3.
func (m *Map[K, V]) checkIndex() {
	mask := len(m.index) - 1
	found := 0
	for i, s := range m.index {
		if s == 0 {
			continue
		}
		found++
		e := int(s&m.low) - 1
		if e < 0 || e >= len(m.entries) || m.live[e/64]>>(e%64)&1 == 0 {
			fail("Map", 3, "slot %d leads to entry %d", i, e)
		}
		k := m.entries[e].key
		if k != k { //nolint:gocritic // a NaN, or a key with one
			continue
		}
		h := m.hash(k)
		if (s^uint32(h>>32))&^m.low != 0 {
			fail("Map", 3, "slot %d has another hash than its key", i)
		}
		for at := int(uint(h) & uint(mask)); at != i; at = (at + 1) & mask {
			if m.index[at] == 0 {
				fail("Map", 3, "slot %d cannot be found: slot %d is free", i, at)
			}
		}
	}
	if found != m.n {
		fail("Map", 3, "%d slots for %d entries", found, m.n)
	}
}
