package replica

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// The tests of this file are the table of cases in the decision on replication, in its order.

// dial returns a connection beside those of leaders and followers.
func dial(t testing.TB, c Config) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// logState returns the state of the log.
func logState(t testing.TB, c Config) jetstream.StreamState {
	t.Helper()
	return stream(t, c, "BERTH_world").CachedInfo().State
}

// inject writes a message into the log.
func inject(t testing.TB, c Config, subject string, data []byte) uint64 {
	t.Helper()
	ack, err := streams(t, c).Publish(ctxOf(t), subject, data)
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

// Acknowledged frames survive their leader. A later leader may also have the first few others, whole.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	c := serve(t)
	c.MaxUnacked = 8
	l := startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	g := newPlay(3, l.pool)
	hashes := map[uint64]uint64{l.Seq(): l.Hash()}
	for range 40 {
		g.frame(l, 30)
		hashes[flush(t, l)] = l.Hash()
	}
	acked := l.Acked()
	l.send.nc.Close() // as if it had died
	l2 := startLead(t, c, split, berth.NewPool[body](berth.Config{}))
	reach(t, f, l2.Seq())
	if f.Hash() != l2.Hash() {
		t.Fatal("the follower and the new leader differ")
	}
	found := false
	for seq, hash := range hashes {
		found = found || hash == l2.Hash() && seq >= acked
	}
	if !found {
		t.Error("the new leader does not have the state of an acknowledged or later frame")
	}
	g = newPlay(4, l2.pool)
	g.flush(t, l2, 30)
	same(t, l2, f)
}

// A frame without a commit, because its leader died, is applied by no follower and no later leader.
func TestLeaderDiesInFrame(t *testing.T) {
	c, l := begin(t, split)
	all, part := startFollow[body](t, c), startFollow[body](t, c, Cell{}, Cell{1, 1})
	g := newPlay(5, l.pool)
	g.flush(t, l, 100)
	same(t, l, all)
	want := l.Hash()
	g.frame(l, 100)
	pend := l.send.pend
	l.publishParts(-1)
	if len(pend) != 0 || logState(t, c).LastSeq == l.Seq() {
		t.Fatal("the log has the commit")
	}
	l2 := startLead(t, c, split, berth.NewPool[body](berth.Config{}))
	same(t, l2, all)
	same(t, l2, part, Cell{}, Cell{1, 1})
	if l2.Hash() != want {
		t.Error("the new leader has a part of the frame")
	}
	newPlay(6, l2.pool).flush(t, l2, 100)
	same(t, l2, all)
	same(t, l2, part, Cell{}, Cell{1, 1})
}

// publishParts publishes the frame, but for its last messages.
func (l *Leader[T]) publishParts(but int) {
	f := l.send.take()
	l.frame++
	l.encode(f, l.collect())
	for i := range len(f.parts) + but {
		_ = l.send.nc.PublishMsg(l.send.message(&f.parts[i], jetstream.ExpectedLastMsgIDHeader, l.send.id))
		l.send.last++
	}
	l.send.last++
	_ = l.send.nc.Flush()
}

// The second of two leaders fences the first, which finds out with its next frame, and stops.
func TestTwoLeaders(t *testing.T) {
	t.Parallel()
	c := serve(t)
	c.MaxUnacked = 3
	first := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	g := newPlay(7, first.pool)
	g.flush(t, first, 50)
	wait(t, first)
	f := startFollow[body](t, c)
	second := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 9}))
	if first.Hash() != second.Hash() {
		t.Fatal("the second leader does not have what the first had")
	}
	select {
	case <-first.Fenced():
		t.Fatal("fenced, and nobody has told it")
	default:
	}
	g.frame(first, 50)
	var err error
	for range 10 {
		if _, err = first.Flush(ctxOf(t)); err == nil {
			err = first.Wait(ctxOf(t))
		}
	}
	wantErr(t, err, ErrFenced)
	<-first.Fenced()
	all := func(berth.Handle[body], *body) bool { return true }
	if !first.Insert(body{}).IsZero() || first.Edit(g.handles[0]) != nil || first.RemoveFunc(all) != 0 {
		t.Error("a fenced leader makes changes")
	}
	wantErr(t, first.Snapshot(ctxOf(t)), ErrFenced)
	newPlay(8, second.pool).flush(t, second, 50)
	same(t, second, f)

	again := startLead(t, c, whole, first.pool) // the loser loads again
	if again.Hash() != second.Hash() {
		t.Error("the loser has not dropped its state")
	}
}

