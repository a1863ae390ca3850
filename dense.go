package berth

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/seed505807e1/berth/internal/inline"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
)

// ErrHoles is returned by [Dense.Shrink] while there are holes, which it does not close.
var ErrHoles = errors.New("berth: Dense has holes")

// Defrag says when a [Dense] closes the holes that removals leave, by moving its last values into
// them.
type Defrag uint8

const (
	// DefragDeferred closes them when the values are about to be visited: by Slice, and when a
	// loop begins. Until then, inserts fill them, and a removal moves nothing, unless it gives
	// memory back.
	DefragDeferred Defrag = iota
	// DefragImmediate closes a hole as soon as it is there, or if a loop runs, at its end: a
	// removal moves one value, and no loop waits for the holes of others.
	DefragImmediate
	// DefragManual leaves it to [Dense.Defrag], Sort and Clip. Loops skip the holes, and inserts
	// fill them.
	DefragManual
)

// String returns the name of the constant without its prefix: "Deferred", "Immediate" or "Manual".
// Cost: O(1); never allocates for the three constants.
func (d Defrag) String() string {
	switch d {
	case DefragDeferred:
		return "Deferred"
	case DefragImmediate:
		return "Immediate"
	case DefragManual:
		return "Manual"
	}
	return "Defrag(" + strconv.Itoa(int(d)) + ")"
}

// DenseConfig tunes a [Dense]; its zero value is the default.
type DenseConfig[T any] struct {
	// Capacity is how many places to make up front. They stay until Clip. Values above Limit are
	// clamped to Limit. With both alike, the Dense never allocates again, except in Sort, Clone,
	// Clip, Clear with OnRemove, and where calls of InsertFunc and OnRemove are nested. See
	// [Config.Capacity] for sizes that are refused.
	Capacity int
	// Limit is the most live values; 0 is no limit.
	Limit int
	// Seed decides where handles start; see [Config.Seed].
	Seed uint32
	// Defrag is DefragDeferred by default.
	Defrag Defrag
	// ShrinkAbove is how many unused places are kept: with more, if they are more than three
	// quarters of all, memory goes back. 0 is 1024. Holes are not unused: what they take goes back
	// when they are closed. If the Dense fills and empties again and again, Capacity spares it the
	// moves.
	ShrinkAbove int
	// Memory is where the memory of the values comes from, and that of two tables: whose value lies
	// where, and the slots. See [Config.Memory]. The table of slots gives memory back in Clip and
	// Clear only. The values lie in one piece, which goes back when they have moved to another: in
	// an insert that grows the Dense, in a removal that leaves most of it unused (the last one
	// does), in Grow, Clip and Shrink. Each ends a slice that Slice returned, and spans: do not
	// remove in a loop over Slice.
	Memory Memory
	// OnInsert and OnRemove are the hooks, which [Dense.SetHooks] may change later.
	//
	// OnInsert, if not nil, is called when a value is in place, before the insert returns. It may
	// use the Dense in any way, and remove the value too. If it panics, the value is removed
	// without OnRemove, since the insert has not returned its handle.
	OnInsert func(h Handle[T], v *T)
	// OnRemove, if not nil, is called for each value that goes: by Remove, RemoveFunc, Each, Drain
	// and Clear. The handle finds nothing by then; v points to a copy, which is good until
	// OnRemove returns. It may use the Dense in any way; but if the value is removed inside a loop,
	// or by one (Each, RemoveFunc, Drain), what moves values by force ends that loop, as its body
	// would. If OnRemove panics, the value is gone all the same; Clear, Drain and the like stop.
	OnRemove func(h Handle[T], v *T)
}

