package berth_test

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth"
)

type enemy struct {
	name   string
	health int
}

// A missile keeps the handle of its target. The handle finds nothing once the target is removed,
// even if another enemy has its slot.
func ExampleHandleFromUint64() {
	var p berth.Pool[string]
	h := p.Insert("over the wire")
	wire := h.Uint64()
	fmt.Println(p.Get(berth.HandleFromUint64[string](wire)))
	fmt.Println(p.Get(berth.HandleFromUint64[string](wire + 1<<40))) // a handle that was never issued
	// Output:
	// over the wire true
	//  false
}

func ExampleHandle_Uint64() {
	var p berth.Pool[string]
	h := p.Insert("x")
	owner := map[uint64]string{h.Uint64(): "alice"} // a uint64 hashes faster than a struct
	fmt.Println(owner[h.Uint64()])
	// Output: alice
}

func ExampleHandle_IsZero() {
	var target berth.Handle[enemy]
	fmt.Println(target.IsZero(), berth.NewPool[enemy](berth.Config{}).Contains(target))
	// Output: true false
}

func ExampleHandle_String() {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	fmt.Println(p.Insert(5), p.Insert(6), berth.Handle[int]{})
	// Output: 2654435769:1779033703 2654435770:1779033703 none
}

func ExampleTruncate_String() {
	fmt.Println(berth.TruncateMemory, berth.TruncateLength, berth.TruncateNever)
	// Output: Memory Length Never
}

func ExampleNewPool() {
	// Room for 1000 enemies is allocated in advance, and there are never more. Every machine that
	// makes the same calls gets the same handles.
	p := berth.NewPool[enemy](berth.Config{Capacity: 1000, Limit: 1000, Seed: 42})
	fmt.Println(p.Len(), p.Cap() >= 1000)
	// Output: 0 true
}

func ExamplePool_Insert() {
	var p berth.Pool[enemy]
	h := p.Insert(enemy{"drone", 10})
	fmt.Println(p.Ptr(h).name)
	// Output: drone
}

func ExampleTryInsert() {
	p := berth.NewPool[int](berth.Config{Limit: 1})
	p.Insert(1)
	_, err := berth.TryInsert(p, 2)
	fmt.Println(err, errors.Is(err, berth.ErrFull))
	// Output: berth: full true
}

func ExamplePool_InsertFunc() {
	type node struct {
		self berth.Handle[node]
		tag  string
	}
	var p berth.Pool[node]
	h := p.InsertFunc(func(self berth.Handle[node], n *node) {
		n.self, n.tag = self, "knows itself"
	})
	fmt.Println(p.Ptr(h).self == h, p.Ptr(h).tag)
	// Output: true knows itself
}

func ExamplePool_Remove() {
	var p berth.Pool[string]
	h := p.Insert("a")
	fmt.Println(p.Remove(h))
	fmt.Println(p.Remove(h)) // stale: not an error
	// Output:
	// a true
	//  false
}

func ExampleRemoveFunc() {
	var p berth.Pool[int]
	for i := range 10 {
		p.Insert(i)
	}
	fmt.Println(berth.RemoveFunc(&p, func(_ berth.Handle[int], v *int) bool { return *v%3 == 0 }), p.Len())
	// Output: 4 6
}

func ExamplePool_Get() {
	var p berth.Pool[enemy]
	h := p.Insert(enemy{"drone", 10})
	e, ok := p.Get(h)
	e.health = 0 // changes only the copy
	fmt.Println(ok, p.Ptr(h).health)
	// Output: true 10
}

func ExamplePool_Ptr() {
	var p berth.Pool[enemy]
	h := p.Insert(enemy{"drone", 10})
	p.Ptr(h).health -= 3
	fmt.Println(*p.Ptr(h))
	p.Remove(h)
	fmt.Println(p.Ptr(h))
	// Output:
	// {drone 7}
	// <nil>
}

func ExamplePool_Contains() {
	var p berth.Pool[int]
	h := p.Insert(1)
	before := p.Contains(h)
	p.Clear()
	fmt.Println(before, p.Contains(h))
	// Output: true false
}

func ExamplePool_HandleAt() {
	var p berth.Pool[int]
	for i := range 100 {
		p.Insert(i)
	}
	var dead []berth.Handle[int]
	for first, span := range p.Spans() {
		for i := range span {
			if span[i]%10 == 0 {
				dead = append(dead, p.HandleAt(first, i))
			}
		}
	}
	for _, h := range dead {
		p.Remove(h)
	}
	fmt.Println(p.Len())
	// Output: 90
}

func ExamplePool_Len() {
	var p berth.Pool[int]
	p.Insert(1)
	fmt.Println(p.Len())
	// Output: 1
}

func ExamplePool_Cap() {
	var p berth.Pool[int]
	before := p.Cap()
	p.Insert(1)
	fmt.Println(before, p.Cap() > 1) // a whole chunk of slots
	// Output: 0 true
}

func ExamplePool_Grow() {
	var p berth.Pool[int]
	p.Grow(10_000) // while the level loads, not during a frame
	fmt.Println(p.Cap() >= 10_000)
	// Output: true
}

func ExamplePool_Clip() {
	p := berth.NewPool[int](berth.Config{Capacity: 10_000})
	p.Insert(1)
	p.Clip()
	fmt.Println(p.Len(), p.Cap() < 10_000)
	// Output: 1 true
}

func ExamplePool_Clear() {
	var p berth.Pool[int]
	h := p.Insert(1)
	room := p.Cap()
	p.Clear()
	fmt.Println(p.Len(), p.Contains(h), p.Cap() == room)
	// Output: 0 false true
}