// After a reconnect, nothing is published before the log was compared: neither a frame that is
// there nor a message of it is there twice.
func TestNoDuplicates(t *testing.T) {
	c := serve(t)
	c.MaxUnacked = 20
	l := startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	g := newPlay(9, l.pool)
	begin := logState(t, c).Msgs
	for _, lost := range []string{"acknowledgements", "frames", "half of a frame"} {
		before := l.Stats()
		if lost == "frames" {
			l.send.suspect = true // the frames are kept, and not sent
		}
		for range 10 {
			g.frame(l, 40)
			l.publish()
			if lost == "half of a frame" && len(l.send.pend) == 5 {
				l.send.suspect = true
			}
		}
		_ = l.send.nc.Flush()
		l.send.begin()
		l.send.suspect = true // the replies do not count any more
		wait(t, l)
		if got := logState(t, c).Msgs - begin; got != l.Stats().Messages {
			t.Errorf("%s lost: %d messages in the log, want %d", lost, got, l.Stats().Messages)
		}
		resent := l.Stats().Resent - before.Resent
		if (resent == 0) != (lost == "acknowledgements") {
			t.Errorf("%s lost: %d messages sent again", lost, resent)
		}
		same(t, l, f)
	}
}

// A follower that lags behind the trimmed log loads a snapshot, reports it, and goes on.
func TestTrimmedLog(t *testing.T) {
	c, l := begin(t, split)
	g := newPlay(10, l.pool)
	all, cells := startFollow[body](t, c), []Cell{{0, 0}, {-1, -1}}
	some := startFollow[body](t, c, cells...)
	for round := range 3 {
		for range 4 {
			for range 30 { // more than the followers have asked for
				g.flush(t, l, 40)
			}
			snapshot(t, l)
		}
		for _, f := range []*Follower[body]{all, some} {
			reports := reach(t, f, l.Seq())
			if len(reports) != 1 {
				t.Fatalf("round %d: reports %v", round, reports)
			}
			wantErr(t, reports[0], ErrBehind, "message")
			if s := f.Stats(); s.Behind != uint64(round+1) || s.Loads != uint64(round+2) {
				t.Errorf("%+v", s)
			}
		}
		same(t, l, all)
		same(t, l, some, cells...)
	}
}

// A follower whose Pool has diverged reports the place, loads a snapshot, and goes on.
func TestDiverged(t *testing.T) {
	c, l := begin(t, split)
	h := l.Insert(body{X: 1, Y: 1})
	flush(t, l)
	all, some := startFollow[body](t, c), startFollow[body](t, c, Cell{})
	insert := func() (at uint64) { return l.Insert(body{X: 2, Y: 2}).Uint64() }
	edit := func() uint64 { l.Edit(h).HP++; return h.Uint64() }
	for name, x := range map[string]struct {
		damage func(p *berth.Pool[body])
		change func() uint64
		f      *Follower[body]
		cells  []Cell
	}{
		"another insert": {func(p *berth.Pool[body]) { p.Insert(body{}) }, insert, all, nil},
		"all removed":    {func(p *berth.Pool[body]) { p.Clear() }, edit, all, nil},
		"cell cleared":   {func(p *berth.Pool[body]) { p.Clear() }, edit, some, []Cell{{}}},
	} {
		same(t, l, x.f, x.cells...)
		x.damage(x.f.tail.world.Pool)
		at := x.change()
		seq := flush(t, l)
		reports := reach(t, x.f, seq)
		if len(reports) != 1 {
			t.Fatalf("%s: reports %v", name, reports)
		}
		wantErr(t, reports[0], ErrDiverged)
		var place *FrameError
		if !errors.As(reports[0], &place) || place.Seq != seq || place.Handle != at {
			t.Errorf("%s: %v, want sequence %d and handle %d", name, reports[0], seq, at)
		}
		same(t, l, x.f, x.cells...)
	}
}

