package berth

import (
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
)

// few is the number of values from which on a whole block is kept at once.
const few = journal.Few

// logOf is a journal of a container or a Column.
type logOf[V any, S, P comparable] struct {
	HistoryConfig
	log *journal.Log[V, S, P]
}

// newLog returns a journal for c. live reports whether a slot of that state has a value.
func newLog[V any, S, P comparable](c HistoryConfig, live func(S) bool) logOf[V, S, P] {
	if !c.Compare && !invariants.On {
		live = nil
	}
	return logOf[V, S, P]{c, journal.NewLog[V, S, P](c.Frames, live)}
}

// settings returns the number of the current frame, and how the History was made.
func (l *logOf[V, S, P]) settings() (now uint64, c HistoryConfig) {
	return l.log.Now(), l.HistoryConfig
}

// blockLog records the changes of blocks, the pages of its journal: those of a Pool, which may get
// another block of the same number, or those of a Column, which are known by their number.
type blockLog[V any] struct {
	logOf[V, uint32, *block[V]]
	blocks *[]*block[V]
	column bool
}

func newBlockLog[V any](c HistoryConfig, blocks *[]*block[V], column bool) blockLog[V] {
	live := func(gen uint32) bool { return gen&1 != 0 }
	l := blockLog[V]{newLog[V, uint32, *block[V]](c, live), blocks, column}
	l.cover()
	return l
}

// cover makes the journal ready for the present blocks.
func (l *blockLog[V]) cover() {
	l.log.Grow(len(*l.blocks))
	for k, b := range *l.blocks {
		if b != nil {
			l.log.Cover(k, b.vals[:])
		}
	}
}

// ref returns what the journal knows b by.
func (l *blockLog[V]) ref(b *block[V]) *block[V] {
	if l.column {
		return nil
	}
	return b
}

// note records slot i of b, which is block k, before it changes.
func (l *blockLog[V]) note(h *head, k, i int) {
	b := blockOf[V](h)
	if l.log.Note(k, l.ref(b), i, &b.vals[i&63], b.gens[i&63]) {
		l.image(h, k, 0)
	}
}

// image records all of b, and that the given slots will change.
func (l *blockLog[V]) image(h *head, k int, slots uint64) {
	b := blockOf[V](h)
	l.log.Image(k, l.ref(b), journal.Words{b.occ, b.free}, slots, b.vals[:], b.gens[:])
}

// noteAll records the given slots of b, which is block k, before they change.
func (l *blockLog[V]) noteAll(h *head, k int, slots uint64) {
	b := blockOf[V](h)
	l.log.NoteAll(k, l.ref(b), journal.Words{b.occ, b.free}, slots, b.vals[:], b.gens[:])
}

// findIn records the values of blocks of p that were written to without Edit. Without Compare, it
// panics if there is one.
func (l *blockLog[V]) findIn(p *core, fn string) {
	for k, b := range *l.blocks {
		if b == nil || b.occ == 0 {
			continue
		}
		slots := b.occ &^ l.log.LoggedSlots(k)
		for w := l.log.Differs(k, b.vals[:], slots); w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if !l.Compare {
				panicUnrecorded(fn, p.id(&b.head, k, i))
			}
			l.note(&b.head, k, i)
		}
	}
}

// panicUnrecorded panics because the value of h was written to without Edit.
func panicUnrecorded(fn string, h id) {
	panic("berth: " + fn + ": the value of " + textOf(h) +
		" was written to through a pointer that is not from Edit")
}

// restore makes slots of b what they were, apart from their values and generations. A slot that was
// noted was live or vacant: nothing was under construction when the frame began, and a retired slot
// does not change. Its generation does not tell whether it was retired since, as that of a retired
// slot is that of one never used.
func (b *head) restore(noted, imaged uint64, w journal.Words) {
	live := w[0]
	for w := noted; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		live |= uint64(b.gens[i]&1) << i
	}
	b.occ = b.occ&^(noted|imaged) | live
	b.free = b.free&^(noted|imaged) | noted&^live | w[1]
}

// poolLog records the changes of a Pool for its History.
//
// The functions that change a slot call note before they do so, those that give the directory a
// block or take one from it call placed and dropped, and those that replace the contents of the
// whole Pool call forgetFrames afterwards. While there is a poolLog, quick is 0, so that the
// inlined parts of inserts and removals need no such call.
type poolLog[T any] struct {
	blockLog[T]
	poolFrames
}

// poolFrames are the frames of a Pool without its slots.
type poolFrames struct {
	p     *core
	heads journal.Ring[poolHead]
	dir   []*head   // directory for Ref
	past  []*head   // memory for it
	freed [][]byte  // memory of rewind
	list  []changed // memory of Changed
}

