package replica

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
)

// streams returns access to the server's streams.
func streams(t testing.TB, c Config) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(dial(t, c))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// stream returns a stream of the world.
func stream(t testing.TB, c Config, name string) jetstream.Stream {
	t.Helper()
	s, err := streams(t, c).Stream(ctxOf(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// frames makes a number of frames.
func frames(t testing.TB, l *Leader[body], g *play, n int) {
	t.Helper()
	for range n {
		g.flush(t, l, 20)
	}
}

// A world that is damaged is named and left as it is. Accept goes on with what is whole, tells what
// it gave up, and every follower loads the world again.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		harm  func(l *Leader[body], log, snapshots jetstream.Stream) error
		frame uint64 // that Accept goes on from
		want  []string
	}{
		"no snapshots": {func(_ *Leader[body], _, s jetstream.Stream) error {
			return s.Purge(context.Background())
		}, 0, []string{"has messages 8 to 17", "no snapshot"}},
		"a message is missing": {func(l *Leader[body], log, _ jetstream.Stream) error {
			return log.DeleteMsg(context.Background(), l.Seq()-2)
		}, 13, []string{"no message 15", "message 16"}},
		"the last message is missing": {func(l *Leader[body], log, _ jetstream.Stream) error {
			return log.DeleteMsg(context.Background(), l.Seq())
		}, 15, []string{"up to 17", "ends at 16"}},
		"the log is empty": {func(l *Leader[body], log, _ jetstream.Stream) error {
			return log.Purge(context.Background())
		}, 12, []string{"trimmed"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, l := begin(t, whole)
			g := newPlay(31, l.pool)
			hashes := map[uint64]uint64{0: 0}
			for i := range 16 {
				frames(t, l, g, 1)
				hashes[l.frame] = l.Hash()
				if i == 5 || i == 11 {
					snapshot(t, l)
				}
			}
			f := startFollow[body](t, c)
			same(t, l, f)
			l.Close()
			log, snapshots := stream(t, c, "BERTH_world"), stream(t, c, "BERTH_world_snapshots")
			if err := x.harm(l, log, snapshots); err != nil {
				t.Fatal(err)
			}
			before := logState(t, c)
			for range 2 {
				_, err := Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
				wantErr(t, err, ErrBehind, x.want...)
			}
			if after := logState(t, c); after.LastSeq != before.LastSeq || after.Msgs != before.Msgs {
				t.Fatalf("the log was %+v, and is %+v", before, after)
			}
			accept := whole
			accept.Accept = true
			next := startLead(t, c, accept, new(berth.Pool[body]))
			if got, want := next.Hash(), hashes[x.frame]; got != want {
				t.Errorf("it goes on with hash %x, want %x", got, want)
			}
			if next.frame != x.frame+lostFrames {
				t.Errorf("it goes on with frame %d after %d", next.frame, x.frame)
			}
			wantErr(t, next.Stats().Lost, ErrBehind, x.want...)
			frames(t, next, newPlay(32, next.pool), 3)
			reports := reach(t, f, next.Seq())
			if len(reports) == 0 || f.Hash() != next.Hash() {
				t.Errorf("a follower that had the frames has hash %x, want %x, after %v", f.Hash(),
					next.Hash(), reports)
			}
			same(t, next, startFollow[body](t, c))
			last := startLead(t, c, whole, new(berth.Pool[body]))
			if last.Hash() != next.Hash() || last.Stats().Lost != nil {
				t.Error("the next leader has another world, or a loss:", last.Stats().Lost)
			}
		})
	}
}

// A record tells the next leader of frames that were acknowledged, although all of them are gone.
func TestRecord(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	l := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	g := newPlay(33, l.pool)
	frames(t, l, g, 3)
	o.save(t)
	frames(t, l, g, 2)
	l.Close()
	late := binary.LittleEndian.AppendUint64(nil, 1) // of a leader before
	if _, err := dial(t, o.c).RequestWithContext(ctxOf(t), l.send.records, late); err != nil {
		t.Fatal(err)
	}
	o.lose(t, logFiles)
	_, err := Lead(ctxOf(t), o.c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrBehind, "6 were acknowledged", "ends at 4")
}

// A record whose sequence is damaged takes no memory for all the sequences before it. It is lost,
// with all after it, and Lead says so. The server may have an index of its blocks or none.
func TestDamagedSequence(t *testing.T) {
	for _, index := range []bool{true, false} {
		o := newOutage(t)
		l := startLead(t, o.c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
		frames(t, l, newPlay(37, l.pool), 6)
		l.Close()
		var before, after runtime.MemStats
		o.restart(t, func() {
			harmRecord(t, o.dir+logFiles, 4, func(record []byte) {
				record[7] ^= 2 // 2^25 sequences on
			})
			if name := o.dir + logFiles + "/msgs/index.db"; !index {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&before)
		})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("index %v: the server allocated %d bytes at its start", index, n)
		}
		_, err := Lead(ctxOf(t), o.c, whole, new(berth.Pool[body]))
		wantErr(t, err, ErrBehind, "7 were acknowledged", "ends at 3")
	}
}

// harmRecord changes the record at a sequence in the first block of a stream.
func harmRecord(t *testing.T, stream string, seq uint64, harm func(record []byte)) {
	t.Helper()
	name := stream + "/msgs/1.blk"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := data; len(at) > 0; {
		size := binary.LittleEndian.Uint32(at) & sizeBits
		if binary.LittleEndian.Uint64(at[4:]) != seq {
			at = at[size:]
			continue
		}
		harm(at[:size])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s has no record %d", name, seq)
}

// A claim that the server cannot read does not stop the next leader, since no claims are removed.
// If they were, the server would forget the last one. With a limit for each subject, it would try
// for ever.
func TestDamagedClaim(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	claim := uint64(0)
	for range 2 {
		l := startLead(t, o.c, whole, new(berth.Pool[body]))
		claim = storeOf(l).fence
		frames(t, l, newPlay(39, l.pool), 1)
		snapshot(t, l) // after the claim
		l.Close()
	}
	o.restart(t, func() {
		harmRecord(t, o.dir+logFiles+"_snapshots", claim, func(record []byte) {
			record[len(record)-1] ^= 1 // in its checksum
		})
	})
	accept := whole
	accept.Accept = true
	next := startLead(t, o.c, accept, new(berth.Pool[body]))
	if lost := next.Stats().Lost; lost != nil {
		t.Error("lost:", lost)
	}
	for range 2 {
		frames(t, next, newPlay(40, next.pool), 1)
		snapshot(t, next)
	}
	same(t, next, startFollow[body](t, o.c))
}

// A leader whose claim the server cannot read goes on without snapshots, until another takes over.
func TestUnreadableClaim(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{true, false} {
		o := newOutage(t)
		l := startLead(t, o.c, whole, new(berth.Pool[body]))
		g := newPlay(41, l.pool)
		frames(t, l, g, 1)
		if deleted {
			s := stream(t, o.c, "BERTH_world_snapshots")
			if err := s.DeleteMsg(ctxOf(t), storeOf(l).fence); err != nil {
				t.Fatal(err)
			}
		} else {
			o.restart(t, func() {
				harmRecord(t, o.dir+logFiles+"_snapshots", storeOf(l).fence, func(record []byte) {
					record[len(record)-1] ^= 1 // in its checksum
				})
			})
		}
		for range 2 {
			frames(t, l, g, 1)
			wantErr(t, l.Snapshot(ctxOf(t)), ErrStorage, "wrong last sequence: 0")
		}
		same(t, l, startFollow[body](t, o.c))
		next := startLead(t, o.c, whole, new(berth.Pool[body]))
		wantErr(t, l.Snapshot(ctxOf(t)), ErrFenced)
		frames(t, next, newPlay(42, next.pool), 1)
		snapshot(t, next)
	}
}

// A leader's own takeover is recorded, too.
func TestRecordOfTakeover(t *testing.T) {
	_, l := begin(t, whole)
	var at uint64
	for ctx := ctxOf(t); at != l.Seq(); {
		var err error
		if at, err = l.send.conn.acked(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// A leader that is told to stand still while another takes over does nothing any more, wherever in
// Lead it stands.
func TestLateLeader(t *testing.T) {
	for _, at := range []string{
		"lead: loaded", "lead: taken over", "lead: claiming", "lead: store fenced", "lead: caught up",
	} {
		lateLeader(t, at, 0)
		lateLeader(t, at, 3) // the log has lost the takeovers
	}
}

func lateLeader(t *testing.T, at string, snapshots int) {
	c, l := begin(t, whole)
	frames(t, l, newPlay(34, l.pool), 5)
	var other *Leader[body]
	once(t, at, func() {
		other = startLead(t, c, whole, new(berth.Pool[body]))
		for range snapshots {
			frames(t, other, newPlay(35, other.pool), 5)
			snapshot(t, other)
		}
	})
	late, err := Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	if err == nil { // it was the last to take over, or has yet to find out
		if at == "lead: loaded" && late.Hash() != other.Hash() {
			t.Errorf("at %q: another world", at)
		}
		late.Insert(body{})
		_, err = late.Flush(ctxOf(t))
		late.Close()
	}
	if (err == nil) != (at == "lead: loaded") || err != nil && !errors.Is(err, ErrFenced) {
		t.Errorf("at %q: %v", at, err)
	}
	if err != nil {
		frames(t, other, newPlay(36, other.pool), 1)
		snapshot(t, other) // its claim is the last
		same(t, other, startFollow[body](t, c))
	}
	next := startLead(t, c, whole, new(berth.Pool[body]))
	same(t, next, startFollow[body](t, c))
}

// Messages that no leader has written do not stop Lead, wherever they come between.
func TestGarbageMeanwhile(t *testing.T) {
	for _, at := range points[:4] {
		c, l := begin(t, whole)
		frames(t, l, newPlay(43, l.pool), 1)
		once(t, at, func() { inject(t, c, l.send.all, []byte("text")) })
		next := startLead(t, c, whole, new(berth.Pool[body]))
		if next.Hash() != l.Hash() {
			t.Errorf("at %q: another world", at)
		}
		frames(t, next, newPlay(44, next.pool), 1)
	}
}

// A part of a cell that the log has lost is found out by the followers of that cell alone.
func TestLostPart(t *testing.T) {
	t.Parallel()
	c, l := begin(t, split)
	l.Insert(body{X: 1, Y: 1})
	l.Insert(body{X: -1, Y: -1})
	flush(t, l)
	snapshot(t, l)
	in, out := startFollow[body](t, c, Cell{}), startFollow[body](t, c, Cell{-1, -1})
	same(t, l, in, Cell{})
	same(t, l, out, Cell{-1, -1})
	in.Close()
	in = startFollow[body](t, c, Cell{})
	l.Insert(body{X: 2, Y: 2})
	l.Insert(body{X: -2, Y: -2})
	first := l.Seq() + 1
	flush(t, l)
	log := stream(t, c, "BERTH_world")
	m, err := log.GetMsg(ctxOf(t), first+1)
	if err != nil || !strings.HasSuffix(m.Subject, "c.0.0") {
		t.Fatal(m, err)
	}
	in.tail.reader.drop() // it reads them again
	if err := log.DeleteMsg(ctxOf(t), first+1); err != nil {
		t.Fatal(err)
	}
	for all := ctxOf(t); !errors.Is(err, ErrBehind) && all.Err() == nil; {
		ctx, cancel := context.WithTimeout(all, 50*time.Millisecond)
		_, err = in.Step(ctx)
		cancel()
		wantErr(t, err, context.DeadlineExceeded) // the snapshot does not have the frame
	}
	wantErr(t, err, ErrBehind, "lacks parts of frame 2")
	same(t, l, out, Cell{-1, -1})
	snapshot(t, l)
	l.Insert(body{X: 3, Y: 3})
	flush(t, l)
	same(t, l, in, Cell{})
}

// An Insert into a full Pool leaves no trace in the frame.
func TestRefusedInsert(t *testing.T) {
	c := serve(t)
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1, Limit: 1}))
	h := l.Insert(body{})
	seq := flush(t, l)
	f := startFollow[body](t, c)
	for range 1000 {
		if !l.Insert(body{}).IsZero() {
			t.Fatal("inserted")
		}
	}
	if got := flush(t, l); got != seq || l.size != 0 || l.Stats().Frames != 1 {
		t.Errorf("refused inserts have made frame %d after %d, of %d bytes", got, seq, l.size)
	}
	l.Insert(body{})
	if _, ok := l.Remove(h); !ok {
		t.Error("refused inserts have used up the frame")
	}
	l.Insert(body{HP: 1})
	l.Insert(body{})
	flush(t, l)
	same(t, l, f)
}

// A client without a password gets nothing, and a follower can only read.
func TestAccess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := startLead(t, Config{Dir: dir}, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	l.Insert(body{HP: 1})
	flush(t, l)
	c := Config{URL: l.URL()}
	bare := Config{URL: "nats://" + address(t, c)}
	if _, err := Follow[body](ctxOf(t), bare, FollowOptions{}); !errors.Is(err, nats.ErrAuthorization) {
		t.Error("without a password:", err)
	}
	info, err := os.Stat(dir + "/" + secretFile)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Error("the secret:", info, err)
	}
	same(t, l, startFollow[body](t, c))
	here := bare
	here.Dir = dir
	same(t, l, startFollow[body](t, here))
	_, err = Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	if !errors.Is(err, nats.ErrPermissionViolation) {
		t.Error("a follower leads:", err)
	}
	nc := dial(t, c)
	before := logState(t, c)
	for _, subject := range []string{l.send.all, l.snaps.store.saved + "leader", l.send.records,
		"$JS.API.STREAM.DELETE.BERTH_world", "$JS.API.STREAM.PURGE.BERTH_world"} {
		_ = nc.Publish(subject, nil)
	}
	if err := nc.FlushWithContext(ctxOf(t)); err != nil {
		t.Fatal(err)
	}
	if after := logState(t, c); after.Msgs != before.Msgs || after.LastSeq != before.LastSeq {
		t.Errorf("the log was %+v, and is %+v", before, after)
	}
	next := startLead(t, here, whole, new(berth.Pool[body])) // by the secret
	same(t, next, startFollow[body](t, c))
}

// Messages that somebody else writes all the time do not stop the leader.
func TestGarbage(t *testing.T) {
	t.Parallel()
	c, l := begin(t, whole)
	nc := dial(t, c)
	ctx, stop := context.WithCancel(ctxOf(t))
	done := make(chan struct{})
	var n atomic.Uint64
	go func() {
		defer close(done)
		for sleep(ctx, time.Millisecond) == nil {
			if _, err := nc.RequestWithContext(ctx, l.send.all, []byte("text")); err == nil {
				n.Add(1)
			}
		}
	}()
	for g := newPlay(37, l.pool); n.Load() < 200; {
		frames(t, l, g, 1)
	}
	stop()
	<-done
	f := startFollow[body](t, c)
	reach(t, f, l.Seq())
	if f.Hash() != l.Hash() || f.Stats().Frames != l.Stats().Frames {
		t.Errorf("the follower: %+v", f.Stats())
	}
}

// A log that somebody has deleted is named, and the Logger tells what is going on.
func TestDeletedLog(t *testing.T) {
	c := serve(t)
	file, err := os.Create(t.TempDir() + "/log") // a connection may still write after its end
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	c.Logger = slog.New(slog.NewTextHandler(file, nil))
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	frames(t, l, newPlay(38, l.pool), 1)
	if err := streams(t, c).DeleteStream(ctxOf(t), "BERTH_world"); err != nil {
		t.Fatal(err)
	}
	l.Insert(body{})
	_, err = l.Flush(ctxOf(t))
	wantErr(t, err, ErrNoWorld, "BERTH_world")
	l.Close()
	_, err = Lead(ctxOf(t), c, whole, new(berth.Pool[body]))
	wantErr(t, err, ErrBehind, "acknowledged")
	text, err := os.ReadFile(file.Name())
	if s := string(text); err != nil || !strings.Contains(s, "leading") || !strings.Contains(s, "seq=") {
		t.Error("logged:", s, err)
	}
}
