package live

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth/lab/internal/world"
)

// A new viewer gets the state, then frames. The first one has heat, and so has every third one.
func TestWelcome(t *testing.T) {
	s := open(t, func(c *Config) { c.Run = allKinds })
	c := s.join(t)
	m, err := c.read()
	if err != nil || m.Type != "state" {
		t.Fatalf("first comes %+v (%v), want a state", m, err)
	}
	if m.Scene != (wireScene{Seed: 7, Spawn: 5, Life: 20}) || m.Now != (wireNow{Spawn: 5, Life: 20}) || !m.Exact || m.Paused || m.Viewers != 1 || strings.Join(m.Run, " ") != "pool dense list map gen" {
		t.Errorf("the state is %+v", m)
	}
	if m.Limits != (wireLimits{1000, 1000, 200_000, 10_000}) || len(m.Kinds) != 5 || m.Kinds[2].ID != "list" || m.Kinds[2].Name != "stable.List" || m.Kinds[2].About == "" {
		t.Errorf("the state is %+v", m)
	}
	without := 0
	for i := range 30 {
		d, err := decode(c.frames(1).frame)
		must(t, err)
		if without++; d.header[4]&2 != 0 {
			without = 0
		}
		if i == 0 && without != 0 || without > 3 || d.header[3] != 5 {
			t.Errorf("frame %d of %d containers is number %d since one with heat", i, d.header[3], without)
		}
	}
}

// Ten viewers see the same world, in order.
func TestTenViewers(t *testing.T) {
	s := open(t, nil)
	var sums sync.Map // by step
	var all sync.WaitGroup
	for range 10 {
		c := s.join(t)
		all.Go(func() {
			last := uint32(0)
			for range 60 {
				m, err := c.read()
				if err != nil {
					t.Error(err)
					return
				}
				if m.Type != "frame" {
					continue
				}
				if m.Step < last {
					t.Errorf("step %d after %d", m.Step, last)
				}
				last = m.Step
				d, err := decode(m.frame)
				if err != nil {
					t.Error(err)
					return
				}
				if d.heat != nil {
					if before, _ := sums.LoadOrStore(m.Step, d.heat[0].Sum); before != d.heat[0].Sum {
						t.Errorf("step %d: two viewers see different worlds", m.Step)
					}
				}
				if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(`{"do":"next"}`)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// The world makes 60 steps a second while a viewer is connected, and none otherwise.
func TestWorldStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		time.Sleep(time.Hour)
		if n := s.step(); n != 0 {
			t.Errorf("%d steps before anybody looks", n)
		}
		c := s.join(t)
		frames := c.watch()
		synctest.Wait()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if n := s.step(); n != 600 {
			t.Errorf("%d steps in 10 s, want 600", n)
		}
		if n := frames.Load(); n != 601 { // and the first one
			t.Errorf("%d frames in 10 s, want 601", n)
		}
		c.send(`{"do":"pause"}`)
		synctest.Wait()
		n := s.step()
		time.Sleep(time.Minute)
		if s.step() != n {
			t.Errorf("%d steps in a pause", s.step()-n)
		}
		c.send(`{"do":"resume"}`)
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if s.step() != n+60 {
			t.Errorf("%d steps in the second after the pause", s.step()-n)
		}
		_ = c.conn.CloseNow()
		synctest.Wait()
		n = s.step()
		time.Sleep(time.Hour)
		if s.step() != n || s.viewers() != 0 {
			t.Errorf("%d steps when all have gone, %d viewers", s.step()-n, s.viewers())
		}
	})
}

// Without credit there are no frames; with it, the newest one comes.
func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		c := s.join(t)
		steps := make(chan uint32, 10_000) // of frames
		go func() {
			for {
				m, err := c.read()
				if err != nil {
					return
				}
				if m.Type == "frame" {
					steps <- m.Step
				}
			}
		}()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if n := len(steps); n != maxCredit {
			t.Fatalf("%d frames at first, want %d", n, maxCredit)
		}
		<-steps
		<-steps
		c.send(`{"do":"next"}`)
		synctest.Wait()
		if n := s.step(); len(steps) != 1 || <-steps != n {
			t.Errorf("after a while does not come the frame of step %d, and none else", n)
		}
		time.Sleep(time.Second)
		for range 100 {
			c.send(`{"do":"next"}`) // no more than two at a time are kept
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if n := len(steps); n < maxCredit || n > 1+maxCredit { // one may be sent before its credit comes
			t.Errorf("%d frames, want %d, and at most the one more that waited", n, maxCredit)
		}
	})
}

