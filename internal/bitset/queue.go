package bitset

import (
	"fmt"
	"math"
)

// None is the least member of an empty Queue: greater than any other, which is the number of a
// block. A comparison with 32 bits is shorter.
const None = math.MaxInt32

// Queue is a Set for callers that mostly need its least member. It keeps the two least apart, so
// that adding a new least one and removing it again touches no bitmap. A full pool does that at
// every remove and insert. The zero Queue is not ready; see NewQueue.
//
// Invariants (Check):
//  1. Low is less than second, and second less than all members of rest, where they are not None
//  2. if Low is None, the Queue is empty
type Queue struct {
	Low    int // the least member, or None; read only
	second int // the next, or None if it is among the rest
	rest   Set
}

// NewQueue returns an empty Queue of length 0.
func NewQueue() Queue { return Queue{Low: None, second: None} }

// Bytes returns the memory that q holds apart from itself, in bytes.
func (q *Queue) Bytes() int { return q.rest.Bytes() }

// Has reports whether i is a member.
func (q *Queue) Has(i int) bool {
	return i != None && (i == q.Low || i == q.second) || q.rest.Has(i)
}

// Add adds i, which must be less than the length and not a member.
//
// Cost: O(1) if i is the new least; else as [Set.Add].
func (q *Queue) Add(i int) {
	switch {
	case i < q.Low:
		i, q.second, q.Low = q.second, q.Low, i
	case i < q.second && q.second != None:
		i, q.second = q.second, i
	}
	if i != None {
		q.rest.Add(i)
	}
}

// AddLow is Add without a call, for hot paths, if i is less than Low and Two is false.
func (q *Queue) AddLow(i int) { q.Low, q.second = i, q.Low } // inlined

// Pop removes the least member.
//
// Cost: O(1) if the next one is known; else as [Set.Next].
func (q *Queue) Pop() {
	if q.Two() {
		q.PopLow()
		return
	}
	q.Low = q.rest.RemoveNext(q.Low) // all members of rest are greater
	if q.Low < 0 {
		q.Low = None
	}
}

// PopLow is Pop without a call, for hot paths, if Two is true.
func (q *Queue) PopLow() { q.Low, q.second = q.second, None } // inlined

// Remove removes i, which need not be a member.
//
// Cost: as Pop for the least, as [Set.Remove] for others.
func (q *Queue) Remove(i int) {
	switch i {
	case q.Low:
		q.Pop()
	case q.second:
		q.second = None
	default:
		q.rest.Remove(i)
	}
}

// Clear removes every member and keeps the length.
func (q *Queue) Clear() {
	q.Low, q.second = None, None
	q.rest.Clear()
}

// Resize changes the length to n. There must be no members at or beyond n.
func (q *Queue) Resize(n int) { q.rest.Resize(n) }

// Reset removes every member and changes the length to n, in the memory of q if that is large
// enough. It makes a zero Queue ready.
func (q *Queue) Reset(n int) {
	q.Low, q.second = None, None
	q.rest.Reset(n)
}

// Clip releases the memory beyond the length.
func (q *Queue) Clip() { q.rest.Clip() }

// Clone returns an independent copy.
func (q *Queue) Clone() Queue { return Queue{q.Low, q.second, q.rest.Clone()} }

// CopyFrom makes q a copy of o, in the memory of q if that is large enough.
func (q *Queue) CopyFrom(o *Queue) {
	q.Low, q.second = o.Low, o.second
	q.rest.CopyFrom(&o.rest)
}

// Check panics with the number of an invariant that q violates, if any.
func (q *Queue) Check() {
	q.rest.Check()
	first := q.rest.First()
	if first < 0 {
		first = None
	}
	if q.Low == None && min(first, q.second) != None {
		panic("bitset: Queue invariant 2")
	}
	if q.Low != None && (q.Low >= q.second && q.second != None || q.Low >= first) ||
		q.second != None && q.second >= first {
		panic(fmt.Sprintf("bitset: Queue invariant 1: %d, %d, %d", q.Low, q.second, first))
	}
}

// Two reports whether the two least members are known.
func (q *Queue) Two() bool { return q.second != None }
