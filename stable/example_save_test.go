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

// Keys that were good are good after the load, stale ones stay stale, and the next Insert gives the
// same key. Damaged data, or that of another type, is refused.
func ExampleListOf_MarshalBinary() {
	p := stable.New[spot](stable.Config{Seed: 1})
	gone := p.Insert(spot{1, 2})
	k := p.Insert(spot{3, 4})
	p.Remove(gone)
	data, _ := p.MarshalBinary()

	var q stable.List[spot]
	fmt.Println(q.UnmarshalBinary(data))
	fmt.Println(q.Get(k))
	fmt.Println(q.Contains(gone), q.Insert(spot{}) == p.Insert(spot{}))

	var other stable.List[struct{ X, Y float64 }]
	fmt.Println(other.UnmarshalBinary(data))
	data[len(data)-20] ^= 1
	err := q.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, stable.ErrCorrupt), q.Len()) // as before
	// Output:
	// <nil>
	// {3 4} true
	// false true
	// berth: corrupt: ListOf.UnmarshalBinary: another type: field .X is f4, not f8, at byte 16
	// true 2
}

// A list is written to a stream, and read back without what follows.
func ExampleListOf_Encode() {
	p := stable.New[spot](stable.Config{Seed: 1})
	h := p.Insert(spot{1, 2})
	var file bytes.Buffer
	err := p.Encode(&file, nil)
	fmt.Println(err)
	_, _ = file.WriteString("what follows")

	var q stable.List[spot]
	err = q.Decode(&file, nil)
	fmt.Println(err, file.String())
	fmt.Println(q.Get(h))
	// Output:
	// <nil>
	// <nil> what follows
	// {1 2} true
}

// Values with strings or pointers have an encoding of their own.
func ExampleListOf_Decode() {
	p := stable.New[person](stable.Config{Seed: 1})
	h := p.Insert(person{"Ada"})
	p.Insert(person{""})
	var file bytes.Buffer
	fmt.Println(p.Encode(&file, appendPerson))
	data := file.Bytes()

	var q stable.List[person]
	fmt.Println(q.Decode(bytes.NewReader(data), readPerson))
	fmt.Println(q.Get(h))

	var named stable.List[person]
	err := named.Decode(bytes.NewReader(data), func(b []byte, v *person) error {
		if len(b) == 0 {
			return errors.New("no name")
		}
		return readPerson(b, v)
	})
	fmt.Println(strings.HasSuffix(err.Error(), "no name"), named.Len())
	// Output:
	// <nil>
	// <nil>
	// {Ada} true
	// true 0
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
