package pooltest_test

import (
	"bytes"
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
	Drain:    func(c container) iter.Seq2[handle, pooltest.Value] { return berth.Drain[handle, pooltest.Value](c) },
	Traverse: func(c container) iter.Seq2[pivot, view] {
		return func(yield func(pivot, view) bool) {
			for e, others := range berth.Traverse(c.(pool)) {
				if !yield(pivot{Handle: e.Handle, Value: e.Value}, others) {
					return
				}
			}
		}
	},
	Save: func(c container) ([]byte, error) {
		var b bytes.Buffer
		err := berth.Encode(c.(pool), &b, pooltest.AppendItem[pooltest.Value])
		return b.Bytes(), err
	},
	Load: func(c container, data []byte) error {
		return berth.Decode(c.(pool), bytes.NewReader(data), pooltest.ReadItem[pooltest.Value])
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

// A container that saves a count and its values encodes each with AppendItem.
func ExampleAppendItem() {
	vs := make([]pooltest.Value, 2) // the values of a container
	b := []byte{byte(len(vs))}
	for i := range vs {
		var err error
		if b, err = pooltest.AppendItem(b, &vs[i]); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(b), "bytes")

	torn := pooltest.Value{Plain: pooltest.Plain{ID: 7}}
	_, err := pooltest.AppendItem(b, &torn)
	fmt.Println(err)
	// Output:
	// 49 bytes
	// pooltest: AppendItem: value is vacant or torn (got {Plain:{ID:7 Sum:0} Object:<nil>})
}

// ReadItem reads what AppendItem has appended, and refuses anything else.
func ExampleReadItem() {
	var v, w pooltest.Plain
	b, _ := pooltest.AppendItem(nil, &v)
	fmt.Println(len(b), pooltest.ReadItem(b, &w), w == v)
	fmt.Println(pooltest.ReadItem(b[1:], &w))
	b[0] = 7
	fmt.Println(pooltest.ReadItem(b, &w))
	// Output:
	// 16 <nil> true
	// pooltest: ReadItem: an item of 16 bytes (got 15)
	// pooltest: ReadItem: value is damaged (got ID 7)
}

func ExamplePointers_String() {
	fmt.Println(pooltest.UntilRemove, pooltest.UntilGrowth, pooltest.UntilChange)
	// Output: UntilRemove UntilGrowth UntilChange
}
