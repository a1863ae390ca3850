package observe

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/seed505807e1/berth"
)

// Container is what a Registry shows. [berth.Pool], [berth.Dense], concurrent.Pool and
// concurrent.Members are Containers, and [List] makes one of a stable.ListOf.
//
// If it also has a method Slots, as [berth.Pool.Slots], there is a picture of it.
type Container interface {
	Stats() berth.Stats
}

// slotter is a Container of which there is a picture.
type slotter interface {
	Slots() iter.Seq[berth.Slots]
}

// StatsFunc is a function that serves as a [Container], for what has other counts.
type StatsFunc func() berth.Stats

// Stats calls f.
//
// Cost: that of f.
func (f StatsFunc) Stats() berth.Stats { return f() }

// Registry holds the containers to show. The zero Registry is empty and ready to use. Its methods
// may be called by any number of goroutines at once. A Registry must not be copied.
type Registry struct {
	mu      sync.Mutex
	entries map[string]*entry
}

// Default is the Registry of the program.
var Default Registry

// Register shows c under name until unregister is called, and keeps c alive until then. do calls f
// while holding the lock of c, or in the goroutine that uses c. It may return before f has been
// called. A nil do means that c may be read at any time, as a concurrent.Pool.
//
// Register panics if name is empty, is not UTF-8 or is registered already, or if c is nil. A second
// call of unregister does nothing.
//
// Cost: O(1).
func (r *Registry) Register(name string, c Container, do func(f func())) (unregister func()) {
	const fn = "observe: Registry.Register: "
	switch {
	case name == "" || !utf8.ValidString(name):
		panic(fn + "name must be a text (got " + strconv.Quote(name) + ")")
	case c == nil:
		panic(fn + "the container of " + strconv.Quote(name) + " must not be nil")
	}
	if do == nil {
		do = func(f func()) { f() }
	}
	e := &entry{name: name, c: c, do: do}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries[name] != nil {
		panic(fn + "name must not be registered already (got " + strconv.Quote(name) + ")")
	}
	if r.entries == nil {
		r.entries = make(map[string]*entry)
	}
	r.entries[name] = e
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.entries[name] == e {
			delete(r.entries, name)
		}
	}
}

// Snapshot is the state of a container at one moment.
type Snapshot struct {
	Name  string
	Stats berth.Stats
	Slots []berth.Slots // nil unless asked for, or if the container has none
	Late  bool          // it was not read in time: Stats and Slots are not set
	Err   error         // do, or Stats or Slots of the container, has panicked; likewise
}

// Snapshots returns the states of all containers, in the order of their names. It calls do of all
// containers at once, and waits until they have been read or ctx ends. The others are late. With
// slots, the snapshots have the slots of the containers.
//
// Calls at the same time share the results. So each container's do runs once at a time.
//
// Cost: a goroutine for each container, until it has been read. Under do, Stats and, with slots, a
// copy of 24 bytes for each 64 slots; O(samples) if there is a [Profile] of the container.
func (r *Registry) Snapshots(ctx context.Context, slots bool) []Snapshot {
	r.mu.Lock()
	es := make([]*entry, 0, len(r.entries))
	for _, e := range r.entries {
		es = append(es, e)
	}
	r.mu.Unlock()
	slices.SortFunc(es, func(a, b *entry) int { return cmp.Compare(a.name, b.name) })
	cs := make([]*call, len(es))
	for i, e := range es {
		cs[i] = e.call(slots)
	}
	ss := make([]Snapshot, len(es))
	for i, e := range es {
		ss[i] = e.await(ctx, cs[i], slots)
	}
	return ss
}

// snapshot returns the state of one container. It reports false if there is none of that name.
func (r *Registry) snapshot(ctx context.Context, name string) (s Snapshot, ok bool) {
	r.mu.Lock()
	e := r.entries[name]
	r.mu.Unlock()
	if e == nil {
		return s, false
	}
	return e.await(ctx, e.call(true), true), true
}

// entry is a registered container.
type entry struct {
	name string
	c    Container
	do   func(func())

	mu  sync.Mutex
	now *call // the last one, until do has returned and there is a result
}

// call is a call of do, with read as its callback.
type call struct {
	slots bool
	done  chan struct{} // closed once s is set
	ended chan struct{} // closed once now is another call

	s        Snapshot // the result
	begun    bool     // read has been called, or never will be; guarded by entry.mu, like the rest
	returned bool     // do has returned
	over     bool     // there is a result
}

// call returns the call in progress if its result suffices, or starts one. It returns nil if do can
// only be called later.
func (e *entry) call(slots bool) *call {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.now; c != nil {
		if c.over || slots && !c.slots {
			return nil
		}
		return c
	}
	c := &call{slots: slots, done: make(chan struct{}), ended: make(chan struct{})}
	e.now = c
	go e.run(c)
	return c
}

// run calls do.
func (e *entry) run(c *call) {
	done := false
	held := &struct{ *call }{c} // by this goroutine, and by the callback
	runtime.AddCleanup(held, e.drop, c)
	defer func() {
		v := recover()
		e.mu.Lock()
		defer e.mu.Unlock()
		c.returned = true
		runtime.KeepAlive(held)
		if !done && !c.begun {
			c.begun = true
			if v == nil {
				v = "Goexit"
			}
			err := fmt.Errorf("observe: %s: do panicked: %v", e.name, v)
			e.set(c, Snapshot{Name: e.name, Err: err})
		}
		if c.over {
			e.end(c)
		}
	}()
	e.do(func() {
		e.read(held.call)
		runtime.KeepAlive(held)
	})
	done = true
}

// drop is called once do has returned and the callback is unreachable. If it was never called, do
// may be called again.
func (e *entry) drop(c *call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !c.begun {
		c.begun = true
		e.set(c, Snapshot{Name: e.name, Late: true})
		e.end(c)
	}
}

// read reads the container. It never panics, since it may run in a goroutine of the program.
func (e *entry) read(c *call) {
	e.mu.Lock()
	again := c.begun
	c.begun = true
	e.mu.Unlock()
	if again {
		return
	}
	s, done := Snapshot{Name: e.name}, false
	defer func() {
		v := recover()
		if !done {
			err := fmt.Errorf("observe: %s: %T panicked: %v", e.name, e.c, v)
			s = Snapshot{Name: e.name, Err: err}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.set(c, s)
		if c.returned {
			e.end(c)
		}
	}()
	s.Stats = e.c.Stats()
	sweepOf(e.c)
	if x, ok := e.c.(slotter); ok && c.slots {
		s.Slots = make([]berth.Slots, 0, max(1, (s.Stats.Live+s.Stats.Vacant+63)/64))
		for w := range x.Slots() {
			s.Slots = append(s.Slots, w)
		}
	}
	done = true
}

// set makes s the result of c.
func (e *entry) set(c *call, s Snapshot) {
	c.s, c.over = s, true
	close(c.done)
}

// end makes room for the next call.
func (e *entry) end(c *call) {
	e.now = nil
	close(c.ended)
}

// await waits for the result of c, or if c is nil, of a call that it starts when it can.
func (e *entry) await(ctx context.Context, c *call, slots bool) Snapshot {
	for c == nil {
		e.mu.Lock()
		before := e.now
		e.mu.Unlock()
		if before != nil {
			select {
			case <-before.ended:
			case <-ctx.Done():
				return Snapshot{Name: e.name, Late: true}
			}
		}
		c = e.call(slots)
	}
	select {
	case <-c.done:
		return c.s
	default:
	}
	select {
	case <-c.done:
		return c.s
	case <-ctx.Done():
		return Snapshot{Name: e.name, Late: true}
	}
}
