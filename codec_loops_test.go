package berth

import (
	"bytes"
	"iter"
	"testing"
)

type loopOf = iter.Seq2[Handle[int], *int]

// loopsAny has loops over a Pool or a Dense.
var loopsAny = map[string]func(c store[int]) loopOf{
	"All":      func(c store[int]) loopOf { return either(c, (*Pool[int]).All, (*Dense[int]).All) },
	"Backward": func(c store[int]) loopOf { return either(c, Backward[int], DenseBackward[int]) },
	"Spans": func(c store[int]) loopOf {
		return func(yield func(Handle[int], *int) bool) {
			for h, span := range either(c, (*Pool[int]).Spans, (*Dense[int]).Spans) {
				if !yield(h, &span[0]) {
					return
				}
			}
		}
	},
}

// loadsAny are loads in turn.
var loadsAny = [...]func(c store[int], b []byte) error{
	func(c store[int], b []byte) error { return DecodeAny[int](c, bytes.NewReader(b), nil) },
	func(c store[int], b []byte) error { return c.UnmarshalBinary(b) },
}

// loadStates returns saved states, whose values are 10 000 times the number of the state and more.
func loadStates(of func(seed uint32) store[int]) (states [][]byte) {
	for k, s := range []struct {
		seed uint32
		n    int
		gone func(i int) bool
	}{
		{1, 3000, func(int) bool { return false }},
		{1, 3000, func(i int) bool { return i < 1024 }},
		{1, 3000, func(i int) bool { return i >= 512 && i < 2500 }},
		{1, 700, func(i int) bool { return i%3 == 0 }},
		{2, 3000, func(i int) bool { return i%5 == 0 }},
	} {
		c := of(s.seed)
		for i := range s.n {
			c.Insert(k*10_000 + i)
		}
		RemoveFuncAny(c, func(_ Handle[int], v *int) bool { return s.gone(*v % 10_000) })
		b, _ := c.MarshalBinary()
		states = append(states, b)
	}
	return states
}

// A loop whose body loads its container twice, so that the second state may have the memory of the
// first, goes on with values of the second: each once, in the order of the slots, and by its
// handle. A loop over a Dense ends.
func TestLoadsInLoop(t *testing.T) {
	for _, of := range []func(seed uint32) store[int]{
		func(seed uint32) store[int] { return NewPool[int](Config{Seed: seed}) },
		func(seed uint32) store[int] { return NewDense[int](DenseConfig{Seed: seed}) },
	} {
		states := loadStates(of)
		turn := 0
		for name, loop := range loopsAny {
			for x := range 5 * 5 * 5 {
				was, next, then := x/25, x/5%5, x%5
				for _, at := range []int{0, 300} { // some loops have no 300th step
					c := of(1)
					load := func(i, state int) {
						if err := loadsAny[i%2](c, states[state]); err != nil {
							t.Fatal(err)
						}
					}
					load(0, was)
					load(0, was)
					loaded, n, last := false, 0, -1
					for h, v := range loop(c) {
						switch {
						case n < at:
						case n == at:
							load(turn, next)
							load(turn/2, then)
							loaded = true
							turn++
						case either(c, func(p *Pool[int]) *int { return p.Ptr(h) },
							func(*Dense[int]) *int { return nil }) != v || *v/10_000 != then:
							t.Fatalf("%T, %s, step %d of %d, %d, %d: %d is not live, or the loop has to end",
								c, name, n, was, next, then, *v)
						case last >= 0 && *v > last == (name == "Backward"):
							t.Fatalf("%T, %s, step %d of %d, %d, %d: %d after %d",
								c, name, n, was, next, then, *v, last)
						default:
							last = *v
						}
						n++
					}
					c.checkInvariants()
					if b, _ := c.MarshalBinary(); loaded && !bytes.Equal(b, states[then]) {
						t.Fatalf("%T, %s, %d, %d, %d: other bytes", c, name, was, next, then)
					}
				}
			}
		}
	}
}
