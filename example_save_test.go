package berth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
	_ "github.com/seed505807e1/berth/save"
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

// A pool that is loaded finds the same handles, and issues the same ones from then on.
func ExamplePool_MarshalBinary() {
	p := berth.NewPool[point](berth.Config{Seed: 1})
	gone := p.Insert(point{1, 2})
	h := p.Insert(point{3, 4})
	p.Remove(gone)
	data, _ := p.MarshalBinary()

	var q berth.Pool[point]
	fmt.Println(q.UnmarshalBinary(data))
	fmt.Println(q.Get(h))
	fmt.Println(q.Contains(gone), q.Insert(point{}) == p.Insert(point{}))

	var other berth.Pool[struct{ X, Y float64 }]
	fmt.Println(other.UnmarshalBinary(data))
	data[len(data)-20] ^= 1
	fmt.Println(errors.Is(q.UnmarshalBinary(data), berth.ErrCorrupt), q.Len())
	// Output:
	// <nil>
	// {3 4} true
	// false true
	// berth: corrupt: Pool.UnmarshalBinary: another type: field .X is f4, not f8, at byte 16
	// true 2
}

func ExampleDense_MarshalBinary() {
	p := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	h := p.Insert(point{3, 4})
	data, _ := p.MarshalBinary()
	text, _ := json.Marshal(p)

	var q, r berth.Dense[point]
	fmt.Println(q.UnmarshalBinary(data), json.Unmarshal(text, &r))
	fmt.Println(*q.Ptr(h), *r.Ptr(h))
	// Output:
	// <nil> <nil>
	// {3 4} {3 4}
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

func ExampleAppendBinary() {
	var p, q berth.Pool[point]
	h := p.Insert(point{1, 2})
	buf := make([]byte, 0, 64<<10) // used for each message
	buf, _ = berth.AppendBinary(&p, buf[:0])
	fmt.Println(q.UnmarshalBinary(buf), *q.Ptr(h))
	// Output: <nil> {1 2}
}

func ExampleDenseAppendBinary() {
	var p, q berth.Dense[point]
	h := p.Insert(point{1, 2})
	buf := make([]byte, 0, 64<<10) // used for each message
	buf, _ = berth.DenseAppendBinary(&p, buf[:0])
	fmt.Println(q.UnmarshalBinary(buf), *q.Ptr(h))
	// Output: <nil> {1 2}
}

func ExampleEncode() {
	var p, q berth.Pool[person]
	h := p.Insert(person{"Ada"})
	var file bytes.Buffer
	fmt.Println(berth.Encode(&p, &file, appendPerson), berth.Decode(&q, &file, readPerson))
	fmt.Println(q.Get(h))
	// Output:
	// <nil> <nil>
	// {Ada} true
}

// An error of the value's encoding leaves the pool unchanged.
func ExampleDecode() {
	p := berth.NewPool[person](berth.Config{Seed: 1})
	p.Insert(person{"Ada"})
	p.Insert(person{""})
	var file bytes.Buffer
	_ = berth.Encode(p, &file, appendPerson)

	var q berth.Pool[person]
	fmt.Println(berth.Decode(&q, &file, func(b []byte, v *person) error {
		if len(b) == 0 {
			return errors.New("no name")
		}
		return readPerson(b, v)
	}))
	fmt.Println(q.Len())
	// Output:
	// berth: Decode: value of 2654435770:1779033703: no name
	// 0
}

func ExampleDenseEncode() {
	var p, q berth.Dense[person]
	h := p.Insert(person{"Ada"})
	var file bytes.Buffer
	fmt.Println(berth.DenseEncode(&p, &file, appendPerson), berth.DenseDecode(&q, &file, readPerson))
	fmt.Println(q.Get(h))
	// Output:
	// <nil> <nil>
	// {Ada} true
}

func ExampleDenseDecode() {
	p := berth.NewDense[person](berth.DenseConfig{Seed: 1})
	p.Insert(person{"Ada"})
	var file bytes.Buffer
	_ = berth.DenseEncode(p, &file, appendPerson)

	var q berth.Dense[person]
	fmt.Println(berth.DenseDecode(&q, &file, func([]byte, *person) error {
		return errors.New("unknown format")
	}))
	// Output: berth: DenseDecode: value of 2654435769:1779033703: unknown format
}

// A mirror gets some of a server's values, in any order, under the same handles.
func ExampleInsertAt() {
	server := berth.NewPool[point](berth.Config{Seed: 1})
	mirror := berth.NewPool[point](berth.Config{Seed: 1})
	a := server.Insert(point{1, 1})
	b := server.Insert(point{2, 2})

	fmt.Println(berth.InsertAt(mirror, b, point{2, 2}))
	fmt.Println(mirror.Get(b))
	fmt.Println(mirror.Contains(a))
	fmt.Println(errors.Is(berth.InsertAt(mirror, b, point{}), berth.ErrTaken))
	// Output:
	// <nil>
	// {2 2} true
	// false
	// true
}

func ExampleDenseInsertAt() {
	server := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	mirror := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	h := server.Insert(point{1, 1})
	fmt.Println(berth.DenseInsertAt(mirror, h, point{1, 1}), mirror.Slice())
	fmt.Println(errors.Is(berth.DenseInsertAt(mirror, h, point{}), berth.ErrTaken))
	// Output:
	// <nil> [{1 1}]
	// true
}

// Clone saves the state before a risky frame, and CopyFrom restores it.
func ExamplePool_CopyFrom() {
	var p berth.Pool[point]
	h := p.Insert(point{1, 1})
	saved := p.Clone()
	p.Ptr(h).X = 9
	p.Insert(point{})

	p.CopyFrom(saved)
	fmt.Println(*p.Ptr(h), p.Len())
	// Output: {1 1} 1
}

func ExampleDense_CopyFrom() {
	var d berth.Dense[point]
	h := d.Insert(point{1, 1})
	saved := d.Clone()
	d.Ptr(h).X = 9
	d.Insert(point{})

	d.CopyFrom(saved)
	fmt.Println(d.Slice())
	// Output: [{1 1}]
}
