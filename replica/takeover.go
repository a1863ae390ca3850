package replica

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// taking is the message by which a leader has taken over.
type taking struct {
	seq  uint64
	time int64
	id   string
}

// takeOver begins the frames of a new leader by a message. It names none before it, so the server
// takes it at any time. From then on the log has a message that the leader before does not know,
// and the server refuses what it sends.
func takeOver(ctx context.Context, k *conn) (t taking, err error) {
	t.id, t.time = rand.Text(), time.Now().UnixNano()
	data := replay.AppendHeader(nil,
		replay.Header{Kind: replay.MsgTakeover, Time: t.time, Leader: t.id})
	s := sender{conn: k}
	full := trimmer{conn: k}
	err = retry(ctx, func() error {
		short, cancel := brief(ctx)
		defer cancel()
		m, err := k.nc.RequestMsgWithContext(short, &nats.Msg{
			Subject: k.all, Data: data, Header: nats.Header{jetstream.MsgIDHeader: {t.id}},
		})
		if err == nil {
			t.seq, err = s.acknowledged(m)
		}
		return full.trim(ctx, err)
	})
	if err != nil {
		return t, fmt.Errorf("replica: Lead: %w", err)
	}
	return t, nil
}

// trimmer makes room in a full log, once.
type trimmer struct {
	*conn
	done bool
}

// trim returns err. But if it is the first ErrStorage, trim removes the frames before the latest
// snapshot from the log, and returns an error after which retry tries again.
func (t *trimmer) trim(ctx context.Context, err error) error {
	if t.done || !errors.Is(err, ErrStorage) {
		return err
	}
	t.done = true
	ctx, cancel := brief(ctx)
	defer cancel()
	s, end := t.openStore(ctx)
	if end != nil {
		return err
	}
	c, end := s.list(ctx)
	if end != nil || len(c.seqs) == 0 || purge(ctx, t.conn, c.seqs[0]) != nil {
		return err
	}
	return errors.New("replica: the log was full")
}

// catchUp makes w the world as it is at the message by which its leader took over. If there is no
// snapshot, the world begins with what its Pool has. If there is one beyond that message, the log
// has lost its end: the snapshot is then the world.
func catchUp[T any](ctx context.Context, k *conn, w replay.World[T], by taking, size float64) (
	*tail[T], error,
) {
	t, err := newTail(ctx, k, w, size)
	if err != nil {
		return nil, err
	}
	t.leading, t.until, t.time = true, by.seq, by.time
	defer t.reader.close()
	err = t.load(ctx)
	if errors.Is(err, errNone) {
		err = t.found(ctx)
	}
	for err == nil && !t.reached() {
		var report *FrameError
		if _, err = t.step(ctx, true); errors.As(err, &report) && !t.reload {
			err = nil
		}
	}
	switch {
	case err == nil && t.stats.Loads == 0 && t.world.Frame > 0:
		err = fmt.Errorf("%w: the log of %q has frames, and there is no snapshot", ErrCorrupt,
			k.Name)
	case err != nil:
		err = fmt.Errorf("replica: Lead: %w", err)
	}
	return t, err
}

// found makes t begin without a snapshot.
func (t *tail[T]) found(ctx context.Context) error {
	ctx, cancel := brief(ctx)
	defer cancel()
	s, err := t.reader.js.Stream(ctx, t.reader.stream)
	if err != nil {
		return err
	}
	t.world.At = max(s.CachedInfo().State.FirstSeq, 1) - 1
	t.reload = false
	return nil
}
