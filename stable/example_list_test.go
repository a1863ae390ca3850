package stable_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/stable"
)

func ExampleNew() {
	// Memory for 1000 values is made up front and stays when they are removed. The seed makes the
	// keys the same on every machine that makes the same calls.
	l := stable.New[int](stable.Config{Capacity: 1000, Min: 1000, Seed: 42})
	for i := range 1000 {
		l.Insert(i)
	}
	l.RemoveFunc(func(stable.ListKey[int], *int) bool { return true })
	fmt.Println(l.Len(), l.Cap())
	// Output: 0 1000
}

// Slots of two bytes, and identifiers that never run out.
func ExampleNewOf() {
	l := stable.NewOf[string, uint16, stable.Counter64](stable.Config{
		Truncate: stable.TruncateMemory,
	})
	k := l.Insert("a")
	fmt.Printf("%T %T\n", k.Index(), k.ID())
	// Output: uint16 stable.Counter64
}

func ExampleListOf_Insert() {
	var l stable.List[string]
	k := l.Insert("a")
	fmt.Println(*l.Ptr(k))
	// Output: a
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
	l.Remove(l.KeyAt(1234))
	k, err := l.TryInsert(-1)
	fmt.Println(k.Index(), err)
	// Output:
	// 65536 berth: full true
	// 1234 <nil>
}

func ExampleListOf_Remove() {
	var l stable.List[string]
	k := l.Insert("a")
	fmt.Println(l.Remove(k))
	fmt.Println(l.Remove(k)) // stale, so false
	// Output:
	// a true
	//  false
}

// New makes a value in place, without a copy.
func ExampleListOf_New() {
	var l stable.List[fighter]
	k, f := l.New()
	f.name, f.health = "orc", 3
	fmt.Println(l.Ptr(k).name)
	// Output: orc
}

func ExampleListOf_Delete() {
	var l stable.List[fighter]
	k := l.Insert(fighter{name: "orc"})
	fmt.Println(l.Delete(k), l.Delete(k))
	// Output: true false
}

