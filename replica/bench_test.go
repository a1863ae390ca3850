package replica

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed505807e1/berth"
)

// The benchmarks have a world of 20 000 values of 32 bytes, and frames of 2000 operations: 1800
// edits, 100 removals, 100 inserts, all of other values. Each compares hashes in the end. Their
// figures are in docs/replica.md.
const (
	benchValues = 20_000
	benchOps    = 2000
	benchHz     = 60
	benchSide   = 100.0 // of the plane
	benchCell   = 10.0
)

type ship struct {
	X, Y, VX, VY   float32
	HP, A, B, Kind uint32
}

// fleet is a world for benchmarks.
type fleet struct {
	l       *Leader[ship]
	handles []berth.Handle[ship]
	next    int // value that is changed next
	born    int
	least   uint64 // bytes of all values and handles that frames had to tell
}

// newFleet makes a world on a server of its own, with its files in a directory.
func newFleet(b *testing.B, c Config, o LeadOptions[ship]) *fleet {
	c.Dir, c.SnapshotEvery = b.TempDir(), -1
	g := &fleet{l: startLead(b, c, o, berth.NewPool[ship](berth.Config{Seed: 1}))}
	for range benchValues {
		g.handles = append(g.handles, g.l.Insert(g.ship()))
	}
	flush(b, g.l)
	snapshot(b, g.l)
	return g
}

// ship returns a value. They are spread evenly.
func (g *fleet) ship() ship {
	g.born++
	const golden = 0.6180339887498949
	t := float64(g.born) * golden
	u := float64(g.born%997) / 997
	return ship{X: float32(benchSide * (t - float64(int(t)))), Y: float32(benchSide * u), HP: 100}
}

// frame makes the changes of a frame.
func (g *fleet) frame() {
	for i := range benchOps * 19 / 20 { // of which the last replace values: two operations
		h := &g.handles[g.next]
		if g.next++; g.next == len(g.handles) {
			g.next = 0
		}
		if i < benchOps*18/20 {
			v := g.l.Edit(*h)
			v.VX += 0.5
			v.HP++
			g.least += 8 + 32
			continue
		}
		g.l.Remove(*h)
		*h = g.l.Insert(g.ship())
		g.least += 8 + 8 + 32
	}
}

// watch follows a world in a goroutine, until the frame last is there.
type watch struct {
	f         *Follower[ship]
	published []atomic.Int64 // time of each frame, by number
	lags      []time.Duration
	last      atomic.Uint64
	done      chan error
}

// startWatch starts a follower for some frames more than there are.
func startWatch(b *testing.B, c Config, l *Leader[ship], frames int, cells ...Cell) *watch {
	w := &watch{f: startFollow[ship](b, c, cells...), done: make(chan error, 1)}
	w.published = make([]atomic.Int64, int(l.frame)+frames+1)
	w.last.Store(l.frame + uint64(frames))
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		for w.f.tail.world.Frame < w.last.Load() {
			n, err := w.f.Step(ctx)
			if err != nil {
				w.done <- err
				return
			}
			now := time.Now().UnixNano()
			for i := range n {
				at := w.published[w.f.tail.world.Frame-uint64(i)].Load()
				w.lags = append(w.lags, time.Duration(now-at))
			}
		}
		w.done <- nil
	}()
	return w
}

