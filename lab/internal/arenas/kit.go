// Package arenas measures arenas, the containers in them, and what Go programs use instead.
package arenas

import "github.com/seed505807e1/berth/lab/internal/measure"

// Each workload of an arena has its own family, since each has other rivals. Those of an Arena
// itself are in bump.go and pages.go, those of its containers in deque.go, vec.go and map.go, and
// berth.Pool in an arena's memory is in pool.go.

// Kit holds the constructors of an implementation. Most have one.
type Kit struct {
	Bump  func(elemBytes int) Bump
	Pages func() Pages
	Queue func() Queue
	Array func() Array
	Table func() Table
}

// closing releases the memory of c outside Go's heap, if it has a method Close.
func closing(c any) {
	if c, ok := c.(interface{ Close() }); ok {
		c.Close()
	}
}

// bumpElem is a value allocated in an arena.
type bumpElem interface{ [2]uint64 | [8]uint64 }

// Bump hands out zeroed values and frees all at once, for arena-bump.
type Bump interface {
	// New makes one with room for n values.
	New(n int)
	// Fill repeats rounds times: free all, and hand out n values. The k-th value of all, from 1 on,
	// gets k in its first word. It adds up the first words, reading each after the next value is
	// handed out.
	Fill(rounds int) uint64
	// Check frees all, hands out n values, and writes to all of their words. It adds up the words,
	// and a large number for each that was not zero.
	Check() uint64
}

// pageWords is the number of words in a page of 4 KiB.
const pageWords = 512

// Pages hands out pages of 4 KiB, for arena-pages. It keeps the pages that it has handed out.
type Pages interface {
	// New drops everything and makes an empty one for n pages. If keeps is true, it keeps its
	// memory when all pages are freed; else it releases it to the system.
	New(n int, keeps bool)
	// Take hands out all pages, which are zero, and writes first to the first word of the first
	// page, first+1 to that of the second, and so on.
	Take(first uint64)
	// Back frees all pages.
	Back()
	// Sum adds up all words of all pages.
	Sum() uint64
	// Chunks returns the number of pieces of the memory.
	Chunks() int
	// Note returns a note on the memory, if any.
	Note() string
}

// Queue is a sequence of uint64, for arena-deque.
type Queue interface {
	// New drops everything and makes an empty one for at most n values.
	New(n int)
	// Push pushes from, …, to-1 at the back.
	Push(from, to uint64)
	// Shift pops n values at the front, and returns their weighted sum.
	Shift(n int) uint64
	// Pop pops n values at the back, and returns their weighted sum.
	Pop(n int) uint64
	// Pass repeats pairs times: push next, next+1, … at the back, and pop one at the front. It
	// returns the weighted sum of the popped values.
	Pass(next uint64, pairs int) uint64
}

// Array is a sequence of uint64 that grows at its end, for arena-vec.
type Array interface {
	// New drops everything and makes an empty one with the given room.
	New(room int)
	// Push pushes 0, …, n-1.
	Push(n int)
	// Sum returns the weighted sum of all.
	Sum() uint64
}

// Table is a map of uint64, for arena-map.
type Table interface {
	// New drops everything and makes an empty one with the given room. most is the number of
	// entries to come.
	New(room, most int)
	// Insert sets the value of keys[i] to i.
	Insert(keys []uint64)
	// Get adds up the values of keys.
	Get(keys []uint64) uint64
	// Churn deletes out[i], and sets the value of in[i] to next+i, for each of them.
	Churn(out, in []uint64, next uint64)
	// Sum visits all entries and adds up each key mixed with its value.
	Sum() uint64
	// OffHeap returns the bytes outside Go's heap.
	OffHeap() int
	// Note returns a note on the memory, if any.
	Note() string
}

// The shape of the workloads of arenas: a batch is long enough for the clock, and the median of 16
// batches counts.
const (
	arenaBatches = 16
	arenaBatch   = 1 << 16
)

func batches(j measure.Job) int {
	if j.Quick {
		return 2
	}
	return arenaBatches
}

// weighted is the term of a checksum for popping v as the i-th value, from 0 on. It is never 0, so
// that a loop that pops nothing is detected.
func weighted(i int, v uint64) uint64 { return uint64(i+1) * (v + 1) }

// weightedSum is the sum for from, …, from+n-1 in this order.
func weightedSum(from uint64, n int) (sum uint64) {
	for i := range n {
		sum += weighted(i, from+uint64(i))
	}
	return sum
}

func sumArray(s []uint64) (sum uint64) {
	for i, v := range s {
		sum += weighted(i, v)
	}
	return sum
}

// mixed is the term of a checksum for a key and its value.
func mixed(key, value uint64) uint64 { return key ^ value }

// fillOnce is a round of Fill by the call take. v is the number of values before. The compiler
// inlines it, and take, if that is a function literal.
func fillOnce[E bumpElem](n, v int, take func() *E) (sum uint64) {
	var zero E
	last := &zero
	for range n {
		p := take()
		v++
		(*p)[0] = uint64(v)
		sum += (*last)[0]
		last = p
	}
	return sum + (*last)[0]
}

// ofSize chooses between the constructors for the two sizes of values.
func ofSize(of16, of64 func() Bump) func(elemBytes int) Bump {
	return func(elemBytes int) Bump {
		if elemBytes == 16 {
			return of16()
		}
		return of64()
	}
}

func zero[T any, B interface {
	*T
	Bump
}]() Bump {
	return B(new(T))
}

// notZero is what Check adds for a word that is not zero.
const notZero = 1 << 40

// checkBump is Check for an implementation that hands out n values by take.
func checkBump[E bumpElem](n int, take func() *E) (sum uint64) {
	out := make([]*E, n)
	for i := range out {
		p := take()
		if p == nil {
			return 0
		}
		for k := range len(*p) {
			if (*p)[k] != 0 {
				sum += notZero
			}
			(*p)[k] = uint64(i + 1)
		}
		out[i] = p
	}
	for _, p := range out {
		for k := range len(*p) {
			sum += (*p)[k]
		}
	}
	return sum
}