// Dense holds values side by side in one slice, and names them by handles that survive when values
// move. The zero Dense is ready to use; [NewDense] only tunes it.
//
// [Dense.Slice] is the fastest loop there is. A removal leaves a hole; an insert fills one, or
// appends. When holes are closed is for [Defrag] to say. A handle leads to a slot of a table, which
// has the generation and the place of the value: two steps, and no hash table. Handles are issued
// by the rules of [Pool], and are as safe.
//
// # Pointers
//
// A *T from a Dense is good until the next insert, removal, Defrag, Sort, Slice, or beginning or
// end of a loop: each may move values. A pointer kept longer is not a crash but a lost write, or a
// write to another value. A [Ref] is a pointer that finds its value again.
//
// Tests find such a write with the build tag berth_poison, unless another value lies there by now:
// places that are vacant are filled with the byte 0xDB (what holds Go pointers is nil), and when
// one is used again, or its memory given back, and it was written to, the Dense panics with the
// handle whose value it was. An array that the Dense has left is looked at before the next change.
//
// # Loops
//
// The rules of loops at [Pool] hold in every mode:
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all. A loop ends, even if its body
//     inserts at each turn.
//  4. Loops nest, in each other and in themselves.
//  5. break and return leave the Dense as usable as if the loop had ended. After a panic, a Goexit,
//     or an iter.Pull that is never stopped, holes stay open, and memory with them: until Clip is
//     called, Slice or Defrag moves a value, or all values have gone. Call Clip where you recover.
//  6. The order is that of the slice (Backward: the reverse).
//  7. A span is fixed when it is handed out: a value removed while you are in it reads as the zero
//     T there (or as poison, with the tag berth_poison), or as what has been inserted there since.
//     After an insert that grows the Dense, a removal that gives memory back, Grow or Clip, it is a
//     copy of what was, which nobody else reads. With a Memory, these end the span.
//
// A loop also ends when all values have gone, whatever is inserted after. The rules hold because
// nothing moves while a loop runs. What is removed inside a loop leaves a hole, also under
// DefragImmediate, until the outermost loop ends; what is inserted fills one. Under DefragDeferred
// only the outermost loop closes holes when it begins. Calling Slice (with holes), Defrag or Sort
// inside a loop makes its next step panic.
//
// Clip closes holes inside a loop, too. The loop goes on in the order of before, but it no longer
// keeps values in place: a removal, or a loop inside it, may move them as if it were not there. It
// looks up each value by its handle, and hands out spans of one value.
//
// What a loop allocates is said at the end of Loops at [Pool].
//
// # Use by several goroutines
//
// A Dense is like a map, but for its loops: any number may look values up while nobody writes.
// Loops are counted, so only one goroutine may loop at a time; several may each range over what
// Slice has returned to one of them. A Dense must not be copied; see [Dense.Clone].
//
// Source: R. Ness, dcm_pool, a pool of contiguous objects in C++.
//
// Invariants (checkInvariants):
//  1. vals and owner are of one length, and owner has room for what vals has; with a Memory, both
//     lie in piece
//  2. owner[i] is the handle of the value at place i, and index leads from it to i; or it has an
//     even generation: the place is a hole, which holds the zero T, or with the tag berth_poison,
//     poison
//  3. the holes are chained through the index of owner, from hole on, and holes counts them
//  4. behind their length, owner holds zeros, and vals what holes hold
//  5. if no value is live, there are no holes either
//  6. where there are places, there is an era, and it has not ended
type Dense[T any] struct {
	_ nocopy.NoCopy

	vals  []T
	owner []Handle[T]
	index Pool[uint32] // of each handle: the place

	hole   uint32 // the first one, if holes is not 0
	defrag Defrag
	holes  int
	moves  uint64 // counts moves, and how often all values have gone
	loops  int    // that run, or that a panic has ended, since era began

	era     *era[T]
	emptied uint64 // moves when all had gone last
	keeping int    // while not 0, no memory goes back

	shrinkAbove int
	reserve     int      // places that stay in memory
	rare        *rare[T] // nil in most
	late        *late[T] // under the tag berth_poison

	piece []byte // of Memory: vals and owner lie in it
}

// NewDense returns a Dense tuned by c.
// It panics if c has a negative size, an unknown Defrag, or a Capacity beyond 2^32 slots or 1
// TiB; if c.Memory refuses the Capacity; and if T has Go pointers and c a Memory. The text says
// which, and names the value.
// Cost: allocates c.Capacity places, and slots for as many handles.
func NewDense[T any](c DenseConfig[T]) *Dense[T] {
	Config{Capacity: c.Capacity, Limit: c.Limit}.check("NewDense")
	switch {
	case c.ShrinkAbove < 0:
		panicGot("NewDense", "ShrinkAbove must not be negative", c.ShrinkAbove)
	case c.Defrag > DefragManual:
		panic("berth: NewDense: unknown " + c.Defrag.String())
	}
	mustBePlain[T]("NewDense", c.Memory)
	d := &Dense[T]{defrag: c.Defrag, shrinkAbove: c.ShrinkAbove}
	d.index.init(Config{Limit: c.Limit, Seed: c.Seed, Memory: c.Memory})
	if c.OnInsert != nil || c.OnRemove != nil {
		d.SetHooks(Hooks[T]{c.OnInsert, c.OnRemove})
	}
	attempt(func() { d.makePlaces("NewDense", c.Capacity) }, d.freeAll)
	if c.Limit > 0 && c.Capacity >= c.Limit { // InsertFunc and OnRemove are to find all they need
		r := d.rarely()
		r.outside = make([]*T, 0, 4)
		r.giveBack(new(T))
		r.giveBack(new(T))
		d.index.rarely()
	}
	return d
}

