package near

import "math"

// fewPairs is the number of sorted items below which all their pairs are looked at.
const fewPairs = 32

// pairs calls hit for each two items whose kept positions are approximately in the area of each
// other, until it returns false.
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
// A scan takes a step for each pair. All searches in runs, together with the items themselves, may
// take as many again. The limit of a search is the part of that which is left when scans are set
// aside for all items to come.
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

// rowPairs is pairs for the sorted items of a dense frame. The items after one in its own row form
// one run, and so do the near ones in each row behind it and above. No two items meet twice.
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

// pairing is the state of rowPairs.
type pairing struct {
	query
	c          *cells
	extent     extent
	end        int // of the items that are not nowhere
	layer, row int
	hit        func(i, j int) bool
	spent      int // steps

	// For ownPlane: inv is that of a cell; times x, plus toLeft or toRight, it leads to the last
	// cell in reach on either side.
	inv, toLeft, toRight float32
	top                  float32     // items with a greater y may be in reach of the next row
	limit                int32       // the bits of most, plus one
	maybe                [256]uint32 // items that may have others near
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
	row := w.own
	if w.quick() {
		row = w.ownPlane
	}
	for w.layer = range int(w.c.count[2]) {
		for w.row = range int(w.c.count[1]) {
			if !row() {
				return false
			}
		}
	}
	return true
}

// own pairs the items of a row with those behind them. It reports false if hit did.
//
// Usually an item is to be compared with at most two others in its row, and neither is near.
// Comparing with both in any case, and branching only once, is faster than branches that a
// processor mispredicts.
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
		// sign is negative if there are more than two, or one is near. Floats that are not negative
		// compare as their bits do. NaN, of items that are nowhere, does not matter.
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

// quick prepares w for ownPlane. It reports false if own must be used: in space, for few items, if
// the area reaches beyond the next row, and if a float32 cannot distinguish cells.
func (w *pairing) quick() bool {
	c := w.c
	n, reach := len(c.items), max(w.extent.x, w.extent.y)*c.inv
	most := math.Abs(c.low[0]) + c.count[0] + 2
	if c.space || n < 2*fewPairs || n > math.MaxInt32-8 || !(reach < 0.999) || !(most < 1<<20) {
		return false
	}
	w.inv = float32(c.inv)
	w.toRight = float32(w.extent.x*c.inv - c.low[0] + most*0x1p-20)
	w.toLeft = float32(-w.extent.x*c.inv - c.low[0] - most*0x1p-20)
	w.limit = int32(math.Float32bits(w.most)) + 1
	return w.inv > 0x1p-100 && w.inv < 0x1p100
}

// ownPlane is own in the plane, if a float32 is precise enough for cells. It collects the items
// that have another near, or may have, and then pairs each of these. Collecting takes no branch
// that a processor would mispredict.
func (w *pairing) ownPlane() bool {
	c := w.c
	base := w.row * c.row
	ends := c.start[base+1 : base+1+c.row]
	first, end := int(c.start[base]), int(ends[len(ends)-1])
	w.spent += 1 + 4*(end-first)
	w.top = w.below()
	for first < end {
		next := min(first+len(w.maybe)-1, end)
		for _, i := range w.maybe[:w.sift(ends, first, next)] {
			if !w.calm(int(i)) && !w.one(int(i)) {
				return false
			}
		}
		first = next
	}
	return true
}

// sift collects the items from first to end that may have another near. It returns how many.
func (w *pairing) sift(ends []uint32, first, end int) int {
	last := min(end, len(w.c.items)-2)
	items, maybe, n := w.c.items, &w.maybe, uint8(0)
	limit, inv, right, top, rowEnd := w.limit, w.inv, w.toRight, w.top, ends[len(ends)-1]
	i := first
	for ; i < last; i++ {
		few := items[i : i+3 : i+3]
		x, y := few[0].x, few[0].y
		end := rowEnd
		if k := int(x*inv + right); uint(k) < uint(len(ends)) {
			end = ends[k]
		}
		sign := few[1].beside(x, y, limit) | few[2].beside(x, y, limit)
		sign |= int32(i+3) - int32(end) | int32(math.Float32bits(top-y))
		maybe[n] = uint32(i)
		n += uint8(uint32(sign) >> 31)
	}
	for ; i < end; i++ {
		maybe[n] = uint32(i)
		n++
	}
	return int(n)
}

// beside returns a negative number if an item is near a position in the plane. Floats that are not
// negative compare as their bits do. NaN, of items that are nowhere, does not matter.
func (it *item) beside(x, y float32, limit int32) int32 {
	u, v := it.x-x, it.y-y
	return int32(math.Float32bits(u*u+v*v)) - limit
}

// below returns a bound for y. Items of the row up to it need not be compared with other rows.
func (w *pairing) below() float32 {
	c, above := w.c, float64(w.row+1)
	y := (above+c.low[1])*c.size - w.extent.y
	y -= math.Abs(y)*0x1p-22 + w.extent.y*0x1p-22
	top := float32(y)
	if float64((float64(top)+w.extent.y)*c.inv)-c.low[1] < above {
		return top
	}
	return float32(math.Inf(-1))
}

// calm reports whether an item is known to have no other near. It looks at four items behind it and
// three in the next row.
func (w *pairing) calm(i int) bool {
	c := w.c
	items, start, limit := c.items, c.start, w.limit
	if i+5 > len(items) {
		return false
	}
	few := items[i : i+5 : i+5]
	x, y := few[0].x, few[0].y
	k := w.row*c.row + min(int(x*w.inv+w.toRight), c.row-1) + 1
	sign := int32(i+5) - int32(start[k])
	sign |= few[1].beside(x, y, limit) | few[2].beside(x, y, limit)
	sign |= few[3].beside(x, y, limit) | few[4].beside(x, y, limit)
	if k += c.row; k <= c.buckets {
		first := int(start[(w.row+1)*c.row+max(int(x*w.inv+w.toLeft), 0)])
		if first+3 > len(items) {
			return false
		}
		few := items[first : first+3 : first+3]
		below := int32(first+3) - int32(start[k])
		below |= few[0].beside(x, y, limit)
		below |= few[1].beside(x, y, limit) | few[2].beside(x, y, limit)
		sign |= below & (int32(math.Float32bits(w.top-y)) >> 31)
	}
	w.spent += 8
	return sign >= 0
}

// one pairs an item with those behind it: in its row, up to the last cell in reach, and in the
// next. It reports false if hit did.
func (w *pairing) one(i int) bool {
	c := w.c
	x, y := c.items[i].x, c.items[i].y
	k := w.row*c.row + min(int(x*w.inv+w.toRight), c.row-1) + 1
	if !w.few(i, i+1, int(c.start[k])) {
		return false
	}
	if k += c.row; y <= w.top || k > c.buckets {
		return true
	}
	w.spent++
	first := c.start[(w.row+1)*c.row+max(int(x*w.inv+w.toLeft), 0)]
	return w.few(i, int(first), int(c.start[k]))
}

// few is run in the plane.
func (w *pairing) few(i, first, end int) bool {
	items, most := w.c.items, w.most
	x, y := items[i].x, items[i].y
	w.spent += end - first
	for j := first; j < end; j++ {
		dx, dy := items[j].x-x, items[j].y-y
		if !(dx*dx+dy*dy > most) && !w.hit(i, j) {
			return false
		}
	}
	return true
}

// run pairs an item with the items from first to end. It reports false if hit did.
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

// beyond pairs an item with those in the rows behind it and in the layers above. It was already
// paired with those before first.
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