// Flush waits for all but MaxUnacked frames, until its deadline. Nothing grows, and nothing is lost
// when the server is back.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	c := o.c
	c.MaxUnacked = 4
	l := startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	g := newPlay(11, l.pool)
	g.flush(t, l, 50)
	same(t, l, f)
	o.Close()
	slow, frames := 0, l.Stats().Frames
	for range 20 {
		g.frame(l, 10)
		ctx, cancel := context.WithTimeout(ctxOf(t), 2*time.Millisecond)
		if _, err := l.Flush(ctx); err != nil {
			wantErr(t, err, ErrSlow)
			wantErr(t, err, context.DeadlineExceeded)
			slow++
		}
		cancel()
	}
	if n := l.Stats().Frames - frames; n > 5 || slow < 15 || l.Stats().Unacked > 5 {
		t.Errorf("%d frames were published, and %d refused; %+v", n, slow, l.Stats())
	}
	ctx, cancel := context.WithTimeout(ctxOf(t), 2*time.Millisecond)
	defer cancel()
	if _, err := f.Step(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("Step without a server:", err)
	}
	o.restart(t, func() {})
	flush(t, l)
	wait(t, l)
	same(t, l, f)
}

// Messages that no leader has written change nothing.
func TestHostileMessages(t *testing.T) {
	c, l := begin(t, split)
	all, some := startFollow[body](t, c), startFollow[body](t, c, Cell{})
	g := newPlay(12, l.pool)
	part := func(h replay.Header, ops ...byte) []byte { return append(replay.AppendHeader(nil, h), ops...) }
	for _, m := range []struct {
		name    string
		subject string
		data    []byte
	}{
		{"empty", "berth.world.all", nil},
		{"text", "berth.world.c.0.0", []byte("a message that is long enough")},
		{"unknown op", "berth.world.all", part(replay.Header{Kind: replay.MsgCommit, Frame: 1}, 9, 0, 0, 0, 0, 1, 0, 0, 0)},
		{"even handle", "berth.world.all", part(replay.Header{Kind: replay.MsgCommit, Frame: 1}, replay.OpRetire, 0, 0, 0, 0, 2, 0, 0, 0, 0)},
		{"ends early", "berth.world.c.0.0", part(replay.Header{Kind: replay.MsgPart, Frame: 1}, replay.OpEdit, 0, 0, 0, 0, 1, 0, 0, 0)},
		{"many", "berth.world.all", part(replay.Header{Kind: replay.MsgCommit, Frame: 1, Ordered: 1 << 31}, replay.OpEdit)},
		{"short takeover", "berth.world.all", part(replay.Header{Kind: replay.MsgTakeover, Leader: "me"})},
	} {
		g.flush(t, l, 20)
		same(t, l, all)
		same(t, l, some, Cell{})
		hash := some.Hash()
		seq := inject(t, c, m.subject, m.data)
		for _, f := range []*Follower[body]{all, some} {
			_, err := f.Step(ctxOf(t))
			wantErr(t, err, ErrCorrupt)
			var place *FrameError
			if !errors.As(err, &place) || place.Seq != seq {
				t.Errorf("%s: %v, want sequence %d", m.name, err, seq)
			}
		}
		if some.Hash() != hash || all.Hash() != l.Hash() {
			t.Error(m.name, "has changed a follower")
		}
		g.frame(l, 20)
		flush(t, l) // and it has not fenced the leader
		same(t, l, all)
		same(t, l, some, Cell{})
	}
}

