package replay

import (
	"errors"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
)

// snapshotOf returns a snapshot of p in which value i is in cells[i].
func snapshotOf(t *testing.T, p *berth.Pool[body], size float64, cells ...Cell) []byte {
	t.Helper()
	b, err := BeginSnapshot(nil, Snapshot{Seq: 9, Time: 8, Frame: 4, Size: size}, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		b = AppendCell(b, c)
	}
	EndSnapshot(b)
	return b
}

// A world of some cells gets the values in them from a snapshot. The snapshot has a cell for each
// value if the world has cells, and none otherwise.
func TestSnapshotCells(t *testing.T) {
	v, _ := ValuesOf[body]()
	p := fuzzWorld(v).Pool
	at := []Cell{{}, {0, 1}, {1, 0}, {1, 0}, {1, 1}}
	for _, x := range []struct {
		cells []Cell
		want  []float32 // X of the values in the cell (1, 0); nil if it fails
	}{
		{at, []float32{2, 3}},
		{at[:4], nil},
		{append(at[:5:5], Cell{1, 0}), nil},
		{nil, nil},
	} {
		s, err := ReadSnapshot(snapshotOf(t, p, 16, x.cells...))
		if err != nil || s.Seq != 9 || s.Time != 8 || s.Frame != 4 || s.Size != 16 {
			t.Fatalf("%v: %+v", err, s)
		}
		got := berth.NewPool[body](berth.Config{Seed: 3})
		got.Insert(body{X: 50})
		err = Load(got, s, v, map[Cell]bool{{1, 0}: true, {7, 7}: true})
		if x.want == nil {
			if !errors.Is(err, ErrCorrupt) || got.Len() != 1 {
				t.Errorf("%d cells of 5 values: %v, %v", len(x.cells), err, got)
			}
			continue
		}
		var xs []float32
		for h, b := range got.All() {
			if xs = append(xs, b.X); !p.Contains(h) {
				t.Errorf("the snapshot has no %v", h)
			}
		}
		if err != nil || !slices.Equal(xs, x.want) {
			t.Errorf("values %v, want %v: %v", xs, x.want, err)
		}
	}
	if _, err := ReadSnapshot(snapshotOf(t, p, 0)); err != nil {
		t.Errorf("a world without cells: %v", err)
	}
	if _, err := ReadSnapshot(snapshotOf(t, p, 0, at...)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("cells of a world without: %v", err)
	}
}

// A follower of some cells takes values from slots far behind its others, up to a bound.
func TestSnapshotFar(t *testing.T) {
	v, _ := ValuesOf[body]()
	for _, slot := range []uint32{3 << 20, maxSlots - 1, maxSlots} {
		p := berth.NewPool[body](berth.Config{Seed: 1, Limit: 2 * maxSlots})
		u := p.Insert(body{}).Uint64()
		far := berth.HandleFromUint64[body](u>>32<<32 | uint64(uint32(u)+slot))
		if err := berth.InsertAt(p, far, body{X: 7}); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSnapshot(snapshotOf(t, p, 16, Cell{}, Cell{1, 0}))
		if err != nil {
			t.Fatal(err)
		}
		got := new(berth.Pool[body])
		err = Load(got, s, v, map[Cell]bool{{1, 0}: true})
		if want := slot < maxSlots; (err == nil) != want || got.Contains(far) != want {
			t.Errorf("a value in slot %d: %v, %v", slot, err, got)
		}
	}
}
