package berth

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrForgotten is returned by Rewind for a frame that is too old, or that has not begun.
var ErrForgotten = errors.New("berth: the History does not have the frame")

// Frame is the number of a frame of a [History]. Frames count from 1.
type Frame uint64

// Change is what happened to a value between two frames: see [History.Changed].
type Change uint8

const (
	// Inserted is the change of a value that is live now, and was not when the frame began.
	Inserted Change = iota + 1
	// Removed is the change of a value that was live when the frame began, and is not now.
	Removed
	// Edited is the change of a value that is live since the frame began, and that Edit, EditAll or
	// EditSpans gave out since. With HistoryConfig.Compare, it is also that of a value that was
	// written to through another pointer.
	Edited
)

// String returns the name of the constant: "Inserted", "Removed" or "Edited".
// Cost: O(1); never allocates for the three constants.
func (c Change) String() string {
	switch c {
	case Inserted:
		return "Inserted"
	case Removed:
		return "Removed"
	case Edited:
		return "Edited"
	}
	return "Change(" + strconv.Itoa(int(c)) + ")"
}

// HistoryConfig configures a [History].
type HistoryConfig struct {
	// Frames is the number of frames that Rewind can go back to, the current one included. It must
	// be at least 1. With Frames 1, Rewind undoes the current frame. To go back 8 frames, keep 9.
	Frames int
	// Compare makes Mark, Rewind and Changed find values that were written to through any pointer,
	// not only those from Edit. They compare the bytes of all live values with a copy, which the
	// History keeps. Values without a change of their bytes are not found, and so is no write to
	// what a Go pointer in the value refers to.
	Compare bool
}

// check panics if c is invalid.
func (c HistoryConfig) check(fn string) {
	if c.Frames < 1 {
		panicGot(fn, "Frames must be at least 1", c.Frames)
	}
}

// forgotten returns an error if f is not from oldest to now.
func forgotten(f, oldest, now uint64) error {
	if f < oldest || f > now {
		return fmt.Errorf("%w: frame %d is not in %d to %d", ErrForgotten, f, oldest, now)
	}
	return nil
}

// mustHold panics if f is not from oldest to now.
func mustHold(fn string, f, oldest, now uint64) {
	if f < oldest || f > now {
		panic(fmt.Sprintf("berth: %s: the frame must be from %d to %d (got %d)",
			fn, oldest, now, f))
	}
}
