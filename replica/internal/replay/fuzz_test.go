package replay

import (
	"errors"
	"testing"

	"github.com/seed505807e1/berth"
)

// body is a value. It has padding.
type body struct {
	X, Y   float32
	VX, VY float32
	HP     uint32
	Team   uint8
	Dead   bool
	Shield uint64
}

// fuzzWorld returns a world with a few values, in the cells (0, 0) and (1, 0).
func fuzzWorld(v Values[body], cells ...Cell) *World[body] {
	w := &World[body]{Values: v, Pool: berth.NewPool[body](berth.Config{Seed: 1, Limit: 1 << 16}),
		All: "all", Lead: "lead", Seq: 9, Frame: 4, At: 9, Cells: map[Cell]bool{}, Bad: map[uint64]bool{}}
	for i := range 5 {
		w.Pool.Insert(body{X: float32(i)})
	}
	for _, c := range cells {
		w.Cells[c] = true
	}
	return w
}

func (w *World[T]) hash() uint64 {
	h := Hasher[T]{Values: w.Values}
	for k, v := range w.Pool.All() {
		h.Add(k, v)
	}
	return h.Sum
}

// FuzzMessage gives two messages to worlds of all and of some cells. Nothing may crash, a message
// that is corrupt must change nothing, nor one that does not fit, unless an insert got another
// handle, and the world must stay whole.
func FuzzMessage(f *testing.F) {
	v, err := ValuesOf[body]()
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range exchanges(v) {
		if x.first == nil {
			f.Add(x.second, []byte{})
		} else {
			f.Add(x.first, x.second)
		}
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, w := range []*World[body]{fuzzWorld(v), fuzzWorld(v, Cell{})} {
			for i, data := range [][]byte{first, second} {
				hash, frame := w.hash(), w.Frame
				ops, err := w.Take("all", uint64(10+i), data)
				switch {
				case err != nil && w.Frame != frame:
					t.Fatalf("frame %d after %v", w.Frame, err)
				case errors.Is(err, ErrCorrupt) && w.hash() != hash:
					t.Fatalf("%v, and the values have changed", err)
				case err == nil && ops < 0 && w.hash() != hash:
					t.Fatal("a message without a commit has changed the values")
				case ops > len(first)+len(second):
					t.Fatalf("%d operations in %d bytes", ops, len(first)+len(second))
				case cap(w.order) > 2*(len(first)+len(second))+16:
					t.Fatalf("memory for %d operations", cap(w.order))
				}
				if err != nil && !errors.Is(err, ErrCorrupt) {
					return // the world is loaded again
				}
			}
		}
	})
}

// FuzzSnapshot gives bytes to the reader of snapshots, with a right checksum.
func FuzzSnapshot(f *testing.F) {
	v, err := ValuesOf[body]()
	if err != nil {
		f.Fatal(err)
	}
	w := fuzzWorld(v)
	b, err := BeginSnapshot(nil, Snapshot{Seq: 9, Time: 8, Frame: 4, Size: 16}, w.Pool)
	if err != nil {
		f.Fatal(err)
	}
	for range w.Pool.All() {
		b = AppendCell(b, Cell{})
	}
	f.Add(b)
	for _, size := range []float64{0, 16} { // without cells
		b, err := BeginSnapshot(nil, Snapshot{Seq: 9, Size: size}, w.Pool)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(b[:snapHeadBytes-1])
	f.Add(b[:snapHeadBytes])
	f.Add(append([]byte("BRS\x02"), b[4:]...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= snapHeadBytes {
			EndSnapshot(data)
		}
		s, err := ReadSnapshot(data)
		if err != nil {
			return
		}
		for _, cells := range []map[Cell]bool{nil, {{}: true}} {
			p := berth.NewPool[body](berth.Config{Seed: 3})
			p.Insert(body{})
			if err := Load(p, s, v, cells); err != nil && p.Len() != 1 {
				t.Fatalf("%v, and the Pool has changed", err)
			}
		}
	})
}
