package replay

import (
	"fmt"
	"io"

	"github.com/seed505807e1/berth/lab/trace"
)

// segmentWork is the number of ops and visits in a segment. Between two segments a replay checks
// for cancellation.
const segmentWork = 1 << 20

// A stream of a few bytes can stand for more work than a day allows, or more memory than a machine
// has. So a replay is cut at a number of visits and at a number of bytes held in each container.
const (
	mostVisits = 1 << 30
	mostHeld   = 1 << 29 // bytes
)

// mostFrames is ten hours at 60 frames a second. Their times are kept for each container and round.
const mostFrames = 1 << 21

// source is implemented by *trace.Reader.
type source interface {
	Next() (trace.Op, error)
	Tracks() []trace.TrackInfo
}

// decoder turns ops into a stream. It tracks the values to compute what every container must find.
type decoder struct {
	s       stream
	sizes   []Size
	max     int
	states  []state
	touched []uint32 // the tracks that have ops in this frame
	bytes   int      // of the live values
	held    int      // the same in the sizes of the replay
	visits  int
	most    int // the most bytes at the end of any frame
	inFrame int // ops since the frame began
}

// state is the decoder's state of a track.
type state struct {
	numbers []uint64 // by name: the number of the live value
	next    uint64
	sum     uint64 // of the numbers of the live values
	living  int
	work    int  // in the segment that has not ended
	touched bool // there is such a segment
}

// decode reads at most maxOps ops from src. An error beside a stream occurred after the stream's
// ops; an error without a stream leaves nothing to replay. decode calls stop periodically and ends
// if it returns an error.
func decode(src source, sizes []Size, maxOps int, stop func() error) (*stream, error) {
	d := decoder{sizes: sizes, max: min(maxOps, mostName)}
	var broken error
	for n := 0; ; n++ {
		if n&(1<<16-1) == 0 {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		o, err := src.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			broken = err
			break
		}
		if n >= d.max || len(d.s.frames) >= mostFrames {
			d.s.cut = true
			break
		}
		if err := d.op(o, src); err != nil {
			return nil, err
		}
		if d.visits > mostVisits || d.held > mostHeld {
			d.s.cut = true
			break
		}
	}
	if d.inFrame > 0 {
		d.s.rest = d.inFrame
		d.frame()
	}
	d.finish()
	return &d.s, broken
}

// op adds one op to the stream. The names are valid, since trace.Reader has checked them.
func (d *decoder) op(o trace.Op, src source) error {
	if o.Kind == trace.Frame {
		d.frame()
		return nil
	}
	if o.Track >= len(d.states) {
		d.declare(src.Tracks())
	}
	d.inFrame++
	t, st := &d.s.tracks[o.Track], &d.states[o.Track]
	work := 1
	k := kind(o.Kind - trace.Insert)
	switch k {
	case insert:
		d.insert(t, st, o.Value)
	case remove:
		st.living--
		st.sum -= st.numbers[o.Value]
		d.bytes -= t.Bytes
		d.held -= t.Class
		t.Counts.Removes++
	case get:
		d.s.want.gets += st.numbers[o.Value]
		t.Counts.Gets++
	case miss:
		t.Counts.Misses++
	case pass:
		d.s.want.passes += st.sum
		t.Counts.Passes++
		t.Counts.Visits += st.living
		d.visits += st.living
		work += st.living
	default:
		return fmt.Errorf("replay: unknown kind of op: %v", o.Kind)
	}
	t.ops = append(t.ops, newOp(k, o.Value))
	if !st.touched {
		st.touched = true
		d.touched = append(d.touched, uint32(o.Track))
	}
	if st.work += work; st.work >= segmentWork {
		d.s.segs = append(d.s.segs, segment{uint32(o.Track), uint32(len(t.ops))})
		st.work = 0
	}
	return nil
}

func (d *decoder) insert(t *track, st *state, name uint32) {
	if int(name) == len(st.numbers) {
		st.numbers = append(st.numbers, 0)
	}
	st.numbers[name] = st.next
	st.sum += st.next
	st.next++
	st.living++
	d.bytes += t.Bytes
	d.held += t.Class
	t.Counts.Inserts++
	t.Peak = max(t.Peak, st.living)
}

func (d *decoder) declare(infos []trace.TrackInfo) {
	for _, info := range infos[len(d.states):] {
		s := fitting(d.sizes, info.Bytes)
		about := Track{Name: info.Name, Bytes: info.Bytes, Class: s.Bytes}
		d.s.tracks = append(d.s.tracks, track{Track: about, size: s})
		d.states = append(d.states, state{})
	}
}

func (d *decoder) frame() {
	for _, i := range d.touched {
		st := &d.states[i]
		if st.work > 0 {
			d.s.segs = append(d.s.segs, segment{i, uint32(len(d.s.tracks[i].ops))})
		}
		st.work, st.touched = 0, false
	}
	d.touched, d.inFrame = d.touched[:0], 0
	if d.bytes > d.most || len(d.s.frames) == 0 {
		d.most, d.s.peak = d.bytes, len(d.s.frames)
	}
	d.s.frames = append(d.s.frames, uint32(len(d.s.segs)))
}

// finish computes the counts and how long handles are kept.
func (d *decoder) finish() {
	for i := range d.s.tracks {
		t, st := &d.s.tracks[i], &d.states[i]
		t.names, t.End = len(st.numbers), st.living
		d.s.counts.add(t.Counts)
		keep(t.ops, t.names)
	}
	d.s.settle()
}

// keep sets the bit of the ops whose handle is looked up again after its value is removed. It runs
// backward, so that later lookups are known.
func keep(ops []op, names int) {
	later := make([]bool, names)
	for i := len(ops) - 1; i >= 0; i-- {
		o := ops[i]
		k, n := o.kind(), o.name()
		if k != remove && k != miss {
			continue
		}
		if later[n] {
			ops[i] |= keptBit
		}
		later[n] = k == miss
	}
}
