package near

import "math"

// query holds the kept position and the bounds of a search, and the cells that it covers. Its
// results are approximate, since kept positions are rounded, and must be measured again.
type query struct {
	x, y, z float32
	most    float32   // for the square of a distance in the plane
	high    float32   // for a difference in z
	zs      []float32 // of the items; nil in the plane

	left, right, low, top, floor, roof int64

	chained bool // the chains of a run are looked at with it
	apart   bool // the items in chains are looked at one by one, after all runs
	spent   int  // number of steps taken

	layer, row, first, last int64 // the current run; first and last for a segment only
}

// ask makes q the search in the area of a position.
func (c *cells) ask(q *query, x, y, z float64, a *area) {
	p := toFloat32(x, y, z)
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

// counted, if not nil, is called with the steps of each search. Tests set it.
var counted func(steps int)

// within calls hit for the items whose kept positions are approximately in the area of a position.
// It stops and returns false when hit does. It takes less than 2*len(items) steps.
func (c *cells) within(x, y, z float64, a *area, hit func(i int) bool) bool {
	if len(c.items) == 0 {
		return true
	}
	var q query
	c.ask(&q, x, y, z, a)
	var ok bool
	switch {
	case c.scattered:
		ok = c.answer(&q, a, len(c.items), math.MaxInt, hit)
	case c.wide(&q, a):
		ok = c.scan(&q, 0, len(c.items), hit)
	default: // answer without a limit, in two calls less
		c.split(&q)
		ok = c.rows(&q, math.MaxInt, hit) != stopped &&
			(!q.apart || c.scan(&q, c.sorted, len(c.items), hit))
	}
	if counted != nil {
		counted(q.spent)
	}
	return ok
}

// attempt is within with a limit. It reports false if that could take more than left steps, if the
// area has all items, or if a scan is better. It may have called hit by then. It subtracts its cost
// from left. hit must return true.
func (c *cells) attempt(x, y, z float64, a *area, left *int, hit func(i int) bool) bool {
	var q query
	c.ask(&q, x, y, z, a)
	ok := !c.covers(&q) && !c.wide(&q, a) && c.runs(&q, *left, hit) == whole
	*left -= q.spent
	if counted != nil {
		counted(q.spent)
	}
	return ok
}

// answer is within for a query and the items before end. It takes up to limit steps in runs, and
// then a step for each of these items.
//
// A run is a row in a dense frame, a segment in a scattered one. A step is one run, one item, or
// one head of a chain that is looked at. Before each run answer checks the greatest cost of the
// run. If it exceeds the limit, a scan finds the rest: passed separates the two parts, so nothing
// is found twice.
func (c *cells) answer(q *query, a *area, end, limit int, hit func(i int) bool) bool {
	if c.wide(q, a) {
		return c.scan(q, 0, end, hit)
	}
	switch c.runs(q, limit, hit) {
	case stopped:
		return false
	case dear:
		return c.rest(q, end, hit)
	}
	return true
}

// wide reports whether a scan of all items is better than runs.
func (c *cells) wide(q *query, a *area) bool {
	if c.scattered {
		return c.guess(q) > float64(len(c.items))
	}
	// All rows together cost less than a scan and a step for each.
	return q.rows() >= len(c.items) || a.wide > math.MaxFloat64
}

// rows returns the number of rows of a query, all layers together, unless its frame is scattered.
func (q *query) rows() int { return int(q.top-q.low+1) * int(q.roof-q.floor+1) }

// guess returns the estimated cost of a query in segments, in units of the cost of one item.
// Several segments may have the same buckets, so it assumes that all buckets have the same number
// of items. If that is wrong, the limit still holds.
func (c *cells) guess(q *query) float64 {
	const hashing = 4 // per segment
	rows := float64(q.top-q.low+1) * float64(q.roof-q.floor+1)
	segments := rows * float64(q.right>>segmentBits-q.left>>segmentBits+1)
	items := float64(len(c.items)) / float64(c.buckets)
	// The conversions prevent fusing: the order of results depends on the sum.
	return float64(hashing*segments) + float64(rows*float64(q.right-q.left+1)*items)
}

// outcome is the way in which a search in runs has ended.
type outcome uint8

const (
	whole   outcome = iota // all runs were visited
	stopped                // hit reported false
	dear                   // the next run could have passed the limit
)

// runs visits the runs of a query that is not wide, and the chains.
func (c *cells) runs(q *query, limit int, hit func(i int) bool) outcome {
	c.split(q)
	if c.scattered { // a scan may follow
		limit = min(limit, len(c.items)-1)
	}
	if q.apart {
		limit -= len(c.links)
	}
	var o outcome
	if c.scattered {
		o = c.segments(q, limit, hit)
	} else {
		o = c.rows(q, limit, hit)
	}
	if o == whole && q.apart && !c.scan(q, c.sorted, len(c.items), hit) {
		return stopped
	}
	return o
}

// split decides whether the chains are looked at with their runs, or their items after all runs.
func (c *cells) split(q *query) {
	if len(c.heads) > 0 {
		// There is one head per bucket, and the chains may have fewer items than that.
		heads := q.rows() * int(q.right-q.left+1)
		q.apart = heads > len(c.links) || q.rows()+heads >= len(c.items)
		q.chained = !q.apart
	}
}

// rows visits the rows of a dense frame.
func (c *cells) rows(q *query, limit int, hit func(i int) bool) outcome {
	kx, ky, most := q.x, q.y, q.most
	for layer := q.floor; layer <= q.roof; layer++ {
		for row := q.low; row <= q.top; row++ {
			k := int(layer)*c.layer + int(row)*c.row
			left, right := k+int(q.left), k+int(q.right)
			first := int(c.start[left])
			run := c.items[first:c.start[right+1]]
			if !c.affords(q, limit, len(run), right-left+1) {
				q.layer, q.row = layer, row
				return dear
			}
			for j := range run {
				dx, dy := run[j].x-kx, run[j].y-ky
				if !(dx*dx+dy*dy > most) && q.level(first+j) && !hit(first+j) {
					return stopped
				}
			}
			if q.chained && !c.chains(q, left, right, hit) {
				return stopped
			}
		}
	}
	return whole
}

// segments visits the segments of a scattered frame. It leaves out items of other cells in their
// buckets.
func (c *cells) segments(q *query, limit int, hit func(i int) bool) outcome {
	own := func(i int) bool {
		p := c.at(i)
		x, y, z := c.cell(0, float64(p.x)), c.cell(1, float64(p.y)), c.cell(2, float64(p.z))
		return x < q.first || x > q.last || y != q.row || z != q.layer || hit(i)
	}
	for q.layer = q.floor; q.layer <= q.roof; q.layer++ {
		for q.row = q.low; q.row <= q.top; q.row++ {
			for q.first = q.left; q.first <= q.right; q.first = q.last + 1 {
				q.last = min(q.right, q.first|(segment-1))
				k, last := c.scatter(q.first, q.row, q.layer), c.scatter(q.last, q.row, q.layer)
				first, end := int(c.start[k]), int(c.start[last+1])
				if !c.affords(q, limit, end-first, last-k+1) {
					return dear
				}
				for i := first; i < end; i++ {
					if q.near(c, i) && !own(i) {
						return stopped
					}
				}
				if q.chained && !c.chains(q, k, last, own) {
					return stopped
				}
			}
		}
	}
	return whole
}

// affords takes the steps for a run of n items if the limit allows them together with the greatest
// cost of the chains of the buckets. Otherwise it reports false.
func (c *cells) affords(q *query, limit, n, buckets int) bool {
	most := q.spent + 1 + n
	if q.chained {
		most += buckets + len(c.links)
	}
	if most > limit {
		return false
	}
	q.spent += 1 + n
	return true
}

// chains calls hit for the near enough items in the chains of buckets k to last. It stops and
// returns false when hit does.
func (c *cells) chains(q *query, k, last int, hit func(i int) bool) bool {
	for ; k <= last; k++ {
		q.spent++
		for link := c.heads[k]; link != 0; {
			i := int(link) - 1
			link = c.links[i-c.sorted]
			q.spent++
			if q.near(c, i) && !hit(i) {
				return false
			}
		}
	}
	return true
}

// scan calls hit for the near enough items from first to end. It stops and returns false when hit
// does.
func (c *cells) scan(q *query, first, end int, hit func(i int) bool) bool {
	q.spent += end - first
	for i := first; i < end; i++ {
		if q.near(c, i) && !c.at(i).nowhere() && !hit(i) {
			return false
		}
	}
	return true
}

// rest is scan for the items before end that the runs have not passed.
func (c *cells) rest(q *query, end int, hit func(i int) bool) bool {
	return c.scan(q, 0, end, func(i int) bool { return c.passed(q, i) || hit(i) })
}

// passed reports whether an item was looked at in the runs before the current one.
func (c *cells) passed(q *query, i int) bool {
	if q.apart && i >= c.sorted {
		return false
	}
	p := c.at(i)
	if z := c.cell(2, float64(p.z)); z != q.layer {
		return z < q.layer
	}
	if y := c.cell(1, float64(p.y)); y != q.row {
		return y < q.row
	}
	return c.scattered && c.cell(0, float64(p.x)) < q.first
}

// covers reports whether a query has all buckets of a dense frame.
func (c *cells) covers(q *query) bool {
	last := func(axis int) int64 { return int64(c.count[axis]) - 1 }
	return !c.scattered && q.left == 0 && q.low == 0 && q.floor == 0 &&
		q.right == last(0) && q.top == last(1) && (!c.space || q.roof == last(2))
}
