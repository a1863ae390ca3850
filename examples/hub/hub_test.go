package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
)

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bounded returns a context for the waits of a test, which usually take less than a second. It ends
// shortly before the timeout of go test, so that a test that hangs reports where.
func bounded(t *testing.T) context.Context {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Until(end)*9/10)
	t.Cleanup(cancel)
	return ctx
}

// noGoroutines checks that all goroutines that the test started have ended at its end.
func noGoroutines(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if await(ctx, func() bool { return runtime.NumGoroutine() <= before }) != nil {
			all := make([]byte, 1<<20)
			t.Errorf("%d goroutines, %d before:\n%s",
				runtime.NumGoroutine(), before, all[:runtime.Stack(all, true)])
		}
	})
}

// open serves a hub until the end of the test, and checks that nothing of it is left then.
func open(t *testing.T, c Config) *server {
	t.Helper()
	noGoroutines(t)
	s, err := serve("127.0.0.1:0", NewHub(c))
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // closes the connections of clients that do not read
		if err := s.stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return s
}

func mustDial(t *testing.T, ctx context.Context, s *server) *client {
	t.Helper()
	c, err := dial(ctx, s.url)
	must(t, err)
	t.Cleanup(func() { _ = c.conn.CloseNow() })
	return c
}

// mustSend sends a message and returns the answer. It skips messages to the room.
func mustSend(t *testing.T, ctx context.Context, c *client, to, text string) message {
	t.Helper()
	if err := c.send(ctx, to, text); err != nil {
		t.Fatal("send: ", err)
	}
	for {
		if m := mustHear(t, ctx, c); m.Kind != said {
			if m.N != c.n {
				t.Fatalf("answer %+v to message %d", m, c.n)
			}
			return m
		}
	}
}

func mustHear(t *testing.T, ctx context.Context, c *client) message {
	t.Helper()
	m, err := c.next(ctx)
	if err != nil {
		t.Fatal("next: ", err)
	}
	return m
}

// hearText fails unless text is the next message to c.
func hearText(t *testing.T, ctx context.Context, c *client, text string) {
	t.Helper()
	if m := mustHear(t, ctx, c); m.Kind != said || m.Text != text {
		t.Fatalf("next message: %+v, want %q", m, text)
	}
}

// hearEnd fails unless the session of c ends before another message.
func hearEnd(t *testing.T, ctx context.Context, c *client, code websocket.StatusCode, why string) {
	t.Helper()
	m, err := c.next(ctx)
	if got, reason := status(err); got != code || reason != why {
		t.Fatalf("next message: %+v, %v; want the end by %v %q", m, err, code, why)
	}
}

// TestMemory uses sessions without connections, so that there can be many.
func TestMemory(t *testing.T) {
	noGoroutines(t)
	const shards = 4
	h := NewHub(Config{Shards: shards})
	for wave := range 3 {
		var ids []id
		for range 5000 {
			ids = append(ids, h.join(aSession(3, func() {})))
		}
		if r := h.Report(); r.Memory.Live != 5000 || r.Memory.Vacant > 2500 {
			t.Fatalf("wave %d: at its height: %+v", wave, r.Memory)
		}
		for _, i := range ids {
			if !h.end(i, leaves) {
				t.Fatalf("wave %d: %v has ended already", wave, i)
			}
		}
		if r := h.Report(); r.Memory.Live != 0 || r.Memory.Chunks > shards {
			t.Errorf("wave %d: %d chunks are left: %+v", wave, r.Memory.Chunks, r.Memory)
		}
	}
	must(t, h.Shutdown(bounded(t)))
	late := aSession(3, func() {})
	if i := h.join(late); h.enter() || h.sessions.Contains(i) || h.Report().Sessions != 0 {
		t.Error("a session joins a hub that is shut down")
	}
	if texts := late.read(); len(texts) != 2 || texts[1] != "end: "+closes.why {
		t.Errorf("a late session reads %q", texts)
	}
	if h.Kick(id{}, "") {
		t.Error("Kick of the zero id")
	}
	if err := h.Shutdown(bounded(t)); err != nil {
		t.Error("second Shutdown: ", err)
	}
}

