package stable_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/stable"
)

// A key that comes back from JSON finds its value as long as the value is live.
func ExampleKey_MarshalText() {
	l := stable.New[string](stable.Config{Seed: 1})
	k := l.Insert("a")
	text, _ := json.Marshal(k)
	fmt.Println(string(text))

	var back stable.ListKey[string]
	if err := json.Unmarshal(text, &back); err != nil {
		fmt.Println(err)
	}
	fmt.Println(*l.Ptr(back))
	l.Remove(k)
	fmt.Println(l.Ptr(back))
	// Output:
	// "0:2654435770"
	// a
	// <nil>
}

func ExampleKey_UnmarshalText() {
	var k stable.ListKey[string]
	fmt.Println(k.UnmarshalText([]byte("7:3")), k)
	err := k.UnmarshalText([]byte("7:0"))
	fmt.Println(err, errors.Is(err, stable.ErrCorrupt))
	// Output:
	// <nil> 7:3
	// berth: corrupt: Key.UnmarshalText: no key has the text "7:0" true
}

func ExampleKey_MarshalBinary() {
	l := stable.New[string](stable.Config{Seed: 1})
	data, err := l.Insert("a").MarshalBinary()
	fmt.Println(data, err)
	// Output: [0 0 0 0 186 121 55 158] <nil>
}

func ExampleKey_UnmarshalBinary() {
	var k stable.ListKey[string]
	fmt.Println(k.UnmarshalBinary([]byte{7, 0, 0, 0, 3, 0, 0, 0}), k)
	// Output: <nil> 7:3
}

func ExampleKey_Format() {
	l := stable.New[string](stable.Config{Seed: 1})
	k := l.Insert("a")
	fmt.Printf("%v %d %x\n", k, k, k)
	// Output: 0:2654435770 0:2654435770 0:9e3779ba
}
