package arenas

import "github.com/seed505807e1/berth/arena"

// mustVirtual is arena.NewVirtual, which must succeed on a machine that runs lab.
func mustVirtual(reserve int, c arena.VirtualConfig) *arena.Arena {
	a, err := arena.NewVirtual(reserve, c)
	if err != nil {
		panic("lab: " + err.Error())
	}
	return a
}

// release releases a. If the system reports an error, the next arena will fail.
func release(a *arena.Arena) {
	if a != nil {
		_ = a.Release()
	}
}

// hugeNote returns a note if the machine has refused huge pages.
func hugeNote(asked bool, s arena.Stats) string {
	if asked && !s.Huge {
		return "the system has refused huge pages"
	}
	return ""
}

// ownArena is the arena of one container, in reserved address space, which is reset and reused.
type ownArena struct {
	a    *arena.Arena
	huge bool
}

// fresh returns the arena, empty. The given bytes of it are in memory, so that the system need not
// provide them in the timed part.
func (o *ownArena) fresh(bytes int) *arena.Arena {
	if o.a == nil {
		reserve := bytes + 1<<20
		o.a = mustVirtual(reserve, arena.VirtualConfig{HugePages: o.huge, Keep: reserve})
		clear(arena.MakeSliceDirty[byte](o.a, bytes, bytes))
	}
	o.a.Reset()
	return o.a
}

func (o *ownArena) Note() string { return hugeNote(o.huge, o.a.Stats()) }
func (o *ownArena) Close()       { release(o.a) }
