package replica

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/seed505807e1/berth"
)

// The frame has a limit. Changes beyond it are refused and reported, and the others are published.
func TestFullFrame(t *testing.T) {
	t.Parallel()
	type page struct{ Bytes [1 << 19]byte }
	c := serve(t)
	l := startLead(t, c, LeadOptions[page]{}, berth.NewPool[page](berth.Config{Seed: 1}))
	var v page
	var last berth.Handle[page]
	n := 0
	for h := l.Insert(v); !h.IsZero(); h = l.Insert(v) {
		last = h
		n++
	}
	if n < MaxFrameBytes/len(v.Bytes)-3 || n != l.pool.Len() {
		t.Errorf("%d inserts, %d values", n, l.pool.Len())
	}
	if _, ok := l.Remove(last); ok || l.RemoveFunc(func(berth.Handle[page], *page) bool { return true }) != 0 {
		t.Error("a removal from a full frame")
	}
	seq, err := l.Flush(ctxOf(t))
	wantErr(t, err, ErrFull)
	f := startFollow[page](t, c)
	if reach(t, f, seq); f.View().Len() != n {
		t.Errorf("%d values, want %d", f.View().Len(), n)
	}
	if _, ok := l.Remove(last); !ok {
		t.Error("no removal from the next frame")
	}
	flush(t, l)
	same(t, l, f)
	type large struct{ Bytes [1 << 20]byte }
	c.Name = "large"
	_, err = Lead(ctxOf(t), c, LeadOptions[large]{}, new(berth.Pool[large]))
	if err == nil {
		t.Error("values above the server's limit")
	}
}

// One frame may change a value in any order of calls.
func TestWithinFrame(t *testing.T) {
	c := serve(t)
	for _, o := range []LeadOptions[body]{whole, split} {
		c.Name = map[bool]string{true: "whole", false: "split"}[o.Cell == 0]
		l := startLead(t, c, o, berth.NewPool[body](berth.Config{Seed: 1}))
		all := startFollow[body](t, c)
		some := all
		var cells []Cell
		if o.Cell != 0 {
			cells = []Cell{{0, 0}}
			some = startFollow[body](t, c, cells...)
		}
		check := func() {
			t.Helper()
			flush(t, l)
			same(t, l, all)
			same(t, l, some, cells...)
		}
		a := l.Insert(body{X: 1, Y: 1})
		l.Edit(a).X = 2
		check()
		l.Edit(a).X = 3
		l.Edit(a).X = 4
		if len(l.ops) != 1 {
			t.Errorf("%d operations for two edits", len(l.ops))
		}
		check()
		l.Edit(a).X = 100 // crosses, and is removed
		l.Remove(a)
		b := l.Insert(body{X: 5, Y: 1}) // into its slot
		check()
		l.Edit(b).X = 100
		check()
		l.Remove(b)
		d := l.Insert(body{X: 1, Y: 1})
		l.Remove(d) // it never was
		e := l.Insert(body{X: 1, Y: 1})
		check()
		l.Remove(e)
		x := l.Insert(body{X: 20, Y: 1})
		l.Edit(x).X = 1
		check()
		for range 5 { // values in two cells, in turns
			l.Insert(body{X: 1, Y: 1})
			l.Insert(body{X: 20, Y: 1})
		}
		l.RemoveFunc(func(_ berth.Handle[body], v *body) bool { return v.X == 20 })
		check()
		if seq := l.Seq(); flush(t, l) != seq {
			t.Error("a frame without changes")
		}
		if l.Edit(d) != nil || l.Edit(berth.Handle[body]{}) != nil {
			t.Error("an edit of a stale handle")
		}
		if _, ok := l.Remove(d); ok {
			t.Error("a removal of a stale handle")
		}
	}
}

