package berth

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/slots"
)

// placeLog records the changes of places, 64 of which are a page of its journal: those of a Dense,
// whose states are the owners, or those of a DenseColumn, which have none.
type placeLog[V any, S comparable] struct {
	logOf[V, S]
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
	l := placeLog[V, S]{newLog[V, S](c, live), vals, states}
	l.cover()
	return l
}

// pages returns the number of pages that n places take.
func pages(n int) int { return (n + slots.BlockSlots - 1) / slots.BlockSlots }

// cover makes the journal ready for the present places. Those of a DenseColumn need it before they
// are written to.
func (l *placeLog[V, S]) cover() {
	k := l.log.Len()
	for l.log.Grow(pages(cap(*l.vals))); k < l.log.Len(); k++ {
		vals, _, _ := l.Slots(k)
		l.log.Cover(k, vals)
	}
}

// NotePlace records place i before it changes.
func (l *placeLog[V, S]) NotePlace(i int) {
	k := i / slots.BlockSlots
	if k >= l.log.Len() {
		l.cover()
	}
	l.log.Note(k, i%slots.BlockSlots, &(*l.vals)[:i+1][i], (*l.states)[:i+1][i])
}

// NotePlaces records the places from first to before end, before they change.
func (l *placeLog[V, S]) NotePlaces(first, end int) {
	if pages(end) > l.log.Len() {
		l.cover()
	}
	for i := first; i < end; {
		k := i / slots.BlockSlots
		n := min((k+1)*slots.BlockSlots, end) - i
		l.log.NoteAll(k, (1<<n-1)<<(i%slots.BlockSlots), 0)
		i += n
	}
}