func TestKick(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{Seed: 1, Shards: 1})
	ann, bob := mustDial(t, ctx, s), mustDial(t, ctx, s)
	for i := range 5 {
		if a := mustSend(t, ctx, ann, bob.id, fmt.Sprint(i)); a.Kind != ack || a.Reached != 1 {
			t.Fatalf("answer %+v", a)
		}
	}
	if !s.hub.Kick(parseID(bob.id), "out") || s.hub.Kick(parseID(bob.id), "out") {
		t.Error("Kick of bob: want true, and then false")
	}
	for i := range 5 { // the accepted messages
		hearText(t, ctx, bob, fmt.Sprint(i))
	}
	hearEnd(t, ctx, bob, websocket.StatusPolicyViolation, "out")

	if a := mustSend(t, ctx, ann, bob.id, "for bob"); a.Kind != gone || a.To != bob.id {
		t.Errorf("answer %+v to a message for a kicked session", a)
	}
	cyd := mustDial(t, ctx, s)
	if slot(cyd.id) != slot(bob.id) || cyd.id == bob.id {
		t.Errorf("cyd is %s, bob was %s; want the same slot and another id", cyd.id, bob.id)
	}
	if a := mustSend(t, ctx, ann, bob.id, "for bob"); a.Kind != gone {
		t.Errorf("answer %+v to a message for a session whose slot is used again", a)
	}
	mustSend(t, ctx, ann, cyd.id, "for cyd")
	hearText(t, ctx, cyd, "for cyd")
	if r := s.hub.Report(); r.Kicked != 1 || r.Undeliverable != 2 || r.Direct != 6 || r.Sessions != 2 {
		t.Errorf("%+v", r)
	}
}

func TestForeignIDs(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{})
	ann := mustDial(t, ctx, s)
	for _, to := range []string{
		"0", "1", "ffffffffffffffff", "10000000000000000", "-1", "ann", "\x00", ann.id + "0", " " + ann.id,
	} {
		if a := mustSend(t, ctx, ann, to, "hello"); a.Kind != gone {
			t.Errorf("answer %+v to a message for %q", a, to)
		}
	}
	if got := parseID(idText(parseID(ann.id))); got.IsZero() || idText(got) != ann.id {
		t.Errorf("%s reads as %v", ann.id, got)
	}
}

// TestSlow checks that eve, who reads nothing, is dropped and does not hold up the others, who send
// one message after another.
func TestSlow(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{Queue: 4})
	ann, bob, eve := mustDial(t, ctx, s), mustDial(t, ctx, s), mustDial(t, ctx, s)
	const most = 10_000 // 70 MB, more than the buffers of any system
	for i := 0; ; i++ {
		text := fmt.Sprint(i, strings.Repeat(" blah", 1400))
		a := mustSend(t, ctx, ann, "", text)
		hearText(t, ctx, bob, text)
		if a.Kind != ack || a.Reached < 2 || i == most {
			t.Fatalf("message %d: answer %+v; only eve should be dropped", i, a)
		}
		if a.Reached == 2 {
			t.Logf("eve is dropped at message %d", i)
			break
		}
	}
	if r := s.hub.Report(); r.Slow != 1 || r.Sessions != 2 {
		t.Errorf("%d slow, %d sessions; want 1 and 2", r.Slow, r.Sessions)
	}
	if a := mustSend(t, ctx, ann, eve.id, "still there?"); a.Kind != gone {
		t.Errorf("answer %+v to a message for a dropped session", a)
	}
	if a := mustSend(t, ctx, ann, bob.id, "still there?"); a.Kind != ack {
		t.Errorf("answer %+v to a message for a session that keeps up", a)
	}
	for { // messages sent before can be read
		if _, err := eve.next(ctx); err != nil {
			if ctx.Err() != nil {
				t.Error("eve's connection is still there")
			}
			return
		}
	}
}

// TestLoopRules adds and removes sessions inside a broadcast.
func TestLoopRules(t *testing.T) {
	h := NewHub(Config{Shards: 1}) // so that a loop visits the sessions in the order of their slots
	var a, b, c, late session
	var bID id
	cuts := 0
	a = aSession(1, func() {
		cuts++
		late = aSession(2, func() {})
		h.sessions.Insert(late) // in a slot behind c, so that the loop does not visit it
		h.Kick(bID, "out")
	})
	b, c = aSession(2, func() { cuts++ }), aSession(2, func() { cuts++ })
	aID := h.sessions.Insert(a)
	bID = h.sessions.Insert(b)
	cID := h.sessions.Insert(c)
	h.tell(aID, message{}) // fills the queue of a
	if n := h.broadcast(message{Kind: said}); n != 1 {
		t.Errorf("reached %d, want c", n)
	}
	r := h.Report()
	if h.sessions.Contains(aID) || h.sessions.Contains(bID) || !h.sessions.Contains(cID) || cuts != 1 ||
		r.Sessions != 2 || r.Slow != 1 || r.Kicked != 1 {
		t.Errorf("%d cut off; %+v", cuts, r)
	}
	for _, x := range []struct {
		name string
		s    session
		want int
	}{{"a", a, 2}, {"b", b, 1}, {"c", c, 1}, {"the newcomer", late, 0}} {
		if got := x.s.read(); len(got) != x.want {
			t.Errorf("%s reads %q, want %d", x.name, got, x.want)
		}
	}
}

