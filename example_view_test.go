package berth_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth"
)

// Traverse visits each value with a view of all the others. Any of them may be removed inside the
// loop, and is not visited after that.
func ExampleTraverse() {
	type ship struct {
		name          string
		power, shield int
	}
	var ships berth.Pool[ship]
	berth.InsertSeq(&ships, slices.Values([]ship{{"scout", 1, 2}, {"cruiser", 3, 4}, {"drone", 9, 2}}))

	for attacker, others := range berth.Traverse(&ships) {
		for h, s := range others.All() {
			if s.shield < attacker.Value.power {
				fmt.Println(attacker.Value.name, "destroys", s.name)
				ships.Delete(h)
			}
		}
	}
	fmt.Println(ships.Len(), "left")
	// Output:
	// cruiser destroys scout
	// cruiser destroys drone
	// 1 left
}

func ExampleDenseTraverse() {
	var bodies berth.Dense[point]
	berth.DenseInsertSeq(&bodies, slices.Values([]point{{X: 1}, {X: 2}, {X: 7}}))
	for a, others := range berth.DenseTraverse(&bodies) {
		for b := range others.Values() {
			if b.X-a.Value.X == 1 { // they touch: count it in both
				a.Value.Y++
				b.Y++
			}
		}
	}
	fmt.Println(bodies.Slice())
	// Output: [{1 1} {2 1} {7 0}]
}

// Pairs visits each pair of values once. Both may be changed through their pointers.
func ExamplePairs() {
	var balls berth.Pool[point]
	berth.InsertSeq(&balls, slices.Values([]point{{X: 10}, {X: 11}, {X: 30}, {X: 12}}))
	for a, b := range berth.Pairs(&balls) {
		if max(a.X, b.X)-min(a.X, b.X) < 2 { // they touch: count it in both
			a.Y++
			b.Y++
		}
	}
	for b := range balls.Values() {
		fmt.Println(*b)
	}
	// Output:
	// {10 1}
	// {11 2}
	// {30 0}
	// {12 1}
}

func ExampleDensePairs() {
	var d berth.Dense[string]
	berth.DenseInsertSeq(&d, slices.Values([]string{"a", "b", "c"}))
	for x, y := range berth.DensePairs(&d) {
		fmt.Print(*x, *y, " ")
	}
	// Output: ab ac bc
}

func ExampleApply() {
	var p berth.Pool[int]
	strongest := p.Insert(5)
	p.Insert(2)
	p.Insert(3)
	berth.Apply(&p, strongest, func(v *int, others berth.Others[int]) {
		for o := range others.Values() {
			*v += *o
		}
	})
	fmt.Println(p.Get(strongest))
	// Output: 10 true
}

func ExampleDenseApply() {
	var d berth.Dense[int]
	strongest := d.Insert(5)
	d.Insert(2)
	berth.DenseApply(&d, strongest, func(v *int, others berth.DenseOthers[int]) {
		for o := range others.Values() {
			*v += *o
		}
	})
	fmt.Println(d.Slice())
	// Output: [7 2]
}

func ExampleEach() {
	var d berth.Dense[enemy]
	for _, e := range []enemy{{"drone", 3}, {"tank", 20}, {"mine", 1}, {"boss", 1000}} {
		d.Insert(e)
	}
	bullets := 2 // each hits one enemy
	removed := berth.Each(&d, func(_ berth.Handle[enemy], e *enemy) berth.Control {
		c := berth.LoopContinue
		if e.health -= 5; e.health <= 0 {
			c |= berth.LoopRemove
		}
		if bullets--; bullets == 0 {
			c |= berth.LoopBreak
		}
		return c
	})
	fmt.Println(removed, d.Len())
	// Output: 1 3
}

// Others finds all values of a container but one, here "a".
func ExampleOthers() {
	var p berth.Pool[string]
	a, b := p.Insert("a"), p.Insert("b")
	p.Insert("c")
	berth.Apply(&p, a, func(_ *string, o berth.Others[string]) {
		fmt.Println(o.Len(), o.Contains(a), o.Contains(b), o.Ptr(a))
		*o.Ptr(b) += "!"
		fmt.Println(o.Get(b))
		for h, v := range o.All() {
			fmt.Println(h == a, *v)
		}
		for _, span := range o.Spans() {
			fmt.Println(span)
		}
	})
	// Output:
	// 2 false true <nil>
	// b! true
	// false b!
	// false c
	// [b! c]
}

// The others of a value are one span before it and one after it, if there are no holes.
func ExampleDenseOthers() {
	var d berth.Dense[string]
	a, b := d.Insert("a"), d.Insert("b")
	d.Insert("c")
	berth.DenseApply(&d, b, func(_ *string, o berth.DenseOthers[string]) {
		fmt.Println(o.Len(), o.Contains(a), o.Contains(b), o.Ptr(b))
		for first, span := range o.Spans() {
			fmt.Println(span, first == a)
		}
	})
	// Output:
	// 2 true false <nil>
	// [a] true
	// [c] false
}

// A renderer gets a view through which it cannot change the world.
func ExampleNewReadOnly() {
	draw := func(enemies berth.ReadOnly[string], target berth.Handle[string]) {
		fmt.Println("draw", slices.Collect(enemies.Values()))
		if enemies.Contains(target) {
			fmt.Println(enemies.Get(target))
		}
		for h, name := range enemies.All() { // copies: there is no pointer to a value
			fmt.Println(name, h == target, enemies.Len())
		}
	}
	var pool berth.Pool[string]
	orc := pool.Insert("orc")
	pool.Insert("elf")
	draw(berth.NewReadOnly[string](&pool), orc)
	// Output:
	// draw [orc elf]
	// orc true
	// orc true 2
	// elf false 2
}
