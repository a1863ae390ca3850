package live

import (
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/world"
)

const (
	perSecond   = 60 // steps
	maxViewers  = 64
	noticePause = 250 * time.Millisecond // minimum between two notices
)

// seat identifies a viewer in the room.
type seat = berth.Handle[*viewer]

// room holds the world and the viewers. They belong to one goroutine, which calls functions for the
// others. Those sent through the door let viewers in and out.
type room struct {
	first   world.Scene  // the scene of the server's start
	firsts  []world.Kind // the same for the containers
	world   *world.World
	paused  bool
	viewers *berth.Pool[*viewer]
	frames  *encoder
	spawn   int       // the viewers' current value
	life    int       // the viewers' current value
	noticed time.Time // the time of the last notice

	ticker  *time.Ticker
	ticking bool

	door, work    chan func()
	closing       bool // no one is let in any more
	stop, stopped chan struct{}
	conns         sync.WaitGroup // connections, from before they have a seat until they are gone
}

func newRoom(w *world.World) *room {
	return &room{
		first: w.Scene(), firsts: w.Running(), world: w, frames: newEncoder(),
		viewers: berth.NewPool[*viewer](berth.Config{Limit: maxViewers}),
		door:    make(chan func()), work: make(chan func()),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// run is the room's goroutine, until close.
func (r *room) run() {
	defer close(r.stopped)
	r.ticker = time.NewTicker(time.Second / perSecond)
	r.ticker.Stop()
	defer r.ticker.Stop()
	for {
		// At most one tick waits while the room is busy. Lost time is not made up.
		select {
		case <-r.ticker.C:
			r.step()
		case f := <-r.door:
			f()
		case f := <-r.work:
			f()
		case <-r.stop:
			return
		}
		if wanted := !r.paused && r.viewers.Len() > 0; wanted != r.ticking {
			r.ticking = wanted
			if wanted {
				r.ticker.Reset(time.Second / perSecond)
			} else {
				r.ticker.Stop()
			}
		}
	}
}

// do has the room's goroutine call f, and waits for it. It returns false if that has ended.
func (r *room) do(through chan<- func(), f func()) bool {
	done := make(chan struct{})
	select {
	case through <- func() { f(); close(done) }:
		<-done
		return true
	case <-r.stopped:
		return false
	}
}

// join gives v a seat. If there is none, or the room is closing, it returns the zero seat.
// Otherwise the connection must call leave.
func (r *room) join(v *viewer) (s seat) {
	r.do(r.door, func() {
		if r.closing {
			return
		}
		if s = r.viewers.Insert(v); !s.IsZero() {
			r.conns.Add(1)
		}
	})
	return s
}

// welcome shows the world to the viewer in s, and tells all viewers their new number.
func (r *room) welcome(s seat) {
	r.do(r.door, func() {
		if v, ok := r.viewers.Get(s); ok {
			r.tell() // first, since a page cannot interpret a frame without a state
			f := r.frames.encode(r.world, r.world.Running(), r.paused, true)
			v.offer(f)
			f.drop()
		}
	})
}

// leave gives up the seat, unless that was done before. told tells whether welcome was called.
func (r *room) leave(s seat, told bool) {
	defer r.conns.Done()
	r.do(r.door, func() {
		if _, ok := r.viewers.Remove(s); ok && told {
			r.tell()
		}
	})
}

// close says goodbye to all, and closes the room.
func (r *room) close() {
	r.do(r.door, func() {
		r.closing = true
		for _, v := range berth.Drain(r.viewers) {
			v.sayGoodbye(websocket.StatusGoingAway, "the server is shutting down")
		}
	})
	close(r.stop)
	<-r.stopped
}

func (r *room) step() {
	r.advance()
	r.show(false)
}

// advance advances the world by one step, and reports its events.
func (r *room) advance() {
	r.world.Step()
	if spawn, life := r.world.Now(); spawn != r.spawn || life != r.life {
		r.tell() // an event of the scene has changed them
	}
	if now := time.Now(); now.Sub(r.noticed) >= noticePause {
		if text, ok := r.world.Notice(); ok {
			r.noticed = now
			notice := mustJSON(wireText{Type: "notice", Text: text})
			for v := range r.viewers.Values() {
				(*v).offerNotice(notice)
			}
		}
	}
}

// tell sends the state to all viewers.
func (r *room) tell() {
	if r.viewers.Len() == 0 {
		return
	}
	r.spawn, r.life = r.world.Now()
	state := r.state()
	for v := range r.viewers.Values() {
		(*v).offerState(state)
	}
}

// show sends the world to all viewers, with heat if heat is true or one of them lacks it. It waits
// for none of them.
func (r *room) show(heat bool) {
	for v := range r.viewers.Values() {
		heat = heat || (*v).wantsHeat()
	}
	f := r.frames.encode(r.world, r.world.Running(), r.paused, heat)
	defer f.drop()
	for v := range r.viewers.Values() {
		(*v).offer(f)
	}
}

// control executes a viewer's message, and sends the result to all.
func (r *room) control(c control) (err error) {
	switch c.do {
	case "pause":
		r.paused = true
	case "resume":
		r.paused = false
	case "step":
		r.paused = true
		r.advance()
	case "seed":
		spawn, life := r.world.Now()
		r.renew(world.Scene{Seed: uint32(c.n), Spawn: spawn, Life: life}, r.world.Running())
	case "story":
		r.story()
	case "run":
		r.rerun(c.run)
	case "scene":
		if goesOn(r.world, c.scene) {
			r.rerun(c.run)
		} else {
			r.renew(c.scene, c.run)
		}
	default:
		err = r.world.Do(ops[c.do], c.n)
	}
	if err != nil {
		return clipped{err}
	}
	r.tell()
	if r.paused || c.do == "seed" || c.do == "scene" || c.do == "story" {
		// No step follows, or the waiting frames are of another world.
		r.show(true)
	}
	return nil
}

var ops = map[string]world.Op{
	"burst": world.OpBurst, "kill": world.OpKill, "cull": world.OpCull,
	"spawn": world.OpSpawn, "life": world.OpLife,
}

func (r *room) renew(s world.Scene, run []world.Kind) {
	r.world = world.New(s, run)
}

// story restarts the first world with a burst that shows its purpose. It does nothing while others
// are connected, since the world is theirs, too.
func (r *room) story() {
	if r.viewers.Len() > 1 {
		return
	}
	r.renew(r.first.Story(), r.firsts)
	r.paused = false
}

func (r *room) rerun(run []world.Kind) {
	if !slices.Equal(run, r.world.Running()) {
		r.world.Run(run)
	}
}

// goesOn reports whether w is a later state of a scene and will continue as the scene does: past
// events must be the same, and so must those to come.
func goesOn(w *world.World, asked world.Scene) bool {
	s := w.Scene()
	return w.Exact() && s.Seed == asked.Seed && s.Spawn == asked.Spawn && s.Life == asked.Life &&
		slices.Equal(s.Events, asked.Events)
}
