package plain_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/plain"
)

type (
	enemy struct {
		Health int
		Name   string
	}
	deep struct {
		Pos  [2]float64
		Crew [3]struct{ Who [4]enemy }
	}
	pure struct {
		_ [0]*int
		A [4]uint16
		B struct{ C complex128 }
		D uintptr
	}
	pair[A, B any] struct {
		A A
		B B
	}
)

func check[T any](t *testing.T, want string) {
	t.Helper()
	for range 2 { // the second result is cached
		if got := plain.Pointer(reflect.TypeFor[T]()); got != want {
			t.Errorf("Pointer(%v) = %q, want %q", reflect.TypeFor[T](), got, want)
		}
	}
}

func TestPointer(t *testing.T) {
	check[int](t, "")
	check[pure](t, "")
	check[struct{}](t, "")
	check[[0]string](t, "")
	check[string](t, "string")
	check[*int](t, "*int")
	check[[]byte](t, "[]uint8")
	check[any](t, "interface {}")
	check[error](t, "error")
	check[func()](t, "func()")
	check[map[int]int](t, "map[int]int")
	check[chan int](t, "chan int")
	check[unsafe.Pointer](t, "unsafe.Pointer")
	check[enemy](t, "enemy.Name: string")
	check[[2]enemy](t, "[2]plain_test.enemy[0].Name: string")
	check[deep](t, "deep.Crew[0].Who[0].Name: string")
	check[struct{ E enemy }](t, "struct { E plain_test.enemy }.E.Name: string")
	check[pair[int, *int]](t, "pair[int,*int].B: *int")
}

func TestBytewise(t *testing.T) {
	bytewise := func(want bool, types ...reflect.Type) {
		t.Helper()
		for _, typ := range types {
			for range 2 { // the second result is cached
				if got := plain.Bytewise(typ); got != want {
					t.Errorf("Bytewise(%v) = %t, want %t", typ, got, want)
				}
			}
		}
	}
	bytewise(true, reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[[3]uint16](), reflect.TypeFor[[0]string](), reflect.TypeFor[struct{}](),
		reflect.TypeFor[pair[int32, [2]int16]](), reflect.TypeFor[[2]pair[bool, uint8]](),
		reflect.TypeFor[struct {
			_    [0]*int
			A, B uint32
		}]())
	bytewise(false, reflect.TypeFor[float32](), reflect.TypeFor[complex64](),
		reflect.TypeFor[[1]float64](), reflect.TypeFor[string](), reflect.TypeFor[any](),
		reflect.TypeFor[*int](), reflect.TypeFor[unsafe.Pointer](),
		reflect.TypeFor[pair[uint32, uint16]](), reflect.TypeFor[pair[uint8, uint16]](),
		reflect.TypeFor[[2]pair[uint16, uint8]](), reflect.TypeFor[pair[int, float64]](),
		reflect.TypeFor[struct{ A, _ uint32 }](),
		reflect.TypeFor[pair[uint32, [0]uint32]]()) // padded, so that the array has an address
}
