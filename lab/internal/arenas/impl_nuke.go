package arenas

import (
	"runtime/debug"

	"github.com/ortuman/nuke"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

var nukeImpl = measure.Impl{
	Name: "ortuman/nuke",
	About: "github.com/ortuman/nuke 1.3.0: a monotonic arena of buffers of 256 KiB on Go's heap, " +
		"each of which is tried from the first on; when all are full, it uses Go's heap. The " +
		"collector does not scan a buffer: the target of a pointer in it may be collected while " +
		"it is in use.",
	Stale: bumpStale + ", or keeps the buffer that was released",
	Loops: "Reset, which keeps the buffers or releases them to Go's heap, and New for each " +
		"value, or MakeSlice for each page",
	Kit: Kit{
		Bump: ofSize(
			func() Bump { return &nukeBump[[2]uint64]{fill: fillNuke16} },
			func() Bump { return &nukeBump[[8]uint64]{fill: fillNuke64} }),
		Pages: func() Pages { return new(nukePages) },
	},
}

// nukeBuffer is the buffer size in its README.
const nukeBuffer = 256 * 1024

// newNuke makes an arena with the number of buffers that bytes fill. The size of the allocations
// divides a buffer's, so that no space is lost at its end.
func newNuke(bytes int) (a nuke.Arena, buffers int) {
	buffers = (bytes + nukeBuffer - 1) / nukeBuffer
	return nuke.NewMonotonicArena(nukeBuffer, buffers), buffers
}

type nukeBump[E bumpElem] struct {
	fill func(a nuke.Arena, n, rounds int) uint64
	a    nuke.Arena
	n    int
}

func (c *nukeBump[E]) New(n int) {
	var e E
	c.a, _ = newNuke(8 * n * len(e))
	c.n = n
}

func (c *nukeBump[E]) Fill(rounds int) uint64 { return c.fill(c.a, c.n, rounds) }

func fillNuke16(a nuke.Arena, n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset(false)
		sum += fillOnce(n, k*n, func() *[2]uint64 { return nuke.New[[2]uint64](a) })
	}
	return sum
}

func fillNuke64(a nuke.Arena, n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset(false)
		sum += fillOnce(n, k*n, func() *[8]uint64 { return nuke.New[[8]uint64](a) })
	}
	return sum
}

func (c *nukeBump[E]) Check() uint64 {
	c.a.Reset(false)
	return checkBump(c.n, func() *E { return nuke.New[E](c.a) })
}

type nukePages struct {
	takenPages
	a       nuke.Arena
	buffers int
	keeps   bool
}

func (c *nukePages) New(n int, keeps bool) {
	c.takenPages, c.keeps = make(takenPages, n), keeps
	c.a, c.buffers = newNuke(n * pageBytes)
	debug.FreeOSMemory() // so that the heap has no free memory
}

func (c *nukePages) Take(first uint64) {
	for i := range c.takenPages {
		page := nuke.MakeSlice[uint64](c.a, pageWords, pageWords)
		page[0] = first + uint64(i)
		c.takenPages[i] = page
	}
}

// Back also drops the pages, which would keep the released buffers.
func (c *nukePages) Back() {
	clear(c.takenPages)
	c.a.Reset(!c.keeps)
}

func (c *nukePages) Chunks() int  { return c.buffers }
func (c *nukePages) Note() string { return "" }
