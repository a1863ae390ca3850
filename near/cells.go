package near

import (
	"fmt"
	"math"
	"math/bits"
)

// item is a value in a grid: its handle, or 0 once it is removed, and the position it was put at.
type item struct {
	h    uint64
	x, y float32
}

// cells is the part of a grid that does not depend on the type of its values: their handles and
// positions, sorted by bucket, followed by those added since, in chains.
//
// Invariants (checkInvariants):
//  1. items[start[k]:start[k+1]] are those of bucket k, among the first sorted items
//  2. each later item is in one chain, that of its bucket
//  3. vacant counts the items without a handle, and no two have the same handle
//  4. if indexed, places leads to each item that has a handle, and to nothing else
//  5. zs has an element for each item in space, and none in the plane
//  6. in a dense frame, each sorted item is in the box that the frame was made for, or nowhere
type cells struct {
	frame
	least  float64 // the requested size of cells
	space  bool    // three dimensions
	exact  bool    // all kept positions are equal to the given ones
	ahead  bool    // items are counted while they are gathered
	lost   bool    // some of the gathered items are nowhere
	box    box     // encloses all items that are not nowhere
	items  []item
	zs     []float32
	room   []item    // of the same length: Rebuild sorts into it, and then swaps the two
	roomZs []float32 // likewise
	start  []uint32  // the first item of each bucket, nowhere being the last; then the end
	sorted int
	heads  []uint32 // if there are chains: the place of the first item of each bucket, plus 1
	links  []uint32 // for each item that is not sorted, the next in its chain, likewise
	vacant int

	indexed bool
	places  places

	changes uint // counts the calls that move items

	sparse bool // the last frame was scattered
	spare  int  // successive calls of reserve that needed less than a quarter of the memory
}

// begin sets up a grid with cells of that size.
func (c *cells) begin(name string, size float64) {
	if !(size > 0) || math.IsInf(size, 1) || math.IsInf(1/size, 1) {
		panic(fmt.Sprintf("near: %s: cell and 1/cell must be finite and > 0 (got %v)", name, size))
	}
	c.least = size
	c.empty()
}

// empty removes all items and keeps the memory.
func (c *cells) empty() {
	c.frame, c.box = frame{}, noBox
	c.items, c.zs, c.sorted, c.vacant = c.items[:0], c.zs[:0], 0, 0
	c.heads, c.links = c.heads[:0], c.links[:0]
	c.exact, c.indexed, c.ahead, c.lost = true, false, false, false
}

// reserve empties c and makes room for n items. If only a little of the memory has been needed for
// a long time, it is given back.
func (c *cells) reserve(n int) {
	const patience = 32
	if !c.indexed { // no index was made since the last time either
		c.places, c.heads, c.links = places{}, nil, nil
	}
	c.empty()
	if n >= cap(c.items)/4 {
		c.spare = 0
	} else if c.spare++; c.spare > patience {
		c.spare = 0
		c.release()
	}
	c.items, c.room = room(c.items, n), room(c.room, n)
	if c.space {
		c.zs, c.roomZs = room(c.zs, n), room(c.roomZs, n)
	}
}

// release gives all memory back. There must be no items.
func (c *cells) release() {
	c.items, c.zs, c.room, c.roomZs = nil, nil, nil, nil
	c.start, c.heads, c.links = nil, nil, nil
	c.places = places{}
	c.indexed = false
}

// clip gives back memory that holds no items.
func (c *cells) clip() {
	if len(c.items) == 0 {
		c.release()
		return
	}
	c.items, c.zs, c.start = clip(c.items), clip(c.zs), clip(c.start)
	c.heads, c.links = clip(c.heads), clip(c.links)
	c.room, c.roomZs = nil, nil
	c.places, c.indexed = places{}, false
}

// clip returns a slice without spare room.
func clip[E any](s []E) []E {
	if cap(s) == len(s) {
		return s
	}
	return append(make([]E, 0, len(s)), s...)
}

// bytes returns the size of the memory.
func (c *cells) bytes() int {
	return 16*(cap(c.items)+cap(c.room)) +
		4*(cap(c.zs)+cap(c.roomZs)+cap(c.start)+cap(c.heads)+cap(c.links)+cap(c.places.table))
}

