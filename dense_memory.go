package berth

import (
	"iter"
	"math"
	"reflect"

	"github.com/seed505807e1/berth/internal/slots"
)

// Slice returns exactly the live values, side by side, in an order that lasts until a value is
// removed or Sort is called. The slice is d's own memory, and may be written to. Slice closes the
// holes first. Under [DefragManual] it panics if there are any.
//
// Cost: O(Holes); never allocates, unless it releases memory.
//
// Ends: if it moves values, pointers to them and every running loop. The slice is valid until the
// next insert or removal, and appending to it copies it. As an exception, except under
// [DefragImmediate], a forward loop over the slice may remove its current value: that leaves a
// hole, which is a zero T, and moves no value still to come.
//
//berth:ends some
//berth:lends r0
func (d *Dense[T]) Slice() []T {
	if d.state.Holes != 0 {
		slots.DenseOf(&d.state).CloseForSlice()
	}
	return d.vals[:len(d.vals):len(d.vals)]
}

// Defrag closes all holes by moving the last values into them, and returns how many values it
// moved.
//
// Cost: O(Holes), however many values there are; never allocates, unless it releases memory.
//
// Ends: pointers to values and, if it moves any, every running loop.
//
//berth:ends all
func (d *Dense[T]) Defrag() (moved int) { return slots.DenseOf(&d.state).Defragment() }

// Shrink releases all unused memory, including reservations of Capacity and Grow. If there are
// holes, it does nothing and returns [ErrHoles]: call Defrag first, or [Dense.Clip]. If Memory
// refuses the smaller piece, Shrink returns its error and keeps the old piece.
//
// Cost: O(Cap), with a copy of the values; allocates their new memory.
//
// Ends: pointers to values.
//
//berth:ends all
//berth:must r0
func (d *Dense[T]) Shrink() error {
	if d.state.Holes != 0 {
		return ErrHoles
	}
	d.Clip()
	if cap(d.vals) > len(d.vals) {
		return d.state.Index.Supply.Refused
	}
	return nil
}

// Clip closes the holes, in every mode, and releases all unused memory, including reservations of
// Capacity and Grow. It forgets loops that a panic, a Goexit or an iter.Pull has left unfinished,
// so call it where you recover (rule 5 of loops). Running loops continue; see [Dense]. If Memory
// refuses the smaller piece, d keeps the old one and, if a loop may be running, the holes.
//
// Cost: O(Cap) with a copy of the values, and as [Pool.Clip] for the table of slots; allocates the
// new memory of both. With a [History], O(changes in its frames) too, which it copies.
//
// Ends: pointers to values.
//
//berth:ends all
func (d *Dense[T]) Clip() { d.state.Clip((*slots.Block[T])(nil)) }

// Grow makes room for n more values, or for as many as Limit allows, so that inserting them
// allocates nothing. The memory stays until [Dense.Clip] or Shrink. Grow panics, and leaves d
// unchanged, if n is negative, or if d would need more than 2^32 places or 1 TiB. It panics, and
// keeps the memory it got, if Memory refuses. See [Config.Capacity] for exhausted memory.
//
// Cost: allocates the missing memory, and then copies the values.
//
// Ends: pointers to values.
//
//berth:ends all
func (d *Dense[T]) Grow(n int) { d.state.Grow((*slots.Block[T])(nil), n) }

// Clear removes every value, in the order of the slice if there is OnRemove, and keeps the memory
// of the values. Values that OnRemove inserts stay.
//
// Cost: O(Len + Holes); allocates only to cut the directory of slots and, the first time with
// OnRemove, for a list of the handles.
//
// Ends: all handles and pointers and, without OnRemove, every running loop.
//
//berth:ends emptied
func (d *Dense[T]) Clear() { d.state.Clear((*slots.Block[T])(nil)) }

// Clone returns an independent Dense in which the same handles find copies of the values, in the
// same order. [Pool.Clone] describes the relation of the two. The clone shares the hooks. If they
// maintain an index, it must distinguish the two Denses.
//
// Clone only reads d, unless nothing has ever been inserted into it. The clone's memory comes from
// the same Memory. If that refuses, Clone panics, and gives back the memory it took.
//
// Cost: O(Cap); allocates a copy of everything in memory.
//
//berth:clones r0
func (d *Dense[T]) Clone() *Dense[T] {
	return (*Dense[T])(d.state.Clone((*slots.Block[T])(nil)))
}

