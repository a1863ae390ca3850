package arena

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/pages"
)

const (
	// baseAlign is what chunks are aligned to, whatever their address.
	baseAlign = 64
	// defaultKeep is VirtualConfig.Keep if that is 0.
	defaultKeep = 64 << 20
	// A commit is half of what there is, but at least and at most so much.
	minCommit = 256 << 10
	maxCommit = 64 << 20
	// keptTried is how many chunks that are not in use are tried for a large piece.
	keptTried = 64
	// fallbackChunk is the chunk of a virtual arena where there are none.
	fallbackChunk = 1 << 20
)

// VirtualConfig tunes [NewVirtual]; its zero value is the default.
type VirtualConfig struct {
	// HugePages asks the system for pages of 2 MiB in place of 4 KiB, which makes random access
	// to much memory faster: [Stats] says whether it refused. Memory comes in pieces of 2 MiB then.
	HugePages bool
	// Keep is how many bytes stay committed when the arena is rewound; above it, pages return to
	// the system. To fault a page in again costs several times what zeroing it costs, so Keep
	// should be what is used every time. 0 is 64 MiB.
	Keep int
}

// NewVirtual returns an Arena of reserve bytes of address space, off Go's heap. Reserving costs a
// few microseconds, whatever the size; memory comes with use, page by page. 64 GiB is a fine
// reserve where an int has 64 bits.
//
// The collector does not know of this memory: it neither frees it, so [Arena.Release] must be
// called when all is done, nor counts it, so it runs as often as the rest of the heap asks for.
// Systems other than Linux, macOS and Windows get an Arena of chunks on Go's heap, of reserve bytes
// in all; [Arena.IsVirtual] tells.
//
// It fails with an error that wraps [ErrNoSpace] if the system refuses. On Linux it does so before
// Go's heap would be short of what it needs to grow, which it could not report: if virtual arenas
// have half of the process's mappings (vm.max_map_count, of which an arena takes two, with huge
// pages four, and a [Backing] two more for each large piece that is free between others), and if
// less than an eighth of a limit on addresses (ulimit -v, or 32 bits) would be left. With Linux's
// own setting that is at 16 382 arenas.
//
// It panics if reserve is not positive or Keep is negative.
// Cost: one system call to four.
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

// checkBytes panics if n is less than least, or no size of memory on Go's heap.
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

// more makes room for size bytes at a multiple of align, in this chunk or in another one, and
// reports false if it cannot.
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

// nextChunk goes on to a chunk with room for size bytes at a multiple of align.
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
	at := next // of those that are kept, it looks at a few only
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

// dropChunks drops the chunks from i on, of which nothing is taken.
func (a *Arena) dropChunks(i int) {
	a.held = a.heldBefore(i)
	clear(a.chunks[i:])
	a.chunks = a.chunks[:i]
}

// heldBefore returns the bytes of the chunks before i.
func (a *Arena) heldBefore(i int) int {
	sum := 0
	for _, c := range a.chunks[:i] {
		sum += len(c.buf)
	}
	return sum
}

// firstEmpty returns the first chunk that nothing is taken of, which may be the current one.
func (a *Arena) firstEmpty() int {
	if a.off == 0 {
		return a.cur
	}
	return a.cur + 1
}

// useChunk makes chunk i the current one: the next, or the one before, with all that was taken of
// it.
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

// pageSize returns what a virtual arena gets memory by.
func (a *Arena) pageSize() int {
	if a.region.Huge() {
		return pages.HugeSize
	}
	return pages.Size()
}

// commit makes n bytes behind off usable, and some more. It reports false if there are none.
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

// decommit gives the pages beyond n bytes back to the system.
func (a *Arena) decommit(n int) {
	unit := a.pageSize()
	if n = roundUp(min(n, len(a.buf)), unit); n >= len(a.buf) {
		return
	}
	if a.region.Decommit(n, len(a.buf)) == nil {
		a.dirty = min(a.dirty, n)
	}
	a.clean = 0
	a.buf = a.buf[:n] // also after an error, of which nobody knows how far it came
}

// roundUp returns the first multiple of unit, a power of two, from n on.
func roundUp(n, unit int) int { return (n + unit - 1) &^ (unit - 1) }

// Clip gives back the memory that nothing is allocated in: chunks behind the current one, pages
// behind the position.
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

// Release gives back everything, memory and address space, for good: a is the null arena then. To
// release it again does nothing. It returns an error if the system has one, which a caller can do
// nothing about.
// Cost: O(chunks).
// Ends: all pointers into a, all containers with memory in it, and all Marks. To use a pointer into
// a released virtual arena is a crash.
func (a *Arena) Release() error {
	if a.kind == null {
		return nil
	}
	if a.kind == virtual { // of which some may be gone already: see Backing
		a.evict(0)
	} else {
		a.Reset()
	}
	r := a.region
	a.past.rewound(-1) // past all Marks
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
