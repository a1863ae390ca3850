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

// An Entry includes the key, for example to record who did it.
func ExampleEntry() {
	var arena stable.List[fighter]
	arena.Insert(fighter{name: "orc", x: 4})
	arena.Insert(fighter{name: "elf", x: 7})
	for a, others := range stable.Traverse(&arena) {
		for b := range others.Values() {
			b.target = a.Key
		}
	}
	for f := range arena.Values() {
		fmt.Println(f.name, "turns to", arena.Ptr(f.target).name)
	}
	// Output:
	// orc turns to elf
	// elf turns to orc
}

// othersOf returns a list of "a", "b" and "c", the view of the others from "b", and all the keys.
func othersOf() (*stable.List[string], stable.ListOthers[string], []stable.ListKey[string]) {
	l := new(stable.List[string])
	keys := []stable.ListKey[string]{l.Insert("a"), l.Insert("b"), l.Insert("c")}
	var view stable.ListOthers[string]
	stable.Apply(l, keys[1], func(_ *string, o stable.ListOthers[string]) { view = o })
	return l, view, keys
}

func ExampleOthers_Len() {
	l, o, keys := othersOf()
	fmt.Println(o.Len())
	l.Remove(keys[1])
	fmt.Println(o.Len()) // the pivot is removed: all are others
	// Output:
	// 2
	// 2
}

func ExampleOthers_Contains() {
	_, o, keys := othersOf()
	fmt.Println(o.Contains(keys[0]), o.Contains(keys[1]))
	// Output: true false
}

func ExampleOthers_Get() {
	_, o, keys := othersOf()
	fmt.Println(o.Get(keys[2]))
	fmt.Println(o.Get(keys[1]))
	// Output:
	// c true
	//  false
}

func ExampleOthers_Ptr() {
	l, o, keys := othersOf()
	*o.Ptr(keys[2]) += "!"
	fmt.Println(*l.Ptr(keys[2]), o.Ptr(keys[1]) == nil)
	// Output: c! true
}

func ExampleOthers_All() {
	_, o, keys := othersOf()
	for k, v := range o.All() {
		fmt.Println(k == keys[1], *v)
	}
	// Output:
	// false a
	// false c
}

func ExampleOthers_Values() {
	_, o, _ := othersOf()
	for v := range o.Values() {
		fmt.Println(*v)
	}
	// Output:
	// a
	// c
}

func ExampleOthers_Spans() {
	_, o, _ := othersOf()
	for _, span := range o.Spans() { // the values before the pivot, and those behind it
		fmt.Println(span)
	}
	// Output:
	// [a]
	// [c]
}
