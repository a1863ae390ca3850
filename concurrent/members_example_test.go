package concurrent_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// Guest is a member of a room.
type Guest struct {
	Name string
	Gone bool // its connection is broken
}

// Members join and leave a room while it is looped over. A loop sees the room at one moment.
func ExampleMembers() {
	var room concurrent.Members[*Guest]
	say := func(text string) {
		for h, g := range room.Snapshot().All() {
			if g.Gone {
				room.Remove(h)
				continue
			}
			fmt.Printf("%s hears %q, one of %d\n", g.Name, text, room.Len())
		}
	}
	ann := room.Insert(&Guest{Name: "ann"})
	room.Insert(&Guest{Name: "bob", Gone: true})
	room.Insert(&Guest{Name: "cyd"})
	say("hello")

	before := room.Snapshot()
	room.Remove(ann)
	dan := room.Insert(&Guest{Name: "dan"}) // in ann's slot
	say("who is here?")
	fmt.Println(before.Contains(ann), room.Contains(ann), before.Contains(dan), room.Contains(dan))
	// Output:
	// ann hears "hello", one of 3
	// cyd hears "hello", one of 2
	// dan hears "who is here?", one of 2
	// cyd hears "who is here?", one of 2
	// true false false true
}

// A member that leaves during a broadcast is still seen by it, and one that joins is not.
func ExampleMembers_Remove() {
	var room concurrent.Members[string]
	room.Insert("ann")
	bob := room.Insert("bob")
	for _, name := range room.Snapshot().All() {
		if name == "ann" {
			room.Remove(bob)
			room.Insert("cyd")
		}
		fmt.Println(name)
	}
	fmt.Println(&room, room.Snapshot().Collect())
	// Output:
	// ann
	// bob
	// concurrent.Members[string](2) [ann cyd]
}

// The fastest loop goes through runs of adjacent values.
func ExampleSnapshot_Span() {
	var m concurrent.Members[int]
	for i := range 100 {
		m.Insert(i)
	}
	sum := 0
	s := m.Snapshot()
	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
		for _, v := range span {
			sum += v
		}
	}
	fmt.Println(sum, s.Len())
	// Output: 4950 100
}

// A server that is started again takes another seed, so that the handles its clients have kept
// find nothing.
func ExampleNewMembers() {
	first, again := concurrent.NewMembers[string](1), concurrent.NewMembers[string](2)
	kept := first.Insert("ann").Uint64() // by a client
	again.Insert("bob")
	fmt.Println(first.Get(berth.HandleFromUint64[string](kept)))
	fmt.Println(again.Get(berth.HandleFromUint64[string](kept)))
	// Output:
	// ann true
	//  false
}
