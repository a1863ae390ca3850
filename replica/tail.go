package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// tail is a world that follows the log: it loads a snapshot, reads the log from there on, and loads
// again when it must.
type tail[T any] struct {
	world   replay.World[T]
	reader  reader
	store   store
	size    float64         // of a cell
	damaged map[uint64]bool // snapshots
	leading bool            // nobody else writes, or soon nobody will
	until   uint64          // of a leading one: the sequence that it must reach
	lost    error           // of a leading one: what it was told to do without
	full    bool            // of a leading one: the log had no room
	late    bool            // of a leading one: the log has others in the place of lost messages

	reload   bool   // the Pool must be loaded before the next message
	needSeq  uint64 // least sequence of the snapshot to load,
	needNo   uint64 // and least number of its last frame
	suspects uint64 // sequence of the frame that did not fit
	stats    Stats
}

// Stats counts what a follower has done.
type Stats struct {
	Frames    uint64        // frames applied
	Ops       uint64        // operations in them: inserts, edits, removals
	Messages  uint64        // messages received
	Bytes     uint64        // bytes of messages
	Loads     uint64        // snapshots loaded
	Consumers uint64        // consumers made: one, and one for each that was lost
	Behind    uint64        // reports of ErrBehind
	Diverged  uint64        // reports of ErrDiverged
	Corrupt   uint64        // reports of ErrCorrupt
	Lag       time.Duration // see Follower.Lag
}

// most is the number of frames after which step returns.
const most = 256

// step applies what has arrived, and returns the number of frames. If nothing has, and wait is set,
// it waits for a frame until ctx ends. An error that is a *FrameError is a report of what is over:
// the world was loaded again, or the message was skipped.
func (t *tail[T]) step(ctx context.Context, wait bool) (n int, err error) {
	for n < most && !t.reached() {
		if t.reload {
			if err := t.load(ctx); err != nil {
				return n, err
			}
		}
		if t.reader.name == "" {
			if err := t.subscribe(ctx); err != nil {
				return n, err
			}
		}
		m, seq, err := t.reader.next(ctx, wait && n == 0)
		if errors.Is(err, errLost) {
			continue
		}
		if m == nil {
			return n, err
		}
		t.stats.Messages++
		t.stats.Bytes += uint64(len(m.Data))
		before := t.world.At
		ops, err := t.world.Take(m.Subject, seq, m.Data)
		if ops < 0 && err == nil && t.world.At != before && !t.leading {
			return n, nil // a takeover
		}
		if ops >= 0 {
			n++
			t.stats.Frames++
			t.stats.Ops += uint64(ops)
			t.stats.Lag = time.Since(time.Unix(0, t.world.Time))
		}
		if err := t.failed(ctx, seq, err); err != nil {
			return n, err
		}
	}
	return n, nil
}

// reached reports whether a leading tail has what it needs.
func (t *tail[T]) reached() bool { return t.leading && !t.reload && t.world.Seq >= t.until }

// subscribe makes a consumer for the messages after the last commit, and checks that the log is
// still the one that the world has followed. A power loss may shorten the log, and another leader
// may then have written other messages in the place of those that were lost. That ends all
// consumers. So a world finds it out here, and is loaded again.
func (t *tail[T]) subscribe(ctx context.Context) error {
	t.world.Rewind()
	t.reader.start(t.world.At)
	if err := t.reader.subscribe(ctx); err != nil {
		return err
	}
	err := t.verify(ctx)
	place := (*FrameError)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &place):
		t.reader.drop()
		return fmt.Errorf("replica: reading %q: %w", t.reader.Name, err)
	case errors.Is(err, ErrBehind):
		t.stats.Behind++
	default:
		t.stats.Diverged++
	}
	return t.again(ctx, place)
}

// verify checks that the log has the message at t.world.At that the world has applied. If the log
// was trimmed up to it, verify checks that it goes on from there. If it returns a FrameError, it
// has set what the snapshot to load must have.
func (t *tail[T]) verify(ctx context.Context) error {
	return t.reader.retry(ctx, func(ctx context.Context) error {
		at := t.world.At
		log, state, err := t.reader.log(ctx)
		if err != nil {
			return err
		}
		lost := func(seq uint64, err error, what string) error {
			t.needSeq, t.needNo = max(state.FirstSeq, 1)-1, 0
			return final(&FrameError{Seq: seq, Err: fmt.Errorf("%w: %s", err, what)})
		}
		switch {
		case state.LastSeq < at:
			return lost(at, ErrBehind, "the log has lost its end")
		case state.FirstSeq > at+1:
			return lost(at+1, ErrBehind, "the log was trimmed")
		case state.FirstSeq > at:
			return nil
		}
		m, err := log.GetMsg(ctx, at)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil // it was trimmed or deleted meanwhile
		case err != nil:
			return err
		case !t.world.Same(m.Data):
			return lost(at, ErrDiverged, "the log has lost its end, and got another")
		}
		return nil
	})
}

