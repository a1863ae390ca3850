package berth

import (
	"reflect"

	"github.com/seed505807e1/berth/internal/poison"
)

// late is the state with which a Dense detects writes through stale pointers, and names the handles
// of their values, with the tag berth_poison. It does not detect a write to a place that has
// another value by then.
type late struct {
	who   []id  // for each vacant place, the handle of its last value
	left  array // array that the Dense has left, all poison, until the next change
	owner []id  // handles of left
	spans int   // running loops over spans, which may read left
}

// lateness returns d.late, allocated if necessary.
func (d *dense) lateness() *late {
	if d.late == nil {
		d.late = new(late)
	}
	return d.late
}

// bytes returns the memory that l holds, in bytes, without left, which is dropped at the next
// change.
func (l *late) bytes() int {
	if l == nil {
		return 0
	}
	return int(reflect.TypeFor[late]().Size()) + cap(l.who)*8
}

// of returns the handle of the last value at the vacant place i, or the zero Handle if there was
// none.
func (l *late) of(i int) (h id) {
	if i < len(l.who) {
		h = l.who[i]
	}
	return h
}

// void makes place i vacant. Its handle is still there.
func (d *dense) void(i int) {
	for _, c := range d.rare.sides() {
		c.vacate(i)
	}
	switch {
	case !poison.On:
		d.kind.clear(d.val(i), 1)
	case d.owner[i].gen&1 != 0: // otherwise it is vacant already
		d.lateness().who[i] = d.owner[i]
		d.kind.vacate(d.val(i))
	}
}

// reuse sets the vacant place i to the zero T. It panics if the place was written to.
func (d *dense) reuse(i int) {
	if poison.On && !d.kind.refill(d.val(i)) {
		d.kind.vacate(d.val(i))
		panicStale(d.lateness().of(i))
	}
}

// checkVacant panics if the place of the next insert, or the array that d has left, was written to.
// It is called before the insert has changed anything.
func (d *dense) checkVacant() {
	if !poison.On {
		return
	}
	d.checkLeft()
	if i := int(d.vacant()); i < d.vals.cap && !d.kind.isVacant(d.val(i)) {
		d.reuse(i) // panics with the handle of the value
	}
}

// checkPlaces panics if a vacant place was written to.
func (d *dense) checkPlaces() {
	if !poison.On {
		return
	}
	d.checkLeft()
	for i := range d.vals.cap {
		if d.isVacantAt(i) && !d.kind.isVacant(d.val(i)) {
			d.reuse(i) // panics with the handle of the value
		}
	}
}

// isVacantAt reports whether place i, which may lie beyond the last one, is vacant.
func (d *dense) isVacantAt(i int) bool { return i >= len(d.owner) || d.owner[i].gen&1 == 0 }

// leaveArray records that the values have moved away from vals, and poisons them there.
func (d *dense) leaveArray(vals array, owner []id) {
	if !poison.On {
		return
	}
	l := d.lateness()
	who := make([]id, d.vals.cap)
	copy(who, l.who)
	for i, h := range owner {
		if h.gen&1 != 0 && i < len(who) {
			who[i] = id{}
		}
	}
	was := l.who
	l.who = who
	d.poisonRest()
	if d.index.supply != nil || l.spans != 0 {
		return
	}
	for i, h := range owner {
		if h.gen&1 != 0 {
			was[i] = h
		}
	}
	l.left, l.owner = vals, was
	d.kind.vacateRun(vals.first, vals.cap)
}

// copyLate copies the records of vacant places from d to its clone q.
func (d *dense) copyLate(q *dense) {
	if poison.On {
		l := q.lateness()
		*l = late{who: make([]id, q.vals.cap)}
		copy(l.who, d.lateness().who)
		q.poisonRest()
	}
}

// poisonRest poisons the places beyond the last one.
func (d *dense) poisonRest() {
	if n := d.vals.n; n < d.vals.cap {
		d.kind.vacateRun(d.val(n), d.vals.cap-n)
	}
}

// checkLeft panics if the array that d has left was written to.
func (d *dense) checkLeft() {
	if !poison.On || d.late == nil || d.late.left.cap == 0 {
		return
	}
	left, owner := d.late.left, d.late.owner
	d.late.left, d.late.owner = array{}, nil
	for i := range left.cap {
		if !d.kind.isVacant(d.kind.at(left.first, i)) {
			panicStale(owner[i])
		}
	}
}

// copyWho copies the records of vacant places from q to d, which has a copy of its values.
func (d *dense) copyWho(q *dense) {
	if poison.On {
		copy(d.lateness().who, q.lateness().who)
	}
}
