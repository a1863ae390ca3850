package world

import (
	"iter"

	"github.com/seed505807e1/berth"
)

type poolBox struct{ p *berth.Pool[Thing] }

func newPoolBox(seed uint32) box {
	return poolBox{berth.NewPool[Thing](berth.Config{Seed: seed})}
}

func poolHandle(h uint64) berth.Handle[Thing] { return berth.HandleFromUint64[Thing](h) }

// pass uses spans. The loop removes only the value that it is at.
func (b poolBox) pass(s *stage) {
	for span, at := b.p.Span(0); span != nil; span, at = b.p.Span(at) {
		for i := range span {
			switch h, _ := b.p.At(at - len(span) + i); s.move(&span[i]) {
			case gone:
				b.p.Remove(h)
			case noted:
				s.note(&span[i], h.Uint64())
			}
		}
	}
}

func (b poolBox) home(s *stage) {
	for i := range s.missiles {
		h := poolHandle(s.missiles[i].h)
		t := b.p.Ptr(h)
		if !s.home(t, b.p.Ptr(poolHandle(t.target))) {
			b.p.Remove(h)
		}
	}
}

func (b poolBox) bury(s *stage) {
	for i := range s.enemies {
		h := poolHandle(s.enemies[i].h)
		if s.dead(b.p.Ptr(h)) {
			b.p.Remove(h)
		}
	}
}

func (b poolBox) insert(born []Thing) {
	for i := range born {
		b.p.Insert(born[i])
	}
}

func (b poolBox) cull(s *stage) {
	for h, t := range b.p.All() {
		if s.doomed(t) {
			b.p.Remove(h)
		}
	}
}

func (b poolBox) worn() bool            { return false }
func (b poolBox) len() int              { return b.p.Len() }
func (b poolBox) put(t Thing) uint64    { return b.p.Insert(t).Uint64() }
func (b poolBox) at(h uint64) *Thing    { return b.p.Ptr(poolHandle(h)) }
func (b poolBox) all() iter.Seq[*Thing] { return b.p.Values() }
func (b poolBox) say(h uint64) string   { return poolHandle(h).String() }

func (b poolBox) fate(h uint64) string {
	if h == 0 {
		return ""
	}
	for g := range b.p.All() {
		// The indices of two handles differ as their slots do.
		slot := b.p.IndexOf(g) + int(int32(uint32(h)-uint32(g.Uint64())))
		if _, v := b.p.At(slot); v != nil {
			return slotTaken
		}
		break
	}
	return slotVacant
}

func (b poolBox) memory(f *Figures) {
	s := b.p.Stats()
	f.Bytes, f.Chunks = s.Bytes, s.Chunks
	f.Live, f.Vacant, f.Retired = s.Live, s.Vacant, s.Retired
	f.Slots = s.Live + s.Vacant
}

func (b poolBox) slots(words []berth.Slots) ([]berth.Slots, [3]int) {
	for w := range b.p.Slots() {
		words = append(words, w)
	}
	return words, [3]int{}
}
