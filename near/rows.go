package near

import "math"

// query is what a search compares kept positions with, and the cells that it looks into. What it
// finds is near give or take what keeping positions has cost, and therefore to be measured again.
type query struct {
	x, y, z float32
	most    float32   // of the square of a distance in the plane
	high    float32   // of a difference in z
	zs      []float32 // of the items; none in the plane

	left, right, low, top, floor, roof int64
}

// ask makes q the search for what is in the area of a position.
func (c *cells) ask(q *query, x, y, z float64, a *area) {
	p := keep(x, y, z)
	s := a.extent(x, y, z, c.exact && p.is(x, y, z))
	q.x, q.y, q.z, q.most = p.x, p.y, p.z, s.most
	q.left, q.right = c.cell(0, x-s.x), c.cell(0, x+s.x)
	q.low, q.top = c.cell(1, y-s.y), c.cell(1, y+s.y)
	if c.space {
		q.floor, q.roof = c.cell(2, z-s.z), c.cell(2, z+s.z)
		q.high, q.zs = s.high(), c.zs
	}
}

// level reports whether an item is near enough in z.
func (q *query) level(i int) bool {
	return q.zs == nil || !(q.zs[i]-q.z > q.high || q.zs[i]-q.z < -q.high)
}

// near reports whether an item is near enough.
func (q *query) near(c *cells, i int) bool {
	dx, dy := c.items[i].x-q.x, c.items[i].y-q.y
	return !(dx*dx+dy*dy > q.most) && q.level(i)
}

// within calls hit for the items whose kept positions are in the area of a position, give or take,
// until it reports false. Then within does so, too.
func (c *cells) within(x, y, z float64, a *area, hit func(i int) bool) bool {
	if len(c.items) == 0 {
		return true
	}
	var q query
	c.ask(&q, x, y, z, a)
	if c.scattered {
		return c.scatteredWithin(&q, hit)
	}
	kx, ky, most := q.x, q.y, q.most
	for layer := q.floor; layer <= q.roof; layer++ {
		for row := q.low; row <= q.top; row++ {
			left, right := c.bucket(q.left, row, layer), c.bucket(q.right, row, layer)
			first := int(c.start[left])
			run := c.items[first:c.start[right+1]]
			for j := range run {
				dx, dy := run[j].x-kx, run[j].y-ky
				if !(dx*dx+dy*dy > most) && q.level(first+j) && !hit(first+j) {
					return false
				}
			}
			if len(c.heads) > 0 && !c.chainsWithin(&q, left, right, hit) {
				return false
			}
		}
	}
	return true
}

// chainsWithin is within for the chains of some buckets.
func (c *cells) chainsWithin(q *query, k, last int, hit func(i int) bool) bool {
	for ; k <= last; k++ {
		for link := c.heads[k]; link != 0; {
			i := int(link) - 1
			link = c.links[i-c.sorted]
			if q.near(c, i) && !hit(i) {
				return false
			}
		}
	}
	return true
}

// scatteredWithin is within for a scattered frame: segment by segment, of whose buckets it leaves
// out what is of other cells. If that were more segments than there are items, it looks at all
// items.
func (c *cells) scatteredWithin(q *query, hit func(i int) bool) bool {
	if c.wide(q) {
		for i := range c.items {
			if q.near(c, i) && !c.at(i).nowhere() && !hit(i) {
				return false
			}
		}
		return true
	}
	var left, right, row, layer int64 // of the segment at hand
	own := func(i int) bool {
		p := c.at(i)
		x, y, z := c.cell(0, float64(p.x)), c.cell(1, float64(p.y)), c.cell(2, float64(p.z))
		return x < left || x > right || y != row || z != layer || hit(i)
	}
	for layer = q.floor; layer <= q.roof; layer++ {
		for row = q.low; row <= q.top; row++ {
			for left = q.left; left <= q.right; left = right + 1 {
				right = min(q.right, left|(segment-1))
				k, last := c.scatter(left, row, layer), c.scatter(right, row, layer)
				for i := int(c.start[k]); i < int(c.start[last+1]); i++ {
					if q.near(c, i) && !own(i) {
						return false
					}
				}
				if len(c.heads) > 0 && !c.chainsWithin(q, k, last, own) {
					return false
				}
			}
		}
	}
	return true
}

