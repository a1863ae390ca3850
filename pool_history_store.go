package berth

import (
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// poolLog records the changes of a Pool for its History. The pages of its journal are the blocks.
//
// The functions that change a slot call note before they do so, those that give the directory a
// block or take one from it call placed and dropped, and those that replace the contents of the
// whole Pool call forgetFrames afterwards. While there is a poolLog, quick is 0, so that the
// inlined parts of inserts and removals need no such call.
type poolLog[T any] struct {
	p       *Pool[T]
	compare bool
	frames  int  // at most
	inner   bool // p is the index of a Dense, whose denseLog forgets the frames
	log     *journal.Log[T, uint32, *block[T]]
	heads   journal.Ring[poolHead[T]]

	dir   []*block[T]   // directory for Ref
	past  []*block[T]   // memory for it
	freed [][]byte      // memory of rewind
	list  []changeOf[T] // memory of Changed
}

// poolHead is what a Pool has beside its blocks, as it was when a frame began. It leaves out what
// does not change.
type poolHead[T any] struct {
	n, reserve, chunks, spares, retired, lost int
	ended, grown, released                    uint64
	blocks                                    int // length of the directory
	tail                                      uint32
	shift                                     uint8
	mode                                      Truncate // InsertAt changes it
	floors                                    []uint32
	room                                      bitset.Queue
	live, spare, gone                         bitset.Set

	moved []placing[T] // changes of the directory in the frame, in their order
}

// placing is a change of the directory. It holds what was there before.
type placing[T any] struct {
	b     *block[T] // nil if the block is new
	k     int
	chunk int    // the number of the chunk if k is its first block and there is a Memory, or -1
	piece []byte // the chunk's piece of memory before
}

// changeOf is what happened to a value.
type changeOf[T any] struct {
	h Handle[T]
	c Change
}

// newPoolLog makes p record its changes.
func newPoolLog[T any](fn string, p *Pool[T], c HistoryConfig) *poolLog[T] {
	l := &poolLog[T]{p: p, compare: c.Compare, frames: c.Frames}
	l.heads = journal.NewRing[poolHead[T]](c.Frames)
	l.quiet(fn)
	var live func(uint32) bool
	if c.Compare || invariants.On {
		live = func(gen uint32) bool { return gen&1 != 0 }
	}
	l.log = journal.NewLog[T, uint32, *block[T]](c.Frames, live)
	l.cover()
	l.save(l.heads.At(1))
	coreOf(p).rarely().recorded = l
	coreOf(p).setMax(p.max)
	for _, c := range p.rare.columns {
		c.record(l.settings())
	}
	return l
}

// settings returns the number of the current frame, and how the History was made.
func (l *poolLog[T]) settings() (now uint64, c HistoryConfig) {
	return l.log.Now(), HistoryConfig{Frames: l.frames, Compare: l.compare}
}

// cover makes the journal ready for the present blocks.
func (l *poolLog[T]) cover() {
	l.log.Grow(len(l.p.dir))
	for k, b := range l.p.dir {
		if b != nil {
			l.log.Cover(k, b.vals[:])
		}
	}
}

// quiet panics if an InsertFunc is running.
func (l *poolLog[T]) quiet(fn string) {
	if len(l.p.rare.building()) != 0 {
		panic("berth: " + fn + ": an InsertFunc of the container must not be running")
	}
}

// note records slot i of b, which is block k, before it changes.
func (l *poolLog[T]) note(h *head, k, i int) {
	b := blockOf[T](h)
	if l.log.Note(k, b, i, &b.vals[i&63], b.gens[i&63]) {
		l.log.Image(k, b, journal.Words{b.occ, b.free}, 0, b.vals[:], b.gens[:])
	}
}

// noteAll records the given slots of b, which is block k, before they change.
func (l *poolLog[T]) noteAll(h *head, k int, slots uint64) {
	b := blockOf[T](h)
	if bits.OnesCount64(slots&^l.log.LoggedSlots(k)) > few {
		l.log.Image(k, b, journal.Words{b.occ, b.free}, slots, b.vals[:], b.gens[:])
		return
	}
	for w := slots &^ l.log.LoggedSlots(k); w != 0; w &= w - 1 {
		l.note(h, k, bits.TrailingZeros64(w))
	}
}

// expect prepares for a change of the given slots of b, which is block k: it keeps the whole block
// if they are many.
func (l *poolLog[T]) expect(b *block[T], k int, slots uint64) {
	if bits.OnesCount64(slots&^l.log.LoggedSlots(k)) > few {
		l.log.Image(k, b, journal.Words{b.occ, b.free}, 0, b.vals[:], b.gens[:])
	}
}

// placed records that b becomes block k.
func (l *poolLog[T]) placed(k int, h *head) {
	b := blockOf[T](h)
	l.move(k, nil)
	l.log.Grow(len(l.p.dir))
	l.log.Cover(k, b.vals[:])
}

// dropped records that block k is released.
func (l *poolLog[T]) dropped(k int) {
	var piece []byte
	if s := l.p.supply; s != nil {
		piece = s.pieces[k>>l.p.shift]
	}
	l.move(k, piece)
	l.log.Leave(k)
}

// move records a change of the directory at k, where the chunk has had that piece of memory.
func (l *poolLog[T]) move(k int, piece []byte) {
	m := placing[T]{b: l.p.dir[k], k: k, chunk: -1}
	if l.p.supply != nil && k&(1<<l.p.shift-1) == 0 {
		m.chunk, m.piece = k>>l.p.shift, piece
	}
	h := l.heads.At(l.log.Now())
	h.moved = append(h.moved, m)
}

// find records the values that were written to without Edit. Without Compare, and with the tag
// berth_invariants, it panics if there is one.
func (l *poolLog[T]) find(fn string) {
	if !l.compare && !invariants.On {
		return
	}
	for _, c := range l.p.rare.columns {
		c.find(fn)
	}
	for k, b := range l.p.dir {
		if b == nil || b.occ == 0 {
			continue
		}
		slots := b.occ &^ l.log.LoggedSlots(k)
		for w := l.log.Differs(k, b.vals[:], slots); w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if !l.compare {
				panicUnrecorded(fn, Handle[T]{id: look(l.p).id(&b.head, k, i)})
			}
			l.note(&b.head, k, i)
		}
	}
}

