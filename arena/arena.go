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
	"github.com/seed505807e1/berth/internal/poison"
)

var (
	// ErrNoSpace reports that an arena has no room: its chunk, its limit, its address space or the
	// machine's memory is used up, or it is the null arena. [NewVirtual] returns it if the system
	// has no address space or no mappings left.
	ErrNoSpace = errors.New("arena: no space")
	// ErrFull reports that no handle is left. It is [berth.ErrFull].
	ErrFull = berth.ErrFull
)

// kind is the source of an Arena's memory.
type kind uint8

const (
	null    kind = iota // none
	fixed               // one chunk on Go's heap
	chunked             // chunks on Go's heap
	virtual             // address space of the system
)

// Arena is a bump allocator: memory for values that are freed together. An allocation moves a
// position up. [Arena.Rewind], [Arena.Scope] and [Arena.Reset] move it down again, and so free what
// lies above it. The zero Arena is the null arena, from which every allocation fails.
//
// # Permitted types
//
// An arena holds values of types without Go pointers. The collector does not scan its memory, and
// would free a value that only an arena points to. A type that holds strings, slices, maps,
// channels, funcs, interfaces or pointers is refused by a panic that names the field. [Typed] holds
// such types.
//
// # Lifetimes
//
// [Arena.Rewind], [Arena.Reset], [Arena.Scope], [Arena.Release] and [PutScratch] end the pointers
// and slices into the memory that they give back. A later write through such a pointer is lost, or
// changes a value that was allocated there since. In a virtual arena it crashes if the page was
// returned to the system, as pages beyond VirtualConfig.Keep are, and all of them in Release.
// Containers detect this: one whose memory has been rewound panics when it is used. With the build
// tag berth_poison, rewound memory is filled with the byte 0xDB, so that a stale pointer reads
// nonsense at once.
//
// # Concurrency
//
// An Arena is for one goroutine at a time. Two goroutines that allocate from the same arena race,
// which the race detector reports. Containers in an arena are like maps: any number of goroutines
// may read them while none writes to them and none allocates from the arena or rewinds it.
//
// An Arena must not be copied.
type Arena struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. chunks[cur].buf begins with buf, and is equal to it unless the arena is virtual
	//  2. start is the sum of used over the chunks before cur; the chunks after cur are unused
	//  3. the bytes of a chunk from dirty on are zero unless they are taken; so are the bytes of
	//     buf from off to clean
	//  4. in a virtual arena, exactly buf is committed
	//  5. past keeps its own invariants
	//  6. tenants are in ascending order, and none lies beyond the position; for each container
	//     with memory, one of them ends where its lease does
	//  7. no Mark that may still be used lies beyond the position
	//  8. held is the sum of all chunks, and at most limit if the arena grows by chunks

	buf   []byte              // the current chunk, up to the end of its usable part
	off   int                 // first free byte of buf
	clean int                 // bytes of buf from off to here are zero
	known [knownTypes]uintptr // types known to have no pointers
	dirty int                 // bytes of buf from here on are zero, unless taken
	start int                 // bytes taken in the chunks before the current one

	past    history   // remembered rewinds
	tenants []tenancy // the containers, ordered by the end of their memory
	floor   int       // where the innermost Scope began

	kind   kind
	cur    int // the current chunk
	chunks []chunk

	chunkBytes int           // chunked: size of a new chunk
	limit      int           // chunked: most bytes in all chunks
	held       int           // bytes of all chunks
	region     *pages.Region // virtual
	keep       int           // virtual: bytes that stay committed after a rewind
	lent       atomic.Bool   // handed out by GetScratch, and not put back
	loan       int           // scratch: how often it has been put back
	serial     uint32        // identifies the arena to a Nested; 0 until one needs it
}

// chunk is a piece of memory that an Arena allocates from.
type chunk struct {
	buf   []byte
	start int // bytes taken in the chunks before; unset after the current chunk
	used  int // bytes taken; set only before the current chunk
	dirty int // bytes from here on are zero; for the current chunk, see Arena.dirty
}

// NewFixed returns an Arena of the given number of bytes on Go's heap. It does not grow. It panics
// if bytes is negative or more than 1 TiB. Below that, a machine without the memory ends the
// process, since Go cannot report an exhausted heap.
//
// Cost: allocates the bytes, and zeroes them.
func NewFixed(bytes int) *Arena {
	checkBytes("NewFixed", "bytes", bytes, 0)
	a := &Arena{kind: fixed}
	a.addChunk(bytes)
	a.useChunk(0)
	return a
}

