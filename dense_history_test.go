package berth

import (
	"fmt"
	"testing"
)

// A Rewind of a Dense equals the Clone that was taken when the frame began.
func TestDenseHistoryModel(t *testing.T) {
	for seed := range uint64(24) {
		for _, frames := range framesOf(seed) {
			c := HistoryConfig{Frames: frames, Compare: seed%3 == 0}
			limit, capacity, above := 0, 0, 0
			if seed%5 == 4 {
				limit = 150
			}
			if seed%7 == 6 {
				capacity = 500
			}
			if seed%2 == 1 {
				above = 10
			}
			t.Run(fmt.Sprintf("%d/%d/plain", seed, frames), func(t *testing.T) {
				conf := DenseConfig[small]{
					Seed: uint32(seed) + 1, Defrag: Defrag(seed / 2 % 3), Limit: limit,
					Capacity: capacity, ShrinkAbove: above,
				}
				if seed%4 == 3 {
					conf.Memory = newParked(t)
				}
				newDenseEras(t, seed, NewDense(conf), c, func(n int) small { return small(n) }).run(150)
			})
			t.Run(fmt.Sprintf("%d/%d/pointers", seed, frames), func(t *testing.T) {
				conf := DenseConfig[pointing]{
					Seed: uint32(seed) + 1, Defrag: Defrag(seed / 2 % 3), Limit: limit,
					Capacity: capacity, ShrinkAbove: above,
				}
				newDenseEras(t, seed, NewDense(conf), c, func(n int) pointing {
					return pointing{fmt.Sprint(n), new(int), n}
				}).run(150)
			})
		}
	}
}

// A value that was removed in a frame, and put back with InsertAt, counts as edited.
func TestDenseHistoryPutBack(t *testing.T) {
	d := newDense(DenseConfig[int]{}, 5)
	s := NewDenseHistory(d, HistoryConfig{Frames: 2})
	f, h := s.Mark(), d.HandleAt(1)
	d.Remove(h)
	if err := d.InsertAt(h, 9); err != nil {
		t.Fatal(err)
	}
	n := 0
	for got, c := range s.Changed(f) {
		if n++; got != h || c != Edited {
			t.Errorf("%v is %v, want %v, Edited", got, c, h)
		}
	}
	if n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
}
