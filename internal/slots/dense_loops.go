package slots

import "github.com/seed505807e1/berth/internal/poison"

// The loops below walk the places and skip the holes. beginLoop counts a loop as running, so that
// no value moves during it, and endLoop ends that. There is no defer between them, because a
// function with one is not inlined, and its loop is three to five times slower. So a panic in a
// loop leaves the count too high, and holes open until Clip. When values have moved, a loop cannot
// continue unless Clip has moved them: see follow. When all values have been removed since it
// began, it ends. Values and Others.Values do not share a loop either: a test for the pivot at each
// step slows Values from 0.6 to 1.0 ns.

// MovedInLoop is the end of a loop's panic, after the loop's name.
const MovedInLoop = ": Slice, Defrag or Sort has moved values inside the loop"

// Course is the state of a loop after a step in which Dense.moves has changed: see follow. The
// inner loops, which do the work, have no calls and none of these variables, so they compile to the
// same code as without.
type Course struct {
	Era   *Era // the era in which the loop began
	Next  int  // place of the current value, then of the next one; -1 if there is none
	at    int  // 1 + the current value's place in era.owner; 0 before the end of era
	with  int  // the same for the second value of a pair; next2 is its place
	Next2 int
	Pivot ID // value to skip
}

// BeginLoop begins a loop. The outermost loop closes the holes, if the mode allows it. It returns
// the argument of endLoop.
func (d *Dense) BeginLoop() (moves uint64) {
	if d.Holes != 0 {
		d.tidy()
	}
	d.Loops++
	return d.Moves
}

// tidy closes the holes if no loop is counted and the mode allows it.
//
//go:noinline
func (d *Dense) tidy() {
	if d.Loops == 0 && d.Defrag != DefragManual {
		d.Defragment()
	}
}

// EndLoop ends a loop.
func (d *Dense) EndLoop(moves uint64) {
	if d.Moves == moves && d.Loops > 0 {
		d.Loops--
	}
	if d.Holes != 0 && d.Loops == 0 && d.Defrag == DefragImmediate {
		d.Defragment()
	}
}

// Follow is called after a step of a loop at place c.next in which Dense.moves has changed, and
// sets c.next. Since Dense.moves does not change back, it is called after each later step. by is 1
// for loops towards higher places, and -1 for others.
//
//go:noinline
func (d *Dense) Follow(fn string, c *Course, moves uint64, by int) {
	i := c.Next
	if c.Next = -1; !d.endures(fn, c.Era, moves) {
		return
	}
	if c.at == 0 {
		c.at = i + 1
	}
	last := len(c.Era.owner) // the current value may have been cut off beyond it
	for k := min(c.at-1, last) + by; uint(k) < uint(last); k += by {
		if h := c.Era.owner[k]; h != c.Pivot {
			if i := d.Index.Place(h); i != nil {
				c.Next, c.at = int(*i), k+1
				return
			}
		}
	}
}

// FollowPair is follow for Pairs, at places c.next and c.next2.
//
//go:noinline
func (d *Dense) FollowPair(c *Course, moves uint64) {
	i := c.Next
	if c.Next = -1; !d.endures("DensePairs", c.Era, moves) {
		return
	}
	if c.at == 0 {
		c.at, c.with = i+1, c.Next2+1
	}
	for owner := c.Era.owner; c.at <= len(owner); c.at, c.with = c.at+1, c.at+1 {
		i := d.Index.Place(owner[c.at-1])
		for i != nil && c.with < len(owner) {
			k := d.Index.Place(owner[c.with])
			if c.with++; k != nil {
				c.Next, c.Next2 = int(*i), int(*k)
				return
			}
		}
	}
}

// endures reports whether a loop of era e can continue after Dense.moves has changed. It can only
// by the handles that Clip has left, which find each value wherever it moves. So the loop is no
// longer counted, and holes are closed before its next value is yielded. Otherwise that value would
// move when the next loop begins.
func (d *Dense) endures(fn string, e *Era, moves uint64) bool {
	if e.owner == nil || e.moves != moves {
		if d.Emptied > moves {
			return false
		}
		panic("berth: " + fn + MovedInLoop)
	}
	d.tidy()
	return true
}

// Runs is the state of a loop over runs of live values.
type Runs struct {
	Pivot       ID  // value to skip
	ID          ID  // of the first value of the run
	First, Last int // the places of the run: from First to before Last

	begun     bool
	moves     uint64
	end, skip int
	c         Course
}

// NextRun goes to the next run, and reports whether there is one. If there is none, the loop ends.
//
//go:noinline
func (d *Dense) NextRun(r *Runs) bool {
	switch {
	case !r.begun:
		if r.begun = true; poison.On {
			d.Lateness().Spans++
		}
		r.moves, r.c = d.BeginLoop(), Course{Era: d.Era, Pivot: r.Pivot}
		r.end, r.skip = d.Vals.N, d.PlaceOf(r.Pivot)
	case d.Moves != r.moves:
		r.c.Next = r.Last - 1
		if d.Follow("Dense.Spans", &r.c, r.moves, 1); r.c.Next < 0 {
			d.EndRuns(r)
			return false
		}
		r.Last, r.end, r.skip = r.c.Next, r.c.Next+1, -1 // from now on one by one
	}
	r.First, r.Last = d.run(r.Last, min(r.end, d.Vals.N), r.skip)
	if r.First == r.Last {
		d.EndRuns(r)
		return false
	}
	r.ID = d.Owner[r.First]
	return true
}

// EndRuns ends the loop.
//
//go:noinline
func (d *Dense) EndRuns(r *Runs) {
	if poison.On {
		d.Late.Spans--
	}
	d.EndLoop(r.moves)
}

// run returns the next run of live values from place i to end, without place skip. It is empty if
// there is none.
func (d *Dense) run(i, end, skip int) (first, last int) {
	for i < end && (i == skip || d.Owner[i].Gen&1 == 0) {
		i++
	}
	if i >= end {
		return 0, 0
	}
	first = i
	if i < skip {
		end = min(end, skip)
	}
	if d.Holes == 0 {
		return first, end
	}
	for i < end && d.Owner[i].Gen&1 != 0 {
		i++
	}
	return first, i
}
