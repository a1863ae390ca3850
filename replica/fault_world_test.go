package replica

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

// childPatience makes faults last longer than all that a child waits for.
const childPatience = 200 * time.Millisecond

// someCells are those of followers of some cells.
var someCells = []Cell{{0, 0}, {-1, -1}, {1, -2}}

// history is what the leaders of a world have done, as one sequence of frames.
type history struct {
	hashes [2][]uint64 // by frame: of all values, and of those of someCells
	past   map[past]bool
	acked  uint64 // the last frame that is acknowledged
}

// past is a state that a leader has had and that was given up, with an error.
type past struct {
	some        int // index of history.hashes
	frame, hash uint64
}

func newHistory() history {
	return history{hashes: [2][]uint64{{0}, {0}}, past: map[past]bool{}}
}

// add records a frame that will be published.
func (h *history) add(frame, all, some uint64) error {
	if n := uint64(len(h.hashes[0])); frame != n {
		return fmt.Errorf("frame %d after frame %d", frame, n-1)
	}
	h.hashes[0] = append(h.hashes[0], all)
	h.hashes[1] = append(h.hashes[1], some)
	return nil
}

// begin records the state in which a leader begins, and fails if none has had it. The frames after
// it never happened. Unless lossy is set, none of them may be acknowledged.
func (h *history) begin(frame, hash uint64, lossy bool) error {
	if old := len(h.hashes[0]); lossy && frame >= uint64(old) { // after a gap in the numbers
		for old--; old > 0 && h.hashes[0][old] != hash; old-- {
		}
		if h.hashes[0][old] != hash {
			return fmt.Errorf("a leader begins with hash %x, which none had", hash)
		}
		for i, hashes := range h.hashes {
			for n, x := range hashes {
				h.past[past{i, uint64(n), x}] = true
			}
			h.hashes[i] = append(hashes, make([]uint64, frame+1-uint64(len(hashes)))...)
			h.hashes[i][frame] = hashes[old]
		}
	}
	switch {
	case frame >= uint64(len(h.hashes[0])) || hash != h.hashes[0][frame]:
		return fmt.Errorf("a leader begins at frame %d with hash %x, which none had", frame, hash)
	case !lossy && frame < h.acked:
		return fmt.Errorf("a leader begins at frame %d, and %d were acknowledged", frame, h.acked)
	}
	for i, hashes := range h.hashes {
		for n := frame + 1; lossy && n < uint64(len(hashes)); n++ {
			h.past[past{i, n, hashes[n]}] = true
		}
		h.hashes[i] = hashes[:frame+1]
	}
	h.acked = min(h.acked, frame)
	return nil
}

// has reports whether a leader has had a state.
func (h *history) has(some int, frame, hash uint64) bool {
	if frame < uint64(len(h.hashes[0])) && h.hashes[some][frame] == hash {
		return true
	}
	return h.past[past{some, frame, hash}]
}

// world is a world of several processes: a leader, standbys and followers, and a server unless the
// leader has one of its own.
type world struct {
	history
	*rand.Rand
	home testing.TB      // of the processes
	t    testing.TB      // of the fault
	ctx  context.Context // likewise

	config    Config // of the server
	leading   child  // of leaders
	server    *process
	leader    *process // was told to lead last
	writer    *process // whose frames count: the leader, once it is ready
	floor     uint64   // the frame at which it began
	standbys  []*process
	followers []*process
	states    int             // of followers that were compared
	ups       []time.Duration // from the fault to a frame of another leader
}

// newWorld starts the processes of a world, and waits until it has frames.
func newWorld(ctx context.Context, t testing.TB, r *rand.Rand, separate bool) *world {
	w := &world{history: newHistory(), Rand: r, home: t, t: t, ctx: ctx}
	w.config = Config{Dir: t.TempDir(), Listen: freeAddress(t), NoSync: r.IntN(4) > 0}
	w.leading = child{Role: "leader", Cells: someCells, Ops: 12, Standby: separate,
		Every: 20 * time.Millisecond, Config: w.config}
	w.leading.Config.MaxUnacked = r.IntN(5)
	w.leading.Config.SnapshotEvery = 50 * time.Millisecond
	if separate {
		w.server = w.join(child{Role: "server", Config: w.config})
		w.until(w.server, "ready")
		for range 2 + r.IntN(2) {
			w.standbys = append(w.standbys, w.join(w.leading))
		}
	}
	w.leader = w.join(w.leading)
	w.writer = w.leader
	if separate {
		w.leader.tell("lead")
	}
	w.untilAcked()
	w.followers = []*process{w.join(child{Role: "follower"}),
		w.join(child{Role: "follower", Cells: someCells})}
	w.settle()
	return w
}

