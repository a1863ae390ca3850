package linear

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
)

// A verb is a kind of call.
type verb int

const (
	insert verb = iota
	get
	use
	contains
	remove
	take
	fill
	cancel
	reserve
	dropped // Drop begins
	verbs   = int(dropped)
)

// call is what a goroutine asked, and answer what it got.
type (
	call struct {
		verb verb
		h    uint64
		v    uint64 // inserted
	}
	answer struct {
		h  uint64 // issued
		v  uint64
		ok bool
	}
)

// state is that of one handle.
type state struct {
	v              uint64 // 0 before the insert
	removed, ended bool
	reserved       bool // not filled or given up
}

// model is a slot map as one goroutine sees it, for each handle.
var model = porcupine.Model{
	Partition: byHandle,
	Init:      func() any { return state{} },
	Step: func(before, input, output any) (bool, any) {
		s, c, a := before.(state), input.(call), output.(answer)
		live := s.v != 0 && !s.removed
		switch c.verb {
		case insert:
			return s == state{}, state{v: c.v}
		case reserve:
			return s == state{}, state{reserved: true}
		case fill:
			if s.reserved {
				return a.ok, state{v: c.v}
			}
			return !a.ok, s
		case cancel:
			return a.ok == s.reserved, state{s.v, s.removed || s.reserved, s.ended || s.reserved, false}
		case get, use:
			return a.ok == live && (!live || a.v == s.v), s
		case contains:
			return a.ok == live, s
		case remove:
			return a.ok == live, state{s.v, s.removed || live, s.ended, s.reserved}
		case take:
			return a.ok == live && (!live || a.v == s.v), state{s.v, s.removed || live, s.ended || live, s.reserved}
		default: // dropped: once, after the removal
			return s.removed && !s.ended && a.v == s.v, state{s.v, true, true, false}
		}
	},
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%+v = %+v", input, output)
	},
}

// byHandle splits a history into those of single handles.
func byHandle(history []porcupine.Operation) [][]porcupine.Operation {
	parts := map[uint64][]porcupine.Operation{}
	for _, o := range history {
		h := o.Input.(call).h
		if v := o.Input.(call).verb; v == insert || v == reserve {
			h = o.Output.(answer).h
		}
		parts[h] = append(parts[h], o)
	}
	return slices.Collect(maps.Values(parts))
}

// recorder records the history of one goroutine.
type recorder struct {
	id      int
	clock   *atomic.Int64 // counts calls and returns; a tick is a time
	history []porcupine.Operation
}

func (r *recorder) record(c call, f func() answer) answer {
	begun := r.clock.Add(1)
	a := f()
	r.history = append(r.history, porcupine.Operation{
		ClientId: r.id, Input: c, Call: begun, Output: a, Return: r.clock.Add(1),
	})
	return a
}

// player makes random calls on a pool that others use too, and records them.
type player struct {
	recorder
	p     *concurrent.Pool[uint64]
	board []atomic.Uint64 // handles that all goroutines see
	rng   *rand.Rand
}

