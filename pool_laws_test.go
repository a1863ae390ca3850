package berth_test

import (
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/pooltest"
)

// poolSuite is the laws for the Pools that c describes; the suite's Options come on top.
func poolSuite[V pooltest.Item](c berth.Config) pooltest.Suite[berth.Handle[V], V] {
	type (
		handle    = berth.Handle[V]
		container = pooltest.Container[handle, V]
		pivot     = pooltest.Pivot[handle, V]
		view      = pooltest.View[handle, V]
	)
	pool := func(c container) *berth.Pool[V] { return c.(*berth.Pool[V]) }
	return pooltest.Suite[handle, V]{
		New: func(o pooltest.Options) container {
			if c == (berth.Config{}) && o == (pooltest.Options{}) {
				return new(berth.Pool[V])
			}
			c := c
			c.Capacity, c.Limit, c.Seed = max(c.Capacity, o.Capacity), o.Limit, o.Seed
			return berth.NewPool[V](c)
		},
		Pointers:    pooltest.UntilRemove,
		Except:      map[string]string{"Law2StaleNeverResolves/afterFailedInsertFunc": "known"},
		KeepsMemory: c.Truncate != berth.TruncateMemory || c.Capacity > 0,
		Clone:       func(c container) container { return pool(c).Clone() },
		Traverse: func(c container) iter.Seq2[pivot, view] {
			return func(yield func(pivot, view) bool) {
				for e, o := range pool(c).Traverse() {
					if !yield(pivot{Handle: e.Handle, Value: e.Value}, o) {
						return
					}
				}
			}
		},
		Apply: func(c container, h handle, f func(*V, view)) bool {
			return pool(c).Apply(h, func(v *V, o berth.Others[V]) { f(v, o) })
		},
		Bits:     handle.Uint64,
		FromBits: berth.HandleFromUint64[V],
		Check:    func(c container) { pool(c).CheckInvariants() },
		Bytes:    func(c container) int { return pool(c).Stats().Bytes },
		Age:      func(c container, lives int) { pool(c).AgeForTest(1000, lives) },
		Retired:  func(c container) int { return pool(c).Stats().Retired },
	}
}

var truncates = []berth.Truncate{berth.TruncateMemory, berth.TruncateLength, berth.TruncateNever}

func TestPoolLaws(t *testing.T) {
	for _, tr := range truncates {
		t.Run(tr.String(), func(t *testing.T) {
			t.Run("V=Value", poolSuite[pooltest.Value](berth.Config{Truncate: tr}).Run)
			t.Run("V=Plain", poolSuite[pooltest.Plain](berth.Config{Truncate: tr, Capacity: 200}).Run)
			t.Run("V=Wide", poolSuite[pooltest.Wide](berth.Config{Truncate: tr}).Run)
		})
	}
}
