package replica

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
)

// outage is a server that loses the end of its files.
type outage struct {
	*Server
	dir, copied string
	c           Config
}

// newOutage starts a server in a directory.
func newOutage(t *testing.T) *outage {
	dir := t.TempDir()
	s, err := Serve(ctxOf(t), Config{Dir: dir + "/now", NoSync: true, Listen: freeAddress(t)})
	if err != nil {
		t.Fatal(err)
	}
	o := &outage{s, dir + "/now", dir + "/then", Config{URL: s.URL(), SnapshotEvery: -1}}
	t.Cleanup(func() { o.Close() })
	return o
}

// restart stops the server, calls change, and starts it again at the same address.
func (o *outage) restart(t *testing.T, change func()) {
	t.Helper()
	o.Close()
	change()
	s, err := Serve(ctxOf(t), Config{Dir: o.dir, NoSync: true,
		Listen: address(t, o.c)})
	if err != nil {
		t.Fatal(err)
	}
	o.Server = s
}

// save copies the files.
func (o *outage) save(t *testing.T) {
	t.Helper()
	o.restart(t, func() {
		if err := os.CopyFS(o.copied, os.DirFS(o.dir)); err != nil {
			t.Fatal(err)
		}
	})
}

// lose brings back the saved files, of all streams or of the log alone.
func (o *outage) lose(t *testing.T, what string) {
	t.Helper()
	o.restart(t, func() {
		if err := os.RemoveAll(o.dir + what); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(o.dir+what, os.DirFS(o.copied+what)); err != nil {
			t.Fatal(err)
		}
	})
}

const logFiles = "/jetstream/$G/streams/BERTH_world"

// A log loses its end, with frames that followers have applied. They find out, whether the next
// leader has written more or fewer messages, and have what it has.
func TestLostEnd(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"shorter": 0, "as long": 5, "longer": 30} {
		o := newOutage(t)
		l := startLead(t, o.c, split, berth.NewPool[body](berth.Config{Seed: 1}))
		g := newPlay(20, l.pool)
		g.flush(t, l, 60)
		o.save(t)
		cells := []Cell{{0, 0}, {-1, -1}}
		all, some := startFollow[body](t, o.c), startFollow[body](t, o.c, cells...)
		for range 6 {
			g.frame(l, 1)
			l.Insert(body{X: 1, Y: 1})
			flush(t, l)
		}
		same(t, l, all)
		same(t, l, some, cells...)
		o.lose(t, "")
		next := startLead(t, o.c, split, berth.NewPool[body](berth.Config{}))
		if next.Seq() >= all.Seq() {
			t.Fatalf("the log ends at %d", next.Seq())
		}
		g = newPlay(21, next.pool)
		for range more {
			g.flush(t, next, 3)
		}
		want := ErrDiverged
		if next.Seq() < all.Seq() {
			want = ErrBehind
		}
		for _, f := range []*Follower[body]{all, some} {
			at := f.Seq()
			_, err := f.Step(ctxOf(t))
			wantErr(t, err, want, "message")
			if s := f.Stats(); s.Behind+s.Diverged != 1 || s.Loads != 2 {
				t.Errorf("%s: at %d: %+v", name, at, s)
			}
		}
		g.flush(t, next, 30)
		same(t, next, all)
		same(t, next, some, cells...)
		_, err := l.Flush(ctxOf(t)) // has no changes
		g = newPlay(22, l.pool)
		g.frame(l, 10)
		if err == nil {
			_, err = l.Flush(ctxOf(t))
		}
		wantErr(t, err, ErrFenced)
		same(t, next, all)
	}
}

// A log that ends just before the last frame that a follower has applied has lost it.
func TestLostOne(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	l := startLead(t, o.c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	o.save(t)
	f := startFollow[body](t, o.c)
	l.Insert(body{X: 1})
	flush(t, l) // two messages
	same(t, l, f)
	o.lose(t, "")
	next := startLead(t, o.c, split, berth.NewPool[body](berth.Config{})) // one message
	if next.Seq() != f.Seq()-1 {
		t.Fatalf("the log ends at %d, and the follower is at %d", next.Seq(), f.Seq())
	}
	_, err := f.Step(ctxOf(t))
	wantErr(t, err, ErrBehind)
	next.Insert(body{X: 2})
	flush(t, next)
	same(t, next, f)
}

// A leader that is still there finds out that its log has lost acknowledged frames, and stops.
func TestLostEndLeader(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	l := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	newPlay(23, l.pool).flush(t, l, 60)
	o.save(t)
	want := l.Hash()
	l.Insert(body{})
	flush(t, l)
	o.lose(t, "")
	l.Insert(body{})
	_, err := l.Flush(ctxOf(t))
	wantErr(t, err, ErrFenced, "lost message")
	next := startLead(t, o.c, whole, l.pool)
	if next.Hash() != want {
		t.Error("the log has another world than the one it had")
	}

	for range 5 { // and if another leader has made the log as long as it was
		next.Insert(body{})
		flush(t, next)
	}
	o.lose(t, "")
	last := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{}))
	for last.Seq() < next.Acked() {
		last.Insert(body{})
		flush(t, last)
	}
	next.Insert(body{})
	_, err = next.Flush(ctxOf(t))
	wantErr(t, err, ErrFenced, "lost message")
}