// flush publishes a frame.
func (w *watch) flush(b *testing.B, l *Leader[ship]) {
	w.published[l.frame+1].Store(time.Now().UnixNano())
	if _, err := l.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// end waits for the last frame, and compares the hashes.
func (w *watch) end(b *testing.B, l *Leader[ship], cells ...Cell) {
	wait(b, l)
	if err := <-w.done; err != nil {
		b.Fatal(err)
	}
	if got, want := w.f.Hash(), l.Hash(cells...); got != want {
		b.Fatalf("the follower has hash %x, and the leader %x", got, want)
	}
}

func disks(b *testing.B, f func(b *testing.B, noSync bool)) {
	b.Run("disk=fsync", func(b *testing.B) { f(b, false) })
	b.Run("disk=nosync", func(b *testing.B) { f(b, true) })
}

// BenchmarkPaced publishes 60 frames a second, and measures from each Flush until the frame is
// applied.
func BenchmarkPaced(b *testing.B) {
	disks(b, func(b *testing.B, noSync bool) {
		g := newFleet(b, Config{NoSync: noSync, MaxUnacked: 8}, LeadOptions[ship]{})
		w := startWatch(b, Config{URL: g.l.URL()}, g.l, b.N)
		ops := g.l.Stats().Ops
		b.ResetTimer()
		begin := time.Now()
		for i := range b.N {
			time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / benchHz)))
			g.frame()
			w.flush(b, g.l)
		}
		w.end(b, g.l)
		b.StopTimer()
		reportLags(b, w.lags)
		b.ReportMetric(float64(g.l.Stats().Ops-ops)/b.Elapsed().Seconds(), "ops/s")
	})
	b.Run("disk=alone", alone)
}

// alone writes as many bytes as often to a file, with an fsync each, which is the least that a frame
// on the disk can take here.
func alone(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "frames"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, 79_000)
	var lags []time.Duration
	b.ResetTimer()
	begin := time.Now()
	for i := range b.N {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / benchHz)))
		at := time.Now()
		if _, err := f.Write(data); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		lags = append(lags, time.Since(at))
	}
	reportLags(b, lags)
}

