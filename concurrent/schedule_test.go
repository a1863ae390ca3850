//go:build berth_schedule

package concurrent

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth"
)

// A scene is a few goroutines on one pool. Explore runs it in every order of their steps.
type scene struct {
	bodies []func()
	after  func() // called when all bodies have returned
}

// actor is a goroutine of a scene.
type actor struct {
	resume chan struct{}
	point  string
	ready  func() bool // of the point that it stands at; nil is always
	done   bool
}

// stage runs a scene in one order.
type stage struct {
	t       *testing.T
	actors  []*actor
	now     *actor
	yielded chan any // what an actor panicked with, or nil
	order   []int    // who goes on at each step, by the place among those that can
	options []int    // how many could
	trace   []string
}

// explore plays the scenes that setup returns, one for each order of their steps.
func explore(t *testing.T, setup func(t *testing.T) scene) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	var order []int
	runs := 0
	for {
		st := &stage{t: t, order: order, yielded: make(chan any)}
		st.play(setup(t))
		if runs++; t.Failed() {
			t.Fatalf("run %d: %v", runs, st.trace)
		}
		order = st.options
		for len(order) > 0 && st.order[len(order)-1]+1 >= order[len(order)-1] {
			order = order[:len(order)-1]
		}
		if len(order) == 0 {
			break
		}
		order = append([]int(nil), st.order[:len(order)]...)
		order[len(order)-1]++
	}
	if runs < 2 {
		t.Errorf("only %d order", runs)
	}
	for runtime.NumGoroutine() > goroutines {
		runtime.Gosched() // if one never ends, go test shows it when the time is up
	}
	t.Logf("%d orders", runs)
}

// play runs one scene.
func (st *stage) play(s scene) {
	for _, body := range s.bodies {
		a := &actor{resume: make(chan struct{}), point: "begin"}
		st.actors = append(st.actors, a)
		go func() {
			<-a.resume
			defer func() {
				a.done = true
				st.yielded <- recover()
			}()
			body()
		}()
	}
	f := st.stop
	controller.Store(&f)
	for st.step() {
	}
	controller.Store(nil)
	s.after()
}

// stop is the controller: the running actor stands at a point.
func (st *stage) stop(name string, ready func() bool) {
	a := st.now
	a.point, a.ready = name, ready
	st.yielded <- nil
	<-a.resume
}

// step lets one actor go on to its next point. It reports false when all have returned.
func (st *stage) step() bool {
	var can []int
	left := 0
	for i, a := range st.actors {
		if a.done {
			continue
		}
		if left++; a.ready == nil || a.ready() {
			can = append(can, i)
		}
	}
	if left == 0 {
		return false
	}
	if len(can) == 0 {
		st.t.Fatalf("%d goroutines wait for each other: %v", left, st.trace)
	}
	n := len(st.options)
	if n == len(st.order) {
		st.order = append(st.order, 0)
	}
	st.order[n] = min(st.order[n], len(can)-1) // a select may have chosen differently
	st.options = append(st.options, len(can))
	i := can[st.order[n]]
	st.now = st.actors[i]
	st.trace = append(st.trace, fmt.Sprintf("%d:%s", i, st.now.point))
	st.now.resume <- struct{}{}
	if r := <-st.yielded; r != nil {
		st.t.Fatalf("goroutine %d panics: %v; %v", i, r, st.trace)
	}
	return true
}

// tokens is a pool whose values account for their use.
type tokens struct {
	t      *testing.T
	p      *Pool[token]
	drops  map[berth.Handle[token]]int
	leases map[berth.Handle[token]]int
}

type token struct{ self uint64 }

func newTokens(t *testing.T, c Config[token]) *tokens {
	k := &tokens{t: t, drops: map[berth.Handle[token]]int{}, leases: map[berth.Handle[token]]int{}}
	c.Seed = 1
	if c.Shards == 0 {
		c.Shards = 1
	}
	c.Drop = func(h berth.Handle[token], v *token) {
		if v.self != h.Uint64() || k.leases[h] != 0 {
			t.Errorf("Drop(%v) of %x with %d leases", h, v.self, k.leases[h])
		}
		point("drop")
		if v.self != h.Uint64() {
			t.Errorf("the value changes to %x in Drop(%v)", v.self, h)
		}
		k.drops[h]++
	}
	k.p = New(c)
	return k
}

