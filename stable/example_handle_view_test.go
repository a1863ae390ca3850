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

// A HandleView has the methods of a berth.View. It shows the list as it is now.
func ExampleHandleView() {
	var l stable.List[int]
	v := stable.ByHandle(&l)
	h := stable.HandleOf(l.Insert(1))
	l.Insert(2)
	*v.Ptr(h)++
	fmt.Println(v.Get(h))
	for h, n := range v.All() {
		fmt.Println(stable.KeyOf(h).Index(), *n)
	}
	for n := range v.Values() {
		*n *= 10
	}
	for first, span := range v.Spans() {
		fmt.Println(stable.KeyOf(first).Index(), span)
	}
	l.Remove(stable.KeyOf(h))
	fmt.Println(v.Len(), v.Contains(h))
	// Output:
	// 2 true
	// 0 2
	// 1 2
	// 0 [20 20]
	// 1 false
}