// A forged frame that is well formed and does not fit is skipped by everybody, and its publisher
// has taken the leader's place.
func TestForgedFrame(t *testing.T) {
	t.Parallel()
	for name, ops := range map[string][]byte{
		"stale edit":     append([]byte{replay.OpEdit, 1, 2, 3, 4, 1, 0, 0, 0}, make([]byte, 30)...),
		"wrong handle":   append([]byte{replay.OpInsert, 1, 2, 3, 4, 1, 0, 0, 0, 0}, make([]byte, 30)...),
		"wrong removal":  {replay.OpRemove, 1, 2, 3, 4, 1, 0, 0, 0, 0},
		"wrong order":    {replay.OpRetire, 1, 2, 3, 4, 1, 0, 0, 0, 7},
		"repeated frame": nil,
	} {
		c, l := begin(t, whole)
		f := startFollow[body](t, c)
		g := newPlay(13, l.pool)
		g.flush(t, l, 50)
		same(t, l, f)
		want := l.Hash()
		h := replay.Header{Kind: replay.MsgCommit, Frame: l.frame + 1}
		if name == "repeated frame" {
			h.Frame--
		} else if ops[0] != replay.OpEdit {
			h.Ordered = 1
		}
		seq := inject(t, c, l.send.all, append(replay.AppendHeader(nil, h), ops...))
		var last error
		for _, err := range reachMessage(t, f, seq) {
			last = err
		}
		wantErr(t, last, ErrCorrupt)
		if f.Hash() != want {
			t.Fatal(name, "has changed the follower")
		}
		g.frame(l, 50)
		_, err := l.Flush(ctxOf(t))
		wantErr(t, err, ErrFenced)
		l = startLead(t, c, whole, l.pool)
		if l.Hash() != want {
			t.Fatal(name, "has changed the leader")
		}
		newPlay(14, l.pool).flush(t, l, 50)
		same(t, l, f)
	}
}

// reachMessage steps f until it has handled the message at seq.
func reachMessage(t testing.TB, f *Follower[body], seq uint64) (reports []error) {
	t.Helper()
	for ctx := ctxOf(t); f.tail.world.Seq < seq; {
		_, err := f.Poll(ctx)
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
		if err != nil {
			reports = append(reports, err)
		}
	}
	return reports
}

func TestPointers(t *testing.T) {
	type named struct {
		ID  uint32
		Tag struct{ Name string }
	}
	_, err := Lead(ctxOf(t), Config{}, LeadOptions[named]{}, new(berth.Pool[named]))
	if err == nil || !strings.Contains(err.Error(), ".Tag.Name: string") {
		t.Error("Lead:", err)
	}
	_, err = Follow[named](ctxOf(t), Config{URL: "nats://127.0.0.1:1"}, FollowOptions{})
	if err == nil || !strings.Contains(err.Error(), ".Tag.Name: string") {
		t.Error("Follow:", err)
	}
}

func TestOtherLayout(t *testing.T) {
	type renamed struct { // as body, but for HP
		X, Y   float32
		VX, VY float32
		HP     uint64
		Team   uint8
		Dead   bool
		Shield uint64
	}
	c := serve(t)
	startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	p := berth.NewPool[renamed](berth.Config{Seed: 1})
	_, err := Lead(ctxOf(t), c, LeadOptions[renamed]{}, p)
	wantErr(t, err, ErrCorrupt, "field .HP is u4, not u8")
	_, err = Follow[renamed](ctxOf(t), c, FollowOptions{})
	wantErr(t, err, ErrCorrupt, "field .HP is u4, not u8")
	o := split
	o.Cell++
	_, err = Lead(ctxOf(t), c, o, berth.NewPool[body](berth.Config{Seed: 1}))
	wantErr(t, err, ErrCorrupt, "size 16, not 17")
}

