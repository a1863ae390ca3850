package concurrent

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

// shard is a part of a Pool: a berth.Pool, without the type of its values, behind a lock. The
// shards' pools issue the handles. Each starts at an index of its own, so a handle names its shard.
// The caller of a method holds the lock, unless its comment says otherwise.
//
// A value that leases keep, one that Drop has, one that InsertFunc builds, and one that is reserved
// stay live in pool, so that their slots are not used. Their words are hidden. A block has words
// once a value in it is leased or hidden, until its memory is released.
type shard struct {
	// Invariants (check):
	//  1. a block's words have the generations of its live values, and are 0 in its vacant slots;
	//     held blocks have words, and dir has the given number of places
	//  2. hidden is the number of words that are hidden, and reserved of those that are kept
	//  3. waiters has only hidden values

	// The fields that every call needs come first, on one cache line.
	mu       sync.Mutex
	held     int32 // blocks with words
	hidden   int32
	pool     slots.Core // a berth.Pool has the same layout
	salt     uint32     // index of slot 0
	reserved int32
	places   int                  // length of dir
	waiters  map[slots.ID]*waiter // nil in most shards
	unborn   uint64               // inserts into pool whose value was never live

	_ [128]byte // neighbours, and what leases read, are on other cache lines

	dir atomic.Pointer[[]atomic.Pointer[words]] // the words of each block, or nil

	_ [128]byte
}

// minPlaces is a length that a directory of words may always have.
const minPlaces = 64

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

// hides reports whether the live h is hidden. It is inlined, which isHidden is not.
func (s *shard) hides(h slots.ID) bool {
	return s.hidden != 0 && s.isHidden(h)
}

// isHidden is hides if s has hidden values.
//
//go:noinline
func (s *shard) isHidden(h slots.ID) bool {
	return s.word(s.slot(h))&hidden != 0
}

// end makes every handle of the live h stale, and reports whether the value has a lease. Then it is
// hidden, and the last lease ends it. Otherwise the caller must: it is hidden if hide is true, and
// without a word if not.
func (s *shard) end(h slots.ID, hide bool) (leased bool) {
	slot := s.slot(h)
	b := s.wordsOf(slot)
	if b == nil {
		if hide {
			s.hide(h, hidden)
		}
		return false
	}
	w := &b.of[slot&63]
	for {
		x := w.Load()
		to := x | hidden
		if x&leases == 0 && !hide {
			to = 0
		}
		point("end")
		if w.CompareAndSwap(x, to) {
			s.hidden += int32(to >> 31 & 1)
			return x&leases != 0
		}
	}
}

// hide hides the live h, which nobody has a lease of. how is hidden or kept, and then there is no
// value yet.
func (s *shard) hide(h slots.ID, how uint64) {
	s.set(h, wordOf(h)|how)
	s.hidden++
}

// show makes h live, which hide has hidden since there was no value yet. b has its word.
func (s *shard) show(h slots.ID, b *words) {
	b.of[s.slot(h)&63].Store(wordOf(h))
	s.hidden--
	s.unborn--
	s.changed()
}

// at returns the handle and the value in a slot, or nil if no handle finds a value there.
func (s *shard) at(slot int) (slots.ID, slots.Ref) {
	h, x := s.pool.At(slot)
	if x == nil || s.hides(h) {
		return slots.ID{}, nil
	}
	return h, x
}

// delete vacates the slot of the live h, which has no word.
func (s *shard) delete(h slots.ID) {
	s.pool.Remove(h)
	s.deleted()
}

// deleted is called when a value has left the pool. It is inlined, which fit is not.
func (s *shard) deleted() {
	if s.places > minPlaces || invariants.On {
		s.fit()
	}
}

// fit cuts the directory of words if it is too long.
//
//go:noinline
func (s *shard) fit() {
	if n := len(s.pool.Dir); s.places > 4*n+minPlaces {
		s.resize(n)
	}
	s.changed()
}

// vacate vacates the slot of the hidden h, which nobody has a lease of.
func (s *shard) vacate(h slots.ID) {
	s.set(h, 0)
	s.hidden--
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
	if hid, res := s.checkWords(); hid != s.hidden || res != s.reserved {
		fail(2, "%d hidden, %d reserved, noted %d and %d", hid, res, s.hidden, s.reserved)
	}
	for h := range s.waiters {
		if s.pool.Ptr(h) == nil || !s.isHidden(h) {
			fail(3, "a Take waits for %v, which is not hidden", slots.TextOf(h))
		}
	}
}

func fail(rule int, format string, args ...any) {
	panic(fmt.Sprintf("concurrent: Pool invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
