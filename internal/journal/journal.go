// Package journal keeps what the slots of a container held before they changed, frame by frame, so
// that a History can take the changes back.
//
// A container numbers its slots, and 64 of them are a page. Before it changes a slot, it calls
// [Log.Note], and before it changes most slots of a page, [Log.Image]. [Log.Mark] begins a new
// frame, and [Log.Rewind] brings the slots back to the beginning of an earlier one. A Log knows
// nothing else of its container: counts, bitmaps and the directory of pages are the container's to
// save, at each Mark, in a [Ring] of its own.
//
// A slot is noted once in a frame, as its value and its state (a generation, an identifier or a
// handle). Once more than Few slots of a page are noted in a frame, an image of the whole page
// takes the place of further notes. Memory of a forgotten frame is used again, so a Log that has
// been around once allocates nothing. [Log.Clip] releases it.
//
// Notes are what costs: they are written all the time, and seldom read. So they are small, and a
// frame holds them in the order of their changes. Rewind and Since find out which page each one is
// of.
package journal

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/plain"
)

const (
	pageSlots = 64
	// Few is the number of notes of a page in a frame. More make an image. A note costs about as
	// much as four values of an image.
	Few = 16
	all = 1<<pageSlots - 1
)

// Words are two words that a page has beside its slots, one bit for each slot, such as its bitmaps.
type Words [2]uint64

// Pages gives a Log access to the pages of its container. P refers to a page: if another page may
// take the number of one that was released, P is a pointer. Otherwise the number of the page is
// enough, and P may be the same for all.
type Pages[T any, S, P comparable] interface {
	// Ref returns the page that had number k when the frame began to which the Log goes back, or
	// the zero P if there was none. k may be beyond the last page.
	Ref(k int) P
	// Slots returns the values and the states of the page that Ref returned for k, of up to 64
	// slots each. They may be fewer if the slots beyond them were vacant when the frame began.
	Slots(ref P, k int) ([]T, []S)
	// Restored tells that slots of that page have their values and states again. Those in noted
	// were kept by Note. Those in imaged are from an image, and had the bits of w.
	Restored(ref P, k int, noted, imaged uint64, w Words)
}

// Log keeps the last frames of a container. T is the type of the values, S that of the state of a
// slot, and P that of a reference to a page. NewLog makes one.
//
// Invariants (Check):
//  1. pages[k].image is 1 + the index of the image of page k in the current frame, or 0, and imaged
//     are the slots that it has
//  2. the slots in pages[k].logged have a note in the current frame or are in imaged
//  3. the frames before the current one, from the oldest on, hold what changed in them; all others
//     in the ring are empty
//  4. no page is met, except in Rewind and Since
type Log[T any, S, P comparable] struct {
	frames Ring[frame[T, S, P]]
	cur    *frame[T, S, P]
	Noted
	spare []*image[T, S] // images that no frame uses

	// These types have Go pointers, which a forgotten frame must not hold.
	dirtyValues, dirtyNotes, dirtyImages bool

	shadow []*[pageSlots]T // by page: the values at the last Mark; nil if nothing is compared
	live   func(S) bool    // reports whether a slot of that state has a value; for the shadow

	met []met[T, S, P]  // memory of Rewind and Since
	was []*[pageSlots]S // memory of Since: for each of met, the states of its page
}

// Noted knows which slots of each page need no note in the current frame.
type Noted struct{ pages []page }

// page is what happened to a page in the current frame.
type page struct {
	logged uint64 // slots that need no note, since they have one, or were edited after the image
	imaged uint64 // slots that the image has
	image  uint32 // 1 + index in the frame's images, or 0
	met    uint32 // 1 + index in the Log's met, or 0
}

// frame is what changed in a frame.
type frame[T any, S, P comparable] struct {
	notes  []note[S, P]
	vals   []T // vals[i] is the value of notes[i]
	images []record[T, S, P]
}

// note is the state of one slot.
type note[S, P comparable] struct {
	ref   P
	state S
	at    uint32 // number of the page, times 64, and of the slot
}

// record is an image of a page. Slots that have a note in the frame, too, may have changed before
// it was made.
type record[T any, S, P comparable] struct {
	ref    P
	page   int
	words  Words
	logged uint64 // as in page; of the current frame only once the page has left
	*image[T, S]
}

