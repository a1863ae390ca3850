package wheel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed505807e1/berth/observe"
)

// In the bubble of synctest.Test, synctest.Wait waits until all functions that were called have
// returned or wait, and a goroutine that is left at the end fails the test.

// noGoroutines checks that all goroutines that the test started have ended at its end.
func noGoroutines(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for n := 0; runtime.NumGoroutine() > before; n++ {
			if time.Sleep(time.Millisecond); n == 60_000 {
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			}
		}
	})
}

// mustNot fails if the function that it returns is called.
func mustNot(t *testing.T, what string) func() {
	return func() { t.Error("called: ", what) }
}

// TestTimersModel compares the timers that are called in each tick, and what Cancel returns, with a
// list.
func TestTimersModel(t *testing.T) {
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			var timers Timers
			defer timers.Close()
			var mu sync.Mutex
			var called []int
			var known []Timer
			var m model
			for range 3000 {
				switch random.IntN(4) {
				case 0:
					n, delay := len(known), random.Uint64N(1<<random.UintN(13))
					known = append(known, timers.Start(delay, func() {
						mu.Lock()
						defer mu.Unlock()
						called = append(called, n)
					}))
					m.pending = append(m.pending, modelTimer{due: m.now + max(delay, 1), data: n})
				case 1:
					if len(known) == 0 {
						continue
					}
					n := random.IntN(len(known))
					i := slices.IndexFunc(m.pending, func(t modelTimer) bool { return t.data == n })
					if got := timers.Cancel(known[n]); got != (i >= 0) {
						t.Fatalf("Cancel of %d = %v; the model has it at %d", n, got, i)
					}
					if i >= 0 {
						m.pending = slices.Delete(m.pending, i, i+1)
					}
				default:
					timers.Tick()
					synctest.Wait()
					want := m.tick()
					slices.Sort(called)
					if slices.Sort(want); !slices.Equal(called, want) {
						t.Fatalf("tick %d calls %v, want %v", m.now, called, want)
					}
					called = nil
				}
				if timers.Len() != len(m.pending) {
					t.Fatalf("%d timers, want %d", timers.Len(), len(m.pending))
				}
			}
		})
	}
}

// TestTimersOnce starts, cancels and ticks in many goroutines. Functions that are called start and
// cancel others. Each timer is called once or cancelled once.
func TestTimersOnce(t *testing.T) {
	noGoroutines(t)
	const starters, each = 8, 2000
	type life struct{ called, cancelled atomic.Int32 }
	var timers Timers
	var lives [starters * each]life
	var recent [64]atomic.Pointer[func()] // cancel a timer
	var began atomic.Int64
	start := func(random uint64, then func()) {
		x := &lives[began.Add(1)-1]
		h := timers.Start(random%7, func() {
			x.called.Add(1)
			then()
		})
		cancel := func() {
			if timers.Cancel(h) {
				x.cancelled.Add(1)
			}
		}
		recent[random/7%64].Store(&cancel)
	}
	cancel := func(random uint64) {
		if f := recent[random%64].Load(); f != nil {
			(*f)()
		}
	}
	var all, clocks sync.WaitGroup
	for g := range starters {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range each / 2 {
				again, other := random.Uint64(), random.Uint64()
				start(random.Uint64(), func() { cancel(other) })
				if random.IntN(2) == 0 {
					cancel(random.Uint64())
				}
				start(again, func() {})
				runtime.Gosched()
			}
		})
	}
	stop := make(chan struct{})
	for range 2 {
		clocks.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					timers.Tick()
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	close(stop)
	clocks.Wait()
	for range 10 {
		timers.Tick()
	}
	if timers.Len() != 0 || timers.wheel.Len() != 0 {
		t.Errorf("%d timers are pending, %d in the wheel", timers.Len(), timers.wheel.Len())
	}
	timers.Close()
	sum := [2]int32{}
	for i := range lives {
		called, cancelled := lives[i].called.Load(), lives[i].cancelled.Load()
		if called+cancelled != 1 {
			t.Fatalf("timer %d: called %d times, cancelled %d times", i, called, cancelled)
		}
		sum[0], sum[1] = sum[0]+called, sum[1]+cancelled
	}
	if sum[0] == 0 || sum[1] == 0 {
		t.Errorf("%d called, %d cancelled", sum[0], sum[1])
	}
}

// TestTimersInside starts and cancels timers in a function that is called.
func TestTimersInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		defer timers.Close()
		var self, started Timer
		again := 0
		later := timers.Start(2, mustNot(t, "a cancelled timer"))
		self = timers.Start(1, func() {
			if timers.Cancel(self) {
				t.Error("a running timer cancels itself")
			}
			if !timers.Cancel(later) || timers.Cancel(later) {
				t.Error("Cancel of a later timer: want true, and then false")
			}
			started = timers.Start(0, func() { again++ })
		})
		for tick, want := range []int{0, 1, 1} {
			timers.Tick()
			synctest.Wait()
			if again != want {
				t.Errorf("tick %d: called %d times, want %d", tick+1, again, want)
			}
		}
		if timers.Cancel(started) || timers.Len() != 0 {
			t.Error("a timer that was called is pending")
		}
	})
}

