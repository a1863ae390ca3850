package slots

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// Order is a berth.Order without the type of its values: a ring of slots of a Pool, and a root
// between the last and the first. See the invariants at berth.Order.
type Order struct {
	p     *Core  // nil for the zero and the closed Order
	links []link // of slot s at s+firstPlace, and of the root; empty if p is nil
	n     int    // slots in the ring
	loops []orderLoop
}

// link has the places in links of the neighbours, or is zero if the slot is not in the ring.
type link struct{ prev, next uint32 }

const (
	root       = 1 // 0 is the place of nothing
	firstPlace = 2 // of slot 0
)

// orderLoop is a loop that runs, or has ended. The places that it has yet to visit are next, end,
// and those between them.
type orderLoop struct {
	next, end uint32 // 0 if there are none
	left      int    // steps
	back      bool   // from the last to the first
	ended     bool
}

// Open makes the zero o an order of slots of p.
//
//go:noinline
func (o *Order) Open(p *Core) {
	p.Ready(0)
	o.p, o.links = p, []link{{}, {root, root}}
	r := p.Rarely()
	r.Columns = append(r.Columns, o)
	p.SetMax(p.Max)
}

// Close is that of an Order.
//
//go:noinline
func (o *Order) Close() {
	p := o.p
	if p == nil {
		return
	}
	o.Cleared()
	r := p.Rare
	r.Columns = slices.DeleteFunc(r.Columns, func(c Column) bool { return c == Column(o) })
	p.SetMax(p.Max)
	o.p, o.links = nil, nil
}

// Len is that of an Order.
func (o *Order) Len() int { return o.n }

// find returns the place of h, or 0 if h is not live.
func (o *Order) find(h ID) uint32 {
	if o.p == nil {
		return 0
	}
	b, s := o.p.Find(h)
	if b == nil {
		return 0
	}
	return placeOf(s)
}

// placeOf returns the place of slot s, which is live.
func placeOf(s uint32) uint32 {
	if s > math.MaxUint32-firstPlace {
		panic("berth: Order: the last two of 2^32 slots cannot be in an Order")
	}
	return s + firstPlace
}

// has reports whether place i, which is not the root, is in the ring.
func (o *Order) has(i uint32) bool {
	return uint64(i) < uint64(len(o.links)) && o.links[i].next != 0
}

// id returns the handle of the slot at place i, or the zero handle for the root.
func (o *Order) id(i uint32) ID {
	if i < firstPlace {
		return ID{}
	}
	k, s := o.slot(i)
	return o.p.ID(o.p.Dir[k], k, s)
}

// slot returns the block of place i, and the slot in it.
func (o *Order) slot(i uint32) (k, s int) {
	return int((i - firstPlace) >> 6), int((i - firstPlace) & 63)
}

// Front returns the handle of the first value, or zero.
//
//go:noinline
func (o *Order) Front() ID {
	if o.n == 0 {
		return ID{}
	}
	return o.id(o.links[root].next)
}

// Back returns the handle of the last value, or zero.
//
//go:noinline
func (o *Order) Back() ID {
	if o.n == 0 {
		return ID{}
	}
	return o.id(o.links[root].prev)
}

// Next returns the handle of the value after that of h, or zero.
//
//go:noinline
func (o *Order) Next(h ID) ID {
	i := o.find(h)
	if !o.has(i) {
		return ID{}
	}
	return o.id(o.links[i].next)
}

// Prev returns the handle of the value before that of h, or zero.
//
//go:noinline
func (o *Order) Prev(h ID) ID {
	i := o.find(h)
	if !o.has(i) {
		return ID{}
	}
	return o.id(o.links[i].prev)
}

// Contains is that of an Order.
//
//go:noinline
func (o *Order) Contains(h ID) bool { return o.has(o.find(h)) }

