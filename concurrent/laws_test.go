package concurrent_test

import (
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
)

// alone is a Pool as its only goroutine sees it: a pooltest.Container.
type alone[V pooltest.Item] struct{ *concurrent.Pool[V] }

// Ptr returns a pointer that is valid without a lease, since nobody else removes the value.
func (a alone[V]) Ptr(h berth.Handle[V]) (p *V) {
	a.Use(h, func(v *V) { p = v })
	return p
}

func (a alone[V]) Values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		for _, v := range a.All() {
			if !yield(v) {
				return
			}
		}
	}
}

// seeds counts the Seeds of Pools that are given none.
var seeds atomic.Uint32

// suite returns the suite for Pools of configuration c. The suite's Options are applied on top.
func suite[V pooltest.Item](c concurrent.Config[V]) pooltest.Suite[berth.Handle[V], V] {
	type (
		handle    = berth.Handle[V]
		container = pooltest.Container[handle, V]
	)
	pool := func(c container) *concurrent.Pool[V] { return c.(alone[V]).Pool }
	s := pooltest.Suite[handle, V]{
		New: func(o pooltest.Options) container {
			if c.Shards == 0 && o == (pooltest.Options{}) {
				return alone[V]{new(concurrent.Pool[V])}
			}
			c := c
			c.Capacity, c.Limit, c.Seed = max(c.Capacity, o.Capacity), o.Limit, o.Seed
			if c.Seed == 0 && c.Shards != 0 {
				c.Seed = 1000 + seeds.Add(1) // so that each run of the test is the same
			}
			return alone[V]{concurrent.New(c)}
		},
		Pointers:    pooltest.UntilRemove,
		KeepsMemory: c.Truncate != berth.TruncateMemory || c.Capacity > 0,
		Drain:       func(c container) iter.Seq2[handle, V] { return concurrent.Drain(pool(c)) },
		Bits:        handle.Uint64,
		FromBits:    berth.HandleFromUint64[V],
		Check:       func(c container) { pool(c).CheckInvariants() },
		Bytes:       func(c container) int { return pool(c).Stats().Bytes },
		Age:         func(c container, lives int) { pool(c).AgeForTest(1000, lives) },
		Retired:     func(c container) int { return pool(c).Stats().Retired },
		Except: map[string]string{
			"Law9SteadyState/insertRemove": "each shard allocates once; TestSteadyState reaches them all",
		},
	}
	if c.Shards != 1 {
		s.Except["Law9SteadyState/churn"] = "shards vary in size, and each reaches its largest late"
	}
	if c.Drop != nil {
		s.Except["Law9SteadyState/clearRefill"] = "with Drop, Clear removes one by one, and releases memory"
	}
	return s
}

// One goroutine sees a Pool that keeps all laws, those of loops too. FuzzPool plays other Configs.
func TestLaws(t *testing.T) {
	t.Run("zero", suite(concurrent.Config[pooltest.Value]{}).Run)
	if !long.On {
		return
	}
	drop := func(h berth.Handle[pooltest.Plain], v *pooltest.Plain) {
		if v.ID == 0 {
			t.Errorf("Drop(%v) of a zero value", h)
		}
	}
	t.Run("drop", suite(concurrent.Config[pooltest.Plain]{Shards: 4, Drop: drop}).Run)
	t.Run("one", suite(concurrent.Config[pooltest.Value]{Shards: 1}).Run)
	t.Run("wide", suite(concurrent.Config[pooltest.Wide]{Shards: 2}).Run)
	t.Run("length", suite(concurrent.Config[pooltest.Value]{
		Shards: 4, Truncate: berth.TruncateLength}).Run)
	t.Run("never", suite(concurrent.Config[pooltest.Plain]{
		Shards: 8, Truncate: berth.TruncateNever}).Run)
	t.Run("capacity", suite(concurrent.Config[pooltest.Value]{Shards: 2, Capacity: 200}).Run)
}

// fuzzed are the Pools that the first byte of an input selects from.
var fuzzed = []func(testing.TB, []byte){
	suite(concurrent.Config[pooltest.Value]{}).Play,
	suite(concurrent.Config[pooltest.Plain]{Shards: 1, Truncate: berth.TruncateLength}).Play,
	suite(concurrent.Config[pooltest.Value]{Shards: 2, Capacity: 200}).Play,
	suite(concurrent.Config[pooltest.Plain]{
		Shards: 4, Drop: func(berth.Handle[pooltest.Plain], *pooltest.Plain) {}}).Play,
}

func FuzzPool(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 8 * len(fuzzed) {
		data := []byte{byte(i)}
		for range 300 {
			data = append(data, byte(r.Uint32()))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			fuzzed[int(data[0])%len(fuzzed)](t, data[1:])
		}
	})
}
