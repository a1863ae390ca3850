package stable

import (
	"fmt"
	"iter"
	"math"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// List is the [ListOf] for most programs: 2^32 slots, identifiers that count to 2^32, and keys of 8
// bytes. ListOf documents the methods, and the rules for pointers and loops.
type List[T any] = ListOf[T, uint32, Counter32]

// ListOf is a slot map in one piece of memory. It gives each value an identifier of its own, and
// truncates itself when the values at its end are removed. I is the type of slot numbers and D the
// type of identifiers. The zero ListOf is ready to use. [New] and [NewOf] only configure it.
//
// A value never moves to another slot. The [Placement] decides which slot an insert takes, and when
// the list is truncated.
//
// # Pointers
//
// A *T from a list is valid until the list grows or releases memory. An insert into a full list,
// Grow, Clip, Clear and, under TruncateMemory, a removal may do that. A write through a pointer
// kept longer does not crash, but is lost. Once its value is removed, a pointer leads to whatever
// is in the slot.
//
// With the build tag berth_poison, which is for tests, such a write causes a panic that names the
// key of the value, at the latest when the slot is used again or its memory is released. A read
// finds the byte 0xDB in numbers, true in booleans, and nil in everything that holds a pointer.
//
// # Loops
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited, whether or not its removal truncates the
//     list.
//  3. A value inserted inside the loop is visited once or not at all. A loop ends, even if its body
//     inserts at each turn.
//  4. Loops nest, in each other and in themselves.
//  5. break, return and panics leave the list as usable as if the loop had ended.
//  6. The order is that of the slots.
//  7. A span is fixed when it is handed out. A value removed while the body has the span reads as
//     the zero T in it, or as the value that was inserted into the slot since. After a call that
//     ends pointers, the span is a copy of the former values, which the list no longer uses. Under
//     berth_poison, both read as poison.
//
// A loop that ranges over a method of the list or of its [Others] allocates nothing, in functions
// of any size. The compiler cannot inline an iterator behind the interface [View], or one that is
// kept in a variable. Each loop then allocates the iterator, its body, and the variables that the
// body changes: three objects, or six (seven with Go 1.24) if the iterator uses another, as
// Traverse does, and All of Others. A loop over the slot numbers never allocates, anywhere. It
// follows rules 1 to 6:
//
//	for i := range uint32(l.Touched()) {
//		if k, v := l.At(i); v != nil {
//			// ...
//		}
//	}
//
// # Use by several goroutines
//
// A list is like a map: any number of goroutines may look values up and loop while none writes. It
// must not be copied. Use [ListOf.Clone], which writes to a zero list.
//
// Source: F. Saukko, StableList, University of Turku 2025: chapter 4 has the interface, section 5.2
// the quarters, and section 5.6 the author's ideas for future work. docs/thesis.md compares.
type ListOf[T any, I Index, D Identifier[D]] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. ids and vals are of one length, the number of slots that were touched: at most size, for
	//     which there is memory; behind their length they hold zeros
	//  2. slot i is live exactly when ids[i] is not zero; n are; a vacant slot holds the zero T (in
	//     1 and 2, under berth_poison vals hold poison instead)
	//  3. the placement records exactly the vacant slots: see quarters and heap
	//  4. unless truncated never, the last slot under the FirstFree placements is live
	//  5. firstID is not zero if an identifier was given, or if a value lives and D is a counter
	//  6. quick is at most size, and 0 if there are hooks or firstID is zero

	ids   []D
	vals  []T
	kind  kind
	hooks *hooks[T, I, D] // nil if there are none
	state[I, D]
}

// New returns a List configured by c. It panics if c has a negative size, more slots than the index
// type can number, or an unknown constant.
//
// Cost: allocates c.Capacity slots.
func New[T any](c Config) *List[T] {
	l := new(List[T])
	listInit(coreOf(l), "New", c)
	return l
}

// NewOf returns a ListOf configured by c. It panics as [New] does.
//
// Cost: allocates c.Capacity slots.
func NewOf[T any, I Index, D Identifier[D]](c Config) *ListOf[T, I, D] {
	l := new(ListOf[T, I, D])
	listInit(coreOf(l), "NewOf", c)
	return l
}

// listInit makes the zero ListOf one of Config c.
func listInit[I Index, D Identifier[D]](l *core[I, D], fn string, c Config) {
	var d D
	c = c.check(fn, listMost[I](), listSlotBytes(l, c.Placement))
	l.place, l.truncate, l.min = c.Placement, c.Truncate, c.Min
	l.q.stepwise = c.Placement == quarteredStepwise
	if d, ok := any(d).(interface{ Start(seed uint32) D }); ok {
		l.last = d.Start(origin.Seed(c.Seed))
	}
	l.started = true
	if c.Capacity > 0 {
		listSetSize(l, max(c.Capacity, c.Min))
		listTouch(l)
	}
}

