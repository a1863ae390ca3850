package slots

import (
	"github.com/seed505807e1/berth/internal/poison"
)

// A slot whose handle is reserved is neither live nor vacant, and its generation is even and not
// Base. A slot that is used up has that one, so the first reservation of a new slot leaves a
// generation out. Frames of a History and saved bytes have all of it, except the number.

// SetReserves sets the number of reserved handles. Limit counts them.
func (p *Core) SetReserves(n int) {
	if was := p.Rare.Reserves(); was != n {
		p.Rarely().Reserved = n
		p.SetMax(p.Max + was - n)
	}
}

// ReserveSlot takes the lowest vacant slot, and returns the handle of the value that will be there.
// It returns the zero handle if there is no slot.
//
//go:noinline
func (p *Core) ReserveSlot() ID {
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return ID{}
	}
	k := p.Room.Low
	b, i := p.take(k)
	if b.Gens[i] == p.Base {
		b.Gens[i] += 2
	}
	if poison.On {
		p.Kind.vacate(p.Kind.val(b, i))
	}
	p.setSpare(k>>p.Shift, false)
	p.SetReserves(p.Rare.Reserves() + 1)
	p.Changed()
	return ID{p.Salt + uint32(k<<6+i), b.Gens[i] + 1}
}

// unreserve gives slot i of block b, which is block k, to the caller if its handle h is reserved.
// The slot is noted, and neither live nor vacant. Otherwise unreserve returns nil.
func (p *Core) unreserve(h ID) (b *Head, k, i int) {
	s := h.Index - p.Salt
	k, i = int(s>>6), int(s&63)
	if p.Rare.Reserves() == 0 || k >= len(p.Dir) || p.Dir[k] == nil {
		return nil, 0, 0
	}
	b = p.Dir[k]
	if (b.Occ|b.Free)>>i&1 != 0 || b.Gens[i] == p.Base || b.Gens[i]+1 != h.Gen ||
		p.isBuilding(s) {
		return nil, 0, 0
	}
	if l := p.Rare.Recorder(); l != nil {
		l.NoteReserved(k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	p.SetReserves(p.Rare.Reserved - 1)
	return b, k, i
}

// FillSlot makes the slot of h live if h is reserved, with a zero value, and returns it. Otherwise
// it returns nil.
//
//go:noinline
func (p *Core) FillSlot(h ID) Ref {
	b, k, i := p.unreserve(h)
	if b == nil {
		return nil
	}
	p.occupy(b, k, i)
	return p.Kind.val(b, i)
}

// CancelSlot makes the slot of h vacant if h is reserved, and reports whether it was.
//
//go:noinline
func (p *Core) CancelSlot(h ID) bool {
	b, k, i := p.unreserve(h)
	if b == nil {
		return false
	}
	p.abandon(b, k, i)
	p.left(k >> p.Shift)
	p.Changed()
	return true
}
