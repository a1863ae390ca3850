package arena_test

import (
	"math/bits"
	"testing"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
)

// lawful is a Handles with the method names of the suite.
type lawful[H arena.HandleOf[pooltest.Plain]] struct {
	*arena.Handles[pooltest.Plain, H]
}

func (c lawful[H]) Insert(v pooltest.Plain) H {
	h, err := c.Handles.Insert(v)
	if err != nil {
		panic(err)
	}
	return h
}

func (c lawful[H]) TryInsert(v pooltest.Plain) (H, error) { return c.Handles.Insert(v) }

func (c lawful[H]) InsertFunc(f func(H, *pooltest.Plain)) H {
	h, err := c.Handles.InsertFunc(f)
	if err != nil {
		panic(err)
	}
	return h
}

func (c lawful[H]) Remove(h H) (pooltest.Plain, bool) {
	v, ok := c.Get(h)
	if c.Delete(h) != ok {
		panic("Get and Delete do not agree")
	}
	return v, ok
}

func (c lawful[H]) Grow(n int) {
	if !c.Handles.Grow(n) {
		panic("no room")
	}
}

// handlesSuite runs the laws for a Handles in each arena that make returns.
func handlesSuite[H arena.HandleOf[pooltest.Plain]](
	make func() *arena.Arena, most int,
) pooltest.Suite[H, pooltest.Plain] {
	type container = pooltest.Container[H, pooltest.Plain]
	handles := func(c container) *arena.Handles[pooltest.Plain, H] { return c.(lawful[H]).Handles }
	return pooltest.Suite[H, pooltest.Plain]{
		New: func(o pooltest.Options) container {
			r := arena.NewHandles[pooltest.Plain, H](make(), arena.HandlesConfig{Seed: o.Seed})
			if !r.Grow(o.Capacity) {
				panic("no room")
			}
			return lawful[H]{r}
		},
		Pointers: pooltest.UntilRemove,
		// Law 10 does not hold: the memory goes back when the arena is rewound, and not before. For
		// the same reason there is no Clip.
		KeepsMemory: true,
		Most:        most,
		Save:        func(c container) ([]byte, error) { return handles(c).MarshalBinary() },
		Load:        func(c container, data []byte) error { return handles(c).UnmarshalBinary(data) },
		FromBits:    func(bits uint64) H { return H(bits) },
		Bits:        func(h H) uint64 { return uint64(h) },
		Check:       func(c container) { handles(c).CheckInvariants() },
		Bytes:       func(c container) int { return handles(c).Stats().Bytes },
		Age:         func(c container, lives int) { handles(c).AgeForTest(64, lives) },
		Retired:     func(c container) int { return handles(c).Stats().Retired },
		Except: map[string]string{
			"Law12BadInput/limit": "it has no Limit",
		},
	}
}

func suite64() pooltest.Suite[arena.Handle64[pooltest.Plain], pooltest.Plain] {
	return handlesSuite[arena.Handle64[pooltest.Plain]](func() *arena.Arena {
		return arena.NewChunked(16 << 10)
	}, 0)
}

func suite32() pooltest.Suite[arena.Handle32[pooltest.Plain], pooltest.Plain] {
	return handlesSuite[arena.Handle32[pooltest.Plain]](func() *arena.Arena {
		return arena.NewChunked(16 << 10)
	}, 65_535-10) // since Law8Pointers/throughGrowth inserts ten more
}

func TestHandlesLaws(t *testing.T) {
	t.Run("Handle64/Chunked", suite64().Run)
	if !long.On {
		return
	}
	t.Run("Handle32/Chunked", suite32().Run)
	if bits.UintSize == 32 { // no address space for so many arenas
		return
	}
	var made []*arena.Arena
	t.Run("Handle64/Virtual", handlesSuite[arena.Handle64[pooltest.Plain]](func() *arena.Arena {
		a := newArena(t, virtual, 64<<20)
		made = append(made, a)
		return a
	}, 0).Run)
	for _, a := range made {
		a.CheckInvariants()
	}
}

func FuzzHandles(f *testing.F) {
	narrow, wide := suite32(), suite64()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 && data[0]%2 == 0 {
			narrow.Play(t, data[1:])
		} else if len(data) > 0 {
			wide.Play(t, data[1:])
		}
	})
}
