package arena

import "sync"

// Scratch arenas have chunks of scratchChunk bytes. PutScratch keeps at most scratchKeep bytes.
const (
	scratchChunk = 64 << 10
	scratchKeep  = 16 * scratchChunk
)

// scratches holds the scratch arenas that are not in use. The collector may drop them.
var scratches = sync.Pool{New: func() any {
	return NewChunked(scratchChunk)
}}

// GetScratch returns an empty arena on Go's heap for temporary use, until it is passed to
// [PutScratch]. Each call returns a different arena, so a function can build its result in one
// while it or a function that it calls uses another. The arena grows in chunks.
//
// GetScratch may be called by several goroutines at once. Each arena is for one goroutine.
//
// Cost: allocates when no free scratch arena is left.
func GetScratch() *Arena {
	a := scratches.Get().(*Arena)
	a.kind = chunked
	if len(a.chunks) > 0 {
		a.buf, a.dirty = a.chunks[0].buf, a.chunks[0].dirty
	}
	a.lent.Store(true)
	return a
}

// PutScratch returns an arena that came from [GetScratch]. It panics if a did not, or was put back
// before. The arena keeps up to 1 MiB of its chunks for the next GetScratch.
//
// Cost: O(chunks). With berth_poison, O(bytes).
//
// Ends: as [Arena.Release].
//
//berth:ends emptied of a
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
	a.past.rewound(-1) // ends all Marks
	a.past.low, a.floor = 0, 0
	a.loan++
	a.buf, a.clean, a.dirty, a.kind = nil, 0, 0, null
	scratches.Put(a)
}
