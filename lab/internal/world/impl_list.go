package world

import (
	"iter"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

type listBox struct {
	l    *stable.List[Thing]
	room int // slots with memory
	// given counts identifiers. A list issues each of its 2^32 once, and then rejects inserts.
	given uint64
}

const enoughGiven = 1 << 31

func newListBox(seed uint32) box {
	return &listBox{l: stable.New[Thing](stable.Config{
		Seed: seed, Truncate: berth.TruncateMemory, Placement: stable.Quartered,
	})}
}

type listKey = stable.ListKey[Thing]

// uint64OfKey combines both halves of a key.
func uint64OfKey(k listKey) uint64 { return uint64(k.ID())<<32 | uint64(k.Index()) }

// key returns the key with the index of h, or the zero Key if its value is gone.
func (b *listBox) key(h uint64) listKey {
	if k, _ := b.l.At(uint32(h)); uint64(k.ID()) == h>>32 {
		return k
	}
	return listKey{}
}

// pass does not use spans, since a removal may release memory and invalidate a span.
func (b *listBox) pass(s *stage) {
	for k, t := range b.l.All() {
		switch s.move(t) {
		case gone:
			b.l.Remove(k)
		case noted:
			s.note(t, uint64OfKey(k))
		}
	}
}

func (b *listBox) home(s *stage) {
	for i := range s.missiles {
		k := b.key(s.missiles[i].h)
		t := b.l.Ptr(k)
		if !s.home(t, b.l.Ptr(b.key(t.target))) {
			b.l.Remove(k)
		}
	}
}

func (b *listBox) bury(s *stage) {
	for i := range s.enemies {
		k := b.key(s.enemies[i].h)
		if s.dead(b.l.Ptr(k)) {
			b.l.Remove(k)
		}
	}
	b.follow()
}

func (b *listBox) insert(born []Thing) {
	for i := range born {
		b.l.Insert(born[i])
	}
	b.given += uint64(len(born))
	b.follow()
}

func (b *listBox) cull(s *stage) {
	for k, t := range b.l.All() {
		if s.doomed(t) {
			b.l.Remove(k)
		}
	}
	b.follow()
}

// follow updates room. The list does not expose its memory beyond Cap, but its rule is known: as
// much as it needs when it grows, and twice its length when it truncates. So follow must be called
// between inserts and removals.
func (b *listBox) follow() {
	size := b.l.Cap()
	b.room = min(max(b.room, size), 2*size)
}

func (b *listBox) worn() bool            { return b.given >= enoughGiven }
func (b *listBox) len() int              { return b.l.Len() }
func (b *listBox) at(h uint64) *Thing    { return b.l.Ptr(b.key(h)) }
func (b *listBox) all() iter.Seq[*Thing] { return b.l.Values() }

func (b *listBox) put(t Thing) uint64 {
	h := uint64OfKey(b.l.Insert(t))
	b.given++
	b.follow()
	return h
}

// say formats h as Key.String formats a key.
func (b *listBox) say(h uint64) string { return indexed(uint32(h), uint32(h>>32)) }

func (b *listBox) fate(h uint64) string {
	_, v := b.l.At(uint32(h))
	switch {
	case h == 0:
		return ""
	case v == nil:
		return slotVacant
	}
	return slotTaken
}

// memory counts the parts of a slot: an identifier, a value, and a link to the next vacant one.
func (b *listBox) memory(f *Figures) {
	perSlot := int(unsafe.Sizeof(Thing{}) + unsafe.Sizeof(stable.Counter32(0)) + 4)
	f.Bytes = int(unsafe.Sizeof(*b.l)) + b.room*perSlot
	f.Live = b.l.Stats().Live
	f.Vacant = b.l.Cap() - f.Live
	f.Slots = b.l.Cap()
	if b.room > 0 {
		f.Chunks = 3 // one for each of these
	}
}

// slots returns the slots up to Cap, with borders at a quarter, a half and all of it.
func (b *listBox) slots(words []berth.Slots) ([]berth.Slots, [3]int) {
	size := b.l.Cap()
	return appendSlots(words, size, func(i int) bool {
		_, v := b.l.At(uint32(i))
		return v != nil
	}), [3]int{size / 4, size / 2, size}
}