func ExamplePool_Clone() {
	var p berth.Pool[enemy]
	h := p.Insert(enemy{"drone", 10})
	saved := p.Clone() // before a risky frame
	p.Ptr(h).health = 0
	p.Remove(h)
	fmt.Println(saved.Get(h))
	// Output: {drone 10} true
}

func ExamplePool_All() {
	var p berth.Pool[enemy]
	p.Insert(enemy{"drone", 1})
	p.Insert(enemy{"boss", 9})
	for h, e := range p.All() {
		if e.health--; e.health == 0 {
			p.Remove(h) // allowed; see the rules of loops
		}
	}
	fmt.Println(p.Len())
	// Output: 1
}

func ExamplePool_Values() {
	var p berth.Pool[int]
	p.Insert(1)
	p.Insert(2)
	sum := 0
	for v := range p.Values() {
		sum += *v
	}
	fmt.Println(sum)
	// Output: 3
}

func ExampleHandles() {
	var p berth.Pool[int]
	h := p.Insert(1)
	handles := slices.Collect(berth.Handles(&p))
	fmt.Println(handles[0] == h)
	// Output: true
}

func ExampleBackward() {
	var p berth.Pool[string]
	p.Insert("a")
	p.Insert("b")
	for _, v := range berth.Backward(&p) {
		fmt.Println(*v)
	}
	// Output:
	// b
	// a
}

func ExamplePool_Spans() {
	var p berth.Pool[int]
	for i := range 1000 {
		p.Insert(i)
	}
	sum := 0
	for _, span := range p.Spans() {
		for i := range span { // as fast as a plain slice
			sum += span[i]
		}
	}
	fmt.Println(sum)
	// Output: 499500
}

func ExampleDrain() {
	var p berth.Pool[int]
	for i := range 5 {
		p.Insert(i)
	}
	for _, v := range berth.Drain(&p) {
		if v == 2 {
			break // 0, 1 and 2 are removed
		}
	}
	fmt.Println(p.Len())
	// Output: 2
}

type body struct {
	x    int
	hits int
}

func ExampleTraverse() {
	var bodies berth.Pool[body]
	for _, x := range []int{1, 2, 7} {
		bodies.Insert(body{x: x})
	}
	for a, others := range berth.Traverse(&bodies) {
		for b := range others.Values() {
			if b.x-a.Value.x == 1 {
				a.Value.hits++
				b.hits++
			}
		}
	}
	for b := range bodies.Values() {
		fmt.Println(*b)
	}
	// Output:
	// {1 1}
	// {2 1}
	// {7 0}
}

func ExampleApply() {
	var p berth.Pool[int]
	strongest := p.Insert(5)
	p.Insert(2)
	p.Insert(3)
	berth.Apply(&p, strongest, func(v *int, others berth.Others[int]) {
		for o := range others.Values() {
			*v += *o
		}
	})
	fmt.Println(p.Get(strongest))
	// Output: 10 true
}

func ExamplePairs() {
	var p berth.Pool[string]
	for _, s := range []string{"a", "b", "c"} {
		p.Insert(s)
	}
	for x, y := range berth.Pairs(&p) {
		fmt.Println(*x, *y)
	}
	// Output:
	// a b
	// a c
	// b c
}

func ExamplePool_Stats() {
	var p berth.Pool[int]
	p.Insert(1)
	s := p.Stats()
	fmt.Println(s.Live, s.Live+s.Vacant == p.Cap(), s.Retired, s.Chunks)
	// Output: 1 true 0 1
}

func ExamplePool_Slots() {
	var p berth.Pool[int]
	for i := range 3 * 64 {
		p.Insert(i)
	}
	berth.RemoveFunc(&p, func(_ berth.Handle[int], v *int) bool { return *v >= 32 && *v < 160 })
	for s := range p.Slots() {
		fmt.Printf("%2d live, %2d vacant\n", bits.OnesCount64(s.Live), bits.OnesCount64(s.Vacant))
	}
	// Output:
	// 32 live, 32 vacant
	//  0 live, 64 vacant
	// 32 live, 32 vacant
}

// others returns a view of "b" and "c" from the pivot "a", and the handles of all three.
func others() (berth.Others[string], []berth.Handle[string]) {
	var p berth.Pool[string]
	hs := []berth.Handle[string]{p.Insert("a"), p.Insert("b"), p.Insert("c")}
	var view berth.Others[string]
	berth.Apply(&p, hs[0], func(_ *string, o berth.Others[string]) { view = o })
	return view, hs
}

func ExampleOthers_Len() {
	o, _ := others()
	fmt.Println(o.Len())
	// Output: 2
}

func ExampleOthers_Contains() {
	o, hs := others()
	fmt.Println(o.Contains(hs[0]), o.Contains(hs[1]))
	// Output: false true
}

func ExampleOthers_Get() {
	o, hs := others()
	fmt.Println(o.Get(hs[1]))
	// Output: b true
}

func ExampleOthers_Ptr() {
	o, hs := others()
	*o.Ptr(hs[2]) += "!"
	fmt.Println(*o.Ptr(hs[2]), o.Ptr(hs[0]) == nil)
	// Output: c! true
}

func ExampleOthers_All() {
	o, hs := others()
	for h, v := range o.All() {
		fmt.Println(h == hs[0], *v)
	}
	// Output:
	// false b
	// false c
}

func ExampleOthers_Values() {
	o, _ := others()
	for v := range o.Values() {
		fmt.Println(*v)
	}
	// Output:
	// b
	// c
}

func ExampleOthers_Spans() {
	o, _ := others()
	for _, span := range o.Spans() {
		fmt.Println(span)
	}
	// Output: [b c]
}
