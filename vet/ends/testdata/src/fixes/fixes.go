package fixes

import "berth"

type E struct{ x int }

type H = berth.Handle[E]

func insert(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Insert(E{})
	e.x = 1 // want `e is stale: d.Insert on line 11 may move the values of d`
}

func inBranch(d *berth.Dense[E], h H, more bool) {
	e := d.Ptr(h)
	if more {
		h2 := d.Insert(E{})
		_ = h2
	}
	e.x = 1 // want `e is stale`
}

// Sort may be fixed alike, but only inserts are.
func sorted(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Sort(nil)
	e.x = 1 // want `e is stale`
}

// The handle has changed, so there is no fix.
func changed(d *berth.Dense[E], h, g H) {
	e := d.Ptr(h)
	h = g
	d.Insert(E{})
	e.x = 1 // want `e is stale`
}

// The insert is part of a larger statement.
func inside(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	if d.Insert(E{}) == h {
		e.x = 1 // want `e is stale`
	}
}

// The value is gone.
func removed(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Remove(h)
	e.x = 1 // want `e is stale`
}

// The other name of the handle is not in the call.
func alias(d *berth.Dense[E], h H) {
	g := h
	e := d.Ptr(g)
	g = d.Insert(E{})
	e.x = 1 // want `e is stale`
}
