package slots

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed505807e1/berth/internal/poison"
)

// farSlots is the maximum number of slots that InsertAt skips beyond the end of the directory.
const farSlots = 1 << 20

// OpenAt makes the slot of h live, with a zero value.
//
//go:noinline
func (p *Core) OpenAt(fn string, h ID) (Ref, error) {
	if p.isZero() {
		p.init(Config{})
	}
	if err := p.mayInsertAt(h); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", err, fn, TextOf(h))
	}
	p.SetMode(max(p.Mode(), TruncateLength))
	s := h.Index - p.Salt
	if !p.bring(int(s >> 6)) {
		return nil, fmt.Errorf("berth: %s: %w", fn, p.Supply.Why())
	}
	k, i := int(s>>6), int(s&63)
	b := p.Dir[k]
	if l := p.Rare.Recorder(); l != nil {
		l.Note(b, k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.Free &^= 1 << i; b.Free == 0 {
		p.Room.Remove(k)
	}
	b.Gens[i] = h.Gen
	b.Occ |= 1 << i
	if !p.Live.Has(k) {
		p.opened(k)
	}
	p.N++
	p.Changed()
	return p.Kind.val(b, i), nil
}

// mayInsertAt returns the reason why h cannot be inserted, if any.
func (p *Core) mayInsertAt(h ID) error {
	if h.Gen&1 == 0 {
		return ErrStale
	}
	s := uint64(h.Index - p.Salt)
	if s>>6 >= math.MaxInt {
		return ErrRange
	}
	k := int(s >> 6)
	age := uint64(h.Gen-p.Base) + 1 // of the slot once h is removed
	limit := uint64(p.Max) + uint64(p.Rare.Taken())
	limited := limit < math.MaxInt
	full := p.N >= p.Max || limited && s >= limit
	switch {
	case k >= len(p.Dir):
		if age < uint64(p.Tail) {
			return ErrStale
		}
		if full {
			return ErrFull
		}
		if !limited && s >= uint64(len(p.Dir))*BlockSlots+farSlots {
			return ErrRange
		}
	case p.Dir[k] == nil:
		if floor := p.Floors[k>>p.Shift]; floor == UsedUp || age < uint64(floor) {
			return ErrStale
		}
	default:
		b, i := p.Dir[k], s&63
		switch {
		case b.Occ>>i&1 != 0 || p.isBuilding(uint32(s)):
			return ErrTaken
		case b.Free>>i&1 == 0 && b.Gens[i] != p.Base: // reserved
			return ErrTaken
		case b.Free>>i&1 == 0 || age < uint64(b.Gens[i]-p.Base):
			return ErrStale
		}
	}
	if full {
		return ErrFull
	}
	return nil
}

// bring ensures that block k is in memory. It reports false, and leaves p consistent, if Memory
// refuses.
func (p *Core) bring(k int) bool {
	if k < len(p.Dir) && p.Dir[k] != nil {
		return true
	}
	p.Ready((k + 1) * BlockSlots)
	if shift := ChunkShift(p.Kind.Block, 0); p.Shift == 0 && p.Supply == nil {
		// Bring the first blocks into memory, and join them as addChunk would have done.
		for k>>shift > 0 && (len(p.Dir) < 1<<shift ||
			p.Gone.First() >= 0 && len(p.Dir) == 1<<shift) {
			if !p.AddChunk() {
				return false
			}
		}
		if p.Gone.First() < 0 {
			p.widen()
		}
	}
	if k < len(p.Dir) && p.Dir[k] != nil {
		return true
	}
	c := k >> p.Shift
	if p.Supply != nil {
		p.Supply.Refused = nil
	}
	blocks, piece, err := p.newBlocks()
	if err != nil {
		p.Supply.Refused = err
		return false
	}
	if old := len(p.Floors); c >= old {
		for range c + 1 - old {
			p.Floors = append(p.Floors, p.Tail)
		}
		p.resize(c + 1)
		for g := old; g < c; g++ {
			p.Gone.Add(g)
		}
	} else {
		p.Gone.Remove(c)
	}
	p.putChunk(c, blocks, piece)
	return true
}

// CopyFrom is that of a Pool.
//
//go:noinline
func (s *State) CopyFrom(block any, from *State) {
	if s != from {
		CoreAt(s, block).CopyFrom("Pool.CopyFrom", CoreOf(from))
	}
}

// CopyFrom is CopyFrom for fn.
func (p *Core) CopyFrom(fn string, q *Core) {
	if len(p.Rare.Building()) > 0 {
		panic("berth: " + fn + ": " + errBuilding.Error() + " of the receiver")
	}
	building := q.Rare.Building()
	if q.isZero() {
		q.init(Config{})
	}
	if p.isZero() {
		p.init(Config{Seed: 1})
	}
	f := frame{to: saver{slots: p}, shift: q.Shift, chunks: len(q.Floors)}
	f.seed, f.salt, f.base = q.Seed(), q.Salt, q.Base
	for c := range q.Floors {
		if q.Dir[c<<q.Shift] != nil && !f.has(c) {
			f.lacks++
		}
	}
	if err := f.take(); err != nil {
		panic("berth: " + fn + ": " + err.Error())
	}
	f.truncate, f.reserve, f.tail = q.Mode(), q.Reserve, q.Tail
	f.replace()
	f.copyChunks(q)
	p.SetReserves(q.Rare.Reserves())
	p.SetMax(q.Max + len(building))
	for _, s := range building { // values under construction stay with q
		k := int(s >> 6)
		p.abandon(p.Dir[k], k, int(s&63))
	}
	p.loaded()
}

// InsertFunc is that of a Pool. If f reports false, there is no value, and the handle is zero.
//
//go:noinline
func (s *State) InsertFunc(block any, f func(ID, Ref) bool) ID {
	p := CoreAt(s, block)
	if (p.Room.Low >= len(p.Dir) || p.N >= p.Max) && !p.makeRoom() {
		return ID{}
	}
	k := p.Room.Low
	b, i := p.take(k)
	h := ID{p.Salt + uint32(k<<6+i), b.Gens[i] + 1}
	if !p.build(b, k, i, func() bool { return f(h, p.Kind.val(b, i)) }) {
		return ID{}
	}
	p.occupy(b, k, i)
	if p.Hooked {
		p.Inserted(h, p.Kind.val(b, i))
	}
	return h
}

// build runs f while slot i of b is under construction, and vacates the slot if f fails or reports
// false.
func (p *Core) build(b *Head, k, i int, f func() bool) (done bool) {
	r := p.Rarely()
	if len(r.pending) == 0 {
		r.pending = r.calm[:0]
	}
	r.pending = append(r.pending, uint32(k<<6+i))
	p.SetMax(p.Max - 1)
	defer func() {
		at := len(r.pending) - 1 // the last one, unless coroutines are interleaved
		for r.pending[at] != uint32(k<<6+i) {
			at--
		}
		r.pending = slices.Delete(r.pending, at, at+1)
		p.SetMax(p.Max + 1)
		if !done {
			p.abandon(b, k, i)
		}
	}()
	done = f()
	return done
}

// copyChunks copies the chunks of q, after replace.
func (f *frame) copyChunks(q *Core) {
	p := f.to.slots
	p.Floors = append(p.Floors[:0], q.Floors...)
	p.resize(len(q.Floors))
	for c := range q.Floors {
		first := c << q.Shift
		if q.Dir[first] == nil {
			f.forget(c)
			continue
		}
		if p.Dir[first] == nil {
			f.give(nil, c) // take has taken its memory
		}
		for k := first; k < first+1<<p.Shift; k++ {
			p.Kind.copyBlock(p.Dir[k], q.Dir[k])
		}
	}
	p.Live.CopyFrom(&q.Live)
	p.Room.CopyFrom(&q.Room)
	p.Spare.CopyFrom(&q.Spare)
	p.Gone.CopyFrom(&q.Gone)
	p.N, p.Chunks, p.Spares = q.N, q.Chunks, q.Spares
	p.Ended, p.Grown, p.Released = q.Ended, q.Grown, q.Released
	if retired, lost := q.Rare.Worn(); p.Rare != nil || retired+lost > 0 {
		p.Rarely().Retired, p.Rare.Lost = retired, lost
	}
	f.free()
}
