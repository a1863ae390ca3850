package stable_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// strongest accepts any container of package berth.
func strongest(v berth.View[int]) (best berth.Handle[int]) {
	most := 0
	for h, n := range v.All() {
		if *n > most {
			best, most = h, *n
		}
	}
	return best
}

// ByHandle passes a list to a function of a berth.View. The result converts to a key of the list.
func ExampleByHandle() {
	var teams stable.List[int]
	teams.Insert(10)
	teams.Insert(30)
	k := stable.KeyOf(strongest(stable.ByHandle(&teams)))
	fmt.Println(teams.Remove(k))
	fmt.Println(teams.Remove(stable.KeyOf(strongest(stable.ByHandle(&teams)))))
	// Output:
	// 30 true
	// 10 true
}

func ExampleHandleOf() {
	l := stable.New[string](stable.Config{Seed: 1})
	k := l.Insert("a")
	h := stable.HandleOf(k)
	fmt.Println(k, h, stable.HandleOf(stable.ListKey[string]{}))
	fmt.Println(*stable.ByHandle(l).Ptr(h))
	// Output:
	// 0:2654435770 0:2654435770 none
	// a
}

func ExampleKeyOf() {
	var l stable.List[string]
	h := stable.HandleOf(l.Insert("a"))
	v, ok := l.Remove(stable.KeyOf(h))
	fmt.Println(v, ok)
	fmt.Println(l.Contains(stable.KeyOf(h)))
	// Output:
	// a true
	// false
}

func ExampleHandleView_Len() {
	var l stable.List[string]
	v := stable.ByHandle(&l)
	l.Insert("a")
	fmt.Println(v.Len())
	// Output: 1
}

func ExampleHandleView_Ptr() {
	var l stable.List[int]
	k := l.Insert(1)
	v, h := stable.ByHandle(&l), stable.HandleOf(k)
	*v.Ptr(h)++
	fmt.Println(*l.Ptr(k))
	l.Remove(k)
	fmt.Println(v.Ptr(h))
	// Output:
	// 2
	// <nil>
}

func ExampleHandleView_Get() {
	var l stable.List[string]
	k := l.Insert("a")
	fmt.Println(stable.ByHandle(&l).Get(stable.HandleOf(k)))
	// Output: a true
}

func ExampleHandleView_Contains() {
	var l stable.List[string]
	k := l.Insert("a")
	v := stable.ByHandle(&l)
	fmt.Println(v.Contains(stable.HandleOf(k)), v.Contains(berth.Handle[string]{}))
	// Output: true false
}

func ExampleHandleView_All() {
	var l stable.List[string]
	l.Insert("a")
	l.Insert("b")
	for h, s := range stable.ByHandle(&l).All() {
		fmt.Println(stable.KeyOf(h).Index(), *s)
	}
	// Output:
	// 0 a
	// 1 b
}

func ExampleHandleView_Values() {
	var l stable.List[string]
	l.Insert("a")
	l.Insert("b")
	for s := range stable.ByHandle(&l).Values() {
		fmt.Println(*s)
	}
	// Output:
	// a
	// b
}

func ExampleHandleView_Spans() {
	var l stable.List[string]
	l.Insert("a")
	l.Insert("b")
	for h, span := range stable.ByHandle(&l).Spans() {
		fmt.Println(stable.KeyOf(h).Index(), span)
	}
	// Output: 0 [a b]
}
