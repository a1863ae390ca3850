package replay

import "errors"

// The errors of package replica that worlds report, where they are documented.
var (
	ErrBehind   = errors.New("replica: behind the log")
	ErrDiverged = errors.New("replica: diverged")
	ErrCorrupt  = errors.New("replica: corrupt")
)

// ErrUnfounded reports a takeover before the first frame: its leader writes a snapshot of its own.
var ErrUnfounded = errors.New("the world begins anew")

// Misfit is an ErrDiverged about the value of a handle.
type Misfit struct {
	Handle uint64
	What   string
}

// Error returns what does not fit, without the handle.
func (e *Misfit) Error() string { return ErrDiverged.Error() + ": " + e.What }

// Unwrap returns ErrDiverged.
func (e *Misfit) Unwrap() error { return ErrDiverged }
