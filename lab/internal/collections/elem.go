package collections

import (
	"reflect"
	"strings"
)

// Elem is an element of the value workloads. V is the number that they add up, and Pad fills the
// element up to its size. The element is a struct of words, as the values of programs are, and not
// an array. Go keeps a struct of up to four words in registers, and an array of two or more
// elements in memory. It writes such an array in steps of 8 bytes and copies it in steps of 16,
// which wait for the writes. A loop of inserts would then measure the construction of its element.
type Elem[P Pad] struct {
	Pad P // first: after V, a Pad of size 0 would enlarge the struct
	V   uint64
}

// Pad fills an Elem up to its size.
type Pad interface {
	None | Words3 | Words15 | Array3 | Pointers
}

type (
	None     = struct{}                 // 8 bytes in all
	Words3   = struct{ A, B, C uint64 } // 32 bytes
	Array3   = [3]uint64                // 32 bytes
	Pointers = struct {                 // 32 bytes
		Ptr  *int
		Name string
	}
	Words15 = struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O uint64 } // 128 bytes
)

// PadOf returns the pad of all elements of a loop. It is not inlined, so that the compiler does not
// know the pad.
//
//go:noinline
func PadOf[P Pad]() (pad P) {
	switch p := any(&pad).(type) {
	case *Words3:
		*p = Words3{A: 1, B: 2, C: 3}
	case *Words15:
		*p = Words15{A: 1, B: 2, C: 3, M: 13, N: 14, O: 15}
	case *Array3:
		*p = Array3{1, 2, 3}
	case *Pointers:
		*p = Pointers{Ptr: new(int), Name: strings.Clone("name")}
	}
	return pad
}

// Of returns the element of value v.
func Of[P Pad](pad P, v uint64) Elem[P] { return Elem[P]{Pad: pad, V: v} }

// With returns k with the Values of each size, and with two more the Kinds of words, array and
// pointers. They are concrete instances, not in use, so the compiler knows the element's size.
func (k Kit) With(e8, e32, e128 Values, more ...Values) Kit {
	sizes := map[int]Values{8: e8, 32: e32, 128: e128}
	k.Values = func(elemBytes int) Values { return another(sizes[elemBytes]) }
	if len(more) > 0 {
		k.Kinds = func(k Kind) Values { return another(append([]Values{e32}, more...)[k]) }
	}
	return k
}

// another returns a copy of v, which points to a struct that is not in use.
func another(v Values) Values {
	old := reflect.ValueOf(v).Elem()
	c := reflect.New(old.Type())
	c.Elem().Set(old)
	return c.Interface().(Values)
}

// Kind is the make-up of an element of 32 bytes.
type Kind int

// The kinds, by the pad of their elements.
const (
	OfWords    Kind = iota // Words3
	OfArray                // Array3
	OfPointers             // Pointers
)
