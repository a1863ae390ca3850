package berth_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed505807e1/berth"
)

// Only the sprites that move have a speed.
func ExampleColumn() {
	var sprites berth.Pool[point]
	speeds := berth.NewColumn[point](&sprites)

	wall := sprites.Insert(point{0, 0})
	ball := sprites.Insert(point{5, 5})
	speeds.Set(ball, point{1, -1})

	for b, s := range speeds.Join() {
		b.X, b.Y = b.X+s.X, b.Y+s.Y
	}
	fmt.Println(*sprites.Ptr(wall), *sprites.Ptr(ball))

	sprites.Remove(ball) // and its speed
	fmt.Println(speeds.Contains(ball), speeds.Len())
	// Output:
	// {0 0} {6 4}
	// false 0
}

// columnOf returns a Pool of three names, and a Column with the ages of two.
func columnOf() (*berth.Pool[string], *berth.Column[int, string], []berth.Handle[string]) {
	people := berth.NewPool[string](berth.Config{Seed: 1})
	ages := berth.NewColumn[int](people) // the type of the names is inferred
	hs := []berth.Handle[string]{people.Insert("Ada"), people.Insert("Bo"), people.Insert("Cy")}
	ages.Set(hs[0], 36)
	ages.Set(hs[2], 7)
	return people, ages, hs
}

func ExampleNewColumn() {
	people, ages, hs := columnOf()
	*ages.Ptr(hs[0])++
	fmt.Println(ages.Get(hs[0]))
	fmt.Println(ages.Ptr(hs[1]), ages.Set(hs[1], 50), *ages.Ptr(hs[1]))

	fmt.Println(ages.Delete(hs[0]))
	fmt.Println(ages.Contains(hs[0]), people.Contains(hs[0]))
	people.Delete(hs[2])
	fmt.Println(ages.Set(hs[2], 8)) // stale

	s := ages.Stats()
	fmt.Println(s.Live, "of", people.Len(), s.Vacant, s.Chunks)
	fmt.Println(ages)
	ages.Clear()
	fmt.Println(ages.Len(), people.Len())
	ages.Close() // the Pool goes on without the Column
	fmt.Println(ages.Set(hs[1], 51))
	// Output:
	// 37 true
	// <nil> true 50
	// true
	// false true
	// false
	// 1 of 2 63 1
	// berth.Column[int, string](1 of 2 values)
	// 0 2
	// false
}

func ExampleColumn_All() {
	people, ages, hs := columnOf()
	for h, age := range ages.All() {
		fmt.Println(*people.Ptr(h), *age)
	}
	sum := 0
	for age := range ages.Values() {
		sum += *age
	}
	fmt.Println("sum:", sum)

	ages.Set(hs[1], 50)
	ages.Set(people.Insert("Di"), 20)
	for names, some := range ages.JoinSpans() {
		fmt.Println(names, some)
	}
	// Output:
	// Ada 36
	// Cy 7
	// sum: 43
	// [Ada Bo Cy Di] [36 50 7 20]
}

func ExampleJoin2() {
	people, ages, hs := columnOf()
	towns := berth.NewColumn[string](people)
	towns.Set(hs[1], "Turku")
	towns.Set(hs[2], "Oulu")
	for age, town := range berth.Join2(ages, towns) {
		fmt.Println(*age, *town)
	}
	// Output: 7 Oulu
}

// A loop over the values that have both an age and a town.
func ExampleJoin3() {
	people, ages, hs := columnOf()
	towns := berth.NewColumn[string](people)
	towns.Set(hs[1], "Turku")
	towns.Set(hs[2], "Oulu")
	for name, x := range berth.Join3(ages, towns) {
		fmt.Println(*name, *x.A, *x.B)
	}
	// Output: Cy 7 Oulu
}

// All values that have no age get one.
func ExampleSetAll() {
	people, ages, _ := columnOf()
	people.Insert("Di")
	berth.SetAll(ages, 18)
	for name, age := range ages.Join() {
		fmt.Println(*name, *age)
	}
	// Output:
	// Ada 36
	// Bo 18
	// Cy 7
	// Di 18
}

func ExampleWithout() {
	people, ages, hs := columnOf()
	away := berth.NewColumn[struct{}](people) // a tag
	away.Set(hs[0], struct{}{})
	for h, age := range berth.Without(ages, away) {
		fmt.Println(*people.Ptr(h), *age)
	}
	// Output: Cy 7
}

// The clone of a Pool has no columns. CloneTo gives it one.
func ExampleColumn_CloneTo() {
	people, ages, hs := columnOf()
	then := people.Clone()
	agesThen := ages.CloneTo(then)

	people.Remove(hs[0])
	people.CopyFrom(then) // go back
	ages.CopyFrom(agesThen)
	fmt.Println(*ages.Ptr(hs[0]))
	// Output: 36
}

