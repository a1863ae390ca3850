package berth_test

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/seed505807e1/berth"
)

// Enemies lie side by side for the loop of each frame. They are sorted by distance, and their
// handles still find them.
func ExampleDense() {
	type foe struct {
		name     string
		distance int
	}
	var foes berth.Dense[foe]
	boss := foes.Insert(foe{"boss", 90})
	drone := foes.Insert(foe{"drone", 40})
	foes.Insert(foe{"tank", 60})

	all := foes.Slice()
	for i := range all { // a loop over a plain slice
		all[i].distance -= 10
	}

	foes.Remove(drone) // all is not valid from here on
	foes.Sort(func(a, b *foe) int { return a.distance - b.distance })
	fmt.Println(foes.Slice())

	fmt.Println(foes.Get(boss))  // has moved
	fmt.Println(foes.Ptr(drone)) // was removed
	// Output:
	// [{tank 50} {boss 80}]
	// {boss 80} true
	// <nil>
}

// Hooks keep an index of names up to date through every insert and removal.
func ExampleDenseSetHooks() {
	byName := map[string]berth.Handle[enemy]{}
	var enemies berth.Dense[enemy]
	berth.DenseSetHooks(&enemies, berth.Hooks[enemy]{
		OnInsert: func(h berth.Handle[enemy], e *enemy) { byName[e.name] = h },
		OnRemove: func(_ berth.Handle[enemy], e *enemy) { delete(byName, e.name) },
	})
	enemies.Insert(enemy{"drone", 10})
	enemies.Insert(enemy{"boss", 1000})
	fmt.Println(enemies.Get(byName["boss"]))

	weak := func(_ berth.Handle[enemy], e *enemy) bool { return e.health < 100 }
	berth.DenseRemoveFunc(&enemies, weak)
	fmt.Println(len(byName), enemies.Contains(byName["drone"])) // the zero Handle
	// Output:
	// {boss 1000} true
	// 1 false
}

func ExampleDefrag_String() {
	fmt.Println(berth.DefragDeferred, berth.DefragImmediate, berth.DefragManual)
	// Output: Deferred Immediate Manual
}

func ExampleNewDense() {
	// Room for 1000 enemies is allocated in advance. There are never more than 1000, and no holes
	// between them except while a loop runs.
	d := berth.NewDense[enemy](berth.DenseConfig{
		Capacity: 1000,
		Limit:    1000,
		Defrag:   berth.DefragImmediate,
	})
	drone := d.Insert(enemy{"drone", 10})
	d.Insert(enemy{"boss", 1000})
	d.Remove(drone)
	fmt.Println(d.Len(), d.Holes(), d.Cap() >= 1000)
	// Output: 1 0 true
}

func ExampleDense_Insert() {
	var d berth.Dense[enemy]
	h := d.Insert(enemy{"drone", 10})
	fmt.Println(d.Ptr(h).name)
	// Output: drone
}

func ExampleDenseTryInsert() {
	d := berth.NewDense[int](berth.DenseConfig{Limit: 1})
	d.Insert(1)
	_, err := berth.DenseTryInsert(d, 2)
	fmt.Println(err, errors.Is(err, berth.ErrFull))
	// Output: berth: full true
}

func ExampleDense_InsertFunc() {
	type node struct {
		self berth.Handle[node]
		tag  string
	}
	var d berth.Dense[node]
	h := d.InsertFunc(func(self berth.Handle[node], n *node) {
		n.self, n.tag = self, "knows itself"
	})
	fmt.Println(d.Ptr(h).self == h, d.Ptr(h).tag)
	// Output: true knows itself
}

func ExampleDense_Remove() {
	var d berth.Dense[string]
	h := d.Insert("a")
	fmt.Println(d.Remove(h))
	fmt.Println(d.Remove(h)) // stale: not an error
	// Output:
	// a true
	//  false
}

func ExampleDenseRemoveFunc() {
	var d berth.Dense[int]
	for i := range 10 {
		d.Insert(i)
	}
	fmt.Println(berth.DenseRemoveFunc(&d, func(_ berth.Handle[int], v *int) bool { return *v%3 == 0 }), d.Len())
	// Output: 4 6
}