// TestTimersSlow has a function that does not return. Other timers are called in the meantime.
func TestTimersSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		release := make(chan struct{})
		running, returned := false, false
		slow := timers.Start(1, func() {
			running = true
			<-release
			returned = true
		})
		var others atomic.Int64
		for delay := range uint64(100) {
			timers.Start(delay, func() { others.Add(1) })
			timers.Tick()
			synctest.Wait()
			if !running {
				t.Fatal("the slow function is not running")
			}
		}
		for range 100 {
			timers.Tick()
			synctest.Wait()
		}
		if others.Load() != 100 || timers.Len() != 0 {
			t.Errorf("%d others were called, %d are pending", others.Load(), timers.Len())
		}
		if timers.Cancel(slow) {
			t.Error("Cancel of a running timer returns true")
		}
		closed := false
		go func() { timers.Close(); closed = true }()
		synctest.Wait()
		if closed || returned {
			t.Error("Close does not wait for a function that runs")
		}
		timers.Tick() // is not held up either
		if h := timers.Start(1, mustNot(t, "a late timer")); !h.IsZero() || timers.Cancel(h) {
			t.Error("a timer starts while Close waits")
		}
		close(release)
		synctest.Wait()
		if !closed || !returned {
			t.Error("Close does not return")
		}
	})
}

// TestTimersGoexit ends a function by Goexit and another one by a panic that it recovers.
func TestTimersGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		ended, called := 0, 0
		timers.Start(1, func() {
			defer func() { ended++ }()
			runtime.Goexit()
		})
		timers.Tick()
		synctest.Wait()
		timers.Start(1, func() {
			defer func() { ended++; _ = recover() }()
			panic("recovered")
		})
		timers.Tick()
		synctest.Wait()
		timers.Start(1, func() { called++ })
		timers.Tick()
		timers.Close()
		if ended != 2 || called != 1 || timers.Len() != 0 {
			t.Errorf("%d ended, %d called, %d pending", ended, called, timers.Len())
		}
	})
}

// TestTimersPanic runs itself as a program whose timer panics. It must end as by time.AfterFunc.
func TestTimersPanic(t *testing.T) {
	const in = "TIMERS_PANIC"
	if os.Getenv(in) != "" {
		var timers Timers
		timers.Start(1, func() { panic("boom") })
		timers.Tick()
		timers.Close()
		fmt.Println("the program goes on")
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), self, "-test.run=^TestTimersPanic$")
	program.Env = append(os.Environ(), in+"=1")
	out, err := program.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: boom") || strings.Contains(string(out), "goes on") {
		t.Errorf("the program ends with %v:\n%s", err, out)
	}
}

func TestTimersClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		linked := timers.Start(2, mustNot(t, "a timer in the wheel"))
		timers.Tick()
		fresh := timers.Start(1, mustNot(t, "a fresh timer"))
		last := timers.Start(1, mustNot(t, "the last timer"))
		for range 2 {
			timers.Close()
			if late := timers.Start(1, mustNot(t, "a late timer")); !late.IsZero() {
				t.Errorf("Start after Close returns %v", late)
			}
			for _, h := range []Timer{linked, fresh, last, {}} {
				if timers.Cancel(h) {
					t.Errorf("Cancel of %v after Close returns true", h)
				}
			}
			for range 5 {
				timers.Tick()
			}
			if synctest.Wait(); timers.Len() != 0 {
				t.Errorf("%d timers are pending", timers.Len())
			}
		}
	})
}

// TestTimersCloseBeside closes while other goroutines start, cancel and tick. After Close, nothing
// runs.
func TestTimersCloseBeside(t *testing.T) {
	noGoroutines(t)
	for range 50 {
		var timers Timers
		var closed atomic.Bool
		var others sync.WaitGroup
		for g := range 4 {
			others.Go(func() {
				for i := range 200 {
					h := timers.Start(uint64(i%3), func() {
						if runtime.Gosched(); closed.Load() {
							t.Error("a function runs after Close")
						}
					})
					if i%4 == g {
						timers.Cancel(h)
					}
					if i%8 == 0 {
						timers.Tick()
					}
				}
			})
		}
		timers.Close()
		closed.Store(true)
		others.Wait()
		for range 4 {
			timers.Tick()
		}
		if timers.Len() != 0 || timers.wheel.Len() != 0 {
			t.Fatalf("after Close, %d timers are pending, %d in the wheel", timers.Len(), timers.wheel.Len())
		}
	}
}