func ExampleInsertSeq() {
	var l stable.List[string]
	n := stable.InsertSeq(&l, slices.Values([]string{"a", "b", "c"}))
	fmt.Println(n, *l.Ptr(l.KeyAt(2)))
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

func ExampleListOf_RemoveFunc() {
	var l stable.List[fighter]
	for i := range 10 {
		l.Insert(fighter{health: i % 3})
	}
	dead := func(_ stable.ListKey[fighter], f *fighter) bool { return f.health == 0 }
	fmt.Println(l.RemoveFunc(dead), l.Len())
	// Output: 4 6
}

func ExampleListOf_Get() {
	var l stable.List[fighter]
	k := l.Insert(fighter{name: "orc", health: 10})
	f, ok := l.Get(k)
	f.health = 0 // changes only the copy
	fmt.Println(ok, l.Ptr(k).health)
	// Output: true 10
}

func ExampleListOf_Ptr() {
	var l stable.List[fighter]
	k := l.Insert(fighter{name: "orc", health: 10})
	l.Ptr(k).health -= 3 // used at once, not kept
	fmt.Println(l.Ptr(k).health)
	l.Remove(k)
	fmt.Println(l.Ptr(k))
	// Output:
	// 7
	// <nil>
}

func ExampleListOf_Contains() {
	var l, other stable.List[string]
	k := l.Insert("a")
	foreign := other.Insert("b") // in slot 0 as well
	fmt.Println(l.Contains(k), l.Contains(foreign))
	l.Remove(k)
	l.Insert("c") // takes the slot of a
	fmt.Println(l.Contains(k))
	// Output:
	// true false
	// false
}

// A client sends back the two halves of a key. KeyAt returns the key of the player in that slot
// now, and its identifier tells whether it is the same player.
func ExampleListOf_KeyAt() {
	var players stable.List[string]
	ann := players.Insert("ann")
	index, id := ann.Index(), ann.ID() // over the wire

	find := func() string {
		if k := players.KeyAt(index); !k.IsZero() && k.ID() == id {
			return *players.Ptr(k)
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

func ExampleListOf_Len() {
	var l stable.List[int]
	k := l.Insert(1)
	l.Insert(2)
	l.Remove(k)
	fmt.Println(l.Len()) // vacant slots do not count
	// Output: 1
}

func ExampleListOf_Cap() {
	l := stable.New[int](stable.Config{Placement: stable.Quartered})
	for i := range 5 {
		l.Insert(i)
	}
	fmt.Println(l.Cap()) // doubled
	l.Remove(l.KeyAt(4))
	fmt.Println(l.Cap()) // halved, since the second half is empty
	// Output:
	// 8
	// 4
}

func ExampleListOf_Touched() {
	l := stable.New[int](stable.Config{Capacity: 1000})
	for i := range 5 {
		l.Insert(i)
	}
	l.Remove(l.KeyAt(0))
	fmt.Println(l.Len(), l.Touched(), l.Cap()) // a loop looks at 5 slots, not at 1000
	// Output: 4 5 1000
}

func ExampleListOf_Grow() {
	var l stable.List[int]
	l.Grow(10_000) // while the level loads, so that no frame has to
	room := l.Cap()
	for i := range 10_000 {
		l.Insert(i)
	}
	fmt.Println(room >= 10_000, l.Cap() == room)
	// Output: true true
}

// Clip cuts a list that never truncates by itself, here between two levels.
func ExampleListOf_Clip() {
	l := stable.New[int](stable.Config{Truncate: stable.TruncateNever})
	for i := range 1000 {
		l.Insert(i)
	}
	l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v >= 10 })
	fmt.Println(l.Len(), l.Touched(), l.Cap() >= 1000)
	l.Clip()
	fmt.Println(l.Len(), l.Touched(), l.Cap())
	// Output:
	// 10 1000 true
	// 10 10 10
}

func ExampleListOf_Clear() {
	var l stable.List[string]
	k := l.Insert("a")
	l.Clear()
	l.Insert("b") // takes the slot of a; identifiers continue
	fmt.Println(l.Len(), l.Contains(k))
	// Output: 1 false
}

func ExampleListOf_Clone() {
	var l stable.List[fighter]
	k := l.Insert(fighter{name: "orc", health: 10})
	saved := l.Clone() // before a risky frame
	l.Ptr(k).health = 0
	l.Remove(k)
	fmt.Println(saved.Ptr(k).health)
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

// A second list keeps the state of a frame, and takes no new memory for the next one.
func ExampleListOf_CopyFrom() {
	var l, saved stable.List[fighter]
	k := l.Insert(fighter{name: "orc", health: 10})
	saved.CopyFrom(&l) // before a risky frame
	l.Ptr(k).health = 0
	l.Remove(k)
	l.CopyFrom(&saved) // back
	fmt.Println(l.Ptr(k).health)
	// Output: 10
}

func ExampleListOf_Stats() {
	var l stable.List[int]
	for i := range 16 {
		l.Insert(i)
	}
	l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v > 4 || *v == 1 })
	s := l.Stats()
	fmt.Println(s.Live, "live and", s.Vacant, "vacant after", s.Truncated, "truncation")
	// Output: 4 live and 12 vacant after 1 truncation
}

func ExampleListOf_All() {
	var l stable.List[fighter]
	l.Insert(fighter{name: "orc", health: 1})
	l.Insert(fighter{name: "elf", health: 9})
	for k, f := range l.All() {
		if f.health--; f.health == 0 {
			l.Remove(k) // allowed; see the rules of loops
		}
	}
	for _, f := range l.All() {
		fmt.Println(f.name, f.health)
	}
	// Output: elf 8
}

func ExampleListOf_Values() {
	var l stable.List[int]
	l.Insert(1)
	l.Insert(2)
	sum := 0
	for v := range l.Values() {
		sum += *v
	}
	fmt.Println(sum)
	// Output: 3
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

// Spans hands out plain slices, for code that does not use lists.
func ExampleListOf_Spans() {
	var l stable.List[string]
	for _, s := range []string{"a", "b", "c", "d"} {
		l.Insert(s)
	}
	l.Remove(l.KeyAt(1))
	for first, span := range l.Spans() {
		for i := range span {
			span[i] += "!"
		}
		fmt.Println("from slot", first.Index(), span)
	}
	// Output:
	// from slot 0 [a!]
	// from slot 2 [c! d!]
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
