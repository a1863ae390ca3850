package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth/internal/long"
)

// TestWaves runs waves of clients, each of which checks that its messages are meant for it. When all
// have left, their memory must be free.
func TestWaves(t *testing.T) {
	const shards = 4
	many := 2000
	if long.On {
		many = 5000
	}
	for _, l := range []load{
		{clients: 200, waves: 3, lasts: 300 * time.Millisecond, rooms: 20},
		{clients: many, waves: 2, lasts: time.Second, rooms: 5},
	} {
		t.Run(fmt.Sprint(l.clients), func(t *testing.T) {
			large := l.clients > 1000
			if large && testing.Short() {
				t.Skip("takes seconds")
			}
			noGoroutines(t)
			if err := filesFor(l.clients); err != nil {
				t.Skip(err) // a limit of the system
			}
			r, err := runLoad(bounded(t), Config{Queue: 1000, Shards: shards}, l, io.Discard)
			must(t, err)
			if r.Peak != l.clients || r.Joined != l.clients+(l.waves-1)*l.clients*9/10 || !large && r.Slow != 0 {
				t.Errorf("peak %d of %d, %d joined, %d slow", r.Peak, l.clients, r.Joined, r.Slow)
			}
			if n := r.Direct + r.Undeliverable + r.Room; !large && n != talks*l.clients*l.waves {
				t.Errorf("%d messages were answered, want %d", n, talks*l.clients*l.waves)
			}
			if r.Direct == 0 || r.Undeliverable == 0 || r.Room == 0 || r.Kicked == 0 {
				t.Errorf("a counter is 0: %+v", r)
			}
			if r.Memory.Live != 0 || r.Memory.Chunks > shards {
				t.Errorf("after the waves: %+v", r.Memory)
			}
			// The Go runtime keeps the descriptors of four goroutines a client, which are 2 kB. The rest
			// is under 1 MB.
			rose, stayed := int64(r.heapPeak-r.heapBefore), int64(r.heapAfter-r.heapBefore)
			if large && (rose < 50<<20 || stayed > rose/10 || r.Memory.Bytes > r.PeakMemory.Bytes/2 ||
				r.PeakMemory.Live+r.PeakMemory.Vacant < l.clients) {
				t.Errorf("the heap rises by %d bytes, of which %d stay; the pool at peak: %+v; after: %+v",
					rose, stayed, r.PeakMemory, r.Memory)
			}
		})
	}
}

func TestFilesFor(t *testing.T) {
	must(t, filesFor(1))
	if fileLimit() == math.MaxUint64 {
		t.Skip("there is no limit here")
	}
	const n = math.MaxInt32 / 2
	if err := filesFor(n); err == nil || !strings.Contains(err.Error(), "open files") {
		t.Errorf("%d clients: %v", n, err)
	}
	if _, err := runLoad(t.Context(), Config{}, load{clients: n}, io.Discard); err == nil {
		t.Error("a load with too few files begins")
	}
}

// talker sends messages to the room and to another talker until its session ends. It counts the
// messages that it gets, and those that were acknowledged, by their texts, which are all different.
type talker struct {
	*client
	heard, room, direct map[string]int // direct: the recipient by text
	err                 error
}

func (c *talker) run(t *testing.T, all []*talker, me, most int, began func()) {
	ctx := bounded(t)
	texts := map[int]string{} // by message number
	say := func() error {
		to := (me + c.n) % len(all)
		toID := all[to].id
		if c.n%4 == 0 {
			toID = ""
		}
		text := fmt.Sprintf("%d to %d: %d", me, to, c.n+1)
		texts[c.n+1] = text
		return c.send(ctx, toID, text)
	}
	_ = say() // after an error, next fails too
	for {
		m, err := c.next(ctx)
		if err != nil {
			c.err = err
			return
		}
		switch m.Kind {
		case said:
			c.heard[m.Text]++
			continue
		case ack:
			if m.To == "" {
				c.room[texts[m.N]] = m.Reached
			} else {
				c.direct[texts[m.N]] = (me + m.N - 1) % len(all)
			}
		}
		if m.N == 20 {
			began()
		}
		if m.N < most {
			_ = say()
		}
	}
}

// TestShutdownRoom shuts down the hub while many clients send to the room and to each other, and
// some leave. Clients that stay get each acknowledged message once.
func TestShutdownRoom(t *testing.T) {
	ctx := bounded(t)
	const stay, most = 24, 400
	s := open(t, Config{Queue: 2 * stay * most}) // so that no client is too slow, even on a busy machine
	all := make([]*talker, stay)
	for i := range all {
		all[i] = &talker{mustDial(t, ctx, s), map[string]int{}, map[string]int{}, map[string]int{}, nil}
	}
	leavers := []*client{mustDial(t, ctx, s), mustDial(t, ctx, s), mustDial(t, ctx, s)}
	var running, talking sync.WaitGroup
	talking.Add(stay)
	for i, c := range all {
		running.Go(func() {
			began := sync.OnceFunc(talking.Done)
			defer began()
			c.run(t, all, i, most, began)
		})
	}
	for _, c := range leavers {
		running.Go(func() { // reads some messages, and leaves inside a broadcast
			for range 10 {
				_, _ = c.next(ctx)
			}
			c.leave()
		})
	}
	talking.Wait()
	must(t, s.stop(ctx))
	running.Wait()
	rooms, directs := 0, 0
	for i, c := range all {
		if code, why := status(c.err); code != websocket.StatusGoingAway || why != "the hub closes" {
			t.Errorf("client %d ends by %v", i, c.err)
		}
		rooms, directs = rooms+len(c.room), directs+len(c.direct)
		for text, reached := range c.room {
			if reached < stay {
				t.Errorf("%q was accepted for %d", text, reached)
			}
			for j, other := range all {
				if other.heard[text] != 1 {
					t.Errorf("client %d heard %q %d times", j, text, other.heard[text])
				}
			}
		}
		for text, to := range c.direct {
			for j, other := range all {
				if n := other.heard[text]; n != 0 && j != to || n != 1 && j == to {
					t.Errorf("client %d heard %q %d times", j, text, n)
				}
			}
		}
	}
	if _, err := dial(ctx, s.url); err == nil {
		t.Error("a session joins a hub that is shut down")
	}
	if rooms < stay*5 || directs < stay*10 {
		t.Errorf("%d messages to the room, and %d to one", rooms, directs)
	}
	t.Logf("%d messages to the room, %d to one", rooms, directs)
}
