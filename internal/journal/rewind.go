package journal

import (
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
)

// met is a page on the way through the frames.
type met[T any, S comparable] struct {
	page   int
	vals   []T
	states []S

	changed uint64 // slots whose states have changed
	imaged  uint64 // slots that are restored from an image
	words   Words
}

// past is what a page was, and what has happened to it since.
type past[S comparable] struct {
	found   bool // there was one
	over    bool // what comes next is of another page of that number
	touched uint64
	slots   uint64 // those whose states are known
	states  [pageSlots]S
}

// each calls noted and imaged with what was kept before each page that left, and left with that
// page, and at last noted and imaged with what was kept since.
func (f *frame[T, S]) each(
	noted func([]note[T, S]), imaged func([]record, []*image[T, S]), left func(k int),
) {
	n, m := 0, 0
	upTo := func(notes, images int) {
		noted(f.notes[n:notes])
		imaged(f.records[m:images], f.images[m:images])
		n, m = notes, images
	}
	for _, x := range f.left {
		upTo(x.notes, x.images)
		left(x.page)
	}
	upTo(len(f.notes), len(f.images))
}

// Rewind brings the slots and words of all pages back to the beginning of frame f, which must not
// be older than Oldest or later than Now. f becomes the current frame, and later ones are
// forgotten. l.Slots must already answer for the beginning of f. Each slot is written at most once.
func (l *Log[T, S]) Rewind(f uint64) {
	l.unlog()
	for g := f; g <= l.Now(); g++ {
		l.frames.At(g).each(l.restoreNotes, l.restoreImages, func(k int) { l.meet(k).kept = all })
	}
	for i := range l.met {
		m := &l.met[i]
		e := &l.pages[m.page]
		if e.touched|m.imaged != 0 {
			l.Restored(m.page, e.touched, m.changed, m.imaged, m.words)
		}
		if l.shadow != nil {
			l.shadeSlots(m.page, m.vals, e.kept)
		}
		*e = page{usual: e.usual}
	}
	clear(l.met)
	l.met = l.met[:0]
	for g := f + 1; g <= l.Now(); g++ {
		l.empty(l.frames.At(g), 0)
	}
	l.frames.Back(f)
	l.cur = l.frames.At(f)
	l.empty(l.cur, l.cur.early)
	for i := range l.cur.records {
		r := &l.cur.records[i]
		e := &l.pages[r.page]
		e.image, e.kept = uint32(i+1), r.slots()
		l.changed[r.page/64] |= 1 << (r.page % 64)
	}
}

// restoreNotes brings those slots back that have a note, and are not restored yet. Those of a page
// that are restored, or need not be, are kept, and those from a note are touched.
func (l *Log[T, S]) restoreNotes(notes []note[T, S]) {
	for i := range notes {
		n := &notes[i]
		k, slot := int(n.at/pageSlots), n.at%pageSlots
		e, bit := &l.pages[k], uint64(1)<<slot
		if e.met == 0 {
			e = l.meet(k)
		}
		m := &l.met[e.met-1] // loaded before a branch that is often mispredicted
		if e.kept&bit != 0 {
			continue
		}
		e.kept |= bit
		e.touched |= bit
		m.vals[slot] = n.val
		if m.states[slot] != n.state {
			m.states[slot] = n.state
			m.changed |= bit
		}
	}
}

// restoreImages brings those slots back that an image has, and that are not restored yet.
func (l *Log[T, S]) restoreImages(records []record, images []*image[T, S]) {
	for i := range records {
		r := &records[i]
		e := &l.pages[r.page]
		if e.met == 0 {
			e = l.meet(int(r.page))
		}
		slots := r.slots() &^ e.kept
		if slots == 0 {
			continue
		}
		e.kept |= slots
		m := &l.met[e.met-1]
		copySlots(m.vals, images[i].vals[:], slots)
		copySlots(m.states, images[i].states[:], slots)
		m.imaged |= slots
		for i, w := range r.words {
			m.words[i] |= w & slots
		}
	}
}

// meet finds page k for Rewind.
func (l *Log[T, S]) meet(k int) *page {
	if l.pages[k].met == 0 {
		vals, states, _ := l.Slots(k) // may call Grow
		if len(l.met) == cap(l.met) {
			l.met = slices.Grow(l.met, 1)
		}
		l.met = l.met[:len(l.met)+1]
		m := &l.met[len(l.met)-1]
		m.page, m.vals, m.states = k, vals, states[:len(vals)]
		l.pages[k].met = uint32(len(l.met))
		l.pages[k].kept = ^(1<<len(vals) - 1)
	}
	return &l.pages[k]
}

// copySlots copies the given slots that both have.
func copySlots[T any](dst, src []T, slots uint64) {
	slots &= 1<<min(len(dst), len(src)) - 1
	for w := slots; w != 0; {
		i, n := bitset.Run(w)
		w &= bitset.Beyond(i + n)
		copy(dst[i:i+n], src[i:])
	}
}

// Since calls visit for each page that was touched since the beginning of frame f, lowest first. If
// there was a page of that number at the time, states holds the states that its slots had then, and
// touched the slots that may have changed since. Otherwise states is nil, and the slots were
// vacant. l.Slots must answer for the beginning of f.
func (l *Log[T, S]) Since(
	f uint64, visit func(k int, touched uint64, states *[pageSlots]S),
) {
	l.sync()
	for g := f; g <= l.Now(); g++ {
		l.frames.At(g).each(l.recallNotes, l.recallImages, func(k int) { l.recall(k).over = true })
	}
	for k := range l.pages {
		e := &l.pages[k]
		if e.met == 0 {
			continue
		}
		p := &l.past[e.met-1]
		if e.met = 0; p.found {
			visit(k, p.touched, &p.states)
		} else {
			visit(k, 0, nil)
		}
	}
	clear(l.past)
	l.past = l.past[:0]
}

// recallNotes finds the states of slots that have a note, and are not known yet.
func (l *Log[T, S]) recallNotes(notes []note[T, S]) {
	for i := range notes {
		n := &notes[i]
		p, slot := l.recall(int(n.at/pageSlots)), n.at%pageSlots
		if p.over {
			continue
		}
		bit := uint64(1) << slot
		if p.touched |= bit; p.slots&bit == 0 {
			p.slots |= bit
			p.states[slot] = n.state
		}
	}
}

// recallImages finds the states of slots that an image has, and that are not known yet.
func (l *Log[T, S]) recallImages(records []record, images []*image[T, S]) {
	for i := range records {
		r := &records[i]
		p := l.recall(int(r.page))
		if p.over {
			continue
		}
		copySlots(p.states[:], images[i].states[:], r.slots()&^p.slots)
		p.slots |= r.slots()
		p.touched |= r.touched
	}
}

// recall finds page k for Since.
func (l *Log[T, S]) recall(k int) *past[S] {
	e := &l.pages[k]
	if e.met == 0 {
		_, now, _ := l.Slots(k)
		p := past[S]{found: now != nil, over: now == nil}
		copy(p.states[:], now)
		l.past = append(l.past, p)
		e.met = uint32(len(l.past))
	}
	return &l.past[e.met-1]
}
