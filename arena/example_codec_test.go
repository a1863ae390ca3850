package arena_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// Damaged data is refused, and the values are unchanged.
func ExampleVec_UnmarshalBinary() {
	v := arena.NewVec[uint16](arena.NewFixed(1 << 10))
	v.Append(1, 2, 3)
	data, _ := v.MarshalBinary()
	v.Append(4)

	data[26] ^= 0x10
	err := v.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, arena.ErrCorrupt), v.Slice())
	fmt.Println(err)

	data[26] ^= 0x10
	fmt.Println(v.UnmarshalBinary(data), v.Slice())
	// Output:
	// true [1 2 3 4]
	// arena: Vec.UnmarshalBinary: corrupt: a checksum does not match, at byte 32
	// <nil> [1 2 3]
}

// The orders of a unit are saved in sequence, whatever blocks they lie in. If the arena is too
// small, loading fails and changes nothing.
func ExampleDeque_MarshalBinary() {
	orders := arena.NewDeque[uint32](arena.NewFixed(1<<12), arena.DequeConfig{Block: 2})
	orders.PushBack(20)
	orders.PushBack(30)
	orders.PushFront(10)
	data, err := orders.MarshalBinary()
	fmt.Println(len(data), err)

	loaded := arena.NewDeque[uint32](arena.NewFixed(1<<12), arena.DequeConfig{Block: 64})
	fmt.Println(loaded.UnmarshalBinary(data))
	for i, order := range loaded.All() {
		fmt.Println(i, *order)
	}
	small := arena.NewDeque[uint32](arena.NewFixed(10), arena.DequeConfig{Block: 2})
	small.PushBack(7)
	err = small.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, arena.ErrNoSpace), small.Len(), small.At(0))
	// Output:
	// 50 <nil>
	// <nil>
	// 0 10
	// 1 20
	// 2 30
	// true 1 7
}

// Saved indices remain valid after the load. Vacant slots stay vacant, and the lowest is taken
// first.
func ExamplePool_MarshalBinary() {
	type enemy struct{ X, Y, Health int32 }
	pool := arena.NewPool[enemy](arena.NewFixed(1 << 14))
	first, _ := pool.Insert(enemy{1, 1, 10})
	boss, _ := pool.Insert(enemy{2, 2, 999})
	pool.Remove(first)
	data, err := pool.MarshalBinary()
	fmt.Println(err)

	loaded := arena.NewPool[enemy](arena.NewFixed(1 << 14))
	fmt.Println(loaded.UnmarshalBinary(data), *loaded.Ptr(boss))
	i, _ := loaded.Insert(enemy{})
	fmt.Println(i == first)
	// Output:
	// <nil>
	// <nil> {2 2 999}
	// true
}

// AppendBinary reuses a buffer. Equal contents have equal bytes on every machine, so a
// checksum compares them.
func ExamplePool_AppendBinary() {
	type cell struct {
		Wall  bool // the three bytes of padding behind it are not written
		Light uint32
	}
	build := func() *arena.Pool[cell] {
		pool := arena.NewPool[cell](arena.NewFixed(1 << 12))
		pool.Insert(cell{true, 7})
		return pool
	}
	x, _ := build().AppendBinary(nil)
	y, err := build().AppendBinary(make([]byte, 0, 128))
	fmt.Println(string(x) == string(y), len(y), err)
	// Output: true 67 <nil>
}

// A game returns to an earlier state. Both futures get the same handles.
func ExampleHandles_UnmarshalBinary() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	first, _ := r.Insert(1)
	r.Delete(first)
	moment, _ := r.AppendBinary(nil)

	one, _ := r.Insert(2)
	fmt.Println(r.UnmarshalBinary(moment), r.Contains(one))
	other, _ := r.Insert(3)
	fmt.Println(one == other, one == first)
	// Output:
	// <nil> false
	// true false
}

// The insertion order of the keys is saved with them. The data records its type, and another type
// is refused.
func ExampleMap_MarshalBinary() {
	prices := arena.NewMap[uint16, float32](arena.NewFixed(1 << 12))
	prices.Set(300, 1.5)
	prices.Set(7, 2)
	prices.Set(42, 0.25)
	prices.Delete(7)
	data, err := prices.MarshalBinary()
	fmt.Println(len(data), err)

	loaded := arena.NewMap[uint16, float32](arena.NewFixed(1 << 12))
	fmt.Println(loaded.UnmarshalBinary(data))
	for k, v := range loaded.All() {
		fmt.Println(k, *v)
	}
	other := arena.NewMap[uint16, int32](arena.NewFixed(1 << 12))
	fmt.Println(other.UnmarshalBinary(data))
	// Output:
	// 66 <nil>
	// <nil>
	// 300 1.5
	// 42 0.25
	// arena: Map.UnmarshalBinary: corrupt: another type: field .value is f4, not i4, at byte 16
}

// The error names the reason why a type cannot be saved.
func ExampleMap_AppendBinary() {
	type squad struct{ Members arena.Nested[uint32] }
	m := arena.NewMap[uint8, squad](arena.NewFixed(1 << 12))
	b, err := m.AppendBinary([]byte("saved:"))
	fmt.Println(string(b))
	fmt.Println(err)
	// Output:
	// saved:
	// arena: Map.AppendBinary: cannot marshal a Nested: arena_test.squad.Members
}

// A handle is text in a log and in JSON, and bytes in a packet.
func ExampleHandle32_MarshalText() {
	h := arena.Handle32[int](7 | 3<<17)
	line, _ := h.AppendText([]byte("create "))
	text, err := json.Marshal(map[arena.Handle32[int]]string{h: "a"})
	fmt.Println(string(line), string(text), err)
	packet, err := h.AppendBinary([]byte{255})
	fmt.Println(packet, err)

	var back arena.Handle32[int]
	fmt.Println(json.Unmarshal([]byte(`"7:3"`), &back), back == h)
	fmt.Println(back.UnmarshalBinary(packet[1:]), back == h)
	fmt.Println(back.UnmarshalText([]byte("0:3")))
	// Output:
	// create 7:3 {"7:3":"a"} <nil>
	// [255 7 0 6 0] <nil>
	// <nil> true
	// <nil> true
	// arena: corrupt: Handle32.UnmarshalText: "0:3" has index 0
}