// panicUnrecorded panics because the value of h was written to without Edit.
func panicUnrecorded[T any](fn string, h Handle[T]) {
	panic("berth: " + fn + ": the value of " + h.String() +
		" was written to through a pointer that is not from Edit")
}

// mark ends the frame, and returns the number of the next one.
func (l *poolLog[T]) mark() uint64 {
	if h := l.heads.Replaced(); h != nil {
		l.release(h)
	}
	l.log.Mark(l)
	for _, c := range l.p.rare.columns {
		c.mark()
	}
	l.save(l.heads.Next())
	return l.log.Now()
}

// release forgets the changes of the directory in the frame of h. The memory of the blocks that
// were dropped is freed.
func (l *poolLog[T]) release(h *poolHead[T]) {
	for i := range h.moved {
		if m := &h.moved[i]; m.piece != nil {
			l.p.supply.free(m.piece)
		}
	}
	clear(h.moved)
	h.moved = h.moved[:0]
}

// save makes h the state of the Pool.
func (l *poolLog[T]) save(h *poolHead[T]) {
	p := l.p
	h.n, h.reserve, h.chunks, h.spares = p.n, p.reserve, p.chunks, p.spares
	h.ended, h.grown, h.released = p.ended, p.grown, p.released
	h.retired, h.lost = p.rare.worn()
	h.blocks, h.tail, h.shift, h.mode = len(p.dir), p.tail, p.shift, look(p).mode()
	h.floors = append(h.floors[:0], p.floors...)
	h.room.CopyFrom(&p.room)
	h.live.CopyFrom(&p.live)
	h.spare.CopyFrom(&p.spare)
	h.gone.CopyFrom(&p.gone)
}

// load makes the state of the Pool that of h, apart from the directory.
func (l *poolLog[T]) load(h *poolHead[T]) {
	p := l.p
	p.n, p.reserve, p.chunks, p.spares = h.n, h.reserve, h.chunks, h.spares
	p.ended, p.grown, p.released = h.ended, h.grown, h.released
	p.rare.retired, p.rare.lost = h.retired, h.lost
	p.tail, p.shift = h.tail, h.shift
	coreOf(p).setMode(h.mode)
	p.floors = append(p.floors[:0], h.floors...)
	p.room.CopyFrom(&h.room)
	p.live.CopyFrom(&h.live)
	p.spare.CopyFrom(&h.spare)
	p.gone.CopyFrom(&h.gone)
}

// rewind makes the Pool what it was when frame f began.
func (l *poolLog[T]) rewind(f uint64) {
	p, h := l.p, l.heads.At(f)
	l.undo(f)
	l.dir = p.dir
	l.log.Rewind(f, l)
	l.load(h)
	l.heads.Back(f)
	clear(p.dir[h.blocks:])
	p.dir, l.dir = p.dir[:h.blocks], nil
	if s := p.supply; s != nil {
		clear(s.pieces[len(p.floors):])
		s.pieces = s.pieces[:len(p.floors)]
		for _, piece := range l.freed {
			s.free(piece)
		}
		clear(l.freed)
		l.freed = l.freed[:0]
	}
	for _, c := range p.rare.columns {
		c.rewind(f)
	}
	coreOf(p).changed()
}