func ExampleDense_Get() {
	var d berth.Dense[enemy]
	h := d.Insert(enemy{"drone", 10})
	e, ok := d.Get(h)
	e.health = 0 // changes only the copy
	fmt.Println(ok, d.Ptr(h).health)
	// Output: true 10
}

func ExampleDense_Ptr() {
	var d berth.Dense[enemy]
	h := d.Insert(enemy{"drone", 10})
	d.Ptr(h).health -= 3 // used at once, not kept
	fmt.Println(*d.Ptr(h))
	d.Remove(h)
	fmt.Println(d.Ptr(h))
	// Output:
	// {drone 7}
	// <nil>
}

func ExampleDense_Contains() {
	var d berth.Dense[int]
	h := d.Insert(1)
	before := d.Contains(h)
	d.Clear()
	fmt.Println(before, d.Contains(h))
	// Output: true false
}

// A loop over the slice has no handles. HandleAt returns those that are needed.
func ExampleDense_HandleAt() {
	var d berth.Dense[enemy]
	d.Insert(enemy{"drone", 0})
	d.Insert(enemy{"boss", 1000})
	var dead []berth.Handle[enemy]
	for i, e := range d.Slice() {
		if e.health == 0 {
			dead = append(dead, d.HandleAt(i))
		}
	}
	for _, h := range dead { // values may move now
		d.Remove(h)
	}
	fmt.Println(d.Slice(), d.HandleAt(100).IsZero())
	// Output: [{boss 1000}] true
}

func ExampleDense_Len() {
	var d berth.Dense[int]
	h := d.Insert(1)
	d.Insert(2)
	d.Remove(h)
	fmt.Println(d.Len()) // holes do not count
	// Output: 1
}

func ExampleDense_Cap() {
	var d berth.Dense[int]
	before := d.Cap()
	d.Insert(1)
	fmt.Println(before, d.Cap() > 1) // some more at once
	// Output: 0 true
}

func ExampleDense_Holes() {
	var d berth.Dense[string]
	a := d.Insert("a")
	d.Insert("b")
	fmt.Println(d.Holes())
	d.Remove(a)
	fmt.Println(d.Holes())
	d.Insert("c") // in the place of a
	fmt.Println(d.Holes(), d.Slice())
	// Output:
	// 0
	// 1
	// 0 [c b]
}

func ExampleDense_Slice() {
	var d berth.Dense[int]
	a := d.Insert(1)
	d.Insert(2)
	last := d.Insert(3)
	d.Remove(a)
	all := d.Slice() // moves 3 into the place of 1
	for i := range all {
		all[i] *= 10
	}
	fmt.Println(all)
	fmt.Println(d.Get(last))
	// Output:
	// [30 20]
	// 30 true
}

// Under DefragManual, values move only when the program calls for it.
func ExampleDense_Defrag() {
	d := berth.NewDense[int](berth.DenseConfig{Defrag: berth.DefragManual})
	for i := range 1000 {
		d.Insert(i)
	}
	berth.DenseRemoveFunc(d, func(_ berth.Handle[int], v *int) bool { return *v < 10 })
	fmt.Println(d.Holes())
	fmt.Println(d.Defrag()) // 10 values move, not 990
	fmt.Println(d.Holes(), len(d.Slice()))
	// Output:
	// 10
	// 10
	// 0 990
}

func ExampleDense_Shrink() {
	d := berth.NewDense[int](berth.DenseConfig{Capacity: 10_000})
	h := d.Insert(1)
	d.Insert(2)
	d.Remove(h)
	fmt.Println(d.Shrink()) // moves nothing
	d.Defrag()
	fmt.Println(d.Shrink(), d.Cap())
	// Output:
	// berth: Dense has holes
	// <nil> 1
}

func ExampleDense_Clip() {
	d := berth.NewDense[int](berth.DenseConfig{Capacity: 10_000})
	h := d.Insert(1)
	d.Insert(2)
	d.Remove(h)
	d.Clip() // closes the hole first
	fmt.Println(d.Len(), d.Cap())
	// Output: 1 1
}

func ExampleDense_Grow() {
	var d berth.Dense[int]
	d.Grow(10_000) // while the level loads, not during a frame
	fmt.Println(d.Cap() >= 10_000)
	// Output: true
}

