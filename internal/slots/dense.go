package slots

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/poison"
)

// DenseState is all of a Dense but its values. See the invariants there. The methods of a dense,
// which is a Dense without its type, are compiled once, as those of a core are.
type DenseState struct {
	Owner []ID
	Index SlotTable // for each handle, the place of its value

	Hole   uint32 // the first hole, if holes is not 0
	Defrag Defrag
	Holes  int
	Moves  uint64 // number of moves, and of times that the last value was removed
	Loops  int    // number that run, or that a panic has ended, since era began

	Era     *Era
	Emptied uint64 // value of moves when the last value was removed
	Keeping int    // while not 0, no memory is released

	ShrinkAbove int
	Reserve     int   // places that stay in memory
	Rare        *Rare // nil in most Denses
	Late        *late // only with the tag berth_poison

	Piece []byte // from Memory: holds vals and owner

	Grown, Released uint64 // pieces of memory that vals has had, and has left

	Kind *kind // of the values; nil until the first change
}

// Made configures d, which has its Defrag and ShrinkAbove.
//
//go:noinline
func (d *Dense) Made(fn string, c Config) {
	if d.ShrinkAbove < 0 {
		PanicGot(fn, "ShrinkAbove must not be negative", d.ShrinkAbove)
	}
	mustBePlain(fn, TypeOf(d.Kind), c.Memory)
	d.Index.Core().init(c)
	attempt(func() { d.makePlaces(fn, c.Capacity) }, d.freeAll)
	if c.Limit > 0 && c.Capacity >= c.Limit { // allocate what InsertFunc and OnRemove need
		r := d.Rarely()
		r.Outside = make([]Ref, 0, 4)
		r.giveBack(d.Kind, d.Kind.make(1))
		r.giveBack(d.Kind, d.Kind.make(1))
		d.Index.Core().Rarely()
	}
}

// Rarely returns d.rare, allocated if necessary.
func (d *Dense) Rarely() *Rare {
	if d.Rare == nil {
		d.Rare = new(Rare)
	}
	return d.Rare
}

// Room is Cap.
//
//go:noinline
func (d *Dense) Room() int { return min(d.Vals.Cap, d.Index.Look().Cap()) }

// String is that of a Dense. pointer is a pointer to a value.
//
//go:noinline
func (d *Dense) String(pointer any) string {
	t := reflect.TypeOf(pointer).Elem()
	return fmt.Sprintf("berth.Dense[%v](%d of %d places)", t, d.Index.N, d.Room())
}

// val returns the value at place i, which may lie beyond the last one.
func (d *Dense) val(i int) Ref { return d.Kind.at(d.Vals.First, i) }

// ptr returns the value of h, or nil if h is not live.
func (d *Dense) ptr(h ID) Ref {
	if i := d.Index.Place(h); i != nil {
		return d.val(int(*i))
	}
	return nil
}

// wipe sets the values from place first to before end to zero.
func (d *Dense) wipe(first, end int) {
	if first < end {
		d.Kind.clear(d.val(first), end-first)
	}
}

// Open makes a zero value live in all cases. It returns a nil pointer if there is no slot or place.
//
//go:noinline
func (d *Dense) Open() (ID, Ref) {
	d.checkVacant()
	if !d.makeRoom() {
		return ID{}, nil
	}
	h := d.Index.insert(d.vacant())
	if IsZero(h) {
		return ID{}, nil
	}
	x := d.put(h)
	d.Changed()
	return h, x
}

// Insert is Open for Insert of a Dense, which sets the value and, if there are hooks, calls
// Inserted.
//
//go:noinline
func (s *DenseState) Insert(block any) (ID, Ref) {
	d := DenseOf(s)
	if d.Kind == nil {
		d.Kind = KindOf(block)
	}
	return d.Open()
}

// OpenRun makes up to n zero values live at adjacent places, and returns the first place and how
// many, or 0 if there is no slot or place. n is at least 1. It is one if there is a hole to fill,
// or if an insert must do more than take a slot and a place.
//
//go:noinline
func (d *Dense) OpenRun(n int) (at, m int) {
	p := d.Index.Core()
	if p.Ready(0); d.Holes != 0 || p.Quick == 0 || poison.On || p.Supply != nil {
		at = int(d.vacant())
		if _, x := d.Open(); x == nil {
			return 0, 0
		}
		return at, 1
	}
	n, at = min(n, p.Max-p.N), d.Vals.N
	if n > d.Vals.Cap-at {
		d.SetCap(at + max(n, d.nextCap()))
	}
	d.Owner = d.Owner[:max(at+n, at)]
	for m < n {
		k, i, c := p.OpenRun(n - m)
		if c == 0 {
			break
		}
		b, first := d.Index.Dir[k], at+m
		vals, owner := b.Vals[i:i+c], d.Owner[first:first+c]
		for j := range vals {
			vals[j], owner[j] = uint32(first+j), p.ID(&b.Head, k, i+j)
		}
		m += c
	}
	d.Vals.N, d.Owner = at+m, d.Owner[:at+m]
	d.Changed()
	return at, m
}

// New is open with OnInsert. The pointer is also nil if OnInsert has removed the value.
//
//go:noinline
func (s *DenseState) New(block any) (ID, Ref) {
	d := DenseAt(s, block)
	h, x := d.Open()
	if x == nil || !d.Index.Hooked {
		return h, x
	}
	d.Inserted(h, x)
	return h, d.ptr(h)
}

// vacant returns the place of the next insert.
func (d *Dense) vacant() uint32 {
	if d.Holes != 0 {
		return d.Hole
	}
	return uint32(d.Vals.N)
}

