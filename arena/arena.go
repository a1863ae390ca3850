package arena

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/pages"
)

var (
	// ErrNoSpace says that an arena has no room for what it is asked for: that its chunk, its
	// limit, its address space, or the machine's memory is used up, or that it is the null arena.
	// [NewVirtual] returns it where the system has no address space, or no mappings left.
	ErrNoSpace = errors.New("arena: no space")
	// ErrFull says that no handle is left. It is [berth.ErrFull].
	ErrFull = berth.ErrFull
)

// kind is where an Arena's memory comes from.
type kind uint8

const (
	null    kind = iota // nowhere
	fixed               // one chunk on Go's heap
	chunked             // chunks on Go's heap
	virtual             // address space of the system
)

// Arena is memory with one lifetime: it is taken piece by piece, by moving a position up, and given
// back all at once, by moving it down. The zero Arena is the null arena: every allocation from it
// fails, and nothing else happens.
//
// # What may live in it
//
// Types without Go pointers, since the collector does not look into this memory: what only it
// points to would be collected. A type that holds strings, slices, maps, channels, funcs,
// interfaces or pointers is refused by a panic that names the field. For those there is [Typed].
//
// # What ends
//
// [Arena.Rewind], [Arena.Reset], [Arena.Scope], [Arena.Release] and [PutScratch] end pointers and
// slices into what they give back. In Go, such a pointer kept too long is not a crash but a lost
// write, or a write to what has been allocated there since; or where a virtual arena has given
// pages back to the system (beyond Keep, and in Release), a crash. Containers know better: one
// whose memory has been rewound panics when it is used. With the build tag berth_poison, rewound
// memory is filled with the byte 0xDB, so that a stale pointer reads nonsense at once.
//
// # Use by several goroutines
//
// One at a time: two goroutines that allocate from one arena are a bug, and a data race that the
// race detector finds. Containers in an arena are like maps: any number may read while nobody
// writes to them, and nobody allocates or rewinds.
//
// An Arena must not be copied.
//
// Invariants (checkInvariants):
//  1. chunks[cur].buf begins with buf, and is all of it unless the arena is virtual
//  2. start is the sum of used over the chunks before cur; those after cur are unused
//  3. bytes of a chunk from dirty on are zero, unless they are taken; so are those of buf from off
//     to clean
//  4. of a virtual arena, exactly buf is committed
//  5. past keeps its own invariants
//  6. tenants rise, and none lies beyond the position; of each container with memory, one ends
//     where its lease does
//  7. no Mark that may still be used lies beyond the position
//  8. held is the sum of all chunks, and at most limit if the arena grows by chunks
type Arena struct {
	_ nocopy.NoCopy

	buf   []byte              // the current chunk, as far as it may be used
	off   int                 // first free byte of buf
	clean int                 // bytes of buf from off to here are zero
	known [knownTypes]uintptr // types found to be without pointers
	dirty int                 // bytes of buf from here on are zero, if nobody has them
	start int                 // bytes taken in the chunks before the current one

	past    history   // the rewinds
	tenants []tenancy // the containers, in order of their memory's end
	floor   int       // where the innermost Scope began

	kind   kind
	cur    int // the current chunk
	chunks []chunk

	chunkBytes int           // chunked: of a new chunk
	limit      int           // chunked: most bytes of all chunks
	held       int           // bytes of all chunks
	region     *pages.Region // virtual
	keep       int           // virtual: bytes that a rewind leaves committed
	lent       atomic.Bool   // somebody has it from GetScratch
	loan       int           // of a scratch arena: how often it has been put back
	serial     uint32        // 0 until a Nested asks
}

// chunk is a piece of memory that an Arena allocates from.
type chunk struct {
	buf   []byte
	start int // bytes taken in the chunks before, unless the chunk lies behind the current one
	used  int // bytes taken, if the chunk lies before the current one
	dirty int // bytes from here on are zero; of the current chunk, Arena.dirty is newer
}

// NewFixed returns an Arena of so many bytes on Go's heap, which does not grow.
// It panics if bytes is negative, or more than 1 TiB. What no machine has is refused so; below that
// a machine without the memory ends the process, since Go cannot report an exhausted heap.
// Cost: allocates the bytes, and zeroes them.
func NewFixed(bytes int) *Arena {
	checkBytes("NewFixed", "bytes", bytes, 0)
	a := &Arena{kind: fixed}
	a.addChunk(bytes)
	a.useChunk(0)
	return a
}

