package berth

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// placeLog records the changes of places, 64 of which are a page of its journal: those of a Dense,
// whose states are the owners, or those of a DenseColumn, which have none.
type placeLog[V any, S comparable] struct {
	logOf[V, S, nothing]
	vals   *[]V
	states *[]S
}

// nothing is a value or a state that needs no memory, or the reference to a page by its number.
type nothing = struct{}

// stateless returns a list with one for each place that there may be.
func stateless() *[]nothing {
	s := make([]nothing, math.MaxInt)
	return &s
}

func newPlaceLog[V any, S comparable](
	c HistoryConfig, vals *[]V, states *[]S, live func(S) bool,
) placeLog[V, S] {
	l := placeLog[V, S]{newLog[V, S, nothing](c, live), vals, states}
	l.cover()
	return l
}

// pages returns the number of pages that n places take.
func pages(n int) int { return (n + blockSlots - 1) / blockSlots }

// cover makes the journal ready for the present places. Those of a DenseColumn need it before they
// are written to.
func (l *placeLog[V, S]) cover() {
	k := l.log.Len()
	for l.log.Grow(pages(cap(*l.vals))); k < l.log.Len(); k++ {
		vals, _ := l.Slots(nothing{}, k)
		l.log.Cover(k, vals)
	}
}

// notePlace records place i before it changes.
func (l *placeLog[V, S]) notePlace(i int) {
	k := i / blockSlots
	if k >= l.log.Len() {
		l.cover()
	}
	if l.log.Note(k, nothing{}, i%blockSlots, &(*l.vals)[:i+1][i], (*l.states)[:i+1][i]) {
		vals, states := l.Slots(nothing{}, k)
		l.log.Image(k, nothing{}, journal.Words{}, 0, vals, states)
	}
}

// notePlaces records the places from first to before end, before they change.
func (l *placeLog[V, S]) notePlaces(first, end int) {
	if pages(end) > l.log.Len() {
		l.cover()
	}
	for i := first; i < end; {
		k := i / blockSlots
		n := min((k+1)*blockSlots, end) - i
		vals, states := l.Slots(nothing{}, k)
		slots := uint64(1<<n-1) << (i % blockSlots)
		l.log.NoteAll(k, nothing{}, journal.Words{}, slots, vals, states)
		i += n
	}
}

// found calls note for those of the given places of page k that were written to without Edit.
// Without Compare, it panics if there is one. owner has the handles by place.
func (l *placeLog[V, S]) found(fn string, owner []id, k int, slots uint64, note func(i int)) {
	vals, _ := l.Slots(nothing{}, k)
	for w := l.log.Differs(k, vals, slots); w != 0; w &= w - 1 {
		i := k*blockSlots + bits.TrailingZeros64(w)
		if !l.Compare {
			panicUnrecorded(fn, owner[i])
		}
		note(i)
	}
}

// restart forgets all frames, and begins one with the present places.
func (l *placeLog[V, S]) restart() {
	l.log.Forget()
	l.cover()
}

// clip releases the memory that no frame needs.
func (l *placeLog[V, S]) clip() { l.log.Clip(pages(cap(*l.vals))) }

// Ref implements [journal.Pages].
func (l *placeLog[V, S]) Ref(int) (page nothing) { return page }

// Slots implements [journal.Pages].
func (l *placeLog[V, S]) Slots(_ nothing, k int) ([]V, []S) {
	n := cap(*l.vals)
	first, last := min(k*blockSlots, n), min((k+1)*blockSlots, n)
	return (*l.vals)[:n][first:last], (*l.states)[:n][first:last]
}

// Restored implements [journal.Pages].
func (l *placeLog[V, S]) Restored(nothing, int, uint64, uint64, journal.Words) {}

// denseLog records the changes of a Dense for its History: in a poolLog those of the index, and in
// a placeLog those of the places. So a value that moves changes two places and a slot of the index.
// Which values were edited is a journal of its own, by slot, whose values are nothing.
//
// The functions that change a place call notePlace before they do so, those that move a value call
// moving, and those that replace the contents of the whole Dense call forgetFrames afterwards.
type denseLog[T any] struct {
	placeLog[T, id]
	d     *dense
	index *poolLog[uint32]
	edits placeLog[nothing, nothing] // whose places are the slots
}

// denseHead is what a Dense has beside its places and its index, as it was when a frame began.
type denseHead struct {
	places, holes, reserve int
	grown, released        uint64
	hole                   uint32
}

// newDenseLog makes d record its changes.
func newDenseLog[T any](fn string, d *Dense[T], c HistoryConfig) *denseLog[T] {
	l := &denseLog[T]{d: denseOf(d)}
	l.index = newPoolLog(fn, poolOf(&d.index), HistoryConfig{Frames: c.Frames})
	l.placeLog = newPlaceLog(c, &d.vals, &d.owner, func(h id) bool { return h.gen&1 != 0 })
	edits := newLog[nothing, nothing, nothing](c, nil)
	l.edits = placeLog[nothing, nothing]{edits, stateless(), stateless()}
	l.save()
	l.d.rarely().placesRecorded = l
	for _, c := range d.rare.beside {
		c.record(l.settings())
	}
	return l
}

// moving records what changes when the value at place i moves to place k. With Compare, it also
// records whether the value was written to, since its shadow stays behind.
func (l *denseLog[T]) moving(i, k int) {
	l.notePlace(k)
	l.noteSlot(i)
	if l.Compare {
		l.found("", l.d.owner, i/blockSlots, 1<<(i%blockSlots), l.edit)
		l.log.SetShadow(k/blockSlots, k%blockSlots, &(*l.vals)[i])
	}
}