func (k *tokens) insert() berth.Handle[token] {
	return k.p.InsertFunc(func(h berth.Handle[token], v *token) {
		if *v != (token{}) {
			k.t.Errorf("a new value is %x", v.self)
		}
		v.self = h.Uint64()
	})
}

// hold checks the value of a lease before and after others go on.
func (k *tokens) hold(h berth.Handle[token], v *token) {
	k.leases[h]++
	for range 2 {
		if v.self != h.Uint64() || k.drops[h] != 0 {
			k.t.Errorf("the value of %v is %x under a lease, %d drops", h, v.self, k.drops[h])
		}
		point("hold")
	}
	k.leases[h]--
}

func (k *tokens) acquire(h berth.Handle[token]) *Lease[token] {
	l, ok := k.p.Acquire(h)
	if !ok {
		k.t.Fatal("Acquire of a live handle is false")
	}
	k.leases[h]++
	return &l
}

func (k *tokens) release(l *Lease[token]) {
	k.leases[l.Handle()]--
	l.Release()
}

// end checks that h was dropped n times, and that nothing lives, is leased or waited for.
func (k *tokens) end(h berth.Handle[token], n int) {
	if k.drops[h] != n {
		k.t.Errorf("%d drops of %v, want %d", k.drops[h], h, n)
	}
	k.p.Clear()
	for i := range k.p.core.shards {
		s := &k.p.core.shards[i]
		s.check()
		if s.pool.N != 0 || len(s.waiters) != 0 {
			k.t.Errorf("%d slots are live at the end, %d waiters", s.pool.N, len(s.waiters))
		}
	}
	if k.p.core.count.Load() != 0 {
		k.t.Errorf("count is %d at the end", k.p.core.count.Load())
	}
}

func TestScheduleDelete(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{Limit: 9})
		h, removed := k.insert(), 0
		remove := func() {
			if k.p.Delete(h) {
				removed++
			}
		}
		look := func() {
			if k.p.Contains(h) && k.drops[h] > 0 {
				t.Error("a value that was dropped is live")
			}
			k.insert()
		}
		return scene{[]func(){remove, remove, look}, func() {
			if removed != 1 {
				t.Errorf("%d removals of one value", removed)
			}
			k.end(h, 1)
		}}
	})
}

func TestScheduleUse(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{})
		h, used := k.insert(), false
		return scene{[]func(){
			func() { used = k.p.Use(h, func(v *token) { k.hold(h, v) }) },
			func() { k.p.Delete(h); k.insert() },
		}, func() { _ = used; k.end(h, 1) }}
	})
}

func TestScheduleRelease(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{})
		h := k.insert()
		l, m := k.acquire(h), k.acquire(h)
		return scene{[]func(){
			func() { k.release(l) }, func() { k.release(m) }, func() { k.p.Delete(h) },
		}, func() { k.end(h, 1) }}
	})
}

// Release under Take, which may give up: the value is taken or dropped, once.
func TestScheduleTake(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{})
		h := k.insert()
		l, m := k.acquire(h), k.acquire(h)
		ctx, cancel := context.WithCancel(context.Background())
		taken := 0
		return scene{[]func(){
			func() {
				v, err := Take(ctx, k.p, h)
				switch {
				case err == nil:
					taken++
					if v.self != h.Uint64() || k.leases[h] != 0 {
						t.Errorf("Take(%v) = %x with %d leases", h, v.self, k.leases[h])
					}
				case !errors.Is(err, context.Canceled) || v != token{}:
					t.Errorf("Take = %v, %v", v, err)
				}
			},
			func() { k.release(l) },
			func() { k.release(m) },
			cancel,
		}, func() { k.end(h, 1-taken) }}
	})
}

func TestScheduleTakeTwice(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{Limit: 2})
		h := k.insert()
		l := k.acquire(h)
		got := 0
		take := func() {
			if _, err := Take(context.Background(), k.p, h); err == nil {
				got++
			}
		}
		removed := 0
		return scene{[]func(){take, take, func() { k.release(l) }, func() {
			if k.p.Delete(h) {
				removed = 1
			}
		}}, func() {
			if got+removed != 1 {
				t.Errorf("%d goroutines take a value, %d removes it", got, removed)
			}
			k.end(h, removed)
		}}
	})
}

