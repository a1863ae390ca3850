package berth_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth"
)

// A large particle is filled in place, without a copy.
type particle struct {
	x, dx float64
	trail [8]float64
}

func ExamplePool_New() {
	var particles berth.Pool[particle]
	h, p := particles.New()
	p.x, p.dx = 1, 0.5
	p.trail[0] = p.x
	fmt.Println(particles.Len(), particles.Ptr(h).x)

	limited := berth.NewPool[particle](berth.Config{Limit: 1})
	limited.New()
	h, p = limited.New()
	fmt.Println(h, p)
	// Output:
	// 1 1
	// none <nil>
}

func ExamplePool_Delete() {
	var timers berth.Pool[func()]
	h := timers.Insert(func() { fmt.Println("fired") })
	fmt.Println(timers.Delete(h), timers.Delete(h))
	// Output: true false
}

func ExampleInsertSeq() {
	names := []string{"a", "b", "c", "d"}
	p := berth.NewPool[string](berth.Config{Limit: 3})
	fmt.Println(berth.InsertSeq(p, slices.Values(names)), "of", len(names))
	for v := range p.Values() {
		fmt.Print(*v, " ")
	}
	// Output:
	// 3 of 4
	// a b c
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

// Hooks keep an index by content up to date.
func ExampleSetHooks() {
	type user struct{ name string }
	var users berth.Pool[user]
	byName := map[string]berth.Handle[user]{}
	berth.SetHooks(&users, berth.Hooks[user]{
		OnInsert: func(h berth.Handle[user], u *user) { byName[u.name] = h },
		OnRemove: func(h berth.Handle[user], u *user) {
			if byName[u.name] == h { // otherwise another unit of that name was inserted
				delete(byName, u.name)
			}
		},
	})
	users.Insert(user{"ada"})
	users.Insert(user{"bob"})
	berth.RemoveFunc(&users, func(_ berth.Handle[user], u *user) bool { return u.name == "bob" })
	fmt.Println(len(byName), users.Ptr(byName["ada"]).name)
	// Output: 1 ada
}

// A renderer gets a view through which it cannot change the world.
func ExampleNewReadOnly() {
	draw := func(enemies berth.ReadOnly[string]) {
		for _, name := range enemies.All() {
			fmt.Println("draw", name)
		}
	}
	var pool berth.Pool[string]
	pool.Insert("orc")
	draw(berth.NewReadOnly[string](&pool))
	// Output: draw orc
}

func ExampleDense_New() {
	var particles berth.Dense[particle]
	h, p := particles.New()
	p.x = 3
	fmt.Println(particles.Len(), particles.Ptr(h).x)
	// Output: 1 3
}

func ExampleDense_Delete() {
	var names berth.Dense[string]
	h := names.Insert("orc")
	fmt.Println(names.Delete(h), names.Delete(h))
	// Output: true false
}

func ExampleDenseInsertSeq() {
	var d berth.Dense[int]
	n := berth.DenseInsertSeq(&d, slices.Values([]int{3, 1, 2}))
	fmt.Println(n, d.Slice())
	// Output: 3 [3 1 2]
}

// readOnly returns a view of "orc" and "elf", and the handle of "orc".
func readOnly() (berth.ReadOnly[string], berth.Handle[string]) {
	p := new(berth.Pool[string])
	h := p.Insert("orc")
	p.Insert("elf")
	return berth.NewReadOnly[string](p), h
}

func ExampleReadOnly_Len() {
	r, _ := readOnly()
	fmt.Println(r.Len())
	// Output: 2
}

func ExampleReadOnly_Get() {
	r, orc := readOnly()
	fmt.Println(r.Get(orc))
	// Output: orc true
}

func ExampleReadOnly_Contains() {
	r, orc := readOnly()
	fmt.Println(r.Contains(orc), r.Contains(berth.Handle[string]{}))
	// Output: true false
}

func ExampleReadOnly_All() {
	r, orc := readOnly()
	for h, name := range r.All() {
		fmt.Println(name, h == orc)
	}
	// Output:
	// orc true
	// elf false
}

func ExampleReadOnly_Values() {
	r, _ := readOnly()
	for name := range r.Values() {
		fmt.Println(name)
	}
	// Output:
	// orc
	// elf
}
