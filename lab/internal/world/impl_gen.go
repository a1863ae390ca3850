package world

import (
	"iter"
	"strconv"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/genpool"
)

type genBox struct {
	p    genpool.Pool[Thing]
	most int // the maximum of vacant slots at a time
}

func genHandle(h uint64) genpool.Handle {
	return genpool.Handle{Index: uint32(h), Gen: uint32(h >> 32)}
}

func uint64OfGen(h genpool.Handle) uint64 { return uint64(h.Gen)<<32 | uint64(h.Index) }

func (b *genBox) pass(s *stage) {
	for i := range b.p.Slots {
		slot := &b.p.Slots[i]
		if slot.Gen&1 == 0 {
			continue
		}
		h := genpool.Handle{Index: uint32(i), Gen: slot.Gen}
		switch s.move(&slot.Val) {
		case gone:
			b.p.Remove(h)
		case noted:
			s.note(&slot.Val, uint64OfGen(h))
		}
	}
}

func (b *genBox) home(s *stage) {
	for i := range s.missiles {
		h := genHandle(s.missiles[i].h)
		t := b.p.Ptr(h)
		if !s.home(t, b.p.Ptr(genHandle(t.target))) {
			b.p.Remove(h)
		}
	}
}

func (b *genBox) bury(s *stage) {
	for i := range s.enemies {
		h := genHandle(s.enemies[i].h)
		if s.dead(b.p.Ptr(h)) {
			b.p.Remove(h)
		}
	}
	b.follow()
}

func (b *genBox) insert(born []Thing) {
	for i := range born {
		b.p.Insert(born[i])
	}
}

func (b *genBox) cull(s *stage) {
	for i := range b.p.Slots {
		slot := &b.p.Slots[i]
		if slot.Gen&1 != 0 && s.doomed(&slot.Val) {
			b.p.Remove(genpool.Handle{Index: uint32(i), Gen: slot.Gen})
		}
	}
	b.follow()
}

// follow updates most; call it after removals.
func (b *genBox) follow() { b.most = max(b.most, len(b.p.Slots)-b.p.Len()) }

func (b *genBox) worn() bool          { return false }
func (b *genBox) len() int            { return b.p.Len() }
func (b *genBox) put(t Thing) uint64  { return uint64OfGen(b.p.Insert(t)) }
func (b *genBox) at(h uint64) *Thing  { return b.p.Ptr(genHandle(h)) }
func (b *genBox) say(h uint64) string { return indexed(uint32(h), uint32(h>>32)) }

// indexed formats a handle of two halves.
func indexed(index, of uint32) string {
	return strconv.FormatUint(uint64(index), 10) + ":" + strconv.FormatUint(uint64(of), 10)
}

func (b *genBox) all() iter.Seq[*Thing] {
	return func(yield func(*Thing) bool) {
		for i := range b.p.Slots {
			if slot := &b.p.Slots[i]; slot.Gen&1 != 0 && !yield(&slot.Val) {
				return
			}
		}
	}
}

func (b *genBox) fate(h uint64) string {
	switch i := uint64(uint32(h)); {
	case h == 0 || i >= uint64(len(b.p.Slots)):
		return ""
	case b.p.Slots[i].Gen&1 == 0:
		return slotVacant
	}
	return slotTaken
}

// memory counts the slice of slots, and the stack of vacant slots at its maximum, since the pool
// does not expose its capacity.
func (b *genBox) memory(f *Figures) {
	f.Live, f.Slots = b.p.Len(), cap(b.p.Slots)
	f.Vacant = f.Slots - f.Live
	f.Bytes = int(unsafe.Sizeof(*b)) + f.Slots*int(unsafe.Sizeof(genpool.Slot[Thing]{})) + b.most*4
	f.Chunks = min(f.Slots, 1) + min(b.most, 1)
}

func (b *genBox) slots(words []berth.Slots) ([]berth.Slots, [3]int) {
	return appendSlots(words, cap(b.p.Slots), func(i int) bool {
		return i < len(b.p.Slots) && b.p.Slots[i].Gen&1 != 0
	}), [3]int{}
}
