package replica

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

// body is the value of most tests. It has padding.
type body struct {
	X, Y   float32
	VX, VY float32
	HP     uint32
	Team   uint8
	Dead   bool
	Shield uint64
}

func position(b *body) (x, y float64) { return float64(b.X), float64(b.Y) }

const cellSize = 16

var (
	whole = LeadOptions[body]{}
	split = LeadOptions[body]{Cell: cellSize, Pos: position}
)

// ctxOf returns a context that ends a test that hangs.
func ctxOf(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// runAll runs the tests, and fails if they leave goroutines or descriptors.
func runAll(m *testing.M) int {
	goroutines, files := runtime.NumGoroutine(), openFiles("self")+2 // of the poller
	code := m.Run()
	for end := time.Now().Add(20 * time.Second); code == 0; time.Sleep(time.Millisecond) {
		g, f := runtime.NumGoroutine(), openFiles("self")
		if g <= goroutines && f <= files {
			break
		}
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			fmt.Printf("%d goroutines and %d descriptors, %d and %d before:\n%s\n", g, f, goroutines,
				files, buf[:runtime.Stack(buf, true)])
			code = 1
		}
	}
	return code
}

// serve starts a server in memory, and returns the Config for it.
func serve(t testing.TB) Config {
	s, err := Serve(ctxOf(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return Config{URL: s.URL(), InMemory: true, SnapshotEvery: -1}
}

// address returns the host and port of c.URL.
func address(t testing.TB, c Config) string {
	t.Helper()
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func startLead[T any](t testing.TB, c Config, o LeadOptions[T], p *berth.Pool[T]) *Leader[T] {
	t.Helper()
	l, err := Lead(ctxOf(t), c, o, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func startFollow[T any](t testing.TB, c Config, cells ...Cell) *Follower[T] {
	t.Helper()
	f, err := Follow[T](ctxOf(t), c, FollowOptions{Cells: cells})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// begin starts a server in memory, and leads a new world on it.
func begin(t testing.TB, o LeadOptions[body]) (Config, *Leader[body]) {
	t.Helper()
	c := serve(t)
	return c, startLead(t, c, o, berth.NewPool[body](berth.Config{Seed: 1}))
}

func flush[T any](t testing.TB, l *Leader[T]) uint64 {
	t.Helper()
	seq, err := l.Flush(ctxOf(t))
	if err != nil {
		t.Fatal("Flush:", err)
	}
	return seq
}

func wait[T any](t testing.TB, l *Leader[T]) {
	t.Helper()
	if err := l.Wait(ctxOf(t)); err != nil {
		t.Fatal("Wait:", err)
	}
}

func snapshot[T any](t testing.TB, l *Leader[T]) {
	t.Helper()
	if err := l.Snapshot(ctxOf(t)); err != nil {
		t.Fatal("Snapshot:", err)
	}
}

// once calls f when a point is reached for the first time.
func once(t testing.TB, name string, f func()) {
	none := func(string) {}
	t.Cleanup(func() { point = none })
	point = func(at string) {
		if at == name {
			point = none
			f()
		}
	}
}

// reach steps f until it has the frame at seq, and returns the reports.
func reach[T any](t testing.TB, f *Follower[T], seq uint64) (reports []error) {
	t.Helper()
	for ctx := ctxOf(t); f.Seq() < seq; {
		_, err := f.Step(ctx)
		var report *FrameError
		if errors.As(err, &report) {
			reports = append(reports, err)
		} else if err != nil {
			t.Fatalf("Step at %d of %d: %v", f.Seq(), seq, err)
		}
	}
	return reports
}

// same fails unless f has what l has, after it has reached it.
func same[T any](t testing.TB, l *Leader[T], f *Follower[T], cells ...Cell) {
	t.Helper()
	if errs := reach(t, f, l.Seq()); len(errs) > 0 {
		t.Fatal("reports:", errs)
	}
	if got, want := f.Hash(), l.Hash(cells...); f.Seq() != l.Seq() || got != want {
		t.Fatalf("follower at %d has hash %x, the leader at %d %x", f.Seq(), got, l.Seq(), want)
	}
}

// play changes a world at random. Its handles are those of the Pool.
type play struct {
	*rand.Rand
	handles []berth.Handle[body]
	most    int
}

func newPlay(seed uint64, p *berth.Pool[body]) *play {
	g := &play{Rand: rand.New(rand.NewPCG(seed, 1)), most: 300}
	for h := range p.All() {
		g.handles = append(g.handles, h)
	}
	return g
}

// body returns a value somewhere in 16 cells.
func (g *play) body() body {
	return body{X: g.Float32()*64 - 32, Y: g.Float32()*64 - 32, HP: g.Uint32(), Team: uint8(g.IntN(9))}
}

// frame makes n changes.
func (g *play) frame(l *Leader[body], n int) {
	for range n {
		switch x := g.IntN(100); {
		case len(g.handles) == 0 || len(g.handles) < g.most && x < 30:
			if h := l.Insert(g.body()); !h.IsZero() {
				g.handles = append(g.handles, h)
			}
		case x < 45:
			i := g.IntN(len(g.handles))
			h := g.handles[i]
			g.handles[i] = g.handles[len(g.handles)-1]
			g.handles = g.handles[:len(g.handles)-1]
			l.Remove(h)
		default:
			if b := l.Edit(g.handles[g.IntN(len(g.handles))]); b != nil {
				b.X += g.Float32()*8 - 4
				b.Y += g.Float32()*8 - 4
				b.Dead = !b.Dead
				b.Shield++
			}
		}
	}
}

// flush makes a frame of n changes, and publishes it.
func (g *play) flush(t testing.TB, l *Leader[body], n int) {
	t.Helper()
	g.frame(l, n)
	flush(t, l)
}

func wantErr(t testing.TB, err, want error, texts ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want one that wraps %q", err, want)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q lacks %q", err, text)
		}
	}
}
