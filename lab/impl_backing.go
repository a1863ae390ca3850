package main

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
)

var backedHugeImpl = impl{
	name: "Pool huge pages",
	about: "berth.Pool with Config.Memory an arena.Backing of 1 GiB of address space, which asks " +
		"the system for pages of 2 MiB",
	stale: poolImpl.stale,
	safe:  true,
	ours:  true,
	loops: "as those of berth.Pool",
	kit: collectionKit{
		Values: func(elemBytes int) Values { return newBacked(elemBytes, true) },
	},
}

var backedImpl = impl{
	name:  "Pool 4 KiB pages",
	about: "the same with pages of the usual size",
	stale: poolImpl.stale,
	safe:  true,
	ours:  true,
	loops: "as those of berth.Pool",
	kit: collectionKit{
		Values: func(elemBytes int) Values { return newBacked(elemBytes, false) },
	},
}

// backedValues is a berth.Pool in a Backing of its own.
type backedValues[E Elem] struct {
	poolValues[E]
	huge bool
	b    *arena.Backing
}

func newBacked(elemBytes int, huge bool) Values {
	return sized(elemBytes,
		func() Values { return &backedValues[[1]uint64]{huge: huge} },
		func() Values { return &backedValues[[4]uint64]{huge: huge} },
		func() Values { return &backedValues[[16]uint64]{huge: huge} })
}

func (c *backedValues[E]) New(room int) {
	c.Close()
	b, err := arena.NewBacking(1<<30, arena.VirtualConfig{HugePages: c.huge})
	if err != nil {
		panic("lab: " + err.Error())
	}
	c.b, c.p = b, berth.NewPool[E](berth.Config{Capacity: room, Memory: b})
}

func (c *backedValues[E]) Note() string { return hugeNote(c.huge, c.b.Stats()) }

// Close ends the pool with its memory.
func (c *backedValues[E]) Close() {
	if c.b != nil {
		_ = c.b.Release()
		c.b, c.p = nil, nil
	}
}
