package berth

import (
	"fmt"
	"math"

	"github.com/seed505807e1/berth/internal/poison"
)

// farSlots is the maximum number of slots that InsertAt skips beyond the end of the directory.
const farSlots = 1 << 20

// InsertAt inserts v into the slot of h, under that handle. It serves mirrors, which receive the
// values of another Pool with their handles in any order, loaders, and undo. p must have the Seed
// of the Pool that issued h. The slot must be vacant, and must not have been issued again since: h
// is a handle that p has not issued yet, or the last one of its slot. In the second case, copies of
// h that were stale find v. The next insert into the slot issues a later handle.
//
// For undo, keep the slot from being issued again while the value is away: let a Pool[struct{}]
// with the same Seed issue the handles, and remove a handle there when its value can no longer come
// back.
//
// A chunk that is released keeps only the highest generation of its slots, and the handles below it
// become stale. So after the first InsertAt, p releases no memory before Clip, as under
// [TruncateLength].
//
// InsertAt calls OnInsert. If it fails, it returns one of these errors, and p is unchanged:
//
//   - [ErrStale] for the zero Handle, one that no Pool has issued, or one whose slot has had a
//     later value or is retired
//   - [ErrTaken] if a value lives in the slot, or is under construction there
//   - [ErrFull] if p holds Limit values, if the slot's number is not below Limit, or, with its own
//     error, if Memory refuses
//   - [ErrRange] if there is no Limit, and the slot lies more than 2^20 slots beyond the directory
//
// Cost: O(1); allocates the slot's chunk if it is not in memory, and 12 bytes for each 64 slots
// between the last chunk and it.
//
//berth:clones
func (p *Pool[T]) InsertAt(h Handle[T], v T) error {
	c := coreOf(p)
	x, err := c.openAt("Pool.InsertAt", h.id)
	if err == nil {
		*(*T)(x) = v
		c.inserted(h.id, x)
	}
	return err
}

// openAt makes the slot of h live, with a zero value.
//
//go:noinline
func (p *core) openAt(fn string, h id) (ref, error) {
	if p.max == 0 && p.n == 0 && len(p.rare.building()) == 0 {
		p.init(Config{})
	}
	if err := p.mayInsertAt(h); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", err, fn, textOf(h))
	}
	p.setMode(max(p.mode(), TruncateLength))
	s := h.index - p.salt
	if !p.bring(int(s >> 6)) {
		return nil, fmt.Errorf("berth: %s: %w", fn, p.supply.why())
	}
	k, i := int(s>>6), int(s&63)
	b := p.dir[k]
	if l := p.rare.recorder(); l != nil {
		l.note(b, k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.free &^= 1 << i; b.free == 0 {
		p.room.Remove(k)
	}
	b.gens[i] = h.gen
	b.occ |= 1 << i
	if !p.live.Has(k) {
		p.opened(k)
	}
	p.n++
	p.changed()
	return p.kind.val(b, i), nil
}

// mayInsertAt returns the reason why h cannot be inserted, if any.
func (p *core) mayInsertAt(h id) error {
	if h.gen&1 == 0 {
		return ErrStale
	}
	s := uint64(h.index - p.salt)
	if s>>6 >= math.MaxInt {
		return ErrRange
	}
	k := int(s >> 6)
	age := uint64(h.gen-p.base) + 1 // of the slot once h is removed
	limit := uint64(p.max) + uint64(len(p.rare.building()))
	limited := limit < math.MaxInt
	full := p.n >= p.max || limited && s >= limit
	switch {
	case k >= len(p.dir):
		if age < uint64(p.tail) {
			return ErrStale
		}
		if full {
			return ErrFull
		}
		if !limited && s >= uint64(len(p.dir))*blockSlots+farSlots {
			return ErrRange
		}
	case p.dir[k] == nil:
		if floor := p.floors[k>>p.shift]; floor == usedUp || age < uint64(floor) {
			return ErrStale
		}
	default:
		b, i := p.dir[k], s&63
		switch {
		case b.occ>>i&1 != 0 || p.isBuilding(uint32(s)):
			return ErrTaken
		case b.free>>i&1 == 0 || age < uint64(b.gens[i]-p.base):
			return ErrStale
		}
	}
	if full {
		return ErrFull
	}
	return nil
}

// isBuilding reports whether slot s is under construction.
func (p *core) isBuilding(s uint32) bool {
	for _, x := range p.rare.building() {
		if x == s {
			return true
		}
	}
	return false
}

// bring ensures that block k is in memory. It reports false, and leaves p consistent, if Memory
// refuses.
func (p *core) bring(k int) bool {
	if k < len(p.dir) && p.dir[k] != nil {
		return true
	}
	p.ready((k + 1) * blockSlots)
	if shift := chunkShift(p.kind.block, 0); p.shift == 0 && p.supply == nil {
		// Bring the first blocks into memory, and join them as addChunk would have done.
		for k>>shift > 0 && (len(p.dir) < 1<<shift ||
			p.gone.First() >= 0 && len(p.dir) == 1<<shift) {
			if !p.addChunk() {
				return false
			}
		}
		if p.gone.First() < 0 {
			p.widen()
		}
	}
	if k < len(p.dir) && p.dir[k] != nil {
		return true
	}
	c := k >> p.shift
	if p.supply != nil {
		p.supply.refused = nil
	}
	blocks, piece, err := p.newBlocks()
	if err != nil {
		p.supply.refused = err
		return false
	}
	if old := len(p.floors); c >= old {
		for range c + 1 - old {
			p.floors = append(p.floors, p.tail)
		}
		p.resize(c + 1)
		for g := old; g < c; g++ {
			p.gone.Add(g)
		}
	} else {
		p.gone.Remove(c)
	}
	p.putChunk(c, blocks, piece)
	return true
}

// IndexOf returns the number of the slot that holds the value of h, or -1 if h is stale, zero or
// foreign. It is an index for data of your own in a slice parallel to p. Numbers start at 0 and the
// lowest vacant slot is used first, so that slice is hardly longer than the most values that lived
// at a time. The slot's next value has the same number: set your data when you insert. OnInsert may
// call IndexOf. In OnRemove the handle is already stale, and the result is -1.
// Cost: O(1); never allocates.
//
//berth:asks h
func (p *Pool[T]) IndexOf(h Handle[T]) int {
	if p.Ptr(h) == nil {
		return -1
	}
	return int(h.index - p.salt)
}

// CopyFrom makes p a copy of q, as [Pool.Clone] would return it, in the memory that p has. It takes
// the values, the handles, and the Limit, Truncate and Seed of q. Memory and hooks stay those of p,
// and no hook is called. It is the fastest way to keep a second state of a Pool, and to go back to
// it. CopyFrom panics if InsertFunc is building a value in p, or if Memory refuses; p is then
// unchanged.
// Cost: O(Cap); copies all slots in memory, and allocates the chunks that p lacks, or all if p had
// another Seed: nothing in a steady state.
// Ends: all handles and pointers of p; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) CopyFrom(q *Pool[T]) {
	if p != q {
		coreOf(p).copyFrom("Pool.CopyFrom", look(q))
	}
}

