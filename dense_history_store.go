package berth

import (
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// denseLog records the changes of a Dense for its History. It has two journals: a poolLog of the
// index, and one of the places, whose states are the owners, and whose pages are numbers. So a
// value that moves changes two places and a slot of the index. Which values were edited is recorded
// by slot, apart from both.
//
// The functions that change a place call note before they do so, those that move a value call
// moving, and those that replace the contents of the whole Dense call forgetFrames afterwards.
type denseLog[T any] struct {
	d       *Dense[T]
	compare bool
	index   *poolLog[uint32]
	log     *journal.Log[T, id, int]
	heads   journal.Ring[denseHead]

	covered int // pages that log is ready for

	edits []uint64 // by block of the index: the slots whose values were edited in the frame
	marks []uint64 // memory of changes
}

// denseHead is what a Dense has beside its places and its index, as it was when a frame began.
type denseHead struct {
	places, holes, reserve int
	grown, released        uint64
	hole                   uint32

	edited []uint32 // slots whose values were edited in the frame
}

// newDenseLog makes d record its changes.
func newDenseLog[T any](fn string, d *Dense[T], c HistoryConfig) *denseLog[T] {
	l := &denseLog[T]{d: d, compare: c.Compare, heads: journal.NewRing[denseHead](c.Frames)}
	l.index = newPoolLog(fn, poolOf(&d.index), HistoryConfig{Frames: c.Frames})
	var live func(id) bool
	if c.Compare || invariants.On {
		live = func(h id) bool { return h.gen&1 != 0 }
	}
	l.log = journal.NewLog[T, id, int](c.Frames, live)
	l.cover()
	l.save(l.heads.At(1))
	l.index.inner = true
	denseOf(d).rarely().placesRecorded = l
	for _, c := range d.rare.beside {
		c.record(l.settings())
	}
	return l
}

// settings returns the number of the current frame, and how the History was made.
func (l *denseLog[T]) settings() (now uint64, c HistoryConfig) {
	return l.log.Now(), HistoryConfig{Frames: l.index.frames, Compare: l.compare}
}

// pages returns the number of pages that n places take.
func pages(n int) int { return (n + blockSlots - 1) / blockSlots }

// cover makes the journal ready for the present places.
func (l *denseLog[T]) cover() {
	n := pages(cap(l.d.vals))
	l.log.Grow(n)
	for ; l.covered < n; l.covered++ {
		vals, _ := l.Slots(l.covered, l.covered)
		l.log.Cover(l.covered, vals)
	}
}

// note records place i before it changes.
func (l *denseLog[T]) note(i int) {
	k := i / blockSlots
	if k >= l.covered {
		l.cover()
	}
	v, h := &l.d.vals[:i+1][i], l.d.owner[:i+1][i]
	if l.log.Note(k, k, i%blockSlots, v, h) {
		l.image(k, 0)
	}
}

// image records all places of page k.
func (l *denseLog[T]) image(k int, slots uint64) {
	vals, owner := l.Slots(k, k)
	l.log.Image(k, k, journal.Words{}, slots, vals, owner)
}

// noteRange records the places from first to before end, before they change.
func (l *denseLog[T]) noteRange(first, end int) {
	if pages(end) > l.covered {
		l.cover()
	}
	for i := first; i < end; {
		k := i / blockSlots
		next := min((k+1)*blockSlots, end)
		if next-i > few {
			n := next - i
			l.image(k, (1<<n-1)<<(i%blockSlots))
			i = next
			continue
		}
		for ; i < next; i++ {
			l.note(i)
		}
	}
}

// moving records what changes when the value at place i moves to place k. With Compare, it also
// records whether the value was written to, since its shadow stays behind.
func (l *denseLog[T]) moving(i, k int) {
	l.note(k)
	l.noteSlot(l.d.owner[i])
	if l.compare {
		if p := i / blockSlots; p < l.covered {
			vals, _ := l.Slots(p, p)
			l.found("", p, l.log.Differs(p, vals, 1<<(i%blockSlots)))
		}
		l.log.SetShadow(k/blockSlots, k%blockSlots, &l.d.vals[i])
	}
}

// movingAll records what changes when the value at place from(i) moves to place i, for all i below
// n where from is not i.
func (l *denseLog[T]) movingAll(n int, from func(i int) int) {
	if l.compare {
		l.find("")
	}
	for i := range n {
		if k := from(i); k != i {
			l.note(i)
			l.noteSlot(l.d.owner[k])
		}
	}
	for i := range n {
		if k := from(i); k != i && l.compare {
			l.log.SetShadow(i/blockSlots, i%blockSlots, &l.d.vals[k])
		}
	}
}

// closingUp records what changes when all values move together in their order, and all holes go.
func (l *denseLog[T]) closingUp() {
	from := make([]int, 0, l.d.index.n)
	for i, h := range l.d.owner {
		if h.gen&1 != 0 {
			from = append(from, i)
		}
	}
	l.movingAll(len(from), func(i int) int { return from[i] })
	l.noteRange(len(from), len(l.d.vals))
}

// stayed takes back what closingUp has said of the shadow.
func (l *denseLog[T]) stayed() {
	if l.compare {
		for k := range pages(len(l.d.vals)) {
			vals, _ := l.Slots(k, k)
			l.log.Cover(k, vals)
		}
	}
}

// noteSlot records the slot of h, which is live, before the place in it changes.
func (l *denseLog[T]) noteSlot(h id) {
	b, s := l.d.index.look().find(h)
	l.index.note(b, int(s>>6), int(s&63))
}

// edit records that the value of slot s, at place i, may be written to.
func (l *denseLog[T]) edit(s uint32, i int) {
	l.markEdited(s)
	l.note(i)
}

// markEdited records that the value of slot s was edited.
func (l *denseLog[T]) markEdited(s uint32) {
	if int(s>>6) >= len(l.edits) {
		l.edits = extend(l.edits, len(l.d.index.dir))
	}
	if w := &l.edits[s>>6]; *w>>(s&63)&1 == 0 {
		*w |= 1 << (s & 63)
		h := l.heads.At(l.log.Now())
		h.edited = append(h.edited, s)
	}
}

// editAt is edit for the value of h, which is live.
func (l *denseLog[T]) editAt(h Handle[T]) {
	s := h.index - l.d.index.salt
	if k := int(s >> 6); k >= len(l.edits) || l.edits[k]>>(s&63)&1 == 0 {
		l.edit(s, l.d.PlaceOf(h))
	}
}

// editRun is edit for n values from place i on, which are all live.
func (l *denseLog[T]) editRun(i, n int) {
	l.noteRange(i, i+n)
	for _, h := range l.d.owner[i : i+n] {
		l.markEdited(h.index - l.d.index.salt)
	}
}

// find records the values that were written to without Edit. Without Compare, and with the tag
// berth_invariants, it panics if there is one.
func (l *denseLog[T]) find(fn string) {
	if !l.compare && !invariants.On {
		return
	}
	d := l.d
	if !l.compare {
		l.index.find(fn)
	}
	for _, c := range d.rare.beside {
		c.find(fn)
	}
	if pages(len(d.vals)) > l.covered {
		l.cover()
	}
	for k := range pages(len(d.vals)) {
		first := k * blockSlots
		last := min(first+blockSlots, len(d.vals))
		var live uint64
		for i, h := range d.owner[first:last] {
			live |= uint64(h.gen&1) << i
		}
		l.found(fn, k, l.log.Differs(k, d.vals[first:last], live))
	}
}

// found records that the values at those slots of page k differ from the shadow.
func (l *denseLog[T]) found(fn string, k int, slots uint64) {
	if !l.compare {
		slots &^= l.log.LoggedSlots(k)
	}
	for w := slots; w != 0; w &= w - 1 {
		i := k*blockSlots + bits.TrailingZeros64(w)
		if !l.compare {
			panicUnrecorded(fn, Handle[T]{id: l.d.owner[i]})
		}
		l.edit(l.d.owner[i].index-l.d.index.salt, i)
	}
}

// mark ends the frame, and returns the number of the next one.
func (l *denseLog[T]) mark() uint64 {
	l.endEdits(l.heads.At(l.log.Now()))
	l.index.mark()
	for _, c := range l.d.rare.beside {
		c.mark()
	}
	l.log.Mark(l)
	h := l.heads.Next()
	h.edited = h.edited[:0]
	l.save(h)
	return l.log.Now()
}

// endEdits ends the edits of the current frame, whose head is h. The list of them stays.
func (l *denseLog[T]) endEdits(h *denseHead) {
	for _, s := range h.edited {
		l.edits[s>>6] = 0
	}
}

// save makes h the state of the Dense.
func (l *denseLog[T]) save(h *denseHead) {
	d := l.d
	h.places, h.hole, h.holes, h.reserve = len(d.vals), d.hole, d.holes, d.reserve
	h.grown, h.released = d.grown, d.released
}

// rewind makes the Dense what it was when frame f began. It returns an error, and changes nothing,
// if Memory refuses.
func (l *denseLog[T]) rewind(f uint64) error {
	d, h := l.d, l.heads.At(f)
	if h.places > cap(d.vals) && !denseOf(d).setCap(h.places) {
		return d.index.supply.why()
	}
	lookDense(d).checkLeft()
	l.cover()
	l.endEdits(l.heads.At(l.log.Now()))
	for g := f; g <= l.log.Now(); g++ {
		h := l.heads.At(g)
		h.edited = h.edited[:0]
	}
	l.log.Rewind(f, l)
	l.heads.Back(f)
	d.vals, d.owner = d.vals[:h.places], d.owner[:h.places]
	d.hole, d.holes, d.reserve = h.hole, h.holes, h.reserve
	d.grown, d.released = h.grown, h.released
	d.moves++
	d.emptied, d.loops = d.moves, 0 // loops cannot continue
	l.index.rewind(f)
	for _, c := range d.rare.beside {
		c.rewind(f)
	}
	lookDense(d).changed()
	return nil
}

// changes appends the changes since the beginning of frame f to list, in the order of slots.
func (l *denseLog[T]) changes(f uint64, list []changeOf[uint32]) []changeOf[uint32] {
	p := &l.d.index
	l.marks = extend(l.marks, len(l.edits))
	for g := f; g <= l.log.Now(); g++ {
		for _, s := range l.heads.At(g).edited {
			l.marks[s>>6] |= 1 << (s & 63)
		}
	}
	list = l.index.changes(f, list, false)
	for _, x := range list {
		if s := x.h.index - p.salt; int(s>>6) < len(l.marks) {
			l.marks[s>>6] &^= 1 << (s & 63)
		}
	}
	for k := range min(len(l.marks), len(p.dir)) {
		b := p.dir[k]
		if b == nil {
			continue
		}
		for w := l.marks[k] & b.occ; w != 0; w &= w - 1 {
			h := look(l.index.p).id(&b.head, k, bits.TrailingZeros64(w))
			list = append(list, changeOf[uint32]{Handle[uint32]{id: h}, Edited})
		}
	}
	clear(l.marks)
	slices.SortStableFunc(list, func(a, b changeOf[uint32]) int {
		return int(int64(a.h.index-p.salt) - int64(b.h.index-p.salt))
	})
	return list
}

// clip releases the memory that no frame needs. The index is clipped on its own.
func (l *denseLog[T]) clip() {
	l.log.Clip(pages(cap(l.d.vals)))
	l.covered = min(l.covered, l.log.Len())
	blocks := 0
	l.heads.Clip(func(h *denseHead) {
		h.edited = slices.Clone(h.edited)
		for _, s := range h.edited {
			blocks = max(blocks, int(s>>6)+1)
		}
	})
	l.edits, l.marks = slices.Clone(l.edits[:blocks]), nil
}

// close ends the recording.
func (l *denseLog[T]) close() {
	l.index.close()
	l.d.rare.placesRecorded = nil
	for _, c := range l.d.rare.beside {
		c.forget()
	}
}

// replaced makes the present state of the Dense and its index the beginning of a new frame, and
// forgets all others.
func (l *denseLog[T]) replaced() {
	l.endEdits(l.heads.At(l.log.Now()))
	l.log.Forget()
	l.covered = 0
	l.cover()
	h := l.heads.Restart()
	h.edited = h.edited[:0]
	l.save(h)
	l.index.forget()
}

// Ref implements [journal.Pages].
func (l *denseLog[T]) Ref(k int) int { return k }

// Slots implements [journal.Pages].
func (l *denseLog[T]) Slots(k, _ int) ([]T, []id) {
	n := cap(l.d.vals)
	first, last := min(k*blockSlots, n), min((k+1)*blockSlots, n)
	return l.d.vals[:n][first:last], l.d.owner[:n][first:last]
}

// Restored implements [journal.Pages].
func (l *denseLog[T]) Restored(int, int, uint64, uint64, journal.Words) {}
