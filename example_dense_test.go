package berth_test

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

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

func ExampleDense_Get() {
	var d berth.Dense[enemy]
	h := d.Insert(enemy{"drone", 10})
	e, ok := d.Get(h)
	e.health = 0 // changes only the copy
	fmt.Println(ok, d.Ptr(h).health)
	// Output: true 10
}

// A large value is filled in place, without a copy. InsertFunc knows its handle meanwhile.
func ExampleDense_New() {
	var d berth.Dense[enemy]
	h, e := d.New()
	e.name, e.health = "drone", 10

	var log []berth.Handle[enemy]
	d.InsertFunc(func(self berth.Handle[enemy], boss *enemy) {
		log = append(log, self)
		boss.name = "boss"
	})
	fmt.Println(d.Slice(), d.Contains(log[0]))
	fmt.Println(d.Delete(h), d.Delete(h), d.Len())
	// Output:
	// [{drone 10} {boss 0}] true
	// true false 1
}

// A loop over the slice has no handles. At returns those that it needs, and PlaceOf does the
// reverse.
func ExampleDense_At() {
	var d berth.Dense[enemy]
	drone := d.Insert(enemy{"drone", 0})
	boss := d.Insert(enemy{"boss", 1000})
	var dead []berth.Handle[enemy]
	for i, e := range d.Slice() {
		if e.health == 0 {
			h, _ := d.At(i)
			dead = append(dead, h)
		}
	}
	for _, h := range dead { // values may move now
		d.Delete(h)
	}
	h, e := d.At(100)
	fmt.Println(d.Slice(), h.IsZero(), e == nil)
	fmt.Println(d.PlaceOf(boss), d.PlaceOf(drone))
	// Output:
	// [{boss 1000}] true true
	// 0 -1
}

// Columns move with the values, and SortPlaces sorts by them.
func ExampleDense_SortPlaces() {
	var d berth.Dense[string]
	rank := berth.NewDenseColumn[int](&d)
	for i, name := range []string{"drone", "tank", "boss"} {
		*rank.Ptr(d.Insert(name)) = -i
	}
	ranks := rank.Slice()
	d.SortPlaces(func(i, k int) int { return ranks[i] - ranks[k] })
	fmt.Println(d.Slice(), rank.Slice())
	// Output: [boss tank drone] [-2 -1 0]
}

// With DefragManual, values move only when the program calls for it. Spans yields the values
// between the holes.
func ExampleDefrag() {
	d := berth.NewDense[string](berth.DenseConfig{Defrag: berth.DefragManual})
	berth.DenseInsertSeq(d, slices.Values([]string{"a", "b", "c", "d", "e"}))
	for h, v := range d.All() {
		if *v == "a" || *v == "c" {
			d.Delete(h)
		}
	}
	for first, span := range d.Spans() {
		fmt.Println(span, *d.Ptr(first))
	}
	d.Insert("f") // in the place of c
	fmt.Println(d.Holes(), d.Defrag(), d.Holes(), d.Slice())
	// Output:
	// [b] b
	// [d e] d
	// 1 1 0 [e b f d]
}

// The memory for a level is allocated while the level loads, and released after it.
func ExampleDense_Grow() {
	var d berth.Dense[int]
	d.Grow(100)
	room := d.Cap()
	for i := range 70 {
		d.Insert(i)
	}
	d.RemoveFunc(func(_ berth.Handle[int], v *int) bool { return *v < 6 })
	s := d.Stats()
	fmt.Println(room >= 100, s.Live, s.Live+s.Vacant == room, s.Retired)
	for w := range d.Slots() { // 64 at a time
		fmt.Println(bits.OnesCount64(w.Live), "live,", bits.OnesCount64(w.Vacant), "vacant")
	}

	fmt.Println(d.Shrink()) // moves nothing
	d.Clip()                // closes the holes first
	fmt.Println(d.Shrink(), d.Len(), d.Cap())
	d.Clear() // keeps the room, and ends all handles
	fmt.Println(d.Len(), d.Cap())
	// Output:
	// true 64 true 0
	// 58 live, 6 vacant
	// 6 live, 30 vacant
	// berth: Dense has holes
	// <nil> 64 64
	// 0 64
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
	d.Delete(drone)
	fmt.Println(d.Holes(), d)
	// Output: 0 berth.Dense[berth_test.enemy](1 of 1000 places)
}