// ToFront makes the slot of h the first, and returns its value, or nil if h is not live. It repeats
// Find, and put for a slot in the ring while no loop runs: calls would take half of its time.
//
//go:noinline
func (o *Order) ToFront(h ID) Ref {
	p := o.p
	if p == nil {
		return nil
	}
	s := h.Index - p.Salt
	k := int(s >> 6)
	if k >= len(p.Dir) {
		return nil
	}
	b := p.Dir[k]
	if b == nil || b.Gens[s&63] != h.Gen || h.Gen&1 == 0 {
		return nil
	}
	l, at := o.links, uint64(s)+firstPlace
	first := l[root].next
	switch {
	case at == uint64(first):
	case at >= uint64(len(l)) || l[at].next == 0 || len(o.loops) != 0:
		o.put(placeOf(s), root)
		o.changed()
	default:
		x := l[at]
		l[x.prev].next, l[x.next].prev = x.next, x.prev
		l[at] = link{root, first}
		l[root].next, l[first].prev = uint32(at), uint32(at)
		o.changed()
	}
	return p.Kind.val(b, int(s&63))
}

// ToBack makes the slot of h the last, and returns its value, or nil if h is not live.
//
//go:noinline
func (o *Order) ToBack(h ID) Ref {
	i := o.find(h)
	if i == 0 {
		return nil
	}
	o.put(i, o.links[root].prev)
	o.changed()
	return o.p.Ptr(h)
}

// Before is InsertBefore of an Order.
//
//go:noinline
func (o *Order) Before(h, mark ID) bool {
	i, m := o.find(h), o.find(mark)
	if i == 0 || !o.has(m) {
		return false
	}
	o.put(i, o.links[m].prev)
	o.changed()
	return true
}

// After is InsertAfter of an Order.
//
//go:noinline
func (o *Order) After(h, mark ID) bool {
	i, m := o.find(h), o.find(mark)
	if i == 0 || !o.has(m) {
		return false
	}
	o.put(i, m)
	o.changed()
	return true
}

// LeaveID is Leave of an Order.
//
//go:noinline
func (o *Order) LeaveID(h ID) bool {
	i := o.find(h)
	if !o.has(i) {
		return false
	}
	o.unlink(i)
	o.changed()
	return true
}

// put puts place i after m, which is in the ring or the root.
func (o *Order) put(i, m uint32) {
	if missing := int64(i) + 1 - int64(len(o.links)); missing > 0 {
		o.links = append(o.links, make([]link, missing)...)
	}
	if i == m || o.links[i].prev == m {
		return
	}
	if o.links[i].next != 0 {
		o.unlink(i)
	}
	l := o.links
	next := l[m].next
	l[i] = link{m, next}
	l[m].next, l[next].prev = i, i
	o.n++
}

// unlink takes place i, which is in the ring, out of it.
func (o *Order) unlink(i uint32) {
	l := o.links
	for at := range o.loops {
		o.loops[at].pass(l, i)
	}
	x := l[i]
	l[x.prev].next, l[x.next].prev = x.next, x.prev
	l[i] = link{}
	o.n--
}

// Clear is that of an Order.
//
//go:noinline
func (o *Order) Clear() {
	o.Cleared()
	o.changed()
}

// Recycle is that of an Order. The pointer is nil if there is no value, or if OnInsert has removed
// it.
//
//go:noinline
func (o *Order) Recycle() (ID, Ref) {
	if o.n == 0 {
		return ID{}, nil
	}
	p, i := o.p, o.links[root].prev
	k, s := o.slot(i)
	b := p.Dir[k]
	if b.Gens[s]+1 == p.Base || p.Rare.hooks.OnRemove != nil {
		return o.renew(b, k, s)
	}
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, s)
	}
	o.othersLeave(k, s)
	b.Gens[s] += 2
	p.Ended++
	o.put(i, root)
	p.Changed()
	h, v := p.ID(b, k, s), p.Kind.val(b, s)
	if p.Hooked {
		p.Inserted(h, v)
		v = p.Ptr(h)
	}
	return h, v
}

// othersLeave takes slot i of block k out of all Columns and Orders of the Pool but o.
func (o *Order) othersLeave(k, i int) {
	for _, c := range o.p.Rare.Columns {
		if c != Column(o) {
			c.Leave(k, i)
		}
	}
}