// poolHead is what a Pool has beside its blocks, as it was when a frame began. It leaves out what
// does not change.
type poolHead struct {
	n, reserve, chunks, spares, retired, lost int
	ended, grown, released                    uint64
	blocks                                    int // length of the directory
	tail                                      uint32
	shift                                     uint8
	mode                                      Truncate // InsertAt changes it
	floors                                    []uint32
	room                                      bitset.Queue
	live, spare, gone                         bitset.Set

	moved []placing // changes of the directory in the frame, in their order
	dense denseHead // of the Dense whose index it is
}

// placing is a change of the directory. It holds what was there before.
type placing struct {
	b     *head // nil if the block is new
	k     int
	chunk int    // the number of the chunk if k is its first block and there is a Memory, or -1
	piece []byte // the chunk's piece of memory before
}

// newPoolLog makes p record its changes.
func newPoolLog[T any](fn string, p *Pool[T], c HistoryConfig) *poolLog[T] {
	x := coreOf(p)
	x.ready(0)
	l := &poolLog[T]{poolFrames: poolFrames{p: x, heads: journal.NewRing[poolHead](c.Frames)}}
	l.quiet(fn)
	l.blockLog = newBlockLog(c, &p.dir, false)
	l.heads.At(1).save(x)
	x.rarely().recorded = l
	x.setMax(x.max)
	for _, c := range x.rare.columns {
		c.record(l.settings())
	}
	return l
}

// quiet panics if an InsertFunc is running.
func (l *poolFrames) quiet(fn string) {
	if len(l.p.rare.building()) != 0 {
		panic("berth: " + fn + ": an InsertFunc of the container must not be running")
	}
}

// noteRun implements [recording].
func (l *poolLog[T]) noteRun(first, n int) {
	k := first >> 6
	b := l.p.dir[k]
	slots := bitset.Beyond(first&63) &^ bitset.Beyond(first&63+n)
	if bits.OnesCount64(b.occ&^l.log.LoggedSlots(k)) > few {
		l.image(b, k, slots)
	} else {
		l.noteAll(b, k, slots)
	}
}

