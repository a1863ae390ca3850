package concurrent

import (
	"fmt"
	"sync"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

// shard is a part of a Pool: a berth.Pool, without the type of its values, behind a lock. The
// shards' pools issue the handles. Each starts at an index of its own, so a handle names its shard.
// The caller of a method holds the lock.
//
// A value that leases keep, one that Drop has, and one that InsertFunc builds stay live in pool,
// so that their slots are not used. Their words are hidden. Drop and InsertFunc hold a lease.
type shard struct {
	// Invariants (check):
	//  1. used is the number of words that are not 0, all of live slots of pool
	//  2. hidden is the number of words that are hidden, and these values have leases
	//  3. waiters has only hidden values

	// The fields that every call needs come first, on one cache line.
	mu      sync.Mutex
	used    int32
	hidden  int32
	pool    slots.Core // a berth.Pool has the same layout
	salt    uint32     // index of slot 0
	tally   tally
	waiters map[slots.ID]*waiter // nil in most shards
	unborn  uint64               // inserts into pool that InsertFunc has not ended

	_ [128]byte // keeps the locks of neighbours on different cache lines
}

// waiter is a Take that waits for leases. take gives it the value before done is closed.
type waiter struct {
	take func()
	done chan struct{}
}

// lock locks s.
func (s *shard) lock() {
	if scheduled {
		pointLock("lock", &s.mu)
	}
	s.mu.Lock()
}

// slot returns the number of the slot of h.
func (s *shard) slot(h slots.ID) uint64 {
	return uint64(h.Index - s.salt)
}

// word returns the word of the live h.
func (s *shard) word(h slots.ID) uint64 {
	return s.tally.word(s.slot(h))
}

// hides reports whether the live h is hidden. It is inlined, which isHidden is not.
func (s *shard) hides(h slots.ID) bool {
	return s.hidden != 0 && s.isHidden(h)
}

// isHidden is hides if s has hidden values.
//
//go:noinline
func (s *shard) isHidden(h slots.ID) bool {
	return s.word(h)&hidden != 0
}

// ref returns a pointer to the word of the live h, which is valid until the next call.
func (s *shard) ref(h slots.ID) *uint64 {
	return s.tally.ref(s.slot(h), s.pool.N)
}

// set sets the word of the live h.
func (s *shard) set(h slots.ID, w uint64) {
	at := s.ref(h)
	was := *at
	*at = w
	s.hidden += int32(w>>63) - int32(was>>63)
	switch {
	case was == 0 && w != 0:
		s.used++
	case was != 0 && w == 0:
		s.used--
	}
}

// lease adds a lease to the value of the live h. It reports false, and changes nothing, if the
// value is hidden. The leases of a value never come to 2^63.
func (s *shard) lease(h slots.ID) bool {
	w := s.ref(h)
	if *w >= hidden {
		return false
	}
	if *w++; *w == 1 {
		s.used++
	}
	return true
}

// unlease ends a lease of the live h, unless it is the last one of a hidden value: then it
// reports true, and the caller must end the value. ok is false if h has no lease.
func (s *shard) unlease(h slots.ID) (last, ok bool) {
	switch w := s.ref(h); *w {
	case 0, hidden:
		return false, false
	case hidden | 1:
		return true, true
	case 1:
		s.used--
		fallthrough
	default:
		*w--
		return false, true
	}
}

// at returns the handle and the value in a slot, or nil if no handle finds a value there.
func (s *shard) at(slot int) (slots.ID, slots.Ref) {
	h, x := s.pool.At(slot)
	if x == nil || s.hides(h) {
		return slots.ID{}, nil
	}
	return h, x
}

// delete vacates the slot of the live h, whose word is 0.
func (s *shard) delete(h slots.ID) {
	s.pool.Remove(h)
	s.deleted()
}

// deleted releases memory of the tally, if it has too much, after a value has left the pool.
//
//go:noinline
func (s *shard) deleted() {
	if s.tally.held > 2*minHeld && s.tally.isLarge(s.pool.N, int(s.used)) {
		s.tally.sweep(s.pool.N)
	}
	s.changed()
}

// vacate vacates the slot of the hidden h.
func (s *shard) vacate(h slots.ID) {
	s.set(h, 0)
	s.delete(h)
}

// isDone reports whether done is closed.
func isDone(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// changed checks the invariants after a change, with the tag berth_invariants: always while
// the shard is small, and sometimes when it is large.
func (s *shard) changed() {
	if invariants.On && (s.pool.N <= 64 || s.pool.N%256 == 0) {
		s.check()
	}
}

// check panics with the number of an invariant that s violates, if any.
func (s *shard) check() {
	used, hid := s.tally.check()
	words, waiting := 0, 0
	for g := range anyPool(s).All() {
		h := idOf(g)
		w := s.word(h)
		if w != 0 {
			words++
		}
		if w == hidden {
			fail(2, "%v is hidden without a lease", g)
		}
		if s.waiters[h] != nil {
			waiting++
			if w&hidden == 0 {
				fail(3, "a Take waits for %v, which is live", g)
			}
		}
	}
	if words != used || used != int(s.used) {
		fail(1, "%d words, %d of them of live values, noted %d", used, words, s.used)
	}
	if hid != int(s.hidden) {
		fail(2, "%d hidden, noted %d", hid, s.hidden)
	}
	if waiting != len(s.waiters) {
		fail(3, "%d waiters have a value, of %d", waiting, len(s.waiters))
	}
}

func fail(rule int, format string, args ...any) {
	panic(fmt.Sprintf("concurrent: Pool invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
