package concurrent

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/plain"
)

// patience is the number of lookups under the lock, without a change in between, of which the last
// makes a snapshot. They take about as long as the copies that the next change then makes.
const patience = 32

// Members is a slot map that many goroutines loop over while a few change it: the members of a
// room, watchers, subscribers. Its methods may be called by any number of goroutines at once. The
// zero Members is ready to use; [NewMembers] makes one with a seed. A Members must not be copied.
//
// [Members.Snapshot] returns all values as they are at one moment. A loop over a [Snapshot] takes
// no lock and delays nobody. Its body may insert and remove values, and may wait. The loop does not
// see these changes: it visits a value that is removed meanwhile, and none that is inserted.
//
//	for h, m := range room.Snapshot().All() {
//		if !m.send(message) {
//			room.Remove(h)
//		}
//	}
//
// A removed value may be in use by such loops. If it needs an orderly end, take a [Pool].
//
// # Values
//
// Values are copied: by Insert, by Get, and 64 at once by a Remove after a snapshot. So T is best a
// pointer, an interface or a small struct. Goroutines share the memory that it points to, and must
// use a lock or atomics there. No program has a pointer to a slot that is used again, so the build
// tag berth_poison changes nothing.
//
// # Memory
//
// Values lie in blocks of 64 slots, and an insert takes the lowest vacant slot. A block that
// becomes empty is released. Its slots resume above its highest generation, so stale handles stay
// stale. A slot has 2^31 lives. Then it is retired. See [Snapshot] for the memory that it keeps.
//
// # Order
//
// Each call takes effect at one moment between its call and its return, also Snapshot, Len and
// Stats.
type Members[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkMembers), after those of leaves:
	//  3. a slot is live exactly when its bit in occ is set, and exactly when its generation is odd
	//  4. in the newest leaves, and in spareLeaf, a vacant slot holds the zero T
	//  5. a leaf exists exactly if it has a live slot, and a node exactly if it has a leaf; the
	//     last node exists
	//  6. the counts agree with what they count
	//  7. shown is nil, or equal to now
	//
	// A snapshot ends an epoch. A node of the current epoch belongs to no snapshot, and is changed
	// in place. A slot of a leaf is fresh if no snapshot shows it there. It is changed in place,
	// too, although snapshots may have the leaf. A removal from a slot that is not fresh copies the
	// leaf. So no snapshot shows a slot that is vacant in the newest leaf, and inserts copy none.

	shown atomic.Pointer[Snapshot[T]] // nil after a change

	mu    sync.Mutex
	now   Snapshot[T] // the newest state, whose nodes are those of shown unless that is nil
	epoch uint64
	looks int // lookups under the lock since the last change
	made  bool

	leaves           leaves
	chunks           int // leaves in memory, apart from spareLeaf
	retired          int // slots of these that are used up
	removes          uint64
	grown, truncated uint64
	spareLeaf        *leaf[T] // belongs to no snapshot, as spareNode
	spareNode        *node[T]
}

// NewMembers returns an empty Members whose handles start at seed: see [berth.Config]. Members with
// the same seed and the same calls issue the same handles. A seed of 0 takes the next seed of the
// process, as the zero Members does.
//
// Cost: O(1); allocates the Members.
func NewMembers[T any](seed uint32) *Members[T] {
	m := new(Members[T])
	makeMembers(m, seed)
	return m
}

// makeMembers makes the zero m ready.
func makeMembers[T any](m *Members[T], seed uint32) {
	seed = origin.Seed(seed)
	m.now.salt, m.now.base = seed*origin.Golden, seed*origin.Silver<<1
	m.leaves.room, m.leaves.most = bitset.NewQueue(), mostLeaves
	m.made = true
}