// undo takes the changes of the directory since the beginning of frame f back. The directory may
// then be too long.
func (l *poolLog[T]) undo(f uint64) {
	p := l.p
	p.dir = extend(p.dir, l.heads.At(f).blocks)
	for g := l.log.Now(); g >= f; g-- {
		h := l.heads.At(g)
		for i := len(h.moved) - 1; i >= 0; i-- {
			m := &h.moved[i]
			p.dir = extend(p.dir, m.k+1)
			if m.b == nil {
				coreOf(p).kind.leave(&p.dir[m.k].head)
				l.log.Leave(m.k)
			} else {
				l.log.Cover(m.k, m.b.vals[:])
			}
			p.dir[m.k] = m.b
			if m.chunk < 0 {
				continue
			}
			s := p.supply
			s.pieces = extend(s.pieces, m.chunk+1)
			if m.b == nil {
				l.freed = append(l.freed, s.pieces[m.chunk])
			}
			s.pieces[m.chunk] = m.piece
		}
		clear(h.moved)
		h.moved = h.moved[:0]
	}
}

// extend returns s with at least n elements. New ones are zero.
func extend[E any](s []E, n int) []E {
	if n > len(s) {
		s = append(s, make([]E, n-len(s))...)
	}
	return s
}

// changes appends the changes since the beginning of frame f to list, in slot order. Without edits,
// it leaves out Edited.
func (l *poolLog[T]) changes(f uint64, list []changeOf[T], edits bool) []changeOf[T] {
	p := l.p
	l.past = append(l.past[:0], p.dir...)
	for g := l.log.Now(); g >= f; g-- {
		for h, i := l.heads.At(g), len(l.heads.At(g).moved)-1; i >= 0; i-- {
			m := &h.moved[i]
			l.past = extend(l.past, m.k+1)
			l.past[m.k] = m.b
		}
	}
	l.dir = l.past
	var vacant [blockSlots]uint32
	l.log.Since(f, l, func(k int, touched uint64, states *[blockSlots]uint32) {
		was, is := &vacant, &vacant
		if states != nil {
			was = states
		}
		if k < len(p.dir) && p.dir[k] != nil {
			is = &p.dir[k].gens
		}
		for i, g := range was {
			h := Handle[T]{id: id{p.salt + uint32(k<<6+i), g}}
			switch {
			case g != is[i]:
				if g&1 != 0 {
					list = append(list, changeOf[T]{h, Removed})
				}
				if h.gen = is[i]; h.gen&1 != 0 {
					list = append(list, changeOf[T]{h, Inserted})
				}
			case edits && g&1 != 0 && touched>>i&1 != 0:
				list = append(list, changeOf[T]{h, Edited})
			}
		}
	})
	clear(l.past)
	l.dir = nil
	return list
}

// clip releases the memory that no frame needs.
func (l *poolLog[T]) clip() {
	blocks := len(l.p.dir)
	l.heads.Clip(func(h *poolHead[T]) {
		h.floors, h.moved = slices.Clone(h.floors), slices.Clone(h.moved)
		h.room.Clip()
		h.live.Clip()
		h.spare.Clip()
		h.gone.Clip()
		for i := range h.moved {
			blocks = max(blocks, h.moved[i].k+1)
		}
	})
	l.log.Clip(blocks)
	l.past, l.freed, l.list = nil, nil, nil
}

// close ends the recording.
func (l *poolLog[T]) close() {
	for f := l.log.Oldest(); f <= l.log.Now(); f++ {
		l.release(l.heads.At(f))
	}
	l.p.rare.recorded = nil
	coreOf(l.p).setMax(l.p.max)
	for _, c := range l.p.rare.columns {
		c.forget()
	}
}

// replaced makes the present state the beginning of a new frame, and forgets all others, unless the
// denseLog does so.
func (l *poolLog[T]) replaced() {
	if l.inner {
		l.cover()
	} else {
		l.forget()
	}
}

// forget makes the present state the beginning of a new frame, and forgets all others.
func (l *poolLog[T]) forget() {
	for f := l.log.Oldest(); f <= l.log.Now(); f++ {
		l.release(l.heads.At(f))
	}
	l.log.Forget()
	l.cover()
	l.save(l.heads.Restart())
}

// check checks the journal.
func (l *poolLog[T]) check() {
	l.log.Check()
	for k, b := range l.p.dir {
		if b != nil && k >= l.log.Len() {
			fail(7, "block %d is unknown to the journal", k)
		}
	}
}

// Ref implements [journal.Pages].
func (l *poolLog[T]) Ref(k int) *block[T] {
	if k < len(l.dir) {
		return l.dir[k]
	}
	return nil
}

// Slots implements [journal.Pages].
func (l *poolLog[T]) Slots(b *block[T], _ int) ([]T, []uint32) { return b.vals[:], b.gens[:] }

// Restored implements [journal.Pages]. A slot that was noted was live or vacant: nothing was under
// construction when the frame began, and a retired slot does not change. Its generation does not
// tell whether it was retired since, as that of a retired slot is that of one never used.
func (l *poolLog[T]) Restored(b *block[T], _ int, noted, imaged uint64, w journal.Words) {
	live := w[0]
	for w := noted; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		live |= uint64(b.gens[i]&1) << i
	}
	b.occ = b.occ&^(noted|imaged) | live
	b.free = b.free&^(noted|imaged) | noted&^live | w[1]
}
