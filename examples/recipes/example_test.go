package recipes

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/seed505807e1/berth"
)

// An index by content: a map from names to handles, which hooks keep in step with the Pool.
func Example_index() {
	var users berth.Pool[User]
	byName := map[string]berth.Handle[User]{}
	berth.SetHooks(&users, berth.Hooks[User]{
		OnInsert: func(h berth.Handle[User], u *User) { byName[u.Name] = h },
		OnRemove: func(h berth.Handle[User], u *User) {
			if byName[u.Name] == h { // another user of that name may have come since
				delete(byName, u.Name)
			}
		},
	})
	rename := func(h berth.Handle[User], name string) {
		if u := users.Ptr(h); u != nil {
			delete(byName, u.Name)
			u.Name = name
			byName[name] = h
		}
	}

	ada := users.Insert(User{Name: "ada"})
	users.Insert(User{Name: "bob"})
	rename(ada, "Ada")
	users.RemoveFunc(func(_ berth.Handle[User], u *User) bool { return u.Name == "bob" })
	fmt.Println(len(byName), byName["Ada"] == ada)
	// Output: 1 true
}

// Handles are text in JSON, also as the keys of a map.
func Example_json() {
	type message struct {
		From berth.Handle[User]            `json:"from"`
		To   berth.Handle[User]            `json:"to,omitzero"`
		Read map[berth.Handle[User]]string `json:"read"`
	}
	users := berth.NewPool[User](berth.Config{Seed: 1})
	ada, bob := users.Insert(User{Name: "ada"}), users.Insert(User{Name: "bob"})
	data, err := json.Marshal(message{From: ada, Read: map[berth.Handle[User]]string{bob: "12:05"}})
	fmt.Println(string(data), err)

	// The answer comes when bob has left, and another user has his slot.
	users.Delete(bob)
	users.Insert(User{Name: "eve"})
	var answer message
	err = json.Unmarshal([]byte(`{"from": "2654435770:1779033703"}`), &answer)
	fmt.Println(answer.From == bob, users.Contains(answer.From), err)

	err = json.Unmarshal([]byte(`{"from": 7640891577943930873}`), &answer)
	fmt.Println(err != nil) // a number is refused
	// Output:
	// {"from":"2654435769:1779033703","read":{"2654435770:1779033703":"12:05"}} <nil>
	// true false <nil>
	// true
}

// Parallel arrays: data beside a Pool, at the numbers of its slots.
func Example_parallel() {
	type body struct{ name string }
	var bodies berth.Pool[body]
	var speeds []int
	add := func(b body, speed int) berth.Handle[body] {
		h := bodies.Insert(b)
		i := bodies.IndexOf(h)
		for i >= len(speeds) {
			speeds = append(speeds, 0)
		}
		speeds[i] = speed // the slot may have had another value
		return h
	}
	add(body{"moon"}, 1022)
	mars := add(body{"mars"}, 24077)
	add(body{"io"}, 17334)
	bodies.Delete(mars)
	add(body{"ceres"}, 17905)

	// One value, by its handle.
	for h, b := range bodies.All() {
		fmt.Println(b.name, speeds[bodies.IndexOf(h)])
	}
	// All of them, as fast as two slices.
	sum := 0
	for h, span := range bodies.Spans() {
		i := bodies.IndexOf(h)
		for _, speed := range speeds[i : i+len(span)] {
			sum += speed
		}
	}
	fmt.Println(sum)
	// Output:
	// moon 1022
	// ceres 17905
	// io 17334
	// 36261
}

// freshSeed returns a seed for a pool of this run of the program. The pools that come after it take
// the next ones.
func freshSeed() uint32 { return 1 + rand.Uint32N(1<<31-1000) }

// A handle of an earlier run finds nothing if each run has a Seed of its own.
func Example_seed() {
	run := func(seed uint32) (*berth.Pool[User], berth.Handle[User]) {
		users := berth.NewPool[User](berth.Config{Seed: seed})
		return users, users.Insert(User{Name: "ada"})
	}
	_, saved := run(1)
	again, first := run(1)
	fmt.Println(saved == first, again.Contains(saved)) // the same Seed: ada's handle finds somebody
	other, _ := run(2)
	fmt.Println(other.Contains(saved))
	fresh, _ := run(freshSeed())
	fmt.Println(fresh.Len())
	// Output:
	// true true
	// false
	// 1
}
