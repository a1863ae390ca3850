package slots

import (
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/poison"
)

// Open makes the lowest vacant slot live in all cases. It returns a nil pointer if there is no
// slot.
//
//go:noinline
func (p *Core) Open() (ID, Ref) {
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return ID{}, nil
	}
	k := p.Room.Low
	b, i := p.take(k)
	p.occupy(b, k, i)
	return p.ID(b, k, i), p.Kind.val(b, i)
}

// Insert is Open for Insert of a Pool, which sets the value and, if there are hooks, calls
// Inserted.
//
//go:noinline
func (s *State) Insert(block any) (ID, Ref) {
	p := CoreOf(s)
	if p.Kind == nil {
		p.Kind = KindOf(block)
	}
	return p.Open()
}

// take takes the lowest vacant slot of block k, which is room.Low. The slot is then under
// construction.
func (p *Core) take(k int) (*Head, int) {
	b := p.Dir[k]
	i := bits.TrailingZeros64(b.Free) & 63
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.Free &= b.Free - 1; b.Free == 0 {
		p.Room.Pop()
	}
	return b, i
}

// occupy makes slot i of b, which is block k, live. The slot was returned by take.
func (p *Core) occupy(b *Head, k, i int) {
	b.Occ |= 1 << (i & 63)
	b.Gens[i&63]++
	if !p.Live.Has(k) {
		p.opened(k)
	}
	p.N++
	p.Changed()
}

// CheckMany panics if n is negative, or if n more values of the given size are too many for any
// memory.
func (p *Core) CheckMany(fn string, n int, bytes uintptr) {
	if n < 0 {
		PanicGot(fn, "n must not be negative", n)
	}
	p.Ready(0)
	CheckSlots(fn, uint64(p.N)+uint64(min(n, p.Max-p.N)), bytes, n)
}

// OpenRun makes up to n adjacent vacant slots live, of which the first is the lowest of all, and
// returns their block, the first and how many, or 0 if there is no slot. n is at least 1. If an
// insert must do more than fill a slot, it is one.
//
//go:noinline
func (p *Core) OpenRun(n int) (k, i, m int) {
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return 0, 0, 0
	}
	k = p.Room.Low
	if p.Quick == 0 || poison.On {
		b, i := p.take(k)
		p.occupy(b, k, i)
		return k, i, 1
	}
	b := p.Dir[k]
	i, m = bitset.Run(b.Free)
	m = min(m, n, p.Max-p.N)
	run := bitset.Beyond(i) &^ bitset.Beyond(i+m)
	if b.Free &^= run; b.Free == 0 {
		p.Room.Pop()
	}
	b.Occ |= run
	gens := b.Gens[i : i+m]
	for j := range gens {
		gens[j]++
	}
	if !p.Live.Has(k) {
		p.opened(k)
	}
	p.N += m
	p.Changed()
	return k, i, m
}

// New makes the lowest vacant slot live with a zero value, and calls OnInsert. The pointer is nil
// if there is no slot, or if OnInsert has removed the value.
//
//go:noinline
func (s *State) New(block any) (ID, Ref) {
	p := CoreAt(s, block)
	h, x := p.Open()
	if x == nil || !p.Hooked {
		return h, x
	}
	p.Inserted(h, x)
	return h, p.Ptr(h)
}

// Delete removes the value of h, if h is live, and reports whether it was.
//
//go:noinline
func (p *Core) Delete(h ID) bool {
	b, _ := p.Find(h)
	return b != nil && p.Remove(h)
}

// Remove removes the value of the live h in all cases. It returns true.
//
//go:noinline
func (p *Core) Remove(h ID) bool {
	if p.Rare == nil {
		s := h.Index - p.Salt
		b := p.Dir[s>>6]
		p.Kind.vacate(p.Kind.val(b, int(s)))
		p.closed(b, int(s>>6), int(s&63))
		return true
	}
	f := p.Rare.On().OnRemove
	if f == nil {
		p.close(h)
		return true
	}
	s := h.Index - p.Salt
	x := p.Rare.borrow(p.Kind)
	p.Kind.copy(x, p.Kind.val(p.Dir[s>>6], int(s&63)), 1)
	p.close(h)
	f(h, x)
	p.Rare.giveBack(p.Kind, x)
	return true
}

