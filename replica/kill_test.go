package replica

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
)

// After kills of leader, server and followers at any moment, all that the leader had acknowledged is
// in the world, every state that a follower has ever had is one of the leader's, and all end with
// the same.
func TestKills(t *testing.T) {
	kills := map[string]int{"a server of its own": 3, "a separate server": 2}
	if long.On {
		kills = map[string]int{"a server of its own": 50, "a separate server": 50}
	}
	for name, n := range kills {
		t.Run(name, func(t *testing.T) {
			leakCheck(t)
			w := newKills(t, 2026, name == "a separate server")
			for range n {
				w.round()
			}
			w.finish()
		})
	}
}

// kills is a world whose processes are killed.
type kills struct {
	*rand.Rand
	t      testing.TB
	ctx    context.Context
	dir    string
	all    []*process // the server if it is separate, the leader, and followers
	leader int        // in all

	hashes [2][]uint64 // by frame: of all, and of some cells
	acked  uint64      // frame
	count  map[string]int
	rounds int
	states int             // of followers
	killed time.Time       // the last time
	ups    []time.Duration // from the kill of a leader to an acknowledged frame of the next one
}

// newKills starts the processes.
func newKills(t testing.TB, seed uint64, separate bool) *kills {
	w := &kills{Rand: rand.New(rand.NewPCG(seed, 0)), t: t, dir: t.TempDir(), count: map[string]int{}}
	t.Log("seed", seed)
	var cancel context.CancelFunc
	w.ctx, cancel = context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	w.hashes = [2][]uint64{{0}, {0}}
	address := freeAddress(t)
	own := Config{Dir: w.dir, Listen: address}
	remote := Config{URL: "nats://" + address, Dir: w.dir}
	cells := []Cell{{0, 0}, {-1, -1}, {1, -2}}
	leader := child{Role: "leader", Config: own, Cells: cells, Ops: 30}
	if separate {
		w.all = append(w.all, start(t, child{Role: "server", Config: own}))
		leader.Config = remote
	}
	leader.Config.MaxUnacked = 4
	leader.Config.SnapshotEvery = 50 * time.Millisecond
	w.leader = len(w.all)
	w.all = append(w.all, start(t, leader))
	w.untilAcked()
	follower := child{Role: "follower", Config: remote}
	w.all = append(w.all, start(t, follower))
	follower.Cells = cells
	w.all = append(w.all, start(t, follower))
	return w
}

// line returns the next line of a process. Its end is a failure: only the test ends processes.
func (w *kills) line(i int) line {
	select {
	case x, ok := <-w.all[i].lines:
		if !ok {
			w.t.Fatalf("the %s has ended by itself", w.all[i].Role)
		}
		return x
	case <-w.ctx.Done():
		w.t.Fatalf("waiting for the %s: %v", w.all[i].Role, w.ctx.Err())
	}
	return line{}
}

// lead handles a line of the leader.
func (w *kills) lead(x line) {
	switch x.what {
	case "ready":
		if x.frame < w.acked {
			w.t.Fatalf("the leader has %d frames, and %d were acknowledged", x.frame, w.acked)
		}
		if x.frame >= uint64(len(w.hashes[0])) || x.frame > 0 && x.hash != w.hashes[0][x.frame] {
			w.t.Fatalf("the leader begins at frame %d with hash %x, which it never had", x.frame, x.hash)
		}
		for i := range w.hashes { // the others never happened
			w.hashes[i] = w.hashes[i][:x.frame+1]
		}
	case "frame":
		if x.frame != uint64(len(w.hashes[0])) {
			w.t.Fatalf("frame %d after frame %d", x.frame, len(w.hashes[0])-1)
		}
		w.hashes[0] = append(w.hashes[0], x.hash)
		w.hashes[1] = append(w.hashes[1], x.last)
	case "acked":
		w.acked = max(w.acked, x.frame)
	}
}

// untilAcked handles the leader's lines until a frame is acknowledged that is published from now on.
func (w *kills) untilAcked() {
	w.drain()
	for next := uint64(len(w.hashes[0])); w.acked < next; {
		w.lead(w.line(w.leader))
	}
}

