package replay

import (
	"slices"
	"time"
)

// MaxRounds is the largest number of rounds. The time of each frame is kept for each round.
const MaxRounds = 99

// Options configure a replay. The zero Options are the defaults.
type Options struct {
	// Rounds is the number of times that each container replays the stream. The default is 5, the
	// maximum MaxRounds.
	Rounds int
	// Budget limits the rounds together with the memory pass. A round after the first begins only
	// if it is likely to end in time. The default is 30 s.
	Budget time.Duration
	// MaxOps limits the ops of a stream, which is kept in memory at 4 bytes an op. The default is
	// 64 Mi, the maximum 256 Mi.
	MaxOps int
	// Frame is the time available for a frame. The default is a sixtieth of a second.
	Frame time.Duration
	// Sizes are the available sizes of replayed values. A value takes the smallest size that holds
	// it, or the largest. The default is Few.
	Sizes []Size
	// PinPointers restricts the advice to containers whose values do not move while they live.
	PinPointers bool
	// Safe restricts the advice to containers whose stale handles never find anything, not even
	// after a slot has been reused some billions of times. Containers whose stale handles find
	// something at once are never recommended.
	Safe bool
	// Progress, if not nil, is called before each pass of a container over the stream, and at the
	// end. It receives the passes that are done, their total, and the next step.
	Progress func(done, total int, what string)
}

func (o Options) withDefaults() Options {
	if o.Rounds <= 0 {
		o.Rounds = 5
	}
	o.Rounds = min(o.Rounds, MaxRounds)
	if o.Budget <= 0 {
		o.Budget = 30 * time.Second
	}
	if o.MaxOps <= 0 {
		o.MaxOps = 64 << 20
	}
	if len(o.Sizes) == 0 {
		o.Sizes = Few
	}
	o.Sizes = slices.SortedFunc(slices.Values(o.Sizes), func(a, b Size) int {
		return a.Bytes - b.Bytes
	})
	if o.Frame <= 0 {
		o.Frame = time.Second / 60
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	return o
}
