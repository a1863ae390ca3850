package concurrent

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/bitset"
)

const (
	leafShift  = 6
	leafSlots  = 1 << leafShift
	nodeLeaves = 16
	nodeShift  = leafShift + 4
	nodeSlots  = 1 << nodeShift
)

// leaf holds the values of 64 slots. Several snapshots may share it. A reader may read gens[i] and
// vals[i] only if its own node says that slot i is live. The other fields need the lock of the
// Members.
type leaf[T any] struct {
	epoch uint64            // that of fresh
	fresh uint64            // slots that no snapshot shows here, if epoch is that of the Members
	worn  uint64            // slots that are used up
	gens  [leafSlots]uint32 // less base
	vals  [leafSlots]T
}

// node holds 16 leaves. It does not change once a snapshot has it.
type node[T any] struct {
	epoch uint64
	count int                  // of leaves
	occ   [nodeLeaves]uint64   // live slots
	leaf  [nodeLeaves]*leaf[T] // nil without a live slot
}

// Snapshot is the state of a [Members] at one moment. It never changes, so any number of goroutines
// may read it, without a lock. The handles are those of the Members. The zero Snapshot is empty.
//
// # Memory
//
// A Snapshot shares memory with the Members, and with other snapshots, as far as they agree. While
// a program keeps it, it keeps the values that it shows, also those removed since, in their blocks
// of 64 slots. It may also keep values that were inserted later into vacant slots of these blocks,
// even after their removal. So do not store a Snapshot: get a new one for each loop.
type Snapshot[T any] struct {
	n     int
	salt  uint32     // index of slot 0
	base  uint32     // even; generation of a slot that has never been used
	nodes []*node[T] // nil without a leaf
}

// Len returns the number of values.
//
// Cost: O(1); never allocates.
func (s *Snapshot[T]) Len() int { return s.n }

// Get returns a copy of the value of h. It reports false if s does not show that value: if it was
// removed before, or inserted after, or if h is zero or foreign.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (s *Snapshot[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if x := findIn(s, h); x != nil {
		return *x, true
	}
	return v, false
}

// Contains reports whether s shows the value of h.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (s *Snapshot[T]) Contains(h berth.Handle[T]) bool { return findIn(s, h) != nil }

// Collect returns the values in a new slice, in the order of [Snapshot.All].
//
// Cost: O(Len), and as Span for the vacant slots; allocates the slice.
func (s *Snapshot[T]) Collect() []T {
	all := make([]T, 0, s.n)
	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
		all = append(all, span...)
	}
	return all
}

// All returns an iterator over the handles and the values, lowest slot first. The values are
// copies. It visits all values of s, also those that were removed from the Members since, and no
// others. The body may call the Members in any way. [Members.Contains] tells whether a value is
// still there.
//
// Cost: O(Len), a word for each 64 slots up to the last value, and a pointer for each 1024 vacant
// ones; allocates nothing if inlined.
func (s *Snapshot[T]) All() iter.Seq2[berth.Handle[T], T] {
	return func(yield func(berth.Handle[T], T) bool) {
		for k, nd := range s.nodes {
			if nd == nil {
				continue
			}
			for j := range nd.occ {
				l := nd.leaf[j]
				for w := nd.occ[j]; w != 0; w &= w - 1 {
					i := bits.TrailingZeros64(w) & 63
					if !yield(handleIn(s, k*nodeSlots+j*leafSlots+i, l.gens[i]), l.vals[i]) {
						return
					}
				}
			}
		}
	}
}

// Span returns the first run of adjacent values at slot or after it, of up to 64, and the slot from
// which to go on. It returns nil and 0 if there is none. So this is a loop over all values, the
// fastest:
//
//	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
//
// The values are shared with other goroutines. The program must not change them.
//
// Cost: O(1), and as [Snapshot.All] for the vacant slots in between; never allocates.
func (s *Snapshot[T]) Span(slot int) (span []T, next int) {
	for k := slot >> nodeShift; uint(k) < uint(len(s.nodes)); k = slot >> nodeShift {
		nd := s.nodes[k]
		if nd == nil {
			slot = (k + 1) << nodeShift
			continue
		}
		j := slot >> leafShift & (nodeLeaves - 1)
		if w := nd.occ[j] & bitset.Beyond(slot&(leafSlots-1)); w != 0 {
			i, n := bitset.Run(w)
			return nd.leaf[j].vals[i : i+n : i+n], slot&^(leafSlots-1) + i + n
		}
		slot = slot&^(leafSlots-1) + leafSlots
	}
	return nil, 0
}

// findIn returns the value of h, or nil if s does not show it.
func findIn[T any](s *Snapshot[T], h berth.Handle[T]) *T {
	u := h.Uint64()
	slot, gen := uint32(u)-s.salt, uint32(u>>32)-s.base
	if k := int(slot / nodeSlots); k < len(s.nodes) && s.nodes[k] != nil {
		nd, j, i := s.nodes[k], slot/leafSlots%nodeLeaves, slot%leafSlots
		if nd.occ[j]>>i&1 != 0 && nd.leaf[j].gens[i] == gen {
			return &nd.leaf[j].vals[i]
		}
	}
	return nil
}

// handleIn returns the handle of a slot whose generation is base+gen.
func handleIn[T any](s *Snapshot[T], slot int, gen uint32) berth.Handle[T] {
	return berth.HandleFromUint64[T](uint64(s.base+gen)<<32 | uint64(s.salt+uint32(slot)))
}
