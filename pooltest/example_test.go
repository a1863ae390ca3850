package pooltest_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/pooltest"
)

type (
	handle    = berth.Handle[pooltest.Value]
	pool      = *berth.Pool[pooltest.Value]
	container = pooltest.Container[handle, pooltest.Value]
	pivot     = pooltest.Pivot[handle, pooltest.Value]
	view      = pooltest.View[handle, pooltest.Value]
)

// suite is the suite for a Pool. Its functions adapt the methods that have types of their own. The
// suite detects the other methods.
var suite = pooltest.Suite[handle, pooltest.Value]{
	New: func(o pooltest.Options) container {
		return berth.NewPool[pooltest.Value](berth.Config{
			Capacity: o.Capacity, Limit: o.Limit, Seed: o.Seed,
		})
	},
	Pointers: pooltest.UntilRemove,
	Clone:    func(c container) container { return c.(pool).Clone() },
	Traverse: func(c container) iter.Seq2[pivot, view] {
		return func(yield func(pivot, view) bool) {
			for e, others := range c.(pool).Traverse() {
				if !yield(pivot{Handle: e.Handle, Value: e.Value}, others) {
					return
				}
			}
		}
	},
	FromBits: berth.HandleFromUint64[pooltest.Value],
	Bytes:    func(c container) int { return c.(pool).Stats().Bytes },
}

// A Pool is a Container, and so is any type with the basic methods.
func ExampleContainer() {
	var c pooltest.Container[handle, pooltest.Value] = new(berth.Pool[pooltest.Value])
	h := c.Insert(pooltest.Value{Plain: pooltest.Plain{ID: 7}})
	v, ok := c.Get(h)
	fmt.Println(v.ID, ok)
	// Output: 7 true
}

func ExampleSuite_Run() {
	var t *testing.T // the argument of a test

	suite.Run(t)
}

// In a test file this is
//
//	func FuzzLaws(f *testing.F) {
//		f.Fuzz(func(t *testing.T, data []byte) { suite.Play(t, data) })
//	}
func ExampleSuite_Play() {
	data := []byte{0, 1, 1, 40, 12, 0, 6, 0, 0}
	suite.Play(new(testing.T), data)
	fmt.Println("no difference after", len(data), "bytes")
	// Output: no difference after 9 bytes
}

func ExamplePointers_String() {
	fmt.Println(pooltest.UntilRemove, pooltest.UntilGrowth, pooltest.UntilChange)
	// Output: UntilRemove UntilGrowth UntilChange
}
