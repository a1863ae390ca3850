package arenas

import (
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The allocators. Loops that call package arena are written once for each size. A generic loop
// would look up the type for each call, and few programs have such loops.

const (
	bumpStale = "reads a value allocated there since"
	bumpLoops = "Reset, and New for each value"
)

var bumpFixedImpl = measure.Impl{
	Name:  "New on Fixed",
	About: "values by arena.New, on an arena of one piece of Go's heap, just large enough",
	Stale: bumpStale,
	Ours:  true,
	Loops: bumpLoops,
	Kit:   Kit{Bump: arenaBumpOf(func(bytes int) *arena.Arena { return arena.NewFixed(bytes) })},
}

var bumpChunkedImpl = measure.Impl{
	Name:  "New on Chunked",
	About: "values by arena.New, on an arena of chunks of Go's heap, of 64 KiB each",
	Stale: bumpStale,
	Ours:  true,
	Loops: bumpLoops,
	Kit: Kit{
		Bump: arenaBumpOf(func(int) *arena.Arena { return arena.NewChunked(impls.ArenaChunk) }),
	},
}

var bumpVirtualImpl = measure.Impl{
	Name:  "New on Virtual",
	About: "values by arena.New, on an arena in reserved address space, off Go's heap",
	Stale: bumpStale,
	Ours:  true,
	Loops: bumpLoops,
	Kit: Kit{
		Bump: arenaBumpOf(func(bytes int) *arena.Arena {
			return mustVirtual(bytes, arena.VirtualConfig{})
		}),
	},
}

// arenaBumpOf makes a constructor for arenas made by newArena.
func arenaBumpOf(newArena func(bytes int) *arena.Arena) func(elemBytes int) Bump {
	return ofSize(
		func() Bump { return &bumpArena[[2]uint64]{newArena: newArena, fill: fillArena16} },
		func() Bump { return &bumpArena[[8]uint64]{newArena: newArena, fill: fillArena64} })
}

type bumpArena[E bumpElem] struct {
	newArena func(bytes int) *arena.Arena
	fill     func(a *arena.Arena, n, rounds int) uint64
	a        *arena.Arena
	n        int
}

func (c *bumpArena[E]) New(n int) {
	var e E
	c.a, c.n = c.newArena(8*n*len(e)), n
}

func (c *bumpArena[E]) Fill(rounds int) uint64 { return c.fill(c.a, c.n, rounds) }

func fillArena16(a *arena.Arena, n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset()
		sum += fillOnce(n, k*n, func() *[2]uint64 { return arena.New[[2]uint64](a) })
	}
	return sum
}

func fillArena64(a *arena.Arena, n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset()
		sum += fillOnce(n, k*n, func() *[8]uint64 { return arena.New[[8]uint64](a) })
	}
	return sum
}

func (c *bumpArena[E]) Check() uint64 {
	c.a.Reset()
	return checkBump(c.n, func() *E { return arena.New[E](c.a) })
}

func (c *bumpArena[E]) Close() { release(c.a) }

var bumpBlocksImpl = measure.Impl{
	Name: "Bump on Fixed",
	About: "values of an arena.Bump, which takes a block of them from the arena and counts " +
		"through it: the rest of the last block stays unused",
	Stale: bumpStale,
	Ours:  true,
	Loops: "Reset, Clear, and New for each value",
	Kit: Kit{Bump: ofSize(
		func() Bump { return &bumpBlocks[[2]uint64]{fill: fillBlocks16} },
		func() Bump { return &bumpBlocks[[8]uint64]{fill: fillBlocks64} },
	)},
}

type bumpBlocks[E bumpElem] struct {
	fill func(a *arena.Arena, b *arena.Bump[E], n, rounds int) uint64
	a    *arena.Arena
	b    *arena.Bump[E]
	n    int
}

func (c *bumpBlocks[E]) New(n int) {
	var e E
	c.n = n
	c.a = arena.NewFixed(8 * len(e) * (n + 1))
	c.b = arena.NewBump[E](c.a, n) // one block
}

func (c *bumpBlocks[E]) Fill(rounds int) uint64 { return c.fill(c.a, c.b, c.n, rounds) }

func fillBlocks16(a *arena.Arena, b *arena.Bump[[2]uint64], n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset()
		b.Clear()
		sum += fillOnce(n, k*n, func() *[2]uint64 { return b.New() })
	}
	return sum
}

func fillBlocks64(a *arena.Arena, b *arena.Bump[[8]uint64], n, rounds int) (sum uint64) {
	for k := range rounds {
		a.Reset()
		b.Clear()
		sum += fillOnce(n, k*n, func() *[8]uint64 { return b.New() })
	}
	return sum
}

func (c *bumpBlocks[E]) Check() uint64 {
	c.a.Reset()
	c.b.Clear()
	return checkBump(c.n, c.b.New)
}

func (c *bumpBlocks[E]) Close() { release(c.a) }

