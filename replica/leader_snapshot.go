package replica

import (
	"context"
	"fmt"
	"time"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// snapper writes snapshots: one at a time, in a goroutine, while the leader goes on.
type snapper struct {
	store   store
	buf     []byte // a snapshot
	seq     uint64 // its sequence,
	attempt uint64 // unless the sender has read the log since
	ready   bool   // buf waits for the acknowledgement of seq
	running bool   // the goroutine reads buf
	latest  uint64 // sequence of the last snapshot
	due     time.Time
	done    chan error
	cancel  context.CancelFunc
	ctx     context.Context // of the goroutine
	written uint64
	err     error
}

// begin makes s ready.
func (s *snapper) begin(store store) {
	s.store = store
	s.done = make(chan error, 1)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.due = time.Now().Add(store.SnapshotEvery)
}

// close ends the goroutine, if there is one.
func (s *snapper) close() {
	s.cancel()
	_ = s.finish(context.Background())
}

// finish waits for the goroutine, if there is one.
func (s *snapper) finish(ctx context.Context) error {
	if !s.running {
		return nil
	}
	select {
	case err := <-s.done:
		s.ended(err)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ended records the end of a snapshot.
func (s *snapper) ended(err error) {
	s.running = false
	if s.err = err; err == nil {
		s.written++
		s.latest = s.seq
	} else {
		s.store.Logger.Warn("replica: no snapshot", "world", s.store.Name, "error", err)
	}
}

// write writes buf, and reads it back. Then it removes the snapshots before the one before it,
// which was read whole too, and trims the log up to that one.
func (s *snapper) write(ctx context.Context) error {
	if err := s.replace(ctx); err != nil {
		return fmt.Errorf("replica: a snapshot at %d: %w", s.seq, err)
	}
	return nil
}

// replace is write without the text.
func (s *snapper) replace(ctx context.Context) error {
	if err := s.store.put(ctx, s.seq, s.buf); err != nil {
		return err
	}
	point("snapshot: read back")
	if s.store.own != nil && s.store.NoSync {
		if err := s.store.own.sync(s.store.stream.CachedInfo().Config.Name); err != nil {
			return err
		}
	}
	before := s.store.whole.Swap(s.seq)
	return s.store.retry(ctx, func(ctx context.Context) error {
		err := s.store.mine(ctx)
		if err == nil {
			err = s.store.remove(ctx, before)
		}
		point("snapshot: removed")
		if err == nil {
			err = s.store.mine(ctx)
		}
		if err == nil {
			err = s.store.purge(ctx, before)
		}
		if err == nil {
			err = s.store.limit(ctx, s.store.maxBytes())
		}
		point("snapshot: trimmed")
		return lasting(err)
	})
}

// snapshotInTime begins a snapshot if it is time for one. It is called when all changes are in
// frames.
func (l *Leader[T]) snapshotInTime() {
	s := &l.snaps
	if l.err != nil || s.store.SnapshotEvery < 0 && !l.send.urgent && !s.ready && !s.running {
		return
	}
	if s.running {
		select {
		case err := <-s.done:
			s.ended(err)
		default:
			return
		}
	}
	if !s.ready && l.send.last != s.latest && len(l.ops) == 0 &&
		(l.send.urgent || time.Now().After(s.due)) {
		s.due, l.send.urgent = time.Now().Add(s.store.SnapshotEvery), false
		if s.err = l.encodeSnapshot(); s.err != nil {
			return
		}
		s.ready = true
	}
	if s.ready && s.attempt != l.send.attempt { // its commit may be somewhere else
		s.ready, l.send.urgent = false, true
	}
	if s.ready && l.send.acked >= s.seq {
		s.ready, s.running = false, true
		go func() {
			s.done <- s.write(s.ctx)
		}()
	}
}

// encodeSnapshot fills the snapper's buf with the state after the last frame.
func (l *Leader[T]) encodeSnapshot() (err error) {
	s := &l.snaps
	s.seq, s.attempt = l.send.last, l.send.attempt
	s.buf, err = replay.BeginSnapshot(s.buf[:0], replay.Snapshot{
		Seq: s.seq, Time: l.time, Frame: l.frame, Size: l.options.Cell,
	}, l.pool)
	if err != nil {
		return fmt.Errorf("replica: a snapshot at %d: %w", s.seq, err)
	}
	if l.options.Cell != 0 {
		for h := range l.pool.All() {
			s.buf = replay.AppendCell(s.buf, l.slot(h).cell)
		}
	}
	replay.EndSnapshot(s.buf)
	return nil
}

// Snapshot ends the frame as [Leader.Flush] does, waits until all frames are acknowledged, and
// writes a snapshot. It then removes all but the last two snapshots, and the log before them.
//
// Cost: O(values); allocates the snapshot the first time, and copies of it.
func (l *Leader[T]) Snapshot(ctx context.Context) error {
	if _, err := l.Flush(ctx); err != nil {
		return err
	}
	if err := l.Wait(ctx); err != nil {
		return err
	}
	s := &l.snaps
	if err := s.finish(ctx); err != nil {
		return err
	}
	s.ready = false
	if err := l.encodeSnapshot(); err != nil {
		return err
	}
	err := s.write(ctx)
	s.ended(err)
	s.due = time.Now().Add(s.store.SnapshotEvery)
	return l.fence(err)
}
