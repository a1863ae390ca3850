package arena

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/pages"
)

const (
	// baseAlign is the alignment of chunks.
	baseAlign = 64
	// defaultKeep is the value of VirtualConfig.Keep if that is 0.
	defaultKeep = 64 << 20
	// A commit adds half of what is committed, within these bounds.
	minCommit = 256 << 10
	maxCommit = 64 << 20
	// keptTried is the number of unused chunks that are tried for an allocation.
	keptTried = 64
	// fallbackChunk is the size of a chunk where virtual arenas are not supported.
	fallbackChunk = 1 << 20
)

// VirtualConfig tunes [NewVirtual]. Its zero value is the default.
type VirtualConfig struct {
	// HugePages requests pages of 2 MiB instead of 4 KiB, which makes random access to large memory
	// faster. The memory is then committed in steps of 2 MiB. Stats.Huge is false if the system
	// refused.
	HugePages bool
	// Keep is the number of bytes that stay committed when the arena is rewound. Pages beyond it
	// are returned to the system. Faulting a page in again costs several times as much as zeroing
	// it, so set Keep to the amount that is used every time. 0 means 64 MiB.
	Keep int
}

// NewVirtual returns an Arena of reserve bytes of address space, off Go's heap. Reserving takes a
// few microseconds, whatever the size, and memory is committed page by page as it is used. On
// 64-bit systems, 64 GiB is a reasonable reserve.
//
// The collector does not free this memory, so call [Arena.Release] when it is no longer needed. It
// does not count this memory either, so collections are as frequent as the rest of the heap
// requires. On systems other than Linux, macOS and Windows, NewVirtual returns an Arena of chunks
// on Go's heap, limited to reserve bytes in all, and [Arena.IsVirtual] reports false.
//
// If the system refuses, NewVirtual returns an error that wraps [ErrNoSpace]. On Linux it refuses
// early, because Go's heap could not report a failure to grow: if virtual arenas hold half of the
// process's mappings, or if less than an eighth of an address limit (ulimit -v, or 32 bits) would
// be left. The limit on mappings is vm.max_map_count. An arena takes two of them, or four with huge
// pages, and a [Backing] takes two more for each large free piece between others. With the default
// limit of Linux, that allows 16 382 arenas.
//
// NewVirtual panics if reserve is not positive or Keep is negative.
//
// Cost: one to four system calls.
func NewVirtual(reserve int, c VirtualConfig) (*Arena, error) {
	if reserve <= 0 {
		panic(fmt.Sprintf("arena: NewVirtual: reserve must be positive (got %d)", reserve))
	}
	if c.Keep < 0 {
		panic(fmt.Sprintf("arena: NewVirtual: negative Keep (got %d)", c.Keep))
	}
	if c.Keep == 0 {
		c.Keep = defaultKeep
	}
	r, err := pages.Reserve(reserve, c.HugePages)
	if errors.Is(err, errors.ErrUnsupported) {
		return NewChunkedLimit(min(fallbackChunk, reserve), reserve), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: NewVirtual: %w", ErrNoSpace, err)
	}
	return &Arena{kind: virtual, region: r, keep: c.Keep, chunks: []chunk{{buf: r.Bytes()}},
		buf: r.Bytes()[:0], held: r.Len()}, nil
}

// checkBytes panics if n is less than least, or more than an arena on Go's heap may hold.
func checkBytes(fn, what string, n, least int) {
	switch {
	case n < least && least > 0:
		panic(fmt.Sprintf("arena: %s: %s must be positive (got %d)", fn, what, n))
	case n < least:
		panic(fmt.Sprintf("arena: %s: %s must not be negative (got %d)", fn, what, n))
	case n > limits.MaxBytes:
		panic(fmt.Sprintf("arena: %s: %s must be at most %d (got %d)",
			fn, what, limits.MaxBytes, n))
	}
}

// more makes room for size bytes at a multiple of align, in this chunk or another, and reports
// whether it could.
func (a *Arena) more(size, align int) bool {
	switch a.kind {
	case chunked:
		return a.nextChunk(size, align)
	case virtual:
		pad := a.aligned(align) - a.off
		return size <= len(a.chunks[0].buf)-a.off-pad && a.commit(pad+size)
	default:
		return false
	}
}

// nextChunk moves to a chunk with room for size bytes at a multiple of align.
func (a *Arena) nextChunk(size, align int) bool {
	need := size
	if align > baseAlign {
		need += align
	}
	if need < size || need > a.limit {
		return false
	}
	next := a.cur + 1
	if len(a.chunks) == 0 {
		next = 0
	}
	at := next // looks at a few of the kept chunks only
	for at < min(len(a.chunks), next+keptTried) && len(a.chunks[at].buf) < need {
		at++
	}
	if at == len(a.chunks) || len(a.chunks[at].buf) < need {
		if need > a.limit-a.held {
			if next = a.firstEmpty(); need > a.limit-a.heldBefore(next) {
				return false
			}
			a.dropChunks(next)
		}
		at = len(a.chunks)
		a.addChunk(min(max(need, a.chunkBytes), a.limit-a.held))
	}
	a.chunks[next], a.chunks[at] = a.chunks[at], a.chunks[next]
	a.useChunk(next)
	return true
}