var bumpTypedImpl = measure.Impl{
	Name: "Typed",
	About: "values of an arena.Typed, chunks of one type on Go's heap, which may hold pointers: " +
		"values are zeroed when they are freed",
	Stale: bumpStale,
	Ours:  true,
	Loops: bumpLoops,
	Kit: Kit{Bump: ofSize(
		func() Bump { return &bumpTyped[[2]uint64]{fill: fillTyped16} },
		func() Bump { return &bumpTyped[[8]uint64]{fill: fillTyped64} },
	)},
}

type bumpTyped[E bumpElem] struct {
	fill func(t *arena.Typed[E], n, rounds int) uint64
	t    *arena.Typed[E]
	n    int
}

func (c *bumpTyped[E]) New(n int) { c.t, c.n = new(arena.Typed[E]), n }

func (c *bumpTyped[E]) Fill(rounds int) uint64 { return c.fill(c.t, c.n, rounds) }

func fillTyped16(t *arena.Typed[[2]uint64], n, rounds int) (sum uint64) {
	for k := range rounds {
		t.Reset()
		sum += fillOnce(n, k*n, func() *[2]uint64 { return t.New() })
	}
	return sum
}

func fillTyped64(t *arena.Typed[[8]uint64], n, rounds int) (sum uint64) {
	for k := range rounds {
		t.Reset()
		sum += fillOnce(n, k*n, func() *[8]uint64 { return t.New() })
	}
	return sum
}

func (c *bumpTyped[E]) Check() uint64 {
	c.t.Reset()
	return checkBump(c.n, c.t.New)
}

var bumpSliceImpl = measure.Impl{
	Name: "slice by index",
	About: "a slice made beforehand, and an index in a local variable of the loop: the " +
		"equivalent of an arena in a program that needs none",
	Stale: bumpStale,
	Loops: "written out",
	Kit:   Kit{Bump: ofSize(zero[bumpSlice[[2]uint64]], zero[bumpSlice[[8]uint64]])},
}

type bumpSlice[E bumpElem] struct{ s []E }

func (c *bumpSlice[E]) New(n int) { c.s = make([]E, n) }

// take returns a call that hands out the values one by one, from the first on.
func (c *bumpSlice[E]) take() func() *E {
	i, s := 0, c.s
	return func() *E {
		var zero E
		p := &s[i]
		i++
		*p = zero
		return p
	}
}

func (c *bumpSlice[E]) Fill(rounds int) (sum uint64) {
	for k := range rounds {
		sum += fillOnce(len(c.s), k*len(c.s), c.take())
	}
	return sum
}

func (c *bumpSlice[E]) Check() uint64 { return checkBump(len(c.s), c.take()) }

var bumpFieldImpl = measure.Impl{
	Name: "slice in struct",
	About: "the same with the index in a field and an allocating method, as in a " +
		"program that needs an arena",
	Stale: bumpStale,
	Loops: "one call for each value, which is inlined",
	Kit:   Kit{Bump: ofSize(zero[bumpField[[2]uint64]], zero[bumpField[[8]uint64]])},
}

type bumpField[E bumpElem] struct {
	s []E
	i int
}

func (c *bumpField[E]) New(n int) { c.s = make([]E, n) }

// take returns a zero value, or nil if there is no room.
func (c *bumpField[E]) take() *E {
	if c.i >= len(c.s) {
		return nil
	}
	p := &c.s[c.i]
	c.i++
	var zero E
	*p = zero
	return p
}

func (c *bumpField[E]) Fill(rounds int) (sum uint64) {
	for k := range rounds {
		c.i = 0
		sum += fillOnce(len(c.s), k*len(c.s), c.take)
	}
	return sum
}

func (c *bumpField[E]) Check() uint64 {
	c.i = 0
	return checkBump(len(c.s), c.take)
}

var bumpNewImpl = measure.Impl{
	Name:  "new(T)",
	About: "Go's heap, a value at a time; as many as are in use are kept reachable",
	Stale: "keeps its value",
	Loops: "new(T) for each value, whose pointer goes into a table",
	Kit:   Kit{Bump: ofSize(zero[bumpNew[[2]uint64]], zero[bumpNew[[8]uint64]])},
}

type bumpNew[E bumpElem] struct{ kept []*E }

func (c *bumpNew[E]) New(n int) { c.kept = make([]*E, n) }

// take returns a call that allocates a value in place of each kept one.
func (c *bumpNew[E]) take() func() *E {
	i, kept := 0, c.kept
	return func() *E {
		p := new(E)
		kept[i] = p
		i++
		return p
	}
}

func (c *bumpNew[E]) Fill(rounds int) (sum uint64) {
	for k := range rounds {
		sum += fillOnce(len(c.kept), k*len(c.kept), c.take())
	}
	return sum
}

func (c *bumpNew[E]) Check() uint64 { return checkBump(len(c.kept), c.take()) }