// TestKickUnderWay kicks a session while two goroutines are sending to it. When its queue is full,
// it is not dropped for that, because it has ended.
func TestKickUnderWay(t *testing.T) {
	h := NewHub(Config{})
	s := aSession(2, func() { t.Error("the connection is cut") })
	i := h.sessions.Insert(s)
	first, _ := h.sessions.Acquire(i)
	second, _ := h.sessions.Acquire(i)
	if !h.Kick(i, "out") || h.Kick(i, "out again") || h.tell(i, message{}) || h.broadcast(message{}) != 0 {
		t.Error("a kicked session is found")
	}
	if !h.put(i, first.Value(), parcel("first")) {
		t.Error("a send that was under way is refused")
	}
	first.Release()
	if !h.put(i, second.Value(), parcel("second")) || h.put(i, second.Value(), parcel("third")) {
		t.Error("a send that was under way is refused, or goes to a full queue")
	}
	if n, r := len(s.out), h.Report(); n != 2 || r.Slow != 0 || r.Kicked != 1 {
		t.Errorf("%d messages are in the queue, want 2; %+v", n, r)
	}
	second.Release()
	if got, want := s.read(), []string{"first", "second", "end: out"}; !slices.Equal(got, want) {
		t.Errorf("the session reads %q, want %q", got, want)
	}
}

// TestKickAtOnce kicks each session from several goroutines at once. One of them does it, and its
// reason is the farewell.
func TestKickAtOnce(t *testing.T) {
	noGoroutines(t)
	h := NewHub(Config{Shards: 1})
	for n := range 2000 {
		s := aSession(1, func() {})
		i := h.join(s)
		var kicked [4]bool
		var all sync.WaitGroup
		for g := range kicked {
			all.Go(func() { kicked[g] = h.Kick(i, fmt.Sprint(g)) })
		}
		all.Wait()
		g := slices.Index(kicked[:], true)
		texts := s.read()
		if g < 0 || slices.Contains(kicked[g+1:], true) || len(texts) != 2 || texts[1] != fmt.Sprint("end: ", g) {
			t.Fatalf("session %d: Kick returns %v; the session reads %q", n, kicked, texts)
		}
	}
}

// TestJoinBesideBroadcast has sessions that join during broadcasts. The welcome comes first.
func TestJoinBesideBroadcast(t *testing.T) {
	noGoroutines(t)
	h := NewHub(Config{Shards: 1})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				h.broadcast(message{Kind: said})
			}
		}
	}()
	for range 3000 {
		s := aSession(20, func() {})
		i := h.join(s)
		if first := string(<-s.out); !strings.Contains(first, welcome) {
			t.Errorf("the first message is %s", first)
			break
		}
		h.end(i, leaves)
	}
	close(stop)
	<-stopped
}

// TestShutdownOrder checks that a hub accepts nobody from the moment at which Shutdown has ended one
// session.
func TestShutdownOrder(t *testing.T) {
	noGoroutines(t)
	h := NewHub(Config{Shards: 1})
	first := aSession(1, func() {})
	h.sessions.Insert(first)
	for range 20_000 {
		h.sessions.Insert(aSession(0, func() {}))
	}
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		<-first.out
		if !h.closing.Load() {
			t.Error("a session has ended, but others may join")
		}
	}()
	must(t, h.Shutdown(bounded(t)))
	<-checked
}

