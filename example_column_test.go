package berth_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed505807e1/berth"
)

type (
	sprite struct{ x, y int }
	push   struct{ dx, dy int }
)

func ExampleColumn() {
	var sprites berth.Pool[sprite]
	pushes := berth.NewColumn[push](&sprites) // only the sprites that move have one

	wall := sprites.Insert(sprite{0, 0})
	ball := sprites.Insert(sprite{5, 5})
	pushes.Set(ball, push{1, -1})

	for b, p := range pushes.Join() {
		b.x, b.y = b.x+p.dx, b.y+p.dy
	}
	fmt.Println(*sprites.Ptr(wall), *sprites.Ptr(ball))

	sprites.Remove(ball) // and its push
	fmt.Println(pushes.Contains(ball), pushes.Len())
	// Output:
	// {0 0} {6 4}
	// false 0
}

// columnOf returns a Pool of three names, and a Column with the ages of two.
func columnOf() (*berth.Pool[string], *berth.Column[string, int], []berth.Handle[string]) {
	people := berth.NewPool[string](berth.Config{Seed: 1})
	ages := berth.NewColumn[int](people)
	hs := []berth.Handle[string]{people.Insert("Ada"), people.Insert("Bo"), people.Insert("Cy")}
	ages.Set(hs[0], 36)
	ages.Set(hs[2], 7)
	return people, ages, hs
}

func ExampleNewColumn() {
	people := berth.NewPool[string](berth.Config{})
	ages := berth.NewColumn[int](people) // the type of the values is inferred
	ages.Set(people.Insert("Ada"), 36)
	fmt.Println(ages.Len())
	// Output: 1
}

func ExampleColumn_Set() {
	people, ages, hs := columnOf()
	fmt.Println(ages.Set(hs[1], 50))
	people.Remove(hs[1])
	fmt.Println(ages.Set(hs[1], 51))
	// Output:
	// true
	// false
}

func ExampleColumn_Ptr() {
	_, ages, hs := columnOf()
	*ages.Ptr(hs[0])++
	fmt.Println(*ages.Ptr(hs[0]), ages.Ptr(hs[1]))
	// Output: 37 <nil>
}

func ExampleColumn_Get() {
	_, ages, hs := columnOf()
	age, ok := ages.Get(hs[2])
	fmt.Println(age, ok)
	// Output: 7 true
}

func ExampleColumn_Contains() {
	_, ages, hs := columnOf()
	fmt.Println(ages.Contains(hs[0]), ages.Contains(hs[1]))
	// Output: true false
}

func ExampleColumn_Unset() {
	people, ages, hs := columnOf()
	age, ok := ages.Unset(hs[0])
	fmt.Println(age, ok, ages.Contains(hs[0]), people.Contains(hs[0]))
	// Output: 36 true false true
}

func ExampleColumn_Clear() {
	people, ages, _ := columnOf()
	ages.Clear()
	fmt.Println(ages.Len(), people.Len())
	// Output: 0 3
}

func ExampleColumn_Len() {
	people, ages, _ := columnOf()
	fmt.Println(ages.Len(), "of", people.Len())
	// Output: 2 of 3
}

func ExampleColumn_String() {
	_, ages, _ := columnOf()
	fmt.Println(ages)
	// Output: berth.Column[string, int](2 of 3 values)
}

func ExampleColumn_Stats() {
	_, ages, _ := columnOf()
	s := ages.Stats()
	fmt.Println(s.Live, s.Vacant, s.Chunks)
	// Output: 2 62 1
}

func ExampleColumn_All() {
	people, ages, _ := columnOf()
	for h, age := range ages.All() {
		fmt.Println(*people.Ptr(h), *age)
	}
	// Output:
	// Ada 36
	// Cy 7
}

func ExampleColumn_Values() {
	_, ages, _ := columnOf()
	sum := 0
	for age := range ages.Values() {
		sum += *age
	}
	fmt.Println(sum)
	// Output: 43
}

