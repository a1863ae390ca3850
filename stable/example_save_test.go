package stable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed505807e1/berth/stable"
)

// spot is a value without pointers, and can be saved as it lies in memory.
type spot struct {
	X, Y float32
}

// person has a string, and needs an encoding of its own.
type person struct {
	Name string
}

// appendPerson and readPerson are the encoding of a person.
func appendPerson(b []byte, v *person) ([]byte, error) { return append(b, v.Name...), nil }
func readPerson(b []byte, v *person) error             { v.Name = string(b); return nil }

func ExampleListOf_MarshalBinary() {
	p := stable.New[spot](stable.Config{Seed: 1})
	gone := p.Insert(spot{1, 2})
	h := p.Insert(spot{3, 4})
	p.Remove(gone)
	data, _ := p.MarshalBinary()

	var q stable.List[spot]
	fmt.Println(q.UnmarshalBinary(data))
	fmt.Println(q.Get(h))
	fmt.Println(q.Contains(gone))
	fmt.Println(q.Insert(spot{}) == p.Insert(spot{}))
	// Output:
	// <nil>
	// {3 4} true
	// false
	// true
}

func ExampleListOf_UnmarshalBinary() {
	p := stable.New[spot](stable.Config{Seed: 1})
	p.Insert(spot{1, 2})
	data, _ := p.MarshalBinary()
	data[len(data)-20] ^= 1

	var q stable.List[spot]
	err := q.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, stable.ErrCorrupt), q.Len())

	var other stable.List[struct{ X, Y float64 }]
	data, _ = p.MarshalBinary()
	fmt.Println(other.UnmarshalBinary(data))
	// Output:
	// true 0
	// berth: corrupt: ListOf.UnmarshalBinary: another type: field .X is f4, not f8, at byte 16
}

func ExampleListOf_AppendBinary() {
	p := stable.New[spot](stable.Config{Seed: 1})
	h := p.Insert(spot{1, 2})
	buf := make([]byte, 0, 64<<10) // used for each message
	buf, _ = p.AppendBinary(buf[:0])

	var q stable.List[spot]
	_ = q.UnmarshalBinary(buf)
	fmt.Println(q.Get(h))
	// Output: {1 2} true
}

func ExampleListOf_WriteTo() {
	p := stable.New[spot](stable.Config{Seed: 1})
	h := p.Insert(spot{1, 2})
	var file bytes.Buffer
	n, err := p.WriteTo(&file)
	fmt.Println(n == int64(file.Len()), err)

	var q stable.List[spot]
	_, err = q.ReadFrom(&file)
	fmt.Println(err)
	fmt.Println(q.Get(h))
	// Output:
	// true <nil>
	// <nil>
	// {1 2} true
}

func ExampleListOf_ReadFrom() {
	p := stable.New[spot](stable.Config{Seed: 1})
	p.Insert(spot{1, 2})
	var file bytes.Buffer
	_, _ = p.WriteTo(&file)
	_, _ = file.WriteString("what follows")

	var q stable.List[spot]
	_, err := q.ReadFrom(&file)
	fmt.Println(q.Len(), err, file.String())
	// Output: 1 <nil> what follows
}

func ExampleListOf_Encode() {
	p := stable.New[person](stable.Config{Seed: 1})
	h := p.Insert(person{"Ada"})
	var file bytes.Buffer
	fmt.Println(p.Encode(&file, appendPerson))

	var q stable.List[person]
	fmt.Println(q.Decode(&file, readPerson))
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// <nil>
	// {Ada} true
}

func ExampleListOf_Decode() {
	p := stable.New[person](stable.Config{Seed: 1})
	p.Insert(person{"Ada"})
	p.Insert(person{""})
	var file bytes.Buffer
	_ = p.Encode(&file, appendPerson)

	var q stable.List[person]
	err := q.Decode(&file, func(b []byte, v *person) error {
		if len(b) == 0 {
			return errors.New("no name")
		}
		return readPerson(b, v)
	})
	fmt.Println(strings.HasSuffix(err.Error(), "no name"), q.Len())
	// Output: true 0
}

func ExampleListOf_MarshalJSON() {
	p := stable.New[person](stable.Config{Seed: 1})
	p.Insert(person{"Ada"})
	_, err := json.Marshal(p)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))

	all := map[stable.ListKey[person]]*person{} // instead
	for k, v := range p.All() {
		all[k] = v
	}
	data, err := json.Marshal(all)
	fmt.Println(string(data), err)
	// Output:
	// true
	// {"0:2654435770":{"Name":"Ada"}} <nil>
}

func ExampleListOf_UnmarshalJSON() {
	var p stable.List[person]
	err := json.Unmarshal([]byte("{}"), &p)
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output: true
}
