package observe_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
)

// long is longer than any test waits.
const long = time.Minute

// quiet fails the test if it leaves a goroutine behind.
func quiet(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		until(t, fmt.Sprintf("%d goroutines are left", before),
			func() bool { return runtime.NumGoroutine() <= before })
	})
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(long); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// within returns a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// panics returns the text with which f panics, or "".
func panics(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func TestRegister(t *testing.T) {
	var r observe.Registry
	var p berth.Pool[int]
	if s := r.Snapshots(context.Background(), true); len(s) != 0 {
		t.Errorf("an empty Registry has %v", s)
	}
	first := r.Register("b", &p, nil)
	r.Register("a", &p, nil)
	for want, f := range map[string]func(){
		`observe: Registry.Register: name must not be registered already (got "b")`: func() {
			r.Register("b", &p, nil)
		},
		`observe: Registry.Register: name must be a text (got "")`:     func() { r.Register("", &p, nil) },
		`observe: Registry.Register: name must be a text (got "\xff")`: func() { r.Register("\xff", &p, nil) },
		`observe: Registry.Register: the container of "c" must not be nil`: func() {
			r.Register("c", nil, nil)
		},
	} {
		if got := panics(f); got != want {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
	names := func() (s string) {
		for _, x := range r.Snapshots(context.Background(), false) {
			s += x.Name
		}
		return s
	}
	if names() != "ab" {
		t.Errorf("names %q, want ab", names())
	}
	first()
	second := r.Register("b", &p, nil)
	first() // does not remove the second
	if names() != "ab" {
		t.Errorf("names %q after two calls of an unregister, want ab", names())
	}
	if second(); names() != "a" {
		t.Errorf("names %q, want a", names())
	}
}

// TestUnregisterFrees checks that a Registry keeps nothing of a container that was unregistered.
func TestUnregisterFrees(t *testing.T) {
	var r observe.Registry
	var freed atomic.Bool
	func() {
		p := new(berth.Pool[int])
		runtime.SetFinalizer(p, func(any) { freed.Store(true) })
		unregister := r.Register("p", p, nil)
		r.Snapshots(context.Background(), true)
		unregister()
	}()
	until(t, "the Pool is freed", func() bool { runtime.GC(); return freed.Load() })
}

func TestSnapshots(t *testing.T) {
	quiet(t)
	var r observe.Registry
	p := berth.NewPool[int](berth.Config{Limit: 500})
	for i := range 100 {
		p.Insert(i)
	}
	var mu sync.Mutex
	r.Register("p", p, func(f func()) { mu.Lock(); defer mu.Unlock(); f() })
	s := r.Snapshots(context.Background(), true)[0]
	if s.Stats != p.Stats() || s.Late || s.Err != nil || s.Name != "p" {
		t.Errorf("%+v, want %+v", s, p.Stats())
	}
	if want := slices.Collect(p.Slots()); !slices.Equal(s.Slots, want) {
		t.Errorf("slots %x, want %x", s.Slots, want)
	}
	if s := r.Snapshots(context.Background(), false)[0]; s.Slots != nil {
		t.Errorf("slots %x that nobody wants", s.Slots)
	}
}

// TestLate checks that a container that is not read in time delays no other, costs one goroutine,
// and is shown once it is read.
func TestLate(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	open, calls := make(chan struct{}), new(atomic.Int32)
	r.Register("busy", &p, func(f func()) { calls.Add(1); <-open; f() })
	r.Register("idle", &p, nil)
	for range 3 {
		ss := r.Snapshots(within(t, 50*time.Millisecond), true)
		if !ss[0].Late || ss[0].Err != nil || ss[1].Late || ss[1].Slots == nil && p.Len() > 0 {
			t.Fatalf("%+v, want busy late", ss)
		}
		ss = r.Snapshots(within(t, 50*time.Millisecond), false)
		if !ss[0].Late || ss[1].Late {
			t.Fatalf("%+v, want busy late", ss)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("do runs %d times at once, want 1", n)
	}
	close(open)
	if ss := r.Snapshots(within(t, long), true); ss[0].Late {
		t.Errorf("%+v after the callback has returned", ss[0])
	}
}

// TestLateUnregistered checks that the goroutine of a late container ends also after unregister.
func TestLateUnregistered(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	open := make(chan struct{})
	unregister := r.Register("p", &p, func(f func()) { <-open; f() })
	r.Snapshots(ended(), true)
	unregister()
	r.Register("p", &p, nil)
	if s := r.Snapshots(within(t, long), false)[0]; s.Late {
		t.Errorf("%+v", s)
	}
	close(open)
}

// TestEventLoop sends callbacks to a goroutine that has a Pool, through a channel. do returns before
// the callback has run.
func TestEventLoop(t *testing.T) {
	quiet(t)
	var r observe.Registry
	work, end := make(chan func(), 1), make(chan struct{})
	go func() {
		defer close(end)
		var p berth.Pool[int]
		for f := range work {
			p.Insert(1)
			f()
		}
	}()
	var p berth.Pool[int] // the goroutine's own is not shared
	r.Register("p", &p, func(f func()) { work <- f })
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if s := r.Snapshots(within(t, long), true)[0]; s.Late || s.Err != nil {
				t.Errorf("%+v", s)
			}
		}()
	}
	wg.Wait()
	close(work)
	<-end
}

// TestQueuedCallback checks that there is one callback in a queue, however many requests wait for its
// result, and that it may run late and twice.
func TestQueuedCallback(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	var mu sync.Mutex
	var queue []func()
	length := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(queue)
	}
	r.Register("p", &p, func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		queue = append(queue, f)
	})
	request := func() (s observe.Snapshot) {
		before := length()
		got := make(chan observe.Snapshot)
		go func() { got <- r.Snapshots(within(t, long), true)[0] }()
		until(t, "do is called", func() bool { return length() > before })
		queue[before]()
		return <-got
	}
	for i := range 12 {
		if s := r.Snapshots(ended(), i%2 != 0)[0]; !s.Late {
			t.Fatalf("%+v, want late", s)
		}
		until(t, "do is called", func() bool { return length() > 0 })
		runtime.GC() // must not take the callback for a dropped one
	}
	if n := length(); n != 1 {
		t.Errorf("%d callbacks in the queue after 12 polls, want 1", n)
	}
	for _, f := range queue {
		f()
		f()
	}
	if s := request(); s.Late || s.Err != nil || length() != 2 {
		t.Errorf("%+v after the queue has run, %d callbacks in all", s, length())
	}
}

