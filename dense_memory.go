package berth

import (
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/limits"
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
		lookDense(d).closeForSlice()
	}
	return d.vals[:len(d.vals):len(d.vals)]
}

//go:noinline
func (d *dense) closeForSlice() {
	if d.defrag == DefragManual {
		panic("berth: Dense.Slice: under DefragManual, Defrag must close the holes first")
	}
	d.defragment()
}

// Defrag closes all holes by moving the last values into them, and returns how many values it
// moved.
// Cost: O(Holes), however many values there are; never allocates, unless it releases memory.
// Ends: pointers to values and, if it moves any, every running loop.
//
//berth:ends all
func (d *Dense[T]) Defrag() (moved int) { return lookDense(d).defragment() }

//go:noinline
func (d *dense) defragment() (moved int) {
	if d.holes == 0 {
		return 0
	}
	d.checkPlaces()
	n := d.index.n // places that will be left; beyond them lie as many values as holes before
	last := d.vals.n - 1
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
	d.changed()
	return moved
}

// makeRoom ensures that the next insert finds a slot and a place, if they come from a Memory. It
// reports false if it cannot. On Go's heap, both are allocated when needed.
func (d *dense) makeRoom() bool {
	return d.index.supply == nil || d.index.core().makeRoom() && d.makePlace()
}

// makePlace is makeRoom for the place.
func (d *dense) makePlace() bool {
	return d.index.supply == nil || d.holes != 0 || d.vals.n < d.vals.cap || d.grow()
}

// grow makes more places when there are none.
func (d *dense) grow() bool {
	n := d.vals.n
	return d.setCap(n + max(n/2, min(n, 16<<10), d.firstCap()))
}

// firstCap returns the number of places to begin with: 16, or fewer for large values.
func (d *dense) firstCap() int { return max(1, min(16, 4096/max(1, int(d.kind.size)))) }

// shrink releases memory, except for n places and some more.
func (d *dense) shrink(n int) {
	above := d.shrinkAbove
	if above == 0 {
		above = defaultShrinkAbove
	}
	if unused := d.vals.cap - n; unused <= above {
		return
	}
	// With twice the places in use, neither inserts nor removals move the values again soon.
	if keep := max(n+max(n, above/2), d.reserve); keep < d.vals.cap {
		if d.rare != nil {
			d.rare.clearing = nil
		}
		d.setCap(keep)
	}
}

// setCap moves the values to memory for n places. It reports false, and changes nothing, if Memory
// refuses. supply.refused is then the reason.
func (d *dense) setCap(n int) bool {
	if d.era == nil {
		d.era = new(era)
	}
	d.checkPlaces()
	s := d.index.supply
	was, owner := d.vals, d.owner
	vals, owners, piece, err := d.newPlaces(n)
	if s != nil {
		s.refused = err
	}
	if err != nil {
		return false
	}
	vals.n = was.n
	if was.n > 0 {
		d.kind.copy(vals.first, was.first, was.n)
	}
	d.vals, d.owner = vals, owners[:copy(owners, owner)]
	d.leaveArray(was, owner)
	d.fitColumns()
	d.moved(was.cap)
	if s != nil {
		piece, d.piece = d.piece, piece
		s.free(piece)
	}
	return true
}

// moved counts that the values have moved to other memory. They had memory for was places.
func (d *dense) moved(was int) {
	if d.vals.cap > 0 {
		d.grown++
	}
	if was > 0 {
		d.released++
	}
}

// fitColumns tells the DenseColumns that the capacity has changed.
func (d *dense) fitColumns() {
	for _, c := range d.rare.sides() {
		c.fit()
	}
}

// newPlaces returns zeroed memory for n places. From a Memory it is one piece, so that there is one
// refusal, and one table of pages for both slices.
func (d *dense) newPlaces(n int) (array, []id, []byte, error) {
	s, size := d.index.supply, int(d.kind.size)
	if s == nil || n == 0 {
		return array{d.kind.make(n), 0, n}, make([]id, n), nil, nil
	}
	const align = 8 // the most that any type has
	if n > (limits.MaxBytes-align)/(size+8) {
		return array{}, nil, nil, errTooLarge
	}
	owner := (n*size + align - 1) &^ (align - 1) // offset of the handles
	b, err := s.alloc(owner+n*8, align)
	if err != nil {
		return array{}, nil, nil, err
	}
	vals := array{firstOf(b), 0, n}
	if size == 0 {
		vals.first = d.kind.make(n) // takes no memory, and does not end with the piece
	}
	return vals, valuesIn[id](b[owner:], n), b, nil
}