func ExampleDense_TryInsert() {
	d := berth.NewDense[int](berth.DenseConfig{Limit: 1})
	d.Insert(1)
	_, err := d.TryInsert(2)
	fmt.Println(err, errors.Is(err, berth.ErrFull))
	// Output: berth: full true
}

// A body is parsed in place, or not inserted.
func ExampleDenseInsertErr() {
	var bodies berth.Dense[float64]
	for _, text := range []string{"1.5", "none"} {
		_, err := berth.DenseInsertErr(&bodies, func(_ berth.Handle[float64], x *float64) (err error) {
			*x, err = strconv.ParseFloat(text, 64)
			return err
		})
		fmt.Println(err == nil, bodies.Slice())
	}
	// Output:
	// true [1.5]
	// false [1.5]
}

// New values lie together at the end of the slice, if there are no holes.
func ExampleDenseInsertAll() {
	var d berth.Dense[string]
	berth.DenseInsertAll(&d, []string{"a", "b"}, nil)
	berth.DenseNewN(&d, 2, func(_ berth.Handle[string], span []string) {
		for i := range span {
			span[i] = "new"
		}
	})
	fmt.Println(d.Slice())
	// Output: [a b new new]
}

// A level is filled with rocks, each made in place.
func ExampleDenseNewN() {
	var rocks berth.Dense[float64]
	n := berth.DenseNewN(&rocks, 3, func(first berth.Handle[float64], span []float64) {
		for i := range span {
			span[i] = float64(rocks.PlaceOf(first)+i) / 2
		}
	})
	fmt.Println(n, rocks.Slice())
	// Output: 3 [0 0.5 1]
}

func ExampleDenseInsertSeq() {
	var d berth.Dense[int]
	n := berth.DenseInsertSeq(&d, slices.Values([]int{3, 1, 2}))
	fmt.Println(n, d.Slice())
	// Output: 3 [3 1 2]
}

func ExampleDense_RemoveFunc() {
	var d berth.Dense[int]
	berth.DenseInsertSeq(&d, slices.Values([]int{3, 4, 5, 6}))
	odd := func(_ berth.Handle[int], v *int) bool { return *v%2 == 1 }
	fmt.Println(d.RemoveFunc(odd), d.Slice())
	// Output: 2 [6 4]
}

func ExampleDenseBackward() {
	var d berth.Dense[string]
	berth.DenseInsertSeq(&d, slices.Values([]string{"a", "b"}))
	for _, v := range berth.DenseBackward(&d) {
		fmt.Println(*v)
	}
	// Output:
	// b
	// a
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
	enemies.Delete(byName["drone"])
	fmt.Println(len(byName), enemies.Ptr(byName["boss"]).health)
	// Output: 1 1000
}

// A turret that looks up its target in each frame keeps a Ref to it in place of the handle.
func ExampleNewRef() {
	var d berth.Dense[enemy]
	drone := d.Insert(enemy{"drone", 10})
	boss := d.Insert(enemy{"boss", 1000})
	target := berth.NewRef(&d, boss)
	d.Delete(drone)
	d.Defrag() // moves the boss
	target.Ptr().health -= 50
	fmt.Println(target.Get())

	d.Delete(target.Handle())
	d.Insert(enemy{"tank", 200}) // in the place of the boss
	fmt.Println(target.Ptr(), target.Handle() == boss)
	// Output:
	// {boss 950} true
	// <nil> true
}
