package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth/lab/internal/testkit"
	"github.com/seed505807e1/berth/lab/internal/world"
)

// logBook is a log that can be read while it is written.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// stage is a running server, until the end of the test or an earlier stop.
type stage struct {
	*Server
	url  string
	log  *logBook
	dial func(ctx context.Context, network, addr string) (net.Conn, error) // nil for the default
	stop func()
}

// small is a scene with fast steps.
func small() world.Scene { return world.Scene{Seed: 7, Spawn: 5, Life: 20} }

var must = testkit.Must

// await waits for a condition that other goroutines cause.
func await(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: waiting for %s", what)
		}
	}
}

// open serves at a free port. At the end of the test, all goroutines that it has started must have
// ended.
func open(t *testing.T, change func(*Config)) *stage {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		await(t, "all goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := serveAt(t, l, change)
	s.url = "http://" + l.Addr().String()
	return s
}

func serveAt(t *testing.T, l net.Listener, change func(*Config)) *stage {
	t.Helper()
	s := &stage{log: new(logBook)}
	c := Config{Scene: small(), Run: []world.Kind{world.Pool}, Log: slog.New(slog.NewTextHandler(s.log, nil))}
	if change != nil {
		change(&c)
	}
	var err error
	if s.Server, err = New(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error("Serve: ", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// ask has the goroutine that owns the world call f.
func (s *stage) ask(f func(r *room)) { s.room.do(s.room.work, func() { f(s.room) }) }

func (s *stage) step() (n uint32) {
	s.ask(func(r *room) { n = r.world.StepNumber() })
	return n
}

func (s *stage) viewers() (n int) {
	s.ask(func(r *room) { n = r.viewers.Len() })
	return n
}

// client is a browser in a test.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	ctx  context.Context
}

// tryJoin connects to /live with more headers, as pairs of name and value.
func (s *stage) tryJoin(t *testing.T, headers ...string) (*client, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	transport := &http.Transport{DialContext: s.dial, DisableKeepAlives: true}
	o := websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}, HTTPHeader: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		if o.HTTPHeader.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			o.Host = headers[i+1]
		}
	}
	conn, res, err := websocket.Dial(ctx, s.url+"/live", &o)
	if err != nil {
		return nil, res, err
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn, ctx}, res, nil
}

func (s *stage) join(t *testing.T) *client {
	t.Helper()
	c, _, err := s.tryJoin(t)
	must(t, err)
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("send %.80q: %v", text, err)
	}
}

// message is a message from the server: a frame, or text.
type message struct {
	Type  string // also "frame"
	Text  string
	frame []byte

	Scene         wireScene
	Exact, Paused bool
	Now           wireNow
	Run           []string
	Step          uint32
	Viewers       int
	Kinds         []wireKind
	Limits        wireLimits
}

func (c *client) read() (m message, err error) {
	kind, data, err := c.conn.Read(c.ctx)
	if err != nil {
		return m, err
	}
	if kind == websocket.MessageBinary {
		return message{Type: "frame", frame: data, Step: binary.LittleEndian.Uint32(data[4:])}, nil
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Type == "frame" {
		c.t.Errorf("the server sends %q: %v", data, err)
	}
	return m, nil
}

// until reads until a wanted message comes, and gives credit for frames.
func (c *client) until(what string, wanted func(m message) bool) message {
	c.t.Helper()
	for {
		m, err := c.read()
		if err != nil {
			c.t.Fatalf("waiting for %s: %v", what, err)
		}
		if m.Type == "frame" {
			c.send(`{"do":"next"}`)
		}
		if wanted(m) {
			return m
		}
	}
}

func (c *client) state(wanted func(m message) bool) message {
	c.t.Helper()
	return c.until("a state", func(m message) bool { return m.Type == "state" && wanted(m) })
}

// frames reads n frames, and gives credit for them.
func (c *client) frames(n int) (last message) {
	c.t.Helper()
	for range n {
		last = c.until("a frame", func(m message) bool { return m.Type == "frame" })
	}
	return last
}

// watch reads until the connection ends, in a goroutine of its own, and gives credit for frames. It
// counts them.
func (c *client) watch() *atomic.Int32 {
	frames := new(atomic.Int32)
	go func() {
		for {
			m, err := c.read()
			if err != nil {
				return
			}
			if m.Type == "frame" {
				frames.Add(1)
				_ = c.conn.Write(c.ctx, websocket.MessageText, []byte(`{"do":"next"}`))
			}
		}
	}()
	return frames
}

// end reads until the connection ends, and returns its result.
func (c *client) end() (code websocket.StatusCode, why string, before []message) {
	c.t.Helper()
	for {
		m, err := c.read()
		if err == nil {
			before = append(before, m)
			continue
		}
		var closed websocket.CloseError
		if errors.As(err, &closed) {
			return closed.Code, closed.Reason, before
		}
		return -1, err.Error(), before
	}
}

// pipes is a listener of unbuffered in-memory connections: a write blocks until the other end
// reads. In a bubble of synctest, its time is the bubble's.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7420} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// openInMemory serves by pipes.
func openInMemory(t *testing.T, change func(*Config)) *stage {
	t.Helper()
	p := newPipes()
	s := serveAt(t, p, change)
	s.url, s.dial = "http://127.0.0.1:7420", p.dial
	return s
}

// count returns the number of times that text is in the log.
func (s *stage) count(text string) int { return strings.Count(s.log.String(), text) }
