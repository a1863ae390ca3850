package arena

import (
	"slices"
	"unsafe"
)

// tenant is a container with memory in an arena.
type tenant interface {
	// evict makes the container forget its memory, which has been rewound.
	evict()
	// more makes room for one more value. It reports false if the arena has none. It panics if the
	// container has been evicted.
	more() bool
}

// lease is shared by an arena and a container in it.
type lease struct {
	t    tenant
	end  int  // position at which the container's memory ends, 0 if it has none
	dead bool // the memory has been rewound
	lost int  // number of rewinds, for loops: Clear makes dead false again
}

// tenancy records that a container has memory up to a position. A container that has grown may have
// several. Only the one at lease.end counts, and tidy drops the others when there are many, so the
// list is at most about twice as long as there are containers with memory.
type tenancy struct {
	l   *lease
	end int
}

// memory links a container to its arena. The zero memory has none.
type memory struct {
	a    *Arena
	l    *lease
	loan int // scratch: Arena.loan at init; differs once a is lent again
}

// init links t to a, in which it has no memory yet. If a is nil, m stays zero.
func (m *memory) init(a *Arena, t tenant) {
	if a != nil {
		m.a, m.l, m.loan = a, &lease{t: t}, a.loan
	}
}

// usable reports whether there is an arena to allocate from.
func (m *memory) usable() bool { return m.a != nil && m.loan == m.a.loan }

// check panics if the memory has been rewound.
func (m *memory) check(name string) { // inlined
	if m.l != nil && m.l.dead {
		panicRewound(name)
	}
}

// lost returns the number of times the memory has been rewound, for checkSince.
func (m *memory) lost() int {
	if m.l == nil {
		return 0
	}
	return m.l.lost
}

// checkSince panics if the memory has been rewound since lost was called, even if the container has
// been revived: the loop may still hold its old memory.
func (l *lease) checkSince(lost int, name string) { // inlined
	if l.lost != lost {
		panicRewound(name)
	}
}

func panicRewound(name string) {
	panic("arena: " + name + ": its memory has been rewound")
}

// revive makes a container whose memory has been rewound an empty one. It reports false if there is
// nothing to do.
func (m *memory) revive() bool {
	if m.l == nil || !m.l.dead {
		return false
	}
	m.l.dead, m.l.end = false, 0
	return true
}

// stuck reports whether a full container cannot get more room. It is not inlined, so that its
// callers are.
//
//go:noinline
func (m *memory) stuck() bool { return m.l == nil || !m.l.t.more() }

// allocate takes zeroed memory for n values of T for the container. It reports false if there is no
// room.
func allocate[T any](m *memory, n int) ([]T, bool) {
	s, ok := allocateDirty[T](m, n)
	if ok {
		m.a.zero(len(bytesOf(s)))
	}
	return s, ok
}

// allocateDirty is allocate without the zeroing.
func allocateDirty[T any](m *memory, n int) ([]T, bool) {
	if !m.usable() {
		return nil, false
	}
	s, ok := carve[T](m.a, n)
	if ok {
		grew[T](m)
	}
	return s, ok
}

// grew records that the container has just allocated values of T. Zero-size values take no memory.
func grew[T any](m *memory) {
	if unsafe.Sizeof(*new(T)) > 0 {
		m.l.end = m.a.position()
		m.note(m.l.end)
	}
}

// note records that the container's memory ends at end, the highest of all.
func (m *memory) note(end int) {
	m.a.prune()
	if n := len(m.a.tenants); n > 0 && m.a.tenants[n-1].l == m.l {
		m.a.tenants[n-1].end = end
		return
	}
	if len(m.a.tenants) == cap(m.a.tenants) {
		m.a.tidy()
	}
	m.a.tenants = append(m.a.tenants, tenancy{m.l, end})
}

// tidy drops the tenancies that do not count, and doubles the room for those that do.
func (a *Arena) tidy() {
	a.tenants = slices.DeleteFunc(a.tenants, func(t tenancy) bool {
		return t.l.dead || t.end != t.l.end
	})
	a.tenants = slices.Grow(a.tenants, len(a.tenants)+4)
}

// prune drops tenancies from the end of the list while their container is dead, has moved, or has
// given that memory back.
func (a *Arena) prune() {
	n := len(a.tenants)
	for n > 0 && (a.tenants[n-1].l.dead || a.tenants[n-1].end > a.tenants[n-1].l.end) {
		n--
	}
	clear(a.tenants[n:])
	a.tenants = a.tenants[:n]
}

// giveBack returns the last n bytes of the container's memory, which must be the most recent
// allocation, to the arena. It reports false if a Mark, or the start of a Scope, lies beyond where
// those bytes begin.
func (m *memory) giveBack(n int, all bool) bool {
	end := m.l.end - n
	if end < m.a.past.pin || end < m.a.floor {
		return false
	}
	if m.l.end = end; all {
		m.l.end = 0
	}
	m.a.prune()
	list := m.a.tenants // tenancies beyond end are outdated
	for i := len(list) - 1; i >= 0 && list[i].end > end; i-- {
		list[i].end = end
	}
	if !all {
		m.note(end)
	}
	m.a.rewind(end)
	return true
}

// evict evicts the containers with memory beyond pos.
func (a *Arena) evict(pos int) {
	n := len(a.tenants)
	for n > 0 && a.tenants[n-1].end > pos {
		n--
		if l := a.tenants[n].l; l.end > pos && !l.dead {
			l.dead = true
			l.lost++
			l.t.evict()
		}
	}
	clear(a.tenants[n:])
	a.tenants = a.tenants[:n]
}

// swap exchanges m and o, the memories of t and u.
func (m *memory) swap(o *memory, t, u tenant) {
	*m, *o = *o, *m
	if m.l != nil {
		m.l.t = t
	}
	if o.l != nil {
		o.l.t = u
	}
}

// checkTenants checks invariants 6 and 7.
func (a *Arena) checkTenants() {
	last := 0
	for _, t := range a.tenants {
		if t.end < last || t.end > a.position() {
			fail("Arena", 6, "a tenancy to %d follows one to %d, with %d taken",
				t.end, last, a.position())
		}
		last = t.end
	}
	for i, t := range a.tenants[max(0, len(a.tenants)-32):] { // only the last: it is quadratic
		at := func(o tenancy) bool { return o.l == t.l && o.end == t.l.end }
		if !t.l.dead && t.l.end > t.end && !slices.ContainsFunc(a.tenants, at) {
			fail("Arena", 6, "no tenancy to %d, where the memory of container %d ends", t.l.end, i)
		}
	}
	if a.past.pin > a.position() {
		fail("Arena", 7, "a Mark at %d, with %d taken", a.past.pin, a.position())
	}
}