// TestDroppedCallback checks that do is called again if it has dropped its callback.
func TestDroppedCallback(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	var lose atomic.Bool
	r.Register("p", &p, func(f func()) {
		if !lose.Load() {
			f()
		}
	})
	for range 3 {
		lose.Store(true)
		if s := r.Snapshots(ended(), true)[0]; !s.Late {
			t.Fatalf("%+v, want late", s)
		}
		lose.Store(false)
		until(t, "a result after a dropped callback", func() bool {
			runtime.GC()
			return !r.Snapshots(within(t, 20*time.Millisecond), true)[0].Late
		})
	}
}

// TestDroppedCallbackWithout checks that a request with slots does not wait for a dropped callback
// without them.
func TestDroppedCallbackWithout(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	open, lose := make(chan struct{}), new(atomic.Bool)
	lose.Store(true)
	r.Register("p", &p, func(f func()) {
		if <-open; !lose.Load() {
			f()
		}
	})
	r.Snapshots(ended(), false)
	close(open)
	r.Snapshots(within(t, 20*time.Millisecond), true)
	lose.Store(false)
	until(t, "a result after a dropped callback", func() bool {
		runtime.GC()
		return !r.Snapshots(within(t, 20*time.Millisecond), true)[0].Late
	})
}

// TestEarlyResult checks that a result is outdated while do goes on, and that do is not called again
// before it returns.
func TestEarlyResult(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var p berth.Pool[int]
	open := make(chan struct{})
	r.Register("p", &p, func(f func()) { f(); <-open })
	if s := r.Snapshots(within(t, long), true)[0]; s.Late {
		t.Errorf("%+v, and the function has run", s)
	}
	p.Insert(1)
	for _, slots := range []bool{false, true} {
		if s := r.Snapshots(within(t, 20*time.Millisecond), slots)[0]; !s.Late {
			t.Errorf("%+v before do has returned, want late", s)
		}
	}
	close(open)
	if s := r.Snapshots(within(t, long), true)[0]; s.Late || s.Stats.Live != 1 {
		t.Errorf("%+v, want one value", s)
	}
}

