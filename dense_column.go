package berth

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/slots"
)

// DenseColumn holds a V for every value of one [Dense], in the same order: the elements i of both
// slices belong together. It is a structure of arrays: a loop that uses only some fields of the
// values is several times faster if each of these is a DenseColumn of its own. [NewDenseColumn]
// makes one. The zero DenseColumn is like a closed one: it holds nothing. If only some of the
// values have a V, take a Pool and a [Column].
//
// The V of an inserted value is the zero V. When values move, as in Defrag and Sort, their Vs move
// along. When a value is removed, by whatever means, its V goes at once. During OnRemove, its
// handle finds neither.
//
// An insert takes as long as without DenseColumns, since a V is only made when it is used. A
// removal takes longer, and each DenseColumn adds to the time of Sort and Defrag.
//
// [Dense.CopyFrom], UnmarshalBinary and the other methods that replace the contents of the Dense
// make all Vs zero. A [Dense.Clone] has no DenseColumns; see [DenseColumn.CopyFrom]. The memory is
// on Go's heap, also if the Dense has a [Memory], so V may have Go pointers.
//
// # Pointers
//
// A *V is valid as long as a *T of the Dense would be. After an insert, the first call of Ptr or
// Slice may also end pointers of this DenseColumn, since it may move the Vs to more memory.
//
// # Use by several goroutines
//
// A DenseColumn counts as a part of its Dense. Ptr and Slice are changes. But several goroutines
// may use slices that one of them got. A DenseColumn must not be copied.
type DenseColumn[V, T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. vals is not longer than the values of the Dense; the Vs beyond it are zero
	//  2. the V of a hole is zero, and so is everything beyond len(vals)
	//  3. vals has no more capacity than the values of the Dense
	//  4. the Dense has the DenseColumn in its list exactly until Close

	d    *Dense[T] // nil for the zero and the closed DenseColumn
	vals []V
	held V // the V of the value that arrange holds
	log  *denseColumnLog[V]
}

// denseColumnEnd is a DenseColumn as its Dense sees it, with the methods that its users need not
// see.
type denseColumnEnd[V, T any] DenseColumn[V, T]

// denseEndOf returns c for its Dense.
func denseEndOf[V, T any](c *DenseColumn[V, T]) *denseColumnEnd[V, T] {
	return (*denseColumnEnd[V, T])(c)
}

// NewDenseColumn returns a DenseColumn of V for the values of d, as in
// berth.NewDenseColumn[Velocity](bodies). It panics if d is nil. d keeps the DenseColumn until it
// is closed.
//
// Cost: allocates the DenseColumn. A Dense with DenseColumns takes more time for each
// removal.
func NewDenseColumn[V, T any](d *Dense[T]) *DenseColumn[V, T] {
	if d == nil {
		panic("berth: NewDenseColumn: the Dense must not be nil")
	}
	c := &DenseColumn[V, T]{d: d}
	x := denseOf(d)
	r := x.Rarely()
	r.Beside = append(r.Beside, denseEndOf(c))
	x.TellRemovals()
	if r.PlacesRecorded != nil {
		denseEndOf(c).Record(r.PlacesRecorded.Settings())
	}
	return c
}

// Close empties c for good. The Dense forgets it, and is as fast as before once it has no
// DenseColumn left. A second Close does nothing.
//
// Cost: O(columns of the Dense).
//
// Ends: pointers of c.
//
//berth:ends emptied
func (c *DenseColumn[V, T]) Close() {
	d := c.d
	if d == nil {
		return
	}
	r := d.state.Rare
	r.Beside = slices.DeleteFunc(r.Beside,
		func(x slots.DenseColumn) bool { return x == slots.DenseColumn(denseEndOf(c)) })
	slots.DenseOf(&d.state).TellRemovals()
	var zero V
	c.d, c.vals, c.held, c.log = nil, nil, zero, nil
}

// Slice returns the Vs of all values, in the order of [Dense.Slice], whose length it has. It closes
// the holes first, and panics when Dense.Slice does. The slice is c's own memory, and may be
// written to.
//
// Cost: O(Holes); allocates when the Dense has grown.
//
// Ends: as Dense.Slice, and pointers of c if the Dense has grown. The slice is valid until the next
// insert or removal, with the exception that Dense.Slice describes.
//
//berth:ends some
//berth:lends r0
func (c *DenseColumn[V, T]) Slice() []V {
	if c.d == nil {
		return nil
	}
	n := len(c.d.Slice())
	c.reach(n)
	return c.vals[:n:n]
}

