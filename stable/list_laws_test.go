package stable_test

import (
	"bytes"
	"errors"
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
	"github.com/seed505807e1/berth/stable"
)

// suite returns the law suite for the lists that c describes. The suite adds its Options to c.
func suite[V pooltest.Item, I stable.Index, D stable.Identifier[D]](
	c stable.Config,
) pooltest.Suite[stable.Key[V, I, D], V] {
	type (
		key       = stable.Key[V, I, D]
		container = pooltest.Container[key, V]
		pivot     = pooltest.Pivot[key, V]
		view      = pooltest.View[key, V]
		list      = stable.ListOf[V, I, D]
	)
	var narrowest I
	s := pooltest.Suite[key, V]{
		New: func(o pooltest.Options) container {
			if c == (stable.Config{}) && o == (pooltest.Options{}) {
				return new(list)
			}
			c := c
			c.Capacity, c.Seed = max(c.Capacity, o.Capacity), o.Seed
			return stable.NewOf[V, I, D](c)
		},
		Pointers:    pooltest.UntilGrowth,
		KeepsMemory: c.Truncate != berth.TruncateMemory,
		Clone:       func(c container) container { return c.(*list).Clone() },
		Save:        func(c container) ([]byte, error) { return saveItems(c.(*list)) },
		Load:        func(c container, data []byte) error { return loadItems(c.(*list), data) },
		InsertSeq:   func(c container, seq iter.Seq[V]) int { return stable.InsertSeq(c.(*list), seq) },
		Drain:       func(c container) iter.Seq2[key, V] { return berth.Drain[key, V](c) },
		Backward:    func(c container) iter.Seq2[key, *V] { return stable.Backward(c.(*list)) },
		Traverse: func(c container) iter.Seq2[pivot, view] {
			return func(yield func(pivot, view) bool) {
				for e, o := range stable.Traverse(c.(*list)) {
					if !yield(pivot{Handle: e.Key, Value: e.Value}, o) {
						return
					}
				}
			}
		},
		Apply: func(c container, k key, f func(*V, view)) bool {
			return stable.Apply(c.(*list), k, func(v *V, o stable.Others[V, I, D]) { f(v, o) })
		},
		Check: func(c container) { c.(*list).CheckInvariants() },
		Except: map[string]string{
			"Law12BadInput/limit":          "it has no Limit",
			"Law12BadInput/loadAboveLimit": "it has no Limit",

			"Law10CostFollows/lastSurvive":          "a value far out keeps what is before it",
			"Law10CostFollows/scatteredSurvive":     "a value far out keeps what is before it",
			"Law10CostFollows/clipLastSurvive":      "a value far out keeps what is before it",
			"Law10CostFollows/clipScatteredSurvive": "a value far out keeps what is before it",
		},
	}
	if c.Truncate == berth.TruncateMemory {
		s.Except["Law9SteadyState/clearRefill"] = "Clear gives the memory back"
	}
	if ^narrowest == 1<<16-1 {
		s.Most = 1 << 16
	}
	return s
}

// saveItems is the Save of a suite. It saves values without pointers as they lie in memory.
func saveItems[V pooltest.Item, I stable.Index, D stable.Identifier[D]](
	l *stable.ListOf[V, I, D],
) ([]byte, error) {
	if _, plain := any(*new(V)).(pooltest.Plain); plain {
		return l.MarshalBinary()
	}
	var b bytes.Buffer
	err := l.Encode(&b, pooltest.AppendItem[V])
	return b.Bytes(), err
}

// loadItems is the Load of a suite.
func loadItems[V pooltest.Item, I stable.Index, D stable.Identifier[D]](
	l *stable.ListOf[V, I, D], data []byte,
) error {
	if _, plain := any(*new(V)).(pooltest.Plain); plain {
		return l.UnmarshalBinary(data)
	}
	r := bytes.NewReader(data)
	err := l.Decode(r, pooltest.ReadItem[V])
	if err == nil && r.Len() > 0 {
		return errors.New("Decode has not read all")
	}
	return err
}

// placements has the order on which the committed fuzz inputs depend.
var placements = []stable.Placement{
	stable.Quartered, stable.QuarteredStepwise,
	stable.FirstFree, stable.FirstFreeHeap, stable.FirstFreeHeapWalk,
}

// value is the type that the laws insert. It has a pointer.
type value = pooltest.Value

// The laws hold for the zero List, in each placement and with each Truncate, for narrow and wide
// indices and identifiers.
func TestListLaws(t *testing.T) {
	list := suite[value, uint32, stable.Counter32]
	t.Run("zero", list(stable.Config{}).Run)
	t.Run("Memory", list(stable.Config{Truncate: berth.TruncateMemory}).Run)
	t.Run("Quartered", list(stable.Config{Placement: stable.Quartered}).Run)
	t.Run("FirstFreeHeap/Memory", list(stable.Config{
		Placement: stable.FirstFreeHeap, Truncate: berth.TruncateMemory,
	}).Run)
	if !long.On {
		return
	}
	t.Run("QuarteredStepwise", list(stable.Config{
		Placement: stable.QuarteredStepwise, Capacity: 200,
	}).Run)
	t.Run("FirstFreeHeapWalk/Never", list(stable.Config{
		Placement: stable.FirstFreeHeapWalk, Truncate: berth.TruncateNever,
	}).Run)
	t.Run("uint16/Counter64", suite[pooltest.Plain, uint16, stable.Counter64](stable.Config{
		Placement: stable.Quartered, Truncate: berth.TruncateMemory, Min: 100,
	}).Run)
	copied := list(stable.Config{Placement: stable.Quartered})
	copied.Clone = func(c pooltest.Container[stable.ListKey[value], value]) pooltest.Container[stable.ListKey[value], value] {
		l := new(stable.List[value])
		for range 100 {
			l.New()
		}
		l.CopyFrom(c.(*stable.List[value]))
		return l
	}
	t.Run("CopyFrom", copied.Run)
	w := suite[value, uint64, wide](stable.Config{
		Placement: stable.FirstFreeHeap, Min: 12,
	})
	w.Except["Law4Foreign/automaticSeeds"] = "identifiers without Start begin alike in all lists"
	w.Except["Law4Foreign/chosenSeeds"] = w.Except["Law4Foreign/automaticSeeds"]
	t.Run("uint64/wide", w.Run)
}

// played returns the lists from which the first byte of an input chooses.
func played() (fs []func(testing.TB, []byte)) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			c := stable.Config{Placement: p, Truncate: tr}
			fs = append(fs, suite[value, uint32, stable.Counter32](c).Play)
			c.Min, c.Capacity = 12, 100
			fs = append(fs, suite[pooltest.Plain, uint16, stable.Counter64](c).Play)
		}
	}
	return fs
}

func FuzzList(f *testing.F) {
	fs := played()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			fs[int(data[0])%len(fs)](t, data[1:])
		}
	})
}
