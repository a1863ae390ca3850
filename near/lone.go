package near

import "math"

// fewRun is the most items in a row that are looked at without a search.
const fewRun = 8

// lone finds many of the items that have no other near, without a search. It is called for sorted
// items in their order. Like [pairing.own] it looks at the two items behind each, and it keeps a
// bound for the reach of the items before.
//
// If that does not decide, it looks at a few items of the item's row and of the two beside. Its
// answer is valid until an item of the grid moves. It takes 3 to 29 steps for an item.
type lone struct {
	c            *cells
	outX, outY   float64
	most         int32 // the bits of the squared distance
	end          int   // of the items that it can decide
	rowEnd, base int   // the end of the current row, and its first bucket
	low, top     float64
	reach        int // an item before it may be near one of an earlier call
	spent        int // steps
}

// begin prepares l for the first item of c. It decides nothing unless the items are sorted in a
// dense frame in the plane, and there are at least two for each row, so that a search takes less
// than a scan and a half.
func (l *lone) begin(c *cells, a *area) {
	l.c = c
	n := len(c.items)
	if c.scattered || c.space || c.sorted < n || n < 8*fewRun || c.count[1] > float64(n/2) {
		return
	}
	s := a.extent(float64(c.far.x), float64(c.far.y), 0, c.exact)
	l.outX, l.outY, l.most = s.x, s.y, int32(math.Float32bits(s.most))
	l.end = int(c.start[c.buckets]) - 2
	l.base, l.low, l.top = -c.row, -1, 0
}

// is reports whether item i is known to have no other near.
func (l *lone) is(i int) bool {
	if i >= l.end {
		return false
	}
	c := l.c
	for i >= l.rowEnd {
		l.base += c.row
		l.low, l.top = l.top, l.top+1
		l.rowEnd = int(c.start[l.base+c.row])
	}
	l.spent += 3
	few := c.items[i : i+3 : i+3]
	x, y := few[0].x, few[0].y
	right := float64((float64(x)+l.outX)*c.inv) - c.low[0]
	if last := c.count[0] - 1; right > last {
		right = last
	}
	end := int(c.start[l.base+int(right)+1])
	// As in own, sign is negative if there are more than two, or one of them is near.
	u, v := few[1].x-x, few[1].y-y
	sign := i + 3 - end | int(int32(math.Float32bits(u*u+v*v))-l.most-1)
	u, v = few[2].x-x, few[2].y-y
	sign |= int(int32(math.Float32bits(u*u+v*v)) - l.most - 1)
	below := float64((float64(y)-l.outY)*c.inv) - c.low[1]
	above := float64((float64(y)+l.outY)*c.inv) - c.low[1]
	if sign >= 0 && below >= l.low && above < l.top {
		return i >= l.reach
	}
	return l.look(i, end, below, above)
}

// look completes is if the first look does not decide. It looks at up to three times fewRun items
// more.
func (l *lone) look(i, end int, below, above float64) bool {
	first := i + 1
	if end-first > fewRun {
		l.reach = max(l.reach, end)
		return false
	}
	if near := l.run(i, first, end); near >= 0 {
		l.reach = max(l.reach, near+1)
	}
	if i < l.reach {
		return false
	}
	c := l.c
	x := float64(c.items[i].x)
	left, right := int(c.cell(0, x-l.outX)), int(c.cell(0, x+l.outX))
	if below < l.low && l.base > 0 {
		k := l.base - c.row
		if below < l.low-1 || !l.clear(i, int(c.start[k+left]), int(c.start[k+right+1])) {
			return false
		}
	}
	if above >= l.top && l.top < c.count[1] {
		k := l.base + c.row
		return above < l.top+1 && l.clear(i, int(c.start[k+left]), int(c.start[k+right+1]))
	}
	return true
}

// clear reports whether there are few items from first to end, and none is near item i.
func (l *lone) clear(i, first, end int) bool {
	l.spent++
	return end-first <= fewRun && l.run(i, first, end) < 0
}

// run returns the last item from first to end that is near item i, or -1.
func (l *lone) run(i, first, end int) int {
	l.spent += end - first
	near, x, y := -1, l.c.items[i].x, l.c.items[i].y
	run := l.c.items[first:end]
	for j := range run {
		u, v := run[j].x-x, run[j].y-y
		if int32(math.Float32bits(u*u+v*v)) <= l.most {
			near = first + j
		}
	}
	return near
}
