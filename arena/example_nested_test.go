package arena_test

import (
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// A Vec of Vecs holds the neighbours of each place of a map.
func ExampleNested() {
	level := arena.NewFixed(1 << 12)
	roads := arena.NewVec[arena.Nested[int32]](level)
	roads.Resize(4)
	for _, r := range [][2]int32{{0, 1}, {0, 2}, {2, 3}} {
		roads.Ptr(int(r[0])).Push(level, r[1])
		roads.Ptr(int(r[1])).Push(level, r[0])
	}
	for i, r := range roads.All() {
		fmt.Println(i, r.Slice(level))
	}
	// Output:
	// 0 [1 2]
	// 1 [0]
	// 2 [0 3]
	// 3 [2]
}

// A Map whose values are lists holds the players of each team. Ptr finds the list, which grows in
// place.
func ExampleNested_map() {
	a := arena.NewFixed(1 << 12)
	teams := arena.NewMap[uint8, arena.Nested[uint32]](a)
	join := func(team uint8, player uint32) bool {
		if teams.Ptr(team) == nil && !teams.Set(team, arena.Nested[uint32]{}) {
			return false
		}
		return teams.Ptr(team).Push(a, player)
	}
	for player, team := range []uint8{2, 1, 2, 2} {
		join(team, uint32(player))
	}
	for team, players := range teams.All() {
		fmt.Println("team", team, players.Slice(a))
	}
	// Output:
	// team 2 [0 2 3]
	// team 1 [1]
}

// Nested types may be recursive: a struct may hold a Nested of such structs.
func ExampleNested_tree() {
	type row struct{ Cells arena.Nested[uint8] }
	type sheet struct{ Rows arena.Nested[row] }
	a := arena.NewFixed(1 << 12)
	s := arena.New[sheet](a)
	for i := range uint8(3) {
		s.Rows.Push(a, row{})
		rows := s.Rows.Slice(a)
		for j := range i + 1 {
			rows[i].Cells.Push(a, 10*i+j)
		}
	}
	for _, r := range s.Rows.All(a) {
		fmt.Println(r.Cells.Slice(a))
	}
	// Output:
	// [0]
	// [10 11]
	// [20 21 22]
}

// A Map of Maps is one Map with both keys: the amount of each good that each player has.
func ExampleNested_mapOfMaps() {
	type owned struct {
		player uint32
		good   uint8
	}
	const wood, iron = 1, 2
	stock := arena.NewMap[owned, int32](arena.NewFixed(1 << 12))
	stock.Set(owned{7, wood}, 30)
	stock.Set(owned{7, iron}, 2)
	stock.Set(owned{9, wood}, 5)
	fmt.Println(stock.Get(owned{7, wood}))
	fmt.Println(stock.Get(owned{9, iron}))
	for k, n := range stock.All() {
		if k.player == 7 {
			fmt.Println(k.good, *n)
		}
	}
	// Output:
	// 30 true
	// 0 false
	// 1 30
	// 2 2
}

// The queues of all units share one Pool of links. The link of a finished order is reused for any
// unit.
func ExampleNested_queues() {
	type link struct{ order, next int32 }
	type unit struct{ first, last, n int32 } // indices of orders
	a := arena.NewFixed(1 << 12)
	orders := arena.NewPool[link](a)
	units := arena.NewVec[unit](a)
	units.Resize(2)
	push := func(u *unit, order int32) bool {
		i, ok := orders.Insert(link{order: order})
		if !ok {
			return false
		}
		if u.n > 0 {
			orders.Ptr(int(u.last)).next = int32(i)
		} else {
			u.first = int32(i)
		}
		u.last = int32(i)
		u.n++
		return true
	}
	pop := func(u *unit) (order int32, ok bool) {
		if u.n == 0 {
			return 0, false
		}
		l, _ := orders.Remove(int(u.first))
		u.first = l.next
		u.n--
		return l.order, true
	}
	for order := range int32(6) {
		push(units.Ptr(int(order)%2), order)
	}
	for range 3 {
		fmt.Println(pop(units.Ptr(1)))
	}
	fmt.Println(pop(units.Ptr(1)))
	push(units.Ptr(0), 70)
	fmt.Println(orders.Len(), orders.Cap())
	// Output:
	// 1 true
	// 3 true
	// 5 true
	// 0 false
	// 4 64
}

// The crews of all ships share one Handles, and each ship has a list of handles. The handle of a
// sailor who has left finds nothing.
func ExampleNested_pools() {
	type sailor struct{ age int32 }
	type ship struct {
		crew arena.Nested[arena.Handle32[sailor]]
	}
	a := arena.NewFixed(1 << 14)
	sailors := arena.NewHandles[sailor, arena.Handle32[sailor]](a, arena.HandlesConfig{})
	ships := arena.NewVec[ship](a)
	ships.Resize(2)
	for i := range int32(4) {
		if h, err := sailors.Insert(sailor{20 + i}); err == nil {
			ships.Ptr(int(i)%2).crew.Push(a, h)
		}
	}
	sailors.Delete(ships.Ptr(0).crew.Slice(a)[1])
	for i, s := range ships.All() {
		for _, h := range s.crew.All(a) {
			if p := sailors.Ptr(*h); p != nil {
				fmt.Println("ship", i, "age", p.age)
			}
		}
	}
	// Output:
	// ship 0 age 20
	// ship 1 age 21
	// ship 1 age 23
}

func ExampleNested_Push() {
	a := arena.NewFixed(10)
	var bag arena.Nested[int32]
	fmt.Println(bag.Push(a, 1), bag.Push(a, 2), bag.Push(a, 3), bag.Slice(a))
	attempt(func() { bag.Push(arena.NewFixed(64), 4) })
	// Output:
	// true true false [1 2]
	// panic: arena: Nested.Append: its memory is in another arena
}

// Append adds all values or none.
func ExampleNested_Append() {
	a := arena.NewFixed(10)
	var bag arena.Nested[int32]
	fmt.Println(bag.Append(a, 1, 2, 3), bag.Append(a, 1, 2), bag.Slice(a))
	// Output: false true [1 2]
}

func ExampleNested_Pop() {
	a := arena.NewFixed(1 << 10)
	var undo arena.Nested[int32]
	undo.Append(a, 1, 2)
	for range 3 {
		fmt.Println(undo.Pop(a))
	}
	// Output:
	// 2 true
	// 1 true
	// 0 false
}

// A Nested detects that its memory has been rewound, even if other values lie there now.
func ExampleNested_Slice() {
	a := arena.NewFixed(1 << 10)
	m := a.Mark()
	var bag arena.Nested[int32]
	bag.Append(a, 3, 4)
	fmt.Println(bag.Slice(a))

	a.Rewind(m)
	arena.MakeSlice[int32](a, 16, 16)
	attempt(func() { bag.Slice(a) })
	bag = arena.Nested[int32]{}
	fmt.Println(bag.Push(a, 5), bag.Slice(a))
	// Output:
	// [3 4]
	// panic: arena: Nested.Slice: its memory has been rewound
	// true [5]
}

func ExampleNested_All() {
	a := arena.NewFixed(1 << 10)
	var wounds arena.Nested[int32]
	wounds.Append(a, 5, 0, 7)
	for i, w := range wounds.All(a) {
		if *w = max(*w-6, 0); *w == 0 {
			fmt.Println(i, "has healed")
		}
	}
	fmt.Println(wounds.Slice(a))
	// Output:
	// 0 has healed
	// 1 has healed
	// [0 0 1]
}

func ExampleNested_Len() {
	a := arena.NewFixed(1 << 10)
	var bag arena.Nested[int32]
	fmt.Println(bag.Len())
	bag.Append(a, 1, 2, 3)
	fmt.Println(bag.Len())
	// Output:
	// 0
	// 3
}

func ExampleNested_Cap() {
	a := arena.NewFixed(1 << 10)
	var bag arena.Nested[int32]
	bag.Push(a, 1)
	fmt.Println(bag.Len(), bag.Cap())
	// Output: 1 16
}

func ExampleNested_Clear() {
	a := arena.NewFixed(1 << 10)
	var bag arena.Nested[int32]
	bag.Append(a, 1, 2, 3)
	bag.Clear()
	fmt.Println(bag.Len(), bag.Cap() > 0, a.Used() > 0)
	// Output: 0 true true
}