// CopyFrom makes d a copy of q, as [Dense.Clone] would return it, in the memory that d has. It
// takes the values in their order, the handles, and the settings of q. Memory and hooks stay those
// of d, and no hook is called. CopyFrom panics as [Pool.CopyFrom] does, and then leaves the values
// of d unchanged.
//
// Cost: O(Cap); copies all slots and places, and allocates the memory that d lacks: nothing in a
// steady state.
//
// Ends: all handles and pointers of d, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) CopyFrom(q *Dense[T]) {
	d.state.CopyFrom((*slots.Block[T])(nil), &q.state)
}

// Sort orders the slice by cmp, which returns a negative number if a comes before b, a positive one
// if a comes after b, and 0 if either order will do. The sort is stable, and handles follow their
// values. Sort closes the holes first, in every mode. If cmp panics or is inconsistent, every value
// is still there, in the old order or in some other.
//
// cmp must not change d. If it does, Sort panics or leaves some order.
//
// Cost: O(Len log Len) comparisons, O(Len) moves; allocates 4 bytes for each value, and a T.
//
// Ends: pointers to values, and every running loop.
//
//berth:ends all
func (d *Dense[T]) Sort(cmp func(a, b *T) int) {
	d.state.Sort((*slots.Block[T])(nil), "Sort", func(i, k int) int {
		return cmp(&d.vals[i], &d.vals[k])
	})
}

// SortPlaces is like [Dense.Sort], but cmp gets the places of both values. It may read the values
// in the slice of Dense.Slice and their Vs in those of [DenseColumn.Slice]. Both stay as they are
// until the last call of cmp has returned. If there are holes, get the slices after [Dense.Defrag].
//
// Cost: as Sort; allocates as Sort.
//
// Ends: as Sort.
//
//berth:ends all
func (d *Dense[T]) SortPlaces(cmp func(i, k int) int) {
	d.state.Sort((*slots.Block[T])(nil), "SortPlaces", cmp)
}

// Stats returns the counts of d. Chunks is the number of chunks of the table of slots, plus one for
// the values.
//
// Cost: O(1).
func (d *Dense[T]) Stats() (s Stats) {
	denseStats(&s, slots.DenseOf(&d.state))
	return s
}

// Slots returns an iterator over the places of d, 64 at a time, up to Cap or the last value. The
// vacant ones are holes, and places beyond the values. It yields the places as they are when it
// comes to them, whatever its body does to d.
//
// Cost: O(places); allocates the loop.
func (d *Dense[T]) Slots() iter.Seq[Slots] { return denseSlots((*slots.Dense)(slots.Ref(d))) }

// denseStats sets s to the counts of d.
//
//go:noinline
func denseStats(s *Stats, d *slots.Dense) {
	statsOf(s, d.Index.Look())
	s.Vacant = min(d.Vals.Cap, d.Index.Look().Places()) - s.Live
	s.Bytes += int(reflect.TypeFor[slots.Dense]().Size() - reflect.TypeFor[slots.Core]().Size())
	if d.Era != nil {
		s.Bytes += int(reflect.TypeFor[slots.Era]().Size())
	}
	s.Bytes += d.Late.Bytes()
	if k := d.Kind; k != nil {
		s.Bytes += max(d.Vals.Cap*int(k.Size)+cap(d.Owner)*8, len(d.Piece)) + d.Rare.Bytes(k.Size)
	}
	if d.Vals.Cap > 0 {
		s.Chunks++
	}
	s.Grown += d.Grown
	s.Truncated += d.Released
}

//go:noinline
func denseSlots(d *slots.Dense) iter.Seq[Slots] {
	return func(yield func(Slots) bool) {
		end := extentOf(d) // so that a body that inserts on every iteration ends
		for first := 0; first < min(end, extentOf(d)); first += slots.BlockSlots {
			if !yield(placesAt(d, first)) {
				return
			}
		}
	}
}

// placesAt returns the 64 places from place first on.
//
//go:noinline
func placesAt(d *slots.Dense, first int) Slots {
	s := Slots{Vacant: math.MaxUint64 >> max(0, first+slots.BlockSlots-extentOf(d))}
	for i := first; i < min(first+slots.BlockSlots, len(d.Owner)); i++ {
		s.Live |= uint64(d.Owner[i].Gen&1) << (i - first)
	}
	s.Vacant &^= s.Live
	return s
}

// extentOf returns the number of places that Slots yields.
func extentOf(d *slots.Dense) int { return max(d.Vals.N, d.Room()) }
