package arenas

import "github.com/seed505807e1/berth/arena"

// mustVirtual is arena.NewVirtual. What is asked of it here, a machine that runs lab has.
func mustVirtual(reserve int, c arena.VirtualConfig) *arena.Arena {
	a, err := arena.NewVirtual(reserve, c)
	if err != nil {
		panic("lab: " + err.Error())
	}
	return a
}

// release gives a back. If the system has an error, the next arena shows it.
func release(a *arena.Arena) {
	if a != nil {
		_ = a.Release()
	}
}

// hugeNote says if the machine has refused huge pages.
func hugeNote(asked bool, s arena.Stats) string {
	if asked && !s.Huge {
		return "the system has refused huge pages"
	}
	return ""
}

// ownArena is the arena of one container, in address space, which is reset and used again.
type ownArena struct {
	a    *arena.Arena
	huge bool
}

// fresh returns the arena, empty. So many bytes of it are in memory, so that the system need not
// make it when time runs.
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
