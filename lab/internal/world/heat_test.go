package world

import (
	"bytes"
	"math"
	"testing"

	"github.com/seed505807e1/berth"
)

func TestSlotsPerCell(t *testing.T) {
	for slots, want := range map[int]int{
		0: 1, 64: 1, 4096: 1, 4097: 2, 8192: 2, 8193: 4, 22_016: 8, 200_000: 64, 1 << 20: 256,
	} {
		if got := slotsPerCell(slots); got != want {
			t.Errorf("%d slots: %d a cell, want %d", slots, got, want)
		}
	}
}

func TestAppendCells(t *testing.T) {
	full := berth.Slots{Live: math.MaxUint64}
	vacant := berth.Slots{Vacant: math.MaxUint64}
	used := berth.Slots{Retired: math.MaxUint64}
	none := berth.Slots{}
	one := berth.Slots{Live: 1 << 63, Vacant: math.MaxUint64 >> 1}
	short := berth.Slots{Live: 1, Vacant: 2, Retired: 4} // the rest has no memory
	repeat := func(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }
	for _, c := range []struct {
		per   int
		words []berth.Slots
		want  []byte
	}{
		{1, nil, nil},
		{1, []berth.Slots{full, none}, append(repeat(127, 64), repeat(0, 64)...)},
		{1, []berth.Slots{one}, append(repeat(1, 63), 127)},
		{1, []berth.Slots{short}, append([]byte{127, 1, 128}, repeat(0, 61)...)},
		{32, []berth.Slots{one, used}, []byte{1, 1 + 126/32, 128, 128}},
		{4, []berth.Slots{short}, append([]byte{128 + 64}, repeat(0, 15)...)},
		{64, []berth.Slots{full, vacant, none, used, one, short}, []byte{127, 1, 0, 128, 2, 128 + 64}},
		{128, []berth.Slots{full, vacant, none, none, full, none, full, used, full}, []byte{64, 0, 127, 255, 127}},
		{256, []berth.Slots{one, vacant, vacant, vacant}, []byte{2}},
	} {
		got := appendCells([]byte{9}, c.words, c.per)
		if !bytes.Equal(got[1:], c.want) || got[0] != 9 {
			t.Errorf("%d slots a cell, %v:\n got %d\nwant %d", c.per, c.words, got, c.want)
		}
	}
}

func TestAppendSlots(t *testing.T) {
	odd := func(i int) bool { return i&1 != 0 }
	got := appendSlots(nil, 67, odd)
	const even = math.MaxUint64 / 3
	want := []berth.Slots{{Live: even << 1, Vacant: even}, {Live: 2, Vacant: 5}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v; want %+v", got, want)
	}
	if got := appendSlots(nil, 0, odd); got != nil {
		t.Errorf("no slots are %+v", got)
	}
}

// TestHeat compares the pictures of all containers with their figures: exactly with a slot per
// cell, and otherwise as far as cells tell.
func TestHeat(t *testing.T) {
	for _, s := range []Scene{
		sceneOf(t, 1, 2, 200, "150l"), sceneOf(t, 1, 100, 220, "100b,140k"), sceneOf(t, 1, 1000, 60, ""),
	} {
		if testing.Short() && s.Spawn == MaxSpawn {
			break
		}
		w := New(s, all)
		for range 160 {
			w.Step()
		}
		for _, k := range all {
			f := w.Figures(k)
			cells, info := w.Heat(k, []byte("before"))
			cells = cells[len("before"):]
			if len(cells) != info.Cells || len(cells) > MaxCells || (k == Map) != (len(cells) == 0) {
				t.Fatalf("%s: %d cells, %+v", k.ID(), len(cells), info)
			}
			if k == Map {
				continue
			}
			live, inMemory, some := 0, 0, 0
			for _, c := range cells {
				if c > 127 {
					t.Fatalf("%s: a slot is retired already", k.ID())
				}
				if c == 127 {
					live++
				}
				if c > 1 {
					some++
				}
				if c > 0 {
					inMemory++
				}
			}
			per := info.SlotsPerCell
			if per == 1 && (live != f.Live || inMemory != f.Slots) {
				t.Errorf("%s: cells for %d of %d slots; want %d of %d", k.ID(), live, inMemory, f.Live, f.Slots)
			}
			if live*per > f.Live+per || some*per < f.Live || inMemory*per < f.Slots || inMemory*per > f.Slots+64*per {
				t.Errorf("%s: %d slots a cell, %d cells full, %d not empty, %d in memory: %+v", k.ID(), per, live, some, inMemory, f)
			}
			want := [3]int{}
			if k == List {
				want = [3]int{f.Slots / 4, f.Slots / 2, f.Slots}
			}
			if info.Borders != want {
				t.Errorf("%s: borders %v, want %v", k.ID(), info.Borders, want)
			}
		}
		w.Run([]Kind{Map})
		if cells, info := w.Heat(Pool, nil); cells != nil || info != (HeatInfo{}) {
			t.Errorf("a picture of what does not run: %d cells, %+v", len(cells), info)
		}
	}
}