// follow handles a line of a follower. The leader's line about the frame was written before, and
// so is there to be read.
func (w *kills) follow(i int, x line) {
	switch x.what {
	case "report":
		if !strings.Contains(x.text, ErrBehind.Error()) {
			w.t.Fatalf("a follower: %s", x.text)
		}
	case "at", "ready":
		if x.what == "at" {
			w.all[i].at = x
		}
		for x.frame >= uint64(len(w.hashes[0])) {
			w.lead(w.line(w.leader))
		}
		of := w.hashes[min(1, len(w.all[i].Cells))]
		if x.frame > 0 && x.hash != of[x.frame] {
			w.t.Fatalf("a follower of %d cells has hash %x at frame %d, and the leader had %x",
				len(w.all[i].Cells), x.hash, x.frame, of[x.frame])
		}
		w.states++
	}
}

// round kills a process after a number of frames, starts it again, and waits until it is back.
func (w *kills) round() {
	w.drain()
	for frames := 1 + w.IntN(40); frames > 0; {
		x := w.line(w.leader)
		w.lead(x)
		if x.what == "frame" {
			frames--
		}
	}
	victim := w.rounds // each at least once
	if w.rounds++; victim >= len(w.all) {
		victim = w.IntN(len(w.all))
	}
	for again := true; again; again = w.IntN(8) == 0 {
		w.kill(victim)
	}
	if w.all[victim].Role == "server" {
		for w.line(victim).what != "ready" {
		}
	}
	w.untilAcked()
	if victim == w.leader {
		w.ups = append(w.ups, time.Since(w.killed))
	}
	newest := w.acked
	for i := w.leader + 1; i < len(w.all); i++ { // they go on
		w.reach(i, newest)
	}
}

// reach handles lines of a follower until it has a frame, and returns its state.
func (w *kills) reach(i int, frame uint64) line {
	for w.all[i].at.frame < frame {
		w.follow(i, w.line(i))
	}
	return w.all[i].at
}

// kill kills a process, reads what it had written, and starts it again.
func (w *kills) kill(i int) {
	p := w.all[i]
	w.count[p.Role]++
	w.killed = time.Now()
	for _, x := range p.kill() {
		switch {
		case i == w.leader:
			w.lead(x)
		case i > w.leader:
			w.follow(i, x)
		}
	}
	p.Seed = w.Uint64()
	w.all[i] = start(w.t, p.child)
	if w.line(i).what != "start" {
		w.t.Fatal("a child does not start")
	}
}

// drain handles what the leader has written so far, so that frames count from now on.
func (w *kills) drain() {
	for {
		select {
		case x, ok := <-w.all[w.leader].lines:
			if !ok {
				return // line reports it
			}
			w.lead(x)
		default:
			return
		}
	}
}

// finish ends the frames, and compares the ends of all.
func (w *kills) finish() {
	w.all[w.leader].stop()
	x := w.line(w.leader)
	for ; x.what != "done"; x = w.line(w.leader) {
		w.lead(x)
	}
	for i := w.leader + 1; i < len(w.all); i++ {
		if y := w.reach(i, x.frame); y.last != x.last {
			w.t.Errorf("a follower ends at %d, and the leader at %d", y.last, x.last)
		}
	}
	for _, p := range w.all {
		p.kill()
	}
	l := startLead(w.t, Config{Dir: w.dir}, split, berth.NewPool[body](berth.Config{}))
	if l.frame != x.frame || l.Hash() != x.hash {
		w.t.Errorf("the world has %d frames and hash %x, and the leader had %d and %x", l.frame,
			l.Hash(), x.frame, x.hash)
	}
	slices.Sort(w.ups)
	w.t.Logf("%d rounds, kills: %v; %d frames, %d states of followers compared, hash %x", w.rounds,
		w.count, x.frame, w.states, x.hash)
	if len(w.ups) > 0 {
		w.t.Logf("after the kill of a leader, the next one had a frame acknowledged after %v"+
			" (median), %v (worst)", w.ups[len(w.ups)/2], w.ups[len(w.ups)-1])
	}
}
