package linear

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
)

// A memberVerb is a kind of call of a Members.
type memberVerb int

const (
	join memberVerb = iota
	leave
	find
	has
	count
	look
	memberVerbs
)

// memberCall is a call, and memberAnswer its result.
type (
	memberCall struct {
		verb memberVerb
		h, v uint64
	}
	memberAnswer struct {
		h, v  uint64
		ok    bool
		n     int
		shown map[uint64]uint64 // by a snapshot
	}
)

// members is the state of a Members: the values of all handles that were issued, 0 once removed. A
// Snapshot shows all of it, so a history cannot be split by handle.
type members map[uint64]uint64

// with returns a copy of m in which h has the value v.
func (m members) with(h, v uint64) members {
	m = maps.Clone(m)
	m[h] = v
	return m
}

// live returns m without the handles that find nothing.
func (m members) live() map[uint64]uint64 {
	live := maps.Clone(m)
	maps.DeleteFunc(live, func(_, v uint64) bool { return v == 0 })
	return live
}

var membersModel = porcupine.Model{
	Init: func() any { return members{} },
	Step: func(before, input, output any) (bool, any) {
		m, c, a := before.(members), input.(memberCall), output.(memberAnswer)
		v := m[c.h]
		switch c.verb {
		case join:
			_, issued := m[a.h]
			return !issued, m.with(a.h, c.v)
		case leave:
			if v == 0 {
				return !a.ok && a.v == 0, m
			}
			return a.ok && a.v == v, m.with(c.h, 0)
		case find:
			return a.ok == (v != 0) && a.v == v, m
		case has:
			return a.ok == (v != 0), m
		case count:
			return a.n == len(m.live()), m
		default:
			return a.n == len(a.shown) && maps.Equal(m.live(), a.shown), m
		}
	},
	Equal: func(a, b any) bool { return maps.Equal(a.(members), b.(members)) },
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%+v = %+v", input, output)
	},
}

// doMember makes one call.
func doMember(m *concurrent.Members[uint64], c memberCall) (a memberAnswer) {
	h := berth.HandleFromUint64[uint64](c.h)
	switch c.verb {
	case join:
		a.h = m.Insert(c.v).Uint64()
	case leave:
		a.v, a.ok = m.Remove(h)
	case find:
		a.v, a.ok = m.Get(h)
	case has:
		a.ok = m.Contains(h)
	case count:
		a.n = m.Len()
	case look:
		s := m.Snapshot()
		runtime.Gosched() // changes after the call must not be seen
		a.n, a.shown = s.Len(), map[uint64]uint64{}
		for h, v := range s.All() {
			a.shown[h.Uint64()] = v
		}
	}
	return a
}

// membersHistory plays a game of several goroutines on a Members.
func membersHistory(seed uint64) (all []porcupine.Operation) {
	const goroutines, calls = 4, 16
	var m concurrent.Members[uint64]
	var clock atomic.Int64
	board := make([]atomic.Uint64, 2+seed%3) // handles that all goroutines see
	histories := make([][]porcupine.Operation, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for range calls {
				at := &board[r.IntN(len(board))]
				c := memberCall{memberVerb(r.IntN(int(memberVerbs))), at.Load(), r.Uint64() | 1}
				begun := clock.Add(1)
				a := doMember(&m, c)
				histories[g] = append(histories[g], porcupine.Operation{
					ClientId: g, Input: c, Call: begun, Output: a, Return: clock.Add(1),
				})
				if c.verb == join {
					at.Store(a.h)
				}
				if r.IntN(4) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	for _, h := range histories {
		all = append(all, h...)
	}
	return all
}

// C2: the calls of a Members are linearizable, with a Snapshot as one call that reads all values.
func TestMembersLinearizable(t *testing.T) {
	histories := 6000
	switch {
	case long.On:
		histories = 20_000
	case testing.Short():
		histories = 2000
	}
	for seed := range uint64(histories) {
		got := porcupine.CheckOperationsTimeout(membersModel, membersHistory(seed), time.Minute)
		if got != porcupine.Ok {
			t.Fatalf("history %d: %v", seed, got)
		}
	}
}

// The model refuses histories that a Members must not have.
func TestMembersModelRefuses(t *testing.T) {
	at := int64(0)
	op := func(c memberCall, a memberAnswer) porcupine.Operation {
		at += 2
		return porcupine.Operation{Input: c, Call: at, Output: a, Return: at + 1}
	}
	type shown = map[uint64]uint64
	begin := op(memberCall{verb: join, v: 5}, memberAnswer{h: 1})
	gone := op(memberCall{verb: leave, h: 1}, memberAnswer{v: 5, ok: true})
	for name, history := range map[string][]porcupine.Operation{
		"has another value":  {begin, op(memberCall{verb: find, h: 1}, memberAnswer{v: 6, ok: true})},
		"is lost":            {begin, op(memberCall{verb: has, h: 1}, memberAnswer{})},
		"is issued twice":    {begin, gone, op(memberCall{verb: join, v: 6}, memberAnswer{h: 1})},
		"is removed twice":   {begin, gone, op(memberCall{verb: leave, h: 1}, memberAnswer{v: 5, ok: true})},
		"is counted after":   {begin, gone, op(memberCall{verb: count}, memberAnswer{n: 1})},
		"is shown after":     {begin, gone, op(memberCall{verb: look}, memberAnswer{n: 1, shown: shown{1: 5}})},
		"is not shown":       {begin, op(memberCall{verb: look}, memberAnswer{shown: shown{}})},
		"is shown uncounted": {begin, op(memberCall{verb: look}, memberAnswer{shown: shown{1: 5}})},
	} {
		if porcupine.CheckOperations(membersModel, history) {
			t.Errorf("the model accepts a history in which a value %s", name)
		}
	}
}
