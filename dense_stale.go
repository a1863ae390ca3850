package berth

import (
	"reflect"

	"github.com/seed505807e1/berth/internal/poison"
)

// late is what a Dense knows under the tag berth_poison, to find writes through pointers that were
// kept too long, and to say whose value they were to. A write to a place that has another value by
// now is not found.
type late[T any] struct {
	who   []Handle[T] // of each place that is vacant: the value that was there last
	left  []T         // the array that the Dense has left, all poison, until the next change
	owner []Handle[T] // of left
	spans int         // loops over spans that run: these may look at what is left
}

// lateness returns d.late, made if need be.
func (d *Dense[T]) lateness() *late[T] {
	if d.late == nil {
		d.late = new(late[T])
	}
	return d.late
}

// bytes returns what l takes, but for left, which goes at the next change.
func (l *late[T]) bytes() int {
	if l == nil {
		return 0
	}
	return int(reflect.TypeFor[late[T]]().Size()) + cap(l.who)*8
}

// of returns whose value was at the vacant place i; the zero Handle if none ever was.
func (l *late[T]) of(i int) (h Handle[T]) {
	if i < len(l.who) {
		h = l.who[i]
	}
	return h
}

// void makes place i vacant, whose handle is still there.
func (d *Dense[T]) void(i int) {
	switch {
	case !poison.On:
		var zero T
		d.vals[i] = zero
	case d.owner[i].gen&1 != 0: // else it is vacant already
		d.lateness().who[i] = d.owner[i]
		poison.Fill(&d.vals[i])
	}
}

// reuse makes the vacant place i one with a zero T.
func (d *Dense[T]) reuse(i int) {
	if poison.On && !refill(&d.vals[:i+1][i]) {
		vacate(&d.vals[:i+1][i])
		panicStale(d.lateness().of(i))
	}
}

// checkVacant panics if someone has written to the place of the next insert, or to the array that d
// has left: before the insert has changed anything.
func (d *Dense[T]) checkVacant() {
	if !poison.On {
		return
	}
	d.checkLeft()
	if i := int(d.vacant()); i < cap(d.vals) && !poison.Intact(&d.vals[:i+1][i]) {
		d.reuse(i) // panics, and says whose it was
	}
}

// checkPlaces panics if someone has written to a vacant place.
func (d *Dense[T]) checkPlaces() {
	if !poison.On {
		return
	}
	d.checkLeft()
	for i := range cap(d.vals) {
		if v := &d.vals[:cap(d.vals)][i]; d.isVacantAt(i) && !poison.Intact(v) {
			d.reuse(i) // panics, and says whose it was
		}
	}
}

// isVacantAt reports whether place i, which may lie behind the last, is vacant.
func (d *Dense[T]) isVacantAt(i int) bool { return i >= len(d.owner) || d.owner[i].gen&1 == 0 }

// leaveArray notes that the values have been moved away from vals, and poisons them there.
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

// copyLate tells the clone q of d what d knows of its vacant places.
func (d *Dense[T]) copyLate(q *Dense[T]) {
	if poison.On {
		l := q.lateness()
		*l = late[T]{who: make([]Handle[T], cap(q.vals))}
		copy(l.who, d.lateness().who)
		poison.FillAll(q.vals[len(q.vals):cap(q.vals)])
	}
}

// checkLeft panics if someone has written to the array that d has left.
func (d *Dense[T]) checkLeft() {
	if !poison.On || d.late == nil || d.late.left == nil {
		return
	}
	left, owner := d.late.left, d.late.owner
	d.late.left, d.late.owner = nil, nil
	for i := range left {
		if !poison.Intact(&left[i]) {
			panicStale(owner[i])
		}
	}
}