// addChunk makes a chunk of n bytes.
func (a *Arena) addChunk(n int) {
	a.chunks = append(a.chunks, chunk{buf: heapBytes(n)})
	a.held += n
}

// dropChunks drops the chunks from i on, which are unused.
func (a *Arena) dropChunks(i int) {
	a.held = a.heldBefore(i)
	clear(a.chunks[i:])
	a.chunks = a.chunks[:i]
}

// heldBefore returns the total size of the chunks before i.
func (a *Arena) heldBefore(i int) int {
	sum := 0
	for _, c := range a.chunks[:i] {
		sum += len(c.buf)
	}
	return sum
}

// firstEmpty returns the index of the first unused chunk, which may be the current one.
func (a *Arena) firstEmpty() int {
	if a.off == 0 {
		return a.cur
	}
	return a.cur + 1
}

// useChunk makes chunk i the current one. It is either the next one, which is unused, or the one
// before, which keeps what was taken of it.
func (a *Arena) useChunk(i int) {
	switch {
	case i > a.cur:
		a.chunks[a.cur].used, a.chunks[a.cur].dirty = a.off, a.dirty
		a.start += a.off
		a.off = 0
	case i < a.cur:
		a.off = a.chunks[i].used
		a.start -= a.off
	}
	a.cur, a.chunks[i].start = i, a.start
	a.buf, a.dirty, a.clean = a.chunks[i].buf, a.chunks[i].dirty, 0
}

// pageSize returns the unit in which a virtual arena commits memory.
func (a *Arena) pageSize() int {
	if a.region.Huge() {
		return pages.HugeSize
	}
	return pages.Size()
}

// commit makes at least n bytes after off usable, and reports whether it could.
func (a *Arena) commit(n int) bool {
	all := a.chunks[0].buf
	if n > len(all)-a.off {
		return false
	}
	unit, have := a.pageSize(), len(a.buf)
	need := min(roundUp(a.off+n, unit), len(all))
	step := min(max(have/2, minCommit), maxCommit)
	want := max(need, min(roundUp(min(have+step, len(all)), unit), len(all)))
	if a.region.Commit(have, want) != nil {
		if want == need || a.region.Commit(have, need) != nil {
			return false
		}
		want = need
	}
	a.buf = all[:want]
	return true
}

// decommit returns the pages beyond n bytes to the system.
func (a *Arena) decommit(n int) {
	unit := a.pageSize()
	if n = roundUp(min(n, len(a.buf)), unit); n >= len(a.buf) {
		return
	}
	if a.region.Decommit(n, len(a.buf)) == nil {
		a.dirty = min(a.dirty, n)
	}
	a.clean = 0
	a.buf = a.buf[:n] // also after an error, which may leave some pages decommitted
}

// roundUp rounds n up to a multiple of unit, which is a power of two.
func roundUp(n, unit int) int { return (n + unit - 1) &^ (unit - 1) }

// Clip gives back unused memory: chunks after the current one, or pages beyond the position.
//
// Cost: O(chunks).
func (a *Arena) Clip() {
	switch a.kind {
	case chunked:
		if a.position() == 0 {
			a.cur, a.off, a.clean, a.dirty, a.buf = 0, 0, 0, 0, nil
			a.chunks, a.held = nil, 0
			return
		}
		a.dropChunks(a.cur + 1)
	case virtual:
		a.decommit(a.off)
	default: // nothing to give back
	}
}

// Release gives back everything for good, both memory and address space, and makes a the null
// arena. Releasing it again does nothing. It returns an error if the system reports one. The
// caller can do nothing about it.
//
// Cost: O(chunks).
//
// Ends: all pointers into a, all containers with memory in it, and all Marks. Using a pointer into
// a released virtual arena crashes.
//
//berth:ends emptied
func (a *Arena) Release() error {
	if a.kind == null {
		return nil
	}
	if a.kind == virtual { // whose pages may be partly decommitted: see Backing
		a.evict(0)
	} else {
		a.Reset()
	}
	r := a.region
	a.past.rewound(-1) // ends all Marks
	a.buf, a.chunks, a.region = nil, nil, nil
	a.start, a.off, a.clean, a.dirty, a.cur, a.held = 0, 0, 0, 0, 0, 0
	a.kind = null
	if r == nil {
		return nil
	}
	if err := r.Release(); err != nil {
		return fmt.Errorf("arena: Arena.Release: %w", err)
	}
	return nil
}