// TestKickedSender kicks a sender while its message is handled. It was accepted, so there is an
// answer.
func TestKickedSender(t *testing.T) {
	h := NewHub(Config{Shards: 1})
	var annID id
	slow := aSession(1, func() { h.Kick(annID, "out") })
	slow.put(nil)
	h.sessions.Insert(slow)
	ann, bob := aSession(3, func() {}), aSession(3, func() {})
	bobID := h.sessions.Insert(bob)
	annID = h.sessions.Insert(ann)
	h.say(annID, message{N: 7, Text: "for all"})
	if got := bob.read(); len(got) != 1 || !strings.Contains(got[0], "for all") {
		t.Errorf("bob reads %q", got)
	}
	if got := ann.read(); len(got) != 2 || got[0] != `{"kind":"ack","n":7,"reached":1}` || got[1] != "end: out" {
		t.Errorf("ann reads %q, want the answer and the end", got)
	}
	before := h.Report()
	cyd := aSession(3, func() {})
	for slot := range 64 { // until one has ann's slot
		if i := h.sessions.Insert(cyd); uint32(i.Uint64()) == uint32(annID.Uint64()) {
			break
		} else if slot == 63 {
			t.Fatal("ann's slot is not used again")
		}
	}
	h.say(annID, message{Text: "for all"})
	h.say(annID, message{To: idText(bobID), Text: "for bob"})
	if b, c := bob.read(), cyd.read(); len(b) != 0 || len(c) != 0 {
		t.Errorf("ann has gone, but bob reads %q, and cyd, in ann's slot, %q", b, c)
	}
	if after := h.Report(); after.Room != before.Room || after.Direct != before.Direct {
		t.Errorf("a message of a kicked sender is accepted: %+v", after)
	}
}

// TestShutdownInsideBroadcast shuts the hub down while a message to the room has reached some. Those
// who stayed until then miss it, so it must not be acknowledged.
func TestShutdownInsideBroadcast(t *testing.T) {
	noGoroutines(t)
	h := NewHub(Config{Shards: 1})
	first, bob, ann := aSession(3, func() {}), aSession(3, func() {}), aSession(3, func() {})
	slow := aSession(0, func() {
		if err := h.Shutdown(bounded(t)); err != nil {
			t.Error(err)
		}
	})
	h.sessions.Insert(first)
	h.sessions.Insert(slow)
	h.sessions.Insert(bob)
	annID := h.sessions.Insert(ann)
	h.say(annID, message{N: 1, Text: "for all"})
	if got := first.read(); len(got) != 2 || !strings.Contains(got[0], "for all") {
		t.Errorf("the first session reads %q", got)
	}
	want := []string{"end: " + closes.why}
	if b, a := bob.read(), ann.read(); !slices.Equal(b, want) || !slices.Equal(a, want) {
		t.Errorf("bob reads %q, and ann, who sent it, %q; want no message and no answer", b, a)
	}
	if r := h.Report(); r.Room != 0 || r.Sessions != 0 {
		t.Errorf("%+v", r)
	}
}

// TestNothingLost sends from several goroutines, while sessions are kicked, dropped and join. Each
// message that was accepted is in a queue before it is closed, exactly once.
func TestNothingLost(t *testing.T) {
	noGoroutines(t)
	const senders, sends, places = 4, 1500, 40
	h := NewHub(Config{Shards: 2})
	var at [places]atomic.Uint64 // the id of the present session
	var read, accepted, slow atomic.Int64
	var readers, sending sync.WaitGroup
	join := func(place int) {
		s := aSession(1+place, func() { slow.Add(1) })
		at[place].Store(h.join(s).Uint64())
		readers.Go(func() {
			if first := string(<-s.out); !strings.Contains(first, welcome) {
				t.Errorf("the first message is %s", first)
			}
			for range s.out {
				read.Add(1)
			}
			if s.bye.why == "" {
				t.Error("a queue is closed without a reason")
			}
		})
	}
	for place := range places {
		join(place)
	}
	for sender := range senders {
		sending.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(sender)))
			for i := range sends {
				place := random.IntN(places)
				to := berth.HandleFromUint64[session](at[place].Load())
				text := message{N: i, Text: "hello"}
				switch random.IntN(20) {
				case 0:
					accepted.Add(int64(h.broadcast(text)))
				case 1, 2:
					if h.Kick(to, "out") {
						join(place)
					}
				default:
					if h.tell(to, text) {
						accepted.Add(1)
					}
				}
			}
		})
	}
	sending.Wait()
	must(t, h.Shutdown(bounded(t)))
	readers.Wait()
	if read.Load() != accepted.Load() || accepted.Load() == 0 {
		t.Errorf("%d messages were accepted, and %d were read", accepted.Load(), read.Load())
	}
	if r := h.Report(); r.Sessions != 0 || r.Kicked == 0 || int64(r.Slow) != slow.Load() {
		t.Errorf("%d connections were cut; %+v", slow.Load(), r)
	}
}

// TestShutdownUnread reads the accepted messages only after the shutdown has begun.
func TestShutdownUnread(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{})
	ann, bob := mustDial(t, ctx, s), mustDial(t, ctx, s)
	for i := range 100 {
		if a := mustSend(t, ctx, ann, bob.id, fmt.Sprint(i)); a.Kind != ack {
			t.Fatalf("answer %+v", a)
		}
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(ctx) }()
	hearEnd(t, ctx, ann, websocket.StatusGoingAway, "the hub closes")
	for i := range 100 {
		hearText(t, ctx, bob, fmt.Sprint(i))
	}
	hearEnd(t, ctx, bob, websocket.StatusGoingAway, "the hub closes")
	must(t, <-stopped)
}

