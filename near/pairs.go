package near

import "math"

// fewPairs is the number of sorted items below which all their pairs are looked at.
const fewPairs = 32

// pairs calls hit for each two items whose kept positions are in the area of each other, give or
// take, until it reports false.
//
// It takes at most n*(n-1) steps for n > 2 items, twice as many as there are pairs.
func (c *cells) pairs(a *area, hit func(i, j int) bool) {
	first := 0
	if !c.scattered && c.sorted > 0 {
		if !c.rowPairs(a, hit) {
			return
		}
		first = c.sorted
	}
	c.laterPairs(first, a, hit)
}

// laterPairs is pairs for the items from first on, each with those before it.
//
// A scan takes a step for each pair. All searches in runs, and the items themselves, may take as
// many again. A search gets what is left of that when scans are set aside for all items to come.
func (c *cells) laterPairs(first int, a *area, hit func(i, j int) bool) {
	n, m := int64(len(c.items)), int64(first)
	scans := (n*(n-1) - m*(m-1)) / 2
	left := 2*scans - (n - m)
	for j := first; j < len(c.items); j++ {
		p := c.at(j)
		if c.items[j].h != 0 && !p.nowhere() {
			var q query
			c.ask(&q, float64(p.x), float64(p.y), float64(p.z), a)
			limit := int(min(max(left-scans, 0), n))
			ok := c.answer(&q, a, j, limit, func(i int) bool { return i >= j || hit(i, j) })
			if counted != nil {
				counted(1 + q.spent)
			}
			if !ok {
				return
			}
			left -= int64(q.spent)
		}
		scans -= int64(j)
	}
}

// rowPairs is pairs for the sorted items of a dense frame. All that comes after an item in its own
// row is one run, and so is what is near in each row behind it and above: nobody is met twice.
//
// If there are more rows than half the items that come after, it looks at all of these items
// instead. So an item takes 4 steps, and 3 for each two items after it.
func (c *cells) rowPairs(a *area, hit func(i, j int) bool) bool {
	w := pairing{c: c, hit: hit, end: int(c.start[c.buckets])}
	w.extent = a.extent(float64(c.far.x), float64(c.far.y), float64(c.far.z), c.exact)
	w.most, w.high, w.zs = w.extent.most, w.extent.high(), c.zs
	ok := w.all()
	if counted != nil {
		counted(w.spent)
	}
	return ok
}

// pairing is where rowPairs is.
type pairing struct {
	query
	c          *cells
	extent     extent
	end        int // of the items that are somewhere
	layer, row int
	hit        func(i, j int) bool
	spent      int // steps
}

// all pairs all items. It reports false if hit did.
func (w *pairing) all() bool {
	if w.end < fewPairs {
		for i := range w.end {
			w.spent++
			if w.zs != nil {
				w.z = w.zs[i]
			}
			if !w.run(i, i+1, w.end) {
				return false
			}
		}
		return true
	}
	for w.layer = range int(w.c.count[2]) {
		for w.row = range int(w.c.count[1]) {
			if !w.own() {
				return false
			}
		}
	}
	return true
}

// own pairs the items of a row with those behind them. It reports false if hit did.
//
// Mostly there are two at most that an item is to be held against in its row, and neither is near.
// To look at both in any case, and to decide only once, is faster than what a processor can foresee
// of that.
func (w *pairing) own() bool {
	c, outX, outY, inv, low := w.c, w.extent.x, w.extent.y, w.c.inv, w.c.low
	base := w.layer*c.layer + w.row*c.row
	last, above, over := c.count[0]-1, float64(w.row+1), float64(w.layer+1)
	items, ends := c.items, c.start[base+1:base+1+c.row]
	most := int32(math.Float32bits(w.most))
	first, end := int(c.start[base]), int(ends[len(ends)-1])
	w.spent += 1 + 4*(end-first)
	for i := first; i < end; i++ {
		x, y := items[i].x, items[i].y
		if w.zs != nil {
			w.z = w.zs[i]
		}
		right := float64((float64(x)+outX)*inv) - low[0]
		if right > last {
			right = last
		}
		sign := i + 3 - int(ends[int(right)])
		// sign is negative if there are more, or one is near. As floats that are not negative
		// compare, so do their bits; NaN, of what is nowhere, does not matter.
		if i+2 < len(items) {
			a, b := &items[i+1], &items[i+2]
			u, v := a.x-x, a.y-y
			sign |= int(int32(math.Float32bits(u*u+v*v)) - most - 1)
			u, v = b.x-x, b.y-y
			sign |= int(int32(math.Float32bits(u*u+v*v)) - most - 1)
		} else {
			sign = -1
		}
		if sign < 0 && !w.run(i, i+1, int(ends[int(right)])) {
			return false
		}
		top := float64((float64(y)+outY)*inv) - low[1]
		if top >= above || w.zs != nil && float64((float64(w.z)+w.extent.z)*inv)-low[2] >= over {
			if !w.beyond(i, int(ends[int(right)])) {
				return false
			}
		}
	}
	return true
}

// run pairs an item with some others. It reports false if hit did.
func (w *pairing) run(i, first, end int) bool {
	x, y := w.c.items[i].x, w.c.items[i].y
	run := w.c.items[first:end]
	w.spent += len(run)
	for j := range run {
		dx, dy := run[j].x-x, run[j].y-y
		if !(dx*dx+dy*dy > w.most) && w.level(first+j) && !w.hit(i, first+j) {
			return false
		}
	}
	return true
}

// beyond pairs an item with those in the rows behind it and in the layers above. Those before first
// it has been paired with. It reports false if hit did.
func (w *pairing) beyond(i, first int) bool {
	c := w.c
	x, y := float64(c.items[i].x), float64(c.items[i].y)
	left, right := int(c.cell(0, x-w.extent.x)), int(c.cell(0, x+w.extent.x))
	top, low, roof := int(c.cell(1, y+w.extent.y)), 0, w.layer
	rows := top - w.row
	if w.zs != nil {
		low = int(c.cell(1, y-w.extent.y))
		roof = int(c.cell(2, float64(w.z)+w.extent.z))
		rows += (roof - w.layer) * (top - low + 1)
	}
	if rows > (w.end-first)/2 {
		return w.run(i, first, w.end)
	}
	w.spent += rows
	row := w.row + 1
	for layer := w.layer; layer <= roof; layer++ {
		for ; row <= top; row++ {
			k := layer*c.layer + row*c.row
			if !w.run(i, int(c.start[k+left]), int(c.start[k+right+1])) {
				return false
			}
		}
		row = low
	}
	return true
}
