package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/examples/timers/wheel"
)

// history returns the results of random calls of c. Timers of one tick may fire in any order.
func history[H any](c clock[H], seed uint64) (got []uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	var known []H
	for i := range uint64(20_000) {
		switch random.IntN(4) {
		case 0:
			known = append(known, c.Start(random.Uint64N(1<<random.UintN(16)), i))
		case 1:
			if len(known) > 0 {
				data, ok := c.Stop(known[random.IntN(len(known))])
				if ok != (data != 0) {
					got = append(got, 1<<63)
				}
				got = append(got, data)
			}
		default:
			begin := len(got)
			c.Tick(func(data uint64) { got = append(got, data) })
			slices.Sort(got[begin:])
		}
		got = append(got, uint64(c.Len()))
	}
	return got
}

func TestSame(t *testing.T) {
	for seed := range uint64(5) {
		want := history(newMapWheel[uint64](), seed)
		if !slices.Equal(history(new(wheel.Wheel[uint64]), seed), want) {
			t.Errorf("seed %d: the wheel on a Pool differs from that of maps", seed)
		}
		if !slices.Equal(history(newPointerWheel[uint64](), seed), want) {
			t.Errorf("seed %d: the wheel of pointers differs from that of maps", seed)
		}
	}
}

func TestRuntimeTimers(t *testing.T) {
	var r runtimeTimers
	timer := r.Start(5, 7)
	if r.Len() != 1 {
		t.Errorf("%d pending, want 1", r.Len())
	}
	if data, ok := r.Stop(timer); data != 7 || !ok || r.Len() != 0 {
		t.Errorf("Stop = %d, %v; %d pending", data, ok, r.Len())
	}
	if _, ok := r.Stop(timer); ok {
		t.Error("Stop again returns true")
	}
}
