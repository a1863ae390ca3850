package replica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// Follower is a copy of a world, or of some of its cells, that follows the leader's frames. It
// changes only in [Follower.Step] and [Follower.Poll], so the caller decides when. It always holds
// whole frames.
//
// A Follower may be used by one goroutine at a time. Its values belong to the leader: a change that
// is made through a pointer is overwritten some time, or never.
type Follower[T any] struct {
	tail   *tail[T]
	conn   *conn
	closed bool
}

// Follow loads a world from its latest snapshot, or the cells of o. T must be the type that the
// leader has, or one with the same fields. [Config.URL] must be set. Close the Follower when it is
// no longer needed.
//
// It fails if T has Go pointers, with the field; with [ErrNoWorld] if no leader has made the world
// yet; with [ErrCorrupt] if the world has values of another type, with the field; and with the
// error of ctx if that ends before the server answers.
//
// Cost: O(values); allocates them, and for a follower of some cells, all others for a moment.
func Follow[T any](ctx context.Context, c Config, o FollowOptions) (*Follower[T], error) {
	v, err := replay.ValuesOf[T]()
	if err != nil {
		return nil, err
	}
	if c, err = c.check(); err != nil {
		return nil, err
	}
	if c.URL == "" {
		return nil, errors.New("replica: Follow: Config.URL must be set, to the leader's server")
	}
	k, err := connect(ctx, c, nil, userFollower)
	if err != nil {
		return nil, err
	}
	f, err := follow(ctx, k, v, o)
	if err != nil {
		k.close()
	}
	return f, err
}

// follow is Follow with a connection.
func follow[T any](ctx context.Context, k *conn, v replay.Values[T], o FollowOptions) (
	*Follower[T], error,
) {
	size, err := k.open(ctx, v.Desc, v.Fingerprint, 0, false)
	if err != nil {
		return nil, err
	}
	if size == 0 && len(o.Cells) > 0 {
		return nil, fmt.Errorf("replica: Follow: FollowOptions.Cells: %q has no cells", k.Name)
	}
	w := replay.World[T]{
		Values: v, Pool: berth.NewPool[T](berth.Config{}), Cells: map[replay.Cell]bool{},
	}
	for _, cell := range o.Cells {
		w.Cells[replay.Cell(cell)] = true
	}
	t, err := newTail(ctx, k, w, size)
	if err == nil {
		err = t.load(ctx)
	}
	if errors.Is(err, errNone) && errors.Is(err, errFinal) {
		return nil, fmt.Errorf("%w: %q", ErrNoWorld, k.Name)
	}
	if err != nil {
		return nil, err
	}
	return &Follower[T]{tail: t, conn: k}, nil
}

// Step applies the frames that have arrived, at most 256, and returns how many. If there is none,
// it waits for one until ctx ends, and returns ctx's error. It returns 0 and no error when another
// leader has taken over, which changes [Follower.Seq] alone.
//
// An error that is a [*FrameError] is a report. The Follower has dealt with it, and the next Step
// goes on:
//
//   - [ErrBehind]: the log was trimmed before the Follower had read it, or has lost a message, also
//     one that was applied. The Follower was loaded from a snapshot.
//   - [ErrDiverged]: a frame did not fit, or the log has lost its end and has another frame now
//     than the one that was applied. The Follower was loaded from a snapshot.
//   - [ErrCorrupt]: a message was skipped that no leader has written, or a frame that does not fit
//     even after a snapshot was loaded. Every follower skips it.
//
// If ctx ends before a snapshot is loaded, the error wraps ctx's as well, and the next Step
// continues. Until then, the values are those before the frame; after an ErrDiverged, they may be
// neither those before nor those after it.
//
// Cost: O(operations); allocates the messages, and little else.
//
// Ends: pointers to removed values, and all handles and pointers when a snapshot is loaded.
//
//berth:ends emptied
func (f *Follower[T]) Step(ctx context.Context) (n int, err error) { return f.step(ctx, true) }

// Poll is Step that does not wait for a frame: it returns 0 if none has arrived. It may wait for
// the server, until ctx ends, to recover from the loss of it.
//
// Cost: as Step.
//
// Ends: as Step.
//
//berth:ends emptied
func (f *Follower[T]) Poll(ctx context.Context) (n int, err error) { return f.step(ctx, false) }

func (f *Follower[T]) step(ctx context.Context, wait bool) (int, error) {
	if f.closed {
		return 0, fmt.Errorf("%w: Follower.Step", ErrClosed)
	}
	return f.tail.step(ctx, wait)
}

// View returns the values. It is always the same View, and shows the state after the last Step.
//
// Cost: O(1).
//
//berth:shares r0
func (f *Follower[T]) View() berth.View[T] { return f.tail.world.Pool }

// Seq returns the sequence, in the log, of the last frame that was applied. Followers of all cells
// with the same Seq have the same values under the same handles, and so has the leader if its
// [Leader.Seq] is the same.
//
// Cost: O(1).
func (f *Follower[T]) Seq() uint64 { return f.tail.world.At }

// Lag returns the time from the leader's Flush of the last frame to its application here. If the
// leader is on another machine, the difference of the clocks is in it.
//
// Cost: O(1).
func (f *Follower[T]) Lag() time.Duration { return f.tail.stats.Lag }

// Hash returns a hash of the values and their handles, for comparisons: it is that of
// [Leader.Hash], for the same cells at the same Seq.
//
// Cost: O(values); never allocates.
func (f *Follower[T]) Hash() uint64 {
	h := replay.Hasher[T]{Values: f.tail.world.Values}
	for k, v := range f.tail.world.Pool.All() {
		h.Add(k, v)
	}
	return h.Sum
}

// Stats returns what the Follower has done so far.
//
// Cost: O(1).
func (f *Follower[T]) Stats() Stats {
	s := f.tail.stats
	s.Consumers = f.tail.reader.resets
	return s
}

// Close ends the connection. The values stay as they are.
//
// Cost: a request to the server.
func (f *Follower[T]) Close() {
	if !f.closed {
		f.closed = true
		f.tail.reader.close()
		f.conn.close()
	}
}
