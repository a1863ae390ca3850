// Package replay runs a recorded stream against every container of this library and the naive Go,
// and says which one to take and why.
//
// All containers do the same and must find the same, or there is no result. What is timed is the
// replay of a frame. In it, a value is as large as that of the program, rounded up to one of the
// sizes of Options. It has no pointers, and a pass reads one word of each: the stream does not have
// what a program does with its values.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/trace"
)

// MaxRounds is the most rounds: the time of each frame in each of them is kept.
const MaxRounds = 99

// Options say how to replay. The zero Options are the defaults.
type Options struct {
	// Rounds is how often each container replays the stream; 5 by default, and MaxRounds at most.
	Rounds int
	// Budget is how long the rounds may take together with the memory pass: a round begins only if
	// it is likely to end in time, but for the first. 30 s by default.
	Budget time.Duration
	// MaxOps is the most ops of a stream, which is in memory as a whole, by 4 bytes an op. It is
	// 64 Mi by default, and 256 Mi at most.
	MaxOps int
	// Frame is how long a frame may take; a sixtieth of a second by default.
	Frame time.Duration
	// Sizes are those that values are replayed in: a value takes the smallest that holds it, or
	// the largest. They are Few by default.
	Sizes []Size
	// PinPointers advises only containers in which a value stays put while it lives.
	PinPointers bool
	// Safe advises only containers whose stale handles find nothing for ever, not just until a slot
	// has been reused some billions of times. Without it too, one whose stale handles find
	// something is never advised.
	Safe bool
	// Progress is called before each pass of a container over the stream, and at the end, if it is
	// not nil: done passes of total, and what comes now.
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
		return a.Bytes() - b.Bytes()
	})
	if o.Frame <= 0 {
		o.Frame = time.Second / 60
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	return o
}

// Run replays the stream that r has.
//
// A stream of more ops than MaxOps, or of more work or memory than a replay has, is replayed as far
// as that, and its Result says so. A stream that breaks off is replayed as far as it is good: there
// is a Result, which says so, and the error, which wraps one of package trace. If ctx ends, the
// Result has the rounds that were whole by then, beside the error of ctx; it is nil if there were
// none. All other errors come with a nil Result: they wrap an error of package trace, or that of r.
func Run(ctx context.Context, r io.Reader, o Options) (*Result, error) {
	o = o.withDefaults()
	src, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	o.Progress(0, 0, "reading the stream")
	s, err := decode(src, o.Sizes, o.MaxOps, ctx.Err)
	if s == nil {
		return nil, err
	}
	defer s.release()
	if err != nil {
		err = fmt.Errorf("replay: the stream breaks off after %s ops: %w",
			thousands(s.counts.ops()), err)
	}
	res, stopped := run(ctx, s, o)
	if res != nil {
		res.Notes = append(notes(s, err), res.Notes...)
	}
	return res, errors.Join(err, stopped)
}

// notes say what is odd about a stream that breaks off by an error, or is whole.
func notes(s *stream, err error) (list []string) {
	if err != nil {
		list = append(list, fmt.Sprintf("%v. What came before is replayed.",
			errors.Unwrap(err)))
	}
	if s.cut {
		list = append(list, fmt.Sprintf("The stream goes on: what is replayed are its first %s, "+
			"which is all that a replay takes.", plural(s.counts.ops(), "op")))
	}
	for _, t := range s.tracks {
		if t.Bytes > t.Class {
			list = append(list, fmt.Sprintf("Values of %s bytes are replayed as %d: more memory "+
				"is held than is told here, and moving them takes longer.", thousands(t.Bytes),
				t.Class))
			break
		}
	}
	if s.rest > 0 {
		list = append(list, fmt.Sprintf("%s behind the last end of a frame: replayed as one more.",
			plural(s.rest, "op")))
	}
	return list
}

// run measures, and judges.
func run(ctx context.Context, s *stream, o Options) (*Result, error) {
	m := newMeter(ctx, s, o)
	defer m.release()
	err := m.measure()
	if m.rounds == 0 {
		return nil, err
	}
	res := m.result()
	res.Notes = m.notes()
	spent, stopped := m.spent(choose(res.Containers, rules(res, o)).take)
	if err == nil {
		err = stopped
	}
	res.Spent = spent
	res.Advice = advise(res, o)
	m.o.Progress(m.total, m.total, "done")
	return res, err
}