// A viewer that does not read is cut off after a while, without effect on others.
func TestWhoNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		good := s.join(t)
		frames := good.watch()
		bad := s.join(t)
		var flood sync.WaitGroup
		flood.Go(func() {
			for bad.conn.Write(bad.ctx, websocket.MessageText, []byte(`{"do":"next"}`)) == nil {
				time.Sleep(time.Millisecond)
			}
		})
		synctest.Wait()
		start := time.Now()
		n := frames.Load()
		for s.viewers() == 2 {
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if took := time.Since(start); took < writePatience-time.Second || took > writePatience+time.Second {
			t.Errorf("it was cut off after %v, want %v", took, writePatience)
		}
		if n := frames.Load() - n; n < 590 {
			t.Errorf("%d frames for the other one meanwhile, want 600", n)
		}
		if s.count("a viewer does not read") != 1 {
			t.Errorf("the log is %s", s.log)
		}
		if len(s.room.frames.spare) > spareFrames {
			t.Error("too many frames")
		}
		_ = good.conn.CloseNow()
		flood.Wait()
	})
}

// A viewer that has read everything and is then silent is pinged.
func TestWhoIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		s.ask(func(r *room) { r.paused = true })
		awake := s.join(t)
		awake.frames(1) // so that its welcome leaves nothing unread for the other one
		go func() {     // it answers pings, since it reads, but draws nothing
			for {
				if _, err := awake.read(); err != nil {
					return
				}
			}
		}()
		silent := s.join(t)
		silent.frames(1)
		start := time.Now()
		for s.viewers() == 2 {
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(start); took < pingPause || took > pingPause+writePatience+time.Second {
			t.Errorf("it was cut off after %v", took)
		}
		time.Sleep(3 * pingPause)
		if n := s.viewers(); n != 1 || s.count("a viewer does not answer") != 1 {
			t.Errorf("%d are left, want the one that answers; the log is %s", n, s.log)
		}
	})
}

// A viewer that sends without end blocks only itself.
func TestFloods(t *testing.T) {
	for _, text := range []string{`{"do":"next"}`, `{"do":"pause"}`, `{"do":"run","run":["pool","gen"]}`, `{"do":"seed","n":9}`} {
		t.Run(text, func(t *testing.T) {
			s := open(t, nil)
			flooding := s.join(t)
			var sent atomic.Int64
			done := make(chan struct{})
			go func() {
				defer close(done)
				for flooding.conn.Write(flooding.ctx, websocket.MessageText, []byte(text)) == nil {
					sent.Add(1)
				}
			}()
			go func() { // it does read
				for {
					if _, err := flooding.read(); err != nil {
						return
					}
				}
			}()
			await(t, "the flood", func() bool { return sent.Load() > 1000 })
			c := s.join(t)
			c.send(`{"do":"resume"}`)
			c.send(`{"do":"spawn","n":77}`)
			c.state(func(m message) bool { return m.Now.Spawn == 77 })
			if !strings.Contains(text, "pause") {
				c.frames(20)
			}
			var waiting int
			s.ask(func(r *room) {
				for v := range r.viewers.Values() {
					(*v).mu.Lock()
					waiting += len((*v).out.refusals)
					(*v).mu.Unlock()
				}
			})
			if waiting != 0 || s.log.String() != "" {
				t.Errorf("%d refusals wait; the log is %s", waiting, s.log)
			}
			_ = flooding.conn.CloseNow()
			<-done
		})
	}
}

// Each wrong message is answered and logged; the eighth ends the connection.
func TestRefusals(t *testing.T) {
	s := open(t, nil)
	wrong := wrong[:linesPerSecond/maxRefusals*maxRefusals] // all of which are logged, however fast they come
	for first := 0; first < len(wrong); first += maxRefusals {
		c := s.join(t)
		for i := range maxRefusals {
			text := wrong[first+i].text
			c.send(`{"do":"next"}`)
			if i%4 == 3 {
				must(t, c.conn.Write(c.ctx, websocket.MessageBinary, []byte(text)))
				continue
			}
			c.send(text)
		}
		code, why, before := c.end()
		errs := 0
		for _, m := range before {
			if m.Type == "error" {
				errs++
				if m.Text == "" {
					t.Error("an error without text")
				}
			}
		}
		if code != websocket.StatusPolicyViolation || errs != maxRefusals {
			t.Errorf("from %q: %d errors, closed by %d, %q", wrong[first].text, errs, code, why)
		}
	}
	await(t, "the refused to be gone", func() bool { return s.viewers() == 0 })
	for line := range strings.Lines(s.log.String()) {
		if !strings.Contains(line, `"refused a control message"`) || !strings.Contains(line, "viewer=127.0.0.1:") || len(line) > 500 {
			t.Errorf("a line of the log: %s", line)
		}
	}
	if n := s.count("\n"); n != len(wrong) {
		t.Errorf("%d lines in the log, want %d", n, len(wrong))
	}
}

