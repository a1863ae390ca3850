// Timers simulates the idle timeouts of a million connections in a hierarchical timing wheel whose
// timers live in a berth.Pool, and in two other wheels that do the same: one of maps and one of
// pointers. Time is simulated, so every run fires the same timers at the same ticks. Then it starts
// and cancels timers in several goroutines, by a real clock.
//
// Run it with
//
//	go run ./examples/timers
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed505807e1/berth/examples/timers/wheel"
)

// starter is a set of timers that carry a number. H refers to one of them.
type starter[H any] interface {
	Start(delay, data uint64) H
	Stop(H) (data uint64, ok bool)
	Len() int
}

// clock is a starter whose time is simulated.
type clock[H any] interface {
	starter[H]
	Tick(fire func(data uint64))
}

var (
	_ clock[wheel.Handle[uint64]]  = (*wheel.Wheel[uint64])(nil)
	_ clock[uint64]                = (*mapWheel[uint64])(nil)
	_ clock[*pointerTimer[uint64]] = (*pointerWheel[uint64])(nil)
	_ starter[runtimeTimer]        = (*runtimeTimers)(nil)
)

const (
	minute  = 60_000 // ticks
	million = 1_000_000
)

// simulate starts a timeout for each of n connections and runs the clock for a minute. At each
// tick, some messages arrive. A message starts the timeout of its connection again.
func simulate[H any](c clock[H], n, messages int) (report string) {
	random := rand.New(rand.NewPCG(1, 2))
	timeouts := make([]H, n)
	for i := range timeouts {
		timeouts[i] = c.Start(1+random.Uint64N(minute), uint64(i))
	}
	var out strings.Builder
	fmt.Fprintln(&out, "second    fired  restarted  too late  pending  checksum")
	var now, fired, restarted, late, sum uint64
	for range minute {
		now++
		c.Tick(func(data uint64) {
			fired++
			sum += (data + 1) * now
		})
		for range messages {
			i := random.IntN(n)
			if _, ok := c.Stop(timeouts[i]); !ok {
				late++ // the timeout has fired, and the connection is closed
				continue
			}
			restarted++
			timeouts[i] = c.Start(minute/2, uint64(i))
		}
		if now%(minute/4) == 0 {
			fmt.Fprintf(&out, "%6d  %7d  %9d  %8d  %7d  %016x\n",
				now/1000, fired, restarted, late, c.Len(), sum)
		}
	}
	return out.String()
}

// heap returns the bytes of the live heap.
func heap() int {
	runtime.GC()
	runtime.GC() // the first one may leave garbage to a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// collection returns the duration of the fastest of five collections, in milliseconds.
func collection() float64 {
	best := time.Hour
	for range 5 {
		start := time.Now()
		runtime.GC()
		best = min(best, time.Since(start))
	}
	return best.Seconds() * 1000
}

// delayOf returns a delay of up to a minute. Successive timers are not due one after another.
func delayOf(i int) uint64 { return 1 + uint64(i)*7919%minute }

// weigh measures the memory of a million timers.
func weigh[H any](out io.Writer, name string, newSet func() starter[H]) {
	handles := make([]H, million)
	before := heap()
	c := newSet()
	for i := range handles {
		handles[i] = c.Start(delayOf(i), uint64(i))
	}
	full, took := heap(), collection()
	for _, h := range handles {
		c.Stop(h)
	}
	clear(handles)
	empty := heap()
	fmt.Fprintf(out, "%-15s  %13.1f  %14.1f ms  %17.1f kB\n", name,
		float64(full-before)/million, took, float64(empty-before)/1000)
	runtime.KeepAlive(c)
	runtime.KeepAlive(handles)
}

// callAll starts timers in 8 goroutines and cancels half of them, in other goroutines, while the
// clock runs. Some functions that are called take until the end.
func callAll(out io.Writer) {
	const each = 10_000
	var timers wheel.Timers
	var called, cancelled, slow atomic.Int64
	var starting, cancelling sync.WaitGroup
	end := make(chan struct{})
	started := make(chan wheel.Timer, each)
	for g := range 8 {
		starting.Go(func() {
			for i := range each {
				t := timers.Start(uint64(i%50), func() {
					called.Add(1)
					if g == 0 && i%1000 == 1 {
						slow.Add(1)
						<-end
					}
				})
				if i%2 == 0 {
					started <- t
				}
			}
		})
		cancelling.Go(func() {
			for t := range started {
				if timers.Cancel(t) {
					cancelled.Add(1)
				}
			}
		})
	}
	ctx, stop := context.WithCancel(context.Background())
	clock := make(chan struct{})
	go func() { defer close(clock); timers.Run(ctx, time.Millisecond) }()
	starting.Wait()
	close(started)
	cancelling.Wait()
	for timers.Len() > 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-clock
	close(end)
	timers.Close() // waits for the slow ones
	fmt.Fprintf(out, "in 8 goroutines: %d timers, each called once or cancelled once: %v\n",
		8*each, called.Load()+cancelled.Load() == 8*each)
	fmt.Fprintf(out, "%d functions were slow, and held up nothing\n", slow.Load())
}

func run(out io.Writer) {
	fmt.Fprintln(out, "a million connections, idle timeouts of up to a minute, ticks of 1 ms")
	report := simulate(new(wheel.Wheel[uint64]), million, 10)
	fmt.Fprint(out, report)
	fmt.Fprintln(out, "the wheel of maps reports the same:",
		simulate(newMapWheel[uint64](), million, 10) == report)
	fmt.Fprintln(out, "the wheel of pointers reports the same:",
		simulate(newPointerWheel[uint64](), million, 10) == report)

	var w wheel.Wheel[string]
	first := w.Start(1, "first")
	w.Tick(func(data string) { fmt.Fprintln(out, data, "fires") })
	second := w.Start(1, "second")
	_, stopped := w.Stop(first)
	fmt.Fprintln(out, "second has its slot:", uint32(first.Uint64()) == uint32(second.Uint64()))
	fmt.Fprintln(out, "stopping first again:", stopped)
	_, stopped = w.Stop(second)
	fmt.Fprintln(out, "stopping second:", stopped)

	callAll(out)
	fmt.Fprintln(out, "a million       bytes a timer  one collection  held after all left")
	weigh(out, "berth", func() starter[wheel.Handle[uint64]] { return new(wheel.Wheel[uint64]) })
	weigh(out, "maps", func() starter[uint64] { return newMapWheel[uint64]() })
	weigh(out, "pointers", func() starter[*pointerTimer[uint64]] {
		return newPointerWheel[uint64]()
	})
	weigh(out, "time.AfterFunc", func() starter[runtimeTimer] { return new(runtimeTimers) })
}

func main() { run(os.Stdout) }
