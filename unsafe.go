package berth

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// This is the only file of the package that uses unsafe, apart from tests. Its rules:
//
//  1. A *Pool[T] and a *slotTable point to a core, and a *Dense[T] to a dense: they have the same
//     fields. A slice begins as an array does, and a block with its head. TestCoreLayout compares
//     them.
//  2. A ref is the address of one value or of adjacent ones in a block or an array, of a value
//     outside, or of the first of some blocks. Only this file makes one from a pointer or from
//     bytes, and only this file moves one, by whole values or blocks within the memory that it
//     points into. A uintptr never holds an address.
//  3. Outside this file a ref becomes a *T only where T is the type of the values.
//  4. Values with Go pointers are copied and cleared as values of their type, in do, so the
//     collector sees each pointer that is written. Only values without any move as bytes or words.
//  5. Memory from a Memory holds only values without Go pointers.

// ref is an address in a container whose type of values the code that has it does not know.
type ref = unsafe.Pointer

// refTo returns the address of v.
func refTo[V any](v *V) ref { return ref(v) }

// core is a Pool whose values have a type that only its kind knows.
type core struct {
	_   nocopy.NoCopy
	dir []*head
	state
}

// coreOf returns p as its core, for a change.
func coreOf[T any](p *Pool[T]) *core { return coreAt(ref(p), (*block[T])(nil)) }

// coreAt returns the core at p for a change. block has a method for its values.
//
//go:noinline
func coreAt(p ref, block blockType) *core {
	c := (*core)(p)
	if c.kind == nil {
		c.kind = kindOf(block)
	}
	return c
}

// look returns p as its core, for a call that needs no kind, or does nothing if p has none yet.
func look[T any](p *Pool[T]) *core { return (*core)(ref(p)) }

// lookAny is look for pool, a *Pool of any type of values.
func lookAny(pool any) *core { return (*core)(reflect.ValueOf(pool).UnsafePointer()) }

// core returns t as its core, for a change.
func (t *slotTable) core() *core { return coreAt(ref(t), (*block[uint32])(nil)) }

// look returns t as its core, for a call that changes nothing.
func (t *slotTable) look() *core { return (*core)(ref(t)) }

// poolOf returns t as a Pool, for the code that records the changes of one.
func poolOf(t *slotTable) *Pool[uint32] { return (*Pool[uint32])(ref(t)) }

// dense is a Dense whose values have a type that only its kind knows.
type dense struct {
	_    nocopy.NoCopy
	vals array
	denseState
}

// array is a slice of values of a type that only a kind knows.
type array struct {
	first  ref
	n, cap int
}

// denseOf returns d without its type of values, for a change.
func denseOf[T any](d *Dense[T]) *dense { return denseAt(ref(d), (*block[T])(nil)) }

// denseAt returns the dense at d for a change. block has a method for its values.
//
//go:noinline
func denseAt(d ref, block blockType) *dense {
	c := (*dense)(d)
	if c.kind == nil {
		c.kind = kindOf(block)
	}
	return c
}

// lookDense returns d without its type of values, for a call that needs no kind unless d has one.
func lookDense[T any](d *Dense[T]) *dense { return (*dense)(ref(d)) }

// blockOf returns the block that begins with h.
func blockOf[T any](h *head) *block[T] { return (*block[T])(ref(h)) }

// kind is what a core knows of the type of its values.
type kind struct {
	t     any     // the reflect.Type; see typeOf
	size  uintptr // of a value
	block uintptr // size of a block
	align int     // of a block
	flat  bool    // no Go pointers
	words int     // number of 8-byte words of a flat value that consists of at most 8 of them, or 0
	typed blockType
}

// typeOf returns the type of the values of k. No field or method of the core has a reflect.Type: it
// has methods with iterators, and the compiler would make 57 functions in each package with a Pool.
func typeOf(k *kind) reflect.Type { return k.t.(reflect.Type) }

// blockType is the nil pointer to a block of values of some type.
type blockType interface {
	// do allocates n zeroed blocks or values on Go's heap and returns them, or copies or clears n
	// adjacent values.
	do(op operation, to, from ref, n int) ref
}

// operation is one that needs the type of the values.
type operation uint8

const (
	opAlloc operation = iota
	opMake
	opCopyOne
	opClearOne
	opCopy
	opClear
)

//go:noinline
func (*block[T]) do(op operation, to, from ref, n int) ref {
	switch op {
	case opAlloc:
		return ref(unsafe.SliceData(make([]block[T], n)))
	case opMake:
		return ref(unsafe.SliceData(make([]T, n)))
	case opCopyOne:
		*(*T)(to) = *(*T)(from)
	case opClearOne:
		var zero T
		*(*T)(to) = zero
	case opCopy:
		copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
	case opClear:
		clear(unsafe.Slice((*T)(to), n))
	}
	return nil
}

