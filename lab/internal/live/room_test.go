package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed505807e1/berth/lab/internal/world"
)

// An action of one viewer is sent to all.
func TestControls(t *testing.T) {
	s := open(t, nil)
	a, b := s.join(t), s.join(t)
	do := func(text string, changed func(m message) bool) message {
		t.Helper()
		a.send(text)
		a.state(changed)
		return b.state(changed)
	}
	particles := func(c *client) uint32 {
		t.Helper()
		d, err := decode(c.frames(1).frame)
		must(t, err)
		return d.header[8]
	}
	m := do(`{"do":"pause"}`, func(m message) bool { return m.Paused })
	for i := range uint32(5) {
		do(`{"do":"step"}`, func(next message) bool { return next.Paused && next.Step == m.Step+1+i })
	}
	frame := b.until("the frame of the last step", func(f message) bool { return f.Type == "frame" && f.Step == m.Step+5 })
	if d, err := decode(frame.frame); err != nil || d.header[4]&flagPaused == 0 {
		t.Errorf("the frame does not say that there is a pause: %v", err)
	}
	m = do(`{"do":"burst"}`, func(m message) bool { return strings.HasSuffix(m.Scene.Events, "b") })
	if n := particles(b); n < world.Burst {
		t.Errorf("%d particles after a burst in a pause", n)
	}
	m = do(`{"do":"kill"}`, func(m message) bool { return strings.HasSuffix(m.Scene.Events, "k") })
	m = do(`{"do":"cull"}`, func(m message) bool { return strings.HasSuffix(m.Scene.Events, "l") })
	b.until("a frame with 25 things", func(m message) bool {
		return m.Type == "frame" && func() bool { d, err := decode(m.frame); return err == nil && d.header[2] == 25 }()
	})
	do(`{"do":"spawn","n":3}`, func(m message) bool { return m.Now == wireNow{Spawn: 3, Life: 20} })
	m = do(`{"do":"life","n":30}`, func(m message) bool { return m.Now == wireNow{Spawn: 3, Life: 30} })
	if m.Scene.Spawn != 5 || m.Scene.Life != 20 || !m.Exact {
		t.Errorf("the scene is %+v", m.Scene)
	}
	do(`{"do":"resume"}`, func(m message) bool { return !m.Paused })
	last := b.frames(1).Step
	b.until("the world to go on", func(m message) bool { return m.Type == "frame" && m.Step > last+3 })
	m = do(`{"do":"run","run":["gen","pool"]}`, func(m message) bool { return slices.Equal(m.Run, []string{"pool", "gen"}) })
	b.until("a frame of both", func(m message) bool {
		d, err := decode(m.frame)
		return m.Type == "frame" && err == nil && len(d.figures) == 2 && d.figures[1].Kind == 4 && len(d.heat) == 2 && d.heat[0].Sum == d.heat[1].Sum
	})
	m = do(`{"do":"seed","n":11}`, func(m message) bool { return m.Scene.Seed == 11 })
	if m.Scene != (wireScene{Seed: 11, Spawn: 3, Life: 30}) || !slices.Equal(m.Run, []string{"pool", "gen"}) || m.Step > 60 {
		t.Errorf("the new world is %+v", m)
	}
	_ = b.conn.CloseNow()
	a.state(func(m message) bool { return m.Viewers == 1 })
}

