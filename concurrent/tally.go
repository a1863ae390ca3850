package concurrent

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	// hidden is the bit of a word for a value that no handle finds: it is removed, or being built.
	hidden = 1 << 63
	// minHeld is the number of blocks that a tally may always hold.
	minHeld = 16
)

// tally holds a word for each slot of a shard: the number of leases of the slot's value, and
// whether the value is hidden. Words lie in blocks of 64. A block is placed when one of its words
// is needed, and stays until blocks are scarce. The zero tally has words of 0.
type tally struct {
	// Invariants (check):
	//  1. spare blocks have only words of 0
	//  2. held is the number of blocks, placed or spare

	blocks []*tallyBlock // nil where all words are 0
	spare  []*tallyBlock
	held   int
	most   int // blocks to hold before a sweep
}

type tallyBlock [64]uint64

// word returns the word of a slot.
func (t *tally) word(slot uint64) uint64 {
	if k := slot >> 6; k < uint64(len(t.blocks)) && t.blocks[k] != nil {
		return t.blocks[k][slot&63]
	}
	return 0
}

// ref returns a pointer to the word of a slot, for a shard of n values. In a steady state it
// allocates nothing.
func (t *tally) ref(slot uint64, n int) *uint64 {
	if k := slot >> 6; k < uint64(len(t.blocks)) && t.blocks[k] != nil {
		return &t.blocks[k][slot&63]
	}
	return &t.place(int(slot>>6), n)[slot&63]
}

// place places block k, which it returns.
func (t *tally) place(k, n int) *tallyBlock {
	if len(t.spare) == 0 && t.held >= t.most {
		t.sweep(n)
	}
	if k >= len(t.blocks) {
		t.blocks = append(t.blocks, make([]*tallyBlock, k+1-len(t.blocks))...)
	}
	b := (*tallyBlock)(nil)
	if i := len(t.spare) - 1; i >= 0 {
		b, t.spare[i] = t.spare[i], nil
		t.spare = t.spare[:i]
	} else {
		b = new(tallyBlock)
		t.held++
	}
	t.blocks[k] = b
	return b
}

// sweep takes off the blocks that have only words of 0. It keeps some of them as spare blocks, for
// a shard of n values.
func (t *tally) sweep(n int) {
	placed, end := 0, 0
	for k, b := range t.blocks {
		switch {
		case b == nil:
		case *b == tallyBlock{}:
			t.blocks[k] = nil
			t.spare = append(t.spare, b)
		default:
			placed++
			end = k + 1
		}
	}
	t.most = minHeld + n/32 + 2*placed
	if keep := t.most - placed; len(t.spare) > keep {
		t.spare = slices.Clone(t.spare[:keep])
	}
	t.held = placed + len(t.spare)
	if cap(t.blocks) > 4*max(end, n/16, minHeld) {
		t.blocks = slices.Clone(t.blocks[:end])
	}
}

// isLarge reports whether t holds too many blocks for a shard of n values, of which used have words
// that are not 0.
func (t *tally) isLarge(n, used int) bool { return t.held > 2*(minHeld+n/32+2*used) }

// bytes returns the memory that t holds, in bytes.
func (t *tally) bytes() int {
	return t.held*64*8 + (cap(t.blocks)+cap(t.spare))*bits.UintSize/8
}

// check panics with the number of an invariant that t violates, if any. It returns the number of
// words that are not 0, and of those that are hidden.
func (t *tally) check() (used, hid int) {
	held := len(t.spare)
	for _, b := range t.blocks {
		if b == nil {
			continue
		}
		held++
		for _, w := range b {
			if w != 0 {
				used++
			}
			hid += int(w >> 63)
		}
	}
	for _, b := range t.spare {
		if *b != (tallyBlock{}) {
			failTally(1, "a spare block has words %v", *b)
		}
	}
	if held != t.held {
		failTally(2, "%d blocks, noted %d", held, t.held)
	}
	return used, hid
}

func failTally(rule int, format string, args ...any) {
	panic(fmt.Sprintf("concurrent: tally invariant %d: ", rule) + fmt.Sprintf(format, args...))
}