// The first inserts of a zero pool make it ready once.
func TestScheduleZeroPool(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		p := new(Pool[int])
		var hs [3]berth.Handle[int]
		insert := func(i int) func() { return func() { hs[i] = p.Insert(i) } }
		return scene{[]func(){insert(0), insert(1), insert(2)}, func() {
			for i, h := range hs {
				if v, ok := p.Get(h); !ok || v != i {
					t.Errorf("Get(%v) = %d, %v, want %d", h, v, ok, i)
				}
			}
		}}
	})
}

func TestScheduleLimit(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{Limit: 2, Shards: 2})
		h, inserted := k.insert(), 0
		insert := func() {
			if !k.insert().IsZero() {
				inserted++
			}
			if n := k.p.Len(); n > 2 {
				t.Errorf("Len() = %d at Limit 2", n)
			}
		}
		return scene{[]func(){insert, insert}, func() {
			if inserted != 1 {
				t.Errorf("%d inserts with room for one", inserted)
			}
			k.end(h, 0)
		}}
	})
}

func TestScheduleInsertFunc(t *testing.T) {
	for _, fails := range []bool{false, true} {
		explore(t, func(t *testing.T) scene {
			k := newTokens(t, Config[token]{Limit: 3})
			var h berth.Handle[token]
			live, removed := false, 0
			look := func() {
				if v, ok := k.p.Get(h); ok && (v.self != h.Uint64() || !live) {
					t.Errorf("Get finds %x while it is built", v.self)
				}
				if k.p.Delete(h) {
					removed++
				}
			}
			return scene{[]func(){
				func() {
					defer func() { _ = recover() }()
					k.p.InsertFunc(func(g berth.Handle[token], v *token) {
						h = g
						point("build")
						v.self = g.Uint64()
						if live = !fails; fails {
							panic("fails")
						}
					})
				},
				look,
				k.p.Clear,
			}, func() {
				was := k.drops[h]
				if fails && (was != 0 || k.p.Contains(h)) {
					t.Errorf("%d drops of a value that was not built", was)
				}
				if !fails && was == 0 && !k.p.Contains(h) {
					t.Error("the value is lost")
				}
				want := 1
				if fails {
					want = 0
				}
				k.p.Clear()
				k.end(h, want)
			}}
		})
	}
}

// Drain and Clear meet a lease, and each other.
func TestScheduleDrain(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{Limit: 9})
		h := k.insert()
		drained := 0
		return scene{[]func(){
			func() {
				for g, v := range Drain(k.p) {
					if drained++; g != h || v.self != h.Uint64() || k.leases[h] != 0 {
						t.Errorf("Drain yields %v, %x", g, v.self)
					}
				}
			},
			func() {
				if l, ok := k.p.Acquire(h); ok {
					k.leases[h]++
					k.release(&l)
				}
			},
			k.p.Clear,
		}, func() { k.end(h, 1-drained) }}
	})
}

func TestScheduleAll(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{})
		stay, h := k.insert(), k.insert()
		return scene{[]func(){
			func() {
				seen := map[berth.Handle[token]]int{}
				for g, v := range k.p.All() {
					seen[g]++
					k.hold(g, v)
				}
				if seen[stay] != 1 || seen[h] > 1 {
					t.Errorf("All visits %v", seen)
				}
			},
			func() { k.p.Delete(h); k.insert() },
		}, func() { k.end(h, 1) }}
	})
}

// A reserved handle is filled or given up, once, while others look for it and clear the pool.
func TestScheduleReserve(t *testing.T) {
	explore(t, func(t *testing.T) scene {
		k := newTokens(t, Config[token]{Limit: 3})
		h := Reserve(k.p)
		filled, canceled := 0, 0
		fill := func() {
			if Fill(k.p, h, token{h.Uint64()}) {
				filled++
			}
		}
		return scene{[]func(){fill, fill, func() {
			if Cancel(k.p, h) {
				canceled++
			}
		}, func() {
			k.p.Use(h, func(v *token) { k.hold(h, v) })
			k.p.Clear()
		}}, func() {
			if filled+canceled != 1 {
				t.Errorf("filled %d times, given up %d times", filled, canceled)
			}
			k.p.Clear()
			k.end(h, filled)
		}}
	})
}
