package berth

import (
	"math"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/poison"
)

// defaultShrinkAbove is how many unused places are kept if ShrinkAbove is 0.
const defaultShrinkAbove = 1024

// Slice returns the live values, side by side: exactly those, in an order that lasts until one is
// removed or Sort is called. It is d's own memory, and may be written to. It closes the holes
// first; under [DefragManual] it panics if there are any.
// Cost: O(Holes); never allocates, unless it gives memory back.
// Ends: where it moves values, pointers to them, and every loop that runs. The slice is good until
// the next insert or removal; appending to it copies it. But unless under [DefragImmediate], a loop
// over it may remove the value that it is at, if it goes forward: that leaves a hole, a zero T, and
// moves nothing that is to come.
func (d *Dense[T]) Slice() []T {
	if d.holes != 0 {
		if d.defrag == DefragManual {
			panic("berth: Dense.Slice: there are holes, which DefragManual leaves to Defrag")
		}
		d.Defrag()
	}
	return slices.Clip(d.vals)
}

// Defrag closes all holes, by moving the last values into them, and returns how many it moved.
// Cost: O(Holes), however many values there are; never allocates, unless it gives memory back.
// Ends: pointers to values, and if it moves any, every loop that runs.
func (d *Dense[T]) Defrag() (moved int) {
	if d.holes == 0 {
		return 0
	}
	d.checkPlaces()
	n := d.index.n // the places that will be left; behind them lie as many values as holes before
	last := len(d.vals) - 1
	for i := d.hole; d.holes > 0; d.holes-- {
		next := d.owner[i].index
		if int(i) < n {
			for d.owner[last].gen&1 == 0 {
				last--
			}
			d.move(last, int(i))
			last--
			moved++
		}
		i = next
	}
	if moved > 0 {
		d.loops = 0 // they cannot go on
	}
	d.cut(n)
	if invariants.On {
		d.changed()
	}
	return moved
}

// move moves the value at place i to the vacant place k.
func (d *Dense[T]) move(i, k int) {
	h := d.owner[i]
	d.vals[k], d.owner[k] = d.vals[i], h
	d.setPlace(h, k)
	d.moves++
}

// setPlace notes that the value of h, which is live, lies at place k.
func (d *Dense[T]) setPlace(h Handle[T], k int) {
	s := h.index - d.index.salt
	d.index.dir[s>>6].vals[s&63] = uint32(k)
}

// cut cuts the places from n on, and gives memory back if too much is unused.
func (d *Dense[T]) cut(n int) {
	switch {
	case poison.On:
		for i := n; i < len(d.vals); i++ {
			d.void(i)
		}
		clear(d.owner[n:])
	case n == len(d.vals)-1:
		var zero T
		d.vals[n], d.owner[n] = zero, Handle[T]{}
	default:
		clear(d.vals[n:])
		clear(d.owner[n:])
	}
	d.vals, d.owner = d.vals[:n], d.owner[:n]
	if unused := cap(d.vals) - n; unused > 3*n && unused > d.shrinkAbove && d.keeping == 0 {
		d.shrink(n)
	}
}

// empty cuts all places when no value is left. No loop can go on, so none is counted as running:
// also those that a panic has left behind.
func (d *Dense[T]) empty() {
	d.holes, d.loops = 0, 0
	d.moves++
	d.emptied = d.moves
	d.cut(0)
}

// makeRoom sees to it that the next insert finds a slot and a place, where that needs a Memory, and
// reports false if it cannot. On Go's heap, both come as they are needed.
func (d *Dense[T]) makeRoom() bool {
	return d.index.supply == nil || d.index.makeRoom() && d.makePlace()
}

// makePlace is makeRoom for the place.
func (d *Dense[T]) makePlace() bool {
	return d.index.supply == nil || d.holes != 0 || len(d.vals) < cap(d.vals) || d.grow()
}

// grow makes more places when there are none.
func (d *Dense[T]) grow() bool {
	n := len(d.vals)
	return d.setCap(n + max(n/2, min(n, 16<<10), d.firstCap()))
}

