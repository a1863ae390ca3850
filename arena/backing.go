package arena

import (
	"fmt"
	"sync"

	"github.com/seed505807e1/berth"
)

// largePiece is from where on a piece that is free gives its pages back to the system.
const largePiece = 256 << 10

// Backing is memory for the containers of package berth, off Go's heap, where they take it from if
// it is their Config.Memory. With huge pages, random access to a million values is faster, since
// the system's table of pages is smaller; and the collector does not look at it. It is a virtual
// [Arena] that takes pieces back: each serves again for the next one of the same size, and large
// ones give their pages back to the system meanwhile. The zero Backing has no memory.
//
// A container cannot know when its memory has been released: release a Backing when nobody uses the
// containers in it any more. A Backing may be used by several goroutines, and must not be copied.
type Backing struct {
	mu    sync.Mutex
	a     *Arena
	taken map[*byte]int   // the size of each piece that somebody has
	used  int             // the sum of taken
	free  map[int][]piece // those that were given back, by size
}

var _ berth.Memory = (*Backing)(nil)

// piece is memory that was given back.
type piece struct {
	b      []byte
	lo, hi int  // the pages of b[lo:hi] have gone back to the system, and must be asked for again
	lost   bool // they will be zero then
}

// NewBacking returns a Backing in reserve bytes of address space, as [NewVirtual] makes it; a
// container that grows by doubling needs three times what it comes to.
// Failure: as of NewVirtual.
// Cost: one system call, or two.
func NewBacking(reserve int, c VirtualConfig) (*Backing, error) {
	a, err := NewVirtual(reserve, c)
	if err != nil {
		return nil, err
	}
	return &Backing{a: a, taken: map[*byte]int{}, free: map[int][]piece{}}, nil
}

// Alloc returns size zeroed bytes whose address is a multiple of align. It fails with [ErrNoSpace]
// when the reserve is used up. It panics if size is negative, or align no power of two. Containers
// call it.
// Cost: O(1), and the zeroing of memory that was used before.
func (m *Backing) Alloc(size, align int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.a == nil {
		return nil, ErrNoSpace
	}
	checkAlign("Backing.Alloc", align)
	list := m.free[size]
	if n := len(list); n > 0 && align <= baseAlign && size > 0 {
		p := list[n-1]
		if p.hi > p.lo {
			from := m.offset(p.b) + p.lo
			if m.a.region.Commit(from, from+p.hi-p.lo) != nil {
				return nil, ErrNoSpace
			}
		}
		m.free[size] = list[:n-1]
		if !p.lost {
			p.hi = p.lo
		}
		clear(p.b[:p.lo])
		clear(p.b[p.hi:])
		m.taken[&p.b[0]] = size
		m.used += size
		return p.b, nil
	}
	b, err := m.a.Alloc(size, max(align, baseAlign))
	if err == nil && size > 0 {
		m.taken[&b[0]] = size
		m.used += size
	}
	return b, err
}

// Free takes back what Alloc returned: the same slice. It panics if b is another one, or was freed
// before. Containers call it.
// Cost: O(1), and a system call if b is large.
// Ends: pointers into b.
func (m *Backing) Free(b []byte) {
	if len(b) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.a == nil {
		return // released, so all is gone
	}
	if size, ok := m.taken[&b[0]]; !ok || size != len(b) {
		panic("arena: Backing.Free: not from Alloc, or freed before")
	}
	delete(m.taken, &b[0])
	m.used -= len(b)
	p := piece{b: b}
	if m.a.IsVirtual() && len(b) >= largePiece {
		p = m.decommit(p)
	}
	m.free[len(b)] = append(m.free[len(b)], p)
}

// decommit gives the whole pages of p back to the system, if it takes them.
func (m *Backing) decommit(p piece) piece {
	unit, from := m.a.pageSize(), m.offset(p.b)
	lo, hi := roundUp(from, unit), (from+len(p.b))&^(unit-1)
	if lo >= hi {
		return p
	}
	p.lo, p.hi = lo-from, hi-from
	p.lost = m.a.region.Decommit(lo, hi) == nil
	return p
}

// offset returns where b begins in the region.
func (m *Backing) offset(b []byte) int {
	return int(address(b) - address(m.a.region.Bytes()))
}

// String says how full m is, as in "arena.Backing(4096 of 1073741824 bytes)".
// Cost: O(1); allocates the string.
func (m *Backing) String() string {
	s := m.Stats()
	return fmt.Sprintf("arena.Backing(%d of %d bytes)", s.Used, s.Reserved)
}

// GoString is String: to print the memory itself, much of which is not there, would be a crash.
// Cost: O(1); allocates the string.
func (m *Backing) GoString() string { return m.String() }

// Stats counts what m holds. Used is the bytes of the pieces that somebody has.
// Cost: O(1).
func (m *Backing) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.a == nil {
		return Stats{}
	}
	s := m.a.Stats()
	s.Used = m.used
	return s
}

// Release gives back memory and address space, for good. To release it again does nothing. It
// returns an error if the system has one, which a caller can do nothing about.
// Cost: O(1).
// Ends: all containers in it: to use one is a crash.
func (m *Backing) Release() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.a == nil {
		return nil
	}
	a := m.a
	m.a, m.taken, m.free, m.used = nil, nil, nil, 0
	return a.Release()
}
