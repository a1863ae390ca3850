package replica

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A refusal is an ErrStorage, unless reading the log again may change it.
func TestAcknowledged(t *testing.T) {
	s := &sender{conn: &conn{stream: "S"}}
	for _, x := range []struct {
		reply string
		seq   uint64
		final bool
	}{
		{`{"stream":"S","seq":7}`, 7, false},
		{`{"stream":"S","seq":7,"duplicate":true}`, 7, false},
		{`{"stream":"T","seq":7}`, 0, false},
		{`{"stream":"S"}`, 0, false},
		{`{"stream":"S","seq":-1}`, 0, false},
		{`{}`, 0, false},
		{`text`, 0, false},
		{``, 0, false},
		{fmt.Sprintf(`{"error":{"code":400,"err_code":%d}}`, wrongLast), 0, false},
		{fmt.Sprintf(`{"error":{"code":400,"err_code":%d}}`, wrongLastCluster), 0, false},
		{fmt.Sprintf(`{"error":{"code":503,"err_code":%d}}`, notLeader), 0, false},
		{`{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}}`, 0, true},
		{`{"error":{}}`, 0, true},
	} {
		seq, err := acknowledged(s.stream, &nats.Msg{Data: []byte(x.reply)})
		if seq != x.seq || (err == nil) != (x.seq > 0) || errors.Is(err, errFinal) != x.final ||
			errors.Is(err, ErrStorage) != x.final {
			t.Errorf("%s: sequence %d, error %v", x.reply, seq, err)
		}
	}
}

// After a reconnection, replies may be lost: a sender that waits for some reads the log, and a
// follower makes another consumer, at once and not when its patience ends.
func TestReconnected(t *testing.T) {
	s := &sender{conn: &conn{up: make(chan struct{}, 1)}}
	s.reconnected()
	s.reconnected() // does not block
	if s.poll(); s.suspect {
		t.Error("a sender that waits for nothing reads the log")
	}
	s.pend = []*sent{{parts: make([]part, 1)}}
	s.reconnected()
	if s.poll(); !s.suspect {
		t.Error("the sender does not read the log")
	}

	c, l := begin(t, whole)
	f := startFollow[body](t, c)
	l.Insert(body{})
	flush(t, l)
	same(t, l, f)
	for i := range uint32(3) {
		before := f.Stats().Consumers
		f.conn.reconnected()
		l.Insert(body{HP: i})
		flush(t, l)
		same(t, l, f)
		if got := f.Stats().Consumers; got != before+1 {
			t.Errorf("%d consumers after a reconnection, %d before", got, before)
		}
	}
}

// A reply that is lost although the connection stays costs the patience of the sender, and no frame.
func TestLostReply(t *testing.T) {
	t.Parallel()
	c, l := begin(t, whole)
	if err := l.send.sub.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	l.Insert(body{})
	flush(t, l)
	if s := l.Stats(); s.Resent > 0 || s.Unacked > 0 {
		t.Errorf("%+v", s)
	}
	same(t, l, startFollow[body](t, c))
}

// A message that is sent again is refused if another one was written since the log was read.
func TestResend(t *testing.T) {
	c, l := begin(t, split)
	f := startFollow[body](t, c)
	l.send.suspect = true // the frame is kept, and not sent
	l.Insert(body{})
	l.publish()
	end := logState(t, c).LastSeq
	inject(t, c, l.send.all, []byte("text"))
	err := l.send.resend(ctxOf(t), end, 0, 0)
	if api := (*jetstream.APIError)(nil); !errors.As(err, &api) || api.ErrorCode != wrongLast {
		t.Error("sent again:", err)
	}
	if got := logState(t, c).LastSeq; got != end+1 {
		t.Errorf("the log has %d messages, want %d", got, end+1)
	}
	l.send.suspect = true
	wait(t, l)
	reach(t, f, l.Seq())
	same(t, l, f)

	l.send.suspect = true // a frame whose reply is lost is in the log after a gap
	l.Insert(body{})
	l.publish()
	gap, before := inject(t, c, l.send.all, []byte("text")), l.Stats().Resent
	for _, p := range l.send.pend[0].parts {
		inject(t, c, p.subject, p.data)
	}
	reachMessage(t, f, gap) // if it found the gap, it would wait for a snapshot
	if err := stream(t, c, "BERTH_world").DeleteMsg(ctxOf(t), gap); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(ctxOf(t)); err != nil || l.Stats().Resent != before {
		t.Errorf("%d messages were sent again: %v", l.Stats().Resent-before, err)
	}
	reach(t, f, l.Seq())
	same(t, l, f)
}
