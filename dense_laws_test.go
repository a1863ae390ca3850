package berth_test

import (
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/pooltest"
)

// denseSuite returns the suite for Denses of configuration c. The suite's Options are applied on
// top.
func denseSuite[V pooltest.Item](c berth.DenseConfig) pooltest.Suite[berth.Handle[V], V] {
	return denseSuiteOf(c, berth.Hooks[V]{})
}

// hookedDense is denseSuite with hooks that do nothing.
func hookedDense[V pooltest.Item](c berth.DenseConfig) pooltest.Suite[berth.Handle[V], V] {
	nothing := func(berth.Handle[V], *V) {}
	return denseSuiteOf(c, berth.Hooks[V]{OnInsert: nothing, OnRemove: nothing})
}

func denseSuiteOf[V pooltest.Item](
	c berth.DenseConfig, hs berth.Hooks[V],
) pooltest.Suite[berth.Handle[V], V] {
	type (
		handle    = berth.Handle[V]
		container = pooltest.Container[handle, V]
		pivot     = pooltest.Pivot[handle, V]
		view      = pooltest.View[handle, V]
	)
	dense := func(c container) *berth.Dense[V] { return c.(*berth.Dense[V]) }
	return pooltest.Suite[handle, V]{
		New: func(o pooltest.Options) container {
			if c.Defrag == 0 && c.Capacity == 0 && hs.OnInsert == nil && c.Memory == nil &&
				o == (pooltest.Options{}) {
				return new(berth.Dense[V])
			}
			c := c
			c.Capacity, c.Limit, c.Seed = max(c.Capacity, o.Capacity), o.Limit, o.Seed
			d := berth.NewDense[V](c)
			if hs.OnInsert != nil {
				berth.DenseSetHooks(d, hs)
			}
			return d
		},
		Pointers:      pooltest.UntilChange,
		KeepsMemory:   c.Defrag == berth.DefragManual || c.Capacity > 0,
		TidiesInLoops: c.Defrag == berth.DefragDeferred,
		Clone:         func(c container) container { return dense(c).Clone() },
		InsertSeq:     func(c container, seq iter.Seq[V]) int { return berth.DenseInsertSeq(dense(c), seq) },
		Drain:         func(c container) iter.Seq2[handle, V] { return berth.Drain[handle, V](c) },
		Backward:      func(c container) iter.Seq2[handle, *V] { return berth.DenseBackward(dense(c)) },
		Traverse: func(c container) iter.Seq2[pivot, view] {
			return func(yield func(pivot, view) bool) {
				for e, o := range berth.DenseTraverse(dense(c)) {
					if !yield(pivot{Handle: e.Handle, Value: e.Value}, o) {
						return
					}
				}
			}
		},
		Apply: func(c container, h handle, f func(*V, view)) bool {
			return berth.DenseApply(dense(c), h, func(v *V, o berth.DenseOthers[V]) { f(v, o) })
		},
		Save:     func(c container) ([]byte, error) { return saveItems(dense(c)) },
		Load:     func(c container, data []byte) error { return loadItems(dense(c), data) },
		Bits:     handle.Uint64,
		FromBits: berth.HandleFromUint64[V],
		Check:    func(c container) { dense(c).CheckInvariants() },
		Bytes:    func(c container) int { return dense(c).Stats().Bytes },
		Age:      func(c container, lives int) { dense(c).AgeForTest(1000, lives) },
		Retired:  func(c container) int { return dense(c).Stats().Retired },
		Except:   exceptPoisoned(),
	}
}

// exceptPoisoned returns the checks of bytes that fail under the tag berth_poison.
func exceptPoisoned() map[string]string {
	if !poison.On {
		return nil
	}
	const why = "a Dense keeps the array that it has left until the next change, to look at it"
	return map[string]string{
		"Law10CostFollows/lastSurvive":      why,
		"Law10CostFollows/scatteredSurvive": why,
		"Law10CostFollows/reservedTwice":    why,
	}
}

// The laws hold for the zero Dense, in each mode, reserved, with hooks, and for values with
// pointers and without. TestDenseMemoryLaws has the mode Manual.
func TestDenseLaws(t *testing.T) {
	immediate := berth.DenseConfig{Defrag: berth.DefragImmediate}
	t.Run("zero", denseSuite[pooltest.Value](berth.DenseConfig{}).Run)
	t.Run("immediate/hooks/wide", hookedDense[pooltest.Wide](immediate).Run)
	if !long.On {
		return
	}
	t.Run("hooks", hookedDense[pooltest.Wide](berth.DenseConfig{}).Run)
	t.Run("immediate", denseSuite[pooltest.Value](immediate).Run)
	t.Run("manual", denseSuite[pooltest.Plain](berth.DenseConfig{Defrag: berth.DefragManual}).Run)
	t.Run("capacity", denseSuite[pooltest.Value](berth.DenseConfig{Capacity: 200}).Run)
}

// fuzzedDense are the Denses that the first byte of an input selects from.
var fuzzedDense = []func(testing.TB, []byte){
	denseSuite[pooltest.Value](berth.DenseConfig{}).Play,
	denseSuite[pooltest.Value](berth.DenseConfig{Defrag: berth.DefragImmediate}).Play,
	denseSuite[pooltest.Value](berth.DenseConfig{Defrag: berth.DefragManual}).Play,
	denseSuite[pooltest.Plain](berth.DenseConfig{Capacity: 100}).Play,
	hookedDense[pooltest.Wide](berth.DenseConfig{Defrag: berth.DefragImmediate}).Play,
	hookedDense[pooltest.Value](berth.DenseConfig{}).Play,
}

func FuzzDense(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			fuzzedDense[int(data[0])%len(fuzzedDense)](t, data[1:])
		}
	})
}
