package arena_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// The heights of a level are saved, and loaded into another arena.
func ExampleVec_MarshalBinary() {
	heights := arena.NewVec[float32](arena.NewFixed(1 << 10))
	heights.Append(1.5, 2.25, -3)
	data, err := heights.MarshalBinary()
	if err != nil {
		fmt.Println(err)
	}
	loaded := arena.NewVec[float32](arena.NewFixed(1 << 10))
	fmt.Println(loaded.UnmarshalBinary(data), loaded.Slice())
	// Output:
	// <nil> [1.5 2.25 -3]
}

// Damaged data is refused, and the values are unchanged.
func ExampleVec_UnmarshalBinary() {
	a := arena.NewFixed(1 << 10)
	v := arena.NewVec[uint16](a)
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

// One buffer is reused for several messages, each behind a header.
func ExampleVec_AppendBinary() {
	v := arena.NewVec[uint8](arena.NewFixed(1 << 10))
	buf := make([]byte, 0, 128)
	for i := range uint8(3) {
		v.Push(i)
		message, err := v.AppendBinary(append(buf, "msg:"...))
		fmt.Printf("%s %d bytes, %v\n", message[:4], len(message), err)
	}
	// Output:
	// msg: 43 bytes, <nil>
	// msg: 44 bytes, <nil>
	// msg: 45 bytes, <nil>
}

// The orders of a unit are saved in sequence, whatever blocks they lie in.
func ExampleDeque_MarshalBinary() {
	orders := arena.NewDeque[uint32](arena.NewFixed(1<<12), arena.DequeConfig{Block: 2})
	orders.PushBack(20)
	orders.PushBack(30)
	orders.PushFront(10)
	data, err := orders.MarshalBinary()
	fmt.Println(len(data), err)

	loaded := arena.NewDeque[uint32](arena.NewFixed(1<<12), arena.DequeConfig{Block: 64})
	if err := loaded.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
	}
	for i, order := range loaded.All() {
		fmt.Println(i, *order)
	}
	// Output:
	// 50 <nil>
	// 0 10
	// 1 20
	// 2 30
}

// If the arena is too small, loading fails and changes nothing.
func ExampleDeque_UnmarshalBinary() {
	d := arena.NewDeque[uint64](arena.NewFixed(1<<12), arena.DequeConfig{Block: 16})
	for i := range uint64(100) {
		d.PushBack(i)
	}
	data, _ := d.MarshalBinary()

	small := arena.NewDeque[uint64](arena.NewFixed(256), arena.DequeConfig{Block: 16})
	small.PushBack(7)
	err := small.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, arena.ErrNoSpace), small.Len(), small.At(0))
	// Output:
	// true 1 7
}

// Two queues are written to one buffer, one after the other.
func ExampleDeque_AppendBinary() {
	a := arena.NewFixed(1 << 12)
	in := arena.NewDeque[uint8](a, arena.DequeConfig{Block: 16})
	out := arena.NewDeque[uint8](a, arena.DequeConfig{Block: 16})
	in.PushBack(1)
	out.PushBack(2)
	both, _ := in.AppendBinary(nil)
	split := len(both)
	both, _ = out.AppendBinary(both)

	fmt.Println(in.UnmarshalBinary(both[split:]), out.UnmarshalBinary(both[:split]))
	fmt.Println(in.At(0), out.At(0))
	// Output:
	// <nil> <nil>
	// 2 1
}

// Saved indices remain valid after the load.
func ExamplePool_MarshalBinary() {
	type enemy struct{ X, Y, Health int32 }
	pool := arena.NewPool[enemy](arena.NewFixed(1 << 14))
	pool.Insert(enemy{1, 1, 10})
	boss, _ := pool.Insert(enemy{2, 2, 999})
	data, err := pool.MarshalBinary()
	fmt.Println(err)

	loaded := arena.NewPool[enemy](arena.NewFixed(1 << 14))
	if err := loaded.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
	}
	fmt.Println(*loaded.Ptr(boss))
	// Output:
	// <nil>
	// {2 2 999}
}