// rarely returns d.rare, made if need be.
func (d *Dense[T]) rarely() *rare[T] {
	if d.rare == nil {
		d.rare = new(rare[T])
	}
	return d.rare
}

// slot returns h as the index knows it.
func slot[T any](h Handle[T]) Handle[uint32] { return Handle[uint32]{index: h.index, gen: h.gen} }

// Len returns the number of live values.
// Cost: O(1).
func (d *Dense[T]) Len() int { return d.index.n }

// Cap returns the number of values that d can hold in the memory it has: inserts up to there
// allocate nothing. It is at most Limit.
// Cost: O(1).
func (d *Dense[T]) Cap() int { return min(cap(d.vals), d.index.Cap()) }

// String returns the type of the values and how many there are, as in
// "berth.Dense[int](3 of 4 places)".
// Cost: allocates the string.
func (d *Dense[T]) String() string {
	return fmt.Sprintf("berth.Dense[%v](%d of %d places)", reflect.TypeFor[T](), d.Len(), d.Cap())
}

// Holes returns the number of holes: places between the values that are vacant.
// Cost: O(1).
func (d *Dense[T]) Holes() int { return d.holes }

// Ptr returns a pointer to the value that h names; nil if h is stale, zero or foreign.
// The pointer is good until the next change; see [Dense].
// Cost: O(1); never allocates.
func (d *Dense[T]) Ptr(h Handle[T]) *T {
	// Ptr and Get repeat the lookup of Pool word for word: by a call of it they would be too large
	// for the compiler to inline.
	s := h.index - d.index.salt
	if k := int(s >> 6); k < len(d.index.dir) {
		if b := d.index.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return &d.vals[b.vals[s&63]]
		}
	}
	return nil
}

// Get returns a copy of the value that h names; it reports false if h is stale, zero or foreign.
// Cost: O(1) and the copy; never allocates.
func (d *Dense[T]) Get(h Handle[T]) (v T, ok bool) {
	s := h.index - d.index.salt
	if k := int(s >> 6); k < len(d.index.dir) {
		if b := d.index.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return d.vals[b.vals[s&63]], true
		}
	}
	return v, false
}

// Contains reports whether h names a live value of d.
// Cost: O(1); never allocates.
func (d *Dense[T]) Contains(h Handle[T]) bool { return d.index.Ptr(slot(h)) != nil }

// HandleAt returns the handle of the value at place i, which is element i of [Dense.Slice]; the
// zero Handle if no value is there, or i is out of range.
// Cost: O(1); never allocates.
func (d *Dense[T]) HandleAt(i int) Handle[T] {
	if uint(i) < uint(len(d.owner)) && d.owner[i].gen&1 != 0 {
		return d.owner[i]
	}
	return Handle[T]{}
}

// PlaceOf returns the place of the value that h names, which [Dense.HandleAt] leads back from; -1
// if h is stale, zero or foreign.
// Cost: O(1); never allocates.
func (d *Dense[T]) PlaceOf(h Handle[T]) int {
	if i := d.index.Ptr(slot(h)); i != nil {
		return int(*i)
	}
	return -1
}

// Insert puts v into a hole, or else behind the last value, and returns its handle; the zero Handle
// if d is full, or Memory refuses, which [Dense.TryInsert] tells by an error.
// Cost: amortised O(1); allocates when the memory is full.
// Ends: pointers to values, where it grows.
func (d *Dense[T]) Insert(v T) Handle[T] { return inline.Call(d.inserting(v)) }

// inserting is Insert, to be inlined: Pool.Insert written out, for an insert that neither grows nor
// calls a hook.
func (d *Dense[T]) inserting(v T) func() Handle[T] {
	return func() Handle[T] {
		p, i := &d.index, len(d.vals)
		if d.holes != 0 {
			i = int(d.hole)
		}
		k := p.room.Low
		if i < cap(d.vals) && uint(k) < uint(len(p.dir)) && p.n < p.quick && !poison.On {
			b := p.dir[k]
			free, occ := b.free, b.occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.room.PopLow()) {
				if d.holes != 0 {
					d.hole = d.owner[i].index
					d.holes--
				} else {
					d.vals = d.vals[:i+1]
					d.owner = d.owner[:i+1]
				}
				at := bits.TrailingZeros64(free) & 63
				b.free, b.occ = rest, occ|free^rest
				g := b.gens[at] + 1
				b.gens[at], b.vals[at] = g, uint32(i)
				p.n++
				h := Handle[T]{index: p.salt + uint32(k<<6+at), gen: g}
				d.owner[i] = h
				d.vals[i] = v
				if invariants.On {
					d.changed()
				}
				return h
			}
		}
		return d.insertSlow(v)
	}
}

