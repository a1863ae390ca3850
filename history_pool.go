package berth

import (
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/slots"
)

// logOf is a journal of a container or a Column.
type logOf[V any, S comparable] struct {
	HistoryConfig
	log *journal.Log[V, S]
}

// newLog returns a journal for c. live reports whether a slot of that state has a value.
func newLog[V any, S comparable](c HistoryConfig, live func(S) bool) logOf[V, S] {
	if !c.Compare && !invariants.On {
		live = nil
	}
	return logOf[V, S]{c, journal.NewLog[V, S](c.Frames, live)}
}

// Settings returns the number of the current frame, and how the History was made.
func (l *logOf[V, S]) Settings() (now uint64, c slots.Frames) {
	return l.log.Now(), slots.Frames(l.HistoryConfig)
}

// blockLog records the changes of the blocks of a Pool or a Column, the pages of its journal.
type blockLog[V any] struct {
	logOf[V, uint32]
	blocks *[]*slots.Block[V]
}

func newBlockLog[V any](c HistoryConfig, blocks *[]*slots.Block[V]) blockLog[V] {
	live := func(gen uint32) bool { return gen&1 != 0 }
	l := blockLog[V]{newLog[V, uint32](c, live), blocks}
	l.cover()
	return l
}

// cover makes the journal ready for the present blocks.
func (l *blockLog[V]) cover() {
	l.log.Grow(len(*l.blocks))
	for k, b := range *l.blocks {
		if b != nil {
			l.log.Cover(k, b.Vals[:])
		}
	}
}

// Note records slot i of b, which is block k, before it changes.
func (l *blockLog[V]) Note(h *slots.Head, k, i int) {
	b := slots.BlockOf[V](h)
	l.log.Note(k, i, &b.Vals[i&63], b.Gens[i&63])
}

// NoteReserved is Note for a slot whose handle is reserved. A note does not tell it from a vacant
// one, but an image does.
func (l *blockLog[V]) NoteReserved(k, i int) {
	if l.log.LoggedSlots(k)>>(i&63)&1 == 0 {
		l.log.Image(k, 1<<(i&63))
	}
}

// NoteAll records the given slots of block k before they change.
func (l *blockLog[V]) NoteAll(k int, mask uint64) { l.log.NoteAll(k, mask, 0) }

// findIn records the values of blocks of p that were written to without Edit. Without Compare, it
// panics if there is one.
func (l *blockLog[V]) findIn(p *slots.Core, fn string) {
	for k, b := range *l.blocks {
		if b == nil || b.Occ == 0 {
			continue
		}
		mask := b.Occ &^ l.log.LoggedSlots(k)
		for w := l.log.Differs(k, b.Vals[:], mask); w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if !l.Compare {
				panicUnrecorded(fn, p.ID(&b.Head, k, i))
			}
			l.Note(&b.Head, k, i)
		}
	}
}

// panicUnrecorded panics because the value of h was written to without Edit.
func panicUnrecorded(fn string, h slots.ID) {
	panic("berth: " + fn + ": the value of " + slots.TextOf(h) +
		" was written to through a pointer that is not from Edit")
}

// poolLog records the changes of a Pool for its History.
//
// The functions that change a slot call Note before they do so, those that give the directory a
// block or take one from it call Placed and Dropped, and those that replace the contents of the
// whole Pool call Replaced afterwards. While there is a poolLog, Quick is 0, so that the
// inlined parts of inserts and removals need no such call.
type poolLog[T any] struct {
	blockLog[T]
	poolFrames
}

// poolFrames are the frames of a Pool without its slots.
type poolFrames struct {
	p     *slots.Core
	heads journal.Ring[poolHead]
	dir   []*slots.Head // the directory of a frame, in changes
	past  []*slots.Head // memory for it
	freed [][]byte      // memory of rewind
	list  []changed     // memory of Changed
}

// poolHead is what a Pool has beside its blocks, as it was when a frame began. It leaves out what
// does not change.
type poolHead struct {
	n, reserve, chunks, spares, reserves, retired, lost int
	ended, grown, released                              uint64
	blocks                                              int // length of the directory
	tail                                                uint32
	shift                                               uint8
	mode                                                slots.Truncate // InsertAt changes it
	floors                                              []uint32
	room                                                bitset.Queue
	live, spare, gone                                   bitset.Set

	moved []placing // changes of the directory in the frame, in their order
	dense denseHead // of the Dense whose index it is
}

// placing is a change of the directory. It holds what was there before.
type placing struct {
	b     *slots.Head // nil if the block is new
	k     int
	chunk int    // the number of the chunk if k is its first block and there is a Memory, or -1
	piece []byte // the chunk's piece of memory before
}

