package berth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed505807e1/berth"
)

// point is a value without pointers, and can be saved as it lies in memory.
type point struct {
	X, Y float32
}

// person has a string, and needs an encoding of its own.
type person struct {
	Name string
}

// appendPerson and readPerson are the encoding of a person.
func appendPerson(b []byte, v *person) ([]byte, error) { return append(b, v.Name...), nil }
func readPerson(b []byte, v *person) error             { v.Name = string(b); return nil }

func ExamplePool_MarshalBinary() {
	p := berth.NewPool[point](berth.Config{Seed: 1})
	gone := p.Insert(point{1, 2})
	h := p.Insert(point{3, 4})
	p.Remove(gone)
	data, _ := p.MarshalBinary()

	var q berth.Pool[point]
	fmt.Println(q.UnmarshalBinary(data))
	fmt.Println(q.Get(h))
	fmt.Println(q.Contains(gone))
	fmt.Println(q.Insert(point{}) == p.Insert(point{}))
	// Output:
	// <nil>
	// {3 4} true
	// false
	// true
}

func ExamplePool_UnmarshalBinary() {
	p := berth.NewPool[point](berth.Config{Seed: 1})
	p.Insert(point{1, 2})
	data, _ := p.MarshalBinary()
	data[len(data)-20] ^= 1

	var q berth.Pool[point]
	err := q.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, berth.ErrCorrupt), q.Len())

	var other berth.Pool[struct{ X, Y float64 }]
	data, _ = p.MarshalBinary()
	fmt.Println(other.UnmarshalBinary(data))
	// Output:
	// true 0
	// berth: corrupt: Pool.UnmarshalBinary: another type: field .X is f4, not f8, at byte 16
}

func ExampleAppendBinary() {
	p := berth.NewPool[point](berth.Config{Seed: 1})
	h := p.Insert(point{1, 2})
	buf := make([]byte, 0, 64<<10) // used for each message
	buf, _ = berth.AppendBinary(p, buf[:0])

	var q berth.Pool[point]
	_ = q.UnmarshalBinary(buf)
	fmt.Println(q.Get(h))
	// Output: {1 2} true
}

func ExampleEncode() {
	p := berth.NewPool[person](berth.Config{Seed: 1})
	h := p.Insert(person{"Ada"})
	var file bytes.Buffer
	fmt.Println(berth.Encode(p, &file, appendPerson))

	var q berth.Pool[person]
	fmt.Println(berth.Decode(&q, &file, readPerson))
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// <nil>
	// {Ada} true
}

func ExampleDecode() {
	p := berth.NewPool[person](berth.Config{Seed: 1})
	p.Insert(person{"Ada"})
	p.Insert(person{""})
	var file bytes.Buffer
	_ = berth.Encode(p, &file, appendPerson)

	var q berth.Pool[person]
	err := berth.Decode(&q, &file, func(b []byte, v *person) error {
		if len(b) == 0 {
			return errors.New("no name")
		}
		return readPerson(b, v)
	})
	fmt.Println(strings.HasSuffix(err.Error(), "no name"), q.Len())
	// Output: true 0
}

func ExamplePool_MarshalJSON() {
	type level struct {
		People berth.Pool[person] // a pointer to level finds its methods
	}
	var a, b level
	h := a.People.Insert(person{"Ada"})
	data, err := json.Marshal(&a)
	fmt.Println(err, json.Unmarshal(data, &b))
	fmt.Println(b.People.Get(h))
	// Output:
	// <nil> <nil>
	// {Ada} true
}

func ExamplePool_UnmarshalJSON() {
	p := berth.NewPool[person](berth.Config{Seed: 1})
	h := p.Insert(person{"Ada"})
	data, _ := json.Marshal(p)

	var q berth.Pool[person]
	fmt.Println(json.Unmarshal(data, &q))
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// {Ada} true
}

func ExampleInsertAt() {
	server := berth.NewPool[point](berth.Config{Seed: 1})
	mirror := berth.NewPool[point](berth.Config{Seed: 1})
	a := server.Insert(point{1, 1})
	b := server.Insert(point{2, 2})

	fmt.Println(berth.InsertAt(mirror, b, point{2, 2})) // in any order, and only some
	fmt.Println(mirror.Get(b))
	fmt.Println(mirror.Contains(a))
	fmt.Println(errors.Is(berth.InsertAt(mirror, b, point{}), berth.ErrTaken))
	// Output:
	// <nil>
	// {2 2} true
	// false
	// true
}

func ExampleCopyFrom() {
	var p, saved berth.Pool[point]
	h := p.Insert(point{1, 1})
	berth.CopyFrom(&saved, &p)
	p.Ptr(h).X = 9
	p.Insert(point{})

	berth.CopyFrom(&p, &saved)
	fmt.Println(p.Get(h))
	fmt.Println(p.Len())
	// Output:
	// {1 1} true
	// 1
}