// A refused message changes nothing, and does not end the connection.
func TestRefusalChangesNothing(t *testing.T) {
	s := open(t, nil)
	c := s.join(t)
	for range maxRefusals - 1 {
		c.send(`{"do":"spawn","n":-1}`)
		m := c.until("an error", func(m message) bool { return m.Type == "error" })
		if m.Text != "spawn: -1 is not in 0 to 1000" {
			t.Errorf("the error is %q", m.Text)
		}
	}
	c.frames(3)
	c.send(`{"do":"spawn","n":9}`)
	if m := c.state(func(m message) bool { return m.Now.Spawn == 9 }); !m.Exact {
		t.Errorf("the state is %+v", m)
	}
}

func TestTooLongMessage(t *testing.T) {
	s := open(t, nil)
	c := s.join(t)
	c.send(`{"do":"next"}` + strings.Repeat(" ", maxMessage-13)) // exactly the limit
	c.frames(3)
	c.send(strings.Repeat(" ", 5000))
	if code, why, _ := c.end(); code != websocket.StatusMessageTooBig {
		t.Errorf("closed by %d, %q, want %d", code, why, websocket.StatusMessageTooBig)
	}
	await(t, "the viewer to be gone", func() bool { return s.viewers() == 0 })
	if s.count("a viewer's message is too long") != 1 || s.count("\n") != 1 {
		t.Errorf("the log is %s", s.log)
	}
}

// When the server shuts down, viewers get a close frame.
func TestStop(t *testing.T) {
	s := open(t, nil)
	var all []*client
	for range 5 {
		all = append(all, s.join(t))
	}
	all[0].frames(3)
	all[1].send(`{"do":"pause"}`)
	var ends sync.WaitGroup
	for _, c := range all {
		ends.Go(func() {
			if code, why, _ := c.end(); code != websocket.StatusGoingAway || why != "the server is shutting down" {
				t.Errorf("closed by %d, %q", code, why)
			}
		})
	}
	s.stop()
	ends.Wait()
	if _, _, err := s.tryJoin(t); err == nil {
		t.Error("one can still join")
	}
}

// A viewer that does not answer the close frame, does not read, or has only connected does not
// delay the shutdown for long. Nothing is left then, or the bubble would not end.
func TestStopWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		silent := s.join(t)
		for range 3 {
			if _, err := silent.read(); err != nil {
				t.Fatal(err)
			}
		}
		s.join(t) // its state is not read
		mute, err := s.dial(t.Context(), "", "")
		must(t, err)
		synctest.Wait()
		start := time.Now()
		s.stop()
		if took := time.Since(start); took > byePatience+time.Second {
			t.Errorf("it took %v", took)
		}
		_ = mute.Close()
	})
}

func TestNew(t *testing.T) {
	for _, c := range []Config{
		{},
		{Scene: small()},
		{Scene: world.Scene{Seed: 1, Spawn: -1, Life: 20}, Run: allKinds},
		{Scene: small(), Run: []world.Kind{world.Pool, world.Kind(world.Kinds)}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("New(%+v) gives no error", c)
		}
	}
	_, err := New(Config{Scene: small(), Run: allKinds})
	must(t, err)
}

// A notice comes at most four times a second.
func TestNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		c := s.join(t)
		var last time.Time
		n := 0
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
			m, err := c.read()
			must(t, err)
			switch m.Type {
			case "frame":
				c.send(`{"do":"next"}`)
			case "notice":
				if now := time.Now(); now.Sub(last) < noticePause {
					t.Errorf("two notices within %v", now.Sub(last))
				}
				last = time.Now()
				if n++; !strings.HasPrefix(m.Text, "step ") {
					t.Errorf("the notice is %q", m.Text)
				}
			}
		}
		if n < 2 {
			t.Errorf("%d notices in 1200 steps", n)
		}
	})
}
