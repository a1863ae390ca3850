package concurrent_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
)

var soak = flag.Duration("soak", 0, "how long TestSoak runs")

// session is a value that knows its handle, in several words.
type session struct {
	self [4]uint64
	uses int32 // leases, by the session's own account
	dead bool  // written without a lock: nobody may use a session that is dropped
}

type sessions = concurrent.Pool[session]

// crowd is several goroutines that use one pool by handles that all of them see.
type crowd struct {
	t        *testing.T
	p        *sessions
	dropping bool // every value is dropped: nobody takes or drains
	board    [64]atomic.Uint64
	slots    sync.Map // slots in use, by index, until Drop: C4
	drops    atomic.Int64

	inserted, removed, taken, drained atomic.Int64
}

// drop is the pool's Drop.
func (c *crowd) drop(h berth.Handle[session], s *session) {
	c.drops.Add(1)
	if s.dead || atomic.LoadInt32(&s.uses) != 0 || s.self[0] != h.Uint64() {
		c.t.Errorf("Drop(%v) of %v, dead %v, with %d users", h, s.self, s.dead, atomic.LoadInt32(&s.uses))
	}
	s.dead = true
	c.slots.Delete(uint32(h.Uint64()))
	if h.Uint64()>>32%64 == 1 {
		c.p.Get(h) // no lock is held
		c.insert(&c.board[0])
	}
}

// insert inserts a session and shows its handle.
func (c *crowd) insert(at *atomic.Uint64) {
	h := c.p.InsertFunc(func(h berth.Handle[session], s *session) {
		u := h.Uint64()
		if s.dead || s.self != [4]uint64{} {
			c.t.Errorf("the slot of %v holds %v", h, s.self)
		}
		s.self = [4]uint64{u, u, u, u}
		if other, twice := c.slots.LoadOrStore(uint32(u), u); twice && c.dropping {
			c.t.Errorf("%v has the slot of %x, which is in use", h, other)
		}
	})
	if !h.IsZero() {
		c.inserted.Add(1)
		at.Store(h.Uint64())
	}
}

// use checks that s stays the session of h, and is nobody's but its users': C2.
func (c *crowd) use(h berth.Handle[session], s *session) {
	atomic.AddInt32(&s.uses, 1)
	for range 3 {
		for _, u := range s.self {
			if u != h.Uint64() || s.dead {
				c.t.Errorf("the session of %v is %v, dead %v, under a lease", h, s.self, s.dead)
			}
		}
		runtime.Gosched()
	}
	atomic.AddInt32(&s.uses, -1)
}

// step does something at random.
func (c *crowd) step(r *rand.Rand) {
	at := &c.board[r.IntN(len(c.board))]
	h := berth.HandleFromUint64[session](at.Load())
	switch r.IntN(10) {
	case 0, 1:
		c.insert(at)
	case 2:
		if c.p.Delete(h) {
			c.removed.Add(1)
		}
	case 3, 4:
		c.p.Use(h, func(s *session) { c.use(h, s) })
	case 5:
		if l, ok := c.p.Acquire(h); ok {
			if c.p.Delete(h) {
				c.removed.Add(1)
			}
			c.use(h, l.Value())
			l.Release()
		}
	case 6:
		n := 0
		for h, s := range c.p.All() {
			c.use(h, s)
			if n++; n == 5 {
				break
			}
		}
	case 7:
		if !c.dropping {
			c.take(r, h)
		}
	case 8:
		if !c.dropping && r.IntN(8) == 0 {
			for h, s := range concurrent.Drain(c.p) {
				c.drained.Add(1)
				c.use(h, &s)
				break
			}
		}
	case 9:
		if c.p.Contains(h) && c.p.Len() < 0 || c.p.Stats().Live < 0 {
			c.t.Error("a negative number of values")
		}
	}
}

// take takes a session, with a context that may end first.
func (c *crowd) take(r *rand.Rand, h berth.Handle[session]) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if r.IntN(2) == 0 {
		go cancel()
	}
	s, err := concurrent.Take(ctx, c.p, h)
	switch err {
	case nil:
		c.taken.Add(1)
		c.use(h, &s)
	case context.Canceled, berth.ErrStale:
	default:
		c.t.Errorf("Take(%v): %v", h, err)
	}
}

