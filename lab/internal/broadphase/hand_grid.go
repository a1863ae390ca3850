package broadphase

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var handGridImpl = measure.Impl{
	Name: "hand-written grid",
	About: "a hand-written grid for this case: whole numbers in a square of known side, cells of " +
		"32, two passes over a berth.Pool, and pointers to its values. It has no handles.",
	Stale: "is found, or the value that replaced it",
	Loops: "each value against the next two, and the rest of its cell if there are more; " +
		"the next row of cells if it is at the edge",
	Kit: Kit{New: func() Broadphase { return new(handGrid) }},
}

// Cells are of 32.
const (
	handShift = 5
	handEdge  = 1<<handShift - 1 // the last position in a cell, on either axis
)

// handPlace is the position of a collider: both coordinates in one word, and its cell.
type handPlace struct {
	at   uint32 // x, and y above it
	cell uint32
	c    *collections.Collider
}

// handSpare is the number of sentinels after the last position, so that three positions follow
// each.
const handSpare = 3

// handGrid is a counting sort by cell, row by row.
type handGrid struct {
	inPool
	width  int         // cells in a row, and rows
	start  []uint32    // the index of the first position of each cell, and then the end
	places []handPlace // followed by sentinels, whose cell does not exist
}

func (c *handGrid) Fill(cs []collections.Collider, side int) {
	c.inPool.Fill(cs, side)
	c.width = (side-1)>>handShift + 1
	c.start = make([]uint32, c.width*c.width+1)
	c.places = make([]handPlace, len(cs)+handSpare)
}

// handCell returns the cell of a collider.
func handCell(v *collections.Collider, width uint32) uint32 {
	return uint32(uint16(v.Y)>>handShift)*width + uint32(uint16(v.X)>>handShift)
}

func (c *handGrid) Build() {
	start, places, width := c.start, c.places, uint32(c.width)
	clear(start)
	for _, cs := range c.p.Spans() {
		for i := range cs {
			start[handCell(&cs[i], width)]++
		}
	}
	sum := uint32(0)
	for i, n := range start {
		sum += n
		start[i] = sum
	}
	for _, cs := range c.p.Spans() {
		for i := range cs {
			v := &cs[i]
			cell := handCell(v, width)
			k := start[cell] - 1
			start[cell] = k
			p := &places[k]
			p.at, p.cell, p.c = uint32(uint16(v.X))|uint32(uint16(v.Y))<<16, cell, v
		}
	}
	for i := c.p.Len(); i < len(places); i++ {
		places[i] = handPlace{cell: 1<<32 - 1}
	}
}

// handMaybe reports whether b is from 1 below a to 2 above it on both axes. It is one subtraction
// for both, and rejects most distant pairs.
func handMaybe(a, b uint32) bool { return (b-a+0x0001_0001)&0xFFFC_FFFC == 0 }

// Pairs compares each position with the following ones in its row, and at the edge of a row with
// the next row. Mostly at most two follow in its cell, and they are not near. Comparing two in any
// case is faster than counting them, which the processor cannot predict.
func (c *handGrid) Pairs() (pairs int) {
	places := c.places
	for i := 0; i+handSpare < len(places); i++ {
		p := places[i : i+handSpare+1 : i+handSpare+1]
		at := p[0].at
		last := p[0].cell + (at&handEdge+1)>>handShift // the next one too, at the edge of a cell
		if handMaybe(at, p[1].at) || handMaybe(at, p[2].at) || p[3].cell <= last {
			pairs += c.row(i)
		}
		if at>>16&handEdge == handEdge {
			pairs += c.nextRow(i)
		}
	}
	return pairs
}

// row compares a position with all following ones in its row of cells that may be near.
func (c *handGrid) row(i int) int {
	a := &c.places[i]
	last := a.cell
	if x := a.at & 0xFFFF; x&handEdge == handEdge && int(x>>handShift)+1 < c.width {
		last++
	}
	return c.run(a, i+1, int(c.start[last+1]))
}

// nextRow compares a position with all in the next row of cells that may be near.
func (c *handGrid) nextRow(i int) int {
	a := &c.places[i]
	x, row := int(a.at&0xFFFF), int(a.at>>16>>handShift)+1
	if row == c.width {
		return 0
	}
	lo, hi := max(x-1, 0)>>handShift, min((x+1)>>handShift, c.width-1)
	return c.run(a, int(c.start[row*c.width+lo]), int(c.start[row*c.width+hi+1]))
}

// run compares a position with others, and marks.
func (c *handGrid) run(a *handPlace, lo, hi int) (pairs int) {
	others := c.places[lo:hi]
	for i := range others {
		b := others[i].at
		if collections.IsNear(int16(b), int16(b>>16), int16(a.at), int16(a.at>>16)) {
			pairs += collections.Mark(a.c, others[i].c)
		}
	}
	return pairs
}
