package replica

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// storeOf returns the leader's store.
func storeOf(l *Leader[body]) *store { return &l.snaps.store }

// subjectsIn returns the subjects in the store.
func subjectsIn(t *testing.T, s *store) (names []string) {
	t.Helper()
	info, err := s.stream.Info(ctxOf(t), jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range info.State.Subjects {
		names = append(names, name)
	}
	return names
}

// Two snapshots are kept, and the log after the older one. Nothing else is left of the others.
func TestSnapshotsKept(t *testing.T) {
	c, l := begin(t, split)
	g := newPlay(1, l.pool)
	var last [2]uint64
	var f *Follower[body]
	purges, err := dial(t, c).SubscribeSync("$JS.API.STREAM.PURGE.BERTH_world_snapshots")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		g.frame(l, 40)
		snapshot(t, l)
		if last[0], last[1] = last[1], l.Seq(); i == 3 {
			f = startFollow[body](t, c)
			same(t, l, f)
		}
	}
	m, err := purges.NextMsgWithContext(ctxOf(t))
	if err != nil || !strings.Contains(string(m.Data), ".end") {
		t.Error("the end of a snapshot is not the first part that was removed:", m, err)
	}
	if first := logState(t, c).FirstSeq; first != last[0]+1 {
		t.Errorf("the log begins at %d, want %d", first, last[0]+1)
	}
	if names := subjectsIn(t, storeOf(l)); len(names) != 5 { // a piece and an end each, and the leader
		t.Error("in the store:", names)
	}
	same(t, l, startFollow[body](t, c))
	f.tail.reader.drop() // it is where the log begins, and lacks nothing
	same(t, l, f)
}

// The leader writes snapshots by itself, of acknowledged frames.
func TestSnapshotEvery(t *testing.T) {
	c := serve(t)
	c.SnapshotEvery, c.MaxUnacked = time.Nanosecond, 3
	l := startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	g := newPlay(2, l.pool)
	for l.Stats().Snapshots < 5 {
		if err := l.Stats().SnapshotErr; err != nil {
			t.Fatal(err)
		}
		g.flush(t, l, 10)
	}
	reach(t, f, l.Seq())
	if f.Hash() != l.Hash() {
		t.Error("the follower differs")
	}
	same(t, l, startFollow[body](t, c))
}

// Snapshots have the sequence of a commit, also if somebody else's messages move it.
func TestSnapshotMoved(t *testing.T) {
	c := serve(t)
	c.SnapshotEvery, c.MaxUnacked = time.Nanosecond, 3
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	g := newPlay(28, l.pool)
	for l.Stats().Snapshots < 5 {
		if err := l.Stats().SnapshotErr; err != nil {
			t.Fatal(err)
		}
		g.frame(l, 10)
		inject(t, c, l.send.all, []byte("text"))
		before := l.Stats().Snapshots
		flush(t, l)
		_ = l.snaps.finish(ctxOf(t))
		if l.Stats().Snapshots == before {
			continue
		}
		f := startFollow[body](t, c)
		reach(t, f, l.Acked())
		if s := f.Stats(); s.Diverged+s.Behind > 0 {
			t.Fatalf("a snapshot of %d is not one of a commit: %+v", l.snaps.seq, s)
		}
		f.Close()
	}
	wait(t, l)
	_ = l.snaps.finish(ctxOf(t))
	f := startFollow[body](t, c)
	reach(t, f, l.Seq())
	if s := f.Stats(); s.Diverged+s.Behind > 0 || f.Hash() != l.Hash() {
		t.Errorf("%+v", s)
	}
	g.frame(l, 10)
	l.send.suspect = true // a frame is sent again elsewhere, and the reply is lost
	l.publish()
	inject(t, c, l.send.all, []byte("text"))
	inject(t, c, l.send.all, l.send.pend[0].parts[0].data)
	inject(t, c, l.send.all, []byte("text"))
	wait(t, l)
	reach(t, f, l.Seq())
	if f.Seq() != l.Seq() || l.Acked() != l.Seq() || f.Hash() != l.Hash() {
		t.Errorf("the follower is at %d, the leader at %d, acknowledged %d", f.Seq(), l.Seq(),
			l.Acked())
	}
}

// A frame that never happened is in no snapshot.
func TestSnapshotUnacked(t *testing.T) {
	c := serve(t)
	c.SnapshotEvery, c.MaxUnacked = time.Nanosecond, 3
	first := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	first.Insert(body{HP: 1})
	flush(t, first)
	snapshot(t, first)
	c.SnapshotEvery = -1
	second := startLead(t, c, whole, berth.NewPool[body](berth.Config{}))
	before := first.Stats().Snapshots
	first.Insert(body{HP: 2})
	_, _ = first.Flush(ctxOf(t))
	_ = first.snaps.finish(ctxOf(t))
	f := startFollow[body](t, c)
	same(t, second, f)
	if n := first.Stats().Snapshots - before; n > 0 {
		t.Errorf("%d snapshots of the first leader", n)
	}
}