// TestPanicBeforeResult checks that a callback that do has kept may run after a panic of do.
func TestPanicBeforeResult(t *testing.T) {
	var r observe.Registry
	var p berth.Pool[int]
	var kept func()
	r.Register("p", &p, func(f func()) { kept = f; panic("no") })
	if s := r.Snapshots(within(t, long), true)[0]; s.Err == nil {
		t.Errorf("%+v, want an error", s)
	}
	kept()
}

func TestPanics(t *testing.T) {
	quiet(t)
	secret := errors.New("secret")
	var p berth.Pool[int]
	fails := map[string]func(r *observe.Registry){
		"do":      func(r *observe.Registry) { r.Register("x", &p, func(func()) { panic(secret) }) },
		"do nil":  func(r *observe.Registry) { r.Register("x", &p, func(func()) { panic(any(nil)) }) },
		"do ends": func(r *observe.Registry) { r.Register("x", &p, func(func()) { runtime.Goexit() }) },
		"Stats": func(r *observe.Registry) {
			r.Register("x", observe.StatsFunc(func() berth.Stats { panic(secret) }), nil)
		},
		"Stats ends": func(r *observe.Registry) {
			r.Register("x", observe.StatsFunc(func() berth.Stats { runtime.Goexit(); return berth.Stats{} }), nil)
		},
		"Slots":  func(r *observe.Registry) { r.Register("x", badSlots{}, nil) },
		"a nil*": func(r *observe.Registry) { r.Register("x", (*berth.Pool[int])(nil), nil) },
	}
	for name, register := range fails {
		var r observe.Registry
		register(&r)
		r.Register("y", &p, nil)
		for range 3 {
			ss := r.Snapshots(within(t, long), true)
			if ss[0].Err == nil || ss[0].Late || ss[0].Slots != nil || ss[0].Stats != (berth.Stats{}) {
				t.Errorf("%s: %+v, want an error", name, ss[0])
			}
			if ss[1].Err != nil || ss[1].Late {
				t.Errorf("%s: %+v, want no error", name, ss[1])
			}
		}
	}
	// A panic of do after the function has run is not the container's.
	var r observe.Registry
	r.Register("x", &p, func(f func()) { f(); panic(secret) })
	for range 3 {
		if s := r.Snapshots(within(t, long), true)[0]; s.Err != nil || s.Late {
			t.Errorf("%+v", s)
		}
	}
}

type badSlots struct{}

func (badSlots) Stats() berth.Stats { return berth.Stats{} }

func (badSlots) Slots() iter.Seq[berth.Slots] { panic("no slots") }

// TestOneAtATime makes requests from 100 goroutines at once.
func TestOneAtATime(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var mu sync.Mutex
	var p berth.Pool[int]
	var running, most atomic.Int32
	r.Register("p", &p, func(f func()) {
		if running.Add(1) > 1 {
			most.Store(2)
		}
		mu.Lock()
		defer mu.Unlock()
		f()
		running.Add(-1)
	})
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() { // the owner
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			mu.Lock()
			if h := p.Insert(i); i%3 != 0 {
				p.Delete(h)
			}
			mu.Unlock()
		}
	}()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			last := uint64(0)
			for range 5 {
				s := r.Snapshots(within(t, long), i%2 == 0)[0]
				if s.Late || s.Err != nil || (s.Slots == nil) != (i%2 != 0) && s.Stats.Live > 0 && i%2 == 0 {
					t.Errorf("%+v", s)
				}
				if s.Stats.Inserts != s.Stats.Removes+uint64(s.Stats.Live) || s.Stats.Inserts < last {
					t.Errorf("%+v after %d inserts", s.Stats, last)
				}
				last = s.Stats.Inserts
			}
		}()
	}
	wg.Wait()
	close(stop)
	<-ended
	if most.Load() != 0 {
		t.Error("two calls of do at once")
	}
}

// TestErrNames checks that an error names the container.
func TestErrNames(t *testing.T) {
	var r observe.Registry
	r.Register("lost sheep", observe.StatsFunc(func() berth.Stats { panic("why") }), nil)
	err := r.Snapshots(within(t, long), false)[0].Err
	if err == nil || !strings.Contains(err.Error(), "lost sheep") || !strings.Contains(err.Error(), "why") {
		t.Errorf("%v names neither the container nor the panic", err)
	}
}
