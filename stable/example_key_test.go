package stable_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/stable"
)

// A key that comes back from JSON, or from bytes, finds its value as long as the value is live.
func ExampleKey_MarshalText() {
	l := stable.New[string](stable.Config{Seed: 1})
	k := l.Insert("a")
	text, _ := json.Marshal(k)
	data, _ := k.MarshalBinary()
	fmt.Println(string(text), data)

	var back stable.ListKey[string]
	fmt.Println(json.Unmarshal(text, &back), *l.Ptr(back))
	fmt.Println(back.UnmarshalBinary(data), back == k)
	l.Remove(k)
	fmt.Println(l.Ptr(back))
	err := back.UnmarshalText([]byte("7:0"))
	fmt.Println(err, errors.Is(err, stable.ErrCorrupt))
	// Output:
	// "0:2654435770" [0 0 0 0 186 121 55 158]
	// <nil> a
	// <nil> true
	// <nil>
	// berth: corrupt: Key.UnmarshalText: no key has the text "7:0" true
}