// NewChunked returns an Arena that allocates chunks of so many bytes on Go's heap, as it needs
// them; a larger piece gets a chunk of its own. Pointers stay good when it grows. Its limit is
// 1 TiB: see [NewChunkedLimit].
// It panics if chunkBytes is not positive, or more than 1 TiB.
// Cost: O(1); the first chunk is made by the first allocation. Each chunk takes some 110 bytes more
// than it holds.
func NewChunked(chunkBytes int) *Arena {
	checkBytes("NewChunked", "chunkBytes", chunkBytes, 1)
	return &Arena{kind: chunked, chunkBytes: chunkBytes, limit: limits.MaxBytes}
}

// NewChunkedLimit is [NewChunked] with a limit: the arena holds at most limit bytes, and what would
// need more fails with [ErrNoSpace], as [Arena.Alloc] says. The last chunk is as large as the limit
// allows. Chunks that a rewind has left empty are dropped to make room for a larger piece. A limit
// of more than 1 TiB is 1 TiB.
//
// Set a limit where the size of what is allocated comes from outside. Go cannot report an exhausted
// heap: below the limit, a machine without the memory ends the process.
// It panics if chunkBytes or limit is not positive, or chunkBytes more than 1 TiB.
// Cost: as NewChunked.
func NewChunkedLimit(chunkBytes, limit int) *Arena {
	checkBytes("NewChunkedLimit", "chunkBytes", chunkBytes, 1)
	if limit <= 0 {
		panic(fmt.Sprintf("arena: NewChunkedLimit: limit must be positive (got %d)", limit))
	}
	return &Arena{kind: chunked, chunkBytes: chunkBytes, limit: min(limit, limits.MaxBytes)}
}

// Alloc returns size zeroed bytes whose address is a multiple of align. The slice has no room to
// grow. It fails with [ErrNoSpace], and then nothing is taken. It panics if size is negative, or
// align is not a power of two.
//
// Alignments beyond 64 depend on the address that the memory happens to have: how much they take
// of a Fixed or a Chunked arena is not the same in every run.
// Cost: O(1), and the zeroing of memory that was used before; allocates a chunk when the current
// one has no room.
func (a *Arena) Alloc(size, align int) ([]byte, error) {
	b, err := a.AllocDirty(size, align)
	if err == nil {
		a.zero(size)
	}
	return b, err
}

// AllocDirty is [Arena.Alloc] without the zeroing: the bytes are whatever was there before.
// Cost: O(1); allocates a chunk when the current one has no room.
func (a *Arena) AllocDirty(size, align int) ([]byte, error) {
	if size < 0 {
		panic("arena: Arena.Alloc: negative size")
	}
	checkAlign("Arena.Alloc", align)
	off, ok := a.take(size, align)
	if !ok {
		return nil, ErrNoSpace
	}
	return a.buf[off : off+size : off+size], nil
}

// checkAlign panics if align is no alignment.
func checkAlign(fn string, align int) {
	if align <= 0 || align&(align-1) != 0 {
		panic("arena: " + fn + ": alignment is no power of two")
	}
}

// take takes size bytes at a multiple of align, and returns where in buf they begin. Neither is
// checked.
func (a *Arena) take(size, align int) (off int, ok bool) {
	off = a.aligned(align)
	if size > len(a.buf)-off || a.kind == null {
		if !a.more(size, align) {
			return 0, false
		}
		off = a.aligned(align)
	}
	a.off = off + size
	if invariants.On {
		a.changed()
	}
	return off, true
}

// aligned returns the first free offset whose address is a multiple of align.
func (a *Arena) aligned(align int) int {
	if align <= baseAlign {
		return (a.off + align - 1) &^ (align - 1)
	}
	return a.off + int(-(address(a.buf)+uintptr(a.off))&uintptr(align-1))
}

// cleanAhead is how many bytes are zeroed at once, for many small values.
const cleanAhead = 1 << 10

// zero zeroes the last size bytes taken, as far as they are not, and some behind them.
func (a *Arena) zero(size int) {
	from := max(a.off-size, a.clean)
	to := a.off
	if a.clean = len(a.buf); a.dirty > to {
		to = min(to+cleanAhead, a.dirty)
		if to < a.dirty {
			a.clean = to
		}
	} else {
		to = a.dirty
	}
	if from < to {
		clear(a.buf[from:to])
	}
}

// extend takes n more bytes right behind the last ones, if the current chunk has them.
func (a *Arena) extend(n int) bool {
	if n > len(a.buf)-a.off && (a.kind != virtual || !a.commit(n)) {
		return false
	}
	a.off += n
	return true
}

// position returns the bytes taken so far: what a Mark remembers.
func (a *Arena) position() int { return a.start + a.off }

// Mark is a position in an [Arena] or a [Typed], to rewind to.
type Mark struct {
	of    *history
	pos   int
	epoch uint64
}

// Mark returns the present position, for [Arena.Rewind].
// Cost: O(1); never allocates.
func (a *Arena) Mark() Mark {
	pos := a.position()
	return Mark{of: &a.past, pos: pos, epoch: a.past.observe(pos)}
}