// image is a copy of a page. Slots from n on had no memory when it was made.
type image[T, S any] struct {
	n      int
	vals   [pageSlots]T
	states [pageSlots]S
}

// slots returns the slots that the image has.
func (im *image[T, S]) slots() uint64 { return 1<<im.n - 1 }

// met is a page on the way through the frames.
type met[T any, S, P comparable] struct {
	page          int
	ref           P
	found         bool // there was a page of that number
	vals          []T
	states        []S
	slots         uint64 // those that have been restored, or need not be
	noted, imaged uint64 // those that have been restored from a note, and from an image
	words         Words
	touched       uint64 // for Since
}

// NewLog returns a Log of up to most frames, which is at least 1. Its first frame is number 1. If
// live is not nil, the Log keeps a copy of the live values, and Differs compares with it. live then
// reports whether a slot of that state has a value.
func NewLog[T any, S, P comparable](most int, live func(S) bool) *Log[T, S, P] {
	l := &Log[T, S, P]{frames: NewRing[frame[T, S, P]](most), live: live}
	l.cur = l.frames.At(1)
	l.dirtyValues = plain.Pointer(plain.TypeFor[T]()) != ""
	states := plain.Pointer(plain.TypeFor[S]()) != ""
	l.dirtyNotes = states || plain.Pointer(plain.TypeFor[P]()) != ""
	l.dirtyImages = states || l.dirtyValues
	return l
}

// Now returns the number of the current frame.
func (l *Log[T, S, P]) Now() uint64 { return l.frames.Now() }

// Oldest returns the number of the oldest frame that Rewind can go back to.
func (l *Log[T, S, P]) Oldest() uint64 { return l.frames.Oldest() }

// Len returns the number of pages that there is room for.
func (l *Log[T, S, P]) Len() int { return len(l.pages) }

// Grow makes room for the given number of pages. Every page must have room before it is noted.
func (l *Log[T, S, P]) Grow(pages int) {
	if uint64(pages) > 1<<32/pageSlots {
		panic(fmt.Sprintf("berth: a History is of at most 2^32 slots (got %d)", pages*pageSlots))
	}
	if n := pages - len(l.pages); n > 0 {
		l.pages = append(l.pages, make([]page, n)...)
	}
	if n := pages - len(l.shadow); n > 0 && l.live != nil {
		l.shadow = append(l.shadow, make([]*[pageSlots]T, n)...)
	}
}

// Logged reports whether slot i of page k needs no note in the current frame, and logs it if the
// image of the page has it.
func (l *Noted) Logged(k, i int) bool { // inlined
	if uint(k) >= uint(len(l.pages)) {
		return false
	}
	e, bit := &l.pages[k], uint64(1)<<(i&63)
	if e.logged&bit == 0 {
		e.logged |= e.imaged & bit
	}
	return e.logged&bit != 0
}

// LoggedSlots returns the slots of page k that need no note in the current frame.
func (l *Noted) LoggedSlots(k int) uint64 { return l.pages[k].logged }

// Note keeps slot i of page k, unless it is logged in the current frame. The page is ref, and the
// slot holds v and has state s. Note reports whether the page has so many notes that the caller
// should call Image now.
func (l *Log[T, S, P]) Note(k int, ref P, i int, v *T, s S) (many bool) {
	e := &l.pages[k]
	bit := uint64(1) << (i & 63)
	old := e.logged | e.imaged
	e.logged |= bit
	if old&bit != 0 {
		return false
	}
	if l.shadow != nil && l.live(s) {
		v = &l.shadow[k][i&63]
	}
	f := l.cur
	f.notes = append(f.notes, note[S, P]{ref, s, uint32(k)<<6 | uint32(i&63)})
	f.vals = append(f.vals, *v)
	return bits.OnesCount64(old) >= Few
}

