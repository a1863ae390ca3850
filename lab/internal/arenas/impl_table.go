package arenas

import (
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var tableArenaImpl = measure.Impl{
	Name: "arena.Map",
	About: "this library's map in an arena in reserved address space: entries in insertion " +
		"order, and an index into them. It moves when it grows, and leaves its old memory behind.",
	Stale: "reads the old value",
	Ours:  true,
	Loops: "Set, Get, Delete and All",
	Kit:   Kit{Table: func() Table { return new(arenaTable) }},
}

var tableHugeImpl = measure.Impl{
	Name:  "arena.Map huge",
	About: "the same in an arena that requests pages of 2 MiB from the system",
	Stale: "reads the old value",
	Ours:  true,
	Loops: "as those of arena.Map",
	Kit:   Kit{Table: func() Table { return &arenaTable{ownArena: ownArena{huge: true}} }},
}

var tableGoImpl = measure.Impl{
	Name:  "map[uint64]uint64",
	About: "the map of the language",
	Stale: "does not exist",
	Loops: "written out",
	Kit:   Kit{Table: func() Table { return new(goTable) }},
}

type arenaTable struct {
	ownArena
	m *arena.Map[uint64, uint64]
}

// tableBytes is the memory reserved per entry: a part for the largest table, the rest for the
// earlier ones.
const tableBytes = 128

func (c *arenaTable) New(room, most int) {
	c.m = arena.NewMap[uint64, uint64](c.fresh(tableBytes * most))
	c.m.Grow(room)
}

func (c *arenaTable) Insert(keys []uint64) {
	m := c.m
	for i, k := range keys {
		m.Set(k, uint64(i))
	}
}

func (c *arenaTable) Get(keys []uint64) (sum uint64) {
	m := c.m
	for _, k := range keys {
		v, _ := m.Get(k)
		sum += v
	}
	return sum
}

func (c *arenaTable) Churn(out, in []uint64, next uint64) {
	m := c.m
	for i, k := range out {
		m.Delete(k)
		m.Set(in[i], next+uint64(i))
	}
}

func (c *arenaTable) Sum() (sum uint64) {
	for k, v := range c.m.All() {
		sum += mixed(k, *v)
	}
	return sum
}

func (c *arenaTable) OffHeap() int { return c.a.Used() }

type goTable struct{ m map[uint64]uint64 }

func (c *goTable) New(room, _ int) { c.m = make(map[uint64]uint64, room) }

func (c *goTable) Insert(keys []uint64) {
	m := c.m
	for i, k := range keys {
		m[k] = uint64(i)
	}
}

func (c *goTable) Get(keys []uint64) (sum uint64) {
	m := c.m
	for _, k := range keys {
		sum += m[k]
	}
	return sum
}

func (c *goTable) Churn(out, in []uint64, next uint64) {
	m := c.m
	for i, k := range out {
		delete(m, k)
		m[in[i]] = next + uint64(i)
	}
}

func (c *goTable) Sum() (sum uint64) {
	for k, v := range c.m {
		sum += mixed(k, v)
	}
	return sum
}

func (c *goTable) OffHeap() int { return 0 }
func (c *goTable) Note() string { return "" }
