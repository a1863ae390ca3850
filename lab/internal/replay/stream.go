package replay

import "github.com/seed505807e1/berth/arena"

// stream is a whole stream in memory. Containers of different tracks are independent, so the ops of
// one track are grouped within a frame. Then the calls for each op are static, and there is one
// dynamic call for each track and frame.
type stream struct {
	tracks []track
	segs   []segment
	frames []uint32 // the end of each frame in segs
	counts Counts
	want   sums // what every container must find; found is 0
	peak   int  // the frame at whose end most bytes are live
	rest   int  // ops after the last frame mark, which form one more frame
	cut    bool // there were more ops
	mem    *arena.Arena
}

// track is the work of one container.
type track struct {
	Track
	size  Size
	names int
	ops   []op
}

// segment is a track's work in a frame, or a part of it if it is long: its ops up to end.
type segment struct{ track, end uint32 }

// Counts are the totals of a stream.
type Counts struct {
	Inserts int `json:"inserts"`
	Removes int `json:"removes"`
	Gets    int `json:"gets"`
	Misses  int `json:"misses"` // lookups of removed values
	Passes  int `json:"passes"` // loops over all values
	Visits  int `json:"visits"` // values visited by these loops
}

func (c Counts) ops() int { return c.Inserts + c.Removes + c.Gets + c.Misses + c.Passes }

func (c *Counts) add(d Counts) {
	c.Inserts += d.Inserts
	c.Removes += d.Removes
	c.Gets += d.Gets
	c.Misses += d.Misses
	c.Passes += d.Passes
	c.Visits += d.Visits
}

// Track describes one container of a stream.
type Track struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`          // size of a value in the stream
	Class  int    `json:"replayed_bytes"` // and in the replay
	Peak   int    `json:"peak_living"`
	End    int    `json:"living_at_end"`
	Counts Counts `json:"counts"`
}

// settle moves the stream off Go's heap. On the heap it would count as live data, and the more live
// data, the less often the collector runs. The containers would be spared a cost that a program
// without a stream in memory pays. If the system has no such memory, the stream stays on the heap.
func (s *stream) settle() {
	bytes := 8*len(s.segs) + 4*len(s.frames)
	for i := range s.tracks {
		bytes += 4 * len(s.tracks[i].ops)
	}
	mem, err := arena.NewVirtual(bytes+64*(len(s.tracks)+3), arena.VirtualConfig{})
	if err != nil {
		return
	}
	s.mem = mem
	s.segs, s.frames = moved(mem, s.segs), moved(mem, s.frames)
	for i := range s.tracks {
		s.tracks[i].ops = moved(mem, s.tracks[i].ops)
	}
}

// release frees the memory and empties the stream.
func (s *stream) release() {
	mem := s.mem
	*s = stream{}
	if mem != nil {
		_ = mem.Release() // nothing can be done about an error here
	}
}

// moved returns a copy of s in mem, or s if there is no room.
func moved[T any](mem *arena.Arena, s []T) []T {
	if to := arena.MakeSlice[T](mem, len(s), len(s)); to != nil {
		copy(to, s)
		return to
	}
	return s
}

// without returns the stream without the ops for which drop is true, which must not be inserts or
// removals. The sums that it wants are not those of s.
func (s *stream) without(drop func(kind) bool) *stream {
	t := &stream{segs: make([]segment, 0, len(s.segs))}
	for i := range s.tracks {
		t.tracks = append(t.tracks, track{size: s.tracks[i].size, names: s.tracks[i].names})
	}
	from := make([]uint32, len(s.tracks))
	for _, g := range s.segs {
		tr := &t.tracks[g.track]
		for _, o := range s.tracks[g.track].ops[from[g.track]:g.end] {
			if !drop(o.kind()) {
				tr.ops = append(tr.ops, o)
			}
		}
		from[g.track] = g.end
		t.segs = append(t.segs, segment{g.track, uint32(len(tr.ops))})
	}
	t.frames = append([]uint32(nil), s.frames...)
	t.settle()
	return t
}
