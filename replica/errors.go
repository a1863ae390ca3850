package replica

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// MaxFrameBytes is the maximum size of a frame: 64 MiB.
const MaxFrameBytes = replay.MaxBytes

var (
	// ErrFenced is returned by a Leader after another program has written to its world, or the log
	// has lost acknowledged frames. The Leader changes nothing any more. Close it, and call [Lead]
	// again to load the world and take over.
	ErrFenced = errors.New("replica: fenced by another leader")
	// ErrSlow is returned by [Leader.Flush] and [Leader.Wait] when their context ends while frames
	// are not acknowledged.
	ErrSlow = errors.New("replica: not acknowledged in time")
	// ErrStorage is returned when the server refuses a frame or a snapshot because it has no room,
	// or by another of its limits. Frames are kept, and sent again by the next Flush or Wait. If
	// the log is full and snapshots fail for so long that it has twice its limit, call [Lead]
	// again. A server whose disk fails or is full does not answer any more until it is started
	// again. If it is the Leader's own, that is an ErrStorage too. If it is another, it is an
	// [ErrSlow].
	ErrStorage = errors.New("replica: refused by the server")
	// ErrFull is returned when a frame would exceed [MaxFrameBytes].
	ErrFull = errors.New("replica: frame too large")
	// ErrBehind reports that the log no longer has the frames that a follower needs next, or does
	// not have those any more that it has applied. [Lead] returns it if the world has lost
	// acknowledged frames, or messages, or its snapshots, with their sequences.
	ErrBehind = replay.ErrBehind
	// ErrDiverged reports that a frame does not fit a follower's values: a handle is not live
	// there, or an insert got another handle than it did at the leader. Or the log has another
	// frame than the one that the follower has applied.
	ErrDiverged = replay.ErrDiverged
	// ErrCorrupt reports data that no leader of this type has written: a message, a snapshot, or
	// the log of another type of values.
	ErrCorrupt = replay.ErrCorrupt
	// ErrNoWorld is returned by [Follow] if no leader has made the world yet, and when somebody has
	// deleted the log, with its name.
	ErrNoWorld = errors.New("replica: no such world")
	// ErrClosed is returned by the methods of what was closed.
	ErrClosed = errors.New("replica: closed")
	// ErrLocked is returned by [Serve] if another server uses the directory.
	ErrLocked = errors.New("replica: the directory is in use by another server")
)

// FrameError is the place in the log that an error is about. It wraps [ErrBehind], [ErrDiverged] or
// [ErrCorrupt].
type FrameError struct {
	Seq    uint64 // of the message in the log
	Handle uint64 // [berth.Handle.Uint64] of the value, or 0
	Err    error
}

// Error returns the error with its place.
func (e *FrameError) Error() string {
	if e.Handle != 0 {
		return fmt.Sprintf("%v (message %d, handle %d:%d)",
			e.Err, e.Seq, uint32(e.Handle), e.Handle>>32)
	}
	return fmt.Sprintf("%v (message %d)", e.Err, e.Seq)
}

// Unwrap returns e.Err.
func (e *FrameError) Unwrap() error { return e.Err }