// found calls note for those of the given places of page k that were written to without Edit.
// Without Compare, it panics if there is one. owner has the handles by place.
func (l *placeLog[V, S]) found(fn string, owner []slots.ID, k int, mask uint64, note func(i int)) {
	vals, _, _ := l.Slots(k)
	for w := l.log.Differs(k, vals, mask); w != 0; w &= w - 1 {
		i := k*slots.BlockSlots + bits.TrailingZeros64(w)
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

// Slots implements [journal.Pages].
func (l *placeLog[V, S]) Slots(k int) ([]V, []S, journal.Words) {
	n := cap(*l.vals)
	first, last := min(k*slots.BlockSlots, n), min((k+1)*slots.BlockSlots, n)
	return (*l.vals)[:n][first:last], (*l.states)[:n][first:last], journal.Words{}
}

// Restored implements [journal.Pages].
func (l *placeLog[V, S]) Restored(int, uint64, uint64, uint64, journal.Words) {}

// denseLog records the changes of a Dense for its History: in a poolLog those of the index, and in
// a placeLog those of the places. So a value that moves changes two places and a slot of the index.
// Which values were edited is a journal of its own, by slot, whose values are nothing.
//
// The functions that change a place call NotePlace before they do so, those that move a value call
// Moving, and those that replace the contents of the whole Dense call Replaced afterwards.
type denseLog[T any] struct {
	placeLog[T, slots.ID]
	d     *slots.Dense
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
	l.index = newPoolLog(fn, poolOf(&d.state.Index), HistoryConfig{Frames: c.Frames})
	l.placeLog = newPlaceLog(c, &d.vals, &d.state.Owner,
		func(h slots.ID) bool { return h.Gen&1 != 0 })
	edits := newLog[nothing, nothing](c, nil)
	l.edits = placeLog[nothing, nothing]{edits, stateless(), stateless()}
	l.log.Pages, l.edits.log.Pages = l, &l.edits
	l.save()
	l.d.Rarely().PlacesRecorded = l
	for _, c := range d.state.Rare.Beside {
		c.Record(l.Settings())
	}
	return l
}

// Moving records what changes when the value at place i moves to place k. With Compare, it also
// records whether the value was written to, since its shadow stays behind.
func (l *denseLog[T]) Moving(i, k int) {
	l.NotePlace(k)
	l.noteSlot(i)
	if l.Compare {
		l.found("", l.d.Owner, i/slots.BlockSlots, 1<<(i%slots.BlockSlots), l.edit)
		l.log.SetShadow(k/slots.BlockSlots, k%slots.BlockSlots, &(*l.vals)[i])
	}
}

// MovingAll records what changes when the value at place from(i) moves to place i, for all i below
// n where from is not i.
func (l *denseLog[T]) MovingAll(n int, from func(i int) int) {
	if l.Compare {
		l.find("")
	}
	for i := range n {
		if k := from(i); k != i {
			l.NotePlace(i)
			l.noteSlot(k)
		}
	}
	for i := range n {
		if k := from(i); k != i && l.Compare {
			l.log.SetShadow(i/slots.BlockSlots, i%slots.BlockSlots, &(*l.vals)[k])
		}
	}
}

// ClosingUp records what changes when all values move together in their order, and all holes go.
func (l *denseLog[T]) ClosingUp() {
	from := make([]int, 0, l.d.Index.N)
	for i, h := range l.d.Owner {
		if h.Gen&1 != 0 {
			from = append(from, i)
		}
	}
	l.MovingAll(len(from), func(i int) int { return from[i] })
	l.NotePlaces(len(from), len(*l.vals))
}

// Stayed takes back what closingUp has said of the shadow.
func (l *denseLog[T]) Stayed() {
	for k := range pages(len(*l.vals)) {
		if vals, _, _ := l.Slots(k); l.Compare {
			l.log.Cover(k, vals)
		}
	}
}

// noteSlot records the slot of the value at place i, before the place in it changes.
func (l *denseLog[T]) noteSlot(i int) {
	b, s := l.d.Index.Look().Find(l.d.Owner[i])
	l.index.Note(b, int(s>>6), int(s&63))
}

// Note implements [recording].
func (l *denseLog[T]) Note(b *slots.Head, k, i int) {
	l.edit(int(slots.BlockOf[uint32](b).Vals[i]))
}

// edit records that the value at place i may be written to.
func (l *denseLog[T]) edit(i int) {
	l.MarkEdited(l.d.Owner[i])
	l.NotePlace(i)
}

// MarkEdited records that the value of h was edited.
func (l *denseLog[T]) MarkEdited(h slots.ID) {
	s := h.Index - l.d.Index.Salt
	l.edits.log.Grow(len(l.d.Index.Dir))
	l.edits.log.Note(int(s>>6), int(s&63), new(nothing), nothing{})
}

// noteRun implements [recording].
func (l *denseLog[T]) noteRun(i, n int) {
	l.NotePlaces(i, i+n)
	for _, h := range l.d.Owner[i : i+n] {
		l.MarkEdited(h)
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
	for _, c := range l.d.Rare.Beside {
		c.Find(fn)
	}
	l.cover()
	for k := range pages(len(*l.vals)) {
		first := k * slots.BlockSlots
		var live uint64
		for i, h := range l.d.Owner[first:min(first+slots.BlockSlots, len(l.d.Owner))] {
			live |= uint64(h.Gen&1) << i
		}
		if !l.Compare {
			live &^= l.log.LoggedSlots(k)
		}
		l.found(fn, l.d.Owner, k, live, l.edit)
	}
}

// mark implements [recording].
func (l *denseLog[T]) mark() {
	l.index.mark()
	for _, c := range l.d.Rare.Beside {
		c.Mark()
	}
	l.log.Mark()
	l.edits.log.Mark()
	l.save()
}

// save makes the state of the Dense that in which the current frame began.
func (l *denseLog[T]) save() {
	d := l.d
	l.index.heads.At(l.log.Now()).dense = denseHead{
		d.Vals.N, d.Holes, d.Reserve, d.Grown, d.Released, d.Hole,
	}
}

// rewind implements [recording]. It returns an error, and changes nothing, if Memory refuses.
func (l *denseLog[T]) rewind(f uint64) error {
	d, h := l.d, l.index.heads.At(f).dense
	if h.places > d.Vals.Cap && !d.SetCap(h.places) {
		return d.Index.Supply.Why()
	}
	d.CheckLeft()
	l.cover()
	l.log.Rewind(f)
	l.edits.log.Rewind(f)
	d.Vals.N, d.Owner = h.places, d.Owner[:h.places]
	d.Hole, d.Holes, d.Reserve = h.hole, h.holes, h.reserve
	d.Grown, d.Released = h.grown, h.released
	d.Moves++
	d.Emptied, d.Loops = d.Moves, 0 // loops cannot continue
	_ = l.index.rewind(f)
	for _, c := range d.Rare.Beside {
		c.Rewind(f)
	}
	d.Changed()
	return nil
}

// changes implements [recording].
func (l *denseLog[T]) changes(f uint64, list []changed, _ bool) []changed {
	p := l.index.p
	list = l.index.changes(f, list, false)
	l.edits.log.Since(f, func(k int, touched uint64, _ *[slots.BlockSlots]nothing) {
		if k >= len(p.Dir) || p.Dir[k] == nil {
			return
		}
		for w := touched & p.Dir[k].Occ; w != 0; w &= w - 1 {
			list = append(list, changed{p.ID(p.Dir[k], k, bits.TrailingZeros64(w)), ChangeEdited})
		}
	})
	slices.SortStableFunc(list, func(a, b changed) int {
		return int(int64(a.h.Index-p.Salt) - int64(b.h.Index-p.Salt))
	})
	return slices.CompactFunc(list, func(a, b changed) bool { // a new value counts as no edit
		return a.h.Index == b.h.Index && (a.c == ChangeEdited || b.c == ChangeEdited)
	})
}

// Clip releases the memory that no frame needs. The index is clipped on its own.
func (l *denseLog[T]) Clip() {
	l.placeLog.clip()
	l.edits.log.Clip(0)
}

// close implements [recording].
func (l *denseLog[T]) close() {
	l.index.close()
	l.d.Rare.PlacesRecorded = nil
	for _, c := range l.d.Rare.Beside {
		c.Forget()
	}
}

// Replaced makes the present state of the Dense the beginning of a new frame, and forgets all
// others. The index has done so.
func (l *denseLog[T]) Replaced() {
	l.restart()
	l.edits.log.Forget()
	l.save()
}

// poolOf returns t as a Pool, for the code that records the changes of one.
func poolOf(t *slots.SlotTable) *Pool[uint32] { return (*Pool[uint32])(slots.Ref(t)) }