// run lets goroutines do steps each, and then accounts for every session: C3.
func (c *crowd) run(goroutines, steps int, seed uint64) {
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			for range steps {
				c.step(r)
			}
		}()
	}
	wg.Wait()
	c.p.CheckInvariants()
	ended := c.drops.Load() + c.taken.Load() + c.drained.Load()
	if live := c.inserted.Load() - ended; live != int64(c.p.Len()) {
		c.t.Errorf("%d inserted, %d dropped, %d taken, %d drained, Len() = %d", c.inserted.Load(),
			c.drops.Load(), c.taken.Load(), c.drained.Load(), c.p.Len())
	}
	if c.dropping && c.drops.Load() != c.removed.Load() {
		c.t.Errorf("%d drops of %d removed sessions", c.drops.Load(), c.removed.Load())
	}
	if s := c.p.Stats(); s.Live != c.p.Len() {
		c.t.Errorf("%+v with %d sessions", s, c.p.Len())
	}
}

// C2 to C4, and under the race detector C6: many goroutines use the same few values.
func TestCrowd(t *testing.T) {
	for _, shards := range []int{1, 4} {
		for _, dropping := range []bool{true, false} {
			t.Run(fmt.Sprintf("shards=%d/dropAll=%v", shards, dropping), func(t *testing.T) {
				noLeaks(t)
				rounds := 2
				if long.On {
					rounds = 20
				}
				for seed := range uint64(rounds) {
					playCrowd(t, shards, dropping, seed)
				}
			})
		}
	}
}

// A crowd is crowdSize goroutines, which do crowdSteps steps each.
const crowdSize, crowdSteps = 8, 2500

// playCrowd plays one crowd, and returns the number of values that it inserted.
func playCrowd(t *testing.T, shards int, dropping bool, seed uint64) (values int64) {
	c := &crowd{t: t, dropping: dropping}
	c.p = concurrent.New(concurrent.Config[session]{
		Shards: shards, Limit: 40 * int(seed%2), Drop: c.drop,
	})
	c.run(crowdSize, crowdSteps, seed)
	return c.inserted.Load()
}

// TestSoak is TestCrowd for as long as the flag -soak says. With -v it logs what it did.
func TestSoak(t *testing.T) {
	noLeaks(t)
	goroutines, values, crowds, first := runtime.NumGoroutine(), int64(0), 0, int64(0)
	end := time.Now().Add(*soak)
	for seed := uint64(100); crowds == 0 || time.Now().Before(end); seed++ {
		values += playCrowd(t, 1<<(seed%4), seed%3 > 0, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if crowds++; crowds == 1 {
			first = heapBytes()
		}
	}
	t.Logf("%d crowds, %d steps, %d values; heap %d kB after the first crowd, %d kB after the "+
		"last; %d goroutines before, %d after", crowds, crowds*crowdSize*crowdSteps, values,
		first>>10, heapBytes()>>10, goroutines, runtime.NumGoroutine())
}

// heapBytes returns the bytes of the heap after a collection.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Values are whole as soon as anybody finds them, and copies are, although the values are deleted.
func TestWholeValues(t *testing.T) {
	noLeaks(t)
	p := concurrent.New(concurrent.Config[session]{Shards: 1})
	check := func(s *session) {
		if u := s.self[0]; u == 0 || s.self != [4]uint64{u, u, u, u} {
			t.Errorf("a value is %v", s.self)
		}
	}
	var last atomic.Uint64
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !done.Load() {
				h := berth.HandleFromUint64[session](last.Load())
				p.Use(h, check)
				if s, ok := p.Get(h); ok {
					check(&s)
				}
				for _, s := range p.All() {
					check(s)
				}
			}
		}()
	}
	var hs [4]berth.Handle[session]
	for u := range uint64(4000) {
		p.Delete(hs[u%4])
		s := session{self: [4]uint64{u + 1, u + 1, u + 1, u + 1}}
		if u%8 != 0 {
			hs[u%4] = p.Insert(s)
			last.Store(hs[u%4].Uint64())
		} else {
			hs[u%4] = concurrent.Reserve(p)
			last.Store(hs[u%4].Uint64())
			concurrent.Fill(p, hs[u%4], s)
		}
	}
	done.Store(true)
	wg.Wait()
	p.CheckInvariants()
}

