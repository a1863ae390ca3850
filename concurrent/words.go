package concurrent

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/seed505807e1/berth/internal/slots"
)

// A word is the state of a slot: the generation of its value in the high half, hidden, and the
// number of the value's leases. It is 0 while the slot is vacant.
const (
	// hidden says that no handle finds the value: it is removed, or being built.
	hidden = 1 << 31
	// leases has the bits that count leases.
	leases = hidden - 1
	// kept says that there is no value yet, since the handle was issued by Reserve.
	kept = hidden | leases
)

// words has the words of a block of slots. Leases are taken and given back without a lock; all
// other changes are made by who has the lock of the shard. So the lock keeps generation and hidden
// as they are, but not the count.
//
// A goroutine may still look at words whose block has been released. They are 0 and stay so. If the
// slots come back, it is with new words.
type words struct {
	block *slots.Head
	of    [slots.BlockSlots]atomic.Uint64
}

// wordOf returns the word of the live h, which has no leases.
func wordOf(h slots.ID) uint64 { return uint64(h.Gen) << 32 }

// finds reports whether h, in the given slot of the block or of the shard, is live.
func (b *words) finds(h slots.ID, slot uint64) bool {
	return b.of[slot&63].Load()>>31 == uint64(h.Gen)<<1 && h.Gen&1 != 0
}

// lease takes a lease of the value of h, in the given slot. It reports false if h is not live.
func (b *words) lease(h slots.ID, slot uint64) bool {
	w := &b.of[slot&63]
	for {
		x := w.Load()
		if x>>31 != uint64(h.Gen)<<1 || h.Gen&1 == 0 {
			return false
		}
		if x&leases == leases-1 { // one more would make the word of a reserved slot
			panicLeases(h)
		}
		point("lease")
		if w.CompareAndSwap(x, x+1) {
			return true
		}
	}
}

// panicLeases panics if the value of h has as many leases as a word can count.
//
//go:noinline
func panicLeases(h slots.ID) {
	panic("concurrent: Pool: 2^31-2 leases of " + slots.TextOf(h) +
		", so leases are not released")
}

// unlease ends a lease of the value of h, in the given slot. It reports whether it was the last one
// of a hidden value, which the caller must end. ok is false if there is no lease.
func (b *words) unlease(h slots.ID, slot uint32) (last, ok bool) {
	w := &b.of[slot&63]
	for {
		x := w.Load()
		if uint32(x>>32) != h.Gen || x&leases == 0 {
			return false, false
		}
		point("unlease")
		if w.CompareAndSwap(x, x-1) {
			return uint32(x-1) == hidden, true
		}
	}
}

// wordsOf returns the words of the block of a slot, or nil. It needs no lock.
func (s *shard) wordsOf(slot uint64) *words {
	if d := s.dir.Load(); d != nil && slot>>6 < uint64(len(*d)) {
		return (*d)[slot>>6].Load()
	}
	return nil
}

// word returns the word of a slot, or 0 if its block has no words.
func (s *shard) word(slot uint64) uint64 {
	if b := s.wordsOf(slot); b != nil {
		return b.of[slot&63].Load()
	}
	return 0
}

// set gives the live h the word w, and its block words if it has none.
func (s *shard) set(h slots.ID, w uint64) {
	slot := s.slot(h)
	if b := s.wordsOf(slot); b != nil {
		b.of[slot&63].Store(w)
		return
	}
	b := s.words(int(slot >> 6))
	b.of[slot&63].Store(w)
	s.place(int(slot>>6), b)
}

// born gives the live h, which has just been inserted, its word, if its block has words.
//
//go:noinline
func (s *shard) born(h slots.ID) {
	slot := s.slot(h)
	if b := s.wordsOf(slot); b != nil {
		b.of[slot&63].Store(wordOf(h))
	}
}

// placed returns the words of the block of a slot, which may have got none so far. It returns nil
// if no value is live there. The caller does not hold the lock.
func (s *shard) placed(slot uint64) *words {
	s.lock()
	defer s.mu.Unlock()
	k := int(slot >> 6)
	if k >= len(s.pool.Dir) || s.pool.Dir[k] == nil || s.pool.Dir[k].Occ>>(slot&63)&1 == 0 {
		return nil
	}
	b := s.wordsOf(slot)
	if b == nil {
		b = s.words(k)
		s.place(k, b)
	}
	return b
}

// words returns new words for block k, in which no value is leased or hidden.
func (s *shard) words(k int) *words {
	b := &words{block: s.pool.Dir[k]}
	for live := b.block.Occ; live != 0; live &= live - 1 {
		i := bits.TrailingZeros64(live)
		b.of[i].Store(uint64(b.block.Gens[i]) << 32)
	}
	return b
}

// place makes b the words of block k, which has none.
func (s *shard) place(k int, b *words) {
	d := s.dir.Load()
	if d == nil || k >= len(*d) {
		s.resize(max(k+1, len(s.pool.Dir), 2*s.places))
		d = s.dir.Load()
	}
	if s.held++; s.held == 1 {
		s.pool.Rarely().Dropped = s.dropped
	}
	(*d)[k].Store(b)
}

// resize gives the directory n places. Words beyond are left out: their blocks are released.
func (s *shard) resize(n int) {
	to := make([]atomic.Pointer[words], n)
	if d := s.dir.Load(); d != nil {
		for k := range min(n, len(*d)) {
			to[k].Store((*d)[k].Load())
		}
	}
	s.dir.Store(&to)
	s.places = n
}

// dropped takes off the words of n blocks from first on, which are released.
func (s *shard) dropped(first, n int) {
	d := *s.dir.Load()
	for k := first; k < min(first+n, len(d)); k++ {
		if d[k].Load() != nil {
			d[k].Store(nil)
			s.held--
		}
	}
}

// wordBytes returns the memory that the words of s take, in bytes.
func (s *shard) wordBytes() int {
	return int(s.held)*int(unsafe.Sizeof(words{})) + s.places*bits.UintSize/8
}

// checkWords panics with the number of an invariant that the words of s violate, if any. It returns
// the number of hidden slots, and of those that are reserved.
func (s *shard) checkWords() (hid, res int32) {
	d, held := s.dir.Load(), 0
	if d == nil {
		return 0, 0
	}
	for k := range *d {
		b := (*d)[k].Load()
		if b == nil {
			continue
		}
		if held++; k >= len(s.pool.Dir) || s.pool.Dir[k] != b.block {
			fail(1, "block %d has the words of another one", k)
		}
		for i := range b.of {
			w, gen := b.of[i].Load(), b.block.Gens[i]
			if b.block.Occ>>i&1 == 0 {
				gen = 0
			}
			if uint32(w>>32) != gen || gen == 0 && w != 0 {
				fail(1, "slot %d of block %d has generation %d and word %#x", i, k, gen, w)
			}
			hid += int32(w >> 31 & 1)
			if uint32(w) == kept {
				res++
			}
		}
	}
	if held != int(s.held) || len(*d) != s.places {
		fail(1, "%d blocks with words of %d, noted %d of %d", held, len(*d), s.held, s.places)
	}
	return hid, res
}