// failed handles an error of take, and returns a report of it.
func (t *tail[T]) failed(ctx context.Context, seq uint64, err error) error {
	if err == nil || t.leading && errors.Is(err, replay.ErrUnfounded) {
		return nil
	}
	place := &FrameError{Seq: seq, Err: err}
	if in := (*replay.Misfit)(nil); errors.As(err, &in) {
		place.Handle = in.Handle
	}
	t.needSeq, t.needNo = 0, 0
	switch {
	case errors.Is(err, replay.ErrUnfounded):
		t.needSeq = seq
	case errors.Is(err, ErrBehind):
		t.stats.Behind++
		if len(t.world.Cells) == 0 {
			t.needSeq = seq - 1
		} else {
			t.needNo = t.world.Frame + 1
		}
	case errors.Is(err, ErrDiverged):
		if t.stats.Diverged++; t.suspects == seq { // with a fresh snapshot as well
			t.world.Bad[seq] = true
		}
		t.suspects = seq
	default:
		t.stats.Corrupt++
		return place
	}
	err = t.again(ctx, place)
	if errors.Is(err, replay.ErrUnfounded) && !t.reload {
		return nil
	}
	return err
}

// again loads the world again, and returns why.
func (t *tail[T]) again(ctx context.Context, place *FrameError) error {
	t.reload = true
	if end := t.load(ctx); end != nil {
		return fmt.Errorf("%w: %w", place, end)
	}
	return place
}

// errNone reports that there is no snapshot.
var errNone = errors.New("there is no snapshot")

// load loads the latest snapshot that is whole and has what the world needs. It waits for one until
// ctx ends, unless there can be none. If the log has lost its end, there may be snapshots beyond
// it. The next leader makes the log go on after it; until then, nobody else loads one.
func (t *tail[T]) load(ctx context.Context) error {
	k := t.reader.conn
	err := k.retry(ctx, func(short context.Context) error {
		seqs, err := t.store.list(short)
		if err != nil {
			return err
		}
		_, state, err := k.log(short)
		if err != nil {
			return err
		}
		err = errNone
		beyond := false
		for _, seq := range seqs {
			if seq < t.needSeq {
				break
			}
			if seq > state.LastSeq && !t.leading {
				beyond = true
				continue
			}
			var s replay.Snapshot
			if s, err = t.fetch(ctx, seq); err == nil && s.Frame < t.needNo {
				err = errNone
				break
			}
			if err == nil {
				err = replay.Load(t.world.Pool, s, t.world.Values, t.world.Cells)
			}
			if err == nil {
				t.loaded(s)
				return nil
			}
			if errors.Is(err, ErrCorrupt) {
				t.damaged[seq] = true
				k.Logger.Warn("replica: a damaged snapshot", "world", k.Name, "seq", seq,
					"error", err)
			}
		}
		if t.leading || errors.Is(err, ErrCorrupt) || err == errNone && !beyond &&
			t.needSeq+t.needNo == 0 {
			return final(err)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("replica: loading a snapshot: %w", err)
	}
	return nil
}

// fetch reads the snapshot at a sequence.
func (t *tail[T]) fetch(ctx context.Context, seq uint64) (replay.Snapshot, error) {
	t.reader.Logger.Info("replica: loading", "world", t.reader.Name, "seq", seq)
	s, err := t.store.get(ctx, seq)
	if err == nil && s.Size != t.size {
		err = fmt.Errorf("%w: the snapshot at %d has cells of size %v, not %v", ErrCorrupt, seq,
			s.Size, t.size)
	}
	if errors.Is(err, ErrCorrupt) {
		if left, end := t.store.list(ctx); end == nil && !slices.Contains(left, seq) {
			return s, fmt.Errorf("the snapshot at %d was removed meanwhile", seq)
		}
	}
	return s, err
}

// loaded makes the world go on after a snapshot.
func (t *tail[T]) loaded(s replay.Snapshot) {
	t.world.Restart(s)
	t.reader.start(s.Seq)
	t.reader.whole.Store(s.Seq)
	t.stats.Loads++
	t.reload = false
	t.reader.Logger.Info("replica: loaded", "world", t.reader.Name, "seq", s.Seq, "frame", s.Frame)
}

// newTail returns a tail that has loaded nothing.
func newTail[T any](ctx context.Context, k *conn, w replay.World[T], size float64) (
	t *tail[T], err error,
) {
	t = &tail[T]{world: w, size: size}
	t.world.All, t.world.Bad = k.all, map[uint64]bool{}
	t.world.Lead, t.damaged = k.lead, map[uint64]bool{}
	t.reader.conn = k
	t.reload = true
	if len(w.Cells) > 0 {
		t.reader.filter = append(t.reader.filter, k.all, k.lead)
		for c := range w.Cells {
			t.reader.filter = append(t.reader.filter, c.Subject(k.prefix))
		}
	}
	t.store, err = k.openStore(ctx)
	return t, err
}
