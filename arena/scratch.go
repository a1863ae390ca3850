package arena

import "sync"

// Scratch arenas are chunks of scratchChunk bytes, of which scratchKeep bytes survive PutScratch.
const (
	scratchChunk = 64 << 10
	scratchKeep  = 16 * scratchChunk
)

// scratches holds the scratch arenas that nobody has. It lets go of them when memory is short.
var scratches = sync.Pool{New: func() any {
	return NewChunked(scratchChunk)
}}

// GetScratch returns an empty arena for as long as the caller needs it, which is until
// [PutScratch]. It is nobody else's: whoever takes a second one, or calls somebody who takes one,
// gets another, so a result can be built in one while the other holds what is in between. It grows
// in chunks on Go's heap.
// Cost: allocates now and then, when all are taken; safe for several goroutines, while what it
// returns is for one.
func GetScratch() *Arena {
	a := scratches.Get().(*Arena)
	a.kind = chunked
	if len(a.chunks) > 0 {
		a.buf, a.dirty = a.chunks[0].buf, a.chunks[0].dirty
	}
	a.lent.Store(true)
	return a
}

// PutScratch gives back an arena that [GetScratch] returned. It panics if a is another one, or was
// given back before. Up to 1 MiB of its chunks stay with it for the next who takes one.
// Cost: O(chunks). Under berth_poison, O(bytes).
// Ends: as [Arena.Release].
func PutScratch(a *Arena) {
	if !a.lent.CompareAndSwap(true, false) {
		panic("arena: PutScratch: not from GetScratch, or put back already")
	}
	a.Reset()
	sum := 0
	for i, c := range a.chunks {
		if sum += len(c.buf); sum > scratchKeep {
			a.dropChunks(i)
			break
		}
	}
	if len(a.chunks) > 0 {
		a.chunks[0].dirty = a.dirty
	}
	a.past.rewound(-1) // past all Marks
	a.past.low, a.floor = 0, 0
	a.loan++
	a.buf, a.clean, a.dirty, a.kind = nil, 0, 0, null
	scratches.Put(a)
}