// NoteAll is Note for the given slots of page k, which is ref, with words w, and has the given
// values and states. If they are many, or make many, it keeps the page as Image does.
func (l *Log[T, S, P]) NoteAll(k int, ref P, w Words, slots uint64, vals []T, states []S) {
	slots &^= l.pages[k].logged
	if bits.OnesCount64(slots) > Few {
		l.Image(k, ref, w, slots, vals, states)
		return
	}
	for s := slots; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(s)
		if l.Note(k, ref, i, &vals[i], states[i]) {
			l.Image(k, ref, w, 0, vals, states)
		}
	}
}

// Image keeps all slots of page k in the current frame, and logs those in slots. The page is ref,
// with words w, and has the given values and states.
func (l *Log[T, S, P]) Image(k int, ref P, w Words, slots uint64, vals []T, states []S) {
	e := &l.pages[k]
	if e.image == 0 {
		f := l.cur
		im := l.takeImage()
		l.fill(im, k, vals, states)
		f.images = append(f.images, record[T, S, P]{ref: ref, page: k, words: w, image: im})
		e.image, e.imaged = uint32(len(f.images)), im.slots()
	}
	e.logged |= slots & e.imaged
	for w := slots &^ e.logged; w != 0; w &= w - 1 { // the page has grown since
		if i := bits.TrailingZeros64(w); i < len(vals) {
			l.Note(k, ref, i, &vals[i], states[i])
		}
	}
}

// fill makes im an image of page k.
func (l *Log[T, S, P]) fill(im *image[T, S], k int, vals []T, states []S) {
	im.n = len(vals)
	copy(im.vals[:], vals)
	copy(im.states[:], states)
	if l.shadow == nil {
		return
	}
	for i, s := range states {
		if l.live(s) {
			im.vals[i] = l.shadow[k][i]
		}
	}
}

// takeImage returns an image that no frame uses.
func (l *Log[T, S, P]) takeImage() *image[T, S] {
	n := len(l.spare) - 1
	if n < 0 {
		return new(image[T, S])
	}
	im := l.spare[n]
	l.spare = l.spare[:n]
	return im
}

// Leave tells that page k is released. Another page may take its number.
func (l *Log[T, S, P]) Leave(k int) {
	e := &l.pages[k]
	if e.image != 0 {
		l.cur.images[e.image-1].logged = e.logged
	}
	*e = page{}
	if l.shadow != nil {
		l.shadow[k] = nil
	}
}

// Mark ends the current frame and begins the next one, whose number is one higher. If the ring is
// full, it forgets the oldest frame.
func (l *Log[T, S, P]) Mark(at Pages[T, S, P]) {
	f := l.cur
	if l.shadow != nil {
		l.shade(at)
	}
	for i := range f.images {
		r := &f.images[i]
		if e := &l.pages[r.page]; e.image == uint32(i+1) { // else the page has left
			r.logged = e.logged
		}
	}
	l.unlog()
	l.cur = l.frames.Next()
	l.empty(l.cur)
}

// unlog empties the table of pages, which is that of the current frame.
func (l *Log[T, S, P]) unlog() {
	f := l.cur
	for i := range f.notes {
		l.pages[f.notes[i].at/pageSlots] = page{}
	}
	for i := range f.images {
		l.pages[f.images[i].page] = page{}
	}
}

// copySlots copies the given slots that src has.
func copySlots[T any](dst, src []T, slots uint64) {
	if n := min(len(dst), len(src)); n < pageSlots {
		slots &= 1<<n - 1
	}
	if slots == all {
		copy(dst, src)
		return
	}
	for w := slots; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		dst[i] = src[i]
	}
}

// empty forgets what changed in f, and keeps its memory.
func (l *Log[T, S, P]) empty(f *frame[T, S, P]) {
	for i := range f.images {
		im := f.images[i].image
		if l.dirtyImages {
			*im = image[T, S]{}
		}
		l.spare = append(l.spare, im)
	}
	clear(f.images)
	if l.dirtyNotes {
		clear(f.notes)
	}
	if l.dirtyValues {
		clear(f.vals)
	}
	f.images, f.notes, f.vals = f.images[:0], f.notes[:0], f.vals[:0]
}

