package arenas

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var backedHugeImpl = measure.Impl{
	Name: "Pool huge pages",
	About: "berth.Pool with Config.Memory an arena.Backing of 1 GiB of address space, which " +
		"requests pages of 2 MiB from the system",
	Stale: impls.Pool.Stale,
	Safe:  true, Ours: true,
	Loops: "as those of berth.Pool",
	Kit:   backed(true),
}

var backedImpl = measure.Impl{
	Name:  "Pool 4 KiB pages",
	About: "the same with pages of the usual size",
	Stale: impls.Pool.Stale,
	Safe:  true, Ours: true,
	Loops: "as those of berth.Pool",
	Kit:   backed(false),
}

// backedValues is a berth.Pool in its own Backing.
type backedValues[P collections.Pad] struct {
	impls.PoolValues[P]
	huge bool
	b    *arena.Backing
}

func backed(huge bool) collections.Kit {
	return collections.Kit{}.With(&backedValues[collections.None]{huge: huge},
		&backedValues[collections.Words3]{huge: huge},
		&backedValues[collections.Words15]{huge: huge})
}

func (c *backedValues[P]) New(room int) {
	c.Close()
	b, err := arena.NewBacking(1<<30, arena.VirtualConfig{HugePages: c.huge})
	if err != nil {
		panic("lab: " + err.Error())
	}
	c.b, c.P = b, berth.NewPool[collections.Elem[P]](berth.Config{Capacity: room, Memory: b})
}

func (c *backedValues[P]) Note() string { return hugeNote(c.huge, c.b.Stats()) }

// Close releases the pool's memory.
func (c *backedValues[P]) Close() {
	if c.b != nil {
		_ = c.b.Release()
		c.b, c.P = nil, nil
	}
}
