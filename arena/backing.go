package arena

import (
	"fmt"
	"sync"

	"github.com/seed505807e1/berth"
)

// largePiece is the size from which a free piece returns its pages to the system.
const largePiece = 256 << 10

// Backing is memory off Go's heap for the containers of package berth, which use it if it is their
// Config.Memory. The collector does not scan it, and with huge pages, random access to a million
// values is faster, because the system's page table is smaller. A Backing is a virtual [Arena] that
// takes pieces back. Each piece is reused for the next request of the same size, and large free
// pieces return their pages to the system. The zero Backing has no memory.
//
// A container does not detect that its Backing has been released, so release a Backing only when
// the containers in it are no longer used. A Backing may be used by several goroutines. It must not
// be copied.
type Backing struct {
	mu    sync.Mutex
	a     *Arena
	taken map[*byte]int   // the size of each piece in use
	used  int             // the sum of taken
	free  map[int][]piece // free pieces, by size
}

var _ berth.Memory = (*Backing)(nil)

// piece is memory that was given back.
type piece struct {
	b      []byte
	lo, hi int  // the pages of b[lo:hi] were decommitted, and must be committed again
	lost   bool // they will then be zero
}

// NewBacking returns a Backing in reserve bytes of address space, as [NewVirtual] reserves it. A
// container that grows by doubling needs three times its final size. NewBacking fails as NewVirtual
// does.
//
// Cost: one or two system calls.
func NewBacking(reserve int, c VirtualConfig) (*Backing, error) {
	a, err := NewVirtual(reserve, c)
	if err != nil {
		return nil, err
	}
	return &Backing{a: a, taken: map[*byte]int{}, free: map[int][]piece{}}, nil
}

// Alloc returns size zeroed bytes at an address that is a multiple of align. It fails with
// [ErrNoSpace] when the reserve is used up. It panics if size is negative or align is not a power
// of two. Containers call it.
//
// Cost: O(1), and the zeroing of memory that was used before.
//
//berth:lends r0
//berth:must r1
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

// Free takes back b, which must be a slice that Alloc returned. It panics if it is not, or if b was
// freed before. Containers call it.
//
// Cost: O(1), and a system call if b is large.
//
// Ends: pointers into b.
//
//berth:ends by b
func (m *Backing) Free(b []byte) {
	if len(b) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.a == nil {
		return // Release has freed everything
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

// decommit returns the whole pages of p to the system, if it accepts them.
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

// offset returns the offset of b in the region.
func (m *Backing) offset(b []byte) int {
	return int(address(b) - address(m.a.region.Bytes()))
}

// String returns how full m is, as in "arena.Backing(4096 of 1073741824 bytes)".
//
// Cost: O(1); allocates the string.
func (m *Backing) String() string {
	s := m.Stats()
	return fmt.Sprintf("arena.Backing(%d of %d bytes)", s.Used, s.Reserved)
}

// GoString is like String. Printing the memory itself would crash where it is not committed.
//
// Cost: O(1); allocates the string.
func (m *Backing) GoString() string { return m.String() }

// Stats returns the memory statistics of m. Used is the total size of the pieces in use.
//
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

// Release gives back memory and address space for good. Releasing it again does nothing. It returns
// an error if the system reports one. The caller can do nothing about it.
//
// Cost: O(1).
//
// Ends: all containers in it. Using one crashes.
//
//berth:ends emptied
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