// Rewind brings the slots and words of all pages back to the beginning of frame f, which must not
// be older than Oldest or later than Now. f becomes the current frame, and later ones are
// forgotten. at.Ref must already answer for the beginning of f. Each slot is written at most once.
func (l *Log[T, S, P]) Rewind(f uint64, at Pages[T, S, P]) {
	l.unlog()
	for g := f; g <= l.Now(); g++ {
		fr := l.frames.At(g)
		l.restoreNotes(fr, at)
		l.restoreImages(fr, at)
	}
	for i := range l.met {
		m := &l.met[i]
		if m.noted|m.imaged != 0 {
			at.Restored(m.ref, m.page, m.noted, m.imaged, m.words)
		}
		if l.shadow != nil {
			l.shadeSlots(m.page, m.vals, m.slots)
		}
	}
	l.part()
	l.emptyFrom(f)
	l.frames.Back(f)
	l.cur = l.frames.At(f)
}

// restoreNotes brings those slots back that have a note in f, and are not restored yet.
func (l *Log[T, S, P]) restoreNotes(f *frame[T, S, P], at Pages[T, S, P]) {
	vals := f.vals[:len(f.notes)]
	for i := range f.notes {
		n := &f.notes[i]
		x := l.pages[n.at/pageSlots].met
		if x == 0 {
			if x = l.meet(int(n.at/pageSlots), n.ref, at); x == 0 {
				continue
			}
		}
		m := &l.met[x-1]
		slot := n.at % pageSlots
		bit := uint64(1) << slot
		if m.slots&bit != 0 || m.ref != n.ref {
			continue
		}
		if m.slots |= bit; int(slot) >= len(m.vals) {
			continue
		}
		m.vals[slot] = vals[i]
		m.states[slot] = n.state
		m.noted |= bit
	}
}

// restoreImages brings those slots back that an image of f has, and that are not restored yet.
func (l *Log[T, S, P]) restoreImages(f *frame[T, S, P], at Pages[T, S, P]) {
	for i := range f.images {
		r := &f.images[i]
		x := l.pages[r.page].met
		if x == 0 {
			if x = l.meet(r.page, r.ref, at); x == 0 {
				continue
			}
		}
		m := &l.met[x-1]
		if m.ref != r.ref {
			continue
		}
		slots := r.slots() &^ m.slots
		copySlots(m.vals, r.vals[:], slots)
		copySlots(m.states, r.states[:], slots)
		m.slots |= slots
		m.imaged |= slots
		for i, w := range r.words {
			m.words[i] |= w & slots
		}
	}
}

// meet returns 1 + the index in met of page k, which is new there, or 0 if the page of that number
// was not ref when the frame began to which the Log goes back.
func (l *Log[T, S, P]) meet(k int, ref P, at Pages[T, S, P]) uint32 {
	if at.Ref(k) != ref {
		return 0
	}
	vals, states := at.Slots(ref, k)
	l.met = append(l.met, met[T, S, P]{
		page: k, ref: ref, found: true, vals: vals, states: states[:len(vals)],
	})
	l.pages[k].met = uint32(len(l.met))
	return l.pages[k].met
}

// part forgets which pages it has met.
func (l *Log[T, S, P]) part() {
	for i := range l.met {
		l.pages[l.met[i].page].met = 0
	}
	clear(l.met)
	l.met = l.met[:0]
}

// emptyFrom forgets what changed in frame f and in later ones.
func (l *Log[T, S, P]) emptyFrom(f uint64) {
	for g := f; g <= l.Now(); g++ {
		l.empty(l.frames.At(g))
	}
}

// Forget forgets all frames, and begins one. The container may have changed in any way. It must
// then call Grow and, if it compares, Cover for each page.
func (l *Log[T, S, P]) Forget() {
	l.unlog()
	l.emptyFrom(l.Oldest())
	l.cur = l.frames.Restart()
	clear(l.shadow)
	l.pages, l.shadow = l.pages[:0], l.shadow[:0]
}

// Clip releases the memory that no frame needs. The container has the given number of pages, and no
// page beyond them is used, except by frames.
func (l *Log[T, S, P]) Clip(pages int) {
	l.frames.Clip(func(f *frame[T, S, P]) {
		f.notes, f.vals = slices.Clone(f.notes), slices.Clone(f.vals)
		f.images = slices.Clone(f.images)
		for i := range f.notes {
			pages = max(pages, int(f.notes[i].at/pageSlots)+1)
		}
		for i := range f.images {
			pages = max(pages, f.images[i].page+1)
		}
	})
	l.cur = l.frames.At(l.Now())
	l.spare, l.met, l.was = nil, nil, nil
	pages = min(pages, len(l.pages))
	l.pages = slices.Clone(l.pages[:pages])
	if l.shadow != nil {
		l.shadow = slices.Clone(l.shadow[:pages])
	}
}

