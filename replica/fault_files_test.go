package replica

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// ground is a world in files that faults change, with a leader and followers in this process.
type ground struct {
	history
	*rand.Rand
	t   *testing.T
	ctx context.Context

	c         Config
	net       *proxy // of the followers, so that the server may come back anywhere
	remote    Config
	leader    *Leader[body]
	play      *play
	followers []*watched
	began     uint64 // frame at which the leader began
	lost      error  // what it has given up
	lossy     bool   // something may be lost without an error
}

// watched is a follower whose states are compared.
type watched struct {
	*Follower[body]
	some    int // index of history.hashes
	reports int
}

// newGround begins a world on a server. c is for its clients.
func newGround(t *testing.T, r *rand.Rand, c Config) *ground {
	w := &ground{history: newHistory(), Rand: r, t: t, ctx: ctxOf(t), c: c}
	w.net, w.remote = startProxy(t, c, r.Uint64())
	w.lead()
	return w
}

// write makes frames that must be acknowledged.
func (w *ground) write(frames int) {
	w.t.Helper()
	for range frames {
		if err := w.frame(w.ctx); err != nil {
			w.t.Fatal(err)
		}
	}
}

// frame makes a frame of random changes.
func (w *ground) frame(ctx context.Context) error {
	return w.frameOf(ctx, func() { w.play.frame(w.leader, 20) })
}

// frameOf makes a frame.
func (w *ground) frameOf(ctx context.Context, change func()) error {
	w.t.Helper()
	before := w.leader.Stats().Frames
	change()
	all, some := w.leader.Hash(), hashCells(w.leader, someCells)
	_, err := w.leader.Flush(ctx)
	if w.leader.Stats().Frames > before {
		if err := w.add(w.leader.frame, all, some); err != nil {
			w.t.Fatal(err)
		}
	}
	if err == nil {
		w.acked = w.leader.frame
	}
	return err
}

// snapshot writes a snapshot.
func (w *ground) snapshot() {
	w.t.Helper()
	if err := w.leader.Snapshot(w.ctx); err != nil {
		w.t.Fatal("Snapshot:", err)
	}
}

// begins makes a beginning: some snapshots, and frames between them and after them, with followers
// at the end and others that have only loaded a snapshot.
func (w *ground) begins() {
	w.write(1 + w.IntN(5))
	for range w.IntN(4) {
		w.write(1 + w.IntN(5))
		w.snapshot()
	}
	w.follow()
	w.follow()
	w.write(2 + w.IntN(10))
	w.reach(w.followers[:2])
}

// follow starts two followers: of all values, and of some cells.
func (w *ground) follow() {
	w.t.Helper()
	for some, cells := range [][]Cell{nil, someCells} {
		f, err := Follow[body](w.ctx, w.remote, FollowOptions{Cells: cells})
		if err != nil {
			w.t.Fatal("Follow:", err)
		}
		w.t.Cleanup(f.Close)
		w.followers = append(w.followers, &watched{Follower: f, some: some})
	}
}

// lead leads the world again. If something of it is missing, Lead must say so, and then accept it.
func (w *ground) lead() {
	w.t.Helper()
	try := func(accept bool) error {
		ctx, cancel := context.WithTimeout(w.ctx, 15*time.Second)
		defer cancel()
		o, p := split, berth.NewPool[body](berth.Config{Seed: 1})
		o.Accept = accept
		l, err := Lead(ctx, w.c, o, p)
		if err != nil {
			return err
		}
		w.t.Cleanup(l.Close)
		w.leader, w.play, w.began = l, newPlay(w.Uint64(), p), l.frame
		w.lost = l.Stats().Lost
		return w.begin(l.frame, l.Hash(), w.lossy || w.lost != nil)
	}
	err := try(false)
	if err == nil {
		return
	}
	w.t.Log(err)
	missing := errors.Is(err, ErrBehind) || errors.Is(err, ErrCorrupt)
	if !missing || !strings.ContainsAny(err.Error(), "0123456789") {
		w.t.Fatal("Lead does not say what is missing: ", err)
	}
	if err := try(true); err != nil {
		w.t.Fatal("Lead does not accept: ", err)
	}
	if w.lost == nil {
		w.t.Fatal("Lead has accepted nothing")
	}
	w.t.Log(w.lost)
}

// reach steps followers until they have the leader's last frame.
func (w *ground) reach(all []*watched) {
	w.t.Helper()
	for _, f := range all {
		n, reports := f.tail.world.Frame, f.reports
		gone := n >= uint64(len(w.hashes[0])) || w.hashes[f.some][n] != f.Hash()
		for f.Seq() != w.leader.Seq() || f.Hash() != w.hashes[f.some][w.leader.frame] {
			ctx, cancel := context.WithTimeout(w.ctx, 15*time.Second)
			_, err := f.Step(ctx)
			cancel()
			var report *FrameError
			if errors.As(err, &report) {
				f.reports++
			} else if err != nil {
				w.t.Fatalf("a follower at frame %d, message %d, of %d, %d: %v", f.tail.world.Frame,
					f.Seq(), w.leader.frame, w.leader.Seq(), err)
			}
			if frame := f.tail.world.Frame; err == nil && !w.has(f.some, frame, f.Hash()) {
				w.t.Fatalf("a follower (%d) has hash %x at frame %d, which no leader had", f.some,
					f.Hash(), frame)
			}
		}
		if gone && f.reports == reports {
			w.t.Errorf("a follower had frame %d, which is lost, and has reported nothing", n)
		}
	}
}

