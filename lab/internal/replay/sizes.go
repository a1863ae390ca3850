package replay

import "slices"

// Elem is the type of replayed values. The first word is the number of the value, unique in its
// track. Above 64 bytes each size is at most a quarter larger than the one before: four sizes until
// they have doubled. From 64 to 1024 bytes these are size classes of Go's heap.
type Elem interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64 | [5]uint64 | [6]uint64 | [7]uint64 |
		[8]uint64 | [10]uint64 | [12]uint64 | [14]uint64 | [16]uint64 | [20]uint64 |
		[24]uint64 | [28]uint64 | [32]uint64 | [40]uint64 | [48]uint64 | [56]uint64 |
		[64]uint64 | [80]uint64 | [96]uint64 | [112]uint64 | [128]uint64
}

// MaxBytes is the size of the largest Elem.
const MaxBytes = 1024

// Size is a size of values for which all containers are compiled.
type Size interface {
	// Bytes returns the number of bytes.
	Bytes() int
	pool(names int) box
	dense(names int) box
	quartered(names int) box
	firstFree(names int) box
	handles(names int) box
	plainMap(names int) box
	ptrMap(names int) box
	genpool(names int) box
	ark(names int) box
	slice(names int) box
	ptrSlice(names int) box
	empty(names int) box
}

// Of is the Size of E.
type Of[E Elem] struct{}

// Bytes returns the size of E.
func (Of[E]) Bytes() int { return 8 * len(*new(E)) }

func (Of[E]) pool(n int) box      { return newPool[E](n) }
func (Of[E]) dense(n int) box     { return newDense[E](n) }
func (Of[E]) quartered(n int) box { return newQuartered[E](n) }
func (Of[E]) firstFree(n int) box { return newFirstFree[E](n) }
func (Of[E]) handles(n int) box   { return newHandles[E](n) }
func (Of[E]) plainMap(n int) box  { return newMap[E](n) }
func (Of[E]) ptrMap(n int) box    { return newPtrMap[E](n) }
func (Of[E]) genpool(n int) box   { return newGenpool[E](n) }
func (Of[E]) ark(n int) box       { return newArk[E](n) }
func (Of[E]) slice(n int) box     { return newSlice[E](n) }
func (Of[E]) ptrSlice(n int) box  { return newPtrSlice[E](n) }
func (Of[E]) empty(n int) box     { return newEmpty[E](n) }

// Few are three sizes, enough for tests. Each further size takes the compiler about five seconds,
// since it compiles every method of every container. The other sizes are in package sizes.
var Few = []Size{Of[[1]uint64]{}, Of[[8]uint64]{}, Of[[MaxBytes / 8]uint64]{}}

// fitting returns the smallest of the sizes that holds the given bytes, or the largest size.
func fitting(sizes []Size, bytes int) Size {
	i, _ := slices.BinarySearchFunc(sizes, bytes, func(s Size, n int) int { return s.Bytes() - n })
	return sizes[min(i, len(sizes)-1)]
}
