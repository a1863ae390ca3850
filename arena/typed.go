package arena

import (
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/nocopy"
)

// typedBytes is about how much a chunk of a Typed takes.
const typedBytes = 16 << 10

// Typed is an arena of values of one type, which may hold pointers: strings, slices, maps,
// interfaces. Its chunks are slices of T on Go's heap, so the collector sees what they point to;
// and what is rewound is zeroed, so it is not kept alive. The zero Typed is ready to use.
//
// A pointer to a value keeps its whole chunk in memory, as any pointer does, so none ever dangles;
// but one that is kept after the rewind points to what is zero, or to the next value that takes the
// place. A Typed is for one goroutine at a time, and must not be copied.
//
// Invariants (checkInvariants):
//  1. all values beyond the position are zero
//  2. all chunks are full length; start is the sum of those before cur
//  3. the history's, as of an Arena
type Typed[T any] struct {
	_ nocopy.NoCopy

	buf    []T // the current chunk
	n      int // taken of it
	start  int // taken before it
	cur    int
	chunks [][]T
	past   history
}

// New returns a pointer to a zero T.
// Cost: O(1); allocates a chunk when the current one is full.
// The pointer is good until what lies there is rewound.
func (t *Typed[T]) New() *T {
	if t.n == len(t.buf) {
		t.next()
	}
	v := &t.buf[t.n]
	t.n++
	return v
}

// next goes on to the next chunk.
func (t *Typed[T]) next() {
	i := t.cur + 1
	if len(t.chunks) == 0 {
		i = 0
	}
	if i == len(t.chunks) {
		size := max(1, int(reflect.TypeFor[T]().Size()))
		t.chunks = append(t.chunks, make([]T, max(1, min(typedBytes/size, typedMost))))
	}
	t.start += len(t.buf)
	t.cur, t.buf, t.n = i, t.chunks[i], 0
}

// typedMost is how many values a chunk has at most.
const typedMost = 1024

// Len returns the number of values.
// Cost: O(1).
func (t *Typed[T]) Len() int { return t.start + t.n }

// Cap returns how many values the chunks hold.
// Cost: O(1).
func (t *Typed[T]) Cap() int {
	if len(t.chunks) == 0 {
		return 0
	}
	return len(t.chunks) * len(t.chunks[0])
}

// String returns the type of the values and how many there are, as in
// "arena.Typed[int](3 of 64 values)".
// Cost: allocates the string.
func (t *Typed[T]) String() string {
	return fmt.Sprintf("arena.Typed[%v](%d of %d values)", reflect.TypeFor[T](), t.Len(), t.Cap())
}

// Mark returns the present position, for [Typed.Rewind].
// Cost: O(1); never allocates.
func (t *Typed[T]) Mark() Mark {
	return Mark{of: &t.past, pos: t.Len(), epoch: t.past.observe(t.Len())}
}

// Rewind zeroes and gives back the values that were made since m. A Mark may be used again, but not
// after a rewind to before it. Rewind panics if m is of another arena, or if t has been rewound
// past m since.
// Cost: O(values given back).
// Ends: pointers to them, and later Marks.
func (t *Typed[T]) Rewind(m Mark) {
	t.past.check(m, "Typed.Rewind")
	t.rewind(m.pos)
}

// Scope calls f, and gives back what has been made meanwhile, also if f panics. If f rewinds t to
// before where it began, there is nothing left to do: what f makes after that stays.
// Cost: as [Typed.Rewind].
// Ends: as Rewind to where it began.
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
// Cost: O(Len).
// Ends: all pointers and Marks.
func (t *Typed[T]) Reset() { t.rewind(0) }

// Clip gives back the chunks that no value is in.
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
