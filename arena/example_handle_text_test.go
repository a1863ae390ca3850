package arena_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

func ExampleHandle32_AppendText() {
	line, err := arena.Handle32[int](7 | 3<<17).AppendText([]byte("create "))
	fmt.Println(string(line), err)
	// Output: create 7:3 <nil>
}

func ExampleHandle32_MarshalText() {
	text, err := json.Marshal(map[arena.Handle32[int]]string{7 | 3<<17: "a"})
	fmt.Println(string(text), err)
	// Output: {"7:3":"a"} <nil>
}

func ExampleHandle32_UnmarshalText() {
	var h arena.Handle32[int]
	fmt.Println(json.Unmarshal([]byte(`"7:3"`), &h), h.Index(), h.Generation())
	fmt.Println(h.UnmarshalText([]byte("0:3")))
	// Output:
	// <nil> 7 3
	// arena: corrupt: Handle32.UnmarshalText: "0:3" has index 0
}

func ExampleHandle32_AppendBinary() {
	packet, err := arena.Handle32[int](7 | 3<<17).AppendBinary([]byte{255})
	fmt.Println(packet, err)
	// Output: [255 7 0 6 0] <nil>
}

func ExampleHandle32_MarshalBinary() {
	data, err := arena.Handle32[int](7 | 3<<17).MarshalBinary()
	fmt.Println(data, err)
	// Output: [7 0 6 0] <nil>
}

func ExampleHandle32_UnmarshalBinary() {
	var h arena.Handle32[int]
	fmt.Println(h.UnmarshalBinary([]byte{7, 0, 6, 0}), h)
	// Output: <nil> 7:3
}

func ExampleHandle64_AppendText() {
	line, err := arena.Handle64[int](7 | 3<<33).AppendText([]byte("create "))
	fmt.Println(string(line), err)
	// Output: create 7:3 <nil>
}

func ExampleHandle64_MarshalText() {
	text, err := json.Marshal(map[arena.Handle64[int]]string{7 | 3<<33: "a"})
	fmt.Println(string(text), err)
	// Output: {"7:3":"a"} <nil>
}

func ExampleHandle64_UnmarshalText() {
	var h arena.Handle64[int]
	fmt.Println(json.Unmarshal([]byte(`"7:3"`), &h), h.Index(), h.Generation())
	fmt.Println(h.UnmarshalText([]byte("0:3")))
	// Output:
	// <nil> 7 3
	// arena: corrupt: Handle64.UnmarshalText: "0:3" has index 0
}

func ExampleHandle64_AppendBinary() {
	packet, err := arena.Handle64[int](7 | 3<<33).AppendBinary([]byte{255})
	fmt.Println(packet, err)
	// Output: [255 7 0 0 0 6 0 0 0] <nil>
}

func ExampleHandle64_MarshalBinary() {
	data, err := arena.Handle64[int](7 | 3<<33).MarshalBinary()
	fmt.Println(data, err)
	// Output: [7 0 0 0 6 0 0 0] <nil>
}

func ExampleHandle64_UnmarshalBinary() {
	var h arena.Handle64[int]
	fmt.Println(h.UnmarshalBinary([]byte{7, 0, 0, 0, 6, 0, 0, 0}), h)
	// Output: <nil> 7:3
}