// insertSlow is Insert in every other case.
func (d *Dense[T]) insertSlow(v T) Handle[T] {
	h, x := d.open()
	if x != nil {
		*x = v
		d.inserted(h)
	}
	return h
}

// New makes a zero T live, in a hole or else behind the last value, and returns its handle and a
// pointer to it, to be filled in place; the zero Handle and nil if d is full, or Memory refuses.
// Unlike with [Dense.InsertFunc], the value is live at once, and OnInsert, if there is one, sees
// the zero T. If that removes the value, the handle is stale, and the pointer nil.
// Cost: as Insert, and less for large values.
// Ends: pointers to values, where it grows.
func (d *Dense[T]) New() (Handle[T], *T) { return inline.Call2(d.newing()) }

// newing is New, to be inlined.
func (d *Dense[T]) newing() func() (Handle[T], *T) {
	return func() (Handle[T], *T) {
		p, i := &d.index, len(d.vals)
		if d.holes != 0 {
			i = int(d.hole)
		}
		k := p.room.Low
		if i < cap(d.vals) && uint(k) < uint(len(p.dir)) && p.n < p.quick && !poison.On {
			b := p.dir[k]
			free, occ := b.free, b.occ
			rest := free & (free - 1)
			if occ != 0 && (rest != 0 || p.room.PopLow()) {
				if d.holes != 0 {
					d.hole = d.owner[i].index
					d.holes--
				} else {
					d.vals = d.vals[:i+1]
					d.owner = d.owner[:i+1]
				}
				at := bits.TrailingZeros64(free) & 63
				b.free, b.occ = rest, occ|free^rest
				g := b.gens[at] + 1
				b.gens[at], b.vals[at] = g, uint32(i)
				p.n++
				h := Handle[T]{index: p.salt + uint32(k<<6+at), gen: g}
				d.owner[i] = h
				if invariants.On {
					d.changed()
				}
				return h, &d.vals[i]
			}
		}
		return d.newSlow()
	}
}

// newSlow is New in every other case.
func (d *Dense[T]) newSlow() (Handle[T], *T) {
	h, x := d.open()
	if x == nil || !d.index.hooked {
		return h, x
	}
	d.inserted(h)
	return h, d.Ptr(h)
}

// open makes a zero T live, whatever it takes. It returns a nil pointer if it cannot.
func (d *Dense[T]) open() (Handle[T], *T) {
	d.checkVacant()
	if !d.makeRoom() {
		return Handle[T]{}, nil
	}
	s := d.index.Insert(d.vacant())
	if s.IsZero() {
		return Handle[T]{}, nil
	}
	h := Handle[T]{index: s.index, gen: s.gen}
	x := d.put(h)
	d.changed()
	return h, x
}

// vacant returns the place of the next insert.
func (d *Dense[T]) vacant() uint32 {
	if d.holes != 0 {
		return d.hole
	}
	return uint32(len(d.vals))
}

// put makes the vacant place that of h, and returns it: a zero T.
func (d *Dense[T]) put(h Handle[T]) *T {
	i := int(d.vacant())
	if i == cap(d.vals) {
		d.grow()
	}
	d.reuse(i)
	if d.holes == 0 {
		d.vals, d.owner = d.vals[:i+1], d.owner[:i+1]
	} else {
		d.hole = d.owner[i].index
		d.holes--
	}
	d.owner[i] = h
	return &d.vals[i]
}

// inserted calls OnInsert for the value that h names, and takes it out again if that panics.
func (d *Dense[T]) inserted(h Handle[T]) {
	f := d.rare.on().OnInsert
	if f == nil {
		return
	}
	done := false
	defer func() {
		if !done {
			d.close(h)
		}
	}()
	f(h, d.Ptr(h))
	done = true
}