// put gives the vacant place to h, and returns a pointer to its zero value.
func (d *Dense) put(h ID) Ref {
	i := int(d.vacant())
	if i == d.Vals.Cap {
		d.grow()
	}
	d.willChange(i)
	d.reuse(i)
	if d.Holes == 0 {
		d.Vals.N, d.Owner = i+1, d.Owner[:i+1]
	} else {
		d.Hole = d.Owner[i].Index
		d.Holes--
	}
	d.Owner[i] = h
	return d.val(i)
}

// Inserted calls OnInsert for the value v of h, and removes the value if OnInsert panics.
//
//go:noinline
func (d *Dense) Inserted(h ID, v Ref) {
	f := d.Rare.On().OnInsert
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

// Remove removes the value of the live h in all cases.
//
//go:noinline
func (d *Dense) Remove(h ID) bool {
	f := d.Rare.On().OnRemove
	if f == nil {
		d.close(h)
		return true
	}
	x := d.Rare.borrow(d.Kind)
	d.Kind.copy(x, d.ptr(h), 1)
	d.close(h)
	f(h, x)
	d.Rare.giveBack(d.Kind, x)
	return true
}

// close removes the value of h, if any, in all cases. It calls no hook.
func (d *Dense) close(h ID) {
	d.CheckLeft()
	if i, ok := d.Index.remove(h); ok {
		d.vacate(int(i))
	}
}

// vacate empties place i, whose handle is already stale.
func (d *Dense) vacate(i int) {
	last := d.Vals.N - 1
	switch {
	case d.Index.N == 0:
		d.empty()
	case i == last:
		d.cut(last)
	case d.Defrag == DefragImmediate && d.Loops == 0 && d.Holes == 0:
		d.willMove(last, i)
		d.move(last, i)
		d.cut(last)
	default:
		d.willChange(i)
		d.void(i)
		d.Owner[i] = ID{Index: d.Hole}
		d.Hole = uint32(i)
		d.Holes++
		if d.Defrag == DefragImmediate && d.Loops == 0 {
			d.Defragment()
		}
	}
	d.Changed()
}

// move moves the value at place i to the vacant place k.
func (d *Dense) move(i, k int) {
	h := d.Owner[i]
	d.Kind.copy(d.val(k), d.val(i), 1)
	d.Owner[k] = h
	for _, c := range d.Rare.Sides() {
		c.Move(i, k)
	}
	d.SetPlace(h, k)
	d.Moves++
}

// SetPlace records that the value of h, which is live, lies at place k.
func (d *Dense) SetPlace(h ID, k int) {
	s := h.Index - d.Index.Salt
	d.Index.Dir[s>>6].Vals[s&63] = uint32(k)
}

// cut cuts off the places from n on, and releases memory if too much is unused.
func (d *Dense) cut(n int) {
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.NotePlaces(n, d.Vals.N)
	}
	for _, c := range d.Rare.Sides() {
		c.Cut(n)
	}
	if poison.On {
		for i := n; i < d.Vals.N; i++ {
			d.void(i)
		}
	} else {
		d.wipe(n, d.Vals.N)
	}
	clear(d.Owner[n:])
	d.Vals.N, d.Owner = n, d.Owner[:n]
	if unused := d.Vals.Cap - n; unused > 3*n && unused > d.ShrinkAbove && d.Keeping == 0 {
		d.shrink(n)
	}
}

// empty cuts off all places when no value is left. No loop can continue, so none is counted as
// running, and neither is one that a panic has left behind.
func (d *Dense) empty() {
	d.Holes, d.Loops = 0, 0
	d.Moves++
	d.Emptied = d.Moves
	d.cut(0)
}

// Dense is a Dense whose values have a type that only its kind knows.
type Dense struct {
	_    nocopy.NoCopy
	Vals Array
	DenseState
}

// DenseOf returns the dense that ends with s, as CoreOf does.
func DenseOf(s *DenseState) *Dense {
	return (*Dense)(before(Ref(s), unsafe.Sizeof(Dense{})-unsafe.Sizeof(DenseState{})))
}

// Era is the time between two calls of Clip that found loops counted as running. Clip cannot know
// whether these run or have been ended by a panic. So it leaves them the handles in their order,
// with which they can continue without the Dense. Only loops of that era refer to it, so it is
// collected when they are, however they ended.
type Era struct {
	owner []ID   // at the end of the era
	moves uint64 // Dense.moves at the end of the era
}

// forgetFrames does so for d and its index.
func (d *Dense) forgetFrames() {
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.Replaced()
	}
}

// willChange tells the History of d, if it has one, that place i will change.
func (d *Dense) willChange(i int) {
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.NotePlace(i)
	}
}

// willMove tells it that the value at place i will move to place k.
func (d *Dense) willMove(i, k int) {
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.Moving(i, k)
	}
}

// SetHooks is that of a Dense.
//
//go:noinline
func (d *Dense) SetHooks(hs Hooks) {
	p := d.Index.Core()
	p.Ready(0)
	d.Rarely().hooks = hs
	p.Hooked = hs.OnInsert != nil || hs.OnRemove != nil
	p.SetMax(p.Max)
}

// DenseAt returns the dense that ends with s, for a change. block is a nil *Block[T].
//
//go:noinline
func DenseAt(s *DenseState, block any) *Dense {
	c := DenseOf(s)
	if c.Kind == nil {
		c.Kind = KindOf(block)
	}
	return c
}

// TellRemovals makes removals slow exactly if there is a DenseColumn.
func (d *Dense) TellRemovals() {
	d.Index.Core().Ready(0)
	d.Index.Core().Rarely().Told = len(d.Rare.Beside) > 0
	d.Index.Core().SetMax(d.Index.Max)
}