// movingAll records what changes when the value at place from(i) moves to place i, for all i below
// n where from is not i.
func (l *denseLog[T]) movingAll(n int, from func(i int) int) {
	if l.Compare {
		l.find("")
	}
	for i := range n {
		if k := from(i); k != i {
			l.notePlace(i)
			l.noteSlot(k)
		}
	}
	for i := range n {
		if k := from(i); k != i && l.Compare {
			l.log.SetShadow(i/blockSlots, i%blockSlots, &(*l.vals)[k])
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
	l.notePlaces(len(from), len(*l.vals))
}

// stayed takes back what closingUp has said of the shadow.
func (l *denseLog[T]) stayed() {
	for k := range pages(len(*l.vals)) {
		if vals, _ := l.Slots(nothing{}, k); l.Compare {
			l.log.Cover(k, vals)
		}
	}
}

// noteSlot records the slot of the value at place i, before the place in it changes.
func (l *denseLog[T]) noteSlot(i int) {
	b, s := l.d.index.look().find(l.d.owner[i])
	l.index.note(b, int(s>>6), int(s&63))
}

// note implements [recording].
func (l *denseLog[T]) note(b *head, k, i int) { l.edit(int(blockOf[uint32](b).vals[i])) }

// edit records that the value at place i may be written to.
func (l *denseLog[T]) edit(i int) {
	l.markEdited(l.d.owner[i])
	l.notePlace(i)
}

// markEdited records that the value of h was edited.
func (l *denseLog[T]) markEdited(h id) {
	s := h.index - l.d.index.salt
	l.edits.log.Grow(len(l.d.index.dir))
	l.edits.log.Note(int(s>>6), nothing{}, int(s&63), new(nothing), nothing{})
}

// noteRun implements [recording].
func (l *denseLog[T]) noteRun(i, n int) {
	l.notePlaces(i, i+n)
	for _, h := range l.d.owner[i : i+n] {
		l.markEdited(h)
	}
}

// find implements [recording].
func (l *denseLog[T]) find(fn string) {
	if !l.Compare && !invariants.On {
		return
	}
	if !l.Compare {
		l.index.find(fn)
	}
	for _, c := range l.d.rare.beside {
		c.find(fn)
	}
	l.cover()
	for k := range pages(len(*l.vals)) {
		first := k * blockSlots
		var live uint64
		for i, h := range l.d.owner[first:min(first+blockSlots, len(l.d.owner))] {
			live |= uint64(h.gen&1) << i
		}
		if !l.Compare {
			live &^= l.log.LoggedSlots(k)
		}
		l.found(fn, l.d.owner, k, live, l.edit)
	}
}

// mark implements [recording].
func (l *denseLog[T]) mark() {
	l.index.mark()
	for _, c := range l.d.rare.beside {
		c.mark()
	}
	l.log.Mark(l)
	l.edits.log.Mark(&l.edits)
	l.save()
}

// save makes the state of the Dense that in which the current frame began.
func (l *denseLog[T]) save() {
	d := l.d
	l.index.heads.At(l.log.Now()).dense = denseHead{
		d.vals.n, d.holes, d.reserve, d.grown, d.released, d.hole,
	}
}

// rewind implements [recording]. It returns an error, and changes nothing, if Memory refuses.
func (l *denseLog[T]) rewind(f uint64) error {
	d, h := l.d, l.index.heads.At(f).dense
	if h.places > d.vals.cap && !d.setCap(h.places) {
		return d.index.supply.why()
	}
	d.checkLeft()
	l.cover()
	l.log.Rewind(f, l)
	l.edits.log.Rewind(f, &l.edits)
	d.vals.n, d.owner = h.places, d.owner[:h.places]
	d.holes, d.reserve, d.grown, d.released, d.hole = h.holes, h.reserve, h.grown, h.released, h.hole
	d.moves++
	d.emptied, d.loops = d.moves, 0 // loops cannot continue
	_ = l.index.rewind(f)
	for _, c := range d.rare.beside {
		c.rewind(f)
	}
	d.changed()
	return nil
}

// changes implements [recording].
func (l *denseLog[T]) changes(f uint64, list []changed, _ bool) []changed {
	p := l.index.p
	list = l.index.changes(f, list, false)
	l.edits.log.Since(f, &l.edits, func(k int, touched uint64, _ *[blockSlots]nothing) {
		if k >= len(p.dir) || p.dir[k] == nil {
			return
		}
		for w := touched & p.dir[k].occ; w != 0; w &= w - 1 {
			list = append(list, changed{p.id(p.dir[k], k, bits.TrailingZeros64(w)), Edited})
		}
	})
	slices.SortStableFunc(list, func(a, b changed) int {
		return int(int64(a.h.index-p.salt) - int64(b.h.index-p.salt))
	})
	return slices.CompactFunc(list, func(a, b changed) bool { // a new value counts as no edit
		return a.h.index == b.h.index && (a.c == Edited || b.c == Edited)
	})
}

// clip releases the memory that no frame needs. The index is clipped on its own.
func (l *denseLog[T]) clip() {
	l.placeLog.clip()
	l.edits.log.Clip(0)
}

// close implements [recording].
func (l *denseLog[T]) close() {
	l.index.close()
	l.d.rare.placesRecorded = nil
	for _, c := range l.d.rare.beside {
		c.forget()
	}
}

// replaced makes the present state of the Dense the beginning of a new frame, and forgets all
// others. The index has done so.
func (l *denseLog[T]) replaced() {
	l.restart()
	l.edits.log.Forget()
	l.save()
}
