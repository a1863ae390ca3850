package arenas

import (
	"runtime/debug"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// pageBytes is the size of a page, whatever the system's are.
const pageBytes = 8 * pageWords

var pagesVirtualImpl = measure.Impl{
	Name:  "Virtual",
	About: "an arena in reserved address space (NewVirtual), off Go's heap, with small pages",
	Stale: bumpStale + ", or crashes",
	Ours:  true,
	Loops: "MakeSlice for each page; Reset, with Keep for all pages, or for none",
	Kit:   Kit{Pages: func() Pages { return new(virtualPages) }},
}

var pagesHugeImpl = measure.Impl{
	Name:  "Virtual huge",
	About: "the same, which requests pages of 2 MiB from the system",
	Stale: bumpStale + ", or crashes",
	Ours:  true,
	Loops: "as those of Virtual",
	Kit:   Kit{Pages: func() Pages { return &virtualPages{huge: true} }},
}

var pagesChunkedImpl = measure.Impl{
	Name: "Chunked",
	About: "an arena of 64 KiB chunks on Go's heap (NewChunked). It releases memory " +
		"to Go's heap, not to the system.",
	Stale: bumpStale,
	Ours:  true,
	Loops: "MakeSlice for each page; Reset, and Clip to release",
	Kit:   Kit{Pages: func() Pages { return new(chunkedPages) }},
}

var pagesSliceImpl = measure.Impl{
	Name: "[]byte",
	About: "a slice of all pages on Go's heap, cleared for reuse. To release it, it is " +
		"dropped, and debug.FreeOSMemory is called, which collects all garbage.",
	Stale: "reads a value allocated there since, or keeps all pages",
	Loops: "a piece of the slice for each page",
	Kit:   Kit{Pages: func() Pages { return new(slicePages) }},
}

// takenPages are the pages that were handed out.
type takenPages [][]uint64

func (p takenPages) Sum() (sum uint64) {
	for _, page := range p {
		for _, w := range page {
			sum += w
		}
	}
	return sum
}

func (p takenPages) takeOf(a *arena.Arena, first uint64) {
	for i := range p {
		page := arena.MakeSlice[uint64](a, pageWords, pageWords)
		page[0] = first + uint64(i)
		p[i] = page
	}
}

type virtualPages struct {
	takenPages
	huge bool
	a    *arena.Arena
}

func (c *virtualPages) New(n int, keeps bool) {
	c.Close()
	conf := arena.VirtualConfig{HugePages: c.huge, Keep: 1}
	if keeps {
		conf.Keep = n * pageBytes
	}
	c.takenPages, c.a = make(takenPages, n), mustVirtual(n*pageBytes, conf)
}

func (c *virtualPages) Take(first uint64) { c.takeOf(c.a, first) }
func (c *virtualPages) Back()             { c.a.Reset() }
func (c *virtualPages) Chunks() int       { return c.a.Stats().Chunks }

func (c *virtualPages) Note() string { return hugeNote(c.huge, c.a.Stats()) }

func (c *virtualPages) Close() { release(c.a) }

type chunkedPages struct {
	takenPages
	a     *arena.Arena
	keeps bool
}

func (c *chunkedPages) New(n int, keeps bool) {
	c.takenPages, c.a, c.keeps = make(takenPages, n), arena.NewChunked(16*pageBytes), keeps
	debug.FreeOSMemory() // so that the heap has no free memory
}

func (c *chunkedPages) Take(first uint64) { c.takeOf(c.a, first) }

func (c *chunkedPages) Back() {
	c.a.Reset()
	if !c.keeps {
		c.a.Clip()
	}
}

func (c *chunkedPages) Chunks() int  { return c.a.Stats().Chunks }
func (c *chunkedPages) Note() string { return "" }

type slicePages struct {
	takenPages
	all   []uint64
	keeps bool
	used  bool
}

func (c *slicePages) New(n int, keeps bool) {
	c.takenPages, c.keeps, c.used = make(takenPages, n), keeps, false
	c.drop()
}

// drop releases the memory to the system.
func (c *slicePages) drop() {
	clear(c.takenPages)
	c.all = nil
	debug.FreeOSMemory()
}

func (c *slicePages) Take(first uint64) {
	if c.all == nil {
		c.all = make([]uint64, len(c.takenPages)*pageWords)
	}
	for i := range c.takenPages {
		page := c.all[i*pageWords : (i+1)*pageWords]
		if c.used {
			clear(page)
		}
		page[0] = first + uint64(i)
		c.takenPages[i] = page
	}
}

func (c *slicePages) Back() {
	if c.used = c.keeps; !c.keeps {
		c.drop()
	}
}

func (c *slicePages) Chunks() int  { return 1 }
func (c *slicePages) Note() string { return "" }
func (c *slicePages) Close()       { c.drop() }
