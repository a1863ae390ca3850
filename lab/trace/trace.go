// Package trace writes and reads what a program did with its containers: which values came and
// went, which were looked up, how often all of them were visited, and where a frame ended. The
// values themselves are not written. lab replay runs such a stream on every container, to say
// which one suits the program.
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
// [Wrap] records a berth.Dense or a stable.List. A program whose values lie in something else calls
// the verbs of [Track] by hand. [Model] writes the stream of a program that is only described.
// [Reader] hands out one [Op] after another.
//
// The format is in the README beside the source.
package trace

import (
	"errors"
	"strconv"
)

// Kind is what an [Op] does.
type Kind uint8

const (
	// Insert brings a value to life, and gives it a name.
	Insert Kind = iota + 1
	// Remove ends a living value, and gives its name back.
	Remove
	// Get looks a living value up.
	Get
	// Miss looks up a value that is gone: the one that had the name before the value that has it
	// now, or the last that had it, if it is vacant.
	Miss
	// Pass is one loop over all living values of a track.
	Pass
	// Frame is the end of a frame of the program, for all tracks.
	Frame
)

// String returns the name of the constant in lower case.
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

// Op is one thing that a program did.
type Op struct {
	Kind Kind
	// Track is the index of the track in [Reader.Tracks]; 0 of a Frame.
	Track int
	// Value is the name of the value; 0 of a Pass and a Frame. Names are dense: each is less than
	// the most values that ever lived in the track at a time. The name that was given back last is
	// given out first, and if none is vacant, the least that has never been given. So a slice
	// that is indexed by names, and grows by one when an Insert has the name of its length, holds
	// one thing per living value.
	Value uint32
}

// TrackInfo is what a stream says of one track: a container, or what stands in the place of one.
type TrackInfo struct {
	Name  string
	Bytes int // size of a value
}

// Info is what a stream says of itself.
type Info struct {
	Version int         // of the format
	Tracks  []TrackInfo // those that have been declared so far
}

// The errors of a [Reader] wrap one of these, if they are not those of the source. Their texts say
// at which byte of the stream.
var (
	// ErrForeign says that the source is no trace.
	ErrForeign = errors.New("not a trace")
	// ErrVersion says that the stream is of a version that this package does not read.
	ErrVersion = errors.New("unknown version of the format")
	// ErrTruncated says that the stream stops before its end mark: the program has crashed, or its
	// disk was full. What came before the error is good.
	ErrTruncated = errors.New("truncated")
	// ErrCorrupt says that the stream is damaged, or was made by an enemy. The blocks before the
	// one that the error names are good.
	ErrCorrupt = errors.New("corrupt")
	// ErrLimit says that there is more of something than [Limits] allow, or more than a
	// [Recorder] or a [Model] writes.
	ErrLimit = errors.New("over the limit")
	// ErrClosed is returned by a [Recorder] that was closed before.
	ErrClosed = errors.New("trace: recorder is closed")
)

// Limits bound what a [Reader] does for a stream. A field of 0 is its default.
type Limits struct {
	// Live is the most living values: the sum over all tracks of the most that ever lived there at
	// a time. The reader takes 12 bytes for each. Default: 1<<24.
	Live int
	// Tracks is the most tracks. Default: 256.
	Tracks int
	// Ops is the most ops, with every one of a run counted: a stream of a few bytes may stand for
	// many. Default: 1<<33.
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
	l.Live = min(l.Live, 1<<31-1) // the highest bit of a place says something else
	if l.Tracks <= 0 {
		l.Tracks = defaultTracks
	}
	if l.Ops == 0 {
		l.Ops = defaultOps
	}
	return l
}
