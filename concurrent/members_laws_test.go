package concurrent_test

import (
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
)

// aloneMembers is a Members as its only goroutine sees it: a pooltest.Container. It has a Limit.
type aloneMembers[V pooltest.Item] struct {
	*concurrent.Members[V]
	limit int
}

func (a aloneMembers[V]) Insert(v V) (h berth.Handle[V]) {
	if a.limit == 0 || a.Len() < a.limit {
		h = a.Members.Insert(v)
	}
	return h
}

// Ptr returns a pointer to the value itself, which no program has.
func (a aloneMembers[V]) Ptr(h berth.Handle[V]) *V { return a.NowForTest().PtrForTest(h) }

// All loops over a snapshot. The pointers are those of Ptr, for values that are live.
func (a aloneMembers[V]) All() iter.Seq2[berth.Handle[V], *V] {
	return func(yield func(berth.Handle[V], *V) bool) {
		s := a.Snapshot()
		for h := range s.All() {
			p := a.Ptr(h)
			if p == nil {
				p = s.PtrForTest(h)
			}
			if !yield(h, p) {
				return
			}
		}
	}
}

func (a aloneMembers[V]) Clear() {
	for h := range a.Snapshot().All() {
		a.Remove(h)
	}
}

const still = "a loop visits what its snapshot shows, also what was removed since"

// membersSuite returns the suite for a Members.
func membersSuite[V pooltest.Item]() pooltest.Suite[berth.Handle[V], V] {
	type (
		handle    = berth.Handle[V]
		container = pooltest.Container[handle, V]
	)
	members := func(c container) *concurrent.Members[V] { return c.(aloneMembers[V]).Members }
	return pooltest.Suite[handle, V]{
		New: func(o pooltest.Options) container {
			if o.Seed == 0 {
				return aloneMembers[V]{new(concurrent.Members[V]), o.Limit}
			}
			return aloneMembers[V]{concurrent.NewMembers[V](o.Seed), o.Limit}
		},
		Pointers: pooltest.UntilChange,
		Bits:     handle.Uint64,
		FromBits: berth.HandleFromUint64[V],
		Check:    func(c container) { members(c).CheckInvariants() },
		Bytes:    func(c container) int { return members(c).Stats().Bytes },
		Age:      func(c container, lives int) { members(c).AgeForTest(lives) },
		Retired:  func(c container) int { return members(c).Stats().Retired },
		Except: map[string]string{
			"Law7Iteration/rule2RemoveLater":    still,
			"Law7Iteration/rule2RemoveOthers":   still,
			"Law7Iteration/rule2RemoveEnd":      still,
			"Law7Iteration/rule2Clear":          still,
			"Law7Iteration/rule3ClearAndRefill": still,
			"Law7Iteration/rule4Nested":         still,
			"Law9SteadyState/clearRefill":       "removals one by one release blocks",
		},
	}
}

// A Members keeps all laws, and a loop over a snapshot the rules that it can keep.
func TestMembersLaws(t *testing.T) {
	t.Run("value", membersSuite[pooltest.Value]().Run)
	if long.On {
		t.Run("plain", membersSuite[pooltest.Plain]().Run)
		t.Run("wide", membersSuite[pooltest.Wide]().Run)
	}
}
