package replica

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

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
	s.finish()
}

// finish waits for the goroutine, if there is one.
func (s *snapper) finish() {
	if s.running {
		s.ended(<-s.done)
	}
}

// ended records the end of a snapshot.
func (s *snapper) ended(err error) {
	s.running = false
	if s.err = err; err == nil {
		s.written++
		s.latest = s.seq
	}
}

// write writes buf, and trims the log up to the oldest snapshot that is left.
func (s *snapper) write(ctx context.Context) error {
	oldest, err := s.store.put(ctx, s.seq, s.buf)
	if err == nil {
		err = purge(ctx, s.store.conn, oldest)
	}
	if err != nil {
		return fmt.Errorf("replica: a snapshot at %d: %w", s.seq, err)
	}
	point("snapshot: trimmed")
	return nil
}

// purge removes the messages of the log up to a sequence, which is that of a commit or takeover.
func purge(ctx context.Context, k *conn, seq uint64) error {
	log, err := k.js.Stream(ctx, k.stream)
	if err != nil {
		return err
	}
	return log.Purge(ctx, jetstream.WithPurgeSequence(seq+1))
}

// snapshotInTime begins a snapshot if it is time for one. It is called when all changes are in
// frames.
func (l *Leader[T]) snapshotInTime() {
	s := &l.snaps
	if l.err != nil || s.store.SnapshotEvery < 0 {
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
	if !s.ready && l.send.last != s.latest && len(l.ops) == 0 && time.Now().After(s.due) {
		s.due = time.Now().Add(s.store.SnapshotEvery)
		if s.err = l.encodeSnapshot(); s.err != nil {
			return
		}
		s.ready = true
	}
	if s.ready && s.attempt != l.send.attempt { // its commit may be somewhere else
		s.ready, s.due = false, time.Now()
	}
	if s.ready && l.send.acked >= s.seq {
		s.ready, s.running = false, true
		go func() {
			ctx, cancel := context.WithTimeout(s.ctx, 30*patience)
			defer cancel()
			s.done <- s.write(ctx)
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
// Cost: O(values); allocates the snapshot the first time, and copies of it.
func (l *Leader[T]) Snapshot(ctx context.Context) error {
	if _, err := l.Flush(ctx); err != nil {
		return err
	}
	if err := l.Wait(ctx); err != nil {
		return err
	}
	s := &l.snaps
	s.finish()
	s.ready = false
	if err := l.encodeSnapshot(); err != nil {
		return err
	}
	err := s.write(ctx)
	s.ended(err)
	s.due = time.Now().Add(s.store.SnapshotEvery)
	return err
}
