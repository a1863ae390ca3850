package wheel

import (
	"context"
	"sync"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/observe"
)

// Timer refers to a timer of a [Timers]. The zero Timer refers to none.
type Timer = berth.Handle[func()]

// Timers calls functions after a number of ticks. Its methods may be called by any goroutine. The
// zero Timers is ready to use.
//
// The functions live in a concurrent.Pool. A Wheel, which only [Timers.Tick] uses, has their
// handles. So neither Start nor Cancel waits for the wheel, however much is due. Cancel leaves the
// handle of a timer in the wheel, where it finds nothing. Once most handles in the wheel are of
// that kind, Tick removes these.
//
// Each timer is called once or cancelled once: what takes it from the pool decides.
type Timers struct {
	pending concurrent.Pool[func()]

	mu     sync.Mutex
	fresh  []fresh // timers that were started since the last tick
	closed bool

	turning sync.Mutex // held by Tick, and taken before mu
	wheel   Wheel[Timer]
	spare   []fresh
	calls   sync.WaitGroup
}

type fresh struct {
	timer Timer
	delay uint64
}

// slack is the number of cancelled timers in the wheel, and the room for fresh ones, that are not
// worth freeing.
const slack = 1024

// Observe shows the pools of t in r until unregister is called: the functions that are pending
// under name, and the wheel, which Tick locks, under name and " wheel". The difference is the
// number of cancelled timers that the wheel still has.
func (t *Timers) Observe(r *observe.Registry, name string) (unregister func()) {
	pending := r.Register(name, &t.pending, nil)
	wheel := r.Register(name+" wheel", &t.wheel.timers, func(f func()) {
		t.turning.Lock()
		defer t.turning.Unlock()
		f()
	})
	return func() { pending(); wheel() }
}

// Len returns the number of timers that are neither called nor cancelled.
func (t *Timers) Len() int { return t.pending.Len() }

// Start starts a timer that calls f after delay ticks, or after one if delay is 0. After Close, it
// returns the zero Timer, and f is not called.
func (t *Timers) Start(delay uint64, f func()) Timer {
	if f == nil {
		panic("wheel: Timers.Start: nil function")
	}
	h := t.pending.Insert(f)
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.fresh = append(t.fresh, fresh{h, delay})
	}
	t.mu.Unlock()
	if closed {
		t.pending.Delete(h)
		return Timer{}
	}
	return h
}

// Cancel cancels a timer. If it reports true, the timer's function was not called and never will
// be. It reports false if the function has been called, is running or is about to run, or if the
// timer has been cancelled before. Cancel never waits.
func (t *Timers) Cancel(h Timer) bool { return t.pending.Delete(h) }

// Tick advances the time by one tick, and calls the functions that are due, each in a goroutine of
// its own. It does not wait for them. As with time.AfterFunc, a function that panics ends the
// program, unless the function itself recovers.
func (t *Timers) Tick() {
	t.turning.Lock()
	defer t.turning.Unlock()
	t.mu.Lock()
	started := t.fresh
	t.fresh, t.spare = t.spare, nil
	t.mu.Unlock()
	for _, s := range started {
		if t.pending.Contains(s.timer) {
			t.wheel.Start(s.delay, s.timer)
		}
	}
	if n := cap(started); n <= slack || n <= 4*len(started) {
		t.spare = started[:0]
	}
	t.wheel.Tick(t.call)
	if t.wheel.Len() > 2*t.pending.Len()+slack {
		t.wheel.DeleteFunc(func(h Timer) bool { return !t.pending.Contains(h) })
	}
}

// call calls the function of a timer, unless it has been cancelled.
func (t *Timers) call(h Timer) {
	// Take does not wait, because nobody leases a function.
	if f, err := concurrent.Take(context.Background(), &t.pending, h); err == nil {
		t.calls.Go(f)
	}
}

// Run calls Tick once in each period until ctx ends. If it was held up, it makes up for the ticks
// that it has missed.
func (t *Timers) Run(ctx context.Context, period time.Duration) {
	clock := time.NewTicker(period)
	defer clock.Stop()
	t.follow(ctx, time.Now(), clock.C, period)
}

// follow is Run by a clock that began at a time.
func (t *Timers) follow(
	ctx context.Context, begin time.Time, clock <-chan time.Time, period time.Duration,
) {
	for ticks := time.Duration(0); ; {
		select {
		case now := <-clock:
			for ; ticks < now.Sub(begin)/period && ctx.Err() == nil; ticks++ {
				t.Tick()
			}
		case <-ctx.Done():
			return
		}
	}
}

// Close cancels all timers, and waits until the functions that were called have returned. From then
// on, no goroutine of t is left, and none is started. A function that t calls must not call Close,
// which would wait for it.
func (t *Timers) Close() {
	t.turning.Lock()
	t.mu.Lock()
	t.closed, t.fresh = true, nil
	t.mu.Unlock()
	t.pending.Clear()
	t.wheel, t.spare = Wheel[Timer]{}, nil
	t.turning.Unlock()
	t.calls.Wait()
}