// Since calls visit for each page that was touched since the beginning of frame f, lowest first. If
// the page of that number at the time is among them, states holds the states that its slots had
// then, and touched the slots that were logged since. Otherwise states is nil, and the slots were
// vacant. at.Ref must answer for the beginning of f.
func (l *Log[T, S, P]) Since(
	f uint64, at Pages[T, S, P], visit func(k int, touched uint64, states *[pageSlots]S),
) {
	for g := f; g <= l.Now(); g++ {
		fr := l.frames.At(g)
		for i := range fr.notes {
			n := &fr.notes[i]
			slot := n.at % pageSlots
			m, was := l.recall(int(n.at/pageSlots), n.ref, at)
			if m == nil {
				continue
			}
			bit := uint64(1) << slot
			if m.touched |= bit; m.slots&bit == 0 {
				m.slots |= bit
				was[slot] = n.state
			}
		}
		for i := range fr.images {
			r := &fr.images[i]
			m, was := l.recall(r.page, r.ref, at)
			if m == nil {
				continue
			}
			copySlots(was[:], r.states[:], r.slots()&^m.slots)
			m.slots |= r.slots()
			if m.touched |= r.logged; g == l.Now() && l.pages[r.page].image == uint32(i+1) {
				m.touched |= l.pages[r.page].logged
			}
		}
	}
	for k := range l.pages {
		if x := l.pages[k].met; x == 0 {
			continue
		} else if m := &l.met[x-1]; m.found {
			visit(k, m.touched, l.was[x-1])
		} else {
			visit(k, 0, nil)
		}
	}
	l.part()
}

// recall returns what is known of page k, and the states of its slots, or nil if ref is another
// page than that which had the number when the frame began to which the Log goes back.
func (l *Log[T, S, P]) recall(
	k int, ref P, at Pages[T, S, P],
) (*met[T, S, P], *[pageSlots]S) {
	x := l.pages[k].met
	if x == 0 {
		l.met = append(l.met, met[T, S, P]{page: k, ref: at.Ref(k)})
		x = uint32(len(l.met))
		l.pages[k].met = x
	}
	m := &l.met[x-1]
	if m.ref != ref {
		return nil, nil
	}
	for len(l.was) < int(x) {
		l.was = append(l.was, new([pageSlots]S))
	}
	was := l.was[x-1]
	if !m.found {
		m.found = true
		_, now := at.Slots(ref, k)
		clear(was[copy(was[:], now):])
	}
	return m, was
}

// Check panics with the number of an invariant that l violates, if any.
func (l *Log[T, S, P]) Check() {
	var few [64]uint64 // so that the checks of a small container allocate nothing
	noted := append(few[:0], make([]uint64, len(l.pages))...)
	for i := range l.cur.notes {
		at := l.cur.notes[i].at
		noted[at/pageSlots] |= 1 << (at % pageSlots)
	}
	for k, e := range l.pages {
		switch {
		case e.image == 0 && e.imaged != 0:
			panic("journal: invariant 1: a page has slots of no image")
		case e.image != 0 && (int(e.image) > len(l.cur.images) ||
			l.cur.images[e.image-1].page != k ||
			l.cur.images[e.image-1].slots() != e.imaged):
			panic("journal: invariant 1: the image is of another page, or has other slots")
		case e.logged&^(noted[k]|e.imaged) != 0:
			panic("journal: invariant 2: a slot is logged without a note or an image")
		case e.met != 0:
			panic("journal: invariant 4: a page is met")
		}
	}
	for i := range l.frames.list {
		f := &l.frames.list[i]
		if len(f.notes)+len(f.images) != 0 && !l.frames.holds(i) {
			panic("journal: invariant 3: a forgotten frame is not empty")
		}
	}
	if len(l.met) != 0 {
		panic("journal: invariant 4: a page is met")
	}
}