// close vacates the slot of the live h in all cases.
func (p *Core) close(h ID) {
	s := h.Index - p.Salt
	k, i := int(s>>6), int(s&63)
	b := p.Dir[k]
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	for _, c := range p.Rare.Tables() {
		c.Leave(k, i)
	}
	p.Kind.vacate(p.Kind.val(b, i))
	p.closed(b, k, i)
}

// closed makes slot i of b, which is block k, vacant. It is live, and its value zero.
func (p *Core) closed(b *Head, k, i int) {
	b.Occ &^= 1 << (i & 63)
	b.Gens[i&63]++
	p.N--
	p.Ended++
	if b.Gens[i] == p.Base {
		p.Rarely().Retired++
	} else {
		p.free(b, k, 1<<i)
	}
	if b.Occ == 0 {
		p.emptied(k)
	}
	p.Changed()
}

// Clear is that of a Pool.
//
//go:noinline
func (p *Core) Clear() {
	if p.N == 0 {
		return
	}
	if p.Rare.On().OnRemove != nil {
		p.clearHooked()
		return
	}
	if p.Truncate == TruncateMemory {
		p.dropSpares(0, math.MaxInt)
	}
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		if l := p.Rare.Recorder(); l != nil {
			l.NoteAll(k, b.Occ)
		}
		// Vacant values are zero, so many short runs of small values are cleared as one.
		whole := !poison.On && p.Kind.Size <= 64 && b.Occ|b.Free == math.MaxUint64 &&
			bits.OnesCount64(b.Occ&^(b.Occ<<1)) > 8
		if whole {
			p.Kind.clear(valsOf(b), BlockSlots)
		}
		for w := b.Occ; w != 0 && !whole; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			p.Kind.vacateRun(p.Kind.val(b, i), n)
		}
		occ := b.Occ
		for w := occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			if b.Gens[i]++; b.Gens[i] == p.Base {
				p.Rarely().Retired++
				occ &^= 1 << i
			}
		}
		b.Occ = 0
		if occ != 0 {
			p.free(b, k, occ)
		}
		if p.Truncate != TruncateNever {
			p.Live.Remove(k)
			if c := k >> p.Shift; !p.chunkLives(c) {
				p.setSpare(c, true)
				if p.Truncate == TruncateMemory {
					p.dropWorn(c)
				}
			}
		}
	}
	p.Ended += uint64(p.N)
	p.N = 0
	for _, c := range p.Rare.Tables() {
		c.Cleared()
	}
	p.Changed()
}

// Inserted calls OnInsert for the value v of h, and removes the value if OnInsert panics.
func (p *Core) Inserted(h ID, v Ref) {
	f := p.Rare.On().OnInsert
	if f == nil {
		return
	}
	done := false
	defer func() {
		if !done && p.Ptr(h) != nil {
			p.close(h)
		}
	}()
	f(h, v)
	done = true
}

// clearHooked removes each value that exists when it begins, and keeps their memory meanwhile.
func (p *Core) clearHooked() {
	if p.Truncate == TruncateMemory {
		p.dropSpares(0, p.Chunks)
	}
	r := p.Rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may call Clear again
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		for w := b.Occ; w != 0; w &= w - 1 {
			hs = append(hs, p.ID(b, k, bits.TrailingZeros64(w)))
		}
	}
	p.beginClear()
	defer func() {
		if p.endClear(); r.Clears == 0 {
			r.clearing = hs[:0]
		}
	}()
	for _, h := range hs {
		p.Delete(h)
	}
}

// SetHooks is that of a Pool.
//
//go:noinline
func (p *Core) SetHooks(hs Hooks) {
	p.Ready(0)
	p.Rarely().hooks = hs
	p.Hooked = hs.OnInsert != nil || hs.OnRemove != nil
	p.SetMax(p.Max)
}

// beginClear makes p keep its memory until endClear.
func (p *Core) beginClear() {
	r := p.Rarely()
	if r.Clears == 0 {
		r.after = p.Truncate
		p.Truncate = max(p.Truncate, TruncateLength)
	}
	r.Clears++
}

func (p *Core) endClear() {
	if p.Rare.Clears--; p.Rare.Clears == 0 {
		p.Truncate = p.Rare.after
	}
}