// listMost returns the greatest number of slots that a list can have.
func listMost[I Index]() int {
	if last := uint64(^I(0)); last < math.MaxInt {
		return int(last) + 1
	}
	return math.MaxInt &^ 3
}

// listSlotBytes returns the least memory that a slot takes under placement p.
func listSlotBytes[I Index, D Identifier[D]](l *core[I, D], p Placement) int {
	var id D
	var link I
	n := l.kind.size + unsafe.Sizeof(id)
	if p == FirstFreeHeap || p >= Quartered { // each slot has a link
		n += unsafe.Sizeof(link)
	}
	return max(1, int(n))
}

// Len returns the number of live values.
//
// Cost: O(1).
func (l *ListOf[T, I, D]) Len() int { return l.n }

// Cap returns the number of values that the list can hold before it must grow. Under Quartered it
// is the length that is divided into parts, and truncation halves it.
//
// Cost: O(1).
func (l *ListOf[T, I, D]) Cap() int { return l.size }

// String returns the type and the number of the values, as in "stable.List[int](3 of 4 slots)".
//
// Cost: allocates the string.
func (l *ListOf[T, I, D]) String() string {
	return fmt.Sprintf("stable.List[%v](%d of %d slots)", plain.NameOf((*T)(nil)), l.Len(), l.Cap())
}

// Touched returns the number of slots that have held a value and were not cut off since. Loops look
// at these slots, and all values are in them.
//
// Cost: O(1).
func (l *ListOf[T, I, D]) Touched() int { return len(l.ids) }

// Stats returns the counts of l.
//
// Cost: O(1).
func (l *ListOf[T, I, D]) Stats() Stats { return listStats(look(l), plain.SizeOf((*T)(nil))) }

// listStats is Stats for values of the given size.
func listStats[I Index, D Identifier[D]](l *core[I, D], size uintptr) Stats {
	s := Stats{
		Stats: berth.Stats{
			Live: l.n, Vacant: l.size - l.n, Chunks: min(1, l.size), Bytes: listBytes(l, size),
			Removes: listRemoves(l), Inserts: listRemoves(l) + uint64(l.n),
			Grown: l.grown, Truncated: l.truncations,
		},
		Visits: l.visits + l.q.visits,
	}
	if uint64(^I(0)) < math.MaxInt {
		s.Limit = listMost[I]()
	}
	return s
}

// listRemoves returns the number of removals. Each insert and each removal is a change, so that no
// removal need be counted.
func listRemoves[I Index, D Identifier[D]](l *core[I, D]) uint64 {
	return (l.changes - l.others - uint64(l.n)) / 2
}

// listSetRemoves sets the number of removals. It is called where n changes as a whole.
func listSetRemoves[I Index, D Identifier[D]](l *core[I, D], n uint64) {
	l.others = l.changes - uint64(l.n) - 2*n
}

// Ptr returns a pointer to the value that k refers to, or nil if k is stale, zero or foreign. The
// pointer is valid until the list grows or releases memory; see [ListOf].
//
// Cost: O(1); never allocates.
//
//berth:asks k
//berth:lends r0 by k
func (l *ListOf[T, I, D]) Ptr(k Key[T, I, D]) *T {
	var zero D
	if i := uint64(k.index); i < uint64(len(l.ids)) && l.ids[i] == k.id && k.id != zero {
		return &l.vals[i]
	}
	return nil
}

// Get returns a copy of the value that k refers to. It reports false if k is stale, zero or
// foreign.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks k
//berth:copies r0
func (l *ListOf[T, I, D]) Get(k Key[T, I, D]) (v T, ok bool) {
	var zero D
	if i := uint64(k.index); i < uint64(len(l.ids)) && l.ids[i] == k.id && k.id != zero {
		return l.vals[i], true
	}
	return v, false
}

// Contains reports whether k refers to a live value of l.
//
// Cost: O(1); never allocates.
//
//berth:asks k
func (l *ListOf[T, I, D]) Contains(k Key[T, I, D]) bool {
	var zero D
	i := uint64(k.index)
	return i < uint64(len(l.ids)) && l.ids[i] == k.id && k.id != zero
}