// wide reports whether a search would have to look into more segments than there are items.
func (c *cells) wide(q *query) bool {
	segments := float64(q.right>>segmentBits-q.left>>segmentBits+1) *
		float64(q.top-q.low+1) * float64(q.roof-q.floor+1)
	return segments > float64(len(c.items)/4+segment)
}

// covers reports whether a search for what is in the area of a position looks at all that is
// somewhere.
func (c *cells) covers(x, y, z float64, a *area) bool {
	var q query
	c.ask(&q, x, y, z, a)
	if c.scattered {
		return c.wide(&q)
	}
	last := func(axis int) int64 { return int64(c.count[axis]) - 1 }
	return q.left == 0 && q.low == 0 && q.floor == 0 &&
		q.right == last(0) && q.top == last(1) && (!c.space || q.roof == last(2))
}

// pairs calls hit for each two items whose kept positions are in the area of each other, give or
// take, until it reports false.
func (c *cells) pairs(a *area, hit func(i, j int) bool) {
	first := 0
	if !c.scattered && c.sorted > 0 {
		if !c.rowPairs(a, hit) {
			return
		}
		first = c.sorted
	}
	for j := first; j < len(c.items); j++ { // each with those before it
		p := c.at(j)
		if c.items[j].h == 0 || p.nowhere() {
			continue
		}
		if !c.within(float64(p.x), float64(p.y), float64(p.z), a, func(i int) bool {
			return i >= j || hit(i, j)
		}) {
			return
		}
	}
}

// rowPairs is pairs for the sorted items of a dense frame. All that comes after an item in its own
// row is one run, and so is what is near in each row behind it and above: nobody is met twice.
func (c *cells) rowPairs(a *area, hit func(i, j int) bool) bool {
	w := pairing{c: c, hit: hit}
	w.extent = a.extent(float64(c.far.x), float64(c.far.y), float64(c.far.z), c.exact)
	w.most, w.high, w.zs = w.extent.most, w.extent.high(), c.zs
	for w.layer = range int(c.count[2]) {
		for w.row = range int(c.count[1]) {
			if !w.own() {
				return false
			}
		}
	}
	return true
}

// pairing is where rowPairs is.
type pairing struct {
	query
	c          *cells
	extent     extent
	layer, row int
	hit        func(i, j int) bool
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
	end := int(ends[len(ends)-1])
	for i := int(c.start[base]); i < end; i++ {
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
		if top >= above && !w.rows(i, w.layer, w.row+1) {
			return false
		}
		if w.zs != nil && float64((float64(w.z)+w.extent.z)*inv)-low[2] >= over && !w.layers(i) {
			return false
		}
	}
	return true
}

// run pairs an item with some others. It reports false if hit did.
func (w *pairing) run(i, first, end int) bool {
	x, y := w.c.items[i].x, w.c.items[i].y
	run := w.c.items[first:end]
	for j := range run {
		dx, dy := run[j].x-x, run[j].y-y
		if !(dx*dx+dy*dy > w.most) && w.level(first+j) && !w.hit(i, first+j) {
			return false
		}
	}
	return true
}

// layers pairs an item with those in the layers above.
func (w *pairing) layers(i int) bool {
	c := w.c
	low := int(c.cell(1, float64(c.items[i].y)-w.extent.y))
	for layer, roof := w.layer+1, int(c.cell(2, float64(w.z)+w.extent.z)); layer <= roof; layer++ {
		if !w.rows(i, layer, low) {
			return false
		}
	}
	return true
}

// rows pairs an item with those in a layer from a row on.
func (w *pairing) rows(i, layer, row int) bool {
	c := w.c
	x, y := float64(c.items[i].x), float64(c.items[i].y)
	left, right := int(c.cell(0, x-w.extent.x)), int(c.cell(0, x+w.extent.x))
	for top := int(c.cell(1, y+w.extent.y)); row <= top; row++ {
		k := layer*c.layer + row*c.row
		if !w.run(i, int(c.start[k+left]), int(c.start[k+right+1])) {
			return false
		}
	}
	return true
}
