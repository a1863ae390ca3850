package live

import (
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/world"
)

// seat names a viewer in the room.
type seat = berth.Handle[*viewer]

// room has the world and those who look. They belong to one goroutine, by which the others have
// functions called. Those for the door let viewers in and out.
type room struct {
	first   world.Scene  // what the server was started with
	firsts  []world.Kind // the same of the containers
	world   *world.World
	paused  bool
	viewers *berth.Pool[*viewer]
	frames  *encoder
	spawn   int       // as viewers know it
	life    int       // as viewers know it
	noticed time.Time // when the last notice went out

	ticker  *time.Ticker
	ticking bool

	door, work    chan func()
	closing       bool // nobody comes in any more
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

// run owns the room until close.
func (r *room) run() {
	defer close(r.stopped)
	r.ticker = time.NewTicker(time.Second / perSecond)
	r.ticker.Stop()
	defer r.ticker.Stop()
	for {
		// A tick waits while the room is busy, but never two of them: time lost is lost.
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

// do has f called by the room's goroutine, and waits for it. It reports false if there is none any
// more.
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

// join gives v a seat. If there is none, or the room is closing, it returns the zero seat; else the
// connection must call leave.
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

// welcome shows the world to the viewer in s, and tells all that there is one more.
func (r *room) welcome(s seat) {
	r.do(r.door, func() {
		if v, ok := r.viewers.Get(s); ok {
			r.tell() // first: without a state, a page does not know what a frame is of
			f := r.frames.encode(r.world, r.world.Running(), r.paused, true)
			v.offer(f)
			f.drop()
		}
	})
}

// leave takes the seat back, unless that has been done. told says whether welcome was called.
func (r *room) leave(s seat, told bool) {
	defer r.conns.Done()
	r.do(r.door, func() {
		if _, ok := r.viewers.Remove(s); ok && told {
			r.tell()
		}
	})
}

// close says goodbye to all, and ends the room. Nobody comes in any more.
func (r *room) close() {
	r.do(r.door, func() {
		r.closing = true
		for _, v := range r.viewers.Drain() {
			v.sayGoodbye(websocket.StatusGoingAway, "the server ends")
		}
	})
	close(r.stop)
	<-r.stopped
}

// step moves the world on by one step, and shows it.
func (r *room) step() {
	r.advance()
	r.show(false)
}

// advance moves the world on by one step, and tells what happened in it.
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

// tell tells all viewers the state.
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

// show shows all viewers the world as it is, with heat if that is asked for, or one of them lacks
// it. None of them is waited for.
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

// control does what a viewer asks for, and tells and shows it to all.
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
		// No step will, or what waits to be sent is of another world.
		r.show(true)
	}
	return nil
}

// ops are the events that viewers can bring about.
var ops = map[string]world.Op{
	"burst": world.OpBurst, "kill": world.OpKill, "cull": world.OpCull,
	"spawn": world.OpSpawn, "life": world.OpLife,
}

func (r *room) renew(s world.Scene, run []world.Kind) {
	r.world = world.New(s, run)
}

// story begins the world anew, as it was first, with the burst that shows what it is for. It does
// nothing while others look: the world is theirs, too.
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

// goesOn reports whether w is what a scene has come to by now, and goes on as the scene does: not
// only the events so far must be the same, but also those to come, which were asked for as well.
func goesOn(w *world.World, asked world.Scene) bool {
	s := w.Scene()
	return w.Exact() && s.Seed == asked.Seed && s.Spawn == asked.Spawn && s.Life == asked.Life &&
		slices.Equal(s.Events, asked.Events)
}