func reportLags(b *testing.B, lags []time.Duration) {
	slices.Sort(lags)
	for _, q := range []struct {
		name string
		of   int
	}{{"p50", 50}, {"p99", 99}} {
		lag := lags[(len(lags)-1)*q.of/100].Seconds()
		b.ReportMetric(1000*lag, q.name+"-ms")
		b.ReportMetric(benchHz*lag, q.name+"-frames")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFlat publishes frames as fast as a follower applies them.
func BenchmarkFlat(b *testing.B) {
	disks(b, func(b *testing.B, noSync bool) {
		g := newFleet(b, Config{NoSync: noSync, MaxUnacked: 64}, LeadOptions[ship]{})
		w := startWatch(b, Config{URL: g.l.URL()}, g.l, b.N)
		before := g.l.Stats()
		b.ResetTimer()
		for range b.N {
			g.frame()
			w.flush(b, g.l)
		}
		w.end(b, g.l)
		b.StopTimer()
		s := g.l.Stats()
		ops, bytes := float64(s.Ops-before.Ops), float64(s.Bytes-before.Bytes)
		b.ReportMetric(ops/b.Elapsed().Seconds(), "ops/s")
		b.ReportMetric(bytes/ops, "bytes/op")
		b.ReportMetric(bytes/float64(g.least), "x-value+handle")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkInterest has 100 cells, and followers of 9, as fast as they apply the frames. It also
// counts all bytes that their connections receive.
func BenchmarkInterest(b *testing.B) {
	b.Run("disk=fsync/followers=1", func(b *testing.B) { interest(b, false, 1) })
	b.Run("disk=nosync/followers=1", func(b *testing.B) { interest(b, true, 1) })
	b.Run("disk=nosync/followers=16", func(b *testing.B) { interest(b, true, 16) })
}

func interest(b *testing.B, noSync bool, followers int) {
	g := newFleet(b, Config{NoSync: noSync, MaxUnacked: 8}, LeadOptions[ship]{Cell: benchCell,
		Pos: func(s *ship) (x, y float64) { return float64(s.X), float64(s.Y) }})
	var cells []Cell
	in := map[Cell]bool{}
	for i := range int32(9) {
		cells = append(cells, Cell{4 + i%3, 4 + i/3})
		in[cells[i]] = true
	}
	var wire atomic.Int64
	count := nats.SetCustomDialer(meter{&wire})
	c := Config{URL: g.l.URL(), Options: []nats.Option{count}}
	var ws []*watch
	for range followers {
		ws = append(ws, startWatch(b, c, g.l, b.N, cells...))
	}
	before, first := g.l.Stats(), wire.Load()
	inside, values := 0, 0
	for _, v := range g.l.pool.All() {
		if values++; in[Cell(g.l.options.cell(v))] {
			inside++
		}
	}
	b.ResetTimer()
	for range b.N {
		g.frame()
		for _, w := range ws[1:] {
			w.published[g.l.frame+1].Store(time.Now().UnixNano())
		}
		ws[0].flush(b, g.l)
	}
	var received, bytes float64
	for _, w := range ws {
		w.end(b, g.l, cells...)
		received += float64(w.f.Stats().Messages)
		bytes += float64(w.f.Stats().Bytes)
	}
	b.StopTimer()
	s := g.l.Stats()
	messages, all := float64(s.Messages-before.Messages), float64(s.Bytes-before.Bytes)
	share, got := float64(inside)/float64(values), bytes/float64(followers)/all
	b.ReportMetric(100*share, "%values")
	b.ReportMetric(100*got, "%bytes")
	b.ReportMetric(got/share, "x-interest")
	b.ReportMetric(messages/float64(b.N), "messages/frame")
	b.ReportMetric(received/float64(b.N*followers), "received/frame")
	b.ReportMetric((float64(wire.Load()-first)-bytes)/received, "envelope-B")
	b.ReportMetric(messages/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(received/b.Elapsed().Seconds(), "received/s")
	b.ReportMetric(0, "ns/op")
}

// meter counts what its connections receive.
type meter struct{ bytes *atomic.Int64 }

type meteredConn struct {
	net.Conn
	meter
}

func (m meter) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return meteredConn{c, m}, err
}

func (c meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

// BenchmarkRestart kills a process with leader and server, 60 frames after a snapshot, and starts
// another one. up is the time from its start until it has the world, of which load is that of Lead.
// silence is the time from the kill until a follower has a frame of the new leader.
func BenchmarkRestart(b *testing.B) {
	var up, load, silence []time.Duration
	for range b.N {
		c := child{Role: "leader", Values: benchValues, Ops: benchOps, Config: Config{Dir: b.TempDir(),
			NoSync: true, MaxUnacked: 8, SnapshotEvery: -1}}
		u, l, s := restart(b, c)
		up, load, silence = append(up, u), append(load, l), append(silence, s)
	}
	for name, d := range map[string][]time.Duration{"up": up, "load": load, "silence": silence} {
		slices.Sort(d)
		b.ReportMetric(1000*d[len(d)/2].Seconds(), name+"-p50-ms")
		b.ReportMetric(1000*d[len(d)-1].Seconds(), name+"-max-ms")
	}
	b.ReportMetric(0, "ns/op")
}

func restart(b *testing.B, c child) (up, load, silence time.Duration) {
	c.Config.Listen = freeAddress(b)
	first := start(b, c)
	hashes := map[uint64]uint64{}
	var f *Follower[body]
	for frames := 0; frames < 60; {
		x := <-first.lines
		switch x.what {
		case "":
			b.Fatal("the leader has ended by itself")
		case "frame":
			hashes[x.frame] = x.hash
			frames++
		case "ready":
			f = startFollow[body](b, Config{URL: "nats://" + c.Config.Listen, Dir: c.Config.Dir})
		}
	}
	killed := time.Now()
	for _, x := range first.kill() {
		if x.what == "frame" {
			hashes[x.frame] = x.hash
		}
	}
	begin, begun := time.Now(), uint64(0)
	second := start(b, c)
	for x := range second.lines {
		if x.what == "ready" {
			up, load = time.Since(begin), time.Duration(x.last)*time.Microsecond
			if x.hash != hashes[x.frame] {
				b.Fatalf("frame %d has hash %x, and had %x", x.frame, x.hash, hashes[x.frame])
			}
			begun = x.frame
			break
		}
	}
	for ctx := ctxOf(b); f.tail.world.Frame <= begun; {
		if _, err := f.Step(ctx); err != nil {
			b.Fatal(err)
		}
	}
	silence = time.Since(killed)
	f.Close()
	second.kill()
	return up, load, silence
}
