package stable_test

import (
	"fmt"

	"github.com/seed505807e1/berth/stable"
)

// nearest returns the key of the fighter of v nearest to x, or the zero key.
func nearest(x int, v stable.ListView[fighter]) (best stable.ListKey[fighter]) {
	least := 1 << 30
	for k, f := range v.All() {
		if d := max(f.x-x, x-f.x); d < least {
			least, best = d, k
		}
	}
	return best
}

// A function of a View accepts a list, to find the fighter nearest to a point, and the others of
// one value, which must not find itself.
func ExampleView() {
	var arena stable.List[fighter]
	arena.Insert(fighter{name: "orc", x: 4})
	arena.Insert(fighter{name: "elf", x: 7})
	arena.Insert(fighter{name: "owl", x: 90})

	fmt.Println("at 80:", arena.Ptr(nearest(80, &arena)).name)
	for a, others := range stable.Traverse(&arena) {
		fmt.Println(a.Value.name+":", arena.Ptr(nearest(a.Value.x, others)).name)
	}
	// Output:
	// at 80: owl
	// orc: elf
	// elf: orc
	// owl: elf
}

// Others are all values but one, the pivot. If it is removed, all are others.
func ExampleOthers() {
	var l stable.List[string]
	a, b, c := l.Insert("a"), l.Insert("b"), l.Insert("c")
	var o stable.ListOthers[string]
	stable.Apply(&l, b, func(_ *string, others stable.ListOthers[string]) { o = others })

	*o.Ptr(c) += "!"
	fmt.Println(o.Get(c))
	fmt.Println(o.Contains(a), o.Contains(b), o.Len())
	for k, v := range o.All() {
		fmt.Println(k.Index(), *v)
	}
	for _, span := range o.Spans() { // the values before the pivot, and those behind it
		fmt.Println(span)
	}
	l.Remove(b)
	for v := range o.Values() {
		fmt.Println(*v)
	}
	// Output:
	// c! true
	// true false 2
	// 0 a
	// 2 c!
	// [a]
	// [c!]
	// a
	// c!
}
