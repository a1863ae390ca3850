package stable_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// Memory for 1000 values is made up front and stays when they are removed. The seed makes the keys
// the same on every machine that makes the same calls.
func ExampleNew() {
	l := stable.New[int](stable.Config{Capacity: 1000, Min: 1000, Seed: 42})
	for i := range 1000 {
		l.Insert(i)
	}
	l.RemoveFunc(func(stable.ListKey[int], *int) bool { return true })
	fmt.Println(l)
	// Output: stable.List[int](0 of 1000 slots)
}

// A key of a value that was removed finds nothing, also when another has its slot, and so does the
// key of another list.
func ExampleListOf() {
	var l, other stable.List[fighter]
	orc := l.Insert(fighter{name: "orc", health: 10})
	elf, f := l.New() // made in place, without a copy
	f.name, f.health = "elf", 2

	l.Ptr(orc).health -= 3 // used at once, not kept
	f2, _ := l.Get(elf)
	f2.health = 0 // changes only the copy
	fmt.Println(l.Ptr(orc).health, l.Ptr(elf).health, l.Len())

	gone, ok := l.Remove(elf)
	fmt.Println(gone.name, ok)
	fmt.Println(l.Delete(elf)) // stale, so false
	owl := l.Insert(fighter{name: "owl"})
	fmt.Println(owl.Index() == elf.Index(), l.Contains(owl), l.Contains(elf))
	foreign := other.Insert(fighter{}) // in slot 0 as well
	fmt.Println(l.Contains(foreign))
	l.Clear()
	l.Insert(fighter{}) // identifiers continue
	fmt.Println(l.Len(), l.Ptr(orc))
	// Output:
	// 7 2 2
	// elf true
	// false
	// true true false
	// false
	// 1 <nil>
}

// Values may be removed inside a loop, which then goes on behind them. Spans hands out plain
// slices, for code that does not use lists.
func ExampleListOf_All() {
	var l stable.List[int]
	for i := range 6 {
		l.Insert(i)
	}
	for k, v := range l.All() {
		if *v == 2 {
			l.Remove(k) // allowed; see the rules of loops
		}
	}
	for v := range l.Values() {
		*v *= 10
	}
	for first, span := range l.Spans() {
		fmt.Println("from slot", first.Index(), span)
	}
	fmt.Println(l.Span(1))
	n := l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v > 10 })
	fmt.Println(n, "removed,", l.Len(), "left")
	// Output:
	// from slot 0 [0 10]
	// from slot 3 [30 40 50]
	// [10] 2
	// 3 removed, 2 left
}

// Slots of two bytes, and identifiers that never run out.
func ExampleNewOf() {
	l := stable.NewOf[string, uint16, stable.Counter64](stable.Config{
		Truncate: berth.TruncateMemory,
	})
	k := l.Insert("a")
	fmt.Printf("%T %T\n", k.Index(), k.ID())
	// Output: uint16 stable.Counter64
}

// A list with indices of two bytes has 65 536 slots. A full list refuses the insert with ErrFull,
// and the next removal makes room again.
func ExampleListOf_TryInsert() {
	var l stable.ListOf[int, uint16, stable.Counter32]
	for {
		if _, err := l.TryInsert(l.Len()); err != nil {
			fmt.Println(l.Len(), err, errors.Is(err, stable.ErrFull))
			break
		}
	}
	k, _ := l.At(1234)
	l.Remove(k)
	k, err := l.TryInsert(-1)
	fmt.Println(k.Index(), err)
	// Output:
	// 65536 berth: full true
	// 1234 <nil>
}

func ExampleInsertSeq() {
	var l stable.List[string]
	n := stable.InsertSeq(&l, slices.Values([]string{"a", "b", "c"}))
	_, c := l.At(2)
	fmt.Println(n, *c)
	// Output: 3 c
}

// Hooks keep an index by name in step with the list, however values are inserted and removed.
func ExampleListOf_SetHooks() {
	byName := map[string]stable.ListKey[fighter]{}
	var l stable.List[fighter]
	l.SetHooks(stable.ListHooks[fighter]{
		OnInsert: func(k stable.ListKey[fighter], f *fighter) { byName[f.name] = k },
		OnRemove: func(_ stable.ListKey[fighter], f *fighter) { delete(byName, f.name) },
	})
	l.Insert(fighter{name: "orc"})
	l.Insert(fighter{name: "elf", health: 2})
	l.RemoveFunc(func(_ stable.ListKey[fighter], f *fighter) bool { return f.health == 0 })
	fmt.Println(len(byName), l.Ptr(byName["elf"]).health)
	// Output: 1 2
}