// firstCap is how many places to begin with: 16, or fewer of large values.
func (d *Dense[T]) firstCap() int {
	return max(1, min(16, 4096/max(1, int(reflect.TypeFor[T]().Size()))))
}

// shrink gives memory back but for n places and some more.
func (d *Dense[T]) shrink(n int) {
	above := d.shrinkAbove
	if above == 0 {
		above = defaultShrinkAbove
	}
	if unused := cap(d.vals) - n; unused <= above {
		return
	}
	// With as much again as there is, neither inserts nor removals soon move them anew.
	if keep := max(n+max(n, above/2), d.reserve); keep < cap(d.vals) {
		if d.rare != nil {
			d.rare.clearing = nil
		}
		d.setCap(keep)
	}
}

// setCap moves the values to memory for n places. It reports false if Memory refuses it, which
// supply.refused tells the reason of; then nothing has changed.
func (d *Dense[T]) setCap(n int) bool {
	if d.era == nil {
		d.era = new(era[T])
	}
	d.checkPlaces()
	s := d.index.supply
	was, owner := d.vals, d.owner
	if s == nil {
		d.vals = append(make([]T, 0, n), d.vals...)
		d.owner = append(make([]Handle[T], 0, n), d.owner...)
		d.leaveArray(was, owner)
		return true
	}
	vals, owners, piece, err := newPlaces[T](s, n)
	if s.refused = err; err != nil {
		return false
	}
	d.vals, d.owner = vals[:copy(vals, was)], owners[:copy(owners, owner)]
	d.leaveArray(was, owner)
	piece, d.piece = d.piece, piece
	s.free(piece)
	return true
}

// newPlaces returns zeroed memory for n places: in one piece, so that there is one refusal, and one
// table of pages for both.
func newPlaces[T any](s *supply, n int) ([]T, []Handle[T], []byte, error) {
	if n == 0 {
		return valuesIn[T](nil, 0), valuesIn[Handle[T]](nil, 0), nil, nil
	}
	const align = 8 // of Handle, and the most that any type has
	size := int(reflect.TypeFor[T]().Size())
	if n > (limits.MaxBytes-align)/(size+8) {
		return nil, nil, nil, errTooLarge
	}
	owner := (n*size + align - 1) &^ (align - 1) // where it begins
	b, err := s.alloc(owner+n*8, align)
	if err != nil {
		return nil, nil, nil, err
	}
	return valuesIn[T](b[:owner], n), valuesIn[Handle[T]](b[owner:], n), b, nil
}

// freeAll gives back all memory of a Dense that nobody has seen.
func (d *Dense[T]) freeAll() {
	if s := d.index.supply; s != nil {
		s.freeAll()
		s.free(d.piece)
	}
}

// Shrink gives all unused memory back, also what Capacity and Grow have reserved. While there are
// holes it does nothing and returns [ErrHoles]: call Defrag first, or [Dense.Clip]. It returns the
// error of Memory, where that refuses the smaller piece, and keeps the old one.
// Cost: O(Cap), with a copy of the values; allocates their new memory.
// Ends: pointers to values.
func (d *Dense[T]) Shrink() error {
	if d.holes != 0 {
		return ErrHoles
	}
	d.Clip()
	if cap(d.vals) > len(d.vals) {
		return d.index.supply.refused
	}
	return nil
}

// Clip closes the holes, in every mode, and gives all unused memory back, also what Capacity and
// Grow have reserved. It forgets loops that a panic, a Goexit or an iter.Pull has left unfinished:
// call it where you recover (rule 5 of loops). Loops that do run go on; see [Dense]. Where Memory
// refuses the smaller piece, d keeps the old one, and if a loop may run, the holes.
// Cost: O(Cap) with a copy of the values, and as [Pool.Clip] for the table of slots; allocates the
// new memory of both.
// Ends: pointers to values.
func (d *Dense[T]) Clip() {
	d.reserve = 0
	if d.loops == 0 {
		d.Defrag()
	} else {
		d.endEra()
	}
	if cap(d.vals) > len(d.vals) {
		d.setCap(len(d.vals))
	}
	d.index.Clip()
	if r := d.rare; r != nil {
		r.outside, r.clearing = nil, nil
	}
	d.changed()
}

