// Package trace records how a program uses its containers, and reads such recordings. A stream
// holds inserts, removals, lookups, loops over all values, and the ends of frames, but no values.
// Use it to find the container that suits a program: lab replay runs a stream on every container
// and recommends one.
//
//	rec, err := trace.NewRecorder(file)
//	...
//	game.enemies.Record(rec, "enemies") // a trace.Pool[Enemy], which was a berth.Pool[Enemy]
//	for running {
//		game.step() // Insert, Remove, Ptr, All ... as before
//		rec.Frame()
//	}
//	err = rec.Close()
//
// [Pool] records a berth.Pool, and [Wrap] a berth.Dense or a stable.List. For any other container,
// call the methods of [Track] by hand. [Model] writes the stream of a program from its description.
// [Reader] reads a stream as a sequence of [Op] values.
//
// The README beside the source describes the format.
package trace

import (
	"errors"
	"strconv"
)

// Kind is the kind of an [Op].
type Kind uint8

const (
	// Insert inserts a value, which gets a name.
	Insert Kind = iota + 1
	// Remove removes a live value and gives its name back.
	Remove
	// Get looks up a live value.
	Get
	// Miss looks up a removed value: the one that had the name before its current value, or its
	// last value if the name is vacant.
	Miss
	// Pass is one loop over all live values of a track.
	Pass
	// Frame is the end of a frame of the program, for all tracks.
	Frame
)

// String returns the name of the constant in lower case.
//
// Cost: O(1); never allocates for the constants.
func (k Kind) String() string {
	names := [...]string{
		Insert: "insert", Remove: "remove", Get: "get", Miss: "miss", Pass: "pass", Frame: "frame",
	}
	if k == 0 || int(k) >= len(names) {
		return "kind " + strconv.Itoa(int(k))
	}
	return names[k]
}

// Op is one operation of a program.
type Op struct {
	Kind Kind
	// Track is the index of the track in [Reader.Tracks]. It is 0 for a Frame.
	Track int
	// Value is the name of the value. It is 0 for a Pass and a Frame. Names are dense: each is less
	// than the largest number of values that were live in the track at a time. An Insert takes the
	// name that was given back last, or if none is vacant, the smallest unused one. So a slice
	// indexed by names, which grows by one when an Insert has the name of its length, holds one
	// element per live value.
	Value uint32
}

// TrackInfo describes a track, which stands for one container.
type TrackInfo struct {
	Name  string
	Bytes int // size of a value
}

// Info holds the metadata of a stream.
type Info struct {
	Version int         // of the format
	Tracks  []TrackInfo // those declared so far
}

// The errors of a [Reader] wrap one of these, unless they are those of the source. Their texts give
// the position in bytes.
var (
	// ErrForeign means that the source is not a trace.
	ErrForeign = errors.New("not a trace")
	// ErrVersion means that this package does not support the version of the stream.
	ErrVersion = errors.New("unknown version of the format")
	// ErrTruncated means that the stream ends before its end mark: the program crashed, or its disk
	// was full. Everything before the error is valid.
	ErrTruncated = errors.New("truncated")
	// ErrCorrupt means that the stream is damaged or malicious. The blocks before the one in the
	// error's text are valid.
	ErrCorrupt = errors.New("corrupt")
	// ErrLimit means that the stream exceeds [Limits], or the limits of a [Recorder] or a [Model].
	ErrLimit = errors.New("over the limit")
	// ErrClosed is returned by a closed [Recorder].
	ErrClosed = errors.New("trace: recorder is closed")
)

// Limits bound the work of a [Reader]. The zero value of a field is its default.
type Limits struct {
	// Live is the largest sum, over all tracks, of the values live at each track's peak. The reader
	// takes 12 bytes for each. Default: 1<<24.
	Live int
	// Tracks is the largest number of tracks. Default: 256.
	Tracks int
	// Ops is the largest number of ops. Each op of a run counts, since a stream of a few bytes may
	// stand for many. Default: 1<<33.
	Ops uint64
}

const (
	defaultLive   = 1 << 24
	defaultTracks = 256
	defaultOps    = 1 << 33
)

func (l Limits) withDefaults() Limits {
	if l.Live <= 0 {
		l.Live = defaultLive
	}
	l.Live = min(l.Live, 1<<31-1) // the highest bit of a place has another meaning
	if l.Tracks <= 0 {
		l.Tracks = defaultTracks
	}
	if l.Ops == 0 {
		l.Ops = defaultOps
	}
	return l
}