// room returns s, empty, with room for n. The first time that is exact. Later it is an eighth more,
// since a slice that has grown is likely to grow again.
func room[E any](s []E, n int) []E {
	switch {
	case cap(s) >= n:
		return s[:0]
	case cap(s) > 0:
		n += n / 8
	}
	return make([]E, 0, n)
}

// put appends an item.
func (c *cells) put(h uint64, x, y, z float64) {
	p := toFloat32(x, y, z)
	c.exact = c.exact && p.is(x, y, z)
	c.items = append(c.items, item{h, p.x, p.y})
	if c.space {
		c.zs = append(c.zs, p.z)
	}
	c.widen(p)
}

// expect makes regard count where items would lie in a frame like the last one, if that was dense.
// Frames depend on the box around all items and rarely change.
func (c *cells) expect(last frame) {
	n := last.buckets
	c.ahead = !last.scattered && !c.space && n > 0 && n+2 <= cap(c.start)
	if c.ahead {
		c.frame = last
		c.tally()
	}
}

// regard looks at items in the plane that were just added. If the frame is as foreseen, it does the
// work of census. Otherwise its counts are not used. In a blank item, it notes the bucket in place
// of the handle.
func (c *cells) regard(items []item, blank bool) {
	for {
		items = items[c.inside(items, blank):]
		if len(items) == 0 {
			return
		}
		if c.outside(items[0].x, items[0].y) {
			if blank {
				items[0].h = uint64(c.buckets)
			}
			items = items[1:]
		}
	}
}

// inside is regard up to the first item that is not in the box. It returns its place. A loop
// without calls keeps its variables in registers.
//
//go:noinline
func (c *cells) inside(items []item, blank bool) int {
	var start []uint32
	if c.ahead {
		start = c.start[1:]
	}
	inv, lowX, lowY, row := c.inv, c.low[0], c.low[1], c.row
	left, right, low, high := c.box.lo.x, c.box.hi.x, c.box.lo.y, c.box.hi.y
	for i := range items {
		x, y := items[i].x, items[i].y
		if !(x >= left && x <= right && y >= low && y <= high) {
			return i
		}
		k := int(float64(float64(y)*inv)-lowY)*row + int(float64(float64(x)*inv)-lowX)
		if uint(k) < uint(len(start)) {
			start[k]++
		}
		if blank {
			items[i].h = uint64(k)
		}
	}
	return len(items)
}

// outside extends the box to hold a position. It reports true if that is nowhere.
//
//go:noinline
func (c *cells) outside(x, y float32) bool {
	if (x-x)+(y-y) == 0 {
		c.box.extend(x, y)
		return false
	}
	c.lost = true
	return true
}

// foreseen reports whether regard has counted all items in frame f.
func (c *cells) foreseen(f *frame) bool {
	return c.ahead && c.size == f.size && c.low == f.low && c.count == f.count
}

// widen extends the box to hold a position.
func (c *cells) widen(p point) {
	if !p.nowhere() {
		c.box.extend(p.x, p.y)
		c.box.lo.z, c.box.hi.z = min(c.box.lo.z, p.z), max(c.box.hi.z, p.z)
	}
}

// at returns the position of an item.
func (c *cells) at(i int) point {
	it := &c.items[i]
	if c.space {
		return point{it.x, it.y, c.zs[i]}
	}
	return point{it.x, it.y, 0}
}

// arrange chooses the frame for the items. It sets start to the place where each bucket begins, one
// to the right: start[k+1] for bucket k. The caller then puts the items in their buckets and
// advances these places, which leaves start as it should be. For fresh items, it reports whether
// regard has found their buckets.
func (c *cells) arrange(fresh bool) (found bool) {
	n := len(c.items)
	try := c.census
	if fresh && c.sparse && n > 4*segment { // probably scattered again, with few buckets
		try = c.survey
	}
	f, first := denseFrame(c.least, c.box, n), try
	if found = fresh && c.foreseen(&f); found {
		first = c.crowding
	}
	c.frame, c.ahead = f, false
	used, crowd := first()
	// If a few cells have nearly all of the values, large cells are slow, and many are vacant.
	was := c.sparse
	c.sparse = c.buckets > 2*used+segment || c.size > c.least && crowd > 6*uint64(n)
	if c.sparse {
		c.frame = scatteredFrame(c.least, floorPow2(n-segment))
		if used, _ = try(); c.buckets > 2*used+segment {
			c.frame = scatteredFrame(c.least, floorPow2(2*used))
			c.start = c.start[:0]
		}
	}
	if len(c.start) != c.buckets+2 {
		c.census()
	}
	found = found && !c.sparse
	if c.sparse && (!was || cap(c.start) > 4*len(c.start)+segment) {
		c.start = clip(c.start)
	}
	return found
}