// copyFrom is CopyFrom for fn.
func (p *core) copyFrom(fn string, q *core) {
	if len(p.rare.building()) > 0 {
		panic("berth: " + fn + ": " + errBuilding.Error() + " of the receiver")
	}
	building := q.rare.building()
	if q.max == 0 && len(building) == 0 {
		q.init(Config{})
	}
	if p.max == 0 {
		p.init(Config{Seed: 1})
	}
	f := frame{to: saver{slots: p}, shift: q.shift, chunks: len(q.floors)}
	f.seed, f.salt, f.base = q.seed(), q.salt, q.base
	for c := range q.floors {
		if q.dir[c<<q.shift] != nil && !f.has(c) {
			f.lacks++
		}
	}
	if err := f.take(); err != nil {
		panic("berth: " + fn + ": " + err.Error())
	}
	f.truncate, f.reserve, f.tail = q.mode(), q.reserve, q.tail
	f.replace()
	f.copyChunks(q)
	p.setMax(q.max + len(building))
	for _, s := range building { // values under construction stay with q
		k := int(s >> 6)
		p.abandon(p.dir[k], k, int(s&63))
	}
	p.loaded()
}

// copyChunks copies the chunks of q, after replace.
func (f *frame) copyChunks(q *core) {
	p := f.to.slots
	p.floors = append(p.floors[:0], q.floors...)
	p.resize(len(q.floors))
	for c := range q.floors {
		first := c << q.shift
		if q.dir[first] == nil {
			f.forget(c)
			continue
		}
		if p.dir[first] == nil {
			f.give(nil, c) // take has taken its memory
		}
		for k := first; k < first+1<<p.shift; k++ {
			p.kind.copyBlock(p.dir[k], q.dir[k])
		}
	}
	p.live.CopyFrom(&q.live)
	p.room.CopyFrom(&q.room)
	p.spare.CopyFrom(&q.spare)
	p.gone.CopyFrom(&q.gone)
	p.n, p.chunks, p.spares = q.n, q.chunks, q.spares
	p.ended, p.grown, p.released = q.ended, q.grown, q.released
	if retired, lost := q.rare.worn(); p.rare != nil || retired+lost > 0 {
		p.rarely().retired, p.rare.lost = retired, lost
	}
	f.free()
}
