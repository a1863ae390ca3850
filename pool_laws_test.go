package berth_test

import (
	"bytes"
	"errors"
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
)

// poolSuite returns the suite for Pools of configuration c. The suite's Options are applied on top.
func poolSuite[V pooltest.Item](c berth.Config) pooltest.Suite[berth.Handle[V], V] {
	return poolSuiteOf(c, berth.Hooks[V]{})
}

// hookedPool is poolSuite for Pools with hooks that do nothing.
func hookedPool[V pooltest.Item](c berth.Config) pooltest.Suite[berth.Handle[V], V] {
	nothing := func(berth.Handle[V], *V) {}
	return poolSuiteOf(c, berth.Hooks[V]{OnInsert: nothing, OnRemove: nothing})
}

func poolSuiteOf[V pooltest.Item](
	c berth.Config, hs berth.Hooks[V],
) pooltest.Suite[berth.Handle[V], V] {
	type (
		handle    = berth.Handle[V]
		container = pooltest.Container[handle, V]
		pivot     = pooltest.Pivot[handle, V]
		view      = pooltest.View[handle, V]
	)
	pool := func(c container) *berth.Pool[V] { return c.(*berth.Pool[V]) }
	return pooltest.Suite[handle, V]{
		New: func(o pooltest.Options) container {
			p := new(berth.Pool[V])
			if c != (berth.Config{}) || o != (pooltest.Options{}) {
				c := c
				c.Capacity, c.Limit, c.Seed = max(c.Capacity, o.Capacity), o.Limit, o.Seed
				p = berth.NewPool[V](c)
			}
			if hs.OnInsert != nil {
				berth.SetHooks(p, hs)
			}
			return p
		},
		Pointers:    pooltest.UntilRemove,
		KeepsMemory: c.Truncate != berth.TruncateMemory || c.Capacity > 0,
		Clone:       func(c container) container { return pool(c).Clone() },
		InsertSeq:   func(c container, seq iter.Seq[V]) int { return berth.InsertSeq(pool(c), seq) },
		Drain:       func(c container) iter.Seq2[handle, V] { return berth.Drain[handle, V](c) },
		Backward:    func(c container) iter.Seq2[handle, *V] { return berth.Backward(pool(c)) },
		Traverse: func(c container) iter.Seq2[pivot, view] {
			return func(yield func(pivot, view) bool) {
				for e, o := range berth.Traverse(pool(c)) {
					if !yield(pivot{Handle: e.Handle, Value: e.Value}, o) {
						return
					}
				}
			}
		},
		Apply: func(c container, h handle, f func(*V, view)) bool {
			return berth.Apply(pool(c), h, func(v *V, o berth.Others[V]) { f(v, o) })
		},
		Save:     func(c container) ([]byte, error) { return saveItems(pool(c)) },
		Load:     func(c container, data []byte) error { return loadItems(pool(c), data) },
		Bits:     handle.Uint64,
		FromBits: berth.HandleFromUint64[V],
		Check:    func(c container) { pool(c).CheckInvariants() },
		Bytes:    func(c container) int { return pool(c).Stats().Bytes },
		Age:      func(c container, lives int) { pool(c).AgeForTest(1000, lives) },
		Retired:  func(c container) int { return pool(c).Stats().Retired },
	}
}

// itemSaver is a Pool or a Dense.
type itemSaver[V pooltest.Item] interface {
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
	Values() iter.Seq[*V]
}

// isPlain reports whether V has no pointers.
func isPlain[V pooltest.Item]() bool {
	_, plain := any(*new(V)).(pooltest.Plain)
	return plain
}

// saveItems is the Save of a suite. It saves values without pointers as they lie in memory.
func saveItems[V pooltest.Item](c itemSaver[V]) ([]byte, error) {
	if isPlain[V]() {
		return c.MarshalBinary()
	}
	var b bytes.Buffer
	err := berth.EncodeAny(c, &b, pooltest.AppendItem[V])
	return b.Bytes(), err
}

// loadItems is the Load of a suite.
func loadItems[V pooltest.Item](c itemSaver[V], data []byte) error {
	if isPlain[V]() {
		return c.UnmarshalBinary(data)
	}
	r := bytes.NewReader(data)
	err := berth.DecodeAny(c, r, pooltest.ReadItem[V])
	if err == nil && r.Len() > 0 {
		return errors.New("Decode has not read all")
	}
	return err
}

// The laws hold for the zero Pool, in each Truncate mode, and for a reserved and a limited Pool.
// Values have pointers, or none, or are so large that a chunk is a single block.
func TestPoolLaws(t *testing.T) {
	const most = 1 << 20
	t.Run("zero", poolSuite[pooltest.Value](berth.Config{}).Run)
	t.Run("limit/wide", poolSuite[pooltest.Wide](berth.Config{Limit: most}).Run)
	if !long.On {
		return
	}
	t.Run("truncate=Length", poolSuite[pooltest.Value](berth.Config{Truncate: berth.TruncateLength}).Run)
	t.Run("truncate=Never", poolSuite[pooltest.Plain](berth.Config{Truncate: berth.TruncateNever}).Run)
	t.Run("capacity", poolSuite[pooltest.Value](berth.Config{Capacity: 200}).Run)
	t.Run("hooks", hookedPool[pooltest.Value](berth.Config{}).Run)
}

// fuzzed are the Pools that the first byte of an input selects from.
var fuzzed = []func(testing.TB, []byte){
	poolSuite[pooltest.Value](berth.Config{}).Play,
	poolSuite[pooltest.Value](berth.Config{Truncate: berth.TruncateLength}).Play,
	poolSuite[pooltest.Value](berth.Config{Truncate: berth.TruncateNever}).Play,
	poolSuite[pooltest.Value](berth.Config{Capacity: 200}).Play,
	poolSuite[pooltest.Wide](berth.Config{}).Play,
	poolSuite[pooltest.Plain](berth.Config{Capacity: 1}).Play,
}

// fuzzedHooked are the Pools with hooks, for inputs that begin with a high byte.
var fuzzedHooked = []func(testing.TB, []byte){
	hookedPool[pooltest.Value](berth.Config{}).Play,
	hookedPool[pooltest.Plain](berth.Config{Truncate: berth.TruncateLength, Capacity: 100}).Play,
}

func FuzzPool(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		switch {
		case len(data) == 0:
		case data[0] >= 0xF0:
			fuzzedHooked[int(data[0])%len(fuzzedHooked)](t, data[1:])
		default:
			fuzzed[int(data[0])%len(fuzzed)](t, data[1:])
		}
	})
}