// Hooks of the Pool may change it through the Leader, in the frame of the call that runs them.
func TestHooks(t *testing.T) {
	t.Parallel()
	c := serve(t)
	p := berth.NewPool[body](berth.Config{Seed: 1})
	l := startLead(t, c, split, p)
	f := startFollow[body](t, c)
	insert := func(h berth.Handle[body], v *body) {
		switch v.Team {
		case 1: // has a companion
			l.Insert(body{X: v.X + 20, Team: 2})
			l.Edit(h).HP = 7
		case 3: // is not wanted
			l.Remove(h)
		}
	}
	remove := func(_ berth.Handle[body], v *body) {
		if v.Team == 4 { // leaves something
			l.Insert(body{X: v.X, Team: 5})
		}
	}
	berth.SetHooks(p, berth.Hooks[body]{OnInsert: insert, OnRemove: remove})
	for i := range 200 {
		h := l.Insert(body{X: float32(i), Team: uint8(i % 5)})
		if i%7 == 0 {
			l.Remove(h)
		}
		if i%10 == 0 {
			flush(t, l)
			same(t, l, f)
		}
	}
	l.RemoveFunc(func(_ berth.Handle[body], v *body) bool { return v.Team == 4 })
	flush(t, l)
	same(t, l, f)
}

// A panic of a hook ends the Leader: what the Pool has done cannot be told.
func TestHookPanics(t *testing.T) {
	c := serve(t)
	p := berth.NewPool[body](berth.Config{Seed: 1})
	l := startLead(t, c, whole, p)
	berth.SetHooks(p, berth.Hooks[body]{OnInsert: func(berth.Handle[body], *body) { panic("hook") }})
	func() {
		defer func() { _ = recover() }()
		l.Insert(body{})
	}()
	if _, err := l.Flush(ctxOf(t)); err == nil {
		t.Error("Flush after a panic")
	}
	if err := l.Wait(ctxOf(t)); err == nil {
		t.Error("Wait after a panic")
	}
}

func TestClosed(t *testing.T) {
	c, l := begin(t, whole)
	f := startFollow[body](t, c)
	h := l.Insert(body{})
	flush(t, l)
	l.Close()
	l.Close()
	f.Close()
	f.Close()
	_, err := l.Flush(ctxOf(t))
	wantErr(t, err, ErrClosed)
	wantErr(t, l.Wait(ctxOf(t)), ErrClosed)
	_, err = f.Step(ctxOf(t))
	wantErr(t, err, ErrClosed)
	if l.Edit(h) != nil || !l.Insert(body{}).IsZero() {
		t.Error("a closed leader makes changes")
	}
}

// sink returns a connection to a server that takes messages and does nothing with them.
func sink(t *testing.T) *nats.Conn {
	t.Helper()
	n, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := n.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, `INFO {"server_id":"sink","headers":true,"max_payload":1048576}`+"\r\n")
		buf := make([]byte, 1<<16)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			if bytes.HasSuffix(buf[:n], []byte("PING\r\n")) {
				_, _ = io.WriteString(c, "PONG\r\n")
			}
		}
	}()
	nc, err := nats.Connect("nats://"+n.Addr().String(), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close(); _ = n.Close(); <-done })
	return nc
}

// A steady state allocates little: the headers of messages. Values and changes are not among it.
// The server is not either: the messages go to one that does nothing, and the test replies.
func TestAllocations(t *testing.T) {
	for name, o := range map[string]LeadOptions[body]{"whole": whole, "split": split} {
		l := startLead(t, serve(t), o, berth.NewPool[body](berth.Config{Seed: 1}))
		var handles []berth.Handle[body]
		for i := range 1000 {
			handles = append(handles, l.Insert(body{X: float32(i % 4 * cellSize)}))
		}
		flush(t, l)
		server := l.send.nc
		l.send.nc = sink(t)
		ack := nats.Msg{Subject: "_INBOX.x." + strconv.FormatUint(l.send.attempt, 10)}
		frame := func() {
			for _, h := range handles {
				l.Edit(h).HP++
			}
			l.publish()
			ack.Data = fmt.Appendf(ack.Data[:0], `{"stream":"BERTH_world","seq":%d}`, l.send.last)
			l.send.reply(&ack)
		}
		frame()
		before := l.Stats()
		var mem [2]runtime.MemStats
		runtime.ReadMemStats(&mem[0])
		n := testing.AllocsPerRun(100, frame)
		runtime.ReadMemStats(&mem[1])
		messages := float64(l.Stats().Messages-before.Messages) / 101
		t.Logf("%s: %v messages a frame, %v allocations, %d bytes", name, messages, n,
			(mem[1].TotalAlloc-mem[0].TotalAlloc)/101)
		if l.Stats().Unacked != 0 || l.send.suspect || n > 6+10*messages {
			t.Errorf("%s: %v messages a frame allocate %v times; %+v", name, messages, n, l.Stats())
		}
		l.send.nc = server
	}
}
