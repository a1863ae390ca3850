package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed505807e1/berth"
)

// load is how many clients do what against a hub. In each wave all clients connect. When all are
// there, the heap is measured, and then each goes at a time of its own. One in ten stays to the
// last wave. From coming to going they talk: to ids that were given lately, of which some are gone,
// and to the room.
type load struct {
	clients int
	waves   int
	lasts   time.Duration // about; longer if the machine is too slow
	rooms   int           // messages to the room in a wave, of all clients together
}

const (
	talks       = 4      // messages of a client in a wave
	kicks       = 50     // one client of so many is kicked before it goes
	stays       = 10     // one client of so many stays on
	mostClients = 25_000 // the loopback has some 28 000 ports for them
	dialsAtOnce = 64
	forRoom     = "for everybody"
)

// newLoad returns a load of n clients. Of thousands, few talk to the room, since each message to it
// is thousands.
func newLoad(n int, lasts time.Duration) load {
	const wave = 2500 * time.Millisecond
	return load{
		clients: n,
		waves:   max(3, int(lasts/wave)),
		lasts:   lasts,
		rooms:   max(1, min(n/5, 50_000/max(n, 1))),
	}
}

func forOne(id string) string { return "for " + id }

// crowd is a load that is under way.
type crowd struct {
	load
	server *server
	dials  chan struct{} // holds as many as are dialing
	book   book

	received, misdirected atomic.Int64

	peakHeap uint64
	seen     chan struct{} // closed when the heap of this wave has been measured
}

// outcome is what the hub says of a load, and what has lived on the heap, of hub and clients
// together: before them, when all were there, and after them.
type outcome struct {
	Report
	heapBefore, heapPeak, heapAfter uint64
}

// heap returns the bytes that live on Go's heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first leaves to sync.Pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// settledHeap returns the bytes that live on Go's heap when collections have nothing more to free.
// A finalizer may keep an object for one more of them.
func settledHeap(ctx context.Context) uint64 {
	const rounds = 3 // that free nothing
	least := heap()
	for n := 0; n < rounds && ctx.Err() == nil; n++ {
		if h := heap(); h < least-least/1000 {
			least, n = h, 0
		}
	}
	return least
}

// filesFor returns an error if the system does not allow as many files as n clients need.
func filesFor(n int) error {
	const others = 64
	if need, most := uint64(2*n+others), fileLimit(); need > most {
		return fmt.Errorf("%d clients need %d open files, two for each connection, and this "+
			"process may have %d: raise the limit (ulimit -n %d), or take %d clients",
			n, need, most, need, max(0, int(most)-others)/2)
	}
	return nil
}

// runLoad runs l against a hub of its own, and says what happened.
func runLoad(ctx context.Context, c Config, l load, out io.Writer) (o outcome, err error) {
	if err := filesFor(l.clients); err != nil {
		return o, err
	}
	o.heapBefore = settledHeap(ctx)
	s, err := serve("127.0.0.1:0", NewHub(c))
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	idle := runtime.NumGoroutine()
	w := &crowd{load: l, server: s, dials: make(chan struct{}, dialsAtOnce)}
	w.book.ids = make([]string, 0, l.clients)
	if err := w.run(ctx); err != nil {
		return o, err
	}
	err = await(ctx, func() bool { o.Report = s.hub.Report(); return o.Sessions == 0 })
	if err != nil {
		return o, fmt.Errorf("%d sessions are left: %w", o.Sessions, err)
	}
	// A session is out of the pool before its connection has been closed.
	if err = await(ctx, func() bool { return runtime.NumGoroutine() <= idle }); err != nil {
		return o, fmt.Errorf("%d goroutines are left: %w", runtime.NumGoroutine()-idle, err)
	}
	o.heapPeak, o.heapAfter = w.peakHeap, settledHeap(ctx)
	w.print(out, o)
	if n := w.misdirected.Load(); n != 0 {
		return o, fmt.Errorf("%d messages came to somebody else", n)
	}
	return o, nil
}

func (w *crowd) print(out io.Writer, o outcome) {
	fmt.Fprintf(out, "%d clients in %d waves: %d sessions, %d at peak; %d kicked, %d too slow\n",
		w.clients, w.waves, o.Joined, o.Peak, o.Kicked, o.Slow)
	fmt.Fprintf(out, "to one id: %d messages, and %d undeliverable\n", o.Direct, o.Undeliverable)
	fmt.Fprintf(out, "to the room: %d messages, to %d sessions\n", o.Room, o.Delivered)
	fmt.Fprintf(out, "read: %d of these %d, since clients leave; meant for another id: %d\n",
		w.received.Load(), o.Direct+o.Delivered, w.misdirected.Load())
	slots := func(s berth.Stats) int { return s.Live + s.Vacant }
	fmt.Fprintf(out, "the pool: %d slots, %d bytes at peak; %d slots, %d bytes after\n",
		slots(o.PeakMemory), o.PeakMemory.Bytes, slots(o.Memory), o.Memory.Bytes)
	const mb = 1 << 20
	fmt.Fprintf(out, "the heap: %d MiB at peak, clients included; %.1f before, %.1f after\n",
		o.heapPeak/mb, float64(o.heapBefore)/mb, float64(o.heapAfter)/mb)
}

