package concurrent

import (
	"fmt"
	"sync"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
)

// shard is a part of a Pool: slots behind a lock. The shards' pools issue the handles. Each starts
// at an index of its own, so a handle names its shard. The caller of a method holds the lock.
//
// A value that leases keep, one that Drop has, and one that InsertFunc builds stay live in pool,
// so that their slots are not used. Their words are hidden. Drop and InsertFunc hold a lease.
type shard[T any] struct {
	// Invariants (check):
	//  1. used is the number of words that are not 0, all of live slots of pool
	//  2. hidden is the number of words that are hidden, and these values have leases
	//  3. waiters has only hidden values

	// The fields that every call needs come first, on one cache line.
	mu      sync.Mutex
	used    int32
	hidden  int32
	pool    berth.Pool[T]
	salt    uint32 // index of slot 0
	tally   tally
	waiters map[uint64]*waiter // by Handle.Uint64; nil in most shards
	unborn  uint64             // inserts into pool that InsertFunc has not ended

	_ [128]byte // keeps the locks of neighbours on different cache lines
}

// waiter is a Take that waits for leases. take gives it the value before done is closed.
type waiter struct {
	take func()
	done chan struct{}
}

// shardLock locks s.
func shardLock[T any](s *shard[T]) {
	if scheduled {
		pointLock("lock", &s.mu)
	}
	s.mu.Lock()
}

// shardSlot returns the number of the slot of h.
func shardSlot[T any](s *shard[T], h berth.Handle[T]) uint64 {
	return uint64(uint32(h.Uint64()) - s.salt)
}

// shardWord returns the word of the live h.
func shardWord[T any](s *shard[T], h berth.Handle[T]) uint64 {
	return s.tally.word(shardSlot(s, h))
}

// shardHides reports whether the live h is hidden. It is inlined, which
// shardIsHidden is not.
func shardHides[T any](s *shard[T], h berth.Handle[T]) bool {
	return s.hidden != 0 && shardIsHidden(s, h)
}

// shardIsHidden is shardHides if s has hidden values.
//
//go:noinline
func shardIsHidden[T any](s *shard[T], h berth.Handle[T]) bool {
	return shardWord(s, h)&hidden != 0
}

// shardRef returns a pointer to the word of the live h, which is valid until the next call.
func shardRef[T any](s *shard[T], h berth.Handle[T]) *uint64 {
	return s.tally.ref(shardSlot(s, h), s.pool.Len())
}

// shardSet sets the word of the live h.
func shardSet[T any](s *shard[T], h berth.Handle[T], w uint64) {
	at := shardRef(s, h)
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

// shardLease adds a lease to the value of the live h. It reports false, and changes nothing, if the
// value is hidden. The leases of a value never come to 2^63.
func shardLease[T any](s *shard[T], h berth.Handle[T]) bool {
	w := shardRef(s, h)
	if *w >= hidden {
		return false
	}
	if *w++; *w == 1 {
		s.used++
	}
	return true
}

// shardUnlease ends a lease of the live h, unless it is the last one of a hidden value: then it
// reports true, and the caller must end the value. ok is false if h has no lease.
func shardUnlease[T any](s *shard[T], h berth.Handle[T]) (last, ok bool) {
	switch w := shardRef(s, h); *w {
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

// shardAt returns the handle and the value in a slot. They are zero if no handle finds a value
// there.
func shardAt[T any](s *shard[T], slot int) (berth.Handle[T], *T) {
	h := s.pool.HandleAt(berth.HandleFromUint64[T](uint64(s.salt)), slot)
	if h.IsZero() || shardHides(s, h) {
		return berth.Handle[T]{}, nil
	}
	return h, s.pool.Ptr(h)
}

// shardDelete vacates the slot of the live h, whose word is 0.
func shardDelete[T any](s *shard[T], h berth.Handle[T]) {
	s.pool.Delete(h)
	if s.tally.held > 2*minHeld && s.tally.isLarge(s.pool.Len(), int(s.used)) {
		s.tally.sweep(s.pool.Len())
	}
	shardChanged(s)
}

// shardVacate vacates the slot of the hidden h.
func shardVacate[T any](s *shard[T], h berth.Handle[T]) {
	shardSet(s, h, 0)
	shardDelete(s, h)
}

// shardWait adds a waiter for the hidden h.
func shardWait[T any](s *shard[T], h berth.Handle[T], take func()) *waiter {
	if s.waiters == nil {
		s.waiters = map[uint64]*waiter{}
	}
	w := &waiter{take, make(chan struct{})}
	s.waiters[h.Uint64()] = w
	return w
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

// shardChanged checks the invariants after a change, with the tag berth_invariants: always while
// the shard is small, and sometimes when it is large.
func shardChanged[T any](s *shard[T]) {
	if invariants.On && (s.pool.Len() <= 64 || s.pool.Len()%256 == 0) {
		shardCheck(s)
	}
}

// shardCheck panics with the number of an invariant that s violates, if any.
func shardCheck[T any](s *shard[T]) {
	used, hid := s.tally.check()
	words, waiting := 0, 0
	for h := range s.pool.All() {
		w := shardWord(s, h)
		if w != 0 {
			words++
		}
		if w == hidden {
			fail(2, "%v is hidden without a lease", h)
		}
		if s.waiters[h.Uint64()] != nil {
			waiting++
			if w&hidden == 0 {
				fail(3, "a Take waits for %v, which is live", h)
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
