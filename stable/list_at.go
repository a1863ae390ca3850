package stable

import (
	"fmt"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/poison"
)

// farSlots is the maximum number of slots that InsertAt skips beyond the end of the list, if it has
// no memory for them.
const farSlots = 1 << 20

// InsertAt inserts v into the slot of k, under that key. It serves mirrors, which receive the
// values of another list with their keys in any order, loaders, and undo, which puts back what was
// removed. The slots between the end of the list and that slot become vacant. InsertAt calls
// OnInsert. If it fails, it returns one of these errors, and l is unchanged:
//
//   - [ErrStale] for the zero Key
//   - [ErrTaken] if a value lives in the slot, even if k is its key
//   - [ErrFull] if the list cannot have so many slots
//   - [ErrRange] if the slot is beyond Cap, and more than 2^20 slots beyond Touched
//
// A list of [Counter32] or [Counter64] never gives the identifier of k to another value. If the
// identifier is still to come, the list skips to it: Insert continues behind it, and only InsertAt
// takes those between. So give a mirror the Seed of its original. An identifier of another Seed, or
// one that was made up, may lie so far ahead that few are left.
//
// A list with identifiers of another type does not know which of them are still to come. It may
// give the identifier of k to another value later, unless the caller excludes it. No list knows
// whether it has given the identifier before. If it has, as in undo, copies of k that were stale
// find v.
//
// Quartered takes the skipped slots after the others of their part, the lowest first. If k is not
// among the slots vacated last (16, and a thirty-second of Cap), its part forgets the order in
// which slots were vacated, and takes the lowest first.
//
// Cost: O(1) under FirstFree. The heaps take O(1) for each slot skipped, and amortised O(log) for a
// slot between vacant ones. Quartered takes O(Cap/32). It allocates when the list grows, to the
// slot of k or as much as for an insert.
//
// Ends: pointers to values, if the list grows.
//
//berth:ends all
//berth:clones
func (l *ListOf[T, I, D]) InsertAt(k Key[T, I, D], v T) error {
	if err := listOpenAt(coreOf(l), k.index, k.id); err != nil {
		return err
	}
	l.vals[k.index] = v
	if invariants.On {
		listChanged(look(l))
	}
	if l.hooks != nil {
		listCallInserted(l, k)
	}
	return nil
}

// listOpenAt makes slot at live, with the identifier id and the zero T.
func listOpenAt[I Index, D Identifier[D]](l *core[I, D], at I, id D) error {
	var zero D
	if err := listMayInsertAt(l, at, id); err != nil {
		return fmt.Errorf("%w: ListOf.InsertAt: %s", err, keyString(uint64(at), id, id == zero))
	}
	if poison.On {
		pastChange(l)
	}
	listBegin(l)
	i := int(at)
	if i >= l.size {
		listSetSize(l, listSizeFor(l, i+1))
	}
	listTakeAt(l, i)
	if poison.On {
		listUnpoison(l, i)
	}
	listPass(l, id)
	l.ids[i] = id
	l.n++
	l.changes++
	return nil
}

// listMayInsertAt returns the reason why nothing can be inserted into slot at, if any.
func listMayInsertAt[I Index, D Identifier[D]](l *core[I, D], at I, id D) error {
	var zero D
	i, touched := uint64(at), uint64(len(l.ids))
	switch {
	case id == zero:
		return ErrStale
	case i < touched && !vacant(l.ids, int(i)):
		return ErrTaken
	case i < uint64(l.size):
		return nil
	case i >= uint64(listMost[I]()) || i >= uint64(limits.MaxBytes/listSlotBytes(l, l.place)):
		return ErrFull
	case i-touched > farSlots:
		return ErrRange
	}
	return nil
}

// listTakeAt takes slot i, which must be vacant and less than size, from the placement. It touches
// the slots up to there.
func listTakeAt[I Index, D Identifier[D]](l *core[I, D], i int) {
	open := len(l.ids)
	before := open > 0 && vacant(l.ids, open-1)
	if i >= open {
		l.ids, l.vals.n = l.ids[:i+1], i+1
	}
	switch l.place {
	case FirstFree:
		l.low.TakeAt(i)
	case FirstFreeHeap, firstFreeHeapWalk:
		if i < open {
			heapMark(&l.heap, i)
			if l.place == FirstFreeHeap {
				heapSplitRun(&l.heap, i, open, l.ids)
			}
			return
		}
		heapExtend(&l.heap, open, i, l.n)
		if l.place == FirstFreeHeap && i > open {
			heapExtendRuns(&l.heap, open, i-1, before)
		}
	default:
		if i < open {
			quartersTakeAt(&l.q, i)
		} else {
			quartersExtend(&l.q, open, i)
		}
		quartersInserted(&l.q, i)
	}
}

// listPass notes that the identifier id is in use, so that a counter does not come to it later.
func listPass[I Index, D Identifier[D]](l *core[I, D], id D) {
	switch id := any(&id).(type) {
	case *Counter32:
		pass(any(&l.firstID).(*Counter32), any(&l.last).(*Counter32), *id)
	case *Counter64:
		pass(any(&l.firstID).(*Counter64), any(&l.last).(*Counter64), *id)
	}
}

// pass sets last to id if the counter that began with first comes to id after last.
func pass[D interface {
	Counter32 | Counter64
	Next() D
}](first, last *D, id D) {
	switch {
	case *first == 0: // no identifier was given yet
		*first, *last = (*last).Next(), id
	case id-*first > *last-*first: // also if one of them has wrapped around
		*last = id
	}
}