// run has the waves come and go.
func (w *crowd) run(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	users := make([]*user, w.clients)
	for i := range users {
		users[i] = &user{crowd: w, stays: i%stays == 0, random: rand.New(rand.NewPCG(1, uint64(i)))}
	}
	var readers sync.WaitGroup
	for wave := range w.waves {
		var coming, going sync.WaitGroup
		coming.Add(len(users))
		w.seen = make(chan struct{})
		for _, u := range users {
			u.readers, u.last = &readers, wave == w.waves-1
			going.Go(func() {
				err := u.come(ctx)
				coming.Done()
				<-w.seen
				if err = errors.Join(err, u.goAway(ctx)); err != nil {
					fail(err)
				}
			})
		}
		coming.Wait()
		w.peakHeap = max(w.peakHeap, heap())
		close(w.seen)
		going.Wait()
	}
	readers.Wait()
	return context.Cause(ctx)
}

// user is a person with a client, again and again.
type user struct {
	*crowd
	random *rand.Rand
	stays  bool
	last   bool // this wave is

	client  *client
	answers chan message // closed when the client reads no more
	readers *sync.WaitGroup
}

// come connects, unless the user has stayed, and talks.
func (u *user) come(ctx context.Context) error {
	if u.client == nil {
		u.rest(ctx, u.lasts/time.Duration(2*u.waves))
		if err := u.connect(ctx); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
	}
	return u.talk(ctx, talks/2)
}

// goAway talks, and goes.
func (u *user) goAway(ctx context.Context) error {
	if u.client == nil {
		return nil // talk has ended it
	}
	err := u.talk(ctx, talks-talks/2)
	if err != nil || u.client == nil || u.stays && !u.last {
		return err
	}
	if u.random.IntN(kicks) == 0 {
		u.server.hub.Kick(parseID(u.client.id), "kicked")
	}
	u.leave()
	return nil
}

func (u *user) connect(ctx context.Context) (err error) {
	u.dials <- struct{}{}
	defer func() { <-u.dials }()
	if u.client, err = dial(ctx, u.server.url); err != nil {
		return err
	}
	u.book.add(u.client.id)
	u.answers = make(chan message, 1)
	c, answers := u.client, u.answers
	u.readers.Go(func() { u.read(ctx, c, answers) })
	return nil
}

// read reads until the connection ends, and looks whether it all was for c.
func (w *crowd) read(ctx context.Context, c *client, answers chan<- message) {
	defer close(answers)
	for {
		m, err := c.next(ctx)
		if err != nil {
			return
		}
		if m.Kind != said {
			answers <- m
			continue
		}
		w.received.Add(1)
		if m.Text != forRoom && m.Text != forOne(c.id) {
			w.misdirected.Add(1)
		}
	}
}

// talk sends n messages, waits for the answer to each, and rests behind it. If the hub ends the
// session meanwhile, which drops those who are too slow, the user is out until the next wave.
func (u *user) talk(ctx context.Context, n int) error {
	for range n {
		to := u.book.any(u.random)
		text := forOne(to)
		if u.random.IntN(u.clients*talks) < u.rooms {
			to, text = "", forRoom
		}
		if u.client.send(ctx, to, text) != nil {
			u.leave()
			return ctx.Err()
		}
		a, ok := <-u.answers
		if !ok {
			u.leave()
			return ctx.Err()
		}
		if a.N != u.client.n || a.Kind != ack && a.Kind != gone {
			return fmt.Errorf("answer %+v to message %d", a, u.client.n)
		}
		u.rest(ctx, u.lasts/time.Duration(u.waves*talks)) // half of that on the average
	}
	return nil
}

func (u *user) leave() {
	u.client.leave()
	u.client = nil
}

// rest waits for a while, up to most.
func (u *user) rest(ctx context.Context, most time.Duration) {
	select {
	case <-time.After(time.Duration(u.random.Int64N(int64(most) + 1))):
	case <-ctx.Done():
	}
}

// book has the ids that were given last, as many as there are clients.
type book struct {
	mu  sync.Mutex
	ids []string
	n   int // given so far
}

func (b *book) add(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ids) < cap(b.ids) {
		b.ids = append(b.ids, id)
	} else {
		b.ids[b.n%len(b.ids)] = id
	}
	b.n++
}

// any returns one of the ids. There is one, since who asks has added one.
func (b *book) any(random *rand.Rand) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[random.IntN(len(b.ids))]
}