// NewChunked returns an Arena that allocates chunks of chunkBytes bytes on Go's heap as it needs
// them. An allocation larger than that gets a chunk of its own. Pointers remain valid when the
// arena grows. Its limit is 1 TiB; [NewChunkedLimit] sets a lower one. It panics if chunkBytes is
// not positive or is more than 1 TiB.
//
// Cost: O(1); the first allocation makes the first chunk. Each chunk takes about 110 bytes more
// than it holds.
func NewChunked(chunkBytes int) *Arena {
	checkBytes("NewChunked", "chunkBytes", chunkBytes, 1)
	return &Arena{kind: chunked, chunkBytes: chunkBytes, limit: limits.MaxBytes}
}

// NewChunkedLimit is like [NewChunked], but the arena holds at most limit bytes. An allocation that
// would need more fails with [ErrNoSpace]. The last chunk is as large as the limit allows. Chunks
// that a rewind has emptied are dropped if a larger allocation needs their room. Limits above 1 TiB
// are treated as 1 TiB.
//
// Set a limit where the size of what is allocated comes from outside the program. Go cannot report
// an exhausted heap: below the limit, a machine without the memory ends the process. It panics if
// chunkBytes or limit is not positive, or if chunkBytes is more than 1 TiB.
//
// Cost: as NewChunked.
func NewChunkedLimit(chunkBytes, limit int) *Arena {
	checkBytes("NewChunkedLimit", "chunkBytes", chunkBytes, 1)
	if limit <= 0 {
		panic(fmt.Sprintf("arena: NewChunkedLimit: limit must be positive (got %d)", limit))
	}
	return &Arena{kind: chunked, chunkBytes: chunkBytes, limit: min(limit, limits.MaxBytes)}
}

// Alloc returns size zeroed bytes at an address that is a multiple of align. The capacity of the
// slice is its length. If the arena has no room, Alloc returns [ErrNoSpace] and takes nothing. It
// panics if size is negative or align is not a power of two.
//
// For alignments beyond 64, the padding in a Fixed or Chunked arena depends on the address of its
// memory, so it differs from run to run.
//
// Cost: O(1), and the zeroing of memory that was used before; allocates a chunk when the current
// one has no room.
//
//berth:lends r0
//berth:must r1
func (a *Arena) Alloc(size, align int) ([]byte, error) {
	b, err := a.AllocDirty(size, align)
	if err == nil {
		a.zero(size)
	}
	return b, err
}

// AllocDirty is like [Arena.Alloc], but does not zero the bytes. Their contents are unspecified.
//
// Cost: O(1); allocates a chunk when the current one has no room.
//
//berth:lends r0
//berth:must r1
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

// checkAlign panics if align is not a power of two.
func checkAlign(fn string, align int) {
	if align <= 0 || align&(align-1) != 0 {
		panic("arena: " + fn + ": alignment is not a power of two")
	}
}

// take takes size bytes at a multiple of align, and returns their offset in buf. It checks neither
// argument.
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

// cleanAhead is the number of bytes that are zeroed ahead, so that small values need no zeroing of
// their own.
const cleanAhead = 1 << 10

// zero zeroes those of the last size bytes taken that may not be zero, and some bytes after them.
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

// extend takes n more bytes directly after the last ones, if the current chunk has them.
func (a *Arena) extend(n int) bool {
	if n > len(a.buf)-a.off && (a.kind != virtual || !a.commit(n)) {
		return false
	}
	a.off += n
	return true
}

// position returns the number of bytes taken so far, as a Mark records it.
func (a *Arena) position() int { return a.start + a.off }

// Mark returns the current position, for [Arena.Rewind].
//
// Cost: O(1); never allocates.
//
//berth:marks r0
func (a *Arena) Mark() Mark {
	pos := a.position()
	return Mark{of: &a.past, pos: pos, epoch: a.past.observe(pos)}
}

// Rewind gives back everything that was allocated since m was made. A Mark may be used more than
// once, until the arena is rewound to before it. Rewind panics if m belongs to another arena, or if
// a has been rewound past m or released since.
//
// The pages stay committed, so that they need not be faulted in again. VirtualConfig.Keep limits
// how many.
//
// A rewind that ends a later Mark or a [Nested] is recorded in 16 bytes on Go's heap, until a
// rewind to the same position or a lower one. A million rounds that each leave something allocated,
// make two Marks and rewind to the first take 16 to 20 MB.
//
// Cost: O(1), and O(1) for each chunk that it leaves; for each container with memory in what it
// gives back, dropping its table of blocks; two system calls if it returns pages beyond Keep. With
// berth_poison, O(bytes).
//
// Ends: pointers into what it gives back, containers with memory in it, and later Marks.
//
//berth:ends since m
func (a *Arena) Rewind(m Mark) {
	a.past.check(m, "Arena.Rewind")
	a.rewind(m.pos)
}