func ExampleDense_Clear() {
	var d berth.Dense[int]
	h := d.Insert(1)
	room := d.Cap()
	d.Clear()
	fmt.Println(d.Len(), d.Contains(h), d.Cap() == room)
	// Output: 0 false true
}

func ExampleDense_Clone() {
	var d berth.Dense[enemy]
	h := d.Insert(enemy{"drone", 10})
	saved := d.Clone() // before a risky frame
	d.Ptr(h).health = 0
	d.Remove(h)
	fmt.Println(saved.Get(h))
	// Output: {drone 10} true
}

func ExampleDense_Sort() {
	var d berth.Dense[enemy]
	boss := d.Insert(enemy{"boss", 1000})
	d.Insert(enemy{"drone", 10})
	d.Insert(enemy{"tank", 200})
	d.Sort(func(a, b *enemy) int { return a.health - b.health }) // the weakest first
	fmt.Println(d.Slice())
	fmt.Println(d.HandleAt(2) == boss) // handles follow their values
	// Output:
	// [{drone 10} {tank 200} {boss 1000}]
	// true
}

func ExampleDense_SortPlaces() {
	var d berth.Dense[enemy]
	rank := berth.NewDenseColumn[int](&d)
	for i, name := range []string{"drone", "tank", "boss"} {
		*rank.Ptr(d.Insert(enemy{name, 10})) = -i
	}
	ranks := rank.Slice()
	d.SortPlaces(func(i, k int) int { return ranks[i] - ranks[k] })
	fmt.Println(d.Slice(), rank.Slice())
	// Output: [{boss 10} {tank 10} {drone 10}] [-2 -1 0]
}

func ExampleDense_Slots() {
	var d berth.Dense[int]
	d.Grow(100)
	var hs []berth.Handle[int]
	for i := range 70 {
		hs = append(hs, d.Insert(i))
	}
	for _, h := range hs[:6] {
		d.Remove(h) // leaves a hole
	}
	for s := range d.Slots() {
		fmt.Printf("%2d live, %2d vacant\n", bits.OnesCount64(s.Live), bits.OnesCount64(s.Vacant))
	}
	// Output:
	// 58 live,  6 vacant
	//  6 live, 30 vacant
}

func ExampleDense_Stats() {
	var d berth.Dense[int]
	d.Insert(1)
	s := d.Stats()
	fmt.Println(s.Live, s.Live+s.Vacant == d.Cap(), s.Retired, s.Chunks)
	// Output: 1 true 0 2
}

func ExampleDense_All() {
	var d berth.Dense[enemy]
	d.Insert(enemy{"drone", 1})
	d.Insert(enemy{"boss", 9})
	for h, e := range d.All() {
		if e.health--; e.health == 0 {
			d.Remove(h) // allowed; see the rules of loops
		}
	}
	fmt.Println(d.Slice())
	// Output: [{boss 8}]
}

func ExampleDense_Values() {
	var d berth.Dense[int]
	d.Insert(1)
	d.Insert(2)
	sum := 0
	for v := range d.Values() {
		sum += *v
	}
	fmt.Println(sum)
	// Output: 3
}

func ExampleDenseBackward() {
	var d berth.Dense[string]
	d.Insert("a")
	d.Insert("b")
	for _, v := range berth.DenseBackward(&d) {
		fmt.Println(*v)
	}
	// Output:
	// b
	// a
}

