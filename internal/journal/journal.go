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
// takes the place of further notes. If many slots of a page have changed in each of the last
// frames, the next frame begins with an image of it. Memory of a forgotten frame is used again, so
// a Log that has been around once allocates nothing. [Log.Clip] releases it.
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

// Pages gives a Log access to the pages of its container.
type Pages[T any, S comparable] interface {
	// Slots returns the values and the states of page k, of up to 64 slots each, and its words, or
	// nil if there is no such page. k may be beyond the last page. In Rewind and Since, it is the
	// page that had the number when the frame began to which the Log goes back. Slots beyond those
	// that it has now were vacant then.
	Slots(k int) ([]T, []S, Words)
	// Restored tells that slots of page k have their values and states again. Those in noted were
	// kept by Note, and those of them in changed had other states. Those in imaged are from an
	// image, and had the bits of w.
	Restored(k int, noted, changed, imaged uint64, w Words)
}

// Log keeps the last frames of a container. T is the type of the values, and S that of the state of
// a slot. NewLog makes one.
//
// Invariants (Check):
//  1. pages[k].image is 1 + the index of the image of page k in the current frame, or 0
//  2. the slots in pages[k].kept have a note in the current frame or are in that image
//  3. those in pages[k].touched are kept
//  4. changed has the pages with kept slots
//  5. the frames before the current one, from the oldest on, hold what changed in them; all others
//     in the ring are empty
//  6. no page is met, except in Rewind and Since
type Log[T any, S comparable] struct {
	Noted
	Pages[T, S] // of the container, to be set

	frames  Ring[frame[T, S]]
	cur     *frame[T, S]
	changed []uint64       // a bit for each page
	spare   []*image[T, S] // images that no frame uses
	few     int            // notes of a page; more make an image
	many    int            // a page that usually has so many changes gets an image at Mark
	dirty   bool           // T or S has Go pointers, which a forgotten frame must not hold

	shadow []*[pageSlots]T // by page: the values at the last Mark; nil if nothing is compared
	live   func(S) bool    // reports whether a slot of that state has a value; for the shadow

	met  []met[T, S] // memory of Rewind
	past []past[S]   // memory of Since
}

// Noted knows which slots of each page need no note in the current frame.
type Noted struct{ pages []page }

// page is what happened to a page in the current frame.
type page struct {
	touched uint64 // slots that may have changed
	kept    uint64 // slots that need no note, since they have one, or are in the image
	image   uint32 // 1 + index in the frame's images, or 0
	met     uint32 // 1 + index in the Log's met or past, or 0
	usual   uint8  // slots that are touched in a frame: a mean with more weight of late frames
	spans   bool   // many slots were noted at once
}

// frame is what changed in a frame.
type frame[T any, S comparable] struct {
	notes   []note[T, S]
	records []record       // of images
	images  []*image[T, S] // the tail beyond its length is stale
	early   int            // images that were made when the frame began
	left    []left         // pages that were released, in their order
}

// note is a slot.
type note[T any, S comparable] struct {
	val   T
	state S
	at    uint32 // number of the page, times 64, and of the slot
}

// image is a copy of a page.
type image[T any, S comparable] struct {
	vals   [pageSlots]T
	states [pageSlots]S
}

// record tells of which page an image is. Slots that have a note in the frame, too, may have
// changed before the image was made.
type record struct {
	words   Words
	touched uint64 // as in page; of the current frame only once the page has left
	page    uint32
	n       uint32 // slots from n on had no memory when it was made
}

// slots returns the slots that the image has.
func (r *record) slots() uint64 { return 1<<r.n - 1 }

// left is a page that was released when the frame had so many notes and images.
type left struct{ page, notes, images int }

// NewLog returns a Log of up to most frames, which is at least 1. Its first frame is number 1. If
// live is not nil, the Log keeps a copy of the live values, and Differs compares with it. live then
// reports whether a slot of that state has a value.
func NewLog[T any, S comparable](most int, live func(S) bool) *Log[T, S] {
	l := &Log[T, S]{frames: NewRing[frame[T, S]](most), live: live}
	l.cur = l.frames.At(1)
	val, state := plain.TypeFor[T](), plain.TypeFor[S]()
	l.dirty = plain.Pointer(val) != "" || plain.Pointer(state) != ""
	// Notes of nothing need no image. Otherwise, the larger a value, the more an image costs.
	l.few, l.many = pageSlots, pageSlots+1
	if size := int(val.Size()); size != 0 {
		l.few, l.many = Few, 4+pageSlots*size/(size+300)
	}
	return l
}

// Now returns the number of the current frame.
func (l *Log[T, S]) Now() uint64 { return l.frames.Now() }

// Oldest returns the number of the oldest frame that Rewind can go back to.
func (l *Log[T, S]) Oldest() uint64 { return l.frames.Oldest() }

// Len returns the number of pages that there is room for.
func (l *Log[T, S]) Len() int { return len(l.pages) }

