package stable

import (
	"reflect"
	"testing"
)

// sameLayout fails unless a list of Ts may be read as a core.
func sameLayout[T any, I Index, D Identifier[D]](t *testing.T) {
	t.Helper()
	typed, as := reflect.TypeFor[ListOf[T, I, D]](), reflect.TypeFor[core[I, D]]()
	if typed.Size() != as.Size() || typed.NumField() != as.NumField() {
		t.Fatalf("%v: %d bytes and %d fields, %v has %d and %d",
			typed, typed.Size(), typed.NumField(), as, as.Size(), as.NumField())
	}
	for i := range as.NumField() {
		a, b := typed.Field(i), as.Field(i)
		if a.Name != b.Name || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() ||
			b.Name != "vals" && b.Name != "hooks" && a.Type != b.Type {
			t.Errorf("%v: field %d is %v, that of %v is %v", typed, i, a, as, b)
		}
	}
	if k := coreOf(new(ListOf[T, I, D])).kind; k.size != reflect.TypeFor[T]().Size() || k.elem() != reflect.TypeFor[T]() {
		t.Errorf("the kind of %v is %+v", reflect.TypeFor[T](), k)
	}
}

func TestCoreLayout(t *testing.T) {
	sameLayout[byte, uint16, Counter32](t)
	sameLayout[struct{}, uint32, Counter64](t)
	sameLayout[[]string, uint64, wordID](t)
	sameLayout[*int, uint32, bytesID](t)
	var vals []int
	if vals = append(vals, 1, 2, 3); *(*array)(ref(&vals)) != (array{ref(&vals[0]), 3, cap(vals)}) {
		t.Error("a slice is not an array")
	}
}
