package berth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
)

func ExampleDense_MarshalBinary() {
	p := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	gone := p.Insert(point{1, 2})
	h := p.Insert(point{3, 4})
	p.Remove(gone)
	data, _ := p.MarshalBinary()

	var q berth.Dense[point]
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

func ExampleDense_UnmarshalBinary() {
	p := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	p.Insert(point{1, 2})
	data, _ := p.MarshalBinary()
	data[len(data)-20] ^= 1

	var q berth.Dense[point]
	err := q.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, berth.ErrCorrupt), q.Len())

	var other berth.Dense[struct{ X, Y float64 }]
	data, _ = p.MarshalBinary()
	fmt.Println(other.UnmarshalBinary(data))
	// Output:
	// true 0
	// berth: corrupt: Dense.UnmarshalBinary: another type: field .X is f4, not f8, at byte 16
}

func ExampleDenseAppendBinary() {
	p := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	h := p.Insert(point{1, 2})
	buf := make([]byte, 0, 64<<10) // used for each message
	buf, _ = berth.DenseAppendBinary(p, buf[:0])

	var q berth.Dense[point]
	_ = q.UnmarshalBinary(buf)
	fmt.Println(q.Get(h))
	// Output: {1 2} true
}

func ExampleDenseEncode() {
	p := berth.NewDense[person](berth.DenseConfig{Seed: 1})
	h := p.Insert(person{"Ada"})
	var file bytes.Buffer
	fmt.Println(berth.DenseEncode(p, &file, appendPerson))

	var q berth.Dense[person]
	fmt.Println(berth.DenseDecode(&q, &file, readPerson))
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// <nil>
	// {Ada} true
}

func ExampleDenseDecode() {
	p := berth.NewDense[person](berth.DenseConfig{Seed: 1})
	p.Insert(person{"Ada"})
	p.Insert(person{""})
	var file bytes.Buffer
	_ = berth.DenseEncode(p, &file, appendPerson)

	var q berth.Dense[person]
	err := berth.DenseDecode(&q, &file, func(b []byte, v *person) error {
		if len(b) == 0 {
			return errors.New("no name")
		}
		return readPerson(b, v)
	})
	fmt.Println(err)
	fmt.Println(q.Len())
	// Output:
	// berth: DenseDecode: value of 2654435770:1779033703: no name
	// 0
}

func ExampleDense_MarshalJSON() {
	type level struct {
		People berth.Dense[person] // a pointer to level finds its methods
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

func ExampleDense_UnmarshalJSON() {
	p := berth.NewDense[person](berth.DenseConfig{Seed: 1})
	h := p.Insert(person{"Ada"})
	data, _ := json.Marshal(p)

	var q berth.Dense[person]
	fmt.Println(json.Unmarshal(data, &q))
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// {Ada} true
}

func ExampleDenseInsertAt() {
	server := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	mirror := berth.NewDense[point](berth.DenseConfig{Seed: 1})
	a := server.Insert(point{1, 1})
	b := server.Insert(point{2, 2})

	fmt.Println(berth.DenseInsertAt(mirror, b, point{2, 2})) // in any order, and only some
	fmt.Println(mirror.Get(b))
	fmt.Println(mirror.Contains(a))
	fmt.Println(errors.Is(berth.DenseInsertAt(mirror, b, point{}), berth.ErrTaken))
	// Output:
	// <nil>
	// {2 2} true
	// false
	// true
}

func ExampleDenseCopyFrom() {
	var p, saved berth.Dense[point]
	h := p.Insert(point{1, 1})
	berth.DenseCopyFrom(&saved, &p)
	p.Ptr(h).X = 9
	p.Insert(point{})

	berth.DenseCopyFrom(&p, &saved)
	fmt.Println(p.Get(h))
	fmt.Println(p.Len())
	// Output:
	// {1 1} true
	// 1
}