// placed records that b becomes block k.
func (l *poolLog[T]) placed(k int, h *head) {
	l.move(k, nil)
	l.log.Grow(len(l.p.dir))
	l.log.Cover(k, blockOf[T](h).vals[:])
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
func (l *poolFrames) move(k int, piece []byte) {
	m := placing{b: l.p.dir[k], k: k, chunk: -1}
	if l.p.supply != nil && k&(1<<l.p.shift-1) == 0 {
		m.chunk, m.piece = k>>l.p.shift, piece
	}
	h := l.heads.At(l.heads.Now())
	h.moved = append(h.moved, m)
}

// find implements [recording].
func (l *poolLog[T]) find(fn string) {
	if !l.Compare && !invariants.On {
		return
	}
	for _, c := range l.p.rare.columns {
		c.find(fn)
	}
	l.findIn(l.p, fn)
}

// mark implements [recording].
func (l *poolLog[T]) mark() {
	if h := l.heads.Replaced(); h != nil {
		h.release(l.p.supply)
	}
	l.log.Mark(l)
	for _, c := range l.p.rare.columns {
		c.mark()
	}
	l.heads.Next().save(l.p)
}

// release forgets the changes of the directory in the frame of h. The memory of the blocks that
// were dropped is freed.
func (h *poolHead) release(s *supply) {
	for i := range h.moved {
		if m := &h.moved[i]; m.piece != nil {
			s.free(m.piece)
		}
	}
	h.stay()
}

// stay forgets them, and frees nothing.
func (h *poolHead) stay() {
	clear(h.moved)
	h.moved = h.moved[:0]
}

// save makes h the state of p.
func (h *poolHead) save(p *core) {
	h.n, h.reserve, h.chunks, h.spares = p.n, p.reserve, p.chunks, p.spares
	h.ended, h.grown, h.released = p.ended, p.grown, p.released
	h.retired, h.lost = p.rare.worn()
	h.blocks, h.tail, h.shift, h.mode = len(p.dir), p.tail, p.shift, p.mode()
	h.floors = append(h.floors[:0], p.floors...)
	h.room.CopyFrom(&p.room)
	h.live.CopyFrom(&p.live)
	h.spare.CopyFrom(&p.spare)
	h.gone.CopyFrom(&p.gone)
}

// load makes the state of p that of h, apart from the directory.
func (h *poolHead) load(p *core) {
	p.n, p.reserve, p.chunks, p.spares = h.n, h.reserve, h.chunks, h.spares
	p.ended, p.grown, p.released = h.ended, h.grown, h.released
	p.rare.retired, p.rare.lost = h.retired, h.lost
	p.tail, p.shift = h.tail, h.shift
	p.setMode(h.mode)
	p.floors = append(p.floors[:0], h.floors...)
	p.room.CopyFrom(&h.room)
	p.live.CopyFrom(&h.live)
	p.spare.CopyFrom(&h.spare)
	p.gone.CopyFrom(&h.gone)
}

// rewind implements [recording].
func (l *poolLog[T]) rewind(f uint64) error {
	p, h := l.p, l.heads.At(f)
	l.undo(f)
	l.dir = p.dir
	l.log.Rewind(f, l)
	h.load(p)
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
	p.changed()
	return nil
}

// undo takes the changes of the directory since the beginning of frame f back. The directory may
// then be too long.
func (l *poolLog[T]) undo(f uint64) {
	p, s := l.p, l.p.supply
	p.dir = l.back(f, extend(p.dir, l.heads.At(f).blocks), func(m *placing, b *head) {
		if m.b == nil {
			p.kind.leave(b)
			l.log.Leave(m.k)
		} else {
			l.log.Cover(m.k, blockOf[T](m.b).vals[:])
		}
		if m.chunk >= 0 {
			s.pieces = extend(s.pieces, m.chunk+1)
			if m.b == nil {
				l.freed = append(l.freed, s.pieces[m.chunk])
			}
			s.pieces[m.chunk] = m.piece
		}
	})
	for g := f; g <= l.heads.Now(); g++ {
		l.heads.At(g).stay()
	}
}

// back takes the changes of the directory since the beginning of frame f back in dir, the latest
// first, and returns dir, which may then be too long. It calls undo for each, with the block that
// was there after it.
func (l *poolFrames) back(f uint64, dir []*head, undo func(m *placing, b *head)) []*head {
	for g := l.heads.Now(); g >= f; g-- {
		moved := l.heads.At(g).moved
		for i := len(moved) - 1; i >= 0; i-- {
			m := &moved[i]
			dir = extend(dir, m.k+1)
			undo(m, dir[m.k])
			dir[m.k] = m.b
		}
	}
	return dir
}

// extend returns s with at least n elements. New ones are zero.
func extend[E any](s []E, n int) []E {
	if n > len(s) {
		s = append(s, make([]E, n-len(s))...)
	}
	return s
}

// changes implements [recording].
func (l *poolLog[T]) changes(f uint64, list []changed, edits bool) []changed {
	p := l.p
	l.past = l.back(f, append(l.past[:0], p.dir...), func(*placing, *head) {})
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
			h := id{p.salt + uint32(k<<6+i), g}
			switch {
			case g != is[i]:
				if g&1 != 0 {
					list = append(list, changed{h, Removed})
				}
				if h.gen = is[i]; h.gen&1 != 0 {
					list = append(list, changed{h, Inserted})
				}
			case edits && g&1 != 0 && touched>>i&1 != 0:
				list = append(list, changed{h, Edited})
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
	l.heads.Clip(func(h *poolHead) {
		h.floors, h.moved = slices.Clone(h.floors), slices.Clone(h.moved)
		for _, s := range []interface{ Clip() }{&h.room, &h.live, &h.spare, &h.gone} {
			s.Clip()
		}
		for i := range h.moved {
			blocks = max(blocks, h.moved[i].k+1)
		}
	})
	l.log.Clip(blocks)
	l.past, l.freed, l.list = nil, nil, nil
}

// releaseAll forgets the changes of the directory in all frames.
func (l *poolFrames) releaseAll() {
	for f := l.heads.Oldest(); f <= l.heads.Now(); f++ {
		l.heads.At(f).release(l.p.supply)
	}
}

// close implements [recording].
func (l *poolLog[T]) close() {
	l.releaseAll()
	l.p.rare.recorded = nil
	l.p.setMax(l.p.max)
	for _, c := range l.p.rare.columns {
		c.forget()
	}
}

// replaced makes the present state the beginning of a new frame, and forgets all others.
func (l *poolLog[T]) replaced() {
	l.releaseAll()
	l.log.Forget()
	l.cover()
	l.heads.Restart().save(l.p)
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
		return blockOf[T](l.dir[k])
	}
	return nil
}

// Slots implements [journal.Pages].
func (l *poolLog[T]) Slots(b *block[T], _ int) ([]T, []uint32) { return b.vals[:], b.gens[:] }

// Restored implements [journal.Pages].
func (l *poolLog[T]) Restored(b *block[T], _ int, noted, imaged uint64, w journal.Words) {
	b.restore(noted, imaged, w)
}
