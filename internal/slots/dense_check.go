package slots

import (
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/poison"
)

// Changed checks the invariants after a change, with the tag berth_invariants. It always does while
// there are few values, and only sometimes when there are many.
func (d *Dense) Changed() {
	if invariants.On && (d.Vals.N <= 128 || d.Index.N%256 == 0) {
		d.CheckInvariants()
	}
}

// CheckInvariants panics with the number of an invariant that d violates, if any.
func (d *Dense) CheckInvariants() {
	d.Index.Look().CheckInvariants()
	if len(d.Owner) != d.Vals.N || cap(d.Owner) < d.Vals.Cap {
		failDense(1, "vals %d of %d, owner %d of %d",
			d.Vals.N, d.Vals.Cap, len(d.Owner), cap(d.Owner))
	}
	if s, n := d.Index.Supply, d.Vals.Cap; s != nil && n > 0 {
		owner := valuesIn[ID](d.Piece[len(d.Piece)-n*8:], n)
		if cap(d.Owner) != n || &owner[0] != &d.Owner[:1][0] ||
			d.Kind.Size > 0 && FirstOf(d.Piece) != d.Vals.First {
			failDense(1, "vals or owner do not lie in their piece of memory")
		}
	} else if len(d.Piece) > 0 {
		failDense(1, "a piece of memory of %d bytes for nothing", len(d.Piece))
	}
	live, holes := 0, 0
	var sum uint64 // of all holes, less those in the chain: 0 if each is in it once
	for i, h := range d.Owner {
		if h.Gen&1 == 0 {
			holes++
			sum += invariants.Mix(i)
			if !d.Kind.isVacant(d.val(i)) {
				d.reuse(i) // with the tag berth_poison, panics with the handle of the value
				failDense(2, "hole %d holds %v", i, d.Kind.show(d.val(i)))
			}
			continue
		}
		live++
		if p := d.Index.Place(h); p == nil || int(*p) != i {
			failDense(2, "place %d has handle %s, which the index does not lead to it",
				i, TextOf(h))
		}
	}
	if live != d.Index.N {
		failDense(2, "%d values at places, %d handles", live, d.Index.N)
	}
	if holes != d.Holes {
		failDense(3, "%d holes, counted %d", holes, d.Holes)
	}
	for i, k := int(d.Hole), 0; k < d.Holes; k++ {
		if i >= len(d.Owner) || d.Owner[i].Gen&1 != 0 {
			failDense(3, "place %d is in the chain, and no hole", i)
		}
		sum -= invariants.Mix(i)
		i = int(d.Owner[i].Index)
	}
	if sum != 0 {
		failDense(3, "a hole is in the chain twice")
	}
	for i := d.Vals.N; i < d.Vals.Cap; i++ {
		if !d.Kind.isVacant(d.val(i)) {
			d.reuse(i)
		}
		if !d.Kind.isVacant(d.val(i)) || d.Owner[:i+1][i] != (ID{}) {
			failDense(4, "place %d behind the last holds %v", i, d.Kind.show(d.val(i)))
		}
	}
	if live == 0 && d.Holes != 0 {
		failDense(5, "%d holes and no value", d.Holes)
	}
	if d.Vals.Cap > 0 && d.Era == nil || d.Era != nil && d.Era.owner != nil {
		failDense(6, "era %v", d.Era)
	}
	for _, c := range d.Rare.Sides() {
		c.Check()
	}
	if d.Rare != nil {
		for _, v := range d.Rare.Outside {
			if (!d.Kind.Flat || poison.On) && !d.Kind.isVacant(v) {
				failDense(4, "a value outside is %v", d.Kind.show(v))
			}
		}
	}
}

func failDense(rule int, format string, args ...any) {
	panic(fmt.Sprintf("berth: Dense invariant %d: ", rule) + fmt.Sprintf(format, args...))
}

// late is the state with which a Dense detects writes through stale pointers, and names the handles
// of their values, with the tag berth_poison. It does not detect a write to a place that has
// another value by then.
type late struct {
	who   []ID  // for each vacant place, the handle of its last value
	left  Array // array that the Dense has left, all poison, until the next change
	owner []ID  // handles of left
	Spans int   // running loops over spans, which may read left
}