// renew is Recycle of slot i of b, which is block k, where the slot is used up or OnRemove must be
// called. Meanwhile the slot of the new value is under construction. If the slot is used up, that
// is the lowest vacant one, to which the value moves.
func (o *Order) renew(b *Head, k, i int) (ID, Ref) {
	p, h := o.p, o.p.ID(b, k, i)
	to, tk, ti := b, k, i
	worn := h.Gen+1 == p.Base
	if worn {
		if p.Room.Low >= len(p.Dir) && !p.AddChunk() {
			return ID{}, nil
		}
		tk = p.Room.Low
		to, ti = p.take(tk)
		p.Kind.copy(p.Kind.val(to, ti), p.Kind.val(b, i), 1)
	}
	x := p.Rare.borrow(p.Kind)
	p.Kind.copy(x, p.Kind.val(b, i), 1)
	p.build(to, tk, ti, func() bool {
		if worn {
			p.close(h)
		} else {
			o.end(b, k, i)
		}
		if f := p.Rare.hooks.OnRemove; f != nil {
			f(h, x)
		}
		return true
	})
	p.Rare.giveBack(p.Kind, x)
	p.occupy(to, tk, ti)
	if o.p != nil { // OnRemove may have closed o
		o.put(placeOf(uint32(tk<<6+ti)), root)
	}
	h = p.ID(to, tk, ti)
	if p.Hooked {
		p.Inserted(h, p.Kind.val(to, ti))
	}
	return h, p.Ptr(h)
}

// end ends the life of slot i of b, which is block k and under construction already, and leaves the
// value in place.
func (o *Order) end(b *Head, k, i int) {
	p := o.p
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	for _, c := range p.Rare.Columns {
		c.Leave(k, i)
	}
	b.Occ &^= 1 << (i & 63)
	b.Gens[i&63]++
	p.N--
	p.Ended++
	if b.Occ == 0 {
		p.emptied(k)
	}
	p.Changed()
}

// Begin begins a loop, and returns the argument for Step and End.
//
//go:noinline
func (o *Order) Begin(back bool) (at int) {
	at = slices.IndexFunc(o.loops, func(c orderLoop) bool { return c.ended })
	if at < 0 {
		at = len(o.loops)
		o.loops = append(o.loops, orderLoop{})
	}
	c := orderLoop{left: 2 * o.n, back: back}
	if o.n > 0 {
		c.next, c.end = o.links[root].next, o.links[root].prev
	}
	if back {
		c.next, c.end = c.end, c.next
	}
	o.loops[at] = c
	return at
}

// Step returns the next value of a loop, or a nil pointer at its end.
//
//go:noinline
func (o *Order) Step(at int) (ID, Ref) {
	c := &o.loops[at]
	i := c.next
	if i == 0 || c.left == 0 {
		return ID{}, nil
	}
	c.left--
	c.pass(o.links, i)
	k, s := o.slot(i)
	b := o.p.Dir[k]
	return o.p.ID(b, k, s), o.p.Kind.val(b, s)
}

// End ends a loop.
//
//go:noinline
func (o *Order) End(at int) {
	o.loops[at] = orderLoop{ended: true}
	for n := len(o.loops); n > 0 && o.loops[n-1].ended; n-- {
		o.loops = o.loops[:n-1]
	}
}

// pass removes place i from those to visit, if it is at either end of them.
func (c *orderLoop) pass(l []link, i uint32) {
	ahead, behind := l[i].next, l[i].prev
	if c.back {
		ahead, behind = behind, ahead
	}
	switch {
	case i != c.next && i != c.end:
	case c.next == c.end:
		c.next, c.end = 0, 0
	case i == c.next:
		c.next = ahead
	default:
		c.end = behind
	}
}

// LeaveOrders takes h, which is live, out of all Orders of p.
func (p *Core) LeaveOrders(h ID) {
	for _, c := range p.Rare.Tables() {
		if o, ok := c.(*Order); ok {
			o.LeaveID(h)
		}
	}
}