// A frame above the limit of the server's messages goes in parts, and is applied as one.
func TestBigFrame(t *testing.T) {
	t.Parallel()
	c := serve(t)
	for _, o := range []LeadOptions[body]{whole, split} {
		c.Name = map[bool]string{true: "whole", false: "split"}[o.Cell == 0]
		l := startLead(t, c, o, berth.NewPool[body](berth.Config{Seed: 1}))
		f := startFollow[body](t, c)
		const n = 60_000
		for i := range n {
			l.Insert(body{X: 1, Shield: uint64(i)})
			if i%3 == 0 {
				l.Remove(l.Insert(body{}))
			}
		}
		flush(t, l)
		if m := l.Stats().Messages; m < 3 {
			t.Errorf("%d messages", m)
		}
		applied, err := f.Step(ctxOf(t))
		if applied != 1 || err != nil || f.View().Len() != n {
			t.Errorf("%d frames, %v, %d values", applied, err, f.View().Len())
		}
		same(t, l, f)
	}
}

func TestTwoServersInOneDir(t *testing.T) {
	c := Config{Dir: filepath.Join(t.TempDir(), "world"), NoSync: true}
	s, err := Serve(ctxOf(t), c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrLocked)
	s.Close()
	l := startLead(t, c, whole, new(berth.Pool[body]))
	if l.URL() == "" {
		t.Error("no URL")
	}
}

func TestUnreachable(t *testing.T) {
	n, err := net.Listen("tcp", "127.0.0.1:0") // it accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close() }()
	for _, url := range []string{"nats://" + n.Addr().String(), "nats://127.0.0.1:1"} {
		ctx, cancel := context.WithTimeout(ctxOf(t), 50*time.Millisecond)
		_, err := Lead(ctx, Config{URL: url}, whole, new(berth.Pool[body]))
		wantErr(t, err, context.DeadlineExceeded, url)
		_, err = Follow[body](ctx, Config{URL: url}, FollowOptions{})
		wantErr(t, err, context.DeadlineExceeded, url)
		cancel()
	}
}

// A full log refuses frames and loses none while there is no snapshot, and takes them when there is.
func TestFullLog(t *testing.T) {
	c := serve(t)
	c.MaxBytes, c.MaxUnacked = 200_000, 5
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	refuse := func(size int32) {
		cfg := stream(t, c, "BERTH_world_snapshots").CachedInfo().Config
		cfg.MaxMsgSize = size
		if _, err := streams(t, c).UpdateStream(ctxOf(t), cfg); err != nil {
			t.Fatal(err)
		}
	}
	refuse(1)
	g := newPlay(15, l.pool)
	var err error
	for err == nil {
		g.frame(l, 100)
		_, err = l.Flush(ctxOf(t))
	}
	wantErr(t, err, ErrStorage, "maximum bytes")
	wantErr(t, l.Wait(ctxOf(t)), ErrStorage)
	if u := l.Stats().Unacked; u == 0 || u > 6 {
		t.Errorf("%d frames unacknowledged", u)
	}
	if n := logState(t, c).Bytes; n < 2*200_000 || n > 3*200_000 {
		t.Errorf("the log has %d bytes", n)
	}
	if n := l.Stats().Snapshots; n != 1 {
		t.Errorf("%d snapshots", n)
	}
	reach(t, f, l.Acked())
	l.Close()
	refuse(-1)
	l = startLead(t, c, whole, berth.NewPool[body](berth.Config{}))
	g = newPlay(16, l.pool)
	for range 50 {
		g.flush(t, l, 100)
	}
	wait(t, l)
	reach(t, f, l.Seq())
	same(t, l, f)
	if n := logState(t, c).Bytes; n > 2*200_000 {
		t.Errorf("the log has %d bytes", n)
	}
}