// At returns the key of the value in slot i and a pointer to it, or the zero Key and nil if the
// slot is vacant or i is out of range. A table of bare slot numbers finds its values with it,
// provided that the table is updated on removals. So does a program that has both halves of a key
// from a wire or a file: the key is valid if its ID is the other half.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
//berth:lends r1 by r0
func (l *ListOf[T, I, D]) At(i I) (k Key[T, I, D], v *T) {
	if uint64(i) < uint64(len(l.ids)) {
		var zero D
		if d := l.ids[i]; d != zero {
			return Key[T, I, D]{index: i, id: d}, &l.vals[i]
		}
	}
	return k, nil
}

// Insert puts v into the vacant slot that the placement chooses, and returns its key. It returns
// the zero Key if the list is full or its identifiers are used up; [ListOf.TryInsert] returns the
// reason.
//
// Cost: amortised O(1), under the heaps O(log of the vacant slots). Under Quartered it may have to
// search for a slot that a truncation has left, past live ones. It allocates when the list grows.
//
// Ends: pointers to values, if the list grows.
//
//berth:issues r0
//berth:ends all
func (l *ListOf[T, I, D]) Insert(v T) Key[T, I, D] {
	k, _ := listInsert(l, v)
	return k
}

// TryInsert is [ListOf.Insert] with an error: [ErrFull] if the index type cannot number more slots,
// and [ErrSpent] if there are no more identifiers.
//
// Cost: as Insert.
//
// Ends: as Insert.
//
//berth:issues r0
//berth:ends all
//berth:must r1
func (l *ListOf[T, I, D]) TryInsert(v T) (Key[T, I, D], error) { return listInsert(l, v) }

// New inserts the zero T and returns its key and a pointer to it. It returns the zero Key and nil
// if Insert would fail. If OnInsert removes the value, the pointer is nil.
//
// Cost: as Insert.
//
// Ends: as Insert.
//
//berth:issues r0
//berth:ends all
//berth:lends r1 by r0
func (l *ListOf[T, I, D]) New() (Key[T, I, D], *T) {
	var zero T
	k, _ := listInsert(l, zero)
	return k, l.Ptr(k)
}

// InsertSeq inserts the values of seq until the list is full or its identifiers are used up, and
// returns how many it inserted. A full list takes no value from seq. If the identifiers are used
// up, one value is lost: it was taken from seq before Next failed. If seq panics, the values
// inserted so far stay. seq may use the list in any way.
//
// Cost: as Insert for each; allocates the body of the loop over seq.
//
// Ends: as [ListOf.Insert].
//
//berth:ends all of l
func InsertSeq[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], seq iter.Seq[T],
) (inserted int) {
	if l.n == listMost[I]() {
		return 0
	}
	for v := range seq {
		if l.Insert(v).IsZero() {
			break
		}
		if inserted++; l.n == listMost[I]() {
			break
		}
	}
	return inserted
}

// listInsert is TryInsert. It takes v by value: through a pointer, churn is a tenth slower.
func listInsert[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], v T,
) (k Key[T, I, D], err error) {
	if poison.On {
		pastChange(look(l))
	}
	special := l.n >= l.quick
	if special && l.n == l.size {
		if listBegin(coreOf(l)); l.n == listMost[I]() {
			return k, ErrFull
		}
	}
	// The caller's code runs before anything is changed: it may panic, and the list may refuse.
	last := l.last
	id := last.Next()
	var zero D
	if id == zero || id == l.firstID || id == last || l.last != last {
		return k, ErrSpent // or Next has inserted
	}
	if l.n == l.size {
		listSetSize(look(l), listNextSize(look(l)))
	}
	i := listTake(look(l))
	if i == len(l.ids) {
		l.ids, l.vals = l.ids[:i+1], l.vals[:i+1]
	}
	if poison.On {
		listUnpoison(look(l), i)
	}
	l.last = id
	l.ids[i] = id
	l.vals[i] = v
	l.n++
	l.changes++
	k = Key[T, I, D]{index: I(i), id: id}
	if special {
		listInserted(l, k)
	} else if invariants.On {
		listChanged(look(l))
	}
	return k, nil
}

// listInserted completes an insert that found quick reached: the first one, one into a list that
// has just grown, or one with hooks.
func listInserted[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], k Key[T, I, D]) {
	var zero D
	if l.firstID == zero {
		l.firstID = k.id
	}
	if l.hooks == nil {
		l.quick = l.size
	}
	if invariants.On {
		listChanged(look(l))
	}
	if l.hooks != nil {
		listCallInserted(l, k)
	}
}