// A client sends back the two halves of a key. At returns the key of the player in that slot
// now, and its identifier tells whether it is the same player.
func ExampleListOf_At() {
	var players stable.List[string]
	ann := players.Insert("ann")
	index, id := ann.Index(), ann.ID() // over the wire

	find := func() string {
		if k, p := players.At(index); p != nil && k.ID() == id {
			return *p
		}
		return "nobody"
	}
	fmt.Println(find())
	players.Remove(ann)
	fmt.Println(find())
	players.Insert("bob") // takes the slot of ann
	fmt.Println(find())
	// Output:
	// ann
	// nobody
	// nobody
}

// Room is made while the level loads, so that no frame has to. A list that never truncates by
// itself is cut between two levels.
func ExampleListOf_Clip() {
	l := stable.New[int](stable.Config{Truncate: berth.TruncateNever})
	l.Grow(1000)
	room := l.Cap()
	for i := range 1000 {
		l.Insert(i)
	}
	fmt.Println(l.Cap() == room)
	l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v >= 10 || *v == 1 })
	fmt.Println(l.Len(), l.Touched(), l.Cap() >= 1000) // a loop looks at 1000 slots
	l.Clip()
	s := l.Stats()
	fmt.Println(s.Live, "live and", s.Vacant, "vacant after", s.Truncated, "truncation")
	// Output:
	// true
	// 9 1000 true
	// 9 live and 1 vacant after 1 truncation
}

// A second list keeps the state of a frame, and takes no new memory for the next one.
func ExampleListOf_CopyFrom() {
	var l stable.List[fighter]
	k := l.Insert(fighter{name: "orc", health: 10})
	saved := l.Clone() // before a risky frame
	l.Ptr(k).health = 0
	l.Remove(k)
	l.CopyFrom(saved) // back
	fmt.Println(l.Ptr(k).health)
	// Output: 10
}

// A server sends each change to a mirror, which holds the same values under the same keys.
func ExampleListOf_InsertAt() {
	c := stable.Config{Seed: 7}
	server, mirror := stable.New[string](c), stable.New[string](c)
	a, b := server.Insert("orc"), server.Insert("elf")
	fmt.Println(mirror.InsertAt(b, "elf"))
	fmt.Println(mirror.InsertAt(a, "orc"))
	fmt.Println(mirror.InsertAt(a, "orc") == nil, mirror.Len())
	name, ok := mirror.Get(a)
	fmt.Println(name, ok)
	// Output:
	// <nil>
	// <nil>
	// false 2
	// orc true
}

// Backward visits the last slot first, so that resources are closed in the reverse of their order.
func ExampleBackward() {
	var windows stable.List[string]
	windows.Insert("desktop")
	windows.Insert("editor")
	windows.Insert("dialogue")
	for k, w := range stable.Backward(&windows) {
		if *w != "desktop" {
			fmt.Println("close", *w)
			windows.Remove(k)
		}
	}
	// Output:
	// close dialogue
	// close editor
}

func ExampleTraverse() {
	var l stable.List[fighter]
	for _, x := range []int{1, 2, 7} {
		l.Insert(fighter{x: x, health: 10})
	}
	for a, others := range stable.Traverse(&l) {
		for b := range others.Values() {
			if b.x-a.Value.x == 1 {
				a.Value.health++ // both may be changed
				b.health--
			}
		}
	}
	for f := range l.Values() {
		fmt.Println(f.x, f.health)
	}
	// Output:
	// 1 11
	// 2 9
	// 7 10
}

func ExampleApply() {
	var l stable.List[int]
	strongest := l.Insert(5)
	l.Insert(2)
	l.Insert(3)
	ok := stable.Apply(&l, strongest, func(v *int, others stable.ListOthers[int]) {
		for o := range others.Values() {
			*v += *o
		}
	})
	fmt.Println(ok, *l.Ptr(strongest))
	// Output: true 10
}

func ExamplePairs() {
	var l stable.List[string]
	for _, s := range []string{"a", "b", "c"} {
		l.Insert(s)
	}
	for x, y := range stable.Pairs(&l) {
		fmt.Println(*x, *y)
	}
	// Output:
	// a b
	// a c
	// b c
}