// Grow makes room for the given number of pages. Every page must have room before it is noted.
func (l *Log[T, S]) Grow(pages int) {
	if uint64(pages) > 1<<32/pageSlots {
		panic(fmt.Sprintf("berth: a History is of at most 2^32 slots (got %d)", pages*pageSlots))
	}
	if n := pages - len(l.pages); n > 0 {
		l.pages = append(l.pages, make([]page, n)...)
		l.changed = append(l.changed, make([]uint64, wordsOf(pages)-len(l.changed))...)
	}
	if n := pages - len(l.shadow); n > 0 && l.live != nil {
		l.shadow = append(l.shadow, make([]*[pageSlots]T, n)...)
	}
}

// wordsOf returns the number of words of a bitmap of pages.
func wordsOf(pages int) int { return (pages + 63) / 64 }

// Logged reports whether slot i of page k needs no note in the current frame. If it does, the
// caller must call Note.
func (l *Noted) Logged(k, i int) bool { // inlined
	if uint(k) >= uint(len(l.pages)) {
		return false
	}
	e, bit := &l.pages[k], uint64(1)<<(i&63)
	e.touched |= bit
	return e.kept&bit != 0
}

// LoggedSlots returns the slots of page k that may have changed in the current frame.
func (l *Noted) LoggedSlots(k int) uint64 { return l.pages[k].touched }

// Note keeps slot i of page k, unless it is logged in the current frame. The slot holds v and has
// state s. After many notes of a page, it keeps the whole page.
func (l *Log[T, S]) Note(k, i int, v *T, s S) {
	e, bit := &l.pages[k], uint64(1)<<(i&63)
	e.touched |= bit
	old := e.kept
	if old&bit != 0 {
		return
	}
	e.kept = old | bit
	l.changed[uint(k)/64] |= 1 << (k & 63)
	if l.shadow != nil && l.live(s) {
		v = &l.shadow[k][i&63]
	}
	f := l.cur
	if len(f.notes) == cap(f.notes) {
		f.notes = slices.Grow(f.notes, 1)
	}
	f.notes = f.notes[:len(f.notes)+1]
	n := &f.notes[len(f.notes)-1] // append would copy the value twice
	n.val, n.state, n.at = *v, s, uint32(k)<<6|uint32(i&63)
	if bits.OnesCount64(old) >= l.few {
		l.Image(k, 0)
	}
}

// NoteAll is Note for the given slots of page k. If they are many, or will be with those in soon,
// it keeps the whole page.
func (l *Log[T, S]) NoteAll(k int, slots, soon uint64) {
	e := &l.pages[k]
	if bits.OnesCount64((slots|soon)&^e.touched) > l.few {
		e.spans = true
		l.Image(k, slots)
		return
	}
	slots &^= e.touched
	if slots == 0 {
		return
	}
	vals, states, _ := l.Slots(k)
	for w := slots; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		l.Note(k, i, &vals[i], states[i])
	}
}

// Image keeps all slots of page k in the current frame, and logs those in slots.
func (l *Log[T, S]) Image(k int, slots uint64) {
	e := &l.pages[k]
	if e.image == 0 {
		l.keep(k, e)
	}
	e.touched |= slots & e.kept
	if slots &^= e.kept; slots == 0 {
		return
	}
	vals, states, _ := l.Slots(k) // the page has grown since
	for w := slots; w != 0; w &= w - 1 {
		if i := bits.TrailingZeros64(w); i < len(vals) {
			l.Note(k, i, &vals[i], states[i])
		}
	}
}

// keep makes an image of page k, if it has memory.
func (l *Log[T, S]) keep(k int, e *page) {
	vals, states, w := l.Slots(k)
	if len(vals) == 0 {
		return
	}
	var im *image[T, S]
	if n := len(l.spare) - 1; n >= 0 {
		im, l.spare = l.spare[n], l.spare[:n]
	} else {
		im = new(image[T, S])
	}
	copy(im.vals[:], vals)
	copy(im.states[:], states)
	if l.shadow != nil {
		for i, s := range states {
			if l.live(s) {
				im.vals[i] = l.shadow[k][i]
			}
		}
	}
	f := l.cur
	f.images = append(f.images, im)
	if len(f.records) == cap(f.records) {
		f.records = slices.Grow(f.records, 1)
	}
	f.records = f.records[:len(f.records)+1]
	r := &f.records[len(f.records)-1]
	r.words, r.page, r.n = w, uint32(k), uint32(len(vals))
	e.image = uint32(len(f.images))
	e.kept |= 1<<len(vals) - 1
	l.changed[k/64] |= 1 << (k & 63)
}

// Leave tells that page k is released. Another page may take its number.
func (l *Log[T, S]) Leave(k int) {
	f, e := l.cur, &l.pages[k]
	if e.image != 0 {
		f.records[e.image-1].touched = e.touched
	}
	*e = page{}
	f.left = append(f.left, left{k, len(f.notes), len(f.images)})
	if l.shadow != nil {
		l.shadow[k] = nil
	}
}

