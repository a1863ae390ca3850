package world

import (
	"iter"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/seed505807e1/berth"
)

type mapBox struct {
	m    map[uint64]*Thing
	last uint64 // the last key; keys are not reused
	most int    // the maximum number of entries
}

func (b *mapBox) pass(s *stage) {
	for h, t := range b.m {
		switch s.move(t) {
		case gone:
			delete(b.m, h)
		case noted:
			s.note(t, h)
		}
	}
}

func (b *mapBox) home(s *stage) {
	for i := range s.missiles {
		h := s.missiles[i].h
		t := b.m[h]
		if !s.home(t, b.m[t.target]) {
			delete(b.m, h)
		}
	}
}

func (b *mapBox) bury(s *stage) {
	for i := range s.enemies {
		if h := s.enemies[i].h; s.dead(b.m[h]) {
			delete(b.m, h)
		}
	}
}

func (b *mapBox) insert(born []Thing) {
	for i := range born {
		b.put(born[i])
	}
}

func (b *mapBox) cull(s *stage) {
	for h, t := range b.m {
		if s.doomed(t) {
			delete(b.m, h)
		}
	}
}

func (b *mapBox) worn() bool          { return false }
func (b *mapBox) len() int            { return len(b.m) }
func (b *mapBox) at(h uint64) *Thing  { return b.m[h] }
func (b *mapBox) say(h uint64) string { return strconv.FormatUint(h, 10) }

func (b *mapBox) put(t Thing) uint64 {
	b.last++
	b.m[b.last] = &t
	b.most = max(b.most, len(b.m))
	return b.last
}

func (b *mapBox) all() iter.Seq[*Thing] {
	return func(yield func(*Thing) bool) {
		for _, t := range b.m {
			if !yield(t) {
				return
			}
		}
	}
}

// fate returns "", since keys have no slots.
func (b *mapBox) fate(uint64) string { return "" }

// memory is computed, since a map does not expose it: for the maximum number of entries, tables of
// up to 1024 entries each, of which at most seven in eight are used, and an allocation for each
// value.
func (b *mapBox) memory(f *Figures) {
	const (
		group  = 8 * int(1+8+unsafe.Sizeof(b)) // for 8 entries: control, key and pointer
		header = 32 + 8                        // of a table, and the pointer to it
		most   = 1024
		value  = (unsafe.Sizeof(Thing{}) + 15) &^ 15 // the size class
	)
	slots := 8
	if b.most > 8 {
		slots = 1 << bits.Len(uint((b.most*8-1)/7))
	}
	tables := max(1, slots/most)
	f.Live = len(b.m)
	f.Slots = slots
	f.Vacant = slots - f.Live
	f.Chunks = tables + f.Live
	f.Bytes = slots/8*group + tables*header + f.Live*int(value)
}

// slots returns none, since a map does not expose the positions of its entries.
func (b *mapBox) slots(words []berth.Slots) ([]berth.Slots, [3]int) { return words, [3]int{} }
