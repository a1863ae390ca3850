// Package replay runs a recorded stream on every container of this library and on naive Go code,
// and recommends one of them.
//
// All containers execute the same ops and must find the same values, or there is no result. The
// time is that of replaying a frame. A replayed value has the size of the program's, rounded up to
// one of the sizes of Options. It holds no pointers, and a pass reads one word of each value, since
// a stream does not record what a program does with its values.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed505807e1/berth/lab/trace"
)

// Run replays the stream in r.
//
// A stream with more ops than MaxOps, or with more work or memory than a replay allows, is cut, and
// its Result says so. If the stream is truncated or damaged, Run replays the good part and returns
// a Result with a note, and an error that wraps one of package trace. If ctx ends, Run returns the
// completed rounds and the error of ctx; the Result is nil if no round is complete. All other
// errors come with a nil Result. They wrap an error of package trace or of r.
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

// notes describe a stream that is damaged or cut.
func notes(s *stream, err error) (list []string) {
	if err != nil {
		list = append(list, fmt.Sprintf("%v. The part before it is replayed.",
			errors.Unwrap(err)))
	}
	if s.cut {
		list = append(list, fmt.Sprintf("The stream is longer: the replay stops after its first "+
			"%s, the most that it takes.", plural(s.counts.ops(), "op")))
	}
	for _, t := range s.tracks {
		if t.Bytes > t.Class {
			list = append(list, fmt.Sprintf("Values of %s bytes are replayed as %d: they hold "+
				"more memory than shown here, and take longer to move.", thousands(t.Bytes),
				t.Class))
			break
		}
	}
	if s.rest > 0 {
		list = append(list, fmt.Sprintf("%s after the last frame mark: replayed as one more frame.",
			plural(s.rest, "op")))
	}
	return list
}

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
