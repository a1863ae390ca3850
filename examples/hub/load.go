package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// load is a load test of a hub. In each wave all clients connect, the heap is measured, and then
// each client leaves at a time of its own. One in ten stays until the last wave. While connected, a
// client sends messages to the room and to recent ids, some of which are stale.
type load struct {
	clients int
	waves   int
	lasts   time.Duration // approximately; longer on a slow machine
	rooms   int           // messages to the room in a wave, from all clients together
}

const (
	talks       = 4      // messages of a client in a wave
	kicks       = 50     // one in 50 clients is kicked before it leaves
	stays       = 10     // one in 10 clients stays
	mostClients = 25_000 // the loopback has some 28 000 ports
	dialsAtOnce = 64
	forRoom     = "for everybody"
)

// newLoad returns a load of n clients. With thousands of clients, there are few messages to the
// room, because each is delivered thousands of times.
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

// crowd is a load in progress.
type crowd struct {
	load
	server *server
	dials  chan struct{} // a semaphore
	book   book

	received, misdirected atomic.Int64

	peakHeap uint64
	seen     chan struct{} // closed when the heap of this wave has been measured
}

// outcome is the hub's report after a load, and the bytes of the heap, clients included: before it,
// with all clients connected, and after it.
type outcome struct {
	Report
	heapBefore, heapPeak, heapAfter uint64
}

// heap returns the live bytes on Go's heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // empties sync.Pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// settledHeap returns the live bytes on Go's heap once collections free nothing more. A finalizer
// may keep an object for one more collection.
func settledHeap(ctx context.Context) uint64 {
	const rounds = 3 // without effect
	least := heap()
	for n := 0; n < rounds && ctx.Err() == nil; n++ {
		if h := heap(); h < least-least/1000 {
			least, n = h, 0
		}
	}
	return least
}

// filesFor returns an error if n clients need more open files than the system allows.
func filesFor(n int) error {
	const others = 64
	if need, most := uint64(2*n+others), fileLimit(); need > most {
		return fmt.Errorf("%d clients need %d open files, two for each connection, and this "+
			"process may have %d: raise the limit (ulimit -n %d), or take %d clients",
			n, need, most, need, max(0, int(most)-others)/2)
	}
	return nil
}

// runLoad runs l against a new hub and prints the outcome.
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
	err = await(ctx, func() bool { o.Report = s.hub.Report(); return o.Connections == 0 })
	if err != nil {
		return o, fmt.Errorf("%d connections are left: %w", o.Connections, err)
	}
	if err = await(ctx, func() bool { return runtime.NumGoroutine() <= idle }); err != nil {
		return o, fmt.Errorf("%d goroutines are left: %w", runtime.NumGoroutine()-idle, err)
	}
	o.heapPeak, o.heapAfter = w.peakHeap, settledHeap(ctx)
	w.print(out, o)
	if n := w.misdirected.Load(); n != 0 {
		return o, fmt.Errorf("%d messages reached the wrong client", n)
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

// run runs the waves.
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
		// Without this, clients of the next wave could join before the hub knows that these have
		// left.
		gone := func() bool { return w.server.hub.Report().Connections <= staying(users) }
		if await(ctx, gone) != nil {
			break
		}
	}
	readers.Wait()
	return context.Cause(ctx)
}

// staying returns the number of users that are connected.
func staying(users []*user) (n int) {
	for _, u := range users {
		if u.client != nil {
			n++
		}
	}
	return n
}

// user has one client after another.
type user struct {
	*crowd
	random *rand.Rand
	stays  bool
	last   bool // this is the last wave

	client  *client
	answers chan message // closed when the client stops reading
	readers *sync.WaitGroup
}

// come connects, unless the user has stayed, and sends messages.
func (u *user) come(ctx context.Context) error {
	if u.client == nil {
		u.rest(ctx, u.lasts/time.Duration(2*u.waves))
		if err := u.connect(ctx); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
	}
	return u.talk(ctx, talks/2)
}

// goAway sends messages and disconnects.
func (u *user) goAway(ctx context.Context) error {
	if u.client == nil {
		return nil // talk has disconnected
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

// read reads until the connection ends, and counts the messages that were not for c.
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

// talk sends n messages. It waits for the answer to each, and then rests. If the hub ends the
// session, because the client is too slow, the user is disconnected until the next wave.
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
		u.rest(ctx, u.lasts/time.Duration(u.waves*talks)) // half of that on average
	}
	return nil
}

func (u *user) leave() {
	u.client.leave()
	u.client = nil
}

// rest waits for a random time up to most.
func (u *user) rest(ctx context.Context, most time.Duration) {
	select {
	case <-time.After(time.Duration(u.random.Int64N(int64(most) + 1))):
	case <-ctx.Done():
	}
}

// book has the most recent ids, as many as there are clients.
type book struct {
	mu  sync.Mutex
	ids []string
	n   int // ids so far
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

// any returns one of the ids. The caller has added at least one.
func (b *book) any(random *rand.Rand) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[random.IntN(len(b.ids))]
}

// recordFile is runLoad with a recording in a file.
func recordFile(ctx context.Context, name string, l load, out io.Writer) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	r, err := trace.NewRecorder(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = runLoad(ctx, Config{Recorder: r}, l, out)
	if err = errors.Join(err, r.Close(), f.Close()); err != nil {
		return err
	}
	return summarise(name, out)
}

// summarise prints a summary of a recording.
func summarise(name string, out io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	r, err := trace.NewReader(f)
	if err != nil {
		return err
	}
	s, err := trace.Summarise(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %v\n", name, s)
	return err
}