// freeAll gives back all memory of a Dense that is not in use yet.
func (d *dense) freeAll() {
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
// new memory of both. With a [History], O(changes in its frames) too, which it copies.
// Ends: pointers to values.
//
//berth:ends all
func (d *Dense[T]) Clip() { denseOf(d).clip() }

//go:noinline
func (d *dense) clip() {
	d.reserve = 0
	if d.loops == 0 {
		d.defragment()
	} else {
		d.endEra()
	}
	if d.vals.cap > d.vals.n {
		d.setCap(d.vals.n)
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
func (d *dense) endEra() {
	d.checkPlaces()
	if l := d.rare.placeRecorder(); l != nil {
		l.closingUp()
	}
	vals, owner, piece := d.vals, d.owner, d.piece
	d.vals, d.owner, d.piece = array{}, nil, nil
	if !d.setCap(d.index.n) {
		d.vals, d.owner, d.piece = vals, owner, piece
		if l := d.rare.placeRecorder(); l != nil {
			l.stayed()
		}
		return
	}
	for i, h := range owner {
		if h.gen&1 != 0 {
			n := d.vals.n
			d.setPlace(h, n)
			d.vals.n, d.owner = n+1, append(d.owner, h)
			d.kind.copy(d.val(n), d.kind.at(vals.first, i), 1)
		}
	}
	for _, c := range d.rare.sides() {
		c.closeUp(func(i int) bool { return owner[i].gen&1 != 0 })
		c.fit()
	}
	if vals.cap > 0 {
		d.released++ // setCap did not know of it
	}
	d.era.owner, d.era.moves = owner, d.moves
	if s := d.index.supply; s != nil {
		d.era.owner = slices.Clone(owner)
		s.free(piece)
	}
	d.era = new(era)
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
func (d *Dense[T]) Grow(n int) { denseOf(d).growBy(n) }

//go:noinline
func (d *dense) growBy(n int) {
	if n < 0 {
		panicGot("Dense.Grow", "n must not be negative", n)
	}
	d.makePlaces("Dense.Grow", n)
	d.changed()
}

func (d *dense) makePlaces(fn string, n int) {
	got := n
	d.index.core().ready(n)
	if n = min(n, d.index.max-d.index.n); n <= 0 {
		return
	}
	used := d.index.n + len(d.index.rare.building())
	slot := d.index.kind.block / blockSlots
	checkSlots(fn, uint64(used)+uint64(n), d.kind.size+8+slot, got)
	want := used + n
	if want > d.vals.cap && !d.setCap(max(want, d.vals.n)) { // first, since it may fail
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
func (d *Dense[T]) Clear() { denseOf(d).clear() }

//go:noinline
func (d *dense) clear() {
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
func (d *dense) clearHooked() {
	r := d.rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may call Clear again
	for _, h := range d.owner {
		if h.gen&1 != 0 {
			hs = append(hs, h)
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
		if d.index.place(h) != nil {
			d.remove(h)
		}
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
	q := new(Dense[T])
	denseOf(d).cloneTo(lookDense(q))
	return q
}

//go:noinline
func (d *dense) cloneTo(q *dense) {
	q.kind = d.kind
	q.hole, q.holes = d.hole, d.holes
	q.defrag, q.shrinkAbove, q.reserve = d.defrag, d.shrinkAbove, d.reserve
	if d.index.hooked {
		q.rarely().hooks = d.rare.hooks
	}
	if d.era != nil {
		q.era = new(era)
	}
	d.index.core().cloneTo("Dense.Clone", q.index.core())
	attempt(func() { d.copyTo(q) }, q.freeAll)
	d.copyLate(q)
	q.grown, q.released = d.grown, d.released
	q.changed()
}

// copyTo copies the values to the clone q, which has no memory for them yet.
func (d *dense) copyTo(q *dense) {
	n := d.vals.n
	if q.reserve > 0 {
		n = d.vals.cap
	}
	vals, owner, piece, err := q.newPlaces(n)
	if err != nil {
		q.index.supply.refused = err
		q.index.supply.fail("Dense.Clone")
	}
	vals.n = d.vals.n
	if vals.n > 0 {
		d.kind.copy(vals.first, d.vals.first, vals.n)
	}
	q.vals, q.owner, q.piece = vals, owner[:copy(owner, d.owner)], piece
}

// Sort orders the slice by cmp, which returns a negative number if a comes before b, a positive one
// if a comes after b, and 0 if either order will do. The sort is stable, and handles follow their
// values. Sort closes the holes first, in every mode. If cmp panics or is inconsistent, every value
// is still there, in the old order or in some other.
//
// cmp must not change d. If it does, Sort panics or leaves some order.
// Cost: O(Len log Len) comparisons, O(Len) moves; allocates 4 bytes for each value, and a T.
// Ends: pointers to values, and every running loop.
//
//berth:ends all
func (d *Dense[T]) Sort(cmp func(a, b *T) int) {
	denseOf(d).sort("Sort", func(i, k int) int { return cmp(&d.vals[i], &d.vals[k]) })
}

// SortPlaces is like [Dense.Sort], but cmp gets the places of both values. It may read the values
// in the slice of Dense.Slice and their Vs in those of [DenseColumn.Slice]. Both stay as they are
// until the last call of cmp has returned. If there are holes, get the slices after [Dense.Defrag].
// Cost: as Sort; allocates as Sort.
// Ends: as Sort.
//
//berth:ends all
func (d *Dense[T]) SortPlaces(cmp func(i, k int) int) { denseOf(d).sort("SortPlaces", cmp) }

// sort is SortPlaces, for the method fn.
//
//go:noinline
func (d *dense) sort(fn string, cmp func(i, k int) int) {
	d.defragment()
	d.checkLeft()
	order := make([]uint32, d.vals.n) // order[i] is the place of the value that moves to place i
	for i := range order {
		order[i] = uint32(i)
	}
	moves := d.moves
	check := func() {
		if d.moves != moves || d.vals.n != len(order) || d.holes != 0 {
			panic("berth: Dense." + fn + ": cmp must not change the Dense")
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		check()
		if c := cmp(int(a), int(b)); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	check()
	d.arrange(order)
	if d.moves != moves {
		d.loops = 0 // they cannot continue
	}
	d.changed()
}

// arrange moves the value at place order[i] to place i, for all i, cycle by cycle.
func (d *dense) arrange(order []uint32) {
	const done = math.MaxUint32
	if l := d.rare.placeRecorder(); l != nil {
		l.movingAll(len(order), func(i int) int { return int(order[i]) })
	}
	var held ref
	for i := range order {
		if order[i] == done || order[i] == uint32(i) {
			continue
		}
		if held == nil {
			held = d.kind.make(1)
		}
		h := d.owner[i]
		d.kind.copy(held, d.val(i), 1)
		for _, c := range d.rare.sides() {
			c.hold(i)
		}
		k := uint32(i)
		for from := order[k]; from != uint32(i); from = order[k] {
			d.move(int(from), int(k))
			order[k], k = done, from
		}
		order[k] = done
		d.kind.copy(d.val(int(k)), held, 1)
		d.owner[k] = h
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
func (d *Dense[T]) Stats() Stats { return lookDense(d).stats() }

//go:noinline
func (d *dense) stats() Stats {
	s := d.index.look().stats()
	s.Vacant = min(d.vals.cap, d.index.look().places()) - s.Live
	s.Bytes += int(reflect.TypeFor[dense]().Size() - reflect.TypeFor[core]().Size())
	if d.era != nil {
		s.Bytes += int(reflect.TypeFor[era]().Size())
	}
	s.Bytes += d.late.bytes()
	if k := d.kind; k != nil {
		s.Bytes += max(d.vals.cap*int(k.size)+cap(d.owner)*8, len(d.piece)) + d.rare.bytes(k.size)
	}
	if d.vals.cap > 0 {
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
func (d *Dense[T]) Slots() iter.Seq[Slots] { return lookDense(d).allSlots() }

func (d *dense) allSlots() iter.Seq[Slots] {
	return func(yield func(Slots) bool) {
		end := d.extent() // so that a body that inserts on every iteration ends
		for first := 0; first < min(end, d.extent()); first += blockSlots {
			if !yield(d.slots(first)) {
				return
			}
		}
	}
}

// slots returns the 64 places from place first on.
//
//go:noinline
func (d *dense) slots(first int) Slots {
	s := Slots{Vacant: math.MaxUint64 >> max(0, first+blockSlots-d.extent())}
	for i := first; i < min(first+blockSlots, len(d.owner)); i++ {
		s.Live |= uint64(d.owner[i].gen&1) << (i - first)
	}
	s.Vacant &^= s.Live
	return s
}

// extent returns the number of places that Slots yields.
func (d *dense) extent() int { return max(d.vals.n, d.room()) }
