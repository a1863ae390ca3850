package arenas

import (
	"unsafe"

	"github.com/seed505807e1/berth/lab/internal/measure"

	modernc "modernc.org/memory"
)

var moderncImpl = measure.Impl{
	Name: "modernc.org/memory",
	About: "modernc.org/memory 1.12.1: calloc and free as in C, in memory from the system, off " +
		"Go's heap. It is not an arena: all are freed one by one. The collector does not scan " +
		"it: the target of a pointer in it may be collected while it is in use.",
	Stale: "reads a link of a free list, later a value allocated there since, or " +
		"crashes; a value freed twice is allocated twice",
	Loops: "UnsafeFree for each, then UnsafeCalloc for each. It keeps 4 MiB of freed pages in " +
		"memory, and only the addresses of the others; Trim releases these, too",
	Kit: Kit{
		Bump:  ofSize(zero[moderncBump[[2]uint64]], zero[moderncBump[[8]uint64]]),
		Pages: func() Pages { return new(moderncPages) },
	},
}

func calloc(a *modernc.Allocator, bytes uintptr) unsafe.Pointer {
	p, err := a.UnsafeCalloc(int(bytes))
	if err != nil {
		panic("lab: " + err.Error())
	}
	return p
}

// free gives p back to a. It never fails for a pointer in use.
func free(a *modernc.Allocator, p unsafe.Pointer) {
	if err := a.UnsafeFree(p); err != nil {
		panic("lab: " + err.Error())
	}
}

type moderncBump[E bumpElem] struct {
	a    modernc.Allocator
	kept []*E // nil if not in use
}

func (c *moderncBump[E]) New(n int) {
	c.Close()
	c.kept = make([]*E, n)
}

// take returns a call that allocates a value in place of each kept one.
func (c *moderncBump[E]) take() func() *E {
	i, kept := 0, c.kept
	return func() *E {
		var e E
		p := (*E)(calloc(&c.a, unsafe.Sizeof(e)))
		kept[i] = p
		i++
		return p
	}
}

func (c *moderncBump[E]) freeAll() {
	for i, p := range c.kept {
		if p != nil {
			free(&c.a, unsafe.Pointer(p))
			c.kept[i] = nil
		}
	}
}

func (c *moderncBump[E]) Fill(rounds int) (sum uint64) {
	for k := range rounds {
		c.freeAll()
		sum += fillOnce(len(c.kept), k*len(c.kept), c.take())
	}
	return sum
}

func (c *moderncBump[E]) Check() uint64 {
	c.freeAll()
	return checkBump(len(c.kept), c.take())
}

func (c *moderncBump[E]) Close() { _ = c.a.Close() }

type moderncPages struct {
	takenPages
	a     modernc.Allocator
	keeps bool
}

func (c *moderncPages) New(n int, keeps bool) {
	c.Close()
	c.takenPages, c.keeps = make(takenPages, n), keeps
}

func (c *moderncPages) Take(first uint64) {
	for i := range c.takenPages {
		page := unsafe.Slice((*uint64)(calloc(&c.a, pageBytes)), pageWords)
		page[0] = first + uint64(i)
		c.takenPages[i] = page
	}
}

func (c *moderncPages) Back() {
	for i, page := range c.takenPages {
		free(&c.a, unsafe.Pointer(unsafe.SliceData(page)))
		c.takenPages[i] = nil
	}
	if !c.keeps {
		_ = c.a.Trim()
	}
}

// Chunks is 1, since it frees page by page: no piece of its memory is freed at once.
func (c *moderncPages) Chunks() int { return 1 }

func (c *moderncPages) Note() string { return "" }
func (c *moderncPages) Close()       { _ = c.a.Close() }
