package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth/examples/timers/wheel"
)

// sums has the checksums of an operation's rounds, as the first implementation computed them.
type sums map[string][]uint64

// check fails b if an earlier implementation had another checksum in the same round.
func (s sums) check(b *testing.B, op string, round int, sum uint64) {
	if round < len(s[op]) {
		if want := s[op][round]; sum != want {
			b.Fatalf("round %d: checksum %#x, want %#x", round, sum, want)
		}
	} else if round == len(s[op]) {
		s[op] = append(s[op], sum)
	}
}

// bench measures one implementation.
type bench[H any, C starter[H]] struct {
	sums    sums
	impl    string
	newSet  func() C
	set     C
	handles []H
	before  int // bytes of the heap without timers
}

// fill starts a million timers, unless they are pending.
func (x *bench[H, C]) fill() {
	if x.handles == nil {
		x.handles = make([]H, million)
		x.before = heap()
		x.set = x.newSet()
	}
	if x.set.Len() == 0 {
		for i := range x.handles {
			x.handles[i] = x.set.Start(delayOf(i), uint64(i))
		}
	}
}

// run runs a benchmark of rounds, with a million timers pending before each.
func (x *bench[H, C]) run(b *testing.B, op string, round func(b *testing.B) (sum uint64)) {
	n := 0
	b.Run("op="+op+"/impl="+x.impl, func(b *testing.B) {
		x.fill()
		b.ReportAllocs()
		for b.Loop() {
			if x.set.Len() != million {
				b.StopTimer()
				x.fill()
				b.StartTimer()
			}
			x.sums.check(b, op, n, round(b))
			n++
		}
	})
}

// startStop starts and stops one timer, 1000 times.
func (x *bench[H, C]) startStop(*testing.B) (sum uint64) {
	for i := range 1000 {
		data, _ := x.set.Stop(x.set.Start(delayOf(i), uint64(i)))
		sum += data
	}
	return sum
}

// churn stops each tenth of the million timers and starts as many.
func (x *bench[H, C]) churn(*testing.B) (sum uint64) {
	const stride = 381_970 // comes to each tenth timer, far from the one before
	for n, i := 0, 0; n < million/10; n++ {
		data, _ := x.set.Stop(x.handles[i])
		sum = sum*31 + data
		i = (i + stride) % million
	}
	for i := 0; i < million; i += 10 {
		x.handles[i] = x.set.Start(delayOf(i), uint64(i))
	}
	return sum
}

// collect is one collection of garbage.
func (x *bench[H, C]) collect(b *testing.B) (sum uint64) {
	runtime.GC()
	return uint64(x.set.Len())
}

// leave stops all timers.
func (x *bench[H, C]) leave(*testing.B) (sum uint64) {
	for n, i := 0, 0; n < million; n++ {
		data, _ := x.set.Stop(x.handles[i])
		sum = sum*31 + data
		i = (i + 381_971) % million
	}
	return sum
}

// ticks runs the clock for 64 ticks, and starts each timer that fires again.
func (x *bench[H, C]) ticks(*testing.B) (sum uint64) {
	c := any(x.set).(clock[H])
	restart := func(data uint64) {
		sum += data * data
		x.handles[data] = c.Start(delayOf(int(data)), data)
	}
	for range 64 {
		sum *= 31
		c.Tick(restart)
	}
	return sum
}

func (x *bench[H, C]) measure(b *testing.B) {
	x.run(b, "start-stop-1000", x.startStop)
	x.run(b, "churn-100000", x.churn)
	if _, ok := any(x.set).(clock[H]); ok {
		x.run(b, "tick-64", x.ticks)
	}
	x.run(b, "collect", func(b *testing.B) uint64 {
		sum := x.collect(b)
		b.StopTimer()
		full := heap()
		b.ReportMetric(float64(full-x.before)/million, "B/timer")
		b.StartTimer()
		return sum
	})
	x.run(b, "leave-1000000", func(b *testing.B) uint64 {
		sum := x.leave(b)
		b.StopTimer()
		clear(x.handles)
		empty := heap()
		b.ReportMetric(float64(empty-x.before), "B-left")
		b.StartTimer()
		return sum
	})
}