// Half a snapshot is never used: one without an entry, one whose data is not whole, one that is
// damaged. The one before it is.
func TestHalfSnapshot(t *testing.T) {
	c, l := begin(t, whole)
	for g := newPlay(3, l.pool); l.Seq() < 8; flush(t, l) {
		g.frame(l, 30)
	}
	s := storeOf(l)
	if err := l.encodeSnapshot(); err != nil {
		t.Fatal(err)
	}
	good := bytes.Clone(l.snaps.buf)
	for i := range good { // one byte of the head, the Pool and the end
		if i < 48 || i%997 == 0 || i > len(good)-8 {
			bad := bytes.Clone(good)
			bad[i] ^= 0x10
			if _, err := replay.ReadSnapshot(bad); err == nil {
				t.Fatal("a snapshot with another byte", i)
			}
		}
	}
	for n := range 50 {
		if _, err := replay.ReadSnapshot(good[:n]); err == nil {
			t.Fatalf("a snapshot of %d bytes", n)
		}
	}
	drop := func(subject string) {
		err := s.stream.Purge(ctxOf(t), jetstream.WithPurgeSubject("berth_snapshots.world."+subject))
		if err != nil {
			t.Fatal(err)
		}
	}
	for seq, data := range map[uint64][]byte{ // before the end of the log
		l.Seq() - 4: good[:len(good)/2], l.Seq() - 3: good, l.Seq() - 2: good, l.Seq() - 1: good,
	} {
		if err := s.put(ctxOf(t), seq, data); err != nil {
			t.Fatal(err)
		}
	}
	drop(fmt.Sprint(l.Seq()-2, ".0"))
	drop(fmt.Sprint(l.Seq()-1, ".end"))
	if seqs, err := s.list(ctxOf(t)); err != nil || len(seqs) != 4 {
		t.Fatal(seqs, err)
	}
	for seq, text := range map[uint64]string{
		l.Seq() - 4: "wrong checksum", l.Seq() - 3: "is one of", l.Seq() - 2: "part 0",
	} {
		_, err := s.get(ctxOf(t), seq)
		wantErr(t, err, ErrCorrupt, text)
	}
	f := startFollow[body](t, c)
	same(t, l, f)
	again := startLead(t, c, whole, berth.NewPool[body](berth.Config{}))
	if again.Hash() != l.Hash() {
		t.Error("the next leader has another world")
	}
	for range 2 {
		newPlay(3, again.pool).frame(again, 10)
		snapshot(t, again)
	}
	if names := subjectsIn(t, s); len(names) != 5 {
		t.Error("in the store:", names)
	}
}

// A world that is not there, and one that is there without a snapshot.
func TestNoWorld(t *testing.T) {
	c := serve(t)
	_, err := Follow[body](ctxOf(t), c, FollowOptions{})
	wantErr(t, err, ErrNoWorld, "world")
	checked, _ := c.check()
	k, err := connect(ctxOf(t), checked, nil, userLeader)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	v, _ := replay.ValuesOf[body]()
	if _, err := k.open(ctxOf(t), v.Desc, v.Fingerprint, 0, true); err != nil {
		t.Fatal(err)
	}
	_, err = Follow[body](ctxOf(t), c, FollowOptions{})
	wantErr(t, err, ErrNoWorld)
	inject(t, c, k.all, []byte("text"))
	frame := replay.AppendHeader(nil, replay.Header{Kind: replay.MsgCommit, Frame: 1})
	seq := inject(t, c, k.all, frame)
	_, err = Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrBehind, "with frames", "no snapshot")
	inject(t, c, k.all, []byte("text"))
	if err := stream(t, c, "BERTH_world").DeleteMsg(ctxOf(t), seq); err != nil {
		t.Fatal(err)
	}
	_, err = Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrBehind, "has had others", "no snapshot")
}

// A leader that begins anew, before there is a frame, has followers of the one before load again.
func TestBeginAnew(t *testing.T) {
	c, l := begin(t, whole)
	f := startFollow[body](t, c)
	again := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 2}))
	if again.Hash() != l.Hash() {
		t.Fatal("the second leader has its own world")
	}
	newPlay(3, again.pool).flush(t, again, 10)
	same(t, again, f)
	if f.Stats().Loads != 2 {
		t.Errorf("%+v", f.Stats())
	}
}

// The log goes back to no snapshot: its leader says so, and a follower waits for one.
func TestNoSnapshotReaches(t *testing.T) {
	c, l := begin(t, whole)
	g := newPlay(4, l.pool)
	for range 10 {
		g.flush(t, l, 10)
	}
	if err := l.send.purge(ctxOf(t), l.Seq()-2); err != nil {
		t.Fatal(err)
	}
	f := startFollow[body](t, c)
	done := make(chan error, 1)
	go func() {
		var err error
		for f.Seq() < l.Acked() && err == nil {
			_, err = f.Step(ctxOf(t))
		}
		done <- err
	}()
	snapshot(t, l)
	wantErr(t, <-done, ErrBehind)
	same(t, l, f)
	if err := storeOf(l).remove(ctxOf(t), l.Seq()+1); err != nil {
		t.Fatal(err)
	}
	if err := l.send.purge(ctxOf(t), l.Seq()); err != nil {
		t.Fatal(err)
	}
	_, err := Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrBehind)
}
