package berth

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// DenseConfig configures a [Dense]. Its zero value is the default.
type DenseConfig struct {
	// Capacity is the number of places to allocate in advance. They stay until Clip. Values above
	// Limit are clamped to Limit. If both are the same, the Dense never allocates again, except in
	// Sort, Clone, Clip, Clear with OnRemove, and nested calls of InsertFunc and OnRemove, and for
	// the first of these calls after one that has panicked. See [Config.Capacity] for sizes that
	// panic.
	Capacity int
	// Limit is the maximum number of live values; 0 means no limit.
	Limit int
	// Seed determines where handles start; see [Config.Seed].
	Seed uint32
	// Defrag is DefragDeferred by default.
	Defrag Defrag
	// ShrinkAbove is the number of unused places to keep; 0 means 1024. If there are more, and they
	// are more than three quarters of all places, the Dense releases memory. Holes do not count as
	// unused: their memory is released when they are closed. If the Dense fills and empties again
	// and again, a Capacity avoids the moves.
	ShrinkAbove int
	// Memory supplies the memory of the values and of two tables: the owners of the values, and the
	// slots. See [Config.Memory]. The table of slots releases memory only in Clip and Clear. The
	// values lie in one piece, which is released when they have moved to another: in an insert that
	// grows the Dense, in a removal that leaves most of it unused (such as the last one), and in
	// Grow, Clip and Shrink. Each of these ends spans and any slice from Slice, so do not remove
	// values in a loop over Slice.
	Memory Memory
}

// Dense is a slot map whose values lie side by side in one slice. Its handles stay valid when
// values move. Insert, Remove and lookups take amortised constant time. The zero Dense is ready to
// use; [NewDense] makes one with other settings.
//
// [Dense.Slice] is the fastest loop. A removal leaves a hole. An insert fills a hole, or else
// appends. The [Defrag] mode decides when holes are closed. A handle leads to a slot in a table,
// and the slot holds the generation and the place of the value: two steps, without hashing. Handles
// are issued by the rules of [Pool], and are as safe.
//
// # Pointers
//
// A *T from a Dense is valid until the next insert, removal, Defrag, Sort or Slice, and until the
// next beginning or end of a loop. Each of these may move values. Go does not detect a write
// through a pointer kept longer: the write is lost, or it changes another value. A [Ref] is a
// pointer that finds its value again.
//
// Tests detect such a write with the build tag berth_poison, unless another value has taken the
// place. The Dense then fills vacant places with the byte 0xDB (and Go pointers with nil). When a
// place is reused or its memory released, and it was written to, the Dense panics with the handle
// of the value that was there. It checks an array that it has left before the next change.
//
// # Loops
//
// The rules of loops at [Pool] hold in every Defrag mode:
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all. A loop ends even if its body
//     inserts on every iteration.
//  4. Loops may be nested, including over the same Dense.
//  5. break and return leave the Dense as usable as if the loop had ended. After a panic, a Goexit
//     or an iter.Pull that is never stopped, holes stay open, and memory is not released, until
//     Clip is called, Slice or Defrag moves a value, or all values are removed. Call Clip where you
//     recover.
//  6. The order is that of the slice (Backward: the reverse).
//  7. A span is fixed when it is yielded. A value removed after that reads as the zero T (or as
//     poison, with the tag berth_poison), or as a value inserted there since. An insert that grows
//     the Dense, a removal that releases memory, Grow and Clip leave the span as a copy that the
//     Dense no longer uses. With a Memory, they end the span.
//
// A loop also ends when all values have been removed, even if others are inserted after that. The
// rules hold because nothing moves while a loop runs. A removal inside a loop leaves a hole, also
// under DefragImmediate, until the outermost loop ends, and an insert fills one. Under
// DefragDeferred, only the outermost loop closes holes when it begins. Calling Slice (with holes),
// Defrag or Sort inside a loop makes its next step panic.
//
// Clip may be called inside a loop, and closes holes even there. The loop continues in its old
// order, but no longer keeps values in place: a removal or a nested loop may move them as outside a
// loop. It finds each value by its handle, and yields spans of one value.
//
// The end of Loops at [Pool] lists the loops that allocate.
//
// # Use by several goroutines
//
// Any number of goroutines may look values up in a Dense while none writes, as with a map. Only one
// goroutine may loop at a time, since loops are counted. But several may range over a slice that
// Slice returned to one of them. A Dense must not be copied; see [Dense.Clone].
//
// Source: R. Ness, dcm_pool, a pool of contiguous objects in C++.
type Dense[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. vals and owner have the same length, and owner has at least the capacity of vals; with a
	//     Memory, both lie in piece
	//  2. owner[i] is the handle of the value at place i, and index leads from it to i; or its
	//     generation is even, and the place is a hole, which holds the zero T, or with the tag
	//     berth_poison, poison
	//  3. the holes are chained through the index of owner, beginning at hole, and holes is their
	//     number
	//  4. beyond their length, owner holds zeros, and vals the contents of a hole
	//  5. if no value is live, there are no holes
	//  6. if there are places, there is an era, and it has not ended

	vals  []T
	state slots.DenseState
}