// A log that fills while a snapshot is being written makes room as often as its limit allows.
func TestFullLogMeanwhile(t *testing.T) {
	defer func() { point = func(string) {} }()
	c := serve(t)
	c.MaxBytes, c.MaxUnacked = 200_000, 5
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	full := make(chan struct{})
	open := sync.OnceFunc(func() { close(full) })
	defer open()
	point = func(name string) {
		if name == "snapshot: written" {
			<-full
		}
	}
	for g := newPlay(17, l.pool); logState(t, c).Bytes < 2*200_000; {
		g.flush(t, l, 100)
	}
	open()
	wait(t, l)
}

// A full log makes room for itself if there is a snapshot in it.
func TestFullLogTrimmed(t *testing.T) {
	c := serve(t)
	c.MaxBytes, c.MaxUnacked = 200_000, 5
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, c)
	g := newPlay(16, l.pool)
	for l.Stats().Bytes < uint64(c.MaxBytes)/2 {
		g.flush(t, l, 50)
	}
	snapshot(t, l)
	same(t, l, f)
	for l.Stats().Bytes < uint64(c.MaxBytes)*5/4 {
		g.flush(t, l, 50)
	}
	wait(t, l)
	if l.Stats().Resent == 0 {
		t.Error("the log was never full")
	}
	reach(t, f, l.Seq())
	same(t, l, f)
	same(t, l, startFollow[body](t, c))
}

// A value that crosses a cell leaves one follower and enters another, in one frame, with its handle.
func TestCross(t *testing.T) {
	t.Parallel()
	c, l := begin(t, split)
	here, there := startFollow[body](t, c, Cell{0, 0}), startFollow[body](t, c, Cell{-1, 0})
	both := startFollow[body](t, c, Cell{0, 0}, Cell{-1, 0})
	all := startFollow[body](t, c)
	h := l.Insert(body{X: 1, Y: 1, HP: 1})
	flush(t, l)
	for i := range 10 {
		for _, f := range []*Follower[body]{here, there, both, all} {
			reach(t, f, l.Seq())
		}
		v := l.pool.Ptr(h)
		for name, x := range map[string]struct {
			f    *Follower[body]
			want bool
		}{"here": {here, v.X > 0}, "there": {there, v.X < 0}, "both": {both, true}, "all": {all, true}} {
			got, ok := x.f.View().Get(h)
			if ok != x.want || ok && got != *v {
				t.Fatalf("%d %s: %v %v, want %v %v", i, name, got, ok, *v, x.want)
			}
		}
		p := both.View().Ptr(h)
		l.Edit(h).X = -v.X
		l.Edit(h).HP++
		flush(t, l)
		reach(t, both, l.Seq())
		if both.View().Ptr(h) != p {
			t.Fatal("the value has moved in a follower of both cells")
		}
	}
}

// A follower of all cells needs no values but those of the frames: the Seed gives it the handles.
func TestSeedAlone(t *testing.T) {
	c := serve(t)
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 42}))
	f := startFollow[body](t, c)
	other := berth.NewPool[body](berth.Config{Seed: 42})
	for range 3000 {
		l.Insert(body{X: 1})
		other.Insert(body{X: 1})
	}
	l.RemoveFunc(func(h berth.Handle[body], _ *body) bool { return h.Uint64()%3 == 0 })
	other.RemoveFunc(func(h berth.Handle[body], _ *body) bool { return h.Uint64()%3 == 0 })
	for range 3000 {
		if l.Insert(body{X: 2}) != other.Insert(body{X: 2}) {
			t.Fatal("the leader issues other handles than a Pool")
		}
	}
	flush(t, l)
	same(t, l, f)
	if f.Stats().Loads != 1 || f.View().Len() != other.Len() {
		t.Errorf("%+v", f.Stats())
	}
	for h := range other.All() {
		if !f.View().Contains(h) {
			t.Fatal("the follower lacks", h)
		}
	}
}