// peek steps followers as far as they come while the leader is still there.
func (w *ground) peek() {
	var all sync.WaitGroup
	for _, f := range w.followers {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(w.ctx, time.Second/2)
			defer cancel()
			for ctx.Err() == nil && f.Seq() < w.leader.Seq() {
				if _, err := f.Step(ctx); err != nil {
					f.reports++
				} else if n := f.tail.world.Frame; !w.has(f.some, n, f.Hash()) {
					w.t.Errorf("a follower (%d) has hash %x at frame %d, which no leader had, in"+
						" silence", f.some, f.Hash(), n)
					break
				}
			}
			w.t.Logf("a follower (%d) is at frame %d, message %d, of %d, %d, after %d errors",
				f.some, f.tail.world.Frame, f.Seq(), w.leader.frame, w.leader.Seq(), f.reports)
		})
	}
	all.Wait()
}

// check compares all after a fault, when there is a new leader.
func (w *ground) check() {
	w.t.Helper()
	w.write(2)
	w.snapshot()
	w.write(1)
	w.follow()
	w.reach(w.followers)
	w.leader.Close()
	w.lead() // it has no damage any more
	if w.lost != nil {
		w.t.Errorf("lost again: %v", w.lost)
	}
}

// damage harms the files of a stream while the server is up, or after it was killed or closed.
func damage(t *testing.T, r *rand.Rand, of, when, how string) {
	dir := filepath.Join(t.TempDir(), "now")
	s, err := Serve(ctxOf(t), Config{Dir: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s != nil {
			s.Close()
		}
	})
	w := newGround(t, r, Config{URL: s.URL(), SnapshotEvery: -1})
	w.begins()
	switch when {
	case "closed":
		w.leader.Close()
		s.Close()
	case "killed": // what is in the files then
		w.leader.send.recordLast() // one that is on its way may be lost
		then := filepath.Join(t.TempDir(), "then")
		if err := os.CopyFS(then, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		w.leader.Close()
		s.Close()
		dir = then
	}
	if how == "part" {
		w.edit()
	}
	if when == "up" && how != "flip" && how != "cut" {
		w.unmake(of, how)
	} else {
		w.harm(dir, of, how)
	}
	if when == "up" {
		for range 3 { // these may fail
			if how == "part" {
				break // they would tell the values again
			}
			short, cancel := context.WithTimeout(w.ctx, time.Second/4)
			if err := w.frame(short); err != nil && len(sentinels(err)) == 0 {
				t.Errorf("Flush: %v", err)
			}
			cancel()
		}
		w.peek()
		w.leader.Close()
		s.Close()
	}
	if s, err = Serve(w.ctx, Config{Dir: dir, NoSync: true}); err != nil {
		t.Fatal("Serve:", err)
	}
	w.c.URL = s.URL()
	w.net.move(s.URL())
	w.lead()
	w.check()
}

// edit makes a last frame that only edits values in someCells. A follower that lacks a part of it can
// still apply all others.
func (w *ground) edit() {
	w.t.Helper()
	var handles []berth.Handle[body]
	insert := func() {
		for _, c := range someCells {
			b := body{X: (float32(c.X) + .5) * cellSize, Y: (float32(c.Y) + .5) * cellSize}
			handles = append(handles, w.leader.Insert(b))
		}
	}
	edit := func() {
		for _, h := range handles {
			w.leader.Edit(h).Shield++
		}
	}
	if err := errors.Join(w.frameOf(w.ctx, insert), w.frameOf(w.ctx, edit)); err != nil {
		w.t.Fatal(err)
	}
}

// streamDirs returns the directories of a stream: "log", or "snapshots".
func streamDirs(t *testing.T, dir, of string) (dirs []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		if (filepath.Base(dir) == "BERTH_world") == (of == "log") && of != "nothing" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// harm changes the files of a stream.
func (w *ground) harm(dir, of, how string) {
	w.t.Helper()
	var names []string
	var err error
	streams := streamDirs(w.t, dir, of)
	for _, dir := range streams {
		if how == "lose" {
			if err := os.RemoveAll(dir); err != nil {
				w.t.Fatal(err)
			}
			w.t.Log("lost", dir)
			return
		}
		err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if info, _ := e.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 &&
				!strings.Contains(name, "/obs/") {
				for range 1 + 3*strings.Count(name, ".blk") { // these more often
					names = append(names, name)
				}
			}
			return err
		})
	}
	if err != nil || len(names) == 0 {
		w.t.Fatal("there is nothing to harm in", streams, err)
	}
	name := names[w.IntN(len(names))]
	data, err := os.ReadFile(name)
	if err != nil {
		w.t.Fatal(err)
	}
	at := w.IntN(len(data))
	if how == "cut" {
		err = os.Truncate(name, int64(at))
	} else {
		var f *os.File
		if f, err = os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			_, err = f.WriteAt([]byte{data[at] ^ 1<<w.IntN(8)}, int64(at))
			_ = f.Close()
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Logf("%s at %d of %d in %s", how, at, len(data), strings.TrimPrefix(name, dir))
}

// unmake deletes a message of a stream, one that a follower of some cells needs, or the stream.
func (w *ground) unmake(of, how string) {
	w.t.Helper()
	js := streams(w.t, w.c)
	var err error
	w.leader.send.recordLast() // nothing is on its way any more
	for name := range js.StreamNames(w.ctx).Name() {
		if (name == "BERTH_world") != (of == "log") {
			continue
		}
		if how == "lose" {
			err = js.DeleteStream(w.ctx, name)
		} else {
			s := stream(w.t, w.c, name)
			seqs := sequences(w.ctx, w.t, s)
			seq := seqs[w.IntN(len(seqs))]
			for _, c := range someCells {
				m, err := s.GetLastMsgForSubject(w.ctx, replay.Cell(c).Subject("berth.world."))
				if how == "part" && err == nil {
					seq = m.Sequence
				}
			}
			w.t.Log("message", seq, "of", seqs[0], "to", seqs[len(seqs)-1])
			err = s.DeleteMsg(w.ctx, seq)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// sequences returns the sequences of the messages that a stream has.
func sequences(ctx context.Context, t *testing.T, s jetstream.Stream) (seqs []uint64) {
	t.Helper()
	info, err := s.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		t.Fatal(err)
	}
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		if !slices.Contains(info.State.Deleted, seq) {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// fullLog fills a log with a limit between snapshots. A snapshot makes room, and so does the next
// leader.
func fullLog(t *testing.T, r *rand.Rand) {
	c := serve(t)
	c.MaxBytes = 100_000
	w := newGround(t, r, c)
	burst := func() {
		t.Helper()
		for range 100 {
			w.write(1)
			if n := logState(t, w.c).Bytes; n > 2*100_000 {
				t.Fatalf("the log has %d bytes", n)
			}
		}
	}
	for range 3 {
		burst()
		w.snapshot()
	}
	for range 20 {
		w.write(30)
		w.leader.Close()
		w.lead()
		if w.lost != nil {
			t.Fatal(w.lost)
		}
	}
	w.snapshot()
	w.follow()
	w.write(2)
	w.reach(w.followers)
}

// slowFrame moves messages of .9 MB at 300 kB a second to a follower.
func slowFrame(t *testing.T, r *rand.Rand) {
	w := newGround(t, r, serve(t))
	w.follow()
	w.write(1)
	w.reach(w.followers)
	w.net.rate.Store(300_000)
	for range 20_000 { // in a few cells
		w.leader.Insert(body{X: float32(r.IntN(16)), Y: 1})
	}
	w.write(1)
	w.reach(w.followers)
}

// slowLink moves a snapshot of 1 MB at 800 kB a second to a follower and to the next leader, whose
// patience ends much earlier.
func slowLink(t *testing.T, r *rand.Rand) {
	c, l := begin(t, whole)
	p := newPlay(r.Uint64(), l.pool)
	insert := func(n int) {
		for range n {
			l.Insert(p.body())
		}
		flush(t, l)
	}
	insert(27_000) // two messages, of which the last is small: a consumer is made after reading it
	snapshot(t, l)
	net, slow := startProxy(t, c, r.Uint64())
	net.rate.Store(800_000)
	f := start(t, child{Role: "follower", Config: slow, Patience: childPatience})
	w := &world{t: t, ctx: ctxOf(t)}
	for w.next(f).what != "at" {
	}
	insert(100)
	if x := w.last(f, l.frame); x.hash != l.Hash() {
		t.Errorf("a follower: %s", x.text)
	}
	next := start(t, child{Role: "leader", Config: slow, Patience: childPatience, Whole: true,
		Ops: 10_000})
	if x := w.last(next, l.frame); x.what != "ready" || x.hash != l.Hash() {
		t.Errorf("the next leader: %s", x.text)
	}
	if x := w.last(next, l.frame+1); x.what != "frame" {
		t.Errorf("the next leader: %s", x.text)
	}
	for x := w.next(next); x.what != "acked" || x.frame <= l.frame; x = w.next(next) {
		if x.what == "end" {
			t.Fatalf("the next leader: %s", x.text)
		}
	}
}

// last returns the first line of a process that tells a frame, or that it has ended.
func (w *world) last(p *process, frame uint64) line {
	w.t.Helper()
	x := w.next(p)
	for ; x.what != "end" && x.frame < frame; x = w.next(p) {
	}
	return x
}
