package replay

import (
	"math"
	"slices"
	"testing"
)

func TestCellAt(t *testing.T) {
	for _, x := range []struct {
		size, x, y float64
		want       Cell
	}{
		{16, 0, 15.9, Cell{0, 0}},
		{16, -0.1, 16, Cell{-1, 1}},
		{0.5, 1, -1, Cell{2, -2}},
		{1, math.NaN(), math.Inf(1), Cell{0, math.MaxInt32}},
		{1, math.Inf(-1), -1e300, Cell{math.MinInt32, math.MinInt32}},
		{1, math.MaxInt32, math.MinInt32, Cell{math.MaxInt32, math.MinInt32}},
	} {
		if got := CellAt(x.size, x.x, x.y); got != x.want {
			t.Errorf("CellAt(%v, %v, %v) = %v, want %v", x.size, x.x, x.y, got, x.want)
		}
	}
	if got := (Cell{-3, 7}).Subject("w."); got != "w.c.-3.7" {
		t.Error(got)
	}
}

// Cells are ordered by Y, then by X.
func TestCellCompare(t *testing.T) {
	cells := []Cell{{2, 1}, {-1, 3}, {0, 1}, {5, -2}, {2, 1}}
	slices.SortFunc(cells, Cell.Compare)
	if want := []Cell{{5, -2}, {0, 1}, {2, 1}, {2, 1}, {-1, 3}}; !slices.Equal(cells, want) {
		t.Errorf("sorted: %v, want %v", cells, want)
	}
}
