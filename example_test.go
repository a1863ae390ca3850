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

// A handle finds its value until the value is removed, and nothing after that.
func ExamplePool() {
	var enemies berth.Pool[enemy] // the zero value is ready to use
	drone := enemies.Insert(enemy{"drone", 10})
	boss, e := enemies.New() // a large value is filled in place, without a copy
	e.name, e.health = "boss", 1000
	var log []berth.Handle[enemy]
	tank := enemies.InsertFunc(func(self berth.Handle[enemy], t *enemy) { // or knows its handle
		log = append(log, self)
		t.name, t.health = "tank", 200
	})
	fmt.Println(enemies.Len(), enemies.Contains(drone), log[0] == tank)

	enemies.Ptr(drone).health -= 3
	fmt.Println(enemies.Remove(drone))
	fmt.Println(enemies.Remove(drone)) // stale: not an error
	fmt.Println(enemies.Ptr(drone))
	fmt.Println(enemies.Get(boss))
	fmt.Println(enemies.Delete(boss), enemies.Delete(boss)) // without a copy of the value
	// Output:
	// 3 true true
	// {drone 7} true
	// { 0} false
	// <nil>
	// {boss 1000} true
	// true false
}

func ExamplePool_Get() {
	var p berth.Pool[enemy]
	h := p.Insert(enemy{"drone", 10})
	e, ok := p.Get(h)
	e.health = 0 // changes only the copy
	fmt.Println(ok, p.Ptr(h).health)
	// Output: true 10
}

// The body of a loop may remove values.
func ExamplePool_All() {
	var enemies berth.Pool[enemy]
	for i, name := range []string{"drone", "tank", "boss"} {
		enemies.Insert(enemy{name, 10 * i})
	}
	for h, e := range enemies.All() {
		if e.health -= 10; e.health < 0 {
			enemies.Delete(h)
		}
	}
	for e := range enemies.Values() {
		fmt.Println(*e)
	}
	for first, span := range enemies.Spans() {
		fmt.Println(enemies.IndexOf(first), len(span))
	}
	// Output:
	// {tank 0}
	// {boss 10}
	// 1 2
}

// A loop over spans without an iterator is as fast as over a plain slice. At returns the handles
// that it needs: the slots of a span end before the position that comes with it.
func ExamplePool_Span() {
	var enemies berth.Pool[enemy]
	for i, name := range []string{"drone", "tank", "boss"} {
		enemies.Insert(enemy{name, 10 * i})
	}
	var weak []berth.Handle[enemy]
	for span, at := enemies.Span(0); span != nil; span, at = enemies.Span(at) {
		for i := range span {
			if span[i].health < 20 {
				h, _ := enemies.At(at - len(span) + i)
				weak = append(weak, h)
			}
		}
	}
	for _, h := range weak {
		enemies.Delete(h)
	}
	fmt.Println(len(weak), enemies.Len())
	// Output: 2 1
}

// The memory for a level is allocated while the level loads, and released after it.
func ExamplePool_Grow() {
	var p berth.Pool[int]
	p.Grow(10_000)
	room := p.Cap()
	for i := range 3 * 64 {
		p.Insert(i)
	}
	p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { return *v >= 32 && *v < 160 })
	s := p.Stats()
	fmt.Println(room >= 10_000, s.Live, s.Live+s.Vacant == room, s.Retired)
	for w := range p.Slots() { // 64 at a time
		if w.Live != 0 {
			fmt.Println(bits.OnesCount64(w.Live), "live,", bits.OnesCount64(w.Vacant), "vacant")
		}
	}

	p.Clear() // keeps the room, and ends all handles
	fmt.Println(p.Len(), p.Cap() == room)
	p.Clip()
	fmt.Println(p.Cap(), p.Stats().Chunks)
	// Output:
	// true 64 true 0
	// 32 live, 32 vacant
	// 32 live, 32 vacant
	// 0 true
	// 0 0
}

// A slice parallel to the Pool holds data of your own, indexed by slot number.
func ExamplePool_IndexOf() {
	var enemies berth.Pool[string]
	var poisoned []bool
	insert := func(name string) berth.Handle[string] {
		h := enemies.Insert(name)
		if i := enemies.IndexOf(h); i == len(poisoned) {
			poisoned = append(poisoned, false)
		} else {
			poisoned[i] = false // the slot had another value
		}
		return h
	}
	orc, elf := insert("orc"), insert("elf")
	poisoned[enemies.IndexOf(orc)] = true
	for h, name := range enemies.All() {
		fmt.Println(*name, poisoned[enemies.IndexOf(h)])
	}
	enemies.Delete(elf)
	fmt.Println(enemies.IndexOf(elf))
	// Output:
	// orc true
	// elf false
	// -1
}

func ExampleNewPool() {
	// Room for 1000 enemies is allocated in advance, and there are never more. Every machine that
	// makes the same calls gets the same handles.
	p := berth.NewPool[enemy](berth.Config{Capacity: 1000, Limit: 1000, Seed: 1})
	fmt.Println(p.Insert(enemy{"drone", 10}))
	fmt.Printf("%+v\n", p) // no fields
	// Output:
	// 2654435769:1779033703
	// berth.Pool[berth_test.enemy](1 of 1000 slots)
}