// A follower has read parts of a frame that the log has lost. It does not mix them with another's.
func TestLostParts(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	l := startLead(t, o.c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	g := newPlay(26, l.pool)
	g.flush(t, l, 60)
	o.save(t)
	f := startFollow[body](t, o.c)
	same(t, l, f)
	wait(t, l)
	g.frame(l, 60)
	for !l.send.nc.IsConnected() {
		time.Sleep(time.Millisecond)
	}
	l.publishParts(-1)
	reachMessage(t, f, logState(t, o.c).LastSeq)
	o.lose(t, "")
	next := startLead(t, o.c, split, berth.NewPool[body](berth.Config{}))
	g = newPlay(27, next.pool)
	for range 5 {
		g.flush(t, next, 20)
	}
	same(t, next, f)
}

// The log has lost the last message that is in a snapshot. Its sequence is not used again, unless the
// snapshot is damaged. Then the next leader takes over once.
func TestSnapshotBeyondByOne(t *testing.T) {
	t.Parallel()
	for _, damaged := range []bool{false, true} {
		o := newOutage(t)
		l := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
		o.save(t)
		l.Insert(body{})
		snapshot(t, l)
		o.lose(t, logFiles)
		seq := l.Seq() + 1
		if damaged {
			seq--
			store := stream(t, o.c, "BERTH_world_snapshots")
			part := storeOf(l).subject(seq, "0")
			if err := store.Purge(ctxOf(t), jetstream.WithPurgeSubject(part)); err != nil {
				t.Fatal(err)
			}
		}
		accept := whole
		accept.Accept = damaged
		next := startLead(t, o.c, accept, berth.NewPool[body](berth.Config{}))
		if next.send.lead != seq || (next.Hash() == l.Hash()) == damaged {
			t.Errorf("damaged %v: the next leader took over at %d, want %d", damaged, next.send.lead, seq)
		}
		if first := logState(t, o.c).FirstSeq; !damaged && first != seq {
			t.Errorf("the log begins at %d, want %d", first, seq)
		}
	}
}

// A leader writes a snapshot of frames that the log has lost, while the next one takes over, which
// then has the frames.
func TestSnapshotMeanwhile(t *testing.T) {
	for n := 1; n <= 3; n++ { // the takeover has the place of the first frame
		o := newOutage(t)
		l := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
		o.save(t)
		for range n {
			l.Insert(body{})
			flush(t, l)
		}
		if err := l.encodeSnapshot(); err != nil {
			t.Fatal(err)
		}
		o.lose(t, "")
		once(t, "lead: taken over", func() {
			if err := storeOf(l).put(ctxOf(t), l.Seq(), l.snaps.buf); err != nil {
				t.Error(err)
			}
		})
		next := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{}))
		if next.Hash() != l.Hash() {
			t.Error("the next leader lacks the frames")
		}
	}
}

// The log loses its end, and the snapshots do not. The next leader has what the latest of them has.
func TestSnapshotBeyond(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	l := startLead(t, o.c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	g := newPlay(24, l.pool)
	g.flush(t, l, 60)
	o.save(t)
	for range 3 {
		for range 5 {
			g.flush(t, l, 20)
		}
		snapshot(t, l)
	}
	f := startFollow[body](t, o.c)
	same(t, l, f)
	o.lose(t, logFiles)
	err := error(nil)
	for all := ctxOf(t); !errors.Is(err, ErrBehind) && all.Err() == nil; {
		ctx, cancel := context.WithTimeout(all, 50*time.Millisecond)
		_, err = f.Step(ctx)
		cancel()
		wantErr(t, err, context.DeadlineExceeded)
	}
	wantErr(t, err, ErrBehind)
	ctx, cancel := context.WithTimeout(ctxOf(t), 50*time.Millisecond)
	defer cancel()
	_, err = Follow[body](ctx, o.c, FollowOptions{})
	wantErr(t, err, context.DeadlineExceeded)
	for range 2 {
		next := startLead(t, o.c, split, berth.NewPool[body](berth.Config{}))
		if next.Hash() != l.Hash() {
			t.Fatal("the next leader has another world than the snapshot")
		}
		if seqs, err := storeOf(next).list(ctxOf(t)); err != nil || len(seqs) > 3 {
			t.Error("in the store:", seqs, err)
		}
		for range 3 {
			newPlay(25, next.pool).flush(t, next, 20)
		}
		for ctx := ctxOf(t); f.Seq() != next.Seq(); {
			if _, err := f.Step(ctx); err != nil && !errors.Is(err, ErrBehind) {
				t.Fatal(err)
			}
		}
		same(t, next, f)
		same(t, next, startFollow[body](t, o.c))
		l = next
	}
	if f.Stats().Behind != 1 {
		t.Errorf("%+v", f.Stats())
	}
}
