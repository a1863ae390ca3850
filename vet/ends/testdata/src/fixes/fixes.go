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

// The comment stays with the insert.
func commented(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Insert(E{}) // may grow
	e.x = 1       // want `e is stale`
}

func commentedInCase(d *berth.Dense[E], h H, n int) {
	e := d.Ptr(h)
	switch n {
	case 1:
		d.Insert(E{}) /* may grow */ // or not
	}
	e.x = 1 // want `e is stale`
}

// The comment is behind more than the insert.
func commentedLine(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	func() { d.Insert(E{}); d.Len() }() // the number of values
	e.x = 1                             // want `e is stale`
}

func commentedBlock(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	func() { d.Insert(E{}) }() // may grow
	e.x = 1                    // want `e is stale`
}

// The handle's name means another one behind the insert, so there is no fix.
func shadowedHandle(d *berth.Dense[E], h H, more bool) {
	e := d.Ptr(h)
	if more {
		h := d.Insert(E{})
		_ = h
	}
	e.x = 1 // want `e is stale`
}

func shadowedInCase(d *berth.Dense[E], h H, n int) {
	e := d.Ptr(h)
	switch n {
	case 1:
		h := H{}
		_ = h
		d.Insert(E{})
	}
	e.x = 1 // want `e is stale`
}

func shadowedPointer(d *berth.Dense[E], h H, more bool) {
	e := d.Ptr(h)
	if more {
		e := new(E)
		d.Insert(*e)
	}
	e.x = 1 // want `e is stale`
}

func shadowedContainer(d, other *berth.Dense[E], h H, more bool) {
	e := d.Ptr(h)
	if p := d; more {
		d := other
		p.Insert(E{})
		_ = d
	}
	e.x = 1 // want `e is stale`
}

// The name is another one's only behind the insert.
func shadowedLater(d *berth.Dense[E], h H, more bool) {
	e := d.Ptr(h)
	if more {
		d.Insert(E{})
		h := H{}
		_ = h
	}
	e.x = 1 // want `e is stale`
}

// The pointer has no name yet.
func undeclared(d *berth.Dense[E], h H) {
	insert := func() { d.Insert(E{}) }
	e := d.Ptr(h)
	insert()
	e.x = 1 // want `e is stale`
}

// The function literal is not repeated.
func find(d *berth.Dense[E], h H, not func()) *E { return d.Ptr(h) }

func literal(d *berth.Dense[E], h H) {
	e := find(d, h, func() {})
	d.Insert(E{})
	e.x = 1 // want `e is stale`
}

// Fields and names of other packages are not looked up in the function.
type world struct{ d *berth.Dense[E] }

func field(w *world, h H) {
	e := berth.Find(w.d, h)
	d := H{}
	w.d.Insert(E{})
	e.x = 1 // want `e is stale`
	_ = d
}

// The comment is on another line, or inside the insert.
func commentedBelow(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Insert(E{})
	// It may have grown.
	e.x = 1 // want `e is stale`
}

func commentedInside(d *berth.Dense[E], h H) {
	e := d.Ptr(h)
	d.Insert( /* another */ E{})
	e.x = 1 // want `e is stale`
}

func inSelect(d *berth.Dense[E], h H, more chan E) {
	e := d.Ptr(h)
	select {
	case x := <-more:
		d.Insert(x)
		e.x = 1 // want `e is stale`
	}
}