// Lateness returns d.late, allocated if necessary.
func (d *Dense) Lateness() *late {
	if d.Late == nil {
		d.Late = new(late)
	}
	return d.Late
}

// Bytes returns the memory that l holds, in bytes, without left, which is dropped at the next
// change.
func (l *late) Bytes() int {
	if l == nil {
		return 0
	}
	return int(reflect.TypeFor[late]().Size()) + cap(l.who)*8
}

// of returns the handle of the last value at the vacant place i, or the zero Handle if there was
// none.
func (l *late) of(i int) (h ID) {
	if i < len(l.who) {
		h = l.who[i]
	}
	return h
}

// void makes place i vacant. Its handle is still there.
func (d *Dense) void(i int) {
	for _, c := range d.Rare.Sides() {
		c.Vacate(i)
	}
	switch {
	case !poison.On:
		d.Kind.clear(d.val(i), 1)
	case d.Owner[i].Gen&1 != 0: // otherwise it is vacant already
		d.Lateness().who[i] = d.Owner[i]
		d.Kind.vacate(d.val(i))
	}
}

// reuse sets the vacant place i to the zero T. It panics if the place was written to.
func (d *Dense) reuse(i int) {
	if poison.On && !d.Kind.refill(d.val(i)) {
		d.Kind.vacate(d.val(i))
		PanicStale(d.Lateness().of(i))
	}
}

// checkVacant panics if the place of the next insert, or the array that d has left, was written to.
// It is called before the insert has changed anything.
func (d *Dense) checkVacant() {
	if !poison.On {
		return
	}
	d.CheckLeft()
	if i := int(d.vacant()); i < d.Vals.Cap && !d.Kind.isVacant(d.val(i)) {
		d.reuse(i) // panics with the handle of the value
	}
}

// checkPlaces panics if a vacant place was written to.
func (d *Dense) checkPlaces() {
	if !poison.On {
		return
	}
	d.CheckLeft()
	for i := range d.Vals.Cap {
		if d.IsVacantAt(i) && !d.Kind.isVacant(d.val(i)) {
			d.reuse(i) // panics with the handle of the value
		}
	}
}

// IsVacantAt reports whether place i, which may lie beyond the last one, is vacant.
func (d *Dense) IsVacantAt(i int) bool { return i >= len(d.Owner) || d.Owner[i].Gen&1 == 0 }

// leaveArray records that the values have moved away from vals, and poisons them there.
func (d *Dense) leaveArray(vals Array, owner []ID) {
	if !poison.On {
		return
	}
	l := d.Lateness()
	who := make([]ID, d.Vals.Cap)
	copy(who, l.who)
	for i, h := range owner {
		if h.Gen&1 != 0 && i < len(who) {
			who[i] = ID{}
		}
	}
	was := l.who
	l.who = who
	d.poisonRest()
	if d.Index.Supply != nil || l.Spans != 0 {
		return
	}
	for i, h := range owner {
		if h.Gen&1 != 0 {
			was[i] = h
		}
	}
	l.left, l.owner = vals, was
	d.Kind.vacateRun(vals.First, vals.Cap)
}

// copyLate copies the records of vacant places from d to its clone q.
func (d *Dense) copyLate(q *Dense) {
	if poison.On {
		l := q.Lateness()
		*l = late{who: make([]ID, q.Vals.Cap)}
		copy(l.who, d.Lateness().who)
		q.poisonRest()
	}
}

// poisonRest poisons the places beyond the last one.
func (d *Dense) poisonRest() {
	if n := d.Vals.N; n < d.Vals.Cap {
		d.Kind.vacateRun(d.val(n), d.Vals.Cap-n)
	}
}

// CheckLeft panics if the array that d has left was written to.
func (d *Dense) CheckLeft() {
	if !poison.On || d.Late == nil || d.Late.left.Cap == 0 {
		return
	}
	left, owner := d.Late.left, d.Late.owner
	d.Late.left, d.Late.owner = Array{}, nil
	for i := range left.Cap {
		if !d.Kind.isVacant(d.Kind.at(left.First, i)) {
			PanicStale(owner[i])
		}
	}
}

// copyWho copies the records of vacant places from q to d, which has a copy of its values.
func (d *Dense) copyWho(q *Dense) {
	if poison.On {
		copy(d.Lateness().who, q.Lateness().who)
	}
}
