package berth

import (
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/poison"
)

// denseState is all of a Dense but its values. See the invariants there. The methods of a dense,
// which is a Dense without its type, are compiled once, as those of a core are.
type denseState struct {
	owner []id
	index slotTable // for each handle, the place of its value

	hole   uint32 // the first hole, if holes is not 0
	defrag Defrag
	holes  int
	moves  uint64 // number of moves, and of times that the last value was removed
	loops  int    // number that run, or that a panic has ended, since era began

	era     *era
	emptied uint64 // value of moves when the last value was removed
	keeping int    // while not 0, no memory is released

	shrinkAbove int
	reserve     int   // places that stay in memory
	rare        *rare // nil in most Denses
	late        *late // only with the tag berth_poison

	piece []byte // from Memory: holds vals and owner

	grown, released uint64 // pieces of memory that vals has had, and has left

	kind *kind // of the values; nil until the first change
}

// made configures d, which has its Defrag and ShrinkAbove.
//
//go:noinline
func (d *dense) made(c Config, hs hooks) {
	const fn = "NewDense"
	c.check(fn)
	switch {
	case d.shrinkAbove < 0:
		panicGot(fn, "ShrinkAbove must not be negative", d.shrinkAbove)
	case d.defrag > DefragManual:
		panic("berth: " + fn + ": unknown " + d.defrag.String())
	}
	mustBePlain(fn, typeOf(d.kind), c.Memory)
	d.index.core().init(c)
	if hs.onInsert != nil || hs.onRemove != nil {
		d.setHooks(hs)
	}
	attempt(func() { d.makePlaces(fn, c.Capacity) }, d.freeAll)
	if c.Limit > 0 && c.Capacity >= c.Limit { // allocate what InsertFunc and OnRemove need
		r := d.rarely()
		r.outside = make([]ref, 0, 4)
		r.giveBack(d.kind, d.kind.make(1))
		r.giveBack(d.kind, d.kind.make(1))
		d.index.core().rarely()
	}
}

// rarely returns d.rare, allocated if necessary.
func (d *dense) rarely() *rare {
	if d.rare == nil {
		d.rare = new(rare)
	}
	return d.rare
}

// room is Cap.
//
//go:noinline
func (d *dense) room() int { return min(d.vals.cap, d.index.look().cap()) }

//go:noinline
func (d *dense) string(pointer any) string {
	t := reflect.TypeOf(pointer).Elem()
	return fmt.Sprintf("berth.Dense[%v](%d of %d places)", t, d.index.n, d.room())
}

// val returns the value at place i, which may lie beyond the last one.
func (d *dense) val(i int) ref { return d.kind.at(d.vals.first, i) }

// ptr returns the value of h, or nil if h is not live.
func (d *dense) ptr(h id) ref {
	if i := d.index.place(h); i != nil {
		return d.val(int(*i))
	}
	return nil
}

// wipe sets the values from place first to before end to zero.
func (d *dense) wipe(first, end int) {
	if first < end {
		d.kind.clear(d.val(first), end-first)
	}
}

// open makes a zero value live in all cases. It returns a nil pointer if there is no slot or place.
//
//go:noinline
func (d *dense) open() (id, ref) {
	d.checkVacant()
	if !d.makeRoom() {
		return id{}, nil
	}
	h := d.index.insert(d.vacant())
	if isZero(h) {
		return id{}, nil
	}
	x := d.put(h)
	d.changed()
	return h, x
}

// new is open with OnInsert. The pointer is also nil if OnInsert has removed the value.
//
//go:noinline
func (d *dense) new() (id, ref) {
	h, x := d.open()
	if x == nil || !d.index.hooked {
		return h, x
	}
	d.inserted(h, x)
	return h, d.ptr(h)
}

// vacant returns the place of the next insert.
func (d *dense) vacant() uint32 {
	if d.holes != 0 {
		return d.hole
	}
	return uint32(d.vals.n)
}

// put gives the vacant place to h, and returns a pointer to its zero value.
func (d *dense) put(h id) ref {
	i := int(d.vacant())
	if i == d.vals.cap {
		d.grow()
	}
	d.willChange(i)
	d.reuse(i)
	if d.holes == 0 {
		d.vals.n, d.owner = i+1, d.owner[:i+1]
	} else {
		d.hole = d.owner[i].index
		d.holes--
	}
	d.owner[i] = h
	return d.val(i)
}

// inserted calls OnInsert for the value v of h, and removes the value if OnInsert panics.
//
//go:noinline
func (d *dense) inserted(h id, v ref) {
	f := d.rare.on().onInsert
	if f == nil {
		return
	}
	done := false
	defer func() {
		if !done {
			d.close(h)
		}
	}()
	f(h, v)
	done = true
}

// remove removes the value of the live h in all cases.
//
//go:noinline
func (d *dense) remove(h id) bool {
	f := d.rare.on().onRemove
	if f == nil {
		d.close(h)
		return true
	}
	x := d.rare.borrow(d.kind)
	d.kind.copy(x, d.ptr(h), 1)
	d.close(h)
	f(h, x)
	d.rare.giveBack(d.kind, x)
	return true
}

// close removes the value of h, if any, in all cases. It calls no hook.
func (d *dense) close(h id) {
	d.checkLeft()
	if i, ok := d.index.remove(h); ok {
		d.vacate(int(i))
	}
}

// vacate empties place i, whose handle is already stale.
func (d *dense) vacate(i int) {
	last := d.vals.n - 1
	switch {
	case d.index.n == 0:
		d.empty()
	case i == last:
		d.cut(last)
	case d.defrag == DefragImmediate && d.loops == 0 && d.holes == 0:
		d.willMove(last, i)
		d.move(last, i)
		d.cut(last)
	default:
		d.willChange(i)
		d.void(i)
		d.owner[i] = id{index: d.hole}
		d.hole = uint32(i)
		d.holes++
		if d.defrag == DefragImmediate && d.loops == 0 {
			d.defragment()
		}
	}
	d.changed()
}

// move moves the value at place i to the vacant place k.
func (d *dense) move(i, k int) {
	h := d.owner[i]
	d.kind.copy(d.val(k), d.val(i), 1)
	d.owner[k] = h
	for _, c := range d.rare.sides() {
		c.move(i, k)
	}
	d.setPlace(h, k)
	d.moves++
}

// setPlace records that the value of h, which is live, lies at place k.
func (d *dense) setPlace(h id, k int) {
	s := h.index - d.index.salt
	d.index.dir[s>>6].vals[s&63] = uint32(k)
}

// cut cuts off the places from n on, and releases memory if too much is unused.
func (d *dense) cut(n int) {
	if l := d.rare.placeRecorder(); l != nil {
		l.notePlaces(n, d.vals.n)
	}
	for _, c := range d.rare.sides() {
		c.cut(n)
	}
	if poison.On {
		for i := n; i < d.vals.n; i++ {
			d.void(i)
		}
	} else {
		d.wipe(n, d.vals.n)
	}
	clear(d.owner[n:])
	d.vals.n, d.owner = n, d.owner[:n]
	if unused := d.vals.cap - n; unused > 3*n && unused > d.shrinkAbove && d.keeping == 0 {
		d.shrink(n)
	}
}

// empty cuts off all places when no value is left. No loop can continue, so none is counted as
// running, and neither is one that a panic has left behind.
func (d *dense) empty() {
	d.holes, d.loops = 0, 0
	d.moves++
	d.emptied = d.moves
	d.cut(0)
}
