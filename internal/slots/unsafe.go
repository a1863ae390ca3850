package slots

import (
	"math/bits"
	"reflect"
	"sync"
	"unsafe"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// This is the only file of the package that uses unsafe, apart from tests. Its rules:
//
//  1. A *Pool[T] and a *SlotTable point to a Core, and a *berth.Dense[T] to a Dense: they have the
//     same fields. A slice begins as an Array does, and a Block with its Head. TestCoreLayout of
//     package berth compares them.
//  2. A Ref is the address of a container, of one value or of adjacent ones in a block or an array,
//     of a value outside, or of the first of some blocks. Only this file, the functions that turn
//     a container into its Core or Dense, and the loops of a Pool make one from a pointer or from
//     bytes. Only this file moves one, by whole values or blocks within the memory that it points
//     into. A uintptr never holds an address.
//  3. Outside this file a Ref becomes a *T only where T is the type of the values, and a *Pool[T]
//     only where it was made from one.
//  4. Values with Go pointers are copied and cleared by package reflect, or by the word: a word
//     that is a pointer is written as a pointer. So the collector sees each of them. Only values
//     without any move as bytes.
//  5. Memory from a Memory holds only values without Go pointers.

// Ref is an address in a container whose type of values the code that has it does not know.
type Ref = unsafe.Pointer

// kind is what a core knows of the type of its values.
type kind struct {
	t      any     // the reflect.Type; see TypeOf
	blocks any     // that of a slice of blocks
	vals   any     // that of a slice of values
	Size   uintptr // of a value
	Block  uintptr // size of a block
	Align  int     // of a block
	Flat   bool    // no Go pointers
	words  int     // number of words of a value that is copied and cleared by the word, or 0
	ptrs   uint64  // the words that are Go pointers
	zeros  Array   // for the clearing of small values that are not flat
}

// TypeOf returns the type of the values of k. No field or method of the core has a reflect.Type: it
// has methods with iterators, and the compiler would make 57 functions in each package with a Pool.
func TypeOf(k *kind) reflect.Type { return k.t.(reflect.Type) }

// kinds has the kind of each type of blocks of the process.
var kinds sync.Map

// KindOf returns the kind of the values of a block. block is a nil *Block[T].
//
//go:noinline
func KindOf(block any) *kind {
	t := reflect.TypeOf(block).Elem()
	k, ok := kinds.Load(t)
	if !ok {
		k, _ = kinds.LoadOrStore(t, newKind(t))
	}
	return k.(*kind)
}

// wordSize is the size of a pointer.
const wordSize = bits.UintSize / 8

// newKind returns the kind of the values of blocks of type block.
func newKind(block reflect.Type) *kind {
	slices := block.Field(1).Type.Elem() // see Block
	vals := slices.In(1)
	t := vals.Elem()
	k := &kind{
		t: t, blocks: slices.In(0), vals: vals, Size: t.Size(), Block: block.Size(),
		Align: int(unsafe.Alignof(Head{})), Flat: plain.Pointer(t) == "",
	}
	most := uintptr(8)
	if !k.Flat {
		most = 64
		n := int(4096 / k.Size)
		k.zeros = Array{k.make(n), n, n}
	}
	if k.Size <= most*wordSize && t.Align() == wordSize {
		k.words, k.ptrs = int(k.Size/wordSize), pointers(t, 0)
	}
	return k
}

// pointers returns the words that are Go pointers in a value of type t that begins at word i.
func pointers(t reflect.Type, i uintptr) (w uint64) {
	if plain.Pointer(t) == "" {
		return 0 // an array of empty values may have any length
	}
	switch t.Kind() {
	case reflect.Array:
		for j := range uintptr(t.Len()) {
			w |= pointers(t.Elem(), i+j*t.Elem().Size()/wordSize)
		}
	case reflect.Struct:
		for j := range t.NumField() {
			f := t.Field(j)
			w |= pointers(f.Type, i+f.Offset/wordSize)
		}
	case reflect.Interface:
		return 3 << i
	default:
		return 1 << i
	}
	return w
}

// alloc returns n zeroed blocks on Go's heap.
func (k *kind) alloc(n int) Ref { return k.array(k.blocks, n, k.Block) }

// make returns n zeroed values on Go's heap.
func (k *kind) make(n int) Ref { return k.array(k.vals, n, k.Size) }

// array returns the first of n zeroed elements of the given size. slice is the type of a slice of
// them.
func (k *kind) array(slice any, n int, size uintptr) Ref {
	if k.Flat {
		if size > 0 && uintptr(n) > limits.MaxBytes/size {
			panic("berth: too large")
		}
		return FirstOf(make([]uint64, (uintptr(n)*size+7)/8))
	}
	var a Array // reflect.MakeSlice allocates the slice too
	sliceOf(slice, &a).Grow(n)
	return a.First
}

// nth returns block i of those that begin at first.
func (k *kind) nth(first Ref, i int) *Head {
	return (*Head)(unsafe.Add(first, uintptr(i)*k.Block))
}

// at returns value i of those that begin at first.
func (k *kind) at(first Ref, i int) Ref { return valueAt(first, i, k.Size) }

// valueAt returns value i of adjacent values of the given size.
func valueAt(first Ref, i int, size uintptr) Ref { return unsafe.Add(first, uintptr(i)*size) }

// val returns the value of slot i of b.
func (k *kind) val(b *Head, i int) Ref {
	return valueAt(valsOf(b), i&63, k.Size)
}

// ValueIn returns the value of a slot of b, where values have the given size.
func ValueIn(b *Head, slot uint32, size uintptr) Ref {
	return valueAt(valsOf(b), int(slot&63), size)
}

// valsOf returns the first value of b.
func valsOf(b *Head) Ref { return unsafe.Add(Ref(b), HeadBytes) }

// HeadBytes is the offset of the values in a block. It is a multiple of every alignment.
const HeadBytes = unsafe.Sizeof(Head{})

// copy copies n adjacent values.
func (k *kind) copy(to, from Ref, n int) {
	switch {
	case n == 1 && k.words > 0: // a call of memmove takes longer
		ptrs := k.ptrs
		for i := range k.words {
			x, y := unsafe.Add(to, i*wordSize), unsafe.Add(from, i*wordSize)
			if ptrs&1 != 0 {
				*(*Ref)(x) = *(*Ref)(y)
			} else {
				*(*uint)(x) = *(*uint)(y)
			}
			ptrs >>= 1
		}
	case k.Flat:
		copy(bytesAt(to, n, k.Size), bytesAt(from, n, k.Size))
	default:
		reflect.Copy(sliceOf(k.vals, &Array{to, n, n}), sliceOf(k.vals, &Array{from, n, n}))
	}
}

// clear sets n adjacent values to zero.
func (k *kind) clear(at Ref, n int) {
	switch {
	case n == 1 && k.words > 0:
		ptrs := k.ptrs
		for i := range k.words {
			x := unsafe.Add(at, i*wordSize)
			if ptrs&1 != 0 {
				*(*Ref)(x) = nil
			} else {
				*(*uint)(x) = 0
			}
			ptrs >>= 1
		}
	case k.Flat:
		clear(bytesAt(at, n, k.Size))
	case k.zeros.N == 0:
		for i := range n {
			reflect.NewAt(TypeOf(k), k.at(at, i)).Elem().SetZero()
		}
	default: // by fewer calls
		for i := 0; i < n; i += k.zeros.N {
			k.copy(k.at(at, i), k.zeros.First, min(n-i, k.zeros.N))
		}
	}
}

// sliceOf returns a as a slice of type t.
func sliceOf(t any, a *Array) reflect.Value {
	return reflect.NewAt(t.(reflect.Type), Ref(a)).Elem()
}

// bytesAt returns the memory of n adjacent values of the given size, which have no Go pointers.
func bytesAt(first Ref, n int, size uintptr) []byte {
	if size == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(first), uintptr(n)*size)
}

