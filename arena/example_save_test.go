package arena_test

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// soldier is a value in an arena. It refers to another soldier by handle.
type soldier struct {
	X, Y   int32
	Leader arena.Handle32[soldier]
}

// battle is everything that a saved game contains.
type battle struct {
	Soldiers *arena.Handles[soldier, arena.Handle32[soldier]]
	Heights  *arena.Vec[int16]
	ByNumber *arena.Map[uint32, arena.Handle32[soldier]]
}

func newBattle(a *arena.Arena) battle {
	return battle{
		Soldiers: arena.NewHandles[soldier, arena.Handle32[soldier]](a, arena.HandlesConfig{}),
		Heights:  arena.NewVec[int16](a),
		ByNumber: arena.NewMap[uint32, arena.Handle32[soldier]](a),
	}
}

// A game is saved to a stream and loaded into another arena. Vec, Deque, Pool, Handles and Map
// implement encoding.BinaryMarshaler and encoding.BinaryUnmarshaler, so encoding/gob and similar
// packages can write them. Handles are valid again after the load, and stale ones stay stale.
// Decode into containers that have an arena, and limit its size if the data may be hostile.
func Example_save() {
	b := newBattle(arena.NewChunked(64 << 10))
	leader, _ := b.Soldiers.Insert(soldier{X: 1, Y: 2})
	gone, _ := b.Soldiers.Insert(soldier{X: 3, Y: 4, Leader: leader})
	follower, _ := b.Soldiers.Insert(soldier{X: 5, Y: 6, Leader: leader})
	b.Soldiers.Delete(gone)
	b.Heights.Append(10, 12, 11)
	b.ByNumber.Set(77, follower)

	var file bytes.Buffer
	if err := gob.NewEncoder(&file).Encode(b); err != nil {
		fmt.Println(err)
	}

	loaded := newBattle(arena.NewChunkedLimit(64<<10, 1<<20))
	if err := gob.NewDecoder(&file).Decode(&loaded); err != nil {
		fmt.Println(err)
	}
	h, _ := loaded.ByNumber.Get(77)
	s, _ := loaded.Soldiers.Get(h)
	t, _ := loaded.Soldiers.Get(s.Leader)
	fmt.Println(s.X, s.Y, "follows", t.X, t.Y)
	fmt.Println(loaded.Soldiers.Contains(gone), loaded.Heights.Slice())
	// Output:
	// 5 6 follows 1 2
	// false [10 12 11]
}