// NewDense returns a Dense configured by c. It panics if c has a negative size, an unknown Defrag,
// or a Capacity beyond 2^32 slots or 1 TiB; if c.Memory refuses the Capacity; or if c has a Memory
// and T has Go pointers. The panic names the rule and the value.
//
// Cost: allocates c.Capacity places, and slots for as many handles.
func NewDense[T any](c DenseConfig) *Dense[T] {
	d := new(Dense[T])
	const fn = "NewDense"
	config := Config{Capacity: c.Capacity, Limit: c.Limit, Seed: c.Seed, Memory: c.Memory}
	if c.Defrag > DefragManual {
		panic("berth: " + fn + ": unknown " + c.Defrag.String())
	}
	d.state.Defrag, d.state.ShrinkAbove = slots.Defrag(c.Defrag), c.ShrinkAbove
	denseOf(d).Made(fn, config.checked(fn))
	return d
}

// Len returns the number of live values.
//
// Cost: O(1).
func (d *Dense[T]) Len() int { return d.state.Index.N }

// Cap returns the number of values that d can hold in its present memory. Inserts allocate nothing
// until Len reaches it. It is at most Limit.
//
// Cost: O(1).
func (d *Dense[T]) Cap() int { return slots.DenseOf(&d.state).Room() }

// String returns the type of the values and their number, as in "berth.Dense[int](3 of 4 places)".
//
// Cost: allocates the string.
func (d *Dense[T]) String() string {
	return slots.DenseOf(&d.state).String((*T)(nil))
}

// Holes returns the number of holes, which are vacant places between the values.
//
// Cost: O(1).
func (d *Dense[T]) Holes() int { return d.state.Holes }

// Ptr returns a pointer to the value of h, or nil if h is stale, zero or foreign. The pointer is
// valid until the next change; see [Dense].
//
// Cost: O(1); never allocates.
//
//berth:asks h
//berth:lends r0 by h
func (d *Dense[T]) Ptr(h Handle[T]) *T {
	// Ptr and Get duplicate the lookup of Pool so that they inline.
	s := h.id.Index - d.state.Index.Salt
	if k := int(s >> 6); k < len(d.state.Index.Dir) {
		if b := d.state.Index.Dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return &d.vals[b.Vals[s&63]]
		}
	}
	return nil
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (d *Dense[T]) Get(h Handle[T]) (v T, ok bool) {
	s := h.id.Index - d.state.Index.Salt
	if k := int(s >> 6); k < len(d.state.Index.Dir) {
		if b := d.state.Index.Dir[k]; b != nil && b.Gens[s&63] == h.id.Gen && h.id.Gen&1 != 0 {
			return d.vals[b.Vals[s&63]], true
		}
	}
	return v, false
}

// Contains reports whether h refers to a live value of d.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (d *Dense[T]) Contains(h Handle[T]) bool { return d.state.Index.Place(h.id) != nil }

// At returns the handle of the value at a place, which is an index of [Dense.Slice], and a pointer
// to it. It returns the zero Handle and nil if the place is vacant or out of range. It is the
// inverse of [Dense.PlaceOf], so it takes its -1 too.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
//berth:lends r1 by r0
func (d *Dense[T]) At(place int) (h Handle[T], v *T) {
	if uint(place) < uint(len(d.state.Owner)) && d.state.Owner[place].Gen&1 != 0 {
		return Handle[T]{id: d.state.Owner[place]}, &d.vals[place]
	}
	return h, nil
}