// Snapshot returns the present state of m.
//
// Cost: O(1). The first call after a change takes a lock and allocates 48 bytes. Changes after it
// copy: the first one a pointer for each 1024 slots, the first one in each 1024 slots 288 bytes,
// and a Remove of a value that a snapshot may show its block of 64 slots.
//
//berth:clones r0
func (m *Members[T]) Snapshot() *Snapshot[T] {
	if s := m.shown.Load(); s != nil {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return show(m)
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
//
// Cost: O(1) and the copy. After a change it takes a lock, until there is a snapshot. The 32nd
// lookup makes one, and allocates as [Members.Snapshot].
//
//berth:asks h
//berth:copies r0
func (m *Members[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if s := m.shown.Load(); s != nil {
		return s.Get(h)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	looked(m)
	return m.now.Get(h)
}

// Contains reports whether h refers to a live value of m. Another goroutine may remove it before
// Contains returns.
//
// Cost: as Get, without the copy.
//
//berth:asks h
func (m *Members[T]) Contains(h berth.Handle[T]) bool {
	if s := m.shown.Load(); s != nil {
		return s.Contains(h)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	looked(m)
	return m.now.Contains(h)
}

// Len returns the number of live values.
//
// Cost: O(1), and a lock after a change; never allocates.
func (m *Members[T]) Len() int {
	if s := m.shown.Load(); s != nil {
		return s.n
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now.n
}

// Insert puts v into the lowest vacant slot and returns its handle. It returns the zero Handle if
// all 2^32 slots are live or retired.
//
// Cost: O(1) and a lock; allocates a block if that of the slot is not in memory, and copies as
// described at [Members.Snapshot].
//
//berth:issues r0
func (m *Members[T]) Insert(v T) berth.Handle[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.made {
		makeMembers(m, 0)
	}
	j := m.leaves.lowest()
	if j < 0 {
		return berth.Handle[T]{}
	}
	nd := openNode(m, j/nodeLeaves)
	l, occ := nd.leaf[j%nodeLeaves], &nd.occ[j%nodeLeaves]
	switch {
	case l == nil:
		l = newLeaf(m, m.leaves.floors[j])
		nd.leaf[j%nodeLeaves] = l
		nd.count++
	case l.epoch != m.epoch:
		l.epoch, l.fresh = m.epoch, 0
	}
	i := bits.TrailingZeros64(^(*occ | l.worn)) & 63
	l.fresh |= 1 << i
	l.gens[i]++
	l.vals[i] = v
	if *occ |= 1 << i; *occ|l.worn == math.MaxUint64 {
		m.leaves.room.Pop()
	}
	m.now.n++
	changedMembers(m)
	return handleIn(&m.now, j*leafSlots+i, l.gens[i])
}

// Remove removes the value of h and returns it. It reports false if h is stale, zero or foreign.
// Snapshots that show the value keep it, so a loop that is running still visits it.
//
// Cost: O(1) and a lock; allocates the copies described at [Members.Snapshot].
//
// Ends: h and every copy of it. Snapshots that show the value still find it by h.
//
//berth:ends by h
func (m *Members[T]) Remove(h berth.Handle[T]) (v T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := findIn(&m.now, h)
	if x == nil {
		return v, false
	}
	v = *x
	slot := uint32(h.Uint64()) - m.now.salt
	j, i := int(slot/leafSlots), slot%leafSlots
	nd := openNode(m, j/nodeLeaves)
	l, occ := nd.leaf[j%nodeLeaves], &nd.occ[j%nodeLeaves]
	own := l.epoch == m.epoch && l.fresh>>i&1 != 0
	full := *occ|l.worn == math.MaxUint64
	*occ &^= 1 << i
	m.now.n--
	m.removes++
	if *occ == 0 {
		if !full {
			m.leaves.room.Remove(j)
		}
		dropLeaf(m, nd, j, i, own)
		return v, true
	}
	if !own {
		l = copyLeaf(m, l)
		nd.leaf[j%nodeLeaves] = l
	}
	var zero T
	l.vals[i] = zero
	if l.gens[i]++; l.gens[i] == 0 {
		l.worn |= 1 << i
		m.retired++
	} else if full {
		m.leaves.room.Add(j)
	}
	changedMembers(m)
	return v, true
}

// Stats returns the counts of m. A chunk is a block of 64 slots. Bytes is the memory of the present
// state. m does not know which snapshots are kept, so memory that only they have is not counted.
// Grown and Truncated do not count copies of blocks.
//
// Cost: a step for each 1024 slots, and a lock; never allocates.
func (m *Members[T]) Stats() berth.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	leafBytes, nodeBytes := int(plain.SizeOf((*leaf[T])(nil))), int(plain.SizeOf((*node[T])(nil)))
	bytes := int(plain.SizeOf(m)) + m.leaves.bytes() + cap(m.now.nodes)*bits.UintSize/8
	bytes += m.chunks * leafBytes
	for _, nd := range m.now.nodes {
		if nd != nil {
			bytes += nodeBytes
		}
	}
	if m.spareLeaf != nil {
		bytes += leafBytes
	}
	if m.spareNode != nil {
		bytes += nodeBytes
	}
	return berth.Stats{
		Live:      m.now.n,
		Vacant:    m.chunks*leafSlots - m.now.n - m.retired,
		Retired:   m.retired + m.leaves.lost*leafSlots,
		Chunks:    m.chunks,
		Bytes:     bytes,
		Inserts:   m.removes + uint64(m.now.n),
		Removes:   m.removes,
		Grown:     m.grown,
		Truncated: m.truncated,
	}
}

// String returns the type of the values and their number, as in "concurrent.Members[int](3)".
//
// Cost: as Len; allocates the string.
func (m *Members[T]) String() string { return membersText((*T)(nil), m.Len()) }

// membersText returns the String of a Members of n of the values that v, a pointer, points to.
//
//go:noinline
func membersText(v any, n int) string {
	return fmt.Sprintf("concurrent.Members[%v](%d)", plain.NameOf(v), n)
}

// show returns a snapshot of now. The caller holds the lock, as that of the functions below.
func show[T any](m *Members[T]) *Snapshot[T] {
	s := m.shown.Load()
	if s == nil {
		s = new(Snapshot[T])
		*s = m.now
		m.epoch++
		m.shown.Store(s)
	}
	return s
}

// looked notes a lookup under the lock.
func looked[T any](m *Members[T]) {
	if m.looks++; m.looks >= patience {
		show(m)
	}
}

// openNode begins a change of node k, and returns it. It replaces the node and the list of nodes if
// a snapshot has them.
func openNode[T any](m *Members[T], k int) *node[T] {
	if m.shown.Load() != nil {
		m.shown.Store(nil)
		m.now.nodes = slices.Clone(m.now.nodes)
	}
	m.looks = 0
	for k >= len(m.now.nodes) {
		m.now.nodes = append(m.now.nodes, nil)
	}
	nd := m.now.nodes[k]
	switch {
	case nd == nil && m.spareNode != nil:
		nd, m.spareNode = m.spareNode, nil
	case nd == nil:
		nd = new(node[T])
	case nd.epoch != m.epoch:
		c := *nd
		nd = &c
	}
	nd.epoch = m.epoch
	m.now.nodes[k] = nd
	return nd
}

// newLeaf returns a leaf without values, whose generations start at floor.
func newLeaf[T any](m *Members[T], floor uint32) *leaf[T] {
	l := m.spareLeaf
	if m.spareLeaf = nil; l == nil {
		l = new(leaf[T])
	}
	l.epoch, l.fresh = m.epoch, math.MaxUint64
	for i := range l.gens {
		l.gens[i] = floor
	}
	m.chunks++
	m.grown++
	return l
}

// copyLeaf returns a copy of l for the current epoch.
func copyLeaf[T any](m *Members[T], l *leaf[T]) *leaf[T] {
	c := *l
	c.epoch, c.fresh = m.epoch, math.MaxUint64
	return &c
}

// dropLeaf releases leaf j of nd, whose last value, in slot i, is removed. The leaf is not in room.
// If the slot is fresh, no snapshot has the leaf: it would show another slot there, whose removal
// would have copied the leaf. If one slot is used up, all are given up.
func dropLeaf[T any](m *Members[T], nd *node[T], j int, i uint32, fresh bool) {
	l := nd.leaf[j%nodeLeaves]
	nd.leaf[j%nodeLeaves] = nil
	m.chunks--
	m.truncated++
	floor := uint32(0)
	for _, g := range l.gens {
		floor = max(floor, (g+1)&^1) // all but that of slot i are even
	}
	if l.worn != 0 || l.gens[i] == math.MaxUint32 {
		m.retired -= bits.OnesCount64(l.worn)
		floor = usedUp
	} else if fresh && m.spareLeaf == nil {
		var zero T
		l.vals[i] = zero
		l.gens[i]++
		m.spareLeaf = l
	}
	m.leaves.drop(j, floor)
	if nd.count--; nd.count == 0 {
		m.now.nodes[j/nodeLeaves] = nil
		m.spareNode = nd
		trimNodes(m)
	}
	changedMembers(m)
}

// trimNodes cuts the nodes after the last one with a value, and forgets the leaves there.
func trimNodes[T any](m *Members[T]) {
	k := len(m.now.nodes)
	for k > 0 && m.now.nodes[k-1] == nil {
		k--
	}
	m.now.nodes = shrink(m.now.nodes[:k])
	m.leaves.trim(k * nodeLeaves)
}

// changedMembers checks the invariants after a change, with the tag berth_invariants: always while
// m is small, and sometimes when it is large.
func changedMembers[T any](m *Members[T]) {
	if invariants.On && (m.now.n <= leafSlots || m.now.n%256 == 0) {
		checkMembers(m)
	}
}

// checkMembers panics with the number of an invariant that m violates, if any.
func checkMembers[T any](m *Members[T]) {
	m.leaves.room.Check()
	live, chunks, retired := 0, 0, 0
	for k, nd := range m.now.nodes {
		count := 0
		for j := 0; nd != nil && j < nodeLeaves; j++ {
			l, occ := nd.leaf[j], nd.occ[j]
			if l == nil != (occ == 0) {
				failMembers(5, "leaf %d of node %d with live slots %b: %v", j, k, occ, l != nil)
			}
			if l == nil {
				continue
			}
			count++
			live += bits.OnesCount64(occ)
			retired += bits.OnesCount64(l.worn)
			checkLeaf(l, occ)
			hasRoom := occ|l.worn != math.MaxUint64
			if at := k*nodeLeaves + j; hasRoom != m.leaves.room.Has(at) {
				failMembers(1, "leaf %d has room: %v", at, hasRoom)
			}
		}
		chunks += count
		if nd != nil && (count == 0 || count != nd.count) || nd == nil && k == len(m.now.nodes)-1 {
			failMembers(5, "node %d of %d has %d leaves", k, len(m.now.nodes), count)
		}
	}
	if live != m.now.n || chunks != m.chunks || retired != m.retired ||
		uint64(chunks) != m.grown-m.truncated {
		failMembers(6, "%d live, %d chunks, %d retired, noted %d, %d, %d", live, chunks,
			retired, m.now.n, m.chunks, m.retired)
	}
	checkFloors(m)
	if l := m.spareLeaf; l != nil {
		checkLeaf(l, 0)
	}
	if s := m.shown.Load(); s != nil && (s.n != m.now.n || !slices.Equal(s.nodes, m.now.nodes)) {
		failMembers(7, "%d values are shown, not %d", s.n, m.now.n)
	}
}

// checkFloors checks the leaves without memory.
func checkFloors[T any](m *Members[T]) {
	lost := 0
	for j, floor := range m.leaves.floors {
		k := j / nodeLeaves
		if k < len(m.now.nodes) && m.now.nodes[k] != nil &&
			m.now.nodes[k].leaf[j%nodeLeaves] != nil {
			continue
		}
		if floor == usedUp {
			lost++
		}
		if floor == usedUp == m.leaves.room.Has(j) {
			failMembers(1, "leaf %d without memory has floor %d", j, floor)
		}
	}
	if lost != m.leaves.lost {
		failMembers(2, "%d leaves are used up, noted %d", lost, m.leaves.lost)
	}
}

// checkLeaf panics if l, whose live slots are those of occ, violates an invariant.
func checkLeaf[T any](l *leaf[T], occ uint64) {
	for i, g := range l.gens {
		if uint64(g)&1 != occ>>i&1 {
			failMembers(3, "slot %d has generation %d, live slots %b", i, g, occ)
		}
		if occ>>i&1 == 0 && !invariants.IsZero(&l.vals[i]) {
			failMembers(4, "vacant slot %d holds %v", i, l.vals[i])
		}
	}
}

func failMembers(rule int, format string, args ...any) {
	panic(fmt.Sprintf("concurrent: Members invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