// listTake takes the slot for the next insert from the placement. There must be one.
func listTake[I Index, D Identifier[D]](l *core[I, D]) (i int) {
	switch l.place {
	case FirstFree:
		i, _ = l.low.Take()
	case FirstFreeHeap, firstFreeHeapWalk:
		i = heapTake(&l.heap, len(l.ids))
		if l.heap.marks > 0 {
			i = heapTakeMarked(&l.heap, i, len(l.ids))
		}
		if l.place == FirstFreeHeap && i < len(l.ids) {
			heapShrinkRun(&l.heap, i)
		}
	default:
		if i = quartersTake(&l.q, len(l.ids)); i < 0 {
			i = quartersFind(&l.q, l.ids)
		}
		quartersInserted(&l.q, i)
	}
	return i
}

// listUnpoison sets slot i, which was taken under berth_poison, to the zero T. It panics if the
// slot was written to while it was vacant.
func listUnpoison[I Index, D Identifier[D]](l *core[I, D], i int) {
	if text := pastWritten(l, i); text != "" {
		listVacate(l, i)
		panic(text)
	}
	l.kind.clear(l.vals.first, i, i+1)
}

// Remove removes the value that k refers to and returns it. It reports false, and changes nothing,
// if k is stale, zero or foreign.
//
// Cost: amortised O(1), under the heaps O(log of the vacant slots). A removal that truncates looks
// at no slots under FirstFree and FirstFreeHeap. Under Quartered it looks at no more than a
// thirty-second of them if Capacity and Min are powers of two, and otherwise at about half. It
// allocates when a heap has more vacant slots than at any time since it moved, and under
// TruncateMemory when memory is released.
//
// Ends: k and every copy of it; pointers to values, if memory is released.
//
//berth:asks k
//berth:ends all
func (l *ListOf[T, I, D]) Remove(k Key[T, I, D]) (v T, ok bool) {
	if l.hooks != nil {
		return listRemoveHooked(l, k)
	}
	var zero D
	i := uint64(k.index)
	if i >= uint64(len(l.ids)) || l.ids[i] != k.id || k.id == zero {
		return v, false
	}
	p := &l.vals[i]
	v = *p
	if poison.On {
		pastChange(look(l))
		pastVacate(look(l), int(i))
	} else {
		var none T
		*p = none
	}
	l.ids[i] = zero
	l.n--
	l.changes++
	listVacate(look(l), int(i))
	if invariants.On {
		listChanged(look(l))
	}
	return v, true
}

// Delete is [ListOf.Remove] without the copy of the value. It reports false, and changes nothing,
// if k is stale, zero or foreign.
//
// Cost: as Remove.
//
// Ends: as Remove.
//
//berth:asks k
//berth:ends all
func (l *ListOf[T, I, D]) Delete(k Key[T, I, D]) bool {
	if l.hooks != nil {
		_, ok := l.Remove(k)
		return ok
	}
	var zero D
	i := uint64(k.index)
	if i >= uint64(len(l.ids)) || l.ids[i] != k.id || k.id == zero {
		return false
	}
	listRemove(l, int(i))
	return true
}

// listRemove removes the value in slot i.
func listRemove[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], i int) {
	var zero D
	if poison.On {
		pastChange(look(l))
		pastVacate(look(l), i)
	} else {
		var none T
		l.vals[i] = none
	}
	l.ids[i] = zero
	l.n--
	l.changes++
	listVacate(look(l), i)
	if invariants.On {
		listChanged(look(l))
	}
}

// listVacate gives the vacant slot i to the placement, and truncates the list if it can.
func listVacate[I Index, D Identifier[D]](l *core[I, D], i int) {
	switch l.place {
	case FirstFree:
		l.low.Free(i)
	case FirstFreeHeap, firstFreeHeapWalk:
		heapPush(&l.heap, i)
		if l.place == FirstFreeHeap {
			heapJoinRuns(&l.heap, i,
				i > 0 && vacant(l.ids, i-1), i+1 < len(l.ids) && vacant(l.ids, i+1))
		}
	default:
		quartersVacate(&l.q, i)
		quartersRemoved(&l.q, i)
		if (quartersFarEmpty(&l.q, len(l.ids)) || l.n == 0) && l.truncate != berth.TruncateNever {
			listShorten(l)
		}
		return
	}
	if i == len(l.ids)-1 && l.truncate != berth.TruncateNever {
		listCutVacant(l)
	}
}

// coreOf returns l as its core, for a change.
func coreOf[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) *core[I, D] {
	if l.kind.typed == nil {
		var v T
		l.kind = kind{(*item[T])(nil), unsafe.Sizeof(v)}
	}
	return look(l)
}

// look returns l as its core, for a call that changes nothing, or after a call of coreOf.
func look[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) *core[I, D] {
	return (*core[I, D])(ref(l))
}
