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

// takeOver makes this program the leader, and t the world at the message by which it took over:
//
//  1. It reads the world, and changes nothing. Damage ends it here.
//  2. It writes its message to the log, which refuses the frames of leaders before from then on. If
//     the log ends before the snapshot that was read, it goes on after the snapshot: no sequence is
//     used twice.
//  3. It claims the store, which refuses their snapshots from then on.
//  4. It reads what they wrote meanwhile.
//
// A leader that stands still anywhere in this, however long, does no harm: it has removed nothing
// that the snapshot which it has read does not have, and claim tells it that it came too late.
func (t *tail[T]) takeOver(ctx context.Context, accept bool) (by taking, err error) {
	t.leading = true
	for {
		if err := t.catchUp(ctx, nil, accept); err != nil {
			return by, err
		}
		point("lead: loaded")
		if by, err = t.announce(ctx); err != nil {
			return by, err
		}
		point("lead: taken over")
		if err := t.store.claim(ctx, by.seq); err != nil {
			return by, err
		}
		point("lead: store fenced")
		late, err := t.beyond(ctx, by.seq)
		if err != nil {
			return by, err
		}
		if late { // the leader before has written a snapshot of frames that the log has lost
			t.reload, t.late = true, true
			continue
		}
		if err := t.catchUp(ctx, &by, accept); err != nil {
			return by, err
		}
		point("lead: caught up")
		return by, nil
	}
}

// announce writes the message by which this program takes over. It names none before it, so the
// server takes it at any time.
func (t *tail[T]) announce(ctx context.Context) (by taking, err error) {
	k := t.reader.conn
	by.id, by.time = rand.Text(), time.Now().UnixNano()
	data := replay.AppendHeader(nil,
		replay.Header{Kind: replay.MsgTakeover, Time: by.time, Leader: by.id})
	s := sender{conn: k}
	err = k.retry(ctx, func(ctx context.Context) error {
		_, state, err := k.log(ctx)
		t.full = k.MaxBytes > 0 && state.Bytes > uint64(k.MaxBytes)
		if err == nil && (state.LastSeq < t.world.At || t.late) {
			err = k.purge(ctx, t.world.At)
		}
		if err != nil {
			return err
		}
		m, err := k.nc.RequestMsgWithContext(ctx, &nats.Msg{
			Subject: k.lead, Data: data, Header: nats.Header{jetstream.MsgIDHeader: {by.id}},
		})
		if err == nil {
			by.seq, err = acknowledged(k.stream, m)
		}
		return s.makeRoom(ctx, err)
	})
	t.full = t.full || s.urgent
	return by, err
}

// beyond reports whether there is a snapshot that is not of messages before seq, although nobody
// has taken over since. Damaged ones do not count.
func (t *tail[T]) beyond(ctx context.Context, seq uint64) (late bool, err error) {
	err = t.store.retry(ctx, func(ctx context.Context) error {
		seqs, err := t.store.list(ctx)
		late = false
		for _, s := range seqs {
			late = late || s >= seq && !t.damaged[s]
		}
		if late {
			err = t.store.mine(ctx)
		}
		return err
	})
	return late, err
}

// catchUp reads the world to the end of the log, or to the message by which this program took over.
// If that cannot be read to the end, it fails, unless accept is set. Then the world is what was
// read, t.lost tells what is missing, and the rest is void.
func (t *tail[T]) catchUp(ctx context.Context, by *taking, accept bool) error {
	defer t.reader.close()
	whole, err := t.read(ctx, by)
	if err != nil && whole {
		return err
	}
	if err != nil {
		if !accept {
			return err
		}
		t.lost, t.reload = errors.Join(t.lost, err), false
		t.reader.Logger.Warn("replica: accepted a loss", "world", t.reader.Name, "error", err)
	}
	if by != nil && t.lost != nil { // all in the log that is not in the world is void
		t.world.Restart(replay.Snapshot{Seq: by.seq, Time: by.time, Frame: t.world.Frame})
	}
	return nil
}

// read is catchUp without accept. If it fails and whole is false, the world is damaged.
func (t *tail[T]) read(ctx context.Context, by *taking) (whole bool, err error) {
	k := t.reader.conn
	var acked uint64
	var state jetstream.StreamState
	var log jetstream.Stream
	err = k.retry(ctx, func(ctx context.Context) (err error) {
		if acked, err = k.acked(ctx); err == nil { // before the log, which must have it
			log, state, err = k.log(ctx)
		}
		return err
	})
	if err != nil {
		return true, err
	}
	if by != nil && t.lost != nil {
		return true, nil
	}
	if t.until, err = k.last(ctx, log, state); err != nil {
		return true, err
	}
	if by != nil {
		t.until = by.seq
	}
	if t.reload {
		err = t.load(ctx)
		if errors.Is(err, errNone) {
			err = t.found(ctx, log, state)
		}
	}
	for err == nil && !t.reached() {
		var report *FrameError
		if _, err = t.step(ctx, true); errors.As(err, &report) && !t.reload {
			err = nil
		}
	}
	switch {
	case err != nil:
		damaged := errors.Is(err, ErrBehind) || errors.Is(err, ErrCorrupt)
		return ctx.Err() != nil || !damaged, err
	case by != nil && acked > by.seq:
		return true, fmt.Errorf("%w: message %d of %q is acknowledged", ErrFenced, acked, k.Name)
	case by == nil && max(acked, state.LastSeq) > max(t.until, t.world.At):
		return false, fmt.Errorf("%w: the log of %q has had messages up to %d, of which %d were"+
			" acknowledged, and it ends at %d", ErrBehind, k.Name, max(acked, state.LastSeq), acked,
			max(t.until, t.world.At))
	}
	return true, nil
}

// last returns the sequence of the last message that the log has, or where it ends if it is empty.
func (k *conn) last(ctx context.Context, log jetstream.Stream, state jetstream.StreamState) (
	seq uint64, err error,
) {
	if state.Msgs == 0 {
		return state.LastSeq, nil
	}
	err = k.retry(ctx, func(ctx context.Context) error {
		m, err := log.GetLastMsgForSubject(ctx, k.prefix+">")
		if err == nil {
			seq = m.Sequence
		}
		return lasting(err)
	})
	return seq, err
}

// found makes t begin without a snapshot, in a log that has never had a frame.
func (t *tail[T]) found(ctx context.Context, log jetstream.Stream,
	state jetstream.StreamState,
) error {
	behind := func(what string) error {
		return fmt.Errorf("%w: the log of %q has messages %d to %d, %s, and there is no snapshot",
			ErrBehind, t.reader.Name, state.FirstSeq, state.LastSeq, what)
	}
	if state.FirstSeq > 1 || uint64(state.NumDeleted) > 0 {
		return behind("and has had others")
	}
	for seq := uint64(1); seq <= state.LastSeq; seq++ {
		err := t.reader.retry(ctx, func(ctx context.Context) error {
			m, err := log.GetMsg(ctx, seq)
			if err == nil && m.Subject != t.reader.lead && t.world.Values.Valid(m.Data) {
				err = final(behind("with frames"))
			}
			return lasting(err)
		})
		if err != nil {
			return err
		}
	}
	t.world.Restart(replay.Snapshot{Seq: state.LastSeq})
	t.reader.start(state.LastSeq)
	t.reload = false
	return nil
}
