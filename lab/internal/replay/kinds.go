package replay

import "slices"

// all lists the containers in order of preference: of two equally good ones, the first is taken.
var all = []*container{
	&poolKind, &denseKind, &firstFreeKind, &quarteredKind, &handlesKind,
	&mapKind, &ptrMapKind, &genpoolKind, &arkKind,
	&sliceKind, &ptrSliceKind,
}

// Size is a size of values for which all containers are compiled.
type Size struct {
	Bytes int
	boxes map[*container]func(names int) box
}

// Of returns the Size of E.
func Of[E Elem]() Size {
	return Size{8 * len(*new(E)), map[*container]func(names int) box{
		&poolKind: newBox[poolBox[E]], &denseKind: newBox[denseBox[E]],
		&firstFreeKind: newBox[stableBox[E]], &quarteredKind: newBox[quarteredBox[E]],
		&handlesKind: newBox[handlesBox[E]], &mapKind: newBox[mapBox[E]],
		&ptrMapKind: newBox[ptrMapBox[E]], &genpoolKind: newBox[genpoolBox[E]],
		&arkKind: newBox[arkBox[E]], &sliceKind: newBox[sliceBox[E]],
		&ptrSliceKind: newBox[ptrSliceBox[E]], &emptyKind: newBox[emptyBox[E]],
	}}
}

// newBox returns a B with room for the handles of so many names.
func newBox[B any, P interface {
	*B
	box
}](names int) box {
	b := P(new(B))
	b.Keep(names)
	return b
}

// Few are three sizes, enough for tests. Each further size takes the compiler about five seconds,
// since it compiles every method of every container. The other sizes are in package sizes.
var Few = []Size{Of[[1]uint64](), Of[[8]uint64](), Of[[MaxBytes / 8]uint64]()}

// fitting returns the smallest of the sizes that holds the given bytes, or the largest size.
func fitting(sizes []Size, bytes int) Size {
	i, _ := slices.BinarySearchFunc(sizes, bytes, func(s Size, n int) int { return s.Bytes - n })
	return sizes[min(i, len(sizes)-1)]
}

// known returns the container of that name, or nil for a foreign name.
func known(name string) *container {
	if i := preference(name); i < len(all) {
		return all[i]
	}
	return nil
}

// preference returns the position in the order of preference. Unknown names come last.
func preference(name string) int {
	for i, c := range all {
		if c.name == name {
			return i
		}
	}
	return len(all)
}
