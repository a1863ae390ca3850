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

// Container is what a Registry shows. [berth.Pool], [berth.Dense] and concurrent.Pool are
// Containers, and [List] makes one of a stable.ListOf.
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

// Register shows c under name until unregister is called, and keeps c alive until then. do runs a
// function where c may be read: under its lock, or in the goroutine that owns it. It may return
// before the function has run. A nil do means that c may be read at any time, as a concurrent.Pool.
//
// Register panics if name is empty, is not UTF-8 or is registered already, or if c is nil. A second
// call of unregister does nothing.
// Cost: O(1).
func (r *Registry) Register(name string, c Container, do func(func())) (unregister func()) {
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
	Late  bool          // the owner has not answered in time: Stats and Slots are not set
	Err   error         // do, or Stats or Slots of the container, has panicked; likewise
}

// Snapshots returns the states of all containers, in the order of their names. It asks all owners
// at once, and waits until they have answered or ctx ends. Those that have not answered are late.
// With slots, the snapshots have the slots of the containers.
//
// Calls at the same time share the answers. So each container's do runs once at a time.
// Cost: a goroutine for each container, until it answers. Under do, Stats and, with slots, a copy
// of 24 bytes for each 64 slots; O(samples) if there is a [Profile] of the container.
func (r *Registry) Snapshots(ctx context.Context, slots bool) []Snapshot {
	r.mu.Lock()
	es := make([]*entry, 0, len(r.entries))
	for _, e := range r.entries {
		es = append(es, e)
	}
	r.mu.Unlock()
	slices.SortFunc(es, func(a, b *entry) int { return cmp.Compare(a.name, b.name) })
	qs := make([]*question, len(es))
	for i, e := range es {
		qs[i] = e.ask(slots)
	}
	ss := make([]Snapshot, len(es))
	for i, e := range es {
		ss[i] = e.await(ctx, qs[i], slots)
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
	return e.await(ctx, e.ask(true), true), true
}

// entry is a registered container.
type entry struct {
	name string
	c    Container
	do   func(func())

	mu  sync.Mutex
	now *question // the last one, until do has returned and the answer has come
}

// question is a call of do. Its owner runs answer.
type question struct {
	slots    bool
	answered chan struct{} // closed once s is set
	ended    chan struct{} // closed once now is another question

	s        Snapshot
	begun    bool // answer has been called, or never will be; guarded by entry.mu, like the rest
	returned bool // do has returned
	over     bool // there is an answer
}

// ask returns the question under way if there is one whose answer will do, or else a new one. It
// returns nil if it can only ask later.
func (e *entry) ask(slots bool) *question {
	e.mu.Lock()
	defer e.mu.Unlock()
	if q := e.now; q != nil {
		if q.over || slots && !q.slots {
			return nil
		}
		return q
	}
	q := &question{slots: slots, answered: make(chan struct{}), ended: make(chan struct{})}
	e.now = q
	go e.run(q)
	return q
}

// run calls do.
func (e *entry) run(q *question) {
	done := false
	held := &struct{ *question }{q} // by this call, and by the owner
	runtime.AddCleanup(held, e.lose, q)
	defer func() {
		v := recover()
		e.mu.Lock()
		defer e.mu.Unlock()
		q.returned = true
		runtime.KeepAlive(held)
		if !done && !q.begun {
			q.begun = true
			if v == nil {
				v = "Goexit"
			}
			err := fmt.Errorf("observe: %s: do panicked: %v", e.name, v)
			e.set(q, Snapshot{Name: e.name, Err: err})
		}
		if q.over {
			e.end(q)
		}
	}()
	e.do(func() {
		e.answer(held.question)
		runtime.KeepAlive(held)
	})
	done = true
}

// lose is called once do has returned and the owner has let go of its function. If that has not
// run, the owner has lost the question, and can be asked another one.
func (e *entry) lose(q *question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !q.begun {
		q.begun = true
		e.set(q, Snapshot{Name: e.name, Late: true})
		e.end(q)
	}
}

// answer reads the container. It never panics: it runs in the goroutine of the owner.
func (e *entry) answer(q *question) {
	e.mu.Lock()
	again := q.begun
	q.begun = true
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
		e.set(q, s)
		if q.returned {
			e.end(q)
		}
	}()
	s.Stats = e.c.Stats()
	sweepOf(e.c)
	if x, ok := e.c.(slotter); ok && q.slots {
		s.Slots = make([]berth.Slots, 0, max(1, (s.Stats.Live+s.Stats.Vacant+63)/64))
		for w := range x.Slots() {
			s.Slots = append(s.Slots, w)
		}
	}
	done = true
}

// set makes s the answer to q.
func (e *entry) set(q *question, s Snapshot) {
	q.s, q.over = s, true
	close(q.answered)
}

// end makes room for the next question.
func (e *entry) end(q *question) {
	e.now = nil
	close(q.ended)
}

// await waits for the answer to q, or if q is nil, to a question that it asks when it can.
func (e *entry) await(ctx context.Context, q *question, slots bool) Snapshot {
	for q == nil {
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
		q = e.ask(slots)
	}
	select {
	case <-q.answered:
		return q.s
	default:
	}
	select {
	case <-q.answered:
		return q.s
	case <-ctx.Done():
		return Snapshot{Name: e.name, Late: true}
	}
}