// Vacant slots stay vacant, and the lowest is taken first.
func ExamplePool_UnmarshalBinary() {
	pool := arena.NewPool[uint8](arena.NewFixed(1 << 10))
	for i := range uint8(5) {
		pool.Insert(i)
	}
	pool.Remove(3)
	pool.Remove(1)
	data, _ := pool.MarshalBinary()

	loaded := arena.NewPool[uint8](arena.NewFixed(1 << 10))
	fmt.Println(loaded.UnmarshalBinary(data), loaded.Len())
	for range 3 {
		i, _ := loaded.Insert(9)
		fmt.Println("slot", i)
	}
	// Output:
	// <nil> 3
	// slot 1
	// slot 3
	// slot 5
}

// Equal contents have equal bytes on every machine, so a checksum compares them.
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
	y, _ := build().AppendBinary(nil)
	fmt.Println(string(x) == string(y), len(x))
	// Output:
	// true 67
}

// Saved handles find the same values after the load.
func ExampleHandles_MarshalBinary() {
	type texture struct{ Width, Height uint16 }
	type handle = arena.Handle32[texture]
	textures := arena.NewHandles[texture, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	grass, _ := textures.Insert(texture{64, 64})
	stone, _ := textures.Insert(texture{128, 128})
	textures.Delete(grass)
	data, err := textures.MarshalBinary()
	fmt.Println(err)

	loaded := arena.NewHandles[texture, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	if err := loaded.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
	}
	fmt.Println(loaded.Get(stone))
	fmt.Println(loaded.Contains(grass))
	// Output:
	// <nil>
	// {128 128} true
	// false
}

// A game returns to an earlier state. Both futures get the same handles.
func ExampleHandles_UnmarshalBinary() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	first, _ := r.Insert(1)
	r.Delete(first)
	moment, _ := r.MarshalBinary()

	one, _ := r.Insert(2)
	fmt.Println(r.UnmarshalBinary(moment), r.Contains(one))
	other, _ := r.Insert(3)
	fmt.Println(one == other, one == first)
	// Output:
	// <nil> false
	// true false
}

// Snapshots reuse one buffer.
func ExampleHandles_AppendBinary() {
	type handle = arena.Handle32[uint8]
	r := arena.NewHandles[uint8, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	var buf []byte
	for i := range uint8(3) {
		if _, err := r.Insert(i); err != nil {
			fmt.Println(err)
		}
		buf, _ = r.AppendBinary(buf[:0])
		fmt.Println(len(buf))
	}
	// Output:
	// 51
	// 56
	// 61
}

// The insertion order of the keys is saved with them.
func ExampleMap_MarshalBinary() {
	prices := arena.NewMap[uint16, float32](arena.NewFixed(1 << 12))
	prices.Set(300, 1.5)
	prices.Set(7, 2)
	prices.Set(42, 0.25)
	prices.Delete(7)
	data, err := prices.MarshalBinary()
	fmt.Println(len(data), err)

	loaded := arena.NewMap[uint16, float32](arena.NewFixed(1 << 12))
	if err := loaded.UnmarshalBinary(data); err != nil {
		fmt.Println(err)
	}
	for k, v := range loaded.All() {
		fmt.Println(k, *v)
	}
	// Output:
	// 66 <nil>
	// 300 1.5
	// 42 0.25
}

// The data records its type, and another type is refused.
func ExampleMap_UnmarshalBinary() {
	m := arena.NewMap[uint32, float32](arena.NewFixed(1 << 12))
	m.Set(1, 1)
	data, _ := m.MarshalBinary()

	other := arena.NewMap[uint32, int32](arena.NewFixed(1 << 12))
	fmt.Println(other.UnmarshalBinary(data))
	// Output:
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
