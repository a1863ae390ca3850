package concurrent

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	// hidden is the bit of a word for a value that no handle finds: it is removed, or being built.
	hidden = 1 << 31
	// maxLeases is the mask of the leases in a word, and their maximum.
	maxLeases = hidden - 1
	// minIdle is the number of idle blocks that a tally may always keep.
	minIdle = 64
)

// tally holds a word for each slot of a shard: the number of leases of the slot's value, and
// whether the value is hidden. Words lie in blocks of 64, and only blocks that were needed take
// memory. The zero tally has words of 0.
type tally struct {
	// Invariants (check):
	//  1. a block's set has the bits of the words that are not 0
	//  2. blocks of spare have only words of 0
	//  3. empty is the number of members of blocks with only words of 0

	blocks []*tallyBlock // nil where all words are 0
	spare  []*tallyBlock
	empty  int
	most   int // of empty, before a sweep
}

type tallyBlock struct {
	set   uint64
	words [64]uint32
}

// word returns the word of a slot.
func (t *tally) word(slot uint64) uint32 {
	if k := slot >> 6; k < uint64(len(t.blocks)) && t.blocks[k] != nil {
		return t.blocks[k].words[slot&63]
	}
	return 0
}

// swap sets the word of a slot, and returns what it was. In a steady state it allocates nothing.
func (t *tally) swap(slot uint64, w uint32) (was uint32) {
	k, i := int(slot>>6), slot&63
	if k >= len(t.blocks) || t.blocks[k] == nil {
		t.place(k)
	}
	b := t.blocks[k]
	was, b.words[i] = b.words[i], w
	switch before := b.set; {
	case w == 0:
		if b.set &^= 1 << i; b.set == 0 && before != 0 {
			t.empty++
		}
	case was == 0:
		if b.set |= 1 << i; before == 0 {
			t.empty--
		}
	}
	return was
}

// place makes block k.
func (t *tally) place(k int) {
	if k >= len(t.blocks) {
		t.blocks = append(t.blocks, make([]*tallyBlock, k+1-len(t.blocks))...)
	}
	if n := len(t.spare) - 1; n >= 0 {
		t.blocks[k], t.spare[n] = t.spare[n], nil
		t.spare = t.spare[:n]
	} else {
		t.blocks[k] = new(tallyBlock)
	}
	t.empty++
}

// sweep takes the empty blocks off, and keeps some of all spare blocks for a pool of n values. It
// visits the whole directory, so it waits for as many empty blocks.
func (t *tally) sweep(n int) {
	keep := 8 + n/32
	end := 0
	for k, b := range t.blocks {
		switch {
		case b == nil:
		case b.set != 0:
			end = k + 1
		default:
			t.blocks[k] = nil
			t.spare = append(t.spare, b)
		}
	}
	t.empty = 0
	if len(t.spare) > keep {
		t.spare = slices.Clone(t.spare[:keep])
	}
	if cap(t.blocks) > 64 && cap(t.blocks) > 4*max(end, n/16) {
		t.blocks = slices.Clone(t.blocks[:end])
	}
	t.most = keep + len(t.blocks)/16
}

// idle returns the number of blocks that t could do without.
func (t *tally) idle() int { return t.empty + len(t.spare) }

// bytes returns the memory that t holds, in bytes. It visits the whole directory.
func (t *tally) bytes() int {
	const block = 8 + 64*4
	n := len(t.spare)
	for _, b := range t.blocks {
		if b != nil {
			n++
		}
	}
	return n*block + (cap(t.blocks)+cap(t.spare))*bits.UintSize/8
}

// check panics with the number of an invariant that t violates, if any. It returns the number of
// words that are not 0, and of those that are hidden.
func (t *tally) check() (used, hid int) {
	empty := 0
	for k, b := range t.blocks {
		if b == nil {
			continue
		}
		if b.set == 0 {
			empty++
		}
		for i, w := range b.words {
			if b.set>>i&1 != 0 != (w != 0) {
				failTally(1, "slot %d: word %x, set %x", k<<6+i, w, b.set)
			}
			if w != 0 {
				used++
			}
			hid += int(w >> 31)
		}
	}
	for _, b := range t.spare {
		if *b != (tallyBlock{}) {
			failTally(2, "a spare block has words %v", b.words)
		}
	}
	if empty != t.empty {
		failTally(3, "%d empty blocks, noted %d", empty, t.empty)
	}
	return used, hid
}

func failTally(rule int, format string, args ...any) {
	panic(fmt.Sprintf("concurrent: tally invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
