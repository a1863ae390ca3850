package replica

import "github.com/seed505807e1/berth/replica/internal/replay"

// Cell is a square of the plane. A value at (x, y) is in the cell {floor(x/size), floor(y/size)},
// as in a [near.Grid] whose cells have that size.
//
// [near.Grid]: https://pkg.go.dev/github.com/seed505807e1/berth/near#Grid
type Cell struct{ X, Y int32 }

// CellAt returns the cell of (x, y) for cells of the given size. Coordinates beyond the cells that
// an int32 can number count to the last one. A coordinate that is NaN counts as 0.
//
// Cost: O(1); never allocates.
func CellAt(size, x, y float64) Cell { return Cell(replay.CellAt(size, x, y)) }
