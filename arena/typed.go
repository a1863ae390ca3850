package arena

import (
	"fmt"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// A chunk of a Typed has about typedBytes bytes, and at most typedMost values.
const (
	typedBytes = 16 << 10
	typedMost  = 1024
)

// Typed is an arena of values of one type, which may hold pointers, such as strings, slices, maps
// and interfaces. Its chunks are slices of T on Go's heap, so the collector follows their pointers.
// Rewound values are zeroed, so that what they point to can be collected. The zero Typed is ready
// to use.
//
// A pointer to a value keeps its whole chunk in memory, so it never dangles. A pointer kept after
// the rewind points to a zero value, or to a newer value in the same place. A Typed is for one
// goroutine at a time, and must not be copied.
type Typed[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. all values beyond the position are zero
	//  2. all chunks have full length; start is the sum of those before cur
	//  3. past keeps its own invariants

	buf    []T // the current chunk
	n      int // values taken of it
	start  int // values taken of the chunks before it
	cur    int
	chunks [][]T
	past   history
}

// New returns a pointer to a zero T, which is valid until its memory is rewound.
//
// Cost: O(1); allocates a chunk when the current one is full.
//
//berth:lends r0
func (t *Typed[T]) New() *T {
	if t.n == len(t.buf) {
		t.next()
	}
	v := &t.buf[t.n]
	t.n++
	return v
}

// next moves on to the next chunk.
func (t *Typed[T]) next() {
	i := t.cur + 1
	if len(t.chunks) == 0 {
		i = 0
	}
	if i == len(t.chunks) {
		size := max(1, int(plain.TypeFor[T]().Size()))
		t.chunks = append(t.chunks, make([]T, max(1, min(typedBytes/size, typedMost))))
	}
	t.start += len(t.buf)
	t.cur, t.buf, t.n = i, t.chunks[i], 0
}

// Len returns the number of values.
//
// Cost: O(1).
func (t *Typed[T]) Len() int { return t.start + t.n }

// Cap returns the number of values for which t has chunks.
//
// Cost: O(1).
func (t *Typed[T]) Cap() int {
	if len(t.chunks) == 0 {
		return 0
	}
	return len(t.chunks) * len(t.chunks[0])
}

// String returns the type and number of the values, as in "arena.Typed[int](3 of 64 values)".
//
// Cost: allocates the string.
func (t *Typed[T]) String() string {
	return fmt.Sprintf("arena.Typed[%v](%d of %d values)", plain.TypeFor[T](), t.Len(), t.Cap())
}

// Mark returns the current position, for [Typed.Rewind].
//
// Cost: O(1); never allocates.
//
//berth:marks r0
func (t *Typed[T]) Mark() Mark {
	return Mark{of: &t.past, pos: t.Len(), epoch: t.past.observe(t.Len())}
}

// Rewind zeroes and gives back the values that were made since m. A Mark may be used more than
// once, until t is rewound to before it. Rewind panics if m belongs to another arena, or if t has
// been rewound past m since.
//
// Cost: O(values given back).
//
// Ends: pointers to them, and later Marks.
//
//berth:ends since m
func (t *Typed[T]) Rewind(m Mark) {
	t.past.check(m, "Typed.Rewind")
	t.rewind(m.pos)
}

// Scope calls f and then gives back the values that f made, even if f panics. If f rewinds t to
// before where Scope began, Scope gives nothing back: later values of f stay.
//
// Cost: as [Typed.Rewind].
//
// Ends: as Rewind to where it began.
//
//berth:ends some
func (t *Typed[T]) Scope(f func(*Typed[T])) {
	pos := t.Len()
	low := t.past.begin(pos)
	defer func() {
		if t.past.end(pos, low) {
			t.rewind(pos)
		}
	}()
	f(t)
}

// Reset zeroes and gives back all values, and keeps the memory.
//
// Cost: O(Len).
//
// Ends: all pointers and Marks.
//
//berth:ends emptied
func (t *Typed[T]) Reset() { t.rewind(0) }

// Clip gives back the chunks that hold no value.
//
// Cost: O(chunks).
func (t *Typed[T]) Clip() {
	if t.Len() == 0 {
		t.buf, t.n, t.cur, t.chunks = nil, 0, 0, nil
		return
	}
	clear(t.chunks[t.cur+1:])
	t.chunks = t.chunks[:t.cur+1]
}

// rewind sets the position back to pos.
func (t *Typed[T]) rewind(pos int) {
	if pos == t.Len() {
		return
	}
	t.past.rewound(pos)
	for t.cur > 0 && t.start >= pos {
		clear(t.buf[:t.n])
		t.cur--
		t.buf = t.chunks[t.cur]
		t.n = len(t.buf)
		t.start -= t.n
	}
	clear(t.buf[pos-t.start : t.n])
	t.n = pos - t.start
}

// checkInvariants panics with the number of the invariant that t breaks, if any.
func (t *Typed[T]) checkInvariants() {
	sum := 0
	for i, c := range t.chunks {
		if i < t.cur {
			sum += len(c)
		}
		from := 0
		switch {
		case i < t.cur:
			from = len(c)
		case i == t.cur:
			from = t.n
		}
		for k := from; k < len(c); k++ {
			if !invariants.IsZero(&c[k]) {
				fail("Typed", 1, "value %d of chunk %d is not zero", k, i)
			}
		}
	}
	if sum != t.start || len(t.chunks) > 0 && len(t.buf) != len(t.chunks[t.cur]) {
		fail("Typed", 2, "start is %d, not %d", t.start, sum)
	}
	t.past.checkInvariants()
}