// PlaceOf returns the place of the value of h, or -1 if h is stale, zero or foreign. It is the
// inverse of [Dense.At].
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (d *Dense[T]) PlaceOf(h Handle[T]) int {
	return slots.DenseOf(&d.state).PlaceOf(h.id)
}

// Insert puts v into a hole, or else after the last value, and returns its handle. It returns the
// zero Handle if d is full or Memory refuses; [Dense.TryInsert] tells the two apart.
//
// Cost: amortised O(1); allocates when the memory is full.
//
// Ends: pointers to values, if it grows.
//
//berth:issues r0
//berth:ends all
func (d *Dense[T]) Insert(v T) Handle[T] {
	// This is an insert that neither grows nor calls a hook.
	return Handle[T]{id: callID(func() slots.ID {
		p, i := &d.state.Index, len(d.vals)
		if d.state.Holes != 0 {
			i = int(d.state.Hole)
		}
		k := p.Room.Low
		if i < cap(d.vals) && uint(k) < uint(len(p.Dir)) && p.N < p.Quick && !poison.On {
			b := p.Dir[k]
			free, occ := b.Free, b.Occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.Room.Two()) {
				if rest == 0 {
					p.Room.PopLow()
				}
				if d.state.Holes != 0 {
					d.state.Hole = d.state.Owner[i].Index
					d.state.Holes--
				} else {
					d.vals = d.vals[:i+1]
					d.state.Owner = d.state.Owner[:i+1]
				}
				at := bits.TrailingZeros64(free) & 63
				b.Free, b.Occ = rest, occ|free^rest
				g := b.Gens[at] + 1
				b.Gens[at], b.Vals[at] = g, uint32(i)
				p.N++
				h := slots.ID{Index: p.Salt + uint32(k<<6+at), Gen: g}
				d.state.Owner[i] = h
				d.vals[i] = v
				if invariants.On {
					slots.DenseOf(&d.state).Changed()
				}
				return h
			}
		}
		h, x := d.state.Insert((*slots.Block[T])(nil))
		if x != nil {
			*(*T)(x) = v
			if p.Hooked {
				slots.DenseOf(&d.state).Inserted(h, x)
			}
		}
		return h
	})}
}

// New makes a zero T live, in a hole or else after the last value, and returns its handle and a
// pointer to it, so that the value can be filled in place. It returns the zero Handle and nil if d
// is full or Memory refuses. In contrast to [Dense.InsertFunc], the value is live at once, and
// OnInsert gets the zero T. If OnInsert removes the value, the handle is stale and the pointer nil.
//
// Cost: as Insert, and less for large values.
//
// Ends: pointers to values, if it grows.
//
//berth:issues r0
//berth:ends all
//berth:lends r1 by r0
func (d *Dense[T]) New() (Handle[T], *T) {
	var v *T
	h := callID(func() slots.ID {
		p, i := &d.state.Index, len(d.vals)
		if d.state.Holes != 0 {
			i = int(d.state.Hole)
		}
		k := p.Room.Low
		if i < cap(d.vals) && uint(k) < uint(len(p.Dir)) && p.N < p.Quick && !poison.On {
			b := p.Dir[k]
			free, occ := b.Free, b.Occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.Room.Two()) {
				if rest == 0 {
					p.Room.PopLow()
				}
				if d.state.Holes != 0 {
					d.state.Hole = d.state.Owner[i].Index
					d.state.Holes--
				} else {
					d.vals = d.vals[:i+1]
					d.state.Owner = d.state.Owner[:i+1]
				}
				at := bits.TrailingZeros64(free) & 63
				b.Free, b.Occ = rest, occ|free^rest
				g := b.Gens[at] + 1
				b.Gens[at], b.Vals[at] = g, uint32(i)
				p.N++
				h := slots.ID{Index: p.Salt + uint32(k<<6+at), Gen: g}
				d.state.Owner[i] = h
				if invariants.On {
					slots.DenseOf(&d.state).Changed()
				}
				v = &d.vals[i]
				return h
			}
		}
		h, x := d.state.New((*slots.Block[T])(nil))
		v = (*T)(x)
		return h
	})
	return Handle[T]{id: h}, v
}