// BenchmarkTimers measures rounds of work while a million timers are pending. The implementations
// are measured one after another, so that a collection finds the timers of one of them only.
func BenchmarkTimers(b *testing.B) {
	s := sums{}
	(&bench[wheel.Handle[uint64], *wheel.Wheel[uint64]]{sums: s, impl: "berth",
		newSet: func() *wheel.Wheel[uint64] { return new(wheel.Wheel[uint64]) }}).measure(b)
	(&bench[uint64, *mapWheel[uint64]]{sums: s, impl: "map", newSet: newMapWheel[uint64]}).measure(b)
	(&bench[*pointerTimer[uint64], *pointerWheel[uint64]]{sums: s, impl: "pointers",
		newSet: newPointerWheel[uint64]}).measure(b)
	(&bench[runtimeTimer, *runtimeTimers]{sums: s, impl: "AfterFunc",
		newSet: func() *runtimeTimers { return new(runtimeTimers) }}).measure(b)
}

// caller is a set of timers that call functions, for many goroutines. settle waits until those that
// are due have been called.
type caller[H any] interface {
	start(f func()) H      // in a tick, or at once
	startLater(f func()) H // long after the benchmark
	cancel(H) bool
	settle(called *sync.WaitGroup)
}

type wheelCaller struct{ wheel.Timers }

func (c *wheelCaller) start(f func()) wheel.Timer      { return c.Start(1, f) }
func (c *wheelCaller) startLater(f func()) wheel.Timer { return c.Start(1<<40, f) }
func (c *wheelCaller) cancel(h wheel.Timer) bool       { return c.Cancel(h) }
func (c *wheelCaller) settle(called *sync.WaitGroup)   { c.Tick(); called.Wait() }

type runtimeCaller struct{}

func (runtimeCaller) start(f func()) *time.Timer      { return time.AfterFunc(0, f) }
func (runtimeCaller) startLater(f func()) *time.Timer { return time.AfterFunc(time.Hour, f) }
func (runtimeCaller) cancel(t *time.Timer) bool       { return t.Stop() }
func (runtimeCaller) settle(called *sync.WaitGroup)   { called.Wait() }

// goroutines calls f in 8 goroutines and returns the sum of what they return.
func goroutines(f func() uint64) uint64 {
	var all sync.WaitGroup
	var sum atomic.Uint64
	for range 8 {
		all.Go(func() { sum.Add(f()) })
	}
	all.Wait()
	return sum.Load()
}

// BenchmarkCalls measures timers that any goroutine starts and cancels, and that call functions.
// The wheel's clock is driven by hand: one tick in each round.
func BenchmarkCalls(b *testing.B) {
	s := sums{}
	benchCalls(b, s, "berth", new(wheelCaller))
	benchCalls(b, s, "AfterFunc", runtimeCaller{})
}

func benchCalls[H any](b *testing.B, s sums, impl string, c caller[H]) {
	run := func(op string, round func() uint64) {
		b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.check(b, op, 0, round()) // all rounds have the same sum
			}
		})
	}
	nothing := func() {}
	startCancel := func() (sum uint64) {
		for range 1000 {
			if c.cancel(c.startLater(nothing)) {
				sum++
			}
		}
		return sum
	}
	tick := func(sum uint64) uint64 {
		var none sync.WaitGroup
		c.settle(&none)
		return sum
	}
	fire := func() uint64 {
		var called sync.WaitGroup
		var sum atomic.Uint64
		called.Add(1000)
		for i := range uint64(1000) {
			c.start(func() { sum.Add(i * i); called.Done() })
		}
		c.settle(&called)
		return sum.Load()
	}
	run("start-cancel-1000", func() uint64 { return tick(startCancel()) })
	run("start-cancel-1000-in-8-goroutines", func() uint64 { return tick(goroutines(startCancel)) })
	run("start-call-1000", fire)

	before := heap()
	timers := make([]H, million)
	var called atomic.Uint64
	for i := range timers {
		timers[i] = c.startLater(func() { called.Add(uint64(i)) })
	}
	for range 3 { // the last one frees what the burst needed
		tick(0)
	}
	held := heap() - before
	run("start-cancel-1000-beside-a-million", func() uint64 { return tick(startCancel()) })
	run("start-call-1000-beside-a-million", fire)
	b.Run("op=collect-beside-a-million/impl="+impl, func(b *testing.B) {
		for b.Loop() {
			runtime.GC()
		}
		b.ReportMetric(float64(held)/million, "B/timer")
	})
	for i := range timers {
		if !c.cancel(timers[i]) {
			b.Fatalf("timer %d is not pending", i)
		}
	}
	if called.Load() != 0 {
		b.Fatal("a timer of later was called")
	}
}