// TestShutdownBesideAStuckRequest shuts down while a request does not end. It must not use up the
// time of the clients.
func TestShutdownBesideAStuckRequest(t *testing.T) {
	noGoroutines(t)
	ctx := bounded(t)
	s := open(t, Config{})
	ann := mustDial(t, ctx, s)
	mustSend(t, ctx, ann, "", "good night")
	addr := strings.TrimSuffix(strings.TrimPrefix(s.page, "http://"), "/")
	stuck, err := net.Dial("tcp", addr)
	must(t, err)
	defer func() { _ = stuck.Close() }()
	if _, err := fmt.Fprintf(stuck, "GET / HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n", addr); err != nil {
		t.Fatal(err)
	}
	get(t, s.page, "") // the other request, whose body never comes, is being served by now
	// The server gives up on the stuck request after patience. The test ends before that.
	soon, cancel := context.WithTimeout(ctx, patience-2*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(soon) }()
	hearEnd(t, ctx, ann, websocket.StatusGoingAway, "the hub closes")
	cancel()
	if err := <-stopped; err != nil && !errors.Is(err, context.Canceled) { // because of the stuck request
		t.Error(err)
	}
}

// TestShutdownCut shuts down with an expired context while clients do not read.
func TestShutdownCut(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{})
	for range 5 {
		mustDial(t, ctx, s)
	}
	now, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.stop(now); !errors.Is(err, context.Canceled) {
		t.Errorf("stop = %v, want context.Canceled", err)
	}
}

// TestServeUntil connects to the printed address and kicks the client from the terminal.
func TestServeUntil(t *testing.T) {
	noGoroutines(t)
	ctx, interrupt := context.WithCancel(bounded(t))
	defer interrupt()
	printed, out := io.Pipe()
	in, terminal := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serveUntil(ctx, "127.0.0.1:0", in, out) }()
	lines := bufio.NewScanner(printed)
	said := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		return lines.Text()
	}
	page, _, _ := strings.Cut(said(), " ")
	url, _, _ := strings.Cut(said(), " ")
	said() // the line on the pool
	said() // the line on kicking
	if r := get(t, page, ""); r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", page, r.Status)
	}
	c, err := dial(ctx, url)
	must(t, err)
	mustSend(t, ctx, c, "", "hello")
	d, err := dial(ctx, url)
	must(t, err)
	long := strings.Repeat("\u00e9", 100)
	for _, line := range []struct{ in, out string }{
		{"\n" + d.id + " too loud\r\n", d.id + " is out"},
		{d.id + "\n", "nobody has the id " + d.id},
		{"somebody\n", "nobody has the id somebody"},
		{c.id + " " + long + "\n", c.id + " is out"},
	} {
		if _, err := io.WriteString(terminal, line.in); err != nil {
			t.Fatal(err)
		}
		if got := said(); got != line.out {
			t.Errorf("the terminal says %q, want %q", got, line.out)
		}
	}
	hearEnd(t, ctx, d, websocket.StatusPolicyViolation, "too loud")
	hearEnd(t, ctx, c, websocket.StatusPolicyViolation, long[:mostReason-1])
	if c, err = dial(ctx, url); err != nil {
		t.Fatal(err)
	}
	interrupt()
	hearEnd(t, t.Context(), c, websocket.StatusGoingAway, "the hub closes")
	must(t, <-served)
	_, _ = terminal.Close(), out.Close()
}

func TestRefused(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{Limit: 1})
	ann := mustDial(t, ctx, s)
	_, err := dial(ctx, s.url)
	if code, _ := status(err); code != websocket.StatusTryAgainLater {
		t.Errorf("dial of a full hub = %v", err)
	}
	mustSend(t, ctx, ann, "", "alone")
	must(t, ann.conn.Write(ctx, websocket.MessageText, []byte("no JSON")))
	if m, err := ann.next(ctx); err == nil {
		t.Errorf("after garbage: %+v", m)
	}
	if err := await(ctx, func() bool { return s.hub.Report().Sessions == 0 }); err != nil {
		t.Fatal("the session is still there: ", err)
	}
	mustSend(t, ctx, mustDial(t, ctx, s), "", "there is room again")
	if _, err := serve("no address", s.hub); err == nil {
		t.Error("serve at no address")
	}
}
