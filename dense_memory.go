package berth

import (
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// defaultShrinkAbove is the number of unused places to keep if ShrinkAbove is 0.
const defaultShrinkAbove = 1024

// Slice returns exactly the live values, side by side, in an order that lasts until a value is
// removed or Sort is called. The slice is d's own memory, and may be written to. Slice closes the
// holes first. Under [DefragManual] it panics if there are any.
// Cost: O(Holes); never allocates, unless it releases memory.
// Ends: if it moves values, pointers to them and every running loop. The slice is valid until the
// next insert or removal, and appending to it copies it. As an exception, except under
// [DefragImmediate], a forward loop over the slice may remove its current value: that leaves a
// hole, which is a zero T, and moves no value still to come.
//
//berth:ends some
//berth:lends r0
func (d *Dense[T]) Slice() []T {
	if d.holes != 0 {
		if d.defrag == DefragManual {
			panic("berth: Dense.Slice: under DefragManual, Defrag must close the holes first")
		}
		d.Defrag()
	}
	return slices.Clip(d.vals)
}

// Defrag closes all holes by moving the last values into them, and returns how many values it
// moved.
// Cost: O(Holes), however many values there are; never allocates, unless it releases memory.
// Ends: pointers to values and, if it moves any, every running loop.
//
//berth:ends all
func (d *Dense[T]) Defrag() (moved int) {
	if d.holes == 0 {
		return 0
	}
	d.checkPlaces()
	n := d.index.n // places that will be left; beyond them lie as many values as holes before
	last := len(d.vals) - 1
	for i := d.hole; d.holes > 0; d.holes-- {
		next := d.owner[i].index
		if int(i) < n {
			for d.owner[last].gen&1 == 0 {
				last--
			}
			d.willMove(last, int(i))
			d.move(last, int(i))
			last--
			moved++
		}
		i = next
	}
	if moved > 0 {
		d.loops = 0 // they cannot continue
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
	for _, c := range d.rare.sides() {
		c.move(i, k)
	}
	d.setPlace(h, k)
	d.moves++
}

// setPlace records that the value of h, which is live, lies at place k.
func (d *Dense[T]) setPlace(h Handle[T], k int) {
	s := h.index - d.index.salt
	d.index.dir[s>>6].vals[s&63] = uint32(k)
}

// cut cuts off the places from n on, and releases memory if too much is unused.
func (d *Dense[T]) cut(n int) {
	if l := d.rare.placeRecorder(); l != nil {
		l.noteRange(n, len(d.vals))
	}
	for _, c := range d.rare.sides() {
		c.cut(n)
	}
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

// empty cuts off all places when no value is left. No loop can continue, so none is counted as
// running, and neither is one that a panic has left behind.
func (d *Dense[T]) empty() {
	d.holes, d.loops = 0, 0
	d.moves++
	d.emptied = d.moves
	d.cut(0)
}

// makeRoom ensures that the next insert finds a slot and a place, if they come from a Memory. It
// reports false if it cannot. On Go's heap, both are allocated when needed.
func (d *Dense[T]) makeRoom() bool {
	return d.index.supply == nil || d.index.core().makeRoom() && d.makePlace()
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

// firstCap returns the number of places to begin with: 16, or fewer for large values.
func (d *Dense[T]) firstCap() int {
	return max(1, min(16, 4096/max(1, int(plain.TypeFor[T]().Size()))))
}

// shrink releases memory, except for n places and some more.
func (d *Dense[T]) shrink(n int) {
	above := d.shrinkAbove
	if above == 0 {
		above = defaultShrinkAbove
	}
	if unused := cap(d.vals) - n; unused <= above {
		return
	}
	// With twice the places in use, neither inserts nor removals move the values again soon.
	if keep := max(n+max(n, above/2), d.reserve); keep < cap(d.vals) {
		if d.rare != nil {
			d.rare.clearing = nil
		}
		d.setCap(keep)
	}
}

// setCap moves the values to memory for n places. It reports false, and changes nothing, if Memory
// refuses. supply.refused is then the reason.
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
		d.fitColumns()
		d.moved(cap(was))
		return true
	}
	vals, owners, piece, err := newPlaces[T](s, n)
	if s.refused = err; err != nil {
		return false
	}
	d.vals, d.owner = vals[:copy(vals, was)], owners[:copy(owners, owner)]
	d.leaveArray(was, owner)
	d.fitColumns()
	d.moved(cap(was))
	piece, d.piece = d.piece, piece
	s.free(piece)
	return true
}

// moved counts that the values have moved to other memory. They had memory for was places.
func (d *Dense[T]) moved(was int) {
	if cap(d.vals) > 0 {
		d.grown++
	}
	if was > 0 {
		d.released++
	}
}

// fitColumns tells the DenseColumns that the capacity has changed.
func (d *Dense[T]) fitColumns() {
	for _, c := range d.rare.sides() {
		c.fit()
	}
}

// newPlaces returns zeroed memory for n places. It is one piece, so that there is one refusal, and
// one table of pages for both slices.
func newPlaces[T any](s *supply, n int) ([]T, []Handle[T], []byte, error) {
	if n == 0 {
		return valuesIn[T](nil, 0), valuesIn[Handle[T]](nil, 0), nil, nil
	}
	const align = 8 // of Handle, and the most that any type has
	size := int(plain.TypeFor[T]().Size())
	if n > (limits.MaxBytes-align)/(size+8) {
		return nil, nil, nil, errTooLarge
	}
	owner := (n*size + align - 1) &^ (align - 1) // offset of the handles
	b, err := s.alloc(owner+n*8, align)
	if err != nil {
		return nil, nil, nil, err
	}
	return valuesIn[T](b[:owner], n), valuesIn[Handle[T]](b[owner:], n), b, nil
}

// freeAll gives back all memory of a Dense that is not in use yet.
func (d *Dense[T]) freeAll() {
	if s := d.index.supply; s != nil {
		s.freeAll()
		s.free(d.piece)
	}
}

// Shrink releases all unused memory, including reservations of Capacity and Grow. If there are
// holes, it does nothing and returns [ErrHoles]: call Defrag first, or [Dense.Clip]. If Memory
// refuses the smaller piece, Shrink returns its error and keeps the old piece.
// Cost: O(Cap), with a copy of the values; allocates their new memory.
// Ends: pointers to values.
//
//berth:ends all
//berth:must r0
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

// Clip closes the holes, in every mode, and releases all unused memory, including reservations of
// Capacity and Grow. It forgets loops that a panic, a Goexit or an iter.Pull has left unfinished,
// so call it where you recover (rule 5 of loops). Running loops continue; see [Dense]. If Memory
// refuses the smaller piece, d keeps the old one and, if a loop may be running, the holes.
// Cost: O(Cap) with a copy of the values, and as [Pool.Clip] for the table of slots; allocates the
// new memory of both. With a [DenseHistory], O(changes in its frames) too, which it copies.
// Ends: pointers to values.
//
//berth:ends all
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
	d.index.core().clip()
	if l := d.rare.placeRecorder(); l != nil {
		l.clip()
	}
	for _, c := range d.rare.sides() {
		c.clip()
	}
	if r := d.rare; r != nil {
		r.outside, r.clearing = nil, nil
	}
	d.changed()
}

// endEra forgets the loops that are counted. Those that run continue by the handles that it leaves.
// The live values move, in order, to new memory, so that spans stay unchanged. If Memory refuses
// that, endEra changes nothing.
func (d *Dense[T]) endEra() {
	d.checkPlaces()
	if l := d.rare.placeRecorder(); l != nil {
		l.closingUp()
	}
	old := Dense[T]{vals: d.vals, owner: d.owner, piece: d.piece}
	d.vals, d.owner, d.piece = nil, nil, nil
	if !d.setCap(d.index.n) {
		d.vals, d.owner, d.piece = old.vals, old.owner, old.piece
		if l := d.rare.placeRecorder(); l != nil {
			l.stayed()
		}
		return
	}
	for i, h := range old.owner {
		if h.gen&1 != 0 {
			d.setPlace(h, len(d.vals))
			d.vals, d.owner = append(d.vals, old.vals[i]), append(d.owner, h)
		}
	}
	for _, c := range d.rare.sides() {
		c.closeUp(func(i int) bool { return old.owner[i].gen&1 != 0 })
		c.fit()
	}
	if cap(old.vals) > 0 {
		d.released++ // setCap did not know of it
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

// Grow makes room for n more values, or for as many as Limit allows, so that inserting them
// allocates nothing. The memory stays until [Dense.Clip] or Shrink. Grow panics, and leaves d
// unchanged, if n is negative, or if d would need more than 2^32 places or 1 TiB. It panics, and
// keeps the memory it got, if Memory refuses. See [Config.Capacity] for exhausted memory.
// Cost: allocates the missing memory, and then copies the values.
// Ends: pointers to values.
//
//berth:ends all
func (d *Dense[T]) Grow(n int) {
	if n < 0 {
		panicGot("Dense.Grow", "n must not be negative", n)
	}
	d.makePlaces("Dense.Grow", n)
	d.changed()
}

func (d *Dense[T]) makePlaces(fn string, n int) {
	got := n
	d.index.core().ready(n)
	if n = min(n, d.index.max-d.index.n); n <= 0 {
		return
	}
	used := d.index.n + len(d.index.rare.building())
	slot := plain.TypeFor[block[uint32]]().Size() / blockSlots
	checkSlots(fn, uint64(used)+uint64(n), plain.TypeFor[T]().Size()+8+slot, got)
	want := used + n
	if want > cap(d.vals) && !d.setCap(max(want, len(d.vals))) { // first, since it may fail
		d.index.supply.fail(fn)
	}
	d.index.core().makeSlots(fn, n, got)
	d.reserve = max(d.reserve, want)
}

// Clear removes every value, in the order of the slice if there is OnRemove, and keeps the memory
// of the values. Values that OnRemove inserts stay.
// Cost: O(Len + Holes); allocates only to cut the directory of slots and, the first time with
// OnRemove, for a list of the handles.
// Ends: all handles and pointers and, without OnRemove, every running loop.
//
//berth:ends emptied
func (d *Dense[T]) Clear() {
	d.checkLeft()
	if d.rare.on().onRemove != nil {
		d.clearHooked()
		return
	}
	d.index.core().clear()
	d.keeping++
	d.empty()
	d.keeping--
	d.changed()
}

// clearHooked removes each value that exists when it begins, and keeps their memory meanwhile.
func (d *Dense[T]) clearHooked() {
	r := d.rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may call Clear again
	for _, h := range d.owner {
		if h.gen&1 != 0 {
			hs = append(hs, h.id)
		}
	}
	d.keeping++
	d.index.core().ready(0)
	d.index.core().beginClear()
	defer func() {
		d.index.core().endClear()
		if d.keeping--; d.keeping == 0 {
			r.clearing = hs[:0]
		}
	}()
	for _, h := range hs {
		d.Delete(Handle[T]{id: h})
	}
}

// Clone returns an independent Dense in which the same handles find copies of the values, in the
// same order. [Pool.Clone] describes the relation of the two. The clone shares the hooks. If they
// maintain an index, it must distinguish the two Denses.
//
// Clone only reads d, unless nothing has ever been inserted into it. The clone's memory comes from
// the same Memory. If that refuses, Clone panics, and gives back the memory it took.
// Cost: O(Cap); allocates a copy of everything in memory.
//
//berth:clones r0
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
	d.index.core().cloneTo("Dense.Clone", q.index.core())
	attempt(func() { d.copyTo(q) }, q.freeAll)
	d.copyLate(q)
	q.grown, q.released = d.grown, d.released
	q.changed()
	return q
}

// copyTo copies the values to the clone q, which has no memory for them yet.
func (d *Dense[T]) copyTo(q *Dense[T]) {
	if q.index.supply == nil {
		q.vals, q.owner = slices.Clone(d.vals), slices.Clone(d.owner)
		d.copyLate(q) // setCap checks the vacant places
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

// Sort orders the slice by cmp, which returns a negative number if a comes before b, a positive one
// if a comes after b, and 0 if either order will do. The sort is stable, and handles follow their
// values. Sort closes the holes first, in every mode. If cmp panics or is inconsistent, every value
// is still there, in the old order or in some other.
//
// cmp must not change d. If it does, Sort panics or leaves some order.
// Cost: O(Len log Len) comparisons, O(Len) moves; allocates 4 bytes for each value.
// Ends: pointers to values, and every running loop.
//
//berth:ends all
func (d *Dense[T]) Sort(cmp func(a, b *T) int) {
	order, moves := d.beginSort()
	slices.SortFunc(order, func(a, b uint32) int {
		d.checkSort("Sort", len(order), moves)
		if c := cmp(&d.vals[a], &d.vals[b]); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	d.endSort("Sort", order, moves)
}

// SortPlaces is like [Dense.Sort], but cmp gets the places of both values. It may read the values
// in the slice of Dense.Slice and their Vs in those of [DenseColumn.Slice]. Both stay as they are
// until the last call of cmp has returned. If there are holes, get the slices after [Dense.Defrag].
// Cost: as Sort; allocates 4 bytes for each value.
// Ends: as Sort.
//
//berth:ends all
func (d *Dense[T]) SortPlaces(cmp func(i, k int) int) {
	order, moves := d.beginSort()
	slices.SortFunc(order, func(a, b uint32) int {
		d.checkSort("SortPlaces", len(order), moves)
		if c := cmp(int(a), int(b)); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	d.endSort("SortPlaces", order, moves)
}

// beginSort closes the holes. It returns the places in their order, where order[i] is the place of
// the value that moves to place i.
func (d *Dense[T]) beginSort() (order []uint32, moves uint64) {
	d.Defrag()
	d.checkLeft()
	order = make([]uint32, len(d.vals))
	for i := range order {
		order[i] = uint32(i)
	}
	return order, d.moves
}

// checkSort panics if cmp has changed d, which had n places.
func (d *Dense[T]) checkSort(fn string, n int, moves uint64) {
	if d.moves != moves || len(d.vals) != n || d.holes != 0 {
		panic("berth: Dense." + fn + ": cmp must not change the Dense")
	}
}

// endSort moves the values into their order.
func (d *Dense[T]) endSort(fn string, order []uint32, moves uint64) {
	d.checkSort(fn, len(order), moves)
	d.arrange(order)
	if d.moves != moves {
		d.loops = 0 // they cannot continue
	}
	d.changed()
}

// arrange moves the value at place order[i] to place i, for all i, cycle by cycle.
func (d *Dense[T]) arrange(order []uint32) {
	const done = math.MaxUint32
	if l := d.rare.placeRecorder(); l != nil {
		l.movingAll(len(order), func(i int) int { return int(order[i]) })
	}
	for i := range order {
		if order[i] == done || order[i] == uint32(i) {
			continue
		}
		v, h := d.vals[i], d.owner[i]
		for _, c := range d.rare.sides() {
			c.hold(i)
		}
		k := uint32(i)
		for from := order[k]; from != uint32(i); from = order[k] {
			d.move(int(from), int(k))
			order[k], k = done, from
		}
		order[k] = done
		d.vals[k], d.owner[k] = v, h
		for _, c := range d.rare.sides() {
			c.put(int(k))
		}
		d.setPlace(h, int(k))
		d.moves++
	}
}

// Stats returns the counts of d. Chunks is the number of chunks of the table of slots, plus one for
// the values.
// Cost: O(1).
func (d *Dense[T]) Stats() Stats {
	s := d.index.look().stats()
	s.Vacant = min(cap(d.vals), d.index.look().places()) - s.Live
	s.Bytes += int(plain.TypeFor[Dense[T]]().Size() - reflect.TypeFor[core]().Size())
	s.Bytes += max(cap(d.vals)*int(plain.TypeFor[T]().Size())+cap(d.owner)*8, len(d.piece))
	if d.era != nil {
		s.Bytes += int(plain.TypeFor[era[T]]().Size())
	}
	s.Bytes += d.rare.bytes(plain.TypeFor[T]().Size()) + d.late.bytes()
	if cap(d.vals) > 0 {
		s.Chunks++
	}
	s.Grown += d.grown
	s.Truncated += d.released
	return s
}

// Slots returns an iterator over the places of d, 64 at a time, up to Cap or the last value. The
// vacant ones are holes, and places beyond the values. It yields the places as they are when it
// comes to them, whatever its body does to d.
// Cost: O(places); never allocates.
func (d *Dense[T]) Slots() iter.Seq[Slots] {
	return func(yield func(Slots) bool) {
		end := d.extent() // so that a body that inserts on every iteration ends
		for first := 0; first < min(end, d.extent()); first += blockSlots {
			s := Slots{Vacant: math.MaxUint64 >> max(0, first+blockSlots-d.extent())}
			for i := first; i < min(first+blockSlots, len(d.owner)); i++ {
				s.Live |= uint64(d.owner[i].gen&1) << (i - first)
			}
			s.Vacant &^= s.Live
			if !yield(s) {
				return
			}
		}
	}
}

// extent returns the number of places that Slots yields.
func (d *Dense[T]) extent() int { return max(len(d.vals), d.Cap()) }