// endEra forgets the loops that are counted. Those that do run go on by the handles that it leaves.
// The living move, in order, to new memory, so that spans stay what they were. If Memory refuses
// that, nothing changes.
func (d *Dense[T]) endEra() {
	d.checkPlaces()
	old := Dense[T]{vals: d.vals, owner: d.owner, piece: d.piece}
	d.vals, d.owner, d.piece = nil, nil, nil
	if !d.setCap(d.index.n) {
		d.vals, d.owner, d.piece = old.vals, old.owner, old.piece
		return
	}
	for i, h := range old.owner {
		if h.gen&1 != 0 {
			d.setPlace(h, len(d.vals))
			d.vals, d.owner = append(d.vals, old.vals[i]), append(d.owner, h)
		}
	}
	d.era.owner, d.era.moves = old.owner, d.moves
	if s := d.index.supply; s != nil {
		d.era.owner = slices.Clone(old.owner)
		s.free(old.piece)
	}
	d.era = new(era[T])
	d.holes, d.loops = 0, 0
	d.moves++
}

// Grow makes room for n more values without allocating, or for as many as Limit allows. The memory
// stays until [Dense.Clip] or Shrink. It panics if n is negative, or if d would need more than 2^32
// places, or more than 1 TiB, and d is then as it was; or if Memory refuses, and d then keeps what
// it got. See [Config.Capacity] for memory that there is not.
// Cost: allocates what is missing, and copies the values if any is.
// Ends: pointers to values.
func (d *Dense[T]) Grow(n int) {
	if n < 0 {
		panicGot("Dense.Grow", "n must not be negative", n)
	}
	d.makePlaces("Dense.Grow", n)
	d.changed()
}

func (d *Dense[T]) makePlaces(fn string, n int) {
	got := n
	d.index.ready(n)
	if n = min(n, d.index.max-d.index.n); n <= 0 {
		return
	}
	used := d.index.n + len(d.index.rare.building())
	slot := reflect.TypeFor[block[uint32]]().Size() / blockSlots
	checkSlots(fn, uint64(used)+uint64(n), reflect.TypeFor[T]().Size()+8+slot, got)
	want := used + n
	if want > cap(d.vals) && !d.setCap(max(want, len(d.vals))) { // first, since it may fail
		d.index.supply.fail(fn)
	}
	d.index.makeSlots(fn, n, got)
	d.reserve = max(d.reserve, want)
}

// Clear removes every value, with OnRemove for each in the order of the slice, and keeps the memory
// that they were in. What OnRemove inserts stays.
// Cost: O(Len + Holes); allocates only to cut the directory of slots, and with OnRemove, the first
// time, a list of the handles.
// Ends: all handles and pointers, and without OnRemove every loop that runs.
func (d *Dense[T]) Clear() {
	d.checkLeft()
	if d.rare.on().OnRemove != nil {
		d.clearHooked()
		return
	}
	d.index.Clear()
	d.keeping++
	d.empty()
	d.keeping--
	d.changed()
}

// clearHooked removes each of the values that there are now, and keeps their memory meanwhile.
func (d *Dense[T]) clearHooked() {
	r := d.rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may come here again
	for _, h := range d.owner {
		if h.gen&1 != 0 {
			hs = append(hs, h)
		}
	}
	d.keeping++
	d.index.ready(0)
	d.index.truncate = TruncateLength
	defer func() {
		if d.keeping--; d.keeping == 0 {
			d.index.truncate = TruncateMemory
			r.clearing = hs[:0]
		}
	}()
	for _, h := range hs {
		d.Delete(h)
	}
}