// The scene of the running world continues it; another one replaces it.
func TestScenes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		ask := func(text string) (err error) {
			t.Helper()
			c, err := parseControl([]byte(text))
			must(t, err)
			s.ask(func(r *room) { err = r.control(c) })
			return err
		}
		steps := func(n int) {
			s.ask(func(r *room) {
				for range n {
					r.step()
				}
			})
		}
		var events []string
		for i := range world.MaxEvents {
			events = append(events, fmt.Sprintf("%dk", 10*(i+1)))
		}
		kills := `{"seed":7,"spawn":5,"life":20,"events":"` + strings.Join(events, ",") + `"}`
		for _, tc := range []struct {
			before []string // controls, with 10 steps before each
			asked  string
			goesOn bool
		}{
			{nil, `{"seed":7,"spawn":5,"life":20}`, true},
			{nil, `{"seed":7,"spawn":5,"life":20,"events":""}`, true},
			{nil, `{"seed":8,"spawn":5,"life":20}`, false},
			{nil, `{"seed":7,"spawn":6,"life":20}`, false},
			{nil, `{"seed":7,"spawn":5,"life":21}`, false},
			{nil, `{"seed":7,"spawn":5,"life":20,"events":"3b"}`, false},
			{nil, `{"seed":7,"spawn":5,"life":20,"events":"9999b"}`, false}, // in the future, but only in the link
			{[]string{`{"do":"burst"}`}, `{"seed":7,"spawn":5,"life":20,"events":"10b"}`, true},
			{[]string{`{"do":"burst"}`}, `{"seed":7,"spawn":5,"life":20}`, false},
			{[]string{`{"do":"spawn","n":6}`}, `{"seed":7,"spawn":5,"life":20,"events":"10s6"}`, true},
			{[]string{`{"do":"spawn","n":6}`}, `{"seed":7,"spawn":6,"life":20}`, false},
			{[]string{`{"do":"seed","n":8}`}, `{"seed":8,"spawn":5,"life":20}`, true},
			{[]string{`{"do":"kill"}`, `{"do":"cull"}`}, `{"seed":7,"spawn":5,"life":20,"events":"10k,20l"}`, true},
			{[]string{`{"do":"kill"}`, `{"do":"cull"}`}, `{"seed":7,"spawn":5,"life":20,"events":"10k,20b"}`, false},
			{[]string{`{"do":"scene","scene":{"seed":7,"spawn":5,"life":20,"events":"5b,500k"},"run":["map"]}`}, `{"seed":7,"spawn":5,"life":20,"events":"5b,500k"}`, true},
			{slices.Repeat([]string{`{"do":"kill"}`}, world.MaxEvents), kills, true},
			{slices.Repeat([]string{`{"do":"kill"}`}, world.MaxEvents+1), kills, false}, // more than the scene holds
		} {
			s.ask(func(r *room) { r.renew(small(), []world.Kind{world.Pool}) })
			for _, text := range tc.before {
				steps(10)
				must(t, ask(text))
			}
			steps(10)
			before := s.step()
			must(t, ask(`{"do":"scene","run":["dense","gen"],"scene":`+tc.asked+`}`))
			var state wireState
			s.ask(func(r *room) {
				if err := json.Unmarshal(r.state(), &state); err != nil {
					t.Error(err)
				}
			})
			if goesOn := state.Step == before; goesOn != tc.goesOn || state.Step != before && state.Step != 0 {
				t.Errorf("after %q, %s goes on: %v, want %v", tc.before, tc.asked, goesOn, tc.goesOn)
			}
			if !slices.Equal(state.Run, []string{"dense", "gen"}) {
				t.Errorf("after %q, %s runs in %v", tc.before, tc.asked, state.Run)
			}
		}
	})
}

// An event of the scene changes the state that viewers have, so they get a new one.
func TestEventsAreTold(t *testing.T) {
	// In real time, a later state could replace one that is late.
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, func(c *Config) {
			c.Scene.Events = []world.Event{{Step: 20, Op: world.OpSpawn, N: 8}, {Step: 40, Op: world.OpLife, N: 33}}
		})
		c := s.join(t)
		c.state(func(m message) bool { return m.Now == wireNow{Spawn: 5, Life: 20} })
		c.state(func(m message) bool { return m.Now == wireNow{Spawn: 8, Life: 20} })
		m := c.state(func(m message) bool { return m.Now == wireNow{Spawn: 8, Life: 33} })
		if m.Scene.Events != "20s8,40t33" {
			t.Errorf("the events are %q", m.Scene.Events)
		}
	})
}

// A single viewer can start the story, whatever happened before. It is the same each time, and the
// world continues as its link does.
func TestStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openInMemory(t, nil)
		a := s.join(t)
		story := wireScene{Seed: 7, Spawn: 5, Life: 20, Events: strings.TrimSuffix(strings.Repeat("180b,", 10), ",")}
		for _, before := range []string{
			`{"do":"burst"}`, `{"do":"seed","n":9}`, `{"do":"run","run":["map"]}`, `{"do":"pause"}`, `{"do":"story"}`,
		} {
			time.Sleep(time.Second)
			a.send(before)
			time.Sleep(time.Second)
			a.send(`{"do":"story"}`)
			m := a.state(func(m message) bool { return m.Step == 0 && m.Scene == story && !m.Paused })
			if !m.Exact || !slices.Equal(m.Run, []string{"pool"}) {
				t.Errorf("after %s the story is %+v", before, m)
			}
			first := a.until("its first frame", func(m message) bool { return m.Type == "frame" && m.Step < 3 })
			if d, err := decode(first.frame); err != nil || len(d.heat) != 1 {
				t.Errorf("the first frame has the slots of %d containers: %v", len(d.heat), err)
			}
		}
		top := 0
		a.until("the end of the burst", func(m message) bool {
			if m.Type == "frame" && m.Step > 180 {
				d, err := decode(m.frame)
				if err != nil {
					t.Error(err)
				}
				top = max(top, int(d.header[2]))
			}
			return m.Type == "frame" && m.Step > 220
		})
		if top < 100_000 {
			t.Errorf("there were %d things in the burst", top)
		}

		// With two viewers, one would take the world from the other.
		b := s.join(t)
		synctest.Wait()
		step := s.step()
		b.send(`{"do":"pause"}`)
		b.state(func(m message) bool { return m.Paused })
		b.send(`{"do":"story"}`)
		m := b.state(func(m message) bool { return m.Viewers == 2 })
		if m.Step < step || !m.Paused {
			t.Errorf("the world that another one looks at began anew: %+v", m)
		}
	})
}

