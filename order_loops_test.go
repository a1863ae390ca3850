package berth

import (
	"iter"
	"runtime"
	"slices"
	"testing"
)

// looped is an Order of the numbers from 0, and a loop over it. For Backward, all is the other way
// round, so that its body sees the same.
type looped struct {
	p                *Pool[int]
	o                *Order[int]
	hs               []Handle[int]
	loop             func() iter.Seq2[Handle[int], *int]
	ahead            func(h, mark Handle[int]) bool // InsertAfter
	toBegin, toFinal func(h Handle[int]) *int       // MoveToFront, MoveToBack
}

// eachOrderLoop runs f for All and for Backward of an Order of n values.
func eachOrderLoop(t *testing.T, n int, f func(t *testing.T, x looped)) {
	t.Run("All", func(t *testing.T) {
		p, o, hs := ordered(Config{Seed: 1}, n)
		f(t, looped{p, o, hs, o.All, o.InsertAfter, o.MoveToFront, o.MoveToBack})
		o.checkInvariants()
	})
	t.Run("Backward", func(t *testing.T) {
		p, o, hs := ordered(Config{Seed: 1}, n)
		for _, h := range hs {
			o.MoveToFront(h)
		}
		f(t, looped{p, o, hs, o.Backward, o.InsertBefore, o.MoveToBack, o.MoveToFront})
		o.checkInvariants()
	})
}

// The bodies of these loops change the Order at their second value, of 0 to 5, or at each one.
func TestOrderLoopRules(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5}
	for name, x := range map[string]struct {
		each bool
		body func(x looped, h Handle[int])
		want []int
	}{
		"nothing":       {true, func(looped, Handle[int]) {}, all},
		"leaves":        {true, func(x looped, h Handle[int]) { x.o.Leave(h) }, all},
		"removed":       {true, func(x looped, h Handle[int]) { x.p.Delete(h) }, all},
		"to the front":  {true, func(x looped, h Handle[int]) { x.toBegin(h) }, all},
		"to the back":   {true, func(x looped, h Handle[int]) { x.toFinal(h) }, all},
		"next to front": {false, func(x looped, _ Handle[int]) { x.toBegin(x.hs[2]) }, []int{0, 1, 3, 4, 5}},
		"next to back":  {false, func(x looped, _ Handle[int]) { x.toFinal(x.hs[2]) }, []int{0, 1, 3, 4, 5}},
		"last to front": {false, func(x looped, _ Handle[int]) { x.toBegin(x.hs[5]) }, []int{0, 1, 2, 3, 4}},
		"last to back":  {false, func(x looped, _ Handle[int]) { x.toFinal(x.hs[5]) }, all},
		"earlier":       {false, func(x looped, _ Handle[int]) { x.toFinal(x.hs[0]) }, all},
		"stays in place": {true, func(x looped, h Handle[int]) {
			x.ahead(x.hs[2], x.hs[1])
			x.ahead(x.hs[5], x.hs[4])
		}, all},
		"next is removed":  {false, func(x looped, _ Handle[int]) { x.p.Delete(x.hs[2]) }, []int{0, 1, 3, 4, 5}},
		"cleared":          {false, func(x looped, _ Handle[int]) { x.o.Clear() }, []int{0, 1}},
		"closed":           {false, func(x looped, _ Handle[int]) { x.o.Close() }, []int{0, 1}},
		"Pool.Clear":       {false, func(x looped, _ Handle[int]) { x.p.Clear(); x.p.Clip() }, []int{0, 1}},
		"PopBack":          {true, func(x looped, _ Handle[int]) { x.o.PopBack() }, nil},
		"PopFront":         {true, func(x looped, _ Handle[int]) { x.o.PopFront() }, nil},
		"all others leave": {false, func(x looped, h Handle[int]) { x.o.Clear(); x.toFinal(h) }, []int{0, 1}},
		"this and the two beside it": {false, func(x looped, _ Handle[int]) {
			for _, h := range x.hs[:3] {
				x.p.Delete(h)
			}
			for i := range 3 { // into their slots
				x.toFinal(x.p.Insert(-i))
				x.toBegin(x.o.Back())
			}
		}, []int{0, 1, 3, 4, 5}},
		"new at both ends": {true, func(x looped, _ Handle[int]) {
			x.toFinal(x.p.Insert(7))
			x.toBegin(x.p.Insert(8))
		}, all},
		"ahead": {false, func(x looped, _ Handle[int]) {
			x.ahead(x.p.Insert(7), x.hs[3])
			x.ahead(x.hs[0], x.hs[3])
		}, []int{0, 1, 2, 3, 0, 7, 4, 5}},
		"behind the last": {true, func(x looped, _ Handle[int]) { x.ahead(x.p.Insert(7), x.hs[5]) }, all},
		"right behind":    {true, func(x looped, h Handle[int]) { x.ahead(x.p.Insert(7), h) }, all},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrderLoop(t, 6, func(t *testing.T, l looped) {
				var seen []int
				for h, v := range l.loop() {
					if seen = append(seen, *v); x.each || len(seen) == 2 {
						x.body(l, h)
					}
				}
				switch {
				case x.want == nil && len(seen) > 6 || x.want != nil && !slices.Equal(seen, x.want):
					t.Errorf("visits %v, want %v", seen, x.want)
				case linksOf(l.o, "loops").Len() != 0:
					t.Error("the loop still runs")
				}
			})
		})
	}
}

// A loop ends, whatever its body does.
func TestOrderLoopEnds(t *testing.T) {
	eachOrderLoop(t, 10, func(t *testing.T, x looped) {
		steps, next := 0, x.hs[1]
		for range x.loop() { // puts one behind the next on every iteration
			h := x.p.Insert(-1)
			x.ahead(h, next)
			next = h
			steps++
		}
		if steps != 20 {
			t.Errorf("%d steps for 10 values", steps)
		}
	})
}

// Loops may be nested, and end by break, return, a panic and Goexit.
func TestOrderLoopNested(t *testing.T) {
	eachOrderLoop(t, 8, func(t *testing.T, x looped) {
		var seen []int
		for h, v := range x.loop() {
			if seen = append(seen, *v); *v == 3 {
				x.p.Delete(x.hs[4])
			}
			for h2 := range x.loop() {
				if h2 == h {
					x.o.Leave(h)
					break
				}
			}
		}
		if !slices.Equal(seen, []int{0, 1, 2, 3, 5, 6, 7}) || x.o.Len() != 0 {
			t.Errorf("%v, %d are left", seen, x.o.Len())
		}
		for h := range x.p.All() {
			x.o.MoveToBack(h)
		}
		for range 100 {
			func() {
				defer func() { _ = recover() }()
				for range x.loop() {
					for range x.loop() {
						panic("no")
					}
				}
			}()
			<-panicOf(func() {
				for range x.loop() {
					runtime.Goexit()
				}
			})
			a, stopA := iter.Pull2(x.loop())
			b, stopB := iter.Pull2(x.loop())
			a()
			b()
			stopA()
			h, _, _ := b()
			x.o.Leave(h)
			stopB()
			x.o.MoveToFront(h)
		}
		if n := linksOf(x.o, "loops").Len(); n != 0 {
			t.Errorf("%d loops still run", n)
		}
	})
}