// Clone returns an independent Dense in which the same handles find copies of the values, in the
// same order; see [Pool.Clone] for what both sides have in common. The hooks are shared: what they
// keep in step with the one Dense, they must tell from the other.
//
// To clone a Dense is to read it, unless nothing has ever been inserted into it. The clone's memory
// comes from the same Memory; if that refuses, Clone panics, and gives back what it took.
// Cost: O(Cap); allocates a copy of everything in memory.
func (d *Dense[T]) Clone() *Dense[T] {
	q := &Dense[T]{
		hole: d.hole, holes: d.holes,
		defrag: d.defrag, shrinkAbove: d.shrinkAbove, reserve: d.reserve,
	}
	if d.index.hooked {
		q.rarely().hooks = d.rare.hooks
	}
	if d.era != nil {
		q.era = new(era[T])
	}
	d.index.cloneTo("Dense.Clone", &q.index)
	q.index.truncate = TruncateMemory // also while Clear runs
	attempt(func() { d.copyTo(q) }, q.freeAll)
	d.copyLate(q)
	q.changed()
	return q
}

// copyTo copies the values to the clone q, which has no memory for them yet.
func (d *Dense[T]) copyTo(q *Dense[T]) {
	if q.index.supply == nil {
		q.vals, q.owner = slices.Clone(d.vals), slices.Clone(d.owner)
		d.copyLate(q) // setCap looks at what is vacant
		if c := cap(d.vals); q.reserve > 0 || cap(q.owner) < cap(q.vals) {
			q.setCap(c)
		}
		return
	}
	n := len(d.vals)
	if q.reserve > 0 {
		n = cap(d.vals)
	}
	q.vals, q.owner = d.vals, d.owner // setCap copies them
	if !q.setCap(n) {
		q.index.supply.fail("Dense.Clone")
	}
}

// Sort orders the slice by cmp, which is negative if a comes before b, 0 if it does not matter, and
// positive else. Handles go with their values; equal values keep their order. It closes the holes
// first, in every mode. If cmp panics or contradicts itself, every value is still there, in the old
// order or in some other.
//
// cmp must not change d: then Sort panics, or leaves some order.
// Cost: O(Len log Len) comparisons, O(Len) moves; allocates 4 bytes for each value.
// Ends: pointers to values, and every loop that runs.
func (d *Dense[T]) Sort(cmp func(a, b *T) int) {
	d.Defrag()
	d.checkLeft()
	n, moves := len(d.vals), d.moves
	order := make([]uint32, n) // order[i] is the place of the value that comes to place i
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if d.moves != moves || len(d.vals) != n || d.holes != 0 {
			panic("berth: Dense.Sort: cmp has changed the Dense")
		}
		if c := cmp(&d.vals[a], &d.vals[b]); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	if d.moves != moves || len(d.vals) != n || d.holes != 0 {
		panic("berth: Dense.Sort: cmp has changed the Dense")
	}
	d.arrange(order)
	if d.moves != moves {
		d.loops = 0 // they cannot go on
	}
	d.changed()
}

// arrange moves the value at place order[i] to place i, for all i, cycle by cycle.
func (d *Dense[T]) arrange(order []uint32) {
	const done = math.MaxUint32
	for i := range order {
		if order[i] == done || order[i] == uint32(i) {
			continue
		}
		v, h := d.vals[i], d.owner[i]
		k := uint32(i)
		for from := order[k]; from != uint32(i); from = order[k] {
			d.move(int(from), int(k))
			order[k], k = done, from
		}
		order[k] = done
		d.vals[k], d.owner[k] = v, h
		d.setPlace(h, int(k))
		d.moves++
	}
}

// Stats counts what d holds. Chunks counts those of the table of slots, and one for the values.
// Cost: O(1).
func (d *Dense[T]) Stats() Stats {
	s := d.index.Stats()
	s.Vacant = min(cap(d.vals), d.index.places()) - s.Live
	s.Bytes += int(reflect.TypeFor[Dense[T]]().Size() - reflect.TypeFor[Pool[uint32]]().Size())
	s.Bytes += max(cap(d.vals)*int(reflect.TypeFor[T]().Size())+cap(d.owner)*8, len(d.piece))
	if d.era != nil {
		s.Bytes += int(reflect.TypeFor[era[T]]().Size())
	}
	s.Bytes += d.rare.bytes() + d.late.bytes()
	if cap(d.vals) > 0 {
		s.Chunks++
	}
	return s
}