// Ordered reports whether p has an Order.
func (p *Core) Ordered() bool {
	return slices.ContainsFunc(p.Rare.Tables(), func(c Column) bool {
		_, ok := c.(*Order)
		return ok
	})
}

// Leave implements [Column].
func (o *Order) Leave(k, i int) {
	at := uint64(k)<<6 + uint64(i) + firstPlace
	if at < uint64(len(o.links)) && o.links[at].next != 0 {
		o.unlink(uint32(at))
	}
}

// Cleared implements [Column].
func (o *Order) Cleared() {
	if o.n == 0 {
		return
	}
	clear(o.links)
	o.links[root] = link{root, root}
	o.n = 0
	for at := range o.loops {
		o.loops[at].next, o.loops[at].end = 0, 0
	}
}

// Loaded implements [Column].
func (o *Order) Loaded() {
	o.Cleared()
	o.Cut(len(o.p.Dir))
}

// Cut implements [Column].
func (o *Order) Cut(blocks int) {
	n := firstPlace + uint64(blocks)*BlockSlots
	if n >= uint64(len(o.links)) {
		return
	}
	if o.links = o.links[:n]; n < uint64(cap(o.links)/4) {
		o.links = append(make([]link, 0, 2*n), o.links...)
	}
}

// Clip implements [Column].
func (o *Order) Clip() {
	n := len(o.links)
	for n > firstPlace && o.links[n-1].next == 0 {
		n--
	}
	o.links = slices.Clone(o.links[:n])
	if len(o.loops) == 0 {
		o.loops = nil
	}
}

// Rewind implements [Column]. The values that the Pool no longer has were taken out before.
func (o *Order) Rewind(uint64) { o.Cut(len(o.p.Dir)) }

// Record, Find, Mark and Forget implement [Column]: an Order has no frames.
func (o *Order) Record(uint64, Frames) {}

// Find implements [Column].
func (o *Order) Find(string) {}

// Mark implements [Column].
func (o *Order) Mark() {}

// Forget implements [Column].
func (o *Order) Forget() {}

// changed checks the invariants after a change, as Core.Changed does.
func (o *Order) changed() {
	if invariants.On && (len(o.links) <= 64*BlockSlots || o.n%256 == 0) {
		o.Check()
	}
}

// Check implements [Column].
func (o *Order) Check() {
	p := o.p
	if p == nil {
		if o.n+len(o.links) != 0 {
			failOrder(4, "a closed Order holds something")
		}
		return
	}
	if !slices.Contains(p.Rare.Tables(), Column(o)) {
		failOrder(4, "the Pool does not have it in its list")
	}
	if most := firstPlace + uint64(len(p.Dir))*BlockSlots; uint64(len(o.links)) > most {
		failOrder(3, "%d links, at most %d allowed", len(o.links), most)
	}
	n, i := 0, uint32(root)
	for {
		next := o.links[i].next
		if uint64(next) >= uint64(len(o.links)) || o.links[next].prev != i {
			failOrder(1, "place %d leads to %d, which does not lead back", i, next)
		}
		if i = next; i == root || n > o.n {
			break
		}
		n++
	}
	if n != o.n || o.links[0] != (link{}) {
		failOrder(1, "counted %d, noted %d", n, o.n)
	}
	for i, x := range o.links[firstPlace:] {
		switch k, s := i>>6, i&63; {
		case x == (link{}):
			continue
		case p.Dir[k] == nil || p.Dir[k].Occ>>s&1 == 0:
			failOrder(2, "slot %d is not live", i)
		}
		n--
	}
	if n != 0 {
		failOrder(3, "%d links are not zero, and not in the ring", -n)
	}
	for _, c := range o.loops {
		for i := c.next; i != c.end; {
			if i == root || !o.has(i) {
				failOrder(5, "a loop does not come from %d to %d", c.next, c.end)
			}
			if c.back {
				i = o.links[i].prev
			} else {
				i = o.links[i].next
			}
		}
	}
}

func failOrder(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Order invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