// With TruncateNever, a burst of values leaves its memory for the next one.
func ExampleTruncate() {
	for _, t := range []berth.Truncate{berth.TruncateMemory, berth.TruncateNever} {
		p := berth.NewPool[int](berth.Config{Truncate: t})
		for i := range 100_000 {
			p.Insert(i)
		}
		room := p.Cap()
		p.RemoveFunc(func(berth.Handle[int], *int) bool { return true })
		fmt.Println(t, p.Cap() == room)
	}
	// Output:
	// Memory false
	// Never true
}

func ExamplePool_TryInsert() {
	p := berth.NewPool[int](berth.Config{Limit: 1})
	p.Insert(1)
	_, err := p.TryInsert(2)
	fmt.Println(err, errors.Is(err, berth.ErrFull))
	fmt.Println(p.Insert(2)) // the zero Handle
	// Output:
	// berth: full true
	// none
}

// A connection that cannot be made leaves nothing behind.
func ExampleInsertErr() {
	var peers berth.Pool[string]
	dial := func(address string) (berth.Handle[string], error) {
		return berth.InsertErr(&peers, func(h berth.Handle[string], peer *string) error {
			if address == "" {
				return errors.New("no address")
			}
			*peer = address
			return nil
		})
	}
	_, err := dial("")
	h, _ := dial("10.0.0.1")
	fmt.Println(err, peers.Len(), *peers.Ptr(h))
	// Output: no address 1 10.0.0.1
}

// Two tasks that start together know each other's handle before either is stored.
func ExampleReserve() {
	type task struct{ peer berth.Handle[task] }
	var tasks berth.Pool[task]
	a, b := berth.Reserve(&tasks), berth.Reserve(&tasks)
	fmt.Println(tasks.Contains(a), tasks.Len())
	berth.Fill(&tasks, a, task{peer: b})
	berth.Fill(&tasks, b, task{peer: a})
	fmt.Println(tasks.Ptr(tasks.Ptr(a).peer).peer == a)
	// Output:
	// false 0
	// true
}

func ExampleFill() {
	var p berth.Pool[string]
	h := berth.Reserve(&p)
	fmt.Println(berth.Fill(&p, h, "a"), berth.Fill(&p, h, "b"), *p.Ptr(h))
	// Output: true false a
}

func ExampleCancel() {
	var p berth.Pool[string]
	h := berth.Reserve(&p)
	fmt.Println(berth.Cancel(&p, h), berth.Fill(&p, h, "a"))
	// Output: true false
}

// A burst of particles is inserted in one call, which fills adjacent slots at once.
func ExampleInsertAll() {
	var p berth.Pool[float64]
	handles := make([]berth.Handle[float64], 3)
	n := berth.InsertAll(&p, []float64{1.5, 2.5, 3.5}, handles)
	fmt.Println(n, *p.Ptr(handles[1]))
	// Output: 3 2.5
}

// The values are built in place. Beyond Limit, there are no more.
func ExampleNewN() {
	p := berth.NewPool[[2]int](berth.Config{Limit: 100})
	x := 0
	n := berth.NewN(p, 1000, func(_ berth.Handle[[2]int], span [][2]int) {
		for i := range span {
			span[i][0], x = x, x+1
		}
	})
	h, last := p.At(99)
	fmt.Println(n, "made,", last[0], p.Contains(h))
	// Output: 100 made, 99 true
}

func ExampleInsertSeq() {
	names := []string{"a", "b", "c", "d"}
	p := berth.NewPool[string](berth.Config{Limit: 3})
	fmt.Println(berth.InsertSeq(p, slices.Values(names)), "of", len(names))
	// Output: 3 of 4
}

func ExamplePool_RemoveFunc() {
	var p berth.Pool[int]
	berth.InsertSeq(&p, slices.Values([]int{3, 4, 5, 6}))
	odd := func(_ berth.Handle[int], v *int) bool { return *v%2 == 1 }
	fmt.Println(p.RemoveFunc(odd), p.Len())
	// Output: 2 2
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
	berth.InsertSeq(&p, slices.Values([]string{"a", "b"}))
	for _, v := range berth.Backward(&p) {
		fmt.Println(*v)
	}
	// Output:
	// b
	// a
}

func ExampleDrain() {
	var p berth.Pool[int]
	berth.InsertSeq(&p, slices.Values([]int{0, 1, 2, 3, 4}))
	for _, v := range berth.Drain(&p) {
		if v == 2 {
			break // 0, 1 and 2 are removed
		}
	}
	fmt.Println(p.Len())
	// Output: 2
}

// Hooks keep an index by content up to date.
func ExampleSetHooks() {
	var users berth.Pool[string]
	byName := map[string]berth.Handle[string]{}
	berth.SetHooks(&users, berth.Hooks[string]{
		OnInsert: func(h berth.Handle[string], name *string) { byName[*name] = h },
		OnRemove: func(h berth.Handle[string], name *string) {
			if byName[*name] == h { // otherwise another user of that name was inserted
				delete(byName, *name)
			}
		},
	})
	users.Insert("ada")
	users.Insert("bob")
	users.Delete(byName["bob"])
	fmt.Println(len(byName), *users.Ptr(byName["ada"]))
	// Output: 1 ada
}
