package arena

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// fail panics with the number of a broken invariant.
func fail(what string, rule int, format string, args ...any) {
	panic(fmt.Sprintf("arena: %s invariant %d: %s", what, rule, fmt.Sprintf(format, args...)))
}

// checkNow reports whether a container of n values should check itself at this change. Small
// containers always do. Large ones do so every 256 values, so that a loop does not become
// quadratic.
func checkNow(n int) bool { return n <= 256 || n%256 == 0 }

// changed checks the invariants after a change if the tag berth_invariants is set.
func (a *Arena) changed() {
	if invariants.On && checkNow(len(a.tenants)) {
		a.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that a breaks, if any.
func (a *Arena) checkInvariants() {
	if a.kind == null || len(a.chunks) == 0 {
		if a.off != 0 || len(a.buf) != 0 || a.start != 0 || a.clean != 0 {
			fail("Arena", 1, "without a chunk, %d bytes are taken of %d", a.off, len(a.buf))
		}
		return
	}
	c := a.chunks[a.cur]
	if len(a.buf) > 0 && &a.buf[0] != &c.buf[0] || len(a.buf) > len(c.buf) ||
		a.kind != virtual && len(a.buf) != len(c.buf) || a.off > len(a.buf) {
		fail("Arena", 1, "buf is %d bytes of %d, of which %d are taken",
			len(a.buf), len(c.buf), a.off)
	}
	sum := 0
	for _, c := range a.chunks[:a.cur] {
		if c.start != sum {
			fail("Arena", 2, "a chunk starts at %d, not at %d", c.start, sum)
		}
		sum += c.used
	}
	if a.start != sum {
		fail("Arena", 2, "start is %d, not %d", a.start, sum)
	}
	for i := a.off; i < min(len(a.buf), a.off+4*cleanAhead); i++ {
		if a.buf[i] != 0 && (i < a.clean || i >= a.dirty) {
			fail("Arena", 3, "byte %d is %d; taken up to %d, clean to %d, dirty to %d",
				i, a.buf[i], a.off, a.clean, a.dirty)
		}
	}
	if sum := a.heldBefore(len(a.chunks)); a.held != sum || a.kind == chunked && sum > a.limit {
		fail("Arena", 8, "%d bytes in chunks, noted %d, limit %d", sum, a.held, a.limit)
	}
	a.past.checkInvariants()
	a.checkTenants()
}

// checkTenants checks invariants 5 and 6.
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

// checkInvariants panics with the number of the invariant that h breaks, if any.
func (h *history) checkInvariants() {
	for i, r := range h.list {
		if i > 0 && (r.epoch <= h.list[i-1].epoch || r.pos <= h.list[i-1].pos) {
			fail("history", 1, "%v after %v", r, h.list[i-1])
		}
	}
	if n := len(h.list); n > 0 && h.list[n-1].epoch != h.epoch {
		fail("history", 2, "the last is of epoch %d, now is %d", h.list[n-1].epoch, h.epoch)
	}
}

// checkInvariants panics with the number of the invariant that t breaks, if any.
func (t *Typed[T]) checkInvariants() {
	sum := 0
	for i, c := range t.chunks {
		if i < t.cur {
			sum += len(c)
		}
		from := 0
		switch {
		case i < t.cur:
			from = len(c)
		case i == t.cur:
			from = t.n
		}
		for k := from; k < len(c); k++ {
			if !invariants.IsZero(&c[k]) {
				fail("Typed", 1, "value %d of chunk %d is not zero", k, i)
			}
		}
	}
	if sum != t.start || len(t.chunks) > 0 && len(t.buf) != len(t.chunks[t.cur]) {
		fail("Typed", 2, "start is %d, not %d", t.start, sum)
	}
	t.past.checkInvariants()
}

// checkInvariants panics with the number of the invariant that v breaks, if any.
func (v *Vec[T]) checkInvariants() {
	if v.mem.a == nil && cap(v.s) > 0 {
		fail("Vec", 2, "room for %d without an arena", cap(v.s))
	}
	if bytes, _ := bytesFor[T](cap(v.s)); bytes > 0 && (v.mem.l.dead || v.mem.l.end < bytes) {
		fail("Vec", 1, "room for %d with a lease to %d", cap(v.s), v.mem.l.end)
	}
}

// checkInvariants panics with the number of the invariant that b breaks, if any.
func (b *Bump[T]) checkInvariants() {
	if b.left < 0 || b.left > len(b.s) {
		fail("Bump", 1, "%d of %d values left", b.left, len(b.s))
	}
	for i := range b.s[:b.left] {
		if !invariants.IsZero(&b.s[i]) {
			fail("Bump", 1, "value %d is not handed out yet, and not zero", i)
		}
	}
}

// changed checks the invariants after a change if the tag berth_invariants is set.
func (d *Deque[T]) changed() {
	if invariants.On && checkNow(d.blocks) {
		d.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that d breaks, if any.
func (d *Deque[T]) checkInvariants() {
	if len(d.ring)&(len(d.ring)-1) != 0 || d.blocks > len(d.ring) {
		fail("Deque", 1, "%d blocks in a ring of %d", d.blocks, len(d.ring))
	}
	for i := range d.ring {
		b := d.ring[(d.first+i)&(len(d.ring)-1)]
		if (b != nil) != (i < d.blocks) || b != nil && len(b) != 1<<d.shift {
			fail("Deque", 1, "place %d of %d blocks has %d values", i, d.blocks, len(b))
		}
	}
	if d.blocks == 0 {
		if d.used != 0 || d.fi != 0 || d.front != nil || d.back != nil {
			fail("Deque", 2, "used %d of no blocks", d.used)
		}
		if d.toBack.n|d.toFront.n != 0 {
			fail("Deque", 4, "promises of %v and %v without blocks", d.toBack, d.toFront)
		}
		return
	}
	back := d.ring[(d.first+d.used-1)&(len(d.ring)-1)]
	if d.used < 1 || d.used > d.blocks || !sameStart(d.front, d.ring[d.first]) ||
		!sameStart(d.back, back) || cap(d.back) != len(back) {
		fail("Deque", 2, "front or back are not the first and last of %d in use", d.used)
	}
	if d.some() && (d.fi >= len(d.front) || len(d.back) == 0) ||
		!d.some() && (d.used > 1 || d.fi != len(d.back)) {
		fail("Deque", 3, "from %d in the first to %d in the last of %d", d.fi, len(d.back), d.used)
	}
	if n := d.lacks(d.rest()); n > 0 {
		back, front := d.promised()
		fail("Deque", 4, "%d blocks are missing for %d values at the back and %d at the front",
			n, back, front)
	}
}

// changed checks the invariants after a change if the tag berth_invariants is set.
func (p *Pool[T]) changed() {
	if invariants.On && checkNow(p.n) {
		p.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that p breaks, if any.
func (p *Pool[T]) checkInvariants() {
	n := 0
	for k, b := range p.dir {
		n += bits.OnesCount64(b.occ)
		if p.room.Has(k) != (b.occ != 1<<blockSlots-1) || p.live.Has(k) != (b.occ != 0) {
			fail("Pool", 2, "block %d with values %064b: room %t, live %t",
				k, b.occ, p.room.Has(k), p.live.Has(k))
		}
		for i := range blockSlots {
			if b.occ>>i&1 == 0 && !invariants.IsZero(&b.vals[i]) {
				fail("Pool", 3, "vacant slot %d is not zero", k*blockSlots+i)
			}
		}
	}
	if n != p.n {
		fail("Pool", 1, "%d values, noted %d", n, p.n)
	}
}

// changed checks the invariants after a change if the tag berth_invariants is set.
func (r *Handles[T, H]) changed() {
	if invariants.On && checkNow(r.n) {
		r.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that r breaks, if any.
func (r *Handles[T, H]) checkInvariants() {
	live, free, none := 0, 0, 0
	for k, b := range r.dir {
		for i, m := range b.meta {
			index := uint32(k*blockSlots + i + 1)
			isLive := b.occ>>i&1 != 0
			switch {
			case isLive && (isFree(m) || indexOf(m) != index || index > r.used):
				fail("Handles", 1, "live slot %d has %x", index, uint64(m))
			case isLive:
				live++
			case isFree(m):
				free++
			case indexOf(m) != 0 || index > r.used && m != 0:
				fail("Handles", 3, "slot %d has %x", index, uint64(m))
			case index <= r.used:
				none++
			}
			if !isLive && r.pending == 0 && !invariants.IsZero(&b.vals[i]) {
				fail("Handles", 4, "slot %d is not live, and not zero", index)
			}
		}
		if r.live.Has(k) != (b.occ != 0) {
			fail("Handles", 6, "block %d with values %064b: live %t", k, b.occ, r.live.Has(k))
		}
	}
	chain := 0
	for i := r.head; i != 0; chain++ {
		m := r.dir[(i-1)/blockSlots].meta[(i-1)&blockMask]
		if !isFree(m) || chain == free {
			fail("Handles", 2, "slot %d, number %d in the free list, has %x", i, chain, uint64(m))
		}
		i = indexOf(m)
	}
	if live != r.n || chain != free || none != r.gone+r.pending {
		fail("Handles", 5, "live %d, noted %d; vacant %d, listed %d; neither %d, noted %d",
			live, r.n, free, chain, none, r.gone+r.pending)
	}
}

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