// Mark ends the current frame and begins the next one, whose number is one higher. If the ring is
// full, it forgets the oldest frame.
//
// The new frame begins with images of the pages that usually change in many slots, so that they
// need no notes. They are made here, since one after the other they take half as long as on a first
// change, in no order. Pages of which many slots are noted at once get their image then.
func (l *Log[T, S]) Mark() {
	if l.shadow != nil {
		l.shade()
	}
	l.sync()
	for i, w := range l.changed {
		for ; w != 0; w &= w - 1 {
			e := &l.pages[i*64+bits.TrailingZeros64(w)]
			n := bits.OnesCount64(e.touched)
			usual := (int(e.usual) + n + 1) / 2
			if n == 0 || usual < l.many || e.spans {
				l.changed[i] &^= w & -w
			}
			*e = page{usual: uint8(usual)}
		}
	}
	l.cur = l.frames.Next()
	l.empty(l.cur, 0)
	for i, w := range l.changed {
		l.changed[i] = 0
		for ; w != 0; w &= w - 1 {
			k := i*64 + bits.TrailingZeros64(w)
			l.keep(k, &l.pages[k])
		}
	}
	l.cur.early = len(l.cur.images)
}

// sync tells the images of the current frame which slots may have changed.
func (l *Log[T, S]) sync() {
	f := l.cur
	for i := range f.records {
		r := &f.records[i]
		if e := &l.pages[r.page]; e.image == uint32(i+1) { // else the page has left
			r.touched = e.touched
		}
	}
}

// unlog empties the table of pages, which is that of the current frame.
func (l *Log[T, S]) unlog() {
	for i, w := range l.changed {
		l.changed[i] = 0
		for ; w != 0; w &= w - 1 {
			e := &l.pages[i*64+bits.TrailingZeros64(w)]
			*e = page{usual: e.usual}
		}
	}
}

// empty forgets what changed in f, apart from the given number of images, and keeps its memory.
func (l *Log[T, S]) empty(f *frame[T, S], images int) {
	spare := f.images[images:]
	if l.dirty {
		clear(f.notes)
		for _, im := range spare {
			*im = image[T, S]{}
		}
	}
	l.spare = append(l.spare, spare...)
	f.notes, f.left = f.notes[:0], f.left[:0]
	f.images, f.records, f.early = f.images[:images], f.records[:images], images
}

// Forget forgets all frames, and begins one. The container may have changed in any way. It must
// then call Grow and, if it compares, Cover for each page.
func (l *Log[T, S]) Forget() {
	l.unlog()
	for f := l.Oldest(); f <= l.Now(); f++ {
		l.empty(l.frames.At(f), 0)
	}
	l.cur = l.frames.Restart()
	clear(l.shadow)
	l.pages, l.changed, l.shadow = l.pages[:0], l.changed[:0], l.shadow[:0]
}

// Clip releases the memory that no frame needs. The container has the given number of pages, and no
// page beyond them is used, except by frames.
func (l *Log[T, S]) Clip(pages int) {
	l.frames.Clip(func(f *frame[T, S]) {
		f.notes, f.left = slices.Clone(f.notes), slices.Clone(f.left)
		f.images, f.records = slices.Clone(f.images), slices.Clone(f.records)
		for i := range f.notes {
			pages = max(pages, int(f.notes[i].at/pageSlots)+1)
		}
		for i := range f.records {
			pages = max(pages, int(f.records[i].page)+1)
		}
		for i := range f.left {
			pages = max(pages, f.left[i].page+1)
		}
	})
	l.cur = l.frames.At(l.Now())
	l.spare, l.met, l.past = nil, nil, nil
	pages = min(pages, len(l.pages))
	l.pages = slices.Clone(l.pages[:pages])
	l.changed = slices.Clone(l.changed[:wordsOf(pages)])
	if l.shadow != nil {
		l.shadow = slices.Clone(l.shadow[:pages])
	}
}

// Check panics with the number of an invariant that l violates, if any.
func (l *Log[T, S]) Check() {
	var few [64]uint64 // so that the checks of a small container allocate nothing
	kept := append(few[:0], make([]uint64, len(l.pages))...)
	for i := range l.cur.notes {
		at := l.cur.notes[i].at
		kept[at/pageSlots] |= 1 << (at % pageSlots)
	}
	for k, e := range l.pages {
		if e.image != 0 {
			if int(e.image) > len(l.cur.records) || l.cur.records[e.image-1].page != uint32(k) {
				panic("journal: invariant 1: the image is of another page")
			}
			kept[k] |= l.cur.records[e.image-1].slots()
		}
		switch {
		case e.kept&^kept[k] != 0:
			panic("journal: invariant 2: a slot is kept without a note or an image")
		case e.touched&^e.kept != 0:
			panic("journal: invariant 3: a slot is touched and not kept")
		case e.kept != 0 && l.changed[k/64]>>(k%64)&1 == 0:
			panic("journal: invariant 4: a page with kept slots is not in changed")
		case e.met != 0:
			panic("journal: invariant 6: a page is met")
		}
	}
	for i := range l.frames.list {
		f := &l.frames.list[i]
		if len(f.notes)+len(f.images)+len(f.left) != 0 && !l.frames.holds(i) {
			panic("journal: invariant 5: a forgotten frame is not empty")
		}
	}
	if len(l.met)+len(l.past) != 0 {
		panic("journal: invariant 6: a page is met")
	}
}