// newPoolLog makes p record its changes.
func newPoolLog[T any](fn string, p *Pool[T], c HistoryConfig) *poolLog[T] {
	x := coreOf(p)
	x.Ready(0)
	l := &poolLog[T]{poolFrames: poolFrames{p: x, heads: journal.NewRing[poolHead](c.Frames)}}
	l.quiet(fn)
	l.blockLog = newBlockLog(c, &p.dir)
	l.log.Pages = l
	l.heads.At(1).save(x)
	x.Rarely().Recorded = l
	x.SetMax(x.Max)
	for _, c := range x.Rare.Columns {
		c.Record(l.Settings())
	}
	return l
}

// quiet panics if an InsertFunc is running.
func (l *poolFrames) quiet(fn string) {
	if len(l.p.Rare.Building()) != 0 {
		panic("berth: " + fn + ": an InsertFunc of the container must not be running")
	}
}

// noteRun implements [recording].
func (l *poolLog[T]) noteRun(first, n int) {
	k := first >> 6
	l.log.NoteAll(k, bitset.Beyond(first&63)&^bitset.Beyond(first&63+n), l.p.Dir[k].Occ)
}

// Placed records that b becomes block k.
func (l *poolLog[T]) Placed(k int, h *slots.Head) {
	l.move(k, nil)
	l.log.Grow(len(l.p.Dir))
	l.log.Cover(k, slots.BlockOf[T](h).Vals[:])
}

// Dropped records that block k is released.
func (l *poolLog[T]) Dropped(k int) {
	var piece []byte
	if s := l.p.Supply; s != nil {
		piece = s.Pieces[k>>l.p.Shift]
	}
	l.move(k, piece)
	l.log.Leave(k)
}

// move records a change of the directory at k, where the chunk has had that piece of memory.
func (l *poolFrames) move(k int, piece []byte) {
	m := placing{b: l.p.Dir[k], k: k, chunk: -1}
	if l.p.Supply != nil && k&(1<<l.p.Shift-1) == 0 {
		m.chunk, m.piece = k>>l.p.Shift, piece
	}
	h := l.heads.At(l.heads.Now())
	h.moved = append(h.moved, m)
}

// find implements [recording].
func (l *poolLog[T]) find(fn string) {
	if !l.Compare && !invariants.On {
		return
	}
	for _, c := range l.p.Rare.Columns {
		c.Find(fn)
	}
	l.findIn(l.p, fn)
}

// mark implements [recording].
func (l *poolLog[T]) mark() {
	if h := l.heads.Replaced(); h != nil {
		h.release(l.p.Supply)
	}
	l.log.Mark()
	for _, c := range l.p.Rare.Columns {
		c.Mark()
	}
	l.heads.Next().save(l.p)
}