// More events than a scene can have are executed, and the scene is marked as inexact.
func TestManyEvents(t *testing.T) {
	s := open(t, nil)
	c := s.join(t)
	for range world.MaxEvents + 1 {
		c.send(`{"do":"cull"}`)
	}
	c.send(`{"do":"spawn","n":9}`)
	m := c.state(func(m message) bool { return m.Now.Spawn == 9 })
	if m.Exact || strings.Count(m.Scene.Events, ",") != world.MaxEvents-1 {
		t.Errorf("exact: %v, %q", m.Exact, m.Scene.Events)
	}
}

// A control that passes the checks, but is invalid for the world, gives an error and no panic.
func TestControlOfTheWorld(t *testing.T) {
	r := newRoom(world.New(small(), allKinds))
	for _, c := range []control{{do: "spawn", n: -1}, {do: "life", n: 1 << 20}, {do: "nothing"}} {
		if err := r.control(c); !errors.Is(err, world.ErrScene) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if r.world.Scene().EventsText() != "" {
		t.Errorf("the events are %s", r.world.Scene().EventsText())
	}
}

// Only the newest message of each kind waits for a viewer.
func TestOutbox(t *testing.T) {
	e := newEncoder()
	v := newViewer(nil, nil)
	var last *frame
	for i := range 1000 {
		f := e.blank(100)
		f.heat = i%3 == 0
		v.offer(f)
		f.drop()
		last = f
		v.offerState([]byte{byte(i)})
		v.offerNotice([]byte{byte(i)})
	}
	if len(e.spare) > 2 {
		t.Errorf("%d frames for one that waits", 1+len(e.spare))
	}
	o := v.take()
	if o.frame != last || o.state[0] != 999%256 || o.notice[0] != 999%256 || last.refs.Load() != 1 {
		t.Errorf("what waited is %+v, with %d references", o, last.refs.Load())
	}
	o.frame.drop()
	for want := maxCredit - 1; want >= 0; want-- {
		f := e.blank(100)
		v.offer(f)
		f.drop()
		o := v.take()
		if got := o.frame != nil; got != (want > 0) {
			t.Errorf("with a credit of %d, a frame is sent: %v", want, got)
		} else if got {
			o.frame.drop()
		}
	}
	if v.grant(); v.credit != 1 {
		t.Errorf("the credit is %d after one grant", v.credit)
	}
	for range 9 {
		v.grant()
	}
	if v.credit != maxCredit {
		t.Errorf("the credit is %d", v.credit)
	}
	f := e.blank(100)
	v.offer(f)
	v.end()
	v.offer(f)
	v.offerState([]byte{1})
	if o := v.take(); o.frame != nil || o.state != nil || f.refs.Load() != 1 {
		t.Errorf("a viewer that is gone gets %+v", o)
	}
}

// A viewer that takes every third frame gets heat as well.
func TestHeatForSlowViewers(t *testing.T) {
	for every := 1; every <= 7; every++ {
		for phase := range every {
			w := world.New(small(), allKinds[:1])
			r := newRoom(w)
			v := newViewer(nil, nil)
			r.viewers.Insert(v)
			heat, taken := 0, 0
			for i := range 420 {
				r.world.Step()
				r.show(false)
				if i%every != phase {
					continue
				}
				if o := v.take(); o.frame != nil {
					taken++
					if o.frame.heat {
						heat++
					}
					o.frame.drop()
				}
				v.grant()
			}
			if taken < 420/every-1 || heat < taken/5 {
				t.Errorf("of %d frames, every %d from %d, %d have heat", taken, every, phase, heat)
			}
		}
	}
}
