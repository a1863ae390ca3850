package replay

import "github.com/seed505807e1/berth/arena"

// stream is all that there is to replay, in memory. Containers of different tracks know nothing of
// each other, so that within a frame, the ops of one track come at once: what is called for each
// op is then known when the program is compiled, and a call is paid for by the frame.
type stream struct {
	tracks []track
	segs   []segment
	frames []uint32 // where each frame ends in segs
	counts Counts
	want   sums // what every container must find; found is 0
	peak   int  // the frame at whose end most bytes live
	rest   int  // ops behind the last end of a frame, which make one more
	cut    bool // there were more ops
	mem    *arena.Arena
}

// track is what one container has to do.
type track struct {
	Track
	size  Size
	names int
	ops   []op
}

// segment is what a track has to do in a frame, or a part of that where it is much: its ops up to
// end.
type segment struct{ track, end uint32 }

// Counts are what the ops of a stream add up to.
type Counts struct {
	Inserts int `json:"inserts"`
	Removes int `json:"removes"`
	Gets    int `json:"gets"`
	Misses  int `json:"misses"` // lookups of values that are gone
	Passes  int `json:"passes"` // loops over all values
	Visits  int `json:"visits"` // values that these loops come by
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

// Track is what a stream has to say of one container.
type Track struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`          // size of a value in the stream
	Class  int    `json:"replayed_bytes"` // and in the replay
	Peak   int    `json:"peak_living"`
	End    int    `json:"living_at_end"`
	Counts Counts `json:"counts"`
}

// settle moves the stream off Go's heap. What lies there would count as living, and the collector
// runs the more seldom the more lives: it would spare the containers what it costs a program that
// has no stream in memory. Where the system has no such memory, all stays.
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

// release gives the memory back. The stream is empty then.
func (s *stream) release() {
	mem := s.mem
	*s = stream{}
	if mem != nil {
		_ = mem.Release() // an error here has nobody whom it could help
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

// without returns the stream with all ops left out for which drop is true, which must not be
// inserts or removals. The sums that it wants are not those of s.
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
