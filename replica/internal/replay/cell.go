package replay

import (
	"cmp"
	"math"
	"strconv"
)

// Cell is a replica.Cell.
type Cell struct{ X, Y int32 }

// CellAt is replica.CellAt.
func CellAt(size, x, y float64) Cell { return Cell{axis(x / size), axis(y / size)} }

// axis returns the number of the cell that t lies in, along an axis in units of cells.
func axis(t float64) int32 {
	switch t = math.Floor(t); {
	case t >= math.MaxInt32:
		return math.MaxInt32
	case t <= math.MinInt32:
		return math.MinInt32
	case t != t:
		return 0
	}
	return int32(t)
}

// Compare orders cells by row.
func (c Cell) Compare(d Cell) int {
	if c.Y != d.Y {
		return cmp.Compare(c.Y, d.Y)
	}
	return cmp.Compare(c.X, d.X)
}

// Subject returns the subject of the cell's messages.
func (c Cell) Subject(prefix string) string {
	b := append([]byte(prefix), "c."...)
	b = strconv.AppendInt(b, int64(c.X), 10)
	b = append(b, '.')
	return string(strconv.AppendInt(b, int64(c.Y), 10))
}
