package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	run(&got)
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// The output says that Dora has the fog's slot.
func TestSlot(t *testing.T) {
	h := newHarbour(io.Discard)
	_, fog := h.fill()
	h.bodies.Remove(fog)
	dora := h.enter("Dora", 0, 0, 1)
	was, _, _ := strings.Cut(fog.String(), ":")
	is, _, _ := strings.Cut(dora.String(), ":")
	if fog == dora || was != is {
		t.Errorf("the fog was %v, and Dora is %v", fog, dora)
	}
}

// The chart finds the bodies that a loop over all finds, after moves and removals.
func TestTouching(t *testing.T) {
	h := newHarbour(io.Discard)
	rng := rand.New(rand.NewPCG(3, 4))
	place := func() float64 { return float64(rng.IntN(20_000)) }
	var all []handle
	for i := range 500 {
		size := []float64{1, 1, 30, 30, 400, 1500, largest}[rng.IntN(7)]
		all = append(all, h.enter(fmt.Sprintf("%04d", i), place(), place(), size))
	}
	for range 500 {
		k := all[rng.IntN(len(all))]
		if rng.IntN(3) == 0 {
			h.bodies.Remove(k) // not from the chart
		}
		h.steer(k, float64(rng.IntN(2000)-1000), float64(rng.IntN(2000)-1000))

		k = all[rng.IntN(len(all))]
		var got []string
		for _, b := range h.touching(k) {
			got = append(got, b.name)
		}
		slices.Sort(got)
		if want := h.slowly(k); !slices.Equal(got, want) {
			t.Fatalf("touching(%v) = %v, want %v", k, got, want)
		}
	}
	if gone := len(all) - h.bodies.Len(); h.chart.Len() != len(all)-h.dropped || h.dropped > gone {
		t.Errorf("the chart has %d handles, %d of %d stale ones were deleted", h.chart.Len(), h.dropped, gone)
	}
	sky := h.enter("sky", 0, 0, 100_000)
	h.touching(sky)
	if h.chart.Len() != h.bodies.Len() {
		t.Errorf("the chart still has %d of %d bodies", h.chart.Len(), h.bodies.Len())
	}
}

// slowly is touching by a loop over all bodies.
func (h *harbour) slowly(k handle) (names []string) {
	b := h.bodies.Ptr(k)
	if b == nil {
		return nil
	}
	for other, o := range h.bodies.All() {
		if reach := (b.size + o.size) / 2; other != k && max(o.x-b.x, b.x-o.x) <= reach &&
			max(o.y-b.y, b.y-o.y) <= reach {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}

// The grid finds the pairs that a loop over all pairs finds.
func TestPairs(t *testing.T) {
	h := newHarbour(io.Discard)
	h.regatta()
	h.grid.Rebuild(&h.dinghies)
	got, want := 0, 0
	for range h.grid.Pairs(sight) {
		got++
	}
	for a, b := range berth.Pairs(&h.dinghies) {
		if x, y := a.x-b.x, a.y-b.y; x*x+y*y <= sight*sight {
			want++
		}
	}
	if got != want || want == 0 {
		t.Errorf("%d pairs, want %d", got, want)
	}
}