// TestTimersMemory restarts long timeouts. The wheel must not keep all those that were cancelled.
func TestTimersMemory(t *testing.T) {
	var timers Timers
	defer timers.Close()
	var current [100]Timer
	for i := range 200_000 {
		at := &current[i%len(current)]
		timers.Cancel(*at)
		*at = timers.Start(1_000_000, func() {})
		if i%50 == 0 {
			timers.Tick()
		}
		if n := timers.wheel.Len(); n > 2*len(current)+slack+50 {
			t.Fatalf("%d timers, and %d in the wheel", timers.Len(), n)
		}
	}
	timers.Tick() // links the last ones
	before := timers.wheel.Len()
	for range 100 {
		timers.Cancel(timers.Start(1_000_000, func() {}))
	}
	if timers.Tick(); timers.wheel.Len() > before {
		t.Errorf("%d timers were cancelled at once, and are in the wheel", timers.wheel.Len()-before)
	}
	for range 10 * slack { // a burst
		timers.Cancel(timers.Start(1, func() {}))
	}
	for range 3 {
		timers.Tick()
	}
	if n := cap(timers.fresh) + cap(timers.spare); n > 2*slack {
		t.Errorf("room for %d timers is left of a burst", n)
	}
	linked := 0
	for _, x := range timers.wheel.timers.All() {
		if timers.pending.Contains(x.data) {
			linked++
		}
	}
	if timers.Len() != len(current) || linked != len(current) {
		t.Errorf("%d timers, %d of them in the wheel; want %d", timers.Len(), linked, len(current))
	}
}

// TestTimersRun compares Run, by a clock that stands still while there is work, with AfterFunc.
func TestTimersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); timers.Run(ctx, time.Millisecond) }()
		begin := time.Now()
		delays := []uint64{1, 2, 63, 64, 65, 5000}
		got, want := map[uint64]time.Duration{}, map[uint64]time.Duration{}
		var mu sync.Mutex
		note := func(m map[uint64]time.Duration, delay uint64) func() {
			return func() {
				mu.Lock()
				defer mu.Unlock()
				m[delay] = time.Since(begin)
			}
		}
		for _, delay := range delays {
			timers.Start(delay, note(got, delay))
			time.AfterFunc(time.Duration(delay)*time.Millisecond, note(want, delay))
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		for _, delay := range delays {
			if got[delay] != want[delay] || got[delay] == 0 {
				t.Errorf("a delay of %d: called after %v, by AfterFunc %v", delay, got[delay], want[delay])
			}
		}
		stop()
		<-ended
		timers.Close()
	})
}

// TestTimersFollow drives the clock by hand. It stands still, and then it makes up for a second.
func TestTimersFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers Timers
		ctx, stop := context.WithCancel(t.Context())
		begin, clock := time.Now(), make(chan time.Time)
		go timers.follow(ctx, begin, clock, time.Millisecond)
		var called atomic.Int64
		for delay := range uint64(2000) {
			timers.Start(1+delay, func() { called.Add(1) })
		}
		for _, ms := range []int{0, 1, 1, 2, 1002, 1002, 2000} {
			clock <- begin.Add(time.Duration(ms) * time.Millisecond)
			synctest.Wait()
			if n := called.Load(); n != int64(ms) {
				t.Errorf("after %d ms: %d functions were called", ms, n)
			}
		}
		stop()
		timers.Close()
	})
}

func TestTimersEdges(t *testing.T) {
	var a, b Timers
	defer a.Close()
	defer b.Close()
	h := a.Start(math.MaxUint64, mustNot(t, "a timer in an eternity"))
	b.Start(5, mustNot(t, "a timer that was closed"))
	if b.Cancel(h) || b.Cancel(Timer{}) || b.Len() != 1 {
		t.Error("a foreign or zero Timer cancels one")
	}
	a.Tick()
	a.Tick()
	if !a.Cancel(h) || a.Cancel(h) {
		t.Error("Cancel: want true, and then false")
	}
	defer func() {
		if r := recover(); fmt.Sprint(r) != "wheel: Timers.Start: nil function" || a.Len() != 0 {
			t.Errorf("Start of nil: %v, %d pending", r, a.Len())
		}
	}()
	a.Start(1, nil)
}

func TestTimersAllocations(t *testing.T) {
	var timers Timers
	defer timers.Close()
	f := func() {}
	step := func() {
		for range 10 {
			timers.Cancel(timers.Start(3, f))
		}
		for delay := range uint64(5) {
			kept := timers.Start(100+delay, f)
			timers.Tick()
			timers.Cancel(kept)
		}
	}
	for range 3000 { // until the wheel and the pool have their memory
		step()
	}
	if got := testing.AllocsPerRun(1000, step); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

// TestTimersObserve shows the pools of Timers, and the cancelled timers that the wheel still has.
func TestTimersObserve(t *testing.T) {
	var timers Timers
	var r observe.Registry
	unregister := timers.Observe(&r, "timers")
	started := make([]Timer, 10)
	for i := range started {
		started[i] = timers.Start(100, func() {})
	}
	timers.Tick()
	for _, h := range started[:3] {
		timers.Cancel(h)
	}
	ss := r.Snapshots(t.Context(), true)
	if len(ss) != 2 || ss[0].Stats.Live != 7 || ss[1].Stats.Live != 10 || ss[0].Stats.Removes != 3 {
		t.Errorf("%+v, want 7 that are pending, and 10 in the wheel", ss)
	}
	if unregister(); len(r.Snapshots(t.Context(), false)) != 0 {
		t.Error("pools are shown after unregister")
	}
	timers.Close()
}