// release forgets the changes of the directory in the frame of h. The memory of the blocks that
// were dropped is freed.
func (h *poolHead) release(s *slots.Supply) {
	for i := range h.moved {
		if m := &h.moved[i]; m.piece != nil {
			s.Free(m.piece)
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
func (h *poolHead) save(p *slots.Core) {
	h.n, h.reserve, h.chunks, h.spares = p.N, p.Reserve, p.Chunks, p.Spares
	h.ended, h.grown, h.released = p.Ended, p.Grown, p.Released
	h.reserves = p.Rare.Reserves()
	h.retired, h.lost = p.Rare.Worn()
	h.blocks, h.tail, h.shift, h.mode = len(p.Dir), p.Tail, p.Shift, p.Mode()
	h.floors = append(h.floors[:0], p.Floors...)
	h.room.CopyFrom(&p.Room)
	h.live.CopyFrom(&p.Live)
	h.spare.CopyFrom(&p.Spare)
	h.gone.CopyFrom(&p.Gone)
}

// load makes the state of p that of h, apart from the directory.
func (h *poolHead) load(p *slots.Core) {
	p.N, p.Reserve, p.Chunks, p.Spares = h.n, h.reserve, h.chunks, h.spares
	p.Ended, p.Grown, p.Released = h.ended, h.grown, h.released
	p.SetReserves(h.reserves)
	p.Rare.Retired, p.Rare.Lost = h.retired, h.lost
	p.Tail, p.Shift = h.tail, h.shift
	p.SetMode(h.mode)
	p.Floors = append(p.Floors[:0], h.floors...)
	p.Room.CopyFrom(&h.room)
	p.Live.CopyFrom(&h.live)
	p.Spare.CopyFrom(&h.spare)
	p.Gone.CopyFrom(&h.gone)
}

// rewind implements [recording].
func (l *poolLog[T]) rewind(f uint64) error {
	p, h := l.p, l.heads.At(f)
	if p.Ordered() {
		l.list = l.changes(f, l.list[:0], false)
		for _, x := range l.list {
			if x.c == ChangeInserted {
				p.LeaveOrders(x.h)
			}
		}
	}
	l.undo(f)
	l.log.Rewind(f)
	h.load(p)
	l.heads.Back(f)
	clear(p.Dir[h.blocks:])
	p.Dir = p.Dir[:h.blocks]
	if s := p.Supply; s != nil {
		clear(s.Pieces[len(p.Floors):])
		s.Pieces = s.Pieces[:len(p.Floors)]
		for _, piece := range l.freed {
			s.Free(piece)
		}
		clear(l.freed)
		l.freed = l.freed[:0]
	}
	for _, c := range p.Rare.Columns {
		c.Rewind(f)
	}
	p.Changed()
	return nil
}

// undo takes the changes of the directory since the beginning of frame f back. The directory may
// then be too long.
func (l *poolLog[T]) undo(f uint64) {
	p, s := l.p, l.p.Supply
	p.Dir = l.back(f, extend(p.Dir, l.heads.At(f).blocks), func(m *placing, b *slots.Head) {
		if m.b == nil {
			p.Kind.Leave(b)
			l.log.Leave(m.k)
		} else {
			l.log.Cover(m.k, slots.BlockOf[T](m.b).Vals[:])
		}
		if m.chunk >= 0 {
			s.Pieces = extend(s.Pieces, m.chunk+1)
			if m.b == nil {
				l.freed = append(l.freed, s.Pieces[m.chunk])
			}
			s.Pieces[m.chunk] = m.piece
		}
	})
	for g := f; g <= l.heads.Now(); g++ {
		l.heads.At(g).stay()
	}
}

// back takes the changes of the directory since the beginning of frame f back in dir, the latest
// first, and returns dir, which may then be too long. It calls undo for each, with the block that
// was there after it.
func (l *poolFrames) back(
	f uint64, dir []*slots.Head, undo func(m *placing, b *slots.Head),
) []*slots.Head {
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
	l.past = l.back(f, append(l.past[:0], p.Dir...), func(*placing, *slots.Head) {})
	l.dir = l.past
	var vacant [slots.BlockSlots]uint32
	l.log.Since(f, func(k int, touched uint64, states *[slots.BlockSlots]uint32) {
		was, is := &vacant, &vacant
		if states != nil {
			was = states
		}
		if k < len(p.Dir) && p.Dir[k] != nil {
			is = &p.Dir[k].Gens
		}
		for i, g := range was {
			h := slots.ID{Index: p.Salt + uint32(k<<6+i), Gen: g}
			switch {
			case g != is[i]:
				if g&1 != 0 {
					list = append(list, changed{h, ChangeRemoved})
				}
				if h.Gen = is[i]; h.Gen&1 != 0 {
					list = append(list, changed{h, ChangeInserted})
				}
			case edits && g&1 != 0 && touched>>i&1 != 0:
				list = append(list, changed{h, ChangeEdited})
			}
		}
	})
	clear(l.past)
	l.dir = nil
	return list
}

// Clip releases the memory that no frame needs.
func (l *poolLog[T]) Clip() {
	blocks := len(l.p.Dir)
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
		l.heads.At(f).release(l.p.Supply)
	}
}

// close implements [recording].
func (l *poolLog[T]) close() {
	l.releaseAll()
	l.p.Rare.Recorded = nil
	l.p.SetMax(l.p.Max)
	for _, c := range l.p.Rare.Columns {
		c.Forget()
	}
}

// Replaced makes the present state the beginning of a new frame, and forgets all others.
func (l *poolLog[T]) Replaced() {
	l.releaseAll()
	l.log.Forget()
	l.cover()
	l.heads.Restart().save(l.p)
}

// Check checks the journal.
func (l *poolLog[T]) Check() {
	l.log.Check()
	for k, b := range l.p.Dir {
		if b != nil && k >= l.log.Len() {
			slots.Fail(7, "block %d is unknown to the journal", k)
		}
	}
}

// Slots implements [journal.Pages].
func (l *poolLog[T]) Slots(k int) ([]T, []uint32, journal.Words) {
	dir := l.dir
	if dir == nil {
		dir = l.p.Dir
	}
	if k >= len(dir) || dir[k] == nil {
		return nil, nil, journal.Words{}
	}
	return pageOf(slots.BlockOf[T](dir[k]))
}

// pageOf returns what a journal keeps of b.
func pageOf[V any](b *slots.Block[V]) ([]V, []uint32, journal.Words) {
	return b.Vals[:], b.Gens[:], journal.Words{b.Occ, b.Free}
}

// Restored implements [journal.Pages].
func (l *poolLog[T]) Restored(k int, noted, changed, imaged uint64, w journal.Words) {
	slots.Restore(l.p.Dir[k], noted, changed, imaged, w)
}
