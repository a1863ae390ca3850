package berth_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
)

// sumSlots counts the slots that Slots yields, and checks that no slot has two states.
func sumSlots[T any](t *testing.T, p *berth.Pool[T]) (s berth.Stats) {
	t.Helper()
	for w := range p.Slots() {
		if w.Live&w.Vacant|w.Live&w.Retired|w.Vacant&w.Retired != 0 {
			t.Fatalf("a slot has two states: %+x", w)
		}
		s.Live += bits.OnesCount64(w.Live)
		s.Vacant += bits.OnesCount64(w.Vacant)
		s.Retired += bits.OnesCount64(w.Retired)
	}
	return s
}

func checkSlots[T any](t *testing.T, p *berth.Pool[T]) {
	t.Helper()
	s := p.Stats()
	want := berth.Stats{Live: s.Live, Vacant: s.Vacant, Retired: s.Retired}
	if got := sumSlots(t, p); got != want {
		t.Fatalf("Slots counts %+v, Stats %+v", got, want)
	}
}

// TestPoolSlots compares Slots with Stats, through spikes that leave chunks without memory.
func TestPoolSlots(t *testing.T) {
	for _, truncate := range []berth.Truncate{berth.TruncateMemory, berth.TruncateLength, berth.TruncateNever} {
		p := berth.NewPool[[2]int](berth.Config{Seed: 1, Truncate: truncate})
		checkSlots(t, p)
		rng := rand.New(rand.NewPCG(1, uint64(truncate)))
		var hs []berth.Handle[[2]int]
		for range 40 {
			for range rng.IntN(3000) {
				hs = append(hs, p.Insert([2]int{}))
			}
			checkSlots(t, p)
			rng.Shuffle(len(hs), func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
			for n := rng.IntN(len(hs)); len(hs) > n; hs = hs[:len(hs)-1] {
				p.Remove(hs[len(hs)-1])
			}
			checkSlots(t, p)
		}
	}
}

// TestPoolSlotsOrder checks that the bit of each live value is at the index of its slot.
func TestPoolSlotsOrder(t *testing.T) {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	for i := range 1000 {
		p.Insert(i) // value i lies in slot i
	}
	p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { return *v%7 == 3 || *v >= 128 && *v < 640 })
	k, live := 0, 0
	for s := range p.Slots() {
		for i := range 64 {
			v := k*64 + i
			want := v < 1000 && v%7 != 3 && (v < 128 || v >= 640)
			if got := s.Live>>i&1 != 0; got != want {
				t.Fatalf("slot %d is live: %v, want %v", v, got, want)
			}
		}
		live += bits.OnesCount64(s.Live)
		k++
	}
	if live != p.Len() {
		t.Errorf("%d slots are live, want %d", live, p.Len())
	}
}

func TestPoolSlotsGivenBack(t *testing.T) {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	var last berth.Handle[int]
	for i := range 1 << 14 {
		last = p.Insert(i)
	}
	p.RemoveFunc(func(h berth.Handle[int], v *int) bool { return *v > 10 && h != last })
	gone := 0
	for s := range p.Slots() {
		if s == (berth.Slots{}) {
			gone++
		}
	}
	if want := (1<<14-p.Cap())/64 - 1; gone < want || want < 128 {
		t.Errorf("%d words of slots have no memory, want some %d", gone, want)
	}
}

// TestPoolSlotsRetired checks slots that are used up, in memory and without.
func TestPoolSlotsRetired(t *testing.T) {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	p.AgeForTest(64, 2)
	hold := p.Insert(-1) // keeps the first block in memory
	for p.Stats().Retired < 3 {
		p.Remove(p.Insert(0))
		checkSlots(t, p)
	}
	for range 200 {
		p.Remove(p.Insert(0))
	}
	p.Remove(hold)
	p.Clip()
	checkSlots(t, p)
	if s := sumSlots(t, p); s.Retired < 64 || s.Live != 0 {
		t.Errorf("%+v, want at least a block of retired slots", s)
	}
}

// TestPoolSlotsInside changes the pool inside the loop and while a value is built.
func TestPoolSlotsInside(t *testing.T) {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	p.InsertFunc(func(berth.Handle[int], *int) {
		if s := sumSlots(t, p); s.Live+s.Vacant+s.Retired != p.Cap()-1 {
			t.Errorf("%+v of %d slots, want all but the one under construction", s, p.Cap())
		}
	})
	turns := 0
	for range p.Slots() {
		for range 100 {
			p.Insert(1) // the directory grows on each iteration
		}
		if turns++; turns > 100 {
			t.Fatal("the loop does not end")
		}
	}
	p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { *v++; return *v%3 == 0 })
	if n := testing.AllocsPerRun(10, func() { sumSlots(t, p) }); n > 4 || p.Len() < 64 {
		t.Errorf("%v allocations for %d values", n, p.Len())
	}
	turns = 0
	for range p.Slots() {
		turns++
		p.Clear()
		p.Clip()
	}
	if turns != 1 {
		t.Errorf("%d iterations over a pool that was emptied in the first, want 1", turns)
	}
	checkSlots(t, p)
	for range p.Slots() {
		t.Error("an empty pool without memory has slots")
	}
}
