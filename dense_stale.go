package berth

import (
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// late is the state with which a Dense detects writes through stale pointers, and names the handles
// of their values, with the tag berth_poison. It does not detect a write to a place that has
// another value by then.
type late[T any] struct {
	who   []Handle[T] // for each vacant place, the handle of its last value
	left  []T         // array that the Dense has left, all poison, until the next change
	owner []Handle[T] // handles of left
	spans int         // running loops over spans, which may read left
}

// lateness returns d.late, allocated if necessary.
func (d *Dense[T]) lateness() *late[T] {
	if d.late == nil {
		d.late = new(late[T])
	}
	return d.late
}

// bytes returns the memory that l holds, in bytes, without left, which is dropped at the next
// change.
func (l *late[T]) bytes() int {
	if l == nil {
		return 0
	}
	return int(plain.TypeFor[late[T]]().Size()) + cap(l.who)*8
}

// of returns the handle of the last value at the vacant place i, or the zero Handle if there was
// none.
func (l *late[T]) of(i int) (h Handle[T]) {
	if i < len(l.who) {
		h = l.who[i]
	}
	return h
}

// void makes place i vacant. Its handle is still there.
func (d *Dense[T]) void(i int) {
	for _, c := range d.rare.sides() {
		c.vacate(i)
	}
	switch {
	case !poison.On:
		var zero T
		d.vals[i] = zero
	case d.owner[i].gen&1 != 0: // otherwise it is vacant already
		d.lateness().who[i] = d.owner[i]
		poison.Fill(&d.vals[i])
	}
}

// reuse sets the vacant place i to the zero T. It panics if the place was written to.
func (d *Dense[T]) reuse(i int) {
	if poison.On && !refill(&d.vals[:i+1][i]) {
		vacate(&d.vals[:i+1][i])
		panicStale(d.lateness().of(i).id)
	}
}

// checkVacant panics if the place of the next insert, or the array that d has left, was written to.
// It is called before the insert has changed anything.
func (d *Dense[T]) checkVacant() {
	if !poison.On {
		return
	}
	d.checkLeft()
	if i := int(d.vacant()); i < cap(d.vals) && !poison.Intact(&d.vals[:i+1][i]) {
		d.reuse(i) // panics with the handle of the value
	}
}

// checkPlaces panics if a vacant place was written to.
func (d *Dense[T]) checkPlaces() {
	if !poison.On {
		return
	}
	d.checkLeft()
	for i := range cap(d.vals) {
		if v := &d.vals[:cap(d.vals)][i]; d.isVacantAt(i) && !poison.Intact(v) {
			d.reuse(i) // panics with the handle of the value
		}
	}
}

// isVacantAt reports whether place i, which may lie beyond the last one, is vacant.
func (d *Dense[T]) isVacantAt(i int) bool { return i >= len(d.owner) || d.owner[i].gen&1 == 0 }

// leaveArray records that the values have moved away from vals, and poisons them there.
func (d *Dense[T]) leaveArray(vals []T, owner []Handle[T]) {
	if !poison.On {
		return
	}
	l := d.lateness()
	who := make([]Handle[T], cap(d.vals))
	copy(who, l.who)
	for i, h := range owner {
		if h.gen&1 != 0 && i < len(who) {
			who[i] = Handle[T]{}
		}
	}
	was := l.who
	l.who = who
	poison.FillAll(d.vals[len(d.vals):cap(d.vals)])
	if d.index.supply != nil || l.spans != 0 {
		return
	}
	for i, h := range owner {
		if h.gen&1 != 0 {
			was[i] = h
		}
	}
	l.left, l.owner = vals[:cap(vals)], was
	poison.FillAll(l.left)
}

// copyLate copies the records of vacant places from d to its clone q.
func (d *Dense[T]) copyLate(q *Dense[T]) {
	if poison.On {
		l := q.lateness()
		*l = late[T]{who: make([]Handle[T], cap(q.vals))}
		copy(l.who, d.lateness().who)
		poison.FillAll(q.vals[len(q.vals):cap(q.vals)])
	}
}

// checkLeft panics if the array that d has left was written to.
func (d *Dense[T]) checkLeft() {
	if !poison.On || d.late == nil || d.late.left == nil {
		return
	}
	left, owner := d.late.left, d.late.owner
	d.late.left, d.late.owner = nil, nil
	for i := range left {
		if !poison.Intact(&left[i]) {
			panicStale(owner[i].id)
		}
	}
}

// copyWho copies the records of vacant places from q to d, which has a copy of its values.
func (d *Dense[T]) copyWho(q *Dense[T]) {
	if poison.On {
		copy(d.lateness().who, q.lateness().who)
	}
}
