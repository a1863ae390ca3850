package concurrent

import (
	"math"
	"reflect"

	"github.com/seed505807e1/berth"
)

// CheckInvariants panics with the number of an invariant that m violates, if any.
func (m *Members[T]) CheckInvariants() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made {
		checkMembers(m)
	}
}

// AgeForTest gives all slots of the new m only the given number of lives.
func (m *Members[T]) AgeForTest(lives int) {
	m.ready()
	m.leaves.tail = math.MaxUint32 - uint32(2*lives) + 1
}

// LimitForTest makes m have indices for only the given number of blocks. It returns the number that
// m had.
func (m *Members[T]) LimitForTest(blocks int) (had int) {
	m.ready()
	had, m.leaves.most = m.leaves.most, blocks
	return had
}

func (m *Members[T]) ready() {
	if !m.made {
		makeMembers(m, 0)
	}
}

// NowForTest returns the present state, without making a snapshot. It is valid until the next call.
func (m *Members[T]) NowForTest() *Snapshot[T] { s := m.now; return &s }

// IsShownForTest reports whether lookups take no lock.
func (m *Members[T]) IsShownForTest() bool { return m.shown.Load() != nil }

// LooksForTest returns the number of lookups under the lock since the last change.
func (m *Members[T]) LooksForTest() int { return m.looks }

// FloorsForTest returns the number of blocks that m remembers.
func (m *Members[T]) FloorsForTest() int { return len(m.leaves.floors) }

// PtrForTest returns a pointer to the value of h, or nil if s does not show it.
func (s *Snapshot[T]) PtrForTest(h berth.Handle[T]) *T { return findIn(s, h) }

// SizesForTest returns the sizes of a block of 64 slots, of a node, and of a Snapshot, in bytes.
func (m *Members[T]) SizesForTest() (leafBytes, nodeBytes, snapshotBytes uintptr) {
	return reflect.TypeFor[leaf[T]]().Size(), reflect.TypeFor[node[T]]().Size(),
		reflect.TypeFor[Snapshot[T]]().Size()
}