func (p *player) play(calls int) {
	for range calls {
		at := &p.board[p.rng.IntN(len(p.board))]
		c := call{verb: verb(p.rng.IntN(verbs)), h: at.Load(), v: p.rng.Uint64() | 1}
		if p.rng.IntN(3) == 0 {
			c.verb = insert
		}
		a := p.record(c, func() answer { return p.do(c) })
		if c.verb == insert || c.verb == reserve {
			at.Store(a.h)
		}
		if p.rng.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
}

// do makes one call.
func (p *player) do(c call) (a answer) {
	h := berth.HandleFromUint64[uint64](c.h)
	switch c.verb {
	case insert:
		a.h = p.p.Insert(c.v).Uint64()
	case reserve:
		a.h = concurrent.Reserve(p.p).Uint64()
	case fill:
		a.ok = concurrent.Fill(p.p, h, c.v)
	case cancel:
		a.ok = concurrent.Cancel(p.p, h)
	case get:
		a.v, a.ok = p.p.Get(h)
	case use:
		a.ok = p.p.Use(h, func(v *uint64) { a.v = *v })
	case contains:
		a.ok = p.p.Contains(h)
	case remove:
		a.ok = p.p.Delete(h)
	case take:
		var err error
		a.v, err = concurrent.Take(context.Background(), p.p, h)
		a.ok = err == nil
	}
	return a
}

// history plays a game of several goroutines, and returns all calls and drops.
func history(seed uint64) []porcupine.Operation {
	const goroutines, calls = 4, 24
	var clock atomic.Int64
	var mu sync.Mutex
	drops := recorder{id: goroutines, clock: &clock}
	p := concurrent.New(concurrent.Config[uint64]{
		Shards: 1 << (seed % 3),
		Drop: func(h berth.Handle[uint64], v *uint64) {
			mu.Lock()
			defer mu.Unlock()
			drops.record(call{verb: dropped, h: h.Uint64()}, func() answer { return answer{v: *v} })
		},
	})
	board := make([]atomic.Uint64, 2+seed%3)
	players := make([]*player, goroutines)
	var wg sync.WaitGroup
	for g := range players {
		r := recorder{id: g, clock: &clock}
		players[g] = &player{r, p, board, rand.New(rand.NewPCG(seed, uint64(g)))}
		wg.Go(func() { players[g].play(calls) })
	}
	wg.Wait()
	all := drops.history
	for _, p := range players {
		all = append(all, p.history...)
	}
	return all
}

// C1: thousands of histories are linearizable.
func TestLinearizable(t *testing.T) {
	histories := 1000
	switch {
	case long.On:
		histories = 3000
	case testing.Short():
		histories = 300
	}
	goroutines := runtime.NumGoroutine()
	for seed := range uint64(histories) {
		got := porcupine.CheckOperationsTimeout(model, history(seed), time.Minute)
		if got != porcupine.Ok {
			t.Fatalf("history %d: %v", seed, got)
		}
	}
	for runtime.NumGoroutine() > goroutines {
		runtime.Gosched() // if one never ends, go test shows it when the time is up
	}
}

// The model refuses histories that a Pool must not have.
func TestModelRefuses(t *testing.T) {
	at := int64(0)
	op := func(c call, a answer) porcupine.Operation {
		at += 2
		return porcupine.Operation{Input: c, Call: at, Output: a, Return: at + 1}
	}
	begin := op(call{verb: insert, v: 5}, answer{h: 1})
	gone := op(call{verb: remove, h: 1}, answer{ok: true})
	for name, history := range map[string][]porcupine.Operation{
		"another value":  {begin, op(call{verb: get, h: 1}, answer{v: 6, ok: true})},
		"lost":           {begin, op(call{verb: contains, h: 1}, answer{})},
		"issued twice":   {begin, op(call{verb: insert, v: 6}, answer{h: 1})},
		"removed twice":  {begin, gone, op(call{verb: remove, h: 1}, answer{ok: true})},
		"used after":     {begin, gone, op(call{verb: use, h: 1}, answer{v: 5, ok: true})},
		"taken after":    {begin, gone, op(call{verb: take, h: 1}, answer{v: 5, ok: true})},
		"dropped alive":  {begin, op(call{verb: dropped, h: 1}, answer{v: 5})},
		"dropped twice":  {begin, gone, op(call{verb: dropped, h: 1}, answer{v: 5}), op(call{verb: dropped, h: 1}, answer{v: 5})},
		"dropped, taken": {begin, op(call{verb: take, h: 1}, answer{v: 5, ok: true}), op(call{verb: dropped, h: 1}, answer{v: 5})},
	} {
		if porcupine.CheckOperations(model, history) {
			t.Errorf("the model accepts a history in which a value is %s", name)
		}
	}
}