// join starts a process, if it has no server behind a network of its own.
func (w *world) join(c child) *process {
	c.Seed, c.Patience = w.Uint64(), childPatience
	var net *proxy
	if c.Role == "follower" || c.Standby {
		remote := Config{URL: "nats://" + w.config.Listen, Dir: w.config.Dir,
			MaxUnacked: c.Config.MaxUnacked, SnapshotEvery: c.Config.SnapshotEvery}
		net, c.Config = startProxy(w.home, remote, w.Uint64())
	}
	p := start(w.home, c)
	p.net = net
	w.until(p, "start")
	return p
}

// next returns the next line of a process.
func (w *world) next(p *process) line {
	w.t.Helper()
	select {
	case x, ok := <-p.lines:
		if !ok {
			w.t.Fatalf("the %s has ended after %q", p.Role, p.seen.text)
		}
		p.seen = x
		return x
	case <-w.ctx.Done():
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it writes where it is
		for range p.lines {
		}
		w.t.Fatalf("waiting for the %s after %q: %v", p.Role, p.seen.text, w.ctx.Err())
	}
	return line{}
}

// until handles the lines of a process up to one of a kind, and returns that.
func (w *world) until(p *process, what string) line {
	w.t.Helper()
	for {
		x := w.next(p)
		w.take(p, x)
		if x.what == what {
			return x
		}
		if x.what == "end" {
			w.t.Fatalf("the %s has ended before %q: %s", p.Role, what, x.text)
		}
	}
}

