package stable

import (
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/wire"
)

// This is the only file of the package that uses unsafe. Its rules:
//
//  1. A *ListOf points to a core: they have the same fields, and a slice begins as an array does.
//     TestCoreLayout compares them.
//  2. A ref is the address of one value or of adjacent ones. Only this file makes one from a
//     pointer, and only this file moves one, by whole values within the memory that it points into.
//  3. Outside this file a ref becomes a *T only where T is the type of the values.
//  4. Values are copied and cleared as values of their type, in do, so the collector sees each
//     pointer that is written. Only values without any are read and written as bytes.

// ref is the address of values of a type that the code that has it does not know.
type ref = unsafe.Pointer

// core is a ListOf whose element type is known only to its kind. Code that just reads or moves
// values works on a core, so it is compiled once for all element types.
type core[I Index, D Identifier[D]] struct {
	_     nocopy.NoCopy
	ids   []D
	vals  array
	kind  kind
	hooks ref
	state[I, D]
}

// array is a slice of values of a type that only a kind knows.
type array struct {
	first  ref
	n, cap int
}

// kind is what a core knows of the type of its values.
type kind struct {
	typed itemType // nil before the first change
	size  uintptr  // of a value
}

// itemType is the nil pointer to an item of some type.
type itemType interface {
	// do allocates n zeroed values and returns them, or copies or clears n adjacent values.
	do(op operation, to, from ref, n int) ref
}

// item is a value.
type item[T any] struct {
	v T //nolint:unused // its type is that of the values
}

// operation is one that needs the type of the values.
type operation uint8

const (
	opMake operation = iota
	opCopy
	opClear
)

//go:noinline
func (*item[T]) do(op operation, to, from ref, n int) ref {
	switch op {
	case opMake:
		return ref(unsafe.SliceData(make([]T, n)))
	case opCopy:
		copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
	case opClear:
		clear(unsafe.Slice((*T)(to), n))
	}
	return nil
}

// elem returns the type of the values.
func (k *kind) elem() reflect.Type { return reflect.TypeOf(k.typed).Elem().Field(0).Type }

// wire returns the encoding of the values.
func (k *kind) wire() wire.Type { return wire.TypeOf(k.elem()) }

// make returns an empty array with room for n values.
func (k *kind) make(n int) array { return array{k.typed.do(opMake, nil, nil, n), 0, n} }

// at returns value i of those that begin at first.
func (k *kind) at(first ref, i int) ref { return unsafe.Add(first, uintptr(i)*k.size) }

// copy copies n adjacent values.
func (k *kind) copy(to, from ref, n int) { k.typed.do(opCopy, to, from, n) }

// clear sets the values from i to before end to zero, of those that begin at first.
func (k *kind) clear(first ref, i, end int) {
	if i < end {
		k.typed.do(opClear, k.at(first, i), nil, end-i)
	}
}

// bytesAt returns the memory of n adjacent values of the given size, which have no Go pointers.
func bytesAt(first ref, n int, size uintptr) []byte {
	if size == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(first), uintptr(n)*size)
}

// bytesIn returns the memory of vals. E must have no pointers, since the caller may write to it.
func bytesIn[E any](vals []E) []byte {
	var zero E
	return bytesAt(ref(unsafe.SliceData(vals)), len(vals), unsafe.Sizeof(zero))
}

// sliceOf returns the slice of one element that is *v.
func sliceOf[E any](v *E) []E { return unsafe.Slice(v, 1) }

// state is what a list has apart from values and hooks.
type state[I Index, D Identifier[D]] struct {
	n    int
	size int // slots to fill before the list must grow; a multiple of 4 under Quartered

	quick   int    // an insert below it needs neither growth nor hooks
	changes uint64 // counts inserts, removals and Clear, for Spans and removes
	others  uint64 // changes less inserts and removals, modulo 2^64

	past *past[D] // nil unless under berth_poison

	last    D // the identifier given last, or the start
	firstID D // the identifier given first, which is never given again; zero before

	place    Placement
	truncate berth.Truncate
	started  bool
	min      int

	low  freelist.Lowest // under FirstFree
	heap heap[I]         // under FirstFreeHeap, firstFreeHeapWalk
	q    quarters[I]     // under Quartered, quarteredStepwise

	truncations uint64
	grown       uint64 // pieces of memory that ids and vals have had
	visits      uint64 // apart from those of q
}