// If holes must stay, because no value may move, Spans yields the values between them.
func ExampleDense_Spans() {
	d := berth.NewDense[string](berth.DenseConfig{Defrag: berth.DefragManual})
	d.Insert("a")
	b := d.Insert("b")
	d.Insert("c")
	d.Insert("d")
	d.Remove(b)
	for first, span := range d.Spans() {
		fmt.Println(span, *d.Ptr(first))
	}
	// Output:
	// [a] a
	// [c d] c
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

func ExampleDenseTraverse() {
	var bodies berth.Dense[body]
	for _, x := range []int{1, 2, 7} {
		bodies.Insert(body{x: x})
	}
	for a, others := range berth.DenseTraverse(&bodies) {
		for b := range others.Values() {
			if b.x-a.Value.x == 1 {
				a.Value.hits++
				b.hits++
			}
		}
	}
	fmt.Println(bodies.Slice())
	// Output: [{1 1} {2 1} {7 0}]
}

func ExampleDenseApply() {
	var d berth.Dense[int]
	strongest := d.Insert(5)
	d.Insert(2)
	d.Insert(3)
	berth.DenseApply(&d, strongest, func(v *int, others berth.DenseOthers[int]) {
		for o := range others.Values() {
			*v += *o
		}
	})
	fmt.Println(d.Get(strongest))
	// Output: 10 true
}

func ExampleDensePairs() {
	var d berth.Dense[string]
	for _, s := range []string{"a", "b", "c"} {
		d.Insert(s)
	}
	for x, y := range berth.DensePairs(&d) {
		fmt.Println(*x, *y)
	}
	// Output:
	// a b
	// a c
	// b c
}

// A turret that looks up its target in each frame keeps a Ref to it, next to the handle.
func ExampleNewRef() {
	var d berth.Dense[enemy]
	drone := d.Insert(enemy{"drone", 10})
	boss := d.Insert(enemy{"boss", 1000})
	target := berth.NewRef(&d, boss)
	d.Remove(drone)
	d.Defrag() // moves the boss
	target.Ptr().health -= 50
	fmt.Println(d.Slice())
	// Output: [{boss 950}]
}

func ExampleRef_Ptr() {
	var d berth.Dense[string]
	h := d.Insert("a")
	r := berth.NewRef(&d, h)
	*r.Ptr() += "!"
	fmt.Println(*r.Ptr())
	d.Remove(h)
	d.Insert("b") // in the place of a
	fmt.Println(r.Ptr())
	// Output:
	// a!
	// <nil>
}

func ExampleRef_Get() {
	var d berth.Dense[string]
	h := d.Insert("a")
	r := berth.NewRef(&d, h)
	fmt.Println(r.Get())
	d.Remove(h)
	fmt.Println(r.Get())
	// Output:
	// a true
	//  false
}

func ExampleRef_Handle() {
	var d berth.Dense[string]
	h := d.Insert("a")
	r := berth.NewRef(&d, h)
	var none berth.Ref[string]
	fmt.Println(r.Handle() == h, none.Handle().IsZero())
	// Output: true true
}

// denseOthers returns a view of "a" and "c" from the pivot "b", and the handles of all three.
func denseOthers() (berth.DenseOthers[string], []berth.Handle[string]) {
	var d berth.Dense[string]
	hs := []berth.Handle[string]{d.Insert("a"), d.Insert("b"), d.Insert("c")}
	var view berth.DenseOthers[string]
	berth.DenseApply(&d, hs[1], func(_ *string, o berth.DenseOthers[string]) { view = o })
	return view, hs
}

func ExampleDenseOthers_Len() {
	o, _ := denseOthers()
	fmt.Println(o.Len())
	// Output: 2
}

func ExampleDenseOthers_Contains() {
	o, hs := denseOthers()
	fmt.Println(o.Contains(hs[0]), o.Contains(hs[1]))
	// Output: true false
}

func ExampleDenseOthers_Get() {
	o, hs := denseOthers()
	fmt.Println(o.Get(hs[2]))
	// Output: c true
}

func ExampleDenseOthers_Ptr() {
	o, hs := denseOthers()
	*o.Ptr(hs[2]) += "!"
	fmt.Println(*o.Ptr(hs[2]), o.Ptr(hs[1]) == nil)
	// Output: c! true
}

func ExampleDenseOthers_All() {
	o, hs := denseOthers()
	for h, v := range o.All() {
		fmt.Println(h == hs[1], *v)
	}
	// Output:
	// false a
	// false c
}

func ExampleDenseOthers_Values() {
	o, _ := denseOthers()
	for v := range o.Values() {
		fmt.Println(*v)
	}
	// Output:
	// a
	// c
}

func ExampleDenseOthers_Spans() {
	o, _ := denseOthers()
	for _, span := range o.Spans() { // without holes, one span before the pivot and one after it
		fmt.Println(span)
	}
	// Output:
	// [a]
	// [c]
}

func ExampleDense_PlaceOf() {
	var d berth.Dense[string]
	d.Insert("a")
	b := d.Insert("b")
	fmt.Println(d.PlaceOf(b), d.Slice()[d.PlaceOf(b)])
	d.Remove(b)
	fmt.Println(d.PlaceOf(b))
	// Output:
	// 1 b
	// -1
}
