package berth_test

import (
	"iter"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/pooltest"
)

// columnPool is a container whose values are the Vs of a Column. Each value of its Pool has one.
type columnPool[V pooltest.Item] struct {
	p *berth.Pool[uint32]
	c *berth.Column[V, uint32]
}

type columnHandle = berth.Handle[uint32]

func (x *columnPool[V]) Insert(v V) columnHandle {
	h := x.p.Insert(7)
	x.c.Set(h, v)
	return h
}

func (x *columnPool[V]) TryInsert(v V) (columnHandle, error) {
	h, err := x.p.TryInsert(7)
	x.c.Set(h, v)
	return h, err
}

func (x *columnPool[V]) Remove(h columnHandle) (V, bool) {
	v, ok := x.c.Get(h)
	if x.p.Delete(h) != ok {
		panic("a value without a V, or a V without a value")
	}
	return v, ok
}

func (x *columnPool[V]) RemoveFunc(f func(columnHandle, *V) bool) int {
	return x.p.RemoveFunc(func(h columnHandle, _ *uint32) bool { return f(h, x.c.Ptr(h)) })
}

func (x *columnPool[V]) Delete(h columnHandle) bool       { return x.p.Delete(h) }
func (x *columnPool[V]) Get(h columnHandle) (V, bool)     { return x.c.Get(h) }
func (x *columnPool[V]) Ptr(h columnHandle) *V            { return x.c.Ptr(h) }
func (x *columnPool[V]) Contains(h columnHandle) bool     { return x.c.Contains(h) }
func (x *columnPool[V]) Len() int                         { return x.c.Len() }
func (x *columnPool[V]) Clear()                           { x.p.Clear() }
func (x *columnPool[V]) Clip()                            { x.p.Clip() }
func (x *columnPool[V]) All() iter.Seq2[columnHandle, *V] { return x.c.All() }
func (x *columnPool[V]) Values() iter.Seq[*V]             { return x.c.Values() }

func (x *columnPool[V]) At(slot int) (columnHandle, *V) {
	h, _ := x.p.At(slot)
	return h, x.c.Ptr(h)
}

func (x *columnPool[V]) IndexOf(h columnHandle) int {
	if !x.c.Contains(h) {
		return -1
	}
	return x.p.IndexOf(h)
}

// columnSuite returns the suite for Columns of Pools of configuration c.
func columnSuite[V pooltest.Item](c berth.Config) pooltest.Suite[columnHandle, V] {
	type container = pooltest.Container[columnHandle, V]
	in := func(c container) *columnPool[V] { return c.(*columnPool[V]) }
	return pooltest.Suite[columnHandle, V]{
		New: func(o pooltest.Options) container {
			c := c
			c.Capacity, c.Limit, c.Seed = max(c.Capacity, o.Capacity), o.Limit, o.Seed
			p := berth.NewPool[uint32](c)
			return &columnPool[V]{p, berth.NewColumn[V](p)}
		},
		Pointers:    pooltest.UntilRemove,
		KeepsMemory: c.Truncate != berth.TruncateMemory,
		Drain:       func(c container) iter.Seq2[columnHandle, V] { return berth.Drain[columnHandle, V](c) },
		Clone: func(c container) container {
			p := in(c).p.Clone()
			return &columnPool[V]{p, in(c).c.CloneTo(p)}
		},
		Bits:     columnHandle.Uint64,
		FromBits: berth.HandleFromUint64[uint32],
		Check:    func(c container) { in(c).c.CheckInvariants() },
		Bytes:    func(c container) int { return in(c).p.Stats().Bytes + in(c).c.Stats().Bytes },
		Age:      func(c container, lives int) { in(c).p.AgeForTest(1000, lives) },
		Retired:  func(c container) int { return in(c).p.Stats().Retired },
	}
}

// The laws hold for the Vs of a Column, if each value of the Pool has one.
func TestColumnLaws(t *testing.T) {
	t.Run("zero", columnSuite[pooltest.Value](berth.Config{}).Run)
	if !long.On {
		return
	}
	t.Run("limit", columnSuite[pooltest.Wide](berth.Config{Limit: 1 << 20}).Run)
	for name, mode := range map[string]berth.Truncate{
		"Length": berth.TruncateLength, "Never": berth.TruncateNever,
	} {
		t.Run(name, columnSuite[pooltest.Plain](berth.Config{Truncate: mode}).Run)
	}
}

// The laws hold for a Pool with Columns: one for all values, and one for some.
func TestPoolWithColumnsLaws(t *testing.T) {
	type (
		value  = pooltest.Value
		handle = berth.Handle[value]
	)
	suite := poolSuite[value](berth.Config{})
	suite.Except = map[string]string{
		"Law9SteadyState/reserved": "Grow of a Pool makes no room in its Columns",
	}
	nine, bare := 9, suite.New
	suite.New = func(o pooltest.Options) pooltest.Container[handle, value] {
		p := bare(o).(*berth.Pool[value])
		all, some := berth.NewColumn[int](p), berth.NewColumn[*int](p)
		berth.SetHooks(p, berth.Hooks[value]{
			OnInsert: func(h handle, _ *value) {
				if all.Set(h, 5); p.IndexOf(h)%3 == 0 {
					some.Set(h, &nine)
				}
			},
			OnRemove: func(h handle, _ *value) {
				// The hooks of a clone are called too.
				if !p.Contains(h) && (all.Contains(h) || some.Contains(h)) {
					t.Errorf("%v has a V after its removal", h)
				}
			},
		})
		return p
	}
	suite.Run(t)
}
