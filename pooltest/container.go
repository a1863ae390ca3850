package pooltest

import "iter"

// Container is the interface that the suite requires of a container. H is its handle. A
// *berth.Pool[V] implements it.
//
// The suite also detects and tests any of the methods
//
//	New() (H, *V)
//	Delete(H) bool
//	TryInsert(V) (H, error)
//	InsertFunc(func(H, *V)) H
//	RemoveFunc(func(H, *V) bool) int
//	Cap() int
//	Grow(int)
//	Clip()
//	Values() iter.Seq[*V]
//	Spans() iter.Seq2[H, []V]
//	At(int) (H, *V), with IndexOf(H) int, or PlaceOf(H) int if values move
//	At(uint32) (H, *V), if an H has the method Index() uint32
//	Span(int) ([]V, int)
//	Pairs() iter.Seq2[*V, *V]
//
// and those that the functions of the [Suite] give access to. Each behaves as the method of
// berth.Pool.
type Container[H comparable, V Item] interface {
	Insert(v V) H
	Remove(h H) (V, bool)
	Get(h H) (V, bool)
	Ptr(h H) *V
	Contains(h H) bool
	Len() int
	Clear()
	All() iter.Seq2[H, *V]
}

// View is the interface of cross-iteration to the values of a container without the pivot. A
// berth.Others[V] implements it. A View may also have Spans() iter.Seq2[H, []V].
type View[H comparable, V Item] interface {
	Len() int
	Contains(h H) bool
	Get(h H) (V, bool)
	Ptr(h H) *V
	All() iter.Seq2[H, *V]
	Values() iter.Seq[*V]
}

// Pivot is the current value of cross-iteration, and its handle.
type Pivot[H comparable, V Item] struct {
	Handle H
	Value  *V
}

// The methods that a container may have beyond Container, one each.
type (
	newer[H comparable, V Item]        interface{ New() (H, *V) }
	deleter[H comparable]              interface{ Delete(h H) bool }
	tryInserter[H comparable, V Item]  interface{ TryInsert(v V) (H, error) }
	funcInserter[H comparable, V Item] interface{ InsertFunc(f func(H, *V)) H }
	funcRemover[H comparable, V Item]  interface{ RemoveFunc(f func(H, *V) bool) int }
	capper                             interface{ Cap() int }
	grower                             interface{ Grow(n int) }
	clipper                            interface{ Clip() }
	valuer[V Item]                     interface{ Values() iter.Seq[*V] }
	spanner[H comparable, V Item]      interface{ Spans() iter.Seq2[H, []V] }
	spanCursor[V Item]                 interface{ Span(i int) ([]V, int) }
	slotter[H comparable, V Item]      interface {
		At(i int) (H, *V)
		IndexOf(h H) int
	}
	placer[H comparable, V Item] interface {
		At(i int) (H, *V)
		PlaceOf(h H) int
	}
	indexer[H comparable, V Item] interface{ At(i uint32) (H, *V) }
	indexed                       interface{ Index() uint32 }
	pairer[V Item]                interface{ Pairs() iter.Seq2[*V, *V] }
)