// TryInsert is [Dense.Insert] with the reason: [ErrFull] if d holds Limit values, or if all its
// 2^32 indices are live or retired; or an error that is ErrFull and what Memory has refused with.
// Cost: as Insert.
// Ends: as Insert.
func (d *Dense[T]) TryInsert(v T) (Handle[T], error) {
	if h := d.Insert(v); !h.IsZero() {
		return h, nil
	}
	return Handle[T]{}, d.index.full()
}

// Remove removes the value that h names and returns it.
// It reports false, and changes nothing, if h is stale, zero or foreign.
// Cost: amortised O(1); allocates only to give memory back, or a copy for OnRemove the first time.
// What the value pointed to can be collected.
// Ends: h and every copy of it; pointers to values.
func (d *Dense[T]) Remove(h Handle[T]) (v T, ok bool) {
	// This is Pool.Remove and vacate written out, for a value that leaves a hole.
	p := &d.index
	s := h.index - p.salt
	k := int(s >> 6)
	if k >= len(p.dir) {
		return v, false
	}
	b := p.dir[k]
	if b == nil || b.gens[s&63] != h.gen || h.gen&1 == 0 {
		return v, false
	}
	i := b.vals[s&63]
	free, bit := b.free, uint64(1)<<(s&63)
	if int(i) >= len(d.vals)-1 || b.occ == bit || h.gen+1 == p.base || p.quick == 0 ||
		d.defrag == DefragImmediate || poison.On || free == 0 && !p.room.AddLow(k) {
		return d.removeSlow(h)
	}
	b.free, b.occ = free|bit, b.occ^bit
	b.gens[s&63], b.vals[s&63] = h.gen+1, 0
	p.n--
	v = d.vals[i]
	var zero T
	d.vals[i] = zero
	d.owner[i] = Handle[T]{index: d.hole}
	d.hole = i
	d.holes++
	if invariants.On {
		d.changed()
	}
	return v, true
}

// removeSlow is Remove of h, which is live, in every other case.
func (d *Dense[T]) removeSlow(h Handle[T]) (v T, ok bool) {
	v = *d.Ptr(h)
	d.close(h)
	if f := d.rare.on().OnRemove; f != nil {
		d.rare.callOut(f, h, &v)
	}
	return v, true
}

// Delete is [Dense.Remove] without the value: it reports whether there was one.
// Cost: as Remove, without the copy.
// Ends: as Remove.
func (d *Dense[T]) Delete(h Handle[T]) bool {
	p := &d.index
	s := h.index - p.salt
	k := int(s >> 6)
	if k >= len(p.dir) {
		return false
	}
	b := p.dir[k]
	if b == nil || b.gens[s&63] != h.gen || h.gen&1 == 0 {
		return false
	}
	i := b.vals[s&63]
	free, bit := b.free, uint64(1)<<(s&63)
	if int(i) >= len(d.vals)-1 || b.occ == bit || h.gen+1 == p.base || p.quick == 0 ||
		d.defrag == DefragImmediate || poison.On || free == 0 && !p.room.AddLow(k) {
		return d.deleteSlow(h)
	}
	b.free, b.occ = free|bit, b.occ^bit
	b.gens[s&63], b.vals[s&63] = h.gen+1, 0
	p.n--
	var zero T
	d.vals[i] = zero
	d.owner[i] = Handle[T]{index: d.hole}
	d.hole = i
	d.holes++
	if invariants.On {
		d.changed()
	}
	return true
}

// deleteSlow is removeSlow, with a copy only for a hook.
func (d *Dense[T]) deleteSlow(h Handle[T]) bool {
	if d.rare.on().OnRemove != nil {
		d.removeSlow(h)
	} else {
		d.close(h)
	}
	return true
}

// close removes the value that h names, if any, whatever it takes, but calls no hook.
func (d *Dense[T]) close(h Handle[T]) bool {
	d.checkLeft()
	i, ok := d.index.Remove(slot(h))
	if ok {
		d.vacate(int(i))
	}
	return ok
}

// vacate empties place i, whose handle is stale already.
func (d *Dense[T]) vacate(i int) {
	last := len(d.vals) - 1
	switch {
	case d.index.n == 0:
		d.empty()
	case i == last:
		d.cut(last)
	case d.defrag == DefragImmediate && d.loops == 0 && d.holes == 0:
		d.move(last, i)
		d.cut(last)
	default:
		d.void(i)
		d.owner[i] = Handle[T]{index: d.hole}
		d.hole = uint32(i)
		d.holes++
		if d.defrag == DefragImmediate && d.loops == 0 {
			d.Defrag()
		}
	}
	if invariants.On {
		d.changed()
	}
}