// take handles a line of a process.
func (w *world) take(p *process, x line) {
	w.t.Helper()
	var err error
	switch {
	case p.Role == "follower":
		w.follow(p, x)
	case p.Role != "leader":
	case x.what == "ready":
		for w.writer != p && x.frame >= uint64(len(w.hashes[0])) {
			w.take(w.writer, w.next(w.writer)) // its line about the frame was written before
		}
		err = w.begin(x.frame, x.hash, false)
		w.writer, w.floor = p, x.frame
	case p == w.writer && x.what == "frame":
		err = w.add(x.frame, x.hash, x.last)
	case p == w.writer && x.what == "acked":
		w.acked = max(w.acked, x.frame)
	case p == w.leader && x.what == "end":
		err = fmt.Errorf("the leader has ended: %s", x.text)
	case x.what == "acked" && x.frame > w.floor:
		err = fmt.Errorf("frame %d is acknowledged, and another leader began at %d", x.frame,
			w.floor)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// follow handles a line of a follower.
func (w *world) follow(p *process, x line) {
	w.t.Helper()
	switch x.what {
	case "end":
		w.t.Fatalf("a follower: %s", x.text)
	case "report":
		if !strings.Contains(x.text, ErrBehind.Error()) {
			w.t.Fatalf("a follower: %s", x.text)
		}
	case "at", "ready":
		if x.what == "at" {
			p.at = x
		}
		for x.frame >= uint64(len(w.hashes[0])) {
			w.take(w.leader, w.next(w.leader))
		}
		if some := min(1, len(p.Cells)); x.frame > 0 && !w.has(some, x.frame, x.hash) {
			w.t.Fatalf("a follower of %d cells has hash %x at frame %d, and the leader had %x",
				len(p.Cells), x.hash, x.frame, w.hashes[some][x.frame])
		}
		w.states++
	}
}

// drain handles what the leader has written so far.
func (w *world) drain() {
	for {
		select {
		case x, ok := <-w.leader.lines:
			if !ok {
				return // next reports it
			}
			w.take(w.leader, x)
		default:
			return
		}
	}
}

// untilAcked waits until a frame is acknowledged that is published from now on.
func (w *world) untilAcked() {
	w.t.Helper()
	w.drain()
	for next := uint64(len(w.hashes[0])); w.acked < next; {
		w.take(w.leader, w.next(w.leader))
	}
}

// reach handles lines of a follower until it has a frame, and returns its state.
func (w *world) reach(p *process, frame uint64) line {
	w.t.Helper()
	for p.at.frame < frame {
		w.follow(p, w.next(p))
	}
	return p.at
}

// settle waits until the world goes on, and all followers do.
func (w *world) settle() {
	w.t.Helper()
	w.untilAcked()
	newest := w.acked
	for _, p := range w.followers {
		w.reach(p, newest)
	}
}

// takeOver makes a standby the leader, and starts another standby.
func (w *world) takeOver() {
	w.t.Helper()
	w.leader = w.standbys[0]
	w.standbys = append(slices.Clone(w.standbys[1:]), w.join(w.leading))
	w.leader.tell("lead")
	w.until(w.leader, "ready")
}

// ends waits for the end of a leader that has lost the world to another one, unless it was killed.
func (w *world) ends(p *process) {
	w.t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	x := w.next(p)
	for ; x.what != "end"; x = w.next(p) {
		w.take(p, x)
	}
	if p.kill(); strings.HasPrefix(x.text, "end :") {
		w.t.Fatalf("a leader that another one has followed: %s", x.text)
	}
}

// work lets the leader do frames and snapshots.
func (w *world) work(snapshots int) {
	w.t.Helper()
	for range snapshots {
		w.untilAcked()
		w.leader.tell("snapshot")
		w.until(w.leader, "snapshot")
	}
	w.untilAcked()
}

// kill kills a process, handles what it had written, and puts another in its place.
func (w *world) kill(p *process) {
	w.t.Helper()
	for _, x := range p.kill() {
		w.take(p, x)
	}
	switch i := slices.Index(w.followers, p); {
	case i >= 0:
		w.followers[i] = w.join(p.child)
	case p == w.server:
		w.server = w.join(p.child)
		w.until(w.server, "ready")
	case p == w.leader && w.server == nil:
		w.leader = w.join(p.child)
		w.writer = w.leader
		w.until(w.leader, "ready")
	case p == w.leader:
		w.takeOver()
	}
}

// visit makes a leader stop at a point. One of Lead is that of a standby, which becomes the leader.
func (w *world) visit(point string) *process {
	w.t.Helper()
	p, n := w.leader, 1+w.IntN(3)
	if strings.HasPrefix(point, "lead:") {
		if n = 1; w.server == nil {
			w.t.Fatal("there are no standbys")
		}
		p = w.standbys[0]
		w.standbys = append(slices.Clone(w.standbys[1:]), w.join(w.leading))
	}
	p.tell(fmt.Sprintf("at %d %s", n, point))
	if p != w.leader {
		p.tell("lead")
	}
	for x := w.next(p); x.what != "stopped"; x = w.next(p) {
		if w.take(p, x); x.what == "end" {
			w.t.Fatalf("before %q: %s", point, x.text)
		}
	}
	return p
}

// close kills all processes.
func (w *world) close() {
	others := []*process{w.leader, w.writer, w.server}
	for _, p := range slices.Concat(w.followers, w.standbys, others) {
		if p != nil {
			p.kill()
		}
	}
}

// finish ends the frames, and compares the ends of all.
func (w *world) finish() {
	w.leader.tell("stop")
	x := w.until(w.leader, "done")
	for _, p := range w.followers {
		if y := w.reach(p, x.frame); y.frame != x.frame || y.last != x.last {
			w.t.Errorf("a follower ends at %q, and the leader at %q", y.text, x.text)
		}
	}
	all := append(slices.Clone(w.followers), w.leader)
	for _, p := range all {
		// A client of NATS has about 10 goroutines and 8 descriptors, and a server 60 of each.
		p.tell("count")
		c := w.until(p, "count")
		if w.server != nil && (c.frame > 30 || c.hash > 16) || c.last > 64<<10 {
			w.t.Errorf("a %s has %q in the end", p.Role, c.text)
		}
		w.t.Logf("a %s has %q in the end", p.Role, c.text)
	}
	w.close()
	l := startLead(w.t, Config{Dir: w.config.Dir}, split, berth.NewPool[body](berth.Config{}))
	if l.frame != x.frame || l.Hash() != x.hash {
		w.t.Errorf("the world has %d frames and hash %x, and the leader had %d and %x", l.frame,
			l.Hash(), x.frame, x.hash)
	}
	slices.Sort(w.ups)
	w.t.Logf("%d frames, %d states of followers compared, hash %x", x.frame, w.states, x.hash)
	if len(w.ups) > 0 {
		w.t.Logf("after the kill of a leader, the next one had a frame acknowledged after %v"+
			" (median), %v (worst)", w.ups[len(w.ups)/2], w.ups[len(w.ups)-1])
	}
}