// Ptr returns a pointer to the V of h, or nil if h is stale, zero or foreign.
//
// Cost: O(1), as [Dense.Ptr]; allocates when the Dense has grown.
//
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
//berth:lends r0 by h
func (c *DenseColumn[V, T]) Ptr(h Handle[T]) *V {
	if c.d == nil {
		return nil
	}
	i := c.d.PlaceOf(h)
	if i < 0 {
		return nil
	}
	if i >= len(c.vals) {
		c.reach(len(c.d.vals))
	}
	return &c.vals[i]
}

// PtrAt returns a pointer to the V of the value at place i, as [DenseColumn.Ptr] does for the
// handle of that value. [Dense.PlaceOf] returns the place of a value, which all DenseColumns of the
// Dense share, so that one lookup does for all of them. PtrAt panics if there is no place i. If the
// place is vacant, the V must not be written to.
//
// Cost: O(1); allocates when the Dense has grown.
//
// Ends: as Ptr.
//
//berth:ends some
//berth:lends r0
func (c *DenseColumn[V, T]) PtrAt(i int) *V {
	if i >= len(c.vals) {
		c.reachPlace("PtrAt", i)
	}
	return &c.vals[i]
}

// EditAt is [DenseColumn.PtrAt] for a V that will be changed, as [DenseColumn.Edit] is for Ptr. It
// panics as PtrAt does.
//
// Cost: as Edit.
//
// Ends: as Edit.
//
//berth:ends some
//berth:lends r0
func (c *DenseColumn[V, T]) EditAt(i int) *V {
	if c.log != nil || i >= len(c.vals) {
		c.noteAt(i)
	}
	return &c.vals[i]
}

// noteAt prepares for a write at place i.
func (c *DenseColumn[V, T]) noteAt(i int) {
	c.reachPlace("EditAt", i)
	c.change(i)
}

// reachPlace makes vals reach place i. It panics if the Dense has no such place.
func (c *DenseColumn[V, T]) reachPlace(fn string, i int) {
	n := 0
	if c.d != nil {
		n = len(c.d.vals)
	}
	if uint(i) >= uint(n) {
		slots.PanicGot("DenseColumn."+fn, fmt.Sprintf("i must be a place, below %d", n), i)
	}
	c.reach(n)
}

// CopyFrom gives each value of the Dense of c a copy of its V in from, by its handle, or the zero V
// if the Dense of from does not have it. Use it after [Dense.Clone] or [Dense.CopyFrom], which copy
// no DenseColumns. If c is closed, it does nothing.
//
// Cost: O(Len) of both; allocates when the Dense has grown.
//
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[V, T]) CopyFrom(from *DenseColumn[V, T]) {
	if c == from || c.d == nil {
		return
	}
	denseEndOf(c).Cut(0)
	if from.d == nil {
		return
	}
	c.reach(len(c.d.vals))
	c.log.noteFrom(0)
	for i, h := range c.d.state.Owner {
		k := i
		if i >= len(from.d.state.Owner) || from.d.state.Owner[i] != h {
			k = slots.DenseOf(&from.d.state).PlaceOf(h)
		}
		if k >= 0 && k < len(from.vals) {
			c.vals[i] = from.vals[k]
		}
	}
	c.changed()
}

// reach makes vals at least n long. n is at most the number of places.
func (c *DenseColumn[V, T]) reach(n int) {
	switch {
	case n <= len(c.vals):
	case n <= cap(c.vals):
		c.vals = c.vals[:n]
	default:
		c.vals = append(make([]V, 0, cap(c.d.vals)), c.vals...)[:n]
		if c.log != nil {
			c.log.cover()
		}
	}
}

// Move implements [denseColumn].
func (e *denseColumnEnd[V, T]) Move(i, k int) {
	c := (*DenseColumn[V, T])(e)
	switch {
	case i < len(c.vals):
		c.reach(k + 1) // Sort also moves up
		c.change(k)
		c.vals[k] = c.vals[i]
	case k < len(c.vals):
		denseEndOf(c).Vacate(k)
	}
}

// Hold implements [denseColumn].
func (e *denseColumnEnd[V, T]) Hold(i int) {
	c := (*DenseColumn[V, T])(e)
	var zero V
	if c.held = zero; i < len(c.vals) {
		c.held = c.vals[i]
	}
}