// Rewind gives back what has been allocated since m was made. A Mark may be used again, but not
// after a rewind to before it. Rewind panics if m is of another arena, or if a has been rewound
// past m or released since.
//
// Pages stay, so that they need not be faulted in again; see [VirtualConfig] for how many.
//
// A rewind that ends a later Mark, or a [Nested], is remembered on Go's heap in 16 bytes, until a
// rewind to the same height or below. So a million rounds that each leave something behind, and
// then make two Marks and rewind to the first, take 16 to 20 MB.
// Cost: O(1), and per chunk left; for each container with memory in what it gives back, that of
// letting go of its table of blocks; two system calls where pages beyond Keep go. Under
// berth_poison, O(bytes).
// Ends: pointers into what it gives back, containers with memory in it, and later Marks.
func (a *Arena) Rewind(m Mark) {
	a.past.check(m, "Arena.Rewind")
	a.rewind(m.pos)
}

// Scope calls f, and gives back what has been allocated meanwhile, also if f panics.
// If f rewinds a to before where it began, or releases it, there is nothing left to do: what f
// allocates after that stays.
// Cost: as [Arena.Rewind].
// Ends: as Rewind to where it began.
func (a *Arena) Scope(f func(*Arena)) {
	pos, floor, loan := a.position(), a.floor, a.loan
	low := a.past.begin(pos)
	a.floor = pos
	defer func() {
		if a.loan != loan {
			return // put back, and perhaps somebody else's
		}
		a.floor = floor
		if a.past.end(pos, low) {
			a.rewind(pos)
		}
	}()
	f(a)
}

// Reset gives back everything, and keeps the memory as Rewind does.
// Cost: O(chunks), and as [Arena.Rewind].
// Ends: all pointers into a, all containers with memory in it, and all Marks but those of an empty
// arena.
func (a *Arena) Reset() { a.rewind(0) }

// rewind sets the position back to pos.
func (a *Arena) rewind(pos int) {
	if pos == a.position() && (a.cur == 0 || a.start < pos) {
		return
	}
	a.past.rewound(pos)
	a.evict(pos)
	for a.cur > 0 && a.start >= pos {
		a.dirtied(0)
		a.chunks[a.cur].dirty = a.dirty
		a.useChunk(a.cur - 1)
	}
	a.dirtied(pos - a.start)
	a.off = pos - a.start
	a.clean = 0
	if a.kind == virtual {
		a.decommit(max(a.off, a.keep))
	}
	a.changed()
}

// dirtied notes that the bytes of the current chunk from off on, as far as they are taken, are
// given back.
func (a *Arena) dirtied(off int) {
	a.dirty = max(a.dirty, a.off)
	if poison {
		b := a.buf[off:a.off]
		for i := range b {
			b[i] = poisonByte
		}
	}
}

const poisonByte = 0xDB

// Stats counts what an Arena holds.
type Stats struct {
	Used      int  // bytes taken, padding included
	Reserved  int  // bytes of address space, or of the chunks on Go's heap
	Committed int  // bytes that may have memory behind them
	Chunks    int  // pieces that Reserved consists of
	Huge      bool // the system was asked for huge pages, and did not refuse
}

// Stats counts what a holds.
// Cost: O(1); never allocates.
func (a *Arena) Stats() Stats {
	s := Stats{Used: a.position(), Reserved: a.held, Chunks: len(a.chunks)}
	s.Committed = s.Reserved
	if a.kind == virtual {
		s.Committed, s.Huge = len(a.buf), a.region.Huge()
	}
	return s
}

// Used returns the bytes taken, padding included; not what stayed unused at the end of a chunk.
// Cost: O(1).
func (a *Arena) Used() int { return a.position() }

// Committed returns the bytes that may have memory behind them: of a virtual arena, those that the
// system has been asked for; of others, all.
// Cost: O(1).
func (a *Arena) Committed() int { return a.Stats().Committed }

// String says what a is and how full, as in "arena.Arena(Virtual, 4096 of 1073741824 bytes)".
// Cost: allocates the string.
func (a *Arena) String() string {
	names := [...]string{null: "null", fixed: "Fixed", chunked: "Chunked", virtual: "Virtual"}
	return fmt.Sprintf("arena.Arena(%s, %d of %d bytes)", names[a.kind], a.Used(), a.held)
}

// GoString is String: to print the memory itself, much of which is not there, would be a crash.
// Cost: allocates the string.
func (a *Arena) GoString() string { return a.String() }

// IsVirtual reports whether the memory lies off Go's heap, in address space of the system. Where
// the system has none to give, [NewVirtual] returns an Arena for which this is false.
// Cost: O(1).
func (a *Arena) IsVirtual() bool { return a.kind == virtual }
