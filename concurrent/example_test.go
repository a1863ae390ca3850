package concurrent_test

import (
	"context"
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

func ExampleNew() {
	p := concurrent.New(concurrent.Config[string]{Limit: 2, Seed: 1, Shards: 4})
	p.Insert("a")
	p.Insert("b")
	fmt.Println(p.Insert("c"))
	// Output: none
}

func ExamplePool_Insert() {
	var p concurrent.Pool[string]
	h := p.Insert("a")
	fmt.Println(p.Get(h))
	// Output: a true
}

func ExamplePool_TryInsert() {
	p := concurrent.New(concurrent.Config[string]{Limit: 1})
	p.Insert("a")
	_, err := p.TryInsert("b")
	fmt.Println(err)
	// Output: berth: full
}

func ExamplePool_InsertFunc() {
	type node struct{ self berth.Handle[node] }
	var p concurrent.Pool[node]
	h := p.InsertFunc(func(h berth.Handle[node], v *node) { v.self = h })
	v, _ := p.Get(h)
	fmt.Println(v.self == h)
	// Output: true
}

func ExamplePool_Get() {
	var p concurrent.Pool[string]
	h := p.Insert("a")
	p.Delete(h)
	v, ok := p.Get(h)
	fmt.Printf("%q %v\n", v, ok)
	// Output: "" false
}

func ExamplePool_Contains() {
	var p concurrent.Pool[string]
	h := p.Insert("a")
	fmt.Println(p.Contains(h), p.Contains(berth.Handle[string]{}))
	// Output: true false
}

func ExamplePool_Use() {
	var p concurrent.Pool[Stream]
	h := p.Insert(Stream{Name: "a"})
	fmt.Println(p.Use(h, func(s *Stream) { s.Send(1) }))
	p.Delete(h)
	fmt.Println(p.Use(h, func(s *Stream) { s.Send(1) }))
	// Output:
	// true
	// false
}

func ExamplePool_Acquire() {
	p := concurrent.New(concurrent.Config[string]{
		Drop: func(_ berth.Handle[string], v *string) { fmt.Println("dropped", *v) },
	})
	h := p.Insert("a")
	lease, ok := p.Acquire(h)
	if !ok {
		return
	}
	p.Delete(h)
	fmt.Println("removed", *lease.Value())
	lease.Release()
	// Output:
	// removed a
	// dropped a
}

func ExampleLease_Value() {
	var p concurrent.Pool[int]
	lease, _ := p.Acquire(p.Insert(1))
	*lease.Value()++ // nobody else writes to it
	fmt.Println(*lease.Value())
	lease.Release()
	// Output: 2
}

func ExampleLease_Handle() {
	var p concurrent.Pool[int]
	h := p.Insert(1)
	lease, _ := p.Acquire(h)
	defer lease.Release()
	fmt.Println(lease.Handle() == h)
	// Output: true
}

func ExampleLease_Release() {
	var p concurrent.Pool[int]
	h := p.Insert(1)
	lease, _ := p.Acquire(h)
	p.Delete(h)
	fmt.Println(p.Stats().Vacant) // the value keeps its slot
	lease.Release()
	fmt.Println(p.Stats().Vacant)
	// Output:
	// 63
	// 64
}

func ExamplePool_Delete() {
	var p concurrent.Pool[string]
	h := p.Insert("a")
	fmt.Println(p.Delete(h), p.Delete(h))
	// Output: true false
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
	for _, v := range p.All() {
		fmt.Println(*v)
	}
	// Output:
	// 1
	// 3
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

func ExamplePool_Clear() {
	var p concurrent.Pool[int]
	h := p.Insert(1)
	p.Clear()
	fmt.Println(p.Len(), p.Contains(h))
	// Output: 0 false
}

func ExamplePool_Len() {
	var p concurrent.Pool[int]
	p.Insert(1)
	fmt.Println(p.Len())
	// Output: 1
}

func ExamplePool_Slots() {
	p := concurrent.New(concurrent.Config[int]{Shards: 1})
	p.Insert(1)
	p.Delete(p.Insert(2))
	for s := range p.Slots() {
		fmt.Printf("%b %x\n", s.Live, s.Vacant)
	}
	// Output: 1 fffffffffffffffe
}

func ExamplePool_Stats() {
	p := concurrent.New(concurrent.Config[int]{Shards: 1})
	p.Insert(1)
	s := p.Stats()
	fmt.Println(s.Live, s.Vacant, s.Chunks)
	// Output: 1 63 1
}

func ExamplePool_String() {
	p := concurrent.New(concurrent.Config[int]{Shards: 4})
	p.Insert(1)
	fmt.Println(p)
	// Output: concurrent.Pool[int](1 in 4 shards)
}