// A history of a Pool restores its columns too, if they are changed with Edit.
func ExampleColumn_Edit() {
	people, ages, hs := columnOf()
	history := berth.NewHistory(people, berth.HistoryConfig{Frames: 2})
	*ages.Edit(hs[0]) = 37
	people.Remove(hs[2])
	_ = history.Rewind(1)
	fmt.Println(*ages.Ptr(hs[0]), *ages.Ptr(hs[2]))
	// Output: 36 7
}

// A Column is loaded after its Pool, and fits no other state of it.
func ExampleColumn_MarshalBinary() {
	people := berth.NewPool[int](berth.Config{Seed: 1})
	ages := berth.NewColumn[int](people)
	h := people.Insert(1)
	ages.Set(h, 36)
	pool, _ := people.MarshalBinary()
	column, _ := ages.AppendBinary(nil)

	var people2 berth.Pool[int]
	ages2 := berth.NewColumn[int](&people2)
	fmt.Println(people2.UnmarshalBinary(pool), ages2.UnmarshalBinary(column))
	fmt.Println(ages2.Get(h))

	people.Delete(h)
	fmt.Println(errors.Is(ages.UnmarshalBinary(column), berth.ErrCorrupt))
	// Output:
	// <nil> <nil>
	// 36 true
	// true
}

func ExampleDenseColumn() {
	var stars berth.Dense[string]
	pos := berth.NewDenseColumn[[2]float32](&stars)
	vel := berth.NewDenseColumn[[2]float32](&stars)
	for i, name := range []string{"Vega", "Mira", "Deneb"} {
		h := stars.Insert(name)
		*pos.Ptr(h), *vel.Ptr(h) = [2]float32{float32(i), 0}, [2]float32{0, 0.5}
	}
	vs := vel.Slice()
	for i, p := range pos.Slice() { // touches no name
		pos.Slice()[i] = [2]float32{p[0] + vs[i][0], p[1] + vs[i][1]}
	}
	stars.Sort(func(a, b *string) int { return strings.Compare(*a, *b) })
	fmt.Println(stars.Slice(), pos.Slice())
	// Output: [Deneb Mira Vega] [[2 0.5] [1 0.5] [0 0.5]]
}

// weights returns a Dense of two names, and a DenseColumn with a weight for each.
func weights() (*berth.Dense[string], *berth.DenseColumn[int, string], []berth.Handle[string]) {
	boxes := berth.NewDense[string](berth.DenseConfig{})
	kilos := berth.NewDenseColumn[int](boxes) // the type of the names is inferred
	hs := []berth.Handle[string]{boxes.Insert("tea"), boxes.Insert("salt")}
	*kilos.Ptr(hs[0]), *kilos.Ptr(hs[1]) = 3, 40
	return boxes, kilos, hs
}

func ExampleNewDenseColumn() {
	boxes, kilos, hs := weights()
	*kilos.Ptr(hs[1])++
	i := boxes.PlaceOf(hs[1]) // one lookup for all columns
	fmt.Println(boxes.Slice()[i], *kilos.PtrAt(i))

	then := boxes.Clone()
	kilosThen := berth.NewDenseColumn[int](then)
	kilosThen.CopyFrom(kilos)
	boxes.Delete(hs[0])
	fmt.Println(kilos.Ptr(hs[0]), kilos.Slice(), kilosThen.Slice())

	fmt.Println(kilos)
	kilos.Close()
	fmt.Println(kilos.Ptr(hs[1]), kilos.Slice(), boxes.Len())
	// Output:
	// salt 41
	// <nil> [41] [3 41]
	// berth.DenseColumn[int, string](1 values)
	// <nil> [] 1
}

func ExampleDenseColumn_Edit() {
	boxes, kilos, hs := weights()
	history := berth.NewDenseHistory(boxes, berth.HistoryConfig{Frames: 2})
	*kilos.Edit(hs[0]) = 9
	*kilos.EditAt(boxes.PlaceOf(hs[1])) = 5
	fmt.Println(kilos.Slice())
	boxes.Remove(hs[1])
	_ = history.Rewind(1)
	fmt.Println(kilos.Slice())
	// Output:
	// [9 5]
	// [3 40]
}

// A DenseColumn is loaded by handle, so the order of the values may be another.
func ExampleDenseColumn_MarshalBinary() {
	boxes, kilos, _ := weights()
	data, _ := kilos.MarshalBinary()
	boxes.Sort(func(a, b *string) int { return strings.Compare(*a, *b) })
	clear(kilos.Slice())
	fmt.Println(kilos.UnmarshalBinary(data), kilos.Slice())
	// Output: <nil> [40 3]
}