// Scope calls f and then gives back everything that f allocated, even if f panics. If f rewinds a
// to before where Scope began, or releases it, Scope gives nothing back: later allocations of f
// stay.
//
// Cost: as [Arena.Rewind].
//
// Ends: as Rewind to where it began.
//
//berth:ends some
func (a *Arena) Scope(f func(*Arena)) {
	pos, floor, loan := a.position(), a.floor, a.loan
	low := a.past.begin(pos)
	a.floor = pos
	defer func() {
		if a.loan != loan {
			return // put back, and perhaps lent again
		}
		a.floor = floor
		if a.past.end(pos, low) {
			a.rewind(pos)
		}
	}()
	f(a)
}

// Reset gives back everything. It keeps the memory, as Rewind does.
//
// Cost: O(chunks), and as [Arena.Rewind].
//
// Ends: all pointers into a, all containers with memory in it, and all Marks except those at the
// start of the arena.
//
//berth:ends emptied
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

// dirtied records that the taken bytes of the current chunk from off on are given back.
func (a *Arena) dirtied(off int) {
	a.dirty = max(a.dirty, a.off)
	if poison.On {
		b := a.buf[off:a.off]
		for i := range b {
			b[i] = poison.Byte
		}
	}
}

// Stats describes the memory of an Arena.
type Stats struct {
	Used      int  // bytes taken, including padding
	Reserved  int  // bytes of address space, or in the chunks on Go's heap
	Committed int  // bytes that may be backed by memory
	Chunks    int  // number of pieces that Reserved consists of
	Huge      bool // huge pages were requested, and the system did not refuse
}

// Stats returns the memory statistics of a.
//
// Cost: O(1); never allocates.
func (a *Arena) Stats() Stats {
	s := Stats{Used: a.position(), Reserved: a.held, Chunks: len(a.chunks)}
	s.Committed = s.Reserved
	if a.kind == virtual {
		s.Committed, s.Huge = len(a.buf), a.region.Huge()
	}
	return s
}

// Used returns the number of bytes taken. It includes padding, but not the unused ends of chunks.
//
// Cost: O(1).
func (a *Arena) Used() int { return a.position() }

// Committed returns the number of bytes that may be backed by memory. In a virtual arena these are
// the bytes that were committed, in other arenas all bytes.
//
// Cost: O(1).
func (a *Arena) Committed() int { return a.Stats().Committed }

// String returns the kind of a and how full it is, as in "arena.Arena(Virtual, 4096 of 1073741824
// bytes)".
//
// Cost: allocates the string.
func (a *Arena) String() string {
	names := [...]string{null: "null", fixed: "Fixed", chunked: "Chunked", virtual: "Virtual"}
	return fmt.Sprintf("arena.Arena(%s, %d of %d bytes)", names[a.kind], a.Used(), a.held)
}

// GoString is like String. Printing the memory itself would crash where it is not committed.
//
// Cost: allocates the string.
func (a *Arena) GoString() string { return a.String() }

// IsVirtual reports whether the memory is address space of the system, off Go's heap. It is false
// for an Arena that [NewVirtual] returned on a system where that is not supported.
//
// Cost: O(1).
func (a *Arena) IsVirtual() bool { return a.kind == virtual }

// changed checks the invariants after a change if the tag berth_invariants is set.
func (a *Arena) changed() {
	if invariants.On && checkNow(len(a.tenants)) {
		a.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that a breaks, if any.
func (a *Arena) checkInvariants() {
	if a.kind == null || len(a.chunks) == 0 {
		if a.off != 0 || len(a.buf) != 0 || a.start != 0 || a.clean != 0 {
			fail("Arena", 1, "without a chunk, %d bytes are taken of %d", a.off, len(a.buf))
		}
		return
	}
	c := a.chunks[a.cur]
	if len(a.buf) > 0 && &a.buf[0] != &c.buf[0] || len(a.buf) > len(c.buf) ||
		a.kind != virtual && len(a.buf) != len(c.buf) || a.off > len(a.buf) {
		fail("Arena", 1, "buf is %d bytes of %d, of which %d are taken",
			len(a.buf), len(c.buf), a.off)
	}
	sum := 0
	for _, c := range a.chunks[:a.cur] {
		if c.start != sum {
			fail("Arena", 2, "a chunk starts at %d, not at %d", c.start, sum)
		}
		sum += c.used
	}
	if a.start != sum {
		fail("Arena", 2, "start is %d, not %d", a.start, sum)
	}
	for i := a.off; i < min(len(a.buf), a.off+4*cleanAhead); i++ {
		if a.buf[i] != 0 && (i < a.clean || i >= a.dirty) {
			fail("Arena", 3, "byte %d is %d; taken up to %d, clean to %d, dirty to %d",
				i, a.buf[i], a.off, a.clean, a.dirty)
		}
	}
	if sum := a.heldBefore(len(a.chunks)); a.held != sum || a.kind == chunked && sum > a.limit {
		fail("Arena", 8, "%d bytes in chunks, noted %d, limit %d", sum, a.held, a.limit)
	}
	a.past.checkInvariants()
	a.checkTenants()
}
