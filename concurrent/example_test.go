package concurrent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// Stream is the state of a request that several goroutines use.
type Stream struct {
	Name string

	mu   sync.Mutex // leases do not lock
	sent int
}

// Send may be called by several goroutines.
func (s *Stream) Send(n int) {
	s.mu.Lock()
	s.sent += n
	s.mu.Unlock()
}

func Example() {
	p := concurrent.New(concurrent.Config[Stream]{
		Drop: func(_ berth.Handle[Stream], s *Stream) { fmt.Println("closed", s.Name) },
	})
	h := p.InsertFunc(func(_ berth.Handle[Stream], s *Stream) { s.Name = "a" })

	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.Use(h, func(s *Stream) { s.Send(10) })
		}()
	}
	wg.Wait()

	p.Use(h, func(s *Stream) {
		p.Delete(h) // nobody finds it from here on
		fmt.Println(p.Contains(h), s.Name, s.sent)
	})
	// Output:
	// false a 40
	// closed a
}

// A full pool refuses a value. A handle of a removed value finds nothing.
func ExampleNew() {
	p := concurrent.New(concurrent.Config[string]{Limit: 2, Seed: 1, Shards: 4})
	h := p.Insert("a")
	p.Insert("b")
	fmt.Println(p.Insert("c"))
	_, err := p.TryInsert("c")
	fmt.Println(err)

	fmt.Println(p.Get(h))
	fmt.Println(p.Delete(h), p.Delete(h))
	fmt.Println(p.Use(h, func(*string) {}), p.Len(), p)
	fmt.Println(p.Remove(p.Insert("d")))
	p.Clear()
	fmt.Println(p.Len())
	// Output:
	// none
	// berth: full
	// a true
	// true false
	// false 1 concurrent.Pool[string](1 in 4 shards)
	// d true
	// 0
}

// A lease keeps a value and its slot until it is released, also when the value is removed
// meanwhile. Then its release drops the value.
func ExampleLease() {
	p := concurrent.New(concurrent.Config[string]{
		Shards: 1,
		Drop:   func(_ berth.Handle[string], v *string) { fmt.Println("dropped", *v) },
	})
	h := p.Insert("a")
	lease, ok := p.Acquire(h)
	if !ok {
		return
	}
	*lease.Value() += "!" // nobody else writes to it
	p.Delete(lease.Handle())
	fmt.Println("removed", *lease.Value(), p.Contains(h))
	fmt.Println(p.Stats().Live, p.Stats().Vacant)
	lease.Release()
	fmt.Println(p.Stats().Live, p.Stats().Vacant)
	// Output:
	// removed a! false
	// 0 63
	// dropped a!
	// 0 64
}

// A connection that fails leaves nothing behind.
func ExampleInsertErr() {
	var p concurrent.Pool[string]
	for _, address := range []string{"", "10.0.0.1"} {
		h, err := concurrent.InsertErr(&p, func(_ berth.Handle[string], v *string) error {
			if *v = address; address == "" {
				return errors.New("no address")
			}
			return nil
		})
		fmt.Println(h.IsZero(), err, p.Len())
	}
	// Output:
	// true no address 0
	// false <nil> 1
}

func ExampleTake() {
	p := concurrent.New(concurrent.Config[string]{
		Drop: func(_ berth.Handle[string], v *string) { fmt.Println("dropped", *v) },
	})
	h, g := p.Insert("a"), p.Insert("b")
	fmt.Println(concurrent.Take(context.Background(), p, h)) // the caller owns it

	lease, _ := p.Acquire(g)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := concurrent.Take(ctx, p, g)
	fmt.Println(err, p.Contains(g))
	lease.Release()
	// Output:
	// a <nil>
	// context deadline exceeded false
	// dropped b
}

// The body of a loop may remove values. The bits of Slots show what is left.
func ExamplePool_All() {
	p := concurrent.New(concurrent.Config[int]{Shards: 1})
	for i := range 4 {
		p.Insert(i)
	}
	for h, v := range p.All() {
		if *v%2 == 0 {
			p.Delete(h)
		}
	}
	for s := range p.Slots() {
		fmt.Printf("%b %x\n", s.Live, s.Vacant)
	}
	// Output: 1010 fffffffffffffff5
}

func ExampleDrain() {
	p := concurrent.New(concurrent.Config[string]{Shards: 1})
	p.Insert("a")
	h := p.Insert("b")
	lease, _ := p.Acquire(h)
	for _, v := range concurrent.Drain(p) {
		fmt.Println(v)
	}
	fmt.Println(p.Len(), *lease.Value()) // removed, but in use
	lease.Release()
	// Output:
	// a
	// 0 b
}

func ExampleReserve() {
	var p concurrent.Pool[string]
	h := concurrent.Reserve(&p)
	fmt.Println(p.Contains(h), p.Len())
	concurrent.Fill(&p, h, "a")
	fmt.Println(p.Contains(h), p.Len())
	// Output:
	// false 0
	// true 1
}

func ExampleCancel() {
	var p concurrent.Pool[string]
	h := concurrent.Reserve(&p)
	fmt.Println(concurrent.Cancel(&p, h), concurrent.Fill(&p, h, "a"))
	// Output: true false
}

// A task is started with its own handle, which finds nothing until the task is known.
func ExampleFill() {
	type task struct{ self string }
	var tasks concurrent.Pool[task]
	start := func(name string, self berth.Handle[task]) (task, error) {
		if name == "" {
			return task{}, errors.New("no name")
		}
		return task{name + " " + fmt.Sprint(tasks.Contains(self))}, nil
	}
	for _, name := range []string{"ada", ""} {
		h := concurrent.Reserve(&tasks)
		t, err := start(name, h)
		if err != nil {
			fmt.Println(err, concurrent.Cancel(&tasks, h))
			continue
		}
		concurrent.Fill(&tasks, h, t)
		v, ok := tasks.Get(h)
		fmt.Println(v.self, ok)
	}
	// Output:
	// ada false true
	// no name true
}