// Put implements [denseColumn].
func (e *denseColumnEnd[V, T]) Put(k int) {
	c := (*DenseColumn[V, T])(e)
	c.reach(k + 1)
	c.change(k)
	var zero V
	c.vals[k], c.held = c.held, zero
}

// Vacate implements [denseColumn].
func (e *denseColumnEnd[V, T]) Vacate(i int) {
	c := (*DenseColumn[V, T])(e)
	if i < len(c.vals) {
		c.change(i)
		var zero V
		c.vals[i] = zero
	}
}

// change records the V at place i before it changes.
func (c *DenseColumn[V, T]) change(i int) {
	if c.log != nil {
		c.log.NotePlace(i)
	}
}

// Cut implements [denseColumn].
func (e *denseColumnEnd[V, T]) Cut(n int) {
	c := (*DenseColumn[V, T])(e)
	if n < len(c.vals) {
		c.log.noteFrom(n)
		clear(c.vals[n:])
		c.vals = c.vals[:n]
	}
}

// CloseUp implements [denseColumn].
func (e *denseColumnEnd[V, T]) CloseUp(live func(i int) bool) {
	c := (*DenseColumn[V, T])(e)
	c.log.noteFrom(0)
	n := 0
	for i := range c.vals {
		if live(i) {
			c.vals[n] = c.vals[i]
			n++
		}
	}
	denseEndOf(c).Cut(n)
}

// Fit implements [denseColumn].
func (e *denseColumnEnd[V, T]) Fit() {
	c := (*DenseColumn[V, T])(e)
	if n := max(cap(c.d.vals), len(c.vals)); n < cap(c.vals) {
		c.vals = append(make([]V, 0, n), c.vals...)
	}
}

// Loaded implements [denseColumn].
func (e *denseColumnEnd[V, T]) Loaded() {
	c := (*DenseColumn[V, T])(e)
	denseEndOf(c).Cut(0)
	denseEndOf(c).Fit()
	if c.log != nil {
		c.log.restart()
	}
}

// changed checks the invariants after a change, with the tag berth_invariants.
func (c *DenseColumn[V, T]) changed() {
	if invariants.On && len(c.vals) <= 128 {
		denseEndOf(c).Check()
	}
}

// checkInvariants panics with the number of an invariant that c or its Dense violates, if any.
func (c *DenseColumn[V, T]) checkInvariants() {
	denseEndOf(c).Check()
	if c.d != nil {
		slots.DenseOf(&c.d.state).CheckInvariants()
	}
}

// Check implements [denseColumn].
func (e *denseColumnEnd[V, T]) Check() {
	c := (*DenseColumn[V, T])(e)
	d := c.d
	if d == nil {
		if cap(c.vals) != 0 {
			failDenseColumn(4, "a closed DenseColumn holds something")
		}
		return
	}
	if !slices.Contains(d.state.Rare.Sides(), slots.DenseColumn(denseEndOf(c))) ||
		d.state.Index.Calm != 0 {
		failDenseColumn(4, "the Dense does not know the DenseColumn")
	}
	if len(c.vals) > len(d.vals) {
		failDenseColumn(1, "%d Vs for %d places", len(c.vals), len(d.vals))
	}
	all := c.vals[:cap(c.vals)]
	for i := range all {
		if (i >= len(c.vals) || d.state.Owner[i].Gen&1 == 0) && !invariants.IsZero(&all[i]) {
			failDenseColumn(2, "the vacant place %d, of %d, holds %v", i, len(c.vals), all[i])
		}
	}
	if cap(c.vals) > cap(d.vals) {
		failDenseColumn(3, "room for %d, the Dense for %d", cap(c.vals), cap(d.vals))
	}
	if !invariants.IsZero(&c.held) {
		failDenseColumn(2, "%v is held", c.held)
	}
}

// String returns the types and the number, as in "berth.DenseColumn[bool, int](3 values)".
//
// Cost: allocates the string.
func (c *DenseColumn[V, T]) String() string {
	n := 0
	if c.d != nil {
		n = c.d.Len()
	}
	return fmt.Sprintf("berth.DenseColumn[%v, %v](%d values)",
		plain.TypeFor[V](), plain.TypeFor[T](), n)
}

func failDenseColumn(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: DenseColumn invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