// kinds has the kind of each type of blocks of the process.
var kinds sync.Map

// kindOf returns the kind of the values of block.
//
//go:noinline
func kindOf(block blockType) *kind {
	t := reflect.TypeOf(block).Elem()
	k, ok := kinds.Load(t)
	if !ok {
		vals, _ := t.FieldByName("vals")
		v := vals.Type.Elem()
		n := &kind{
			t: v, size: v.Size(), block: t.Size(), align: int(unsafe.Alignof(head{})),
			flat: plain.Pointer(v) == "", typed: block,
		}
		if n.flat && n.size <= 64 && n.size%8 == 0 && v.Align() == 8 {
			n.words = int(n.size / 8)
		}
		k, _ = kinds.LoadOrStore(t, n)
	}
	return k.(*kind)
}

// alloc returns n zeroed blocks on Go's heap.
func (k *kind) alloc(n int) ref { return k.typed.do(opAlloc, nil, nil, n) }

// make returns n zeroed values on Go's heap.
func (k *kind) make(n int) ref { return k.typed.do(opMake, nil, nil, n) }

// nth returns block i of those that begin at first.
func (k *kind) nth(first ref, i int) *head {
	return (*head)(unsafe.Add(first, uintptr(i)*k.block))
}

// at returns value i of those that begin at first.
func (k *kind) at(first ref, i int) ref { return valueAt(first, i, k.size) }

// valueAt returns value i of adjacent values of the given size.
func valueAt(first ref, i int, size uintptr) ref { return unsafe.Add(first, uintptr(i)*size) }

// val returns the value of slot i of b.
func (k *kind) val(b *head, i int) ref {
	return valueAt(valsOf(b), i&63, k.size)
}

// valsOf returns the first value of b.
func valsOf(b *head) ref { return unsafe.Add(ref(b), headBytes) }

// headBytes is the offset of the values in a block. It is a multiple of every alignment.
const headBytes = unsafe.Sizeof(head{})

// copy copies n adjacent values.
func (k *kind) copy(to, from ref, n int) {
	if n == 1 && k.words > 0 { // a call of memmove takes longer
		for i := range k.words {
			*(*uint64)(unsafe.Add(to, i*8)) = *(*uint64)(unsafe.Add(from, i*8))
		}
		return
	}
	if k.flat {
		copy(bytesAt(to, n, k.size), bytesAt(from, n, k.size))
		return
	}
	if n == 1 {
		k.typed.do(opCopyOne, to, from, 1)
		return
	}
	k.typed.do(opCopy, to, from, n)
}

// clear sets n adjacent values to zero.
func (k *kind) clear(at ref, n int) {
	if n == 1 && k.words > 0 {
		for i := range k.words {
			*(*uint64)(unsafe.Add(at, i*8)) = 0
		}
		return
	}
	if k.flat {
		clear(bytesAt(at, n, k.size))
		return
	}
	if n == 1 {
		k.typed.do(opClearOne, at, nil, 1)
		return
	}
	k.typed.do(opClear, at, nil, n)
}

// bytesAt returns the memory of n adjacent values of the given size, which have no Go pointers.
func bytesAt(first ref, n int, size uintptr) []byte {
	if size == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(first), uintptr(n)*size)
}

// firstOf returns the address of the first of vals, values or the bytes of a piece from a Memory.
func firstOf[V any](vals []V) ref { return ref(unsafe.SliceData(vals)) }

// aligned reports whether the address of b is a multiple of align.
func aligned(b []byte, align uintptr) bool { return uintptr(firstOf(b))%align == 0 }

// valuesIn returns the memory b as n values. b must have room for them, and their alignment. T must
// have no Go pointers.
func valuesIn[T any](b []byte, n int) []T {
	var zero T
	size := unsafe.Sizeof(zero)
	switch {
	case size == 0 || n == 0:
		return make([]T, n) // takes no memory
	case n < 0 || uintptr(n) > uintptr(len(b))/size:
		panic("berth: memory too short for its values")
	case !aligned(b, unsafe.Alignof(zero)):
		panic("berth: memory at a wrong address for its values")
	case plain.Pointer(plain.TypeFor[T]()) != "":
		panic("berth: values with Go pointers in memory that the collector does not scan")
	}
	return unsafe.Slice((*T)(firstOf(b)), n)
}