// FirstOf returns the address of the first of vals, values or the bytes of a piece from a Memory.
func FirstOf[V any](vals []V) Ref { return Ref(unsafe.SliceData(vals)) }

// aligned reports whether the address of b is a multiple of align.
func aligned(b []byte, align uintptr) bool { return uintptr(FirstOf(b))%align == 0 }

// before returns the address that is size bytes before at, in the same object.
func before(at Ref, size uintptr) Ref { return unsafe.Add(at, -int(size)) }

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
	return unsafe.Slice((*T)(FirstOf(b)), n)
}

// Head is 64 slots without their values, which follow it in memory. A slot is vacant (its free bit
// is set), live (its occ bit is set), under construction by InsertFunc, or retired.
type Head struct {
	Occ, Free uint64
	Gens      [BlockSlots]uint32 // odd while the slot is live
}

// Block is 64 slots.
type Block[T any] struct {
	Head
	// The types are for newKind. Without a func, the compiler would make one that compares blocks.
	_    [0]func([]Block[T], []T)
	Vals [BlockSlots]T
}

// copyBlock copies the block from.
func (k *kind) copyBlock(to, from *Head) {
	*to = *from
	k.copy(valsOf(to), valsOf(from), BlockSlots)
}

// Leave empties b, which has left the directory with its values, for the loops that are in it.
func (k *kind) Leave(b *Head) {
	for w := b.Occ; w != 0; {
		i, n := bitset.Run(w)
		w &= bitset.Beyond(i + n)
		k.vacateRun(k.val(b, i), n)
	}
	b.Occ = 0
}

// vacate sets the value at v to the contents of a vacant slot: the zero T, or poison.
func (k *kind) vacate(v Ref) {
	k.clear(v, 1)
	if poison.On {
		poison.FillAt(TypeOf(k), v)
	}
}

// vacateRun is vacate for n adjacent values.
func (k *kind) vacateRun(v Ref, n int) {
	k.clear(v, n)
	if poison.On {
		for i := range n {
			poison.FillAt(TypeOf(k), k.at(v, i))
		}
	}
}

// refill sets the vacant value at v to the zero T. It reports false if it had been written to.
func (k *kind) refill(v Ref) bool {
	ok := poison.IntactAt(TypeOf(k), v)
	k.clear(v, 1)
	return ok
}

// isVacant reports whether the value at v is what vacate leaves.
func (k *kind) isVacant(v Ref) bool {
	if poison.On {
		return poison.IntactAt(TypeOf(k), v)
	}
	return reflect.NewAt(TypeOf(k), v).Elem().IsZero()
}

// show returns a value for fmt.
func (k *kind) show(v Ref) any { return reflect.NewAt(TypeOf(k), v).Elem().Interface() }

// poison fills the values of b, which is new, with poison.
func (k *kind) poison(b *Head) {
	if poison.On {
		for i := range BlockSlots {
			poison.FillAt(TypeOf(k), k.val(b, i))
		}
	}
}

// BlockOf returns the block that begins with h.
func BlockOf[T any](h *Head) *Block[T] { return (*Block[T])(Ref(h)) }

// ValuesOf returns the values of a, whose type is T.
func ValuesOf[T any](a *Array) []T { return unsafe.Slice((*T)(a.First), a.N) }

// Array is a slice of values of a type that only a kind knows.
type Array struct {
	First  Ref
	N, Cap int
}
