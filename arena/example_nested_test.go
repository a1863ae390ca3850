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

// A Nested of a full arena refuses values, Append all of them or none. It detects that its memory
// has been rewound, even if other values lie there now.
func ExampleNested_Slice() {
	a := arena.NewFixed(64)
	m := a.Mark()
	var bag arena.Nested[int32]
	fmt.Println(bag.Append(a, 3, 4, 5), bag.Push(a, 6), bag.Append(a, make([]int32, 16)...))
	fmt.Println(bag.Pop(a))
	for i, v := range bag.All(a) {
		*v += int32(10 * i)
	}
	fmt.Println(bag.Slice(a), bag.Len(), bag.Cap())
	bag.Clear()
	fmt.Println(&bag)
	attempt(func() { bag.Push(arena.NewFixed(64), 4) })

	a.Rewind(m)
	arena.MakeSlice[int32](a, 16, 16)
	attempt(func() { bag.Slice(a) })
	// Output:
	// true true false
	// 6 true
	// [3 14 25] 3 16
	// arena.Nested[int32](0 of 16 values)
	// panic: arena: Nested.Append: its memory is in another arena
	// panic: arena: Nested.Slice: its memory has been rewound
}
