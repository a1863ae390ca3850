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
	message, _ := json.Marshal(map[berth.Handle[enemy]]string{tank: "tank", drone: "drone"})
	fmt.Println(string(message))
	answer, _ := json.Marshal(order{Unit: tank, Target: drone})
	fmt.Println(string(answer))

	// The drone has been removed meanwhile, and another enemy has its slot.
	server.Remove(drone)
	server.Insert(enemy{"boss", 1000})
	var received order
	fmt.Println(json.Unmarshal(answer, &received))
	fmt.Println(server.Ptr(received.Unit).name, server.Contains(received.Target))
	// Output:
	// {"2654435769:1779033703":"tank","2654435770:1779033703":"drone"}
	// {"Unit":"2654435769:1779033703","Target":"2654435770:1779033703"}
	// <nil>
	// tank false
}

// The text of a handle is read back, also by package flag.
func ExampleHandle_UnmarshalText() {
	var h berth.Handle[enemy]
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.TextVar(&h, "enemy", berth.Handle[enemy]{}, "the `handle` of an enemy")
	fmt.Println(flags.Parse([]string{"-enemy", "7:3"}), h)
	err := h.UnmarshalText([]byte("7:three"))
	fmt.Println(err, errors.Is(err, berth.ErrCorrupt), h)
	// Output:
	// <nil> 7:3
	// berth: corrupt: Handle.UnmarshalText: generation: "three" is not a decimal number true 7:3
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
	fmt.Println(got == sent, pool.Ptr(got.Unit).name, got.Target.IsZero())
	fmt.Println(got.Unit.UnmarshalBinary([]byte{7}))
	// Output:
	// true tank true
	// berth: corrupt: Handle.UnmarshalBinary: 1 bytes, want 8
}

func ExampleHandle_Format() {
	h := berth.HandleFromUint64[string](3<<32 | 26)
	fmt.Printf("%v %d %x %8s|%d\n", h, h, h, h, berth.Handle[string]{})
	// Output: 26:3 26:3 1a:3     26:3|none
}

// A uint64 is a shorter key of a map than a handle, and hashes faster.
func ExampleHandleFromUint64() {
	var p berth.Pool[string]
	h := p.Insert("sword")
	owner := map[uint64]string{h.Uint64(): "alice"}
	for key, name := range owner {
		fmt.Println(name, *p.Ptr(berth.HandleFromUint64[string](key)))
		fmt.Println(p.Ptr(berth.HandleFromUint64[string](key + 1<<40))) // was never issued
	}
	// Output:
	// alice sword
	// <nil>
}

// A graphics card stores 32 bits for each object: 20 for the slot, and 12 that tell an old number
// from the present one for 4096 lives of the slot.
func ExampleCompact() {
	var objects berth.Pool[enemy]
	drone := objects.Insert(enemy{"drone", 10})
	id, ok := berth.Compact(&objects, drone, 20)
	h := berth.Expand(&objects, id, 20)
	fmt.Println(ok, h == drone, objects.Ptr(h).name)

	objects.Delete(drone)
	objects.Insert(enemy{"boss", 1000}) // in its slot
	fmt.Println(berth.Expand(&objects, id, 20))
	// Output:
	// true true drone
	// none
}

// Expand finds what a click on a pixel hit, whose number a graphics card has written.
func ExampleExpand() {
	var objects berth.Pool[enemy]
	id, _ := berth.Compact(&objects, objects.Insert(enemy{"drone", 10}), 20)
	fmt.Println(objects.Ptr(berth.Expand(&objects, id, 20)).name, berth.Expand(&objects, 77, 20).IsZero())
	// Output: drone true
}
