package world

import (
	"iter"

	"github.com/seed505807e1/berth"
)

type denseBox struct{ d *berth.Dense[Thing] }

func newDenseBox(seed uint32) box {
	return denseBox{berth.NewDense[Thing](berth.DenseConfig{Seed: seed})}
}

// pass removes while it walks the slice. The holes stay until inserts fill them, or until the next
// call of Slice.
func (b denseBox) pass(s *stage) {
	things := b.d.Slice()
	for i := range things {
		switch h, _ := b.d.At(i); s.move(&things[i]) {
		case gone:
			b.d.Remove(h)
		case noted:
			s.note(&things[i], h.Uint64())
		}
	}
}

func (b denseBox) home(s *stage) {
	for i := range s.missiles {
		h := poolHandle(s.missiles[i].h)
		t := b.d.Ptr(h)
		if !s.home(t, b.d.Ptr(poolHandle(t.target))) {
			b.d.Remove(h)
		}
	}
}

func (b denseBox) bury(s *stage) {
	for i := range s.enemies {
		h := poolHandle(s.enemies[i].h)
		if s.dead(b.d.Ptr(h)) {
			b.d.Remove(h)
		}
	}
}

func (b denseBox) insert(born []Thing) {
	for i := range born {
		b.d.Insert(born[i])
	}
}

func (b denseBox) cull(s *stage) {
	things := b.d.Slice()
	for i := range things {
		if s.doomed(&things[i]) {
			h, _ := b.d.At(i)
			b.d.Remove(h)
		}
	}
}

func (b denseBox) worn() bool            { return false }
func (b denseBox) len() int              { return b.d.Len() }
func (b denseBox) put(t Thing) uint64    { return b.d.Insert(t).Uint64() }
func (b denseBox) at(h uint64) *Thing    { return b.d.Ptr(poolHandle(h)) }
func (b denseBox) all() iter.Seq[*Thing] { return b.d.Values() }
func (b denseBox) say(h uint64) string   { return poolHandle(h).String() }

// fate returns "", since a Dense does not expose the current handle of a slot.
func (b denseBox) fate(uint64) string { return "" }

func (b denseBox) memory(f *Figures) {
	s := b.d.Stats()
	f.Bytes, f.Chunks = s.Bytes, s.Chunks
	f.Live, f.Vacant, f.Retired = s.Live, s.Vacant, s.Retired
	f.Slots = s.Live + s.Vacant
}

// slots returns the positions of values; holes among them are vacant.
func (b denseBox) slots(words []berth.Slots) ([]berth.Slots, [3]int) {
	return appendSlots(words, b.d.Cap(), func(i int) bool {
		_, v := b.d.At(i)
		return v != nil
	}), [3]int{}
}