// census counts the items of each bucket in start, one to the right. It returns the number of used
// buckets, and the sum of the squares of the counts.
func (c *cells) census() (used int, crowd uint64) {
	c.tally()
	if c.scattered || c.space {
		for i := range c.items {
			c.start[c.of(c.at(i))+1]++
		}
	} else {
		start := c.start
		for i := range c.items {
			start[c.planar(c.items[i].x, c.items[i].y)+1]++
		}
	}
	return c.crowding()
}

// tally clears start to count.
func (c *cells) tally() {
	c.start = room(c.start, c.buckets+2)[:c.buckets+2]
	clear(c.start)
}

// crowding returns the number of used buckets, and the sum of the squares of the counts, once they
// are complete. It turns the counts into the places where the buckets begin.
func (c *cells) crowding() (used int, crowd uint64) {
	sum, lost := uint32(0), c.start[c.buckets+1]
	for k, n := range c.start {
		c.start[k] = sum
		sum += n
		used += int(-uint64(n) >> 63)
		crowd += uint64(n) * uint64(n)
	}
	if lost > 0 {
		used, crowd = used-1, crowd-uint64(lost)*uint64(lost)
	}
	return used, crowd
}

// survey returns the results of census without memory for start: it counts in the room that the
// items are sorted into. There must be as many items as buckets.
func (c *cells) survey() (used int, crowd uint64) {
	c.start = c.start[:0]
	counts := c.room[:c.buckets]
	clear(counts)
	for i := range c.items {
		if k := c.of(c.at(i)); k < c.buckets {
			counts[k].h++
		}
	}
	for k := range counts {
		if n := counts[k].h; n > 0 {
			used++
			crowd += n * n
		}
	}
	return used, crowd
}

// deal moves the items to the places that arrange has chosen, in the room beside them, and then
// swaps the two.
func (c *cells) deal() {
	n := len(c.items)
	c.room = room(c.room, n)[:n]
	if c.scattered || c.space {
		c.dealAny()
	} else {
		c.dealPlane()
	}
	c.swap()
}

// swap makes the room the items.
func (c *cells) swap() {
	c.items, c.room = c.room, c.items
	c.sorted = len(c.items)
}

// dealAny is deal in any frame.
func (c *cells) dealAny() {
	if c.space {
		c.roomZs = room(c.roomZs, len(c.items))[:len(c.items)]
	}
	for i := range c.items {
		k := c.of(c.at(i)) + 1
		j := c.start[k]
		c.start[k]++
		c.room[j] = c.items[i]
		if c.space {
			c.roomZs[j] = c.zs[i]
		}
	}
	c.zs, c.roomZs = c.roomZs, c.zs
}

// dealPlane is deal in a dense frame in the plane.
func (c *cells) dealPlane() {
	items, to, start, lost, nowhere := c.items, c.room, c.start[1:], c.lost, c.buckets
	inv, lowX, lowY, row := c.inv, c.low[0], c.low[1], c.row
	for i := range items {
		x, y := items[i].x, items[i].y
		k := nowhere
		if !lost || (x-x)+(y-y) == 0 {
			k = int(float64(float64(y)*inv)-lowY)*row + int(float64(float64(x)*inv)-lowX)
		}
		j := start[k]
		start[k] = j + 1
		to[j] = items[i]
	}
}