// TryInsert is like [Dense.Insert], but returns an error in place of the zero Handle, as
// [Pool.TryInsert] does.
//
// Cost: as Insert.
//
// Ends: as Insert.
//
//berth:issues r0
//berth:ends all
//berth:must r1
func (d *Dense[T]) TryInsert(v T) (Handle[T], error) {
	h := d.Insert(v)
	if slots.IsZero(h.id) {
		return h, d.state.Index.Look().Full()
	}
	return h, nil
}

// InsertFunc lets f build a value, inserts it, and returns its handle. f gets a pointer to a zero
// T, which is moved into the Dense when f returns, and the handle that the value will have. Until
// then, that handle finds nothing. If d is full or Memory refuses, InsertFunc does not call f, and
// returns the zero Handle.
//
// f may use d in any way. Its pointer is valid until it returns. If f panics, nothing is inserted,
// and the handle that f was given stays stale. The same happens if f itself fills d up, and Memory
// refuses to let it grow again: InsertFunc then returns the zero Handle.
//
// Cost: amortised O(1) and f, with a copy of the value; without f about three times Insert, because
// a panic in f is undone. It allocates when Insert would, and memory for the value that f builds:
// the first time, after a panic of f or a Clip, and when calls are nested.
//
// Ends: as Insert.
//
//berth:issues r0
//berth:ends all
func (d *Dense[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	h := d.state.InsertFunc((*slots.Block[T])(nil), func(h slots.ID, v slots.Ref) bool {
		f(Handle[T]{id: h}, (*T)(v))
		return true
	})
	return Handle[T]{id: h}
}

// DenseInsertErr is [InsertErr] for a Dense.
//
// Cost: as [Dense.InsertFunc].
//
// Ends: as [Dense.Insert].
//
//berth:issues r0 of d
//berth:ends all of d
//berth:must r1 of d
func DenseInsertErr[T any](d *Dense[T], f func(Handle[T], *T) error) (_ Handle[T], err error) {
	h := d.state.InsertFunc((*slots.Block[T])(nil), func(h slots.ID, v slots.Ref) bool {
		err = f(Handle[T]{id: h}, (*T)(v))
		return err == nil
	})
	if err == nil && slots.IsZero(h) {
		err = d.state.Index.Look().Full()
	}
	return Handle[T]{id: h}, err
}

// DenseInsertAt is [InsertAt] for a [Dense]. It inserts v under the handle h, into a hole or else
// after the last value.
//
// Cost: amortised O(1); allocates as Insert, and the slot's chunk if that is not in memory.
//
// Ends: pointers to values, if it grows.
//
//berth:ends all of d
//berth:clones of d
func DenseInsertAt[T any](d *Dense[T], h Handle[T], v T) error {
	c := denseOf(d)
	at, err := c.OpenAt(h.id)
	if err == nil {
		*(*T)(at) = v
		c.OpenedAt(h.id, at)
	}
	return err
}

// DenseSetHooks is [SetHooks] for a [Dense]. If a value is removed inside a loop, or by one such as
// [Each], a call of OnRemove that moves values by force ends that loop, as it would in the loop's
// body.
//
// Cost: as SetHooks; allocates as it does.
func DenseSetHooks[T any](d *Dense[T], hs Hooks[T]) {
	denseOf(d).SetHooks(slots.Hooks{OnInsert: adapt(hs.OnInsert), OnRemove: adapt(hs.OnRemove)})
}

// Remove removes the value of h and returns it. It reports false, and changes nothing, if h is
// stale, zero or foreign.
//
// Cost: amortised O(1); allocates only to release memory, or the first time, a copy for OnRemove.
// The collector can free whatever the value pointed to.
//
// Ends: h and every copy of it; pointers to values.
//
//berth:asks h
//berth:ends all by h
func (d *Dense[T]) Remove(h Handle[T]) (v T, ok bool) {
	// This repeats Pool.Remove and vacate, for a value that leaves a hole.
	p := &d.state.Index
	s := h.id.Index - p.Salt
	k := int(s >> 6)
	if k >= len(p.Dir) {
		return v, false
	}
	b := p.Dir[k]
	if b == nil || b.Gens[s&63] != h.id.Gen || h.id.Gen&1 == 0 {
		return v, false
	}
	i := b.Vals[s&63]
	free, bit := b.Free, uint64(1)<<(s&63)
	if int(i) >= len(d.vals)-1 || b.Occ == bit || h.id.Gen+1 == p.Base || p.Calm == 0 ||
		d.state.Defrag == slots.DefragImmediate || poison.On ||
		free == 0 && (k > p.Room.Low || p.Room.Two()) {
		v = d.vals[i]
		return v, deleteDense(d, h)
	}
	if free == 0 {
		p.Room.AddLow(k)
	}
	b.Free, b.Occ = free|bit, b.Occ^bit
	b.Gens[s&63], b.Vals[s&63] = h.id.Gen+1, 0
	p.N--
	p.Ended++
	v = d.vals[i]
	var zero T
	d.vals[i] = zero
	d.state.Owner[i] = slots.ID{Index: d.state.Hole}
	d.state.Hole = i
	d.state.Holes++
	if invariants.On {
		slots.DenseOf(&d.state).Changed()
	}
	return v, true
}

// Delete is like [Dense.Remove], but only reports whether there was a value.
//
// Cost: as Remove, without the copy.
//
// Ends: as Remove.
//
//berth:asks h
//berth:ends all by h
func (d *Dense[T]) Delete(h Handle[T]) bool {
	p := &d.state.Index
	s := h.id.Index - p.Salt
	k := int(s >> 6)
	if k >= len(p.Dir) {
		return false
	}
	b := p.Dir[k]
	if b == nil || b.Gens[s&63] != h.id.Gen || h.id.Gen&1 == 0 {
		return false
	}
	i := b.Vals[s&63]
	free, bit := b.Free, uint64(1)<<(s&63)
	if int(i) >= len(d.vals)-1 || b.Occ == bit || h.id.Gen+1 == p.Base || p.Calm == 0 ||
		d.state.Defrag == slots.DefragImmediate || poison.On ||
		free == 0 && (k > p.Room.Low || p.Room.Two()) {
		return deleteDense(d, h)
	}
	if free == 0 {
		p.Room.AddLow(k)
	}
	b.Free, b.Occ = free|bit, b.Occ^bit
	b.Gens[s&63], b.Vals[s&63] = h.id.Gen+1, 0
	p.N--
	p.Ended++
	var zero T
	d.vals[i] = zero
	d.state.Owner[i] = slots.ID{Index: d.state.Hole}
	d.state.Hole = i
	d.state.Holes++
	if invariants.On {
		slots.DenseOf(&d.state).Changed()
	}
	return true
}

// deleteDense removes the value of the live h in all other cases.
func deleteDense[T any](d *Dense[T], h Handle[T]) bool {
	x, p := &d.state, &d.state.Index
	s := h.id.Index - p.Salt
	k := int(s >> 6)
	b := p.Dir[k]
	i, last := int(b.Vals[s&63]), len(d.vals)-1
	free, bit := b.Free, uint64(1)<<(s&63)
	unused := cap(d.vals) - last
	if i != last && (x.Defrag != slots.DefragImmediate || x.Loops != 0 || x.Holes != 0) ||
		unused > 3*last && unused > x.ShrinkAbove && cap(d.vals) > x.Reserve || b.Occ == bit ||
		h.id.Gen+1 == p.Base || p.Calm == 0 || poison.On ||
		free == 0 && (k > p.Room.Low || p.Room.Two()) {
		return slots.DenseOf(&d.state).Remove(h.id)
	}
	// The last place becomes free: it is that of h, or its value moves there.
	if free == 0 {
		p.Room.AddLow(k)
	}
	b.Free, b.Occ = free|bit, b.Occ^bit
	b.Gens[s&63], b.Vals[s&63] = h.id.Gen+1, 0
	p.N--
	p.Ended++
	if i != last {
		d.vals[i], d.state.Owner[i] = d.vals[last], d.state.Owner[last]
		slots.DenseOf(&d.state).SetPlace(d.state.Owner[i], i)
		d.state.Moves++
	}
	var zero T
	d.vals[last], d.state.Owner[last] = zero, slots.ID{}
	d.vals, d.state.Owner = d.vals[:last], d.state.Owner[:last]
	if invariants.On {
		slots.DenseOf(&d.state).Changed()
	}
	return true
}

// denseOf returns d without its type of values, for a change.
func denseOf[T any](d *Dense[T]) *slots.Dense {
	return slots.DenseAt(&d.state, (*slots.Block[T])(nil))
}