func ExampleColumn_Join() {
	_, ages, _ := columnOf()
	for name, age := range ages.Join() {
		fmt.Println(*name, *age)
	}
	// Output:
	// Ada 36
	// Cy 7
}

func ExampleColumn_JoinSpans() {
	people, ages, hs := columnOf()
	ages.Set(hs[1], 50)
	ages.Set(people.Insert("Di"), 20)
	for names, some := range ages.JoinSpans() {
		fmt.Println(names, some)
	}
	// Output: [Ada Bo Cy Di] [36 50 7 20]
}

func ExampleColumn_CloneTo() {
	people, ages, hs := columnOf()
	then := people.Clone()
	agesThen := ages.CloneTo(then)
	*ages.Ptr(hs[0]) = 99
	fmt.Println(*agesThen.Ptr(hs[0]))
	// Output: 36
}

func ExampleColumn_CopyFrom() {
	people, ages, hs := columnOf()
	then := people.Clone()
	agesThen := ages.CloneTo(then)

	people.Remove(hs[0])
	berth.CopyFrom(people, then) // go back
	ages.CopyFrom(agesThen)
	fmt.Println(*ages.Ptr(hs[0]))
	// Output: 36
}

func ExampleColumn_Close() {
	people, ages, hs := columnOf()
	ages.Close()
	fmt.Println(ages.Set(hs[0], 1), ages.Len(), people.Len())
	// Output: false 0 3
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

func ExampleWithout() {
	people, ages, hs := columnOf()
	away := berth.NewColumn[struct{}](people) // a tag
	away.Set(hs[0], struct{}{})
	for h, age := range berth.Without(ages, away) {
		fmt.Println(*people.Ptr(h), *age)
	}
	// Output: Cy 7
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
func weights() (*berth.Dense[string], *berth.DenseColumn[string, int], []berth.Handle[string]) {
	boxes := berth.NewDense[string](berth.DenseConfig{})
	kilos := berth.NewDenseColumn[int](boxes)
	hs := []berth.Handle[string]{boxes.Insert("tea"), boxes.Insert("salt")}
	*kilos.Ptr(hs[0]), *kilos.Ptr(hs[1]) = 3, 40
	return boxes, kilos, hs
}

func ExampleNewDenseColumn() {
	boxes := berth.NewDense[string](berth.DenseConfig{})
	boxes.Insert("tea")
	kilos := berth.NewDenseColumn[int](boxes) // the type of the values is inferred
	fmt.Println(kilos.Slice())
	// Output: [0]
}

func ExampleDenseColumn_Slice() {
	boxes, kilos, _ := weights()
	for i, name := range boxes.Slice() {
		fmt.Println(name, kilos.Slice()[i])
	}
	// Output:
	// tea 3
	// salt 40
}

func ExampleDenseColumn_Ptr() {
	boxes, kilos, hs := weights()
	*kilos.Ptr(hs[1])++
	boxes.Remove(hs[0])
	fmt.Println(*kilos.Ptr(hs[1]), kilos.Ptr(hs[0]))
	// Output: 41 <nil>
}

func ExampleDenseColumn_PtrAt() {
	boxes, kilos, hs := weights()
	i := boxes.PlaceOf(hs[1]) // one lookup for all columns
	fmt.Println(boxes.Slice()[i], *kilos.PtrAt(i))
	// Output: salt 40
}

func ExampleDenseColumn_EditAt() {
	boxes, kilos, hs := weights()
	history := berth.NewDenseHistory(boxes, berth.HistoryConfig{Frames: 2})
	*kilos.EditAt(boxes.PlaceOf(hs[0])) = 5
	fmt.Println(kilos.Slice())
	_ = history.Rewind(history.Oldest())
	fmt.Println(kilos.Slice())
	// Output:
	// [5 40]
	// [3 40]
}

func ExampleDenseColumn_CopyFrom() {
	boxes, kilos, hs := weights()
	then := boxes.Clone()
	kilosThen := berth.NewDenseColumn[int](then)
	kilosThen.CopyFrom(kilos)
	*kilos.Ptr(hs[0]) = 0
	fmt.Println(*kilosThen.Ptr(hs[0]))
	// Output: 3
}

func ExampleDenseColumn_String() {
	_, kilos, _ := weights()
	fmt.Println(kilos)
	// Output: berth.DenseColumn[string, int](2 values)
}

func ExampleDenseColumn_Close() {
	boxes, kilos, hs := weights()
	kilos.Close()
	fmt.Println(kilos.Ptr(hs[0]), kilos.Slice(), boxes.Len())
	// Output: <nil> [] 2
}

func ExampleColumn_Edit() {
	people, ages, hs := columnOf()
	history := berth.NewHistory(people, berth.HistoryConfig{Frames: 2})
	*ages.Edit(hs[0]) = 37
	people.Remove(hs[2])
	_ = history.Rewind(1)
	fmt.Println(*ages.Ptr(hs[0]), *ages.Ptr(hs[2]))
	// Output: 36 7
}

func ExampleDenseColumn_Edit() {
	boxes, kilos, hs := weights()
	history := berth.NewDenseHistory(boxes, berth.HistoryConfig{Frames: 2})
	*kilos.Edit(hs[0]) = 9
	boxes.Remove(hs[1])
	_ = history.Rewind(1)
	fmt.Println(kilos.Slice())
	// Output: [3 40]
}

// saved is a Pool without pointers, with a Column.
func saved() (*berth.Pool[int], *berth.Column[int, int], berth.Handle[int]) {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	c := berth.NewColumn[int](p)
	h := p.Insert(1)
	c.Set(h, 10)
	return p, c, h
}

func ExampleColumn_MarshalBinary() {
	p, c, h := saved()
	values, _ := p.MarshalBinary()
	column, _ := c.MarshalBinary()

	var q berth.Pool[int]
	d := berth.NewColumn[int](&q)
	fmt.Println(q.UnmarshalBinary(values), d.UnmarshalBinary(column)) // in this order
	fmt.Println(*d.Ptr(h))
	// Output:
	// <nil> <nil>
	// 10
}

func ExampleColumn_UnmarshalBinary() {
	p, c, h := saved()
	column, _ := c.MarshalBinary()
	p.Remove(h)
	err := c.UnmarshalBinary(column)
	fmt.Println(errors.Is(err, berth.ErrCorrupt))
	// Output: true
}

func ExampleColumn_AppendBinary() {
	_, c, h := saved()
	b, _ := c.AppendBinary(nil)
	c.Clear()
	fmt.Println(c.UnmarshalBinary(b), *c.Ptr(h))
	// Output: <nil> 10
}

func ExampleDenseColumn_MarshalBinary() {
	boxes, kilos, hs := weights()
	b, _ := kilos.MarshalBinary()
	boxes.Sort(func(a, b *string) int { return strings.Compare(*a, *b) })
	*kilos.Ptr(hs[0]) = 0
	fmt.Println(kilos.UnmarshalBinary(b), *kilos.Ptr(hs[0])) // by handle
	// Output: <nil> 3
}

func ExampleDenseColumn_UnmarshalBinary() {
	boxes, kilos, hs := weights()
	b, _ := kilos.MarshalBinary()
	boxes.Remove(hs[0])
	fmt.Println(errors.Is(kilos.UnmarshalBinary(b), berth.ErrCorrupt))
	// Output: true
}

func ExampleDenseColumn_AppendBinary() {
	_, kilos, _ := weights()
	b, err := kilos.AppendBinary([]byte("head"))
	fmt.Println(string(b[:4]), len(b) > 4, err)
	// Output: head true <nil>
}
