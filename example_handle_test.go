package berth_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/seed505807e1/berth"
)

// order is sent by a client: which unit attacks which other unit.
type order struct {
	Unit, Target berth.Handle[enemy]
}

// A server sends handles of its units to a client. The client sends handles back, one of them too
// late.
func ExampleHandle_MarshalText() {
	server := berth.NewPool[enemy](berth.Config{Seed: 1})
	tank := server.Insert(enemy{"tank", 100})
	drone := server.Insert(enemy{"drone", 10})

	// The server's message maps handles to names.
	units := map[berth.Handle[enemy]]string{}
	for h, e := range server.All() {
		units[h] = e.name
	}
	message, _ := json.Marshal(units)
	fmt.Println(string(message))

	// The client's answer.
	var seen map[berth.Handle[enemy]]string
	if err := json.Unmarshal(message, &seen); err != nil {
		fmt.Println(err)
	}
	var o order
	for h, name := range seen {
		if name == "tank" {
			o.Unit = h
		} else {
			o.Target = h
		}
	}
	answer, _ := json.Marshal(o)
	fmt.Println(string(answer))

	// The drone has been removed meanwhile, and another enemy has its slot.
	server.Remove(drone)
	server.Insert(enemy{"boss", 1000})
	var received order
	if err := json.Unmarshal(answer, &received); err != nil {
		fmt.Println(err)
	}
	fmt.Println(server.Contains(received.Unit), received.Unit == tank)
	fmt.Println(server.Contains(received.Target))
	// Output:
	// {"2654435769:1779033703":"tank","2654435770:1779033703":"drone"}
	// {"Unit":"2654435769:1779033703","Target":"2654435770:1779033703"}
	// true true
	// false
}

func ExampleHandle_UnmarshalText() {
	var h berth.Handle[enemy]
	fmt.Println(h.UnmarshalText([]byte("7:3")), h)
	err := h.UnmarshalText([]byte("7:three"))
	fmt.Println(err, errors.Is(err, berth.ErrCorrupt), h)
	// Output:
	// <nil> 7:3
	// berth: corrupt: Handle.UnmarshalText: generation: "three" is not a decimal number true 7:3
}

// Package flag parses a handle from its text.
func ExampleHandle_UnmarshalText_flag() {
	var h berth.Handle[enemy]
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.TextVar(&h, "enemy", berth.Handle[enemy]{}, "the `handle` of an enemy")
	fmt.Println(flags.Parse([]string{"-enemy", "7:3"}), h)
	// Output: <nil> 7:3
}

// Package gob sends a handle as 8 bytes.
func ExampleHandle_MarshalBinary() {
	var pool berth.Pool[enemy]
	sent := order{Unit: pool.Insert(enemy{"tank", 100})}
	var wire bytes.Buffer
	if err := gob.NewEncoder(&wire).Encode(sent); err != nil {
		fmt.Println(err)
	}
	var got order
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil {
		fmt.Println(err)
	}
	fmt.Println(got == sent, pool.Ptr(got.Unit).name, got.Target)
	// Output: true tank none
}

func ExampleHandle_UnmarshalBinary() {
	var h berth.Handle[enemy]
	fmt.Println(h.UnmarshalBinary([]byte{7, 0, 0, 0, 3, 0, 0, 0}), h)
	fmt.Println(h.UnmarshalBinary([]byte{7}))
	// Output:
	// <nil> 7:3
	// berth: corrupt: Handle.UnmarshalBinary: 1 bytes, want 8
}

func ExampleHandle_Format() {
	h := berth.HandleFromUint64[string](3<<32 | 26)
	fmt.Printf("%v %d %x %8s|%d\n", h, h, h, h, berth.Handle[string]{})
	// Output: 26:3 26:3 1a:3     26:3|none
}