// sort puts the items in their buckets in place, which takes no memory but three times as long as
// deal.
//
// Source: E. McIlroy, K. Bostic, D. McIlroy, Engineering Radix Sort, 1993: American flag sort.
func (c *cells) sort() {
	c.arrange(false)
	for i := len(c.items) - 1; i >= 0; i-- {
		for { // all before i are in their buckets
			k := c.of(c.at(i)) + 1
			j := int(c.start[k])
			if i < j {
				break
			}
			c.start[k]++
			c.items[i], c.items[j] = c.items[j], c.items[i]
			if c.space {
				c.zs[i], c.zs[j] = c.zs[j], c.zs[i]
			}
		}
	}
	c.sorted = len(c.items)
	c.heads, c.links = c.heads[:0], c.links[:0]
}

// chain adds the last item, which put has just appended, to its bucket's chain.
func (c *cells) chain() {
	if len(c.heads) == 0 {
		c.heads = room(c.heads, c.buckets+1)[:c.buckets+1]
		clear(c.heads)
	}
	k := c.of(c.at(len(c.items) - 1))
	c.links = append(c.links, c.heads[k])
	c.heads[k] = uint32(len(c.items))
}

// floorPow2 returns the largest power of two that is at most n, and at least 1.
func floorPow2(n int) int { return 1 << (bits.Len(uint(max(n, 1))) - 1) }

// distance returns the distance of a position from the box around all values, along the axis on
// which it is greatest.
func (c *cells) distance(x, y, z float64) float64 {
	far := func(x float64, lo, hi float32) float64 {
		return max(float64(lo)-x, x-float64(hi), 0)
	}
	d := max(far(x, c.box.lo.x, c.box.hi.x), far(y, c.box.lo.y, c.box.hi.y))
	if c.space {
		d = max(d, far(z, c.box.lo.z, c.box.hi.z))
	}
	return d
}

// find returns the place of a handle's item, or -1. It makes the index if there is none.
func (c *cells) find(h uint64) int {
	if !c.indexed {
		c.places.index(c.items)
		c.indexed = true
	}
	return c.places.find(c.items, h)
}

// insert adds an item to the chain of its bucket.
func (c *cells) insert(h uint64, x, y, z float64) {
	if len(c.items) == 0 { // and no frame
		c.put(h, x, y, z)
		c.sort()
	} else {
		c.put(h, x, y, z)
		c.chain()
	}
	c.places.add(c.items, len(c.items)-1)
}

// remove removes an item and leaves its place vacant.
func (c *cells) remove(i int) {
	c.places.drop(c.items, c.places.slot(c.items, c.items[i].h))
	c.items[i].h = 0
	c.vacant++
}

// move gives an item another position. The item stays in its place if it stays in its bucket,
// unless the position is outside of a dense frame: sorted items are within.
func (c *cells) move(i int, x, y, z float64) {
	p := toFloat32(x, y, z)
	if c.of(p) != c.of(c.at(i)) || !c.scattered && !c.home.has(p) {
		h := c.items[i].h
		c.remove(i)
		c.insert(h, x, y, z)
		return
	}
	c.exact = c.exact && p.is(x, y, z)
	c.items[i].x, c.items[i].y = p.x, p.y
	if c.space {
		c.zs[i] = p.z
	}
}

// cut keeps only the first n items, none of which is vacant.
func (c *cells) cut(n int) {
	c.items, c.vacant = c.items[:n], 0
	if c.space {
		c.zs = c.zs[:n]
	}
}

// kind returns the name of the grid's type.
func (c *cells) kind() string {
	if c.space {
		return "Grid3"
	}
	return "Grid"
}

// text is the String of a grid of n values of the type of that name.
func (c *cells) text(values string, n int) string {
	return fmt.Sprintf("near.%s[%s](%d values, %d bytes)", c.kind(), values, n, c.bytes())
}

// rule returns the text of a panic.
//
//go:noinline
func (c *cells) rule(method, text string) string {
	return "near: " + c.kind() + "." + method + ": " + text
}

// radius panics if r is no radius.
func (c *cells) radius(method string, r float64) {
	if !(r >= 0) {
		panic(c.rule(method, fmt.Sprintf("radius must not be negative (got %v)", r)))
	}
}

// unchanged panics if the grid was changed since a loop began.
func (c *cells) unchanged(since uint) {
	if c.changes != since {
		c.changed()
	}
}

//go:noinline
func (c *cells) changed() { panic("near: " + c.kind() + ": changed inside a loop over it") }