// A value that Clear removes at once after its insert is gone for calls with and without a lock.
func TestClearedAtOnce(t *testing.T) {
	noLeaks(t)
	p := concurrent.New(concurrent.Config[int]{Shards: 1})
	l, _ := p.Acquire(p.Insert(0)) // the block has words, so Contains takes no lock
	var wg sync.WaitGroup
	for range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5000 {
				h := p.Insert(1)
				p.Clear()
				if p.Contains(h) {
					t.Errorf("%v is live after Clear", h)
				}
			}
		}()
	}
	wg.Wait()
	l.Release()
	p.CheckInvariants()
}

// The first inserts into a zero Pool come from several goroutines at once.
func TestZeroPoolCrowd(t *testing.T) {
	noLeaks(t)
	for range 50 {
		var p concurrent.Pool[int]
		var wg sync.WaitGroup
		var hs [8]berth.Handle[int]
		for g := range hs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				hs[g] = p.Insert(g)
			}()
		}
		wg.Wait()
		for g, h := range hs {
			if v, ok := p.Get(h); !ok || v != g {
				t.Fatalf("Get(%v) = %d, %v, want %d", h, v, ok, g)
			}
		}
	}
}

// A value is removed by one of those that try at once, and Limit is kept by all.
func TestOneOfMany(t *testing.T) {
	noLeaks(t)
	const limit = 5
	p := concurrent.New(concurrent.Config[int]{Shards: 4, Limit: limit})
	for range 200 {
		var inserted, removed, most atomic.Int64
		h := p.Insert(0)
		var wg sync.WaitGroup
		for range 6 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if p.Delete(h) {
					removed.Add(1)
				}
				if !p.Insert(1).IsZero() {
					inserted.Add(1)
				}
				if n := int64(p.Len()); n > most.Load() {
					most.Store(n)
				}
			}()
		}
		wg.Wait()
		if removed.Load() != 1 || inserted.Load() != limit || most.Load() > limit {
			t.Fatalf("%d removals of one value, %d inserts at Limit %d, Len up to %d",
				removed.Load(), inserted.Load(), limit, most.Load())
		}
		p.Clear()
	}
}

// C5: memory follows the living after a spike, with leases out meanwhile.
func TestMemoryFollows(t *testing.T) {
	noLeaks(t)
	const goroutines, each = 4, 20_000
	p := concurrent.New(concurrent.Config[[4]uint64]{Shards: 4})
	var wg sync.WaitGroup
	var hs [goroutines][]berth.Handle[[4]uint64]
	every := func(f func(g int)) {
		for g := range goroutines {
			wg.Add(1)
			go func() {
				defer wg.Done()
				f(g)
			}()
		}
		wg.Wait()
	}
	every(func(g int) {
		for i := range each {
			hs[g] = append(hs[g], p.Insert([4]uint64{uint64(i)}))
		}
	})
	peak := p.Stats()
	every(func(g int) {
		for i, h := range hs[(g+1)%goroutines] {
			if i%4000 == 0 {
				continue
			}
			l, ok := p.Acquire(h)
			if !ok || !p.Delete(h) {
				t.Errorf("%v is not there", h)
				return
			}
			if l.Value()[0] != uint64(i) {
				t.Errorf("%v holds %v, want %d", h, l.Value(), i)
			}
			l.Release()
		}
	})
	p.CheckInvariants()
	left := p.Stats()
	if left.Live != goroutines*each/4000 || left.Bytes > peak.Bytes/6 {
		t.Errorf("%+v after a spike of %+v", left, peak)
	}
	for g := range hs {
		for i, h := range hs[g] {
			if v, ok := p.Get(h); ok != (i%4000 == 0) || ok && v[0] != uint64(i) {
				t.Fatalf("Get(%v) = %v, %v, value %d", h, v, ok, i)
			}
		}
	}
}
