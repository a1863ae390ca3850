package replay

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/stable"
)

// ops is a source of given ops.
type ops struct {
	list   []trace.Op
	tracks []trace.TrackInfo
	err    error // at the end; nil is io.EOF
}

func (s *ops) Next() (trace.Op, error) {
	if len(s.list) == 0 {
		if s.err != nil {
			return trace.Op{}, s.err
		}
		return trace.Op{}, io.EOF
	}
	o := s.list[0]
	s.list = s.list[1:]
	return o, nil
}

func (s *ops) Tracks() []trace.TrackInfo { return s.tracks }

func never() error { return nil }

// plain is a program without a container: it tracks live values by number, and plays the ops in
// stream order, with all tracks interleaved.
type plain struct {
	tracks []plainTrack
	sums   sums
	taken  uint64 // lookups of a removed value whose name is in use again
}

type plainTrack struct {
	byName map[uint32]uint64
	next   uint64
}

func (p *plain) play(o trace.Op) {
	for o.Track >= len(p.tracks) {
		p.tracks = append(p.tracks, plainTrack{byName: map[uint32]uint64{}})
	}
	t := &p.tracks[o.Track]
	switch o.Kind {
	case trace.Insert:
		t.byName[o.Value] = t.next
		t.next++
	case trace.Remove:
		delete(t.byName, o.Value)
	case trace.Get:
		p.sums.gets += t.byName[o.Value]
	case trace.Miss:
		if _, ok := t.byName[o.Value]; ok {
			p.taken++
		}
	case trace.Pass:
		for _, n := range t.byName {
			p.sums.passes += n
		}
	}
}

// compare plays src on every container and on a plain program, frame by frame.
func compare(t *testing.T, src *ops) {
	t.Helper()
	list := append([]trace.Op(nil), src.list...)
	s, err := decode(src, Few, 1<<20, never)
	must(t, err)
	defer s.release()
	var frames []plain // the state at the end of each
	var p plain
	frame := func() {
		q := plain{sums: p.sums}
		for _, tr := range p.tracks {
			q.tracks = append(q.tracks, plainTrack{byName: make(map[uint32]uint64, len(tr.byName)), next: uint64(len(tr.byName))})
		}
		frames = append(frames, q)
	}
	open, misses := false, 0
	for _, o := range list {
		if o.Kind == trace.Frame {
			frame()
			open = false
			continue
		}
		open = true
		if o.Kind == trace.Miss {
			misses++
		}
		p.play(o)
	}
	if open {
		frame()
	}
	if len(frames) != len(s.frames) {
		t.Fatalf("%d frames, want %d", len(s.frames), len(frames))
	}
	if s.want != p.sums || s.counts.Misses != misses {
		t.Fatalf("decode: sums %v, %d misses; want %v, %d", s.want, s.counts.Misses, p.sums, misses)
	}
	for _, c := range append([]*container{&emptyKind}, all...) {
		boxes := started(s, c)
		sum, err := play(context.Background(), s, boxes, func(f int) {
			for i, b := range boxes {
				want := 0
				if i < len(frames[f].tracks) {
					want = int(frames[f].tracks[i].next)
				}
				if b.Len() != want {
					t.Fatalf("%s: frame %d: Len of track %d is %d, want %d", c.name, f, i, b.Len(), want)
				}
			}
		})
		must(t, err)
		want := p.sums
		switch {
		case c == &emptyKind:
			want.passes = 0
		case c == &ptrSliceKind:
			want.found = uint64(misses)
		case c == &sliceKind: // issues its handles in the order of names
			want.found = p.taken
		}
		if sum != want {
			t.Errorf("%s: %+v, want %+v", c.name, sum, want)
		}
	}
}

// program makes a valid stream from any bytes: a byte chooses the op, and the next one the value.
func program(data []byte) *ops {
	src := &ops{}
	type track struct {
		live, vacant []uint32
		dead         []uint32
		gone         map[uint32]bool
		names        uint32
	}
	var tracks []*track
	if len(data) == 0 {
		return src
	}
	data = data[:min(len(data), 4096)]
	n := 1 + int(data[0]%3)
	for i := range n {
		tracks = append(tracks, &track{gone: map[uint32]bool{}})
		src.tracks = append(src.tracks, trace.TrackInfo{Name: "t", Bytes: []int{0, 8, 40, 512, 65, 24}[(int(data[0]/3)+i)%6]})
	}
	data = data[1:]
	for len(data) >= 2 {
		code, arg := data[0], int(data[1])
		data = data[2:]
		id := int(code>>4) % n
		t := tracks[id]
		add := func(k trace.Kind, x uint32) { src.list = append(src.list, trace.Op{Kind: k, Track: id, Value: x}) }
		switch code % 8 {
		case 0, 1: // many at once, so that containers grow
			for range min(1+arg%64, 1000-len(t.live)) {
				x := t.names
				if k := len(t.vacant); k > 0 {
					x = t.vacant[k-1]
					t.vacant = t.vacant[:k-1]
				} else {
					t.names++
				}
				t.live = append(t.live, x)
				add(trace.Insert, x)
			}
		case 2, 3:
			for range 1 + arg%48 {
				if k := len(t.live); k > 0 {
					i := arg % k
					x := t.live[i]
					t.live[i] = t.live[k-1]
					t.live = t.live[:k-1]
					t.vacant = append(t.vacant, x)
					if !t.gone[x] {
						t.gone[x] = true
						t.dead = append(t.dead, x)
					}
					add(trace.Remove, x)
				}
			}
		case 4:
			if k := len(t.live); k > 0 {
				add(trace.Get, t.live[arg%k])
			}
		case 5:
			if k := len(t.dead); k > 0 {
				add(trace.Miss, t.dead[arg%k])
			}
		case 6:
			add(trace.Pass, 0)
		case 7:
			src.list = append(src.list, trace.Op{Kind: trace.Frame})
		}
	}
	return src
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 0, 3, 6, 0, 7, 0})
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, program(data)) })
}

func TestAllContainersAgreeWithAPlainProgram(t *testing.T) {
	for round := range 60 {
		compare(t, program(chance(uint64(round+1)<<32|1, 1+40*(round+1))))
	}
}

// chance returns n bytes determined by a state other than 0.
func chance(state uint64, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		data[i] = byte(state >> 32)
	}
	return data
}

func TestStreamsAtTheEdges(t *testing.T) {
	one := []trace.TrackInfo{{Name: "a", Bytes: 40}}
	in := func(x uint32) trace.Op { return trace.Op{Kind: trace.Insert, Value: x} }
	out := func(x uint32) trace.Op { return trace.Op{Kind: trace.Remove, Value: x} }
	frame, pass := trace.Op{Kind: trace.Frame}, trace.Op{Kind: trace.Pass}
	var grow, shrink []trace.Op
	for i := range uint32(3000) {
		grow = append(grow, in(i))
		shrink = append(shrink, out(i))
	}
	var many []trace.TrackInfo
	var turns []trace.Op
	for i := range 100 {
		many = append(many, trace.TrackInfo{Name: "t", Bytes: 1 << (i % 10)})
		turns = append(turns, trace.Op{Kind: trace.Insert, Track: i}, trace.Op{Kind: trace.Pass, Track: i / 2})
	}
	for _, c := range []struct {
		name   string
		ops    []trace.Op
		tracks []trace.TrackInfo
		frames int
		rest   int
	}{
		{"empty", nil, nil, 0, 0},
		{"frames alone", []trace.Op{frame, frame}, nil, 2, 0},
		{"no frames", []trace.Op{in(0), pass, {Kind: trace.Get}}, one, 1, 3},
		{"ops behind the last frame", []trace.Op{in(0), frame, pass}, one, 2, 1},
		{"one value", []trace.Op{in(0), {Kind: trace.Get}, frame, out(0), {Kind: trace.Miss}, frame}, one, 2, 0},
		{"pass over nothing", []trace.Op{pass, frame}, one, 1, 0},
		{"insertion only", append(append([]trace.Op(nil), grow...), frame), one, 1, 0},
		{"all removed", append(append(append([]trace.Op(nil), grow...), frame), append(shrink, pass, frame)...), one, 2, 0},
		{"many tracks in turns", append(turns, frame), many, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := func() *ops { return &ops{list: c.ops, tracks: c.tracks} }
			compare(t, src())
			s, err := decode(src(), Few, 1<<20, never)
			if err != nil || len(s.frames) != c.frames || s.rest != c.rest {
				t.Errorf("%d frames, %d ops behind (%v); want %d, %d", len(s.frames), s.rest, err, c.frames, c.rest)
			}
			s.release()
		})
	}
}

// A handle is kept from the removal of its value to its last lookup, and no longer.
func TestKeep(t *testing.T) {
	list := []op{newOp(insert, 0), newOp(remove, 0), newOp(insert, 0), newOp(miss, 0), newOp(remove, 0),
		newOp(miss, 0), newOp(miss, 0), newOp(insert, 0), newOp(remove, 0)}
	keep(list, 1)
	want := []bool{false, true, false, false, true, true, false, false, false}
	for i, o := range list {
		if o.kept() != want[i] {
			t.Errorf("op %d, %v: kept is %t", i, o.kind(), o.kept())
		}
	}
	s := started(&stream{tracks: []track{{size: Of[[8]uint64](), names: 1, ops: list}}}, &ptrSliceKind)[0].(*ptrSliceBox[[8]uint64])
	if got := s.Run(list); got.found != 3 {
		t.Errorf("%d stale pointers find their value, want 3", got.found)
	}
	if s.old[0] != nil || s.hs[0] != nil {
		t.Error("a pointer that is never used again keeps its value alive")
	}
}

// A long frame is cut into segments between ops, so that a replay can stop.
func TestSegmentsAreCut(t *testing.T) {
	src := &ops{tracks: []trace.TrackInfo{{Bytes: 8}}}
	for i := range uint32(1000) {
		src.list = append(src.list, trace.Op{Kind: trace.Insert, Value: i})
	}
	const passes = 5000
	for range passes {
		src.list = append(src.list, trace.Op{Kind: trace.Pass})
	}
	s, err := decode(src, Few, 1<<20, never)
	must(t, err)
	defer s.release()
	if want := passes*1001/segmentWork + 1; len(s.segs) != want || len(s.frames) != 1 {
		t.Errorf("%d segments and %d frames, want %d and 1", len(s.segs), len(s.frames), want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	boxes := started(s, &poolKind)
	boxes[0] = &cancels{boxes[0], cancel}
	sum, err := play(ctx, s, boxes, func(int) { t.Error("the frame ends") })
	if !errors.Is(err, context.Canceled) || sum.passes == 0 || sum.passes == s.want.passes {
		t.Errorf("stopped with %v, having done %d of %d", err, sum.passes, s.want.passes)
	}
}

// cancels is a box that cancels the context when it is first used.
type cancels struct {
	box
	cancel func()
}

func (c *cancels) Run(ops []op) sums {
	c.cancel()
	return c.box.Run(ops)
}

// Ops that are left out are in no frame, and all others stay in place.
func TestWithout(t *testing.T) {
	s, err := decode(program(chance(3, 800)), Few, 1<<20, never)
	must(t, err)
	defer s.release()
	bare := s.without(func(k kind) bool { return k == pass || k == get || k == miss })
	defer bare.release()
	ops := 0
	for _, tr := range bare.tracks {
		ops += len(tr.ops)
	}
	if want := s.counts.Inserts + s.counts.Removes; ops != want || ops == s.counts.ops() || len(s.frames) < 2 {
		t.Fatalf("%d ops are left of %d in %d frames, want %d", ops, s.counts.ops(), len(s.frames), want)
	}
	lens := func(s *stream) (list []int) {
		boxes := started(s, &denseKind)
		if _, err := play(context.Background(), s, boxes, func(int) {
			for _, b := range boxes {
				list = append(list, b.Len())
			}
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got, want := lens(bare), lens(s); !slices.Equal(got, want) {
		t.Errorf("what lives at the ends of frames: %d, want %d", got, want)
	}
}

func TestPeakFrame(t *testing.T) {
	frame := trace.Op{Kind: trace.Frame}
	list := []trace.Op{{Kind: trace.Insert}, frame, {Kind: trace.Insert, Value: 1}, {Kind: trace.Insert, Track: 1}, frame, {Kind: trace.Remove, Track: 1}, frame, {Kind: trace.Insert, Value: 2}, {Kind: trace.Insert, Value: 3}, frame}
	s, err := decode(&ops{list: list, tracks: []trace.TrackInfo{{Bytes: 8}, {Bytes: 100}}}, Few, 99, never)
	if err != nil || s.peak != 1 {
		t.Errorf("most bytes live at the end of frame %d (%v), want 1", s.peak, err)
	}
	s.release()
}

func TestDecodeRefuses(t *testing.T) {
	boom := errors.New("boom")
	list := []trace.Op{{Kind: trace.Insert}, {Kind: trace.Frame}, {Kind: trace.Pass}}
	tracks := []trace.TrackInfo{{Name: "big", Bytes: MaxBytes}}
	if s, err := decode(&ops{list: list, tracks: tracks}, Few, 2, never); err != nil || !s.cut || s.counts.ops() != 1 || len(s.frames) != 1 {
		t.Errorf("too many ops: %v, cut: %t, %d ops in %d frames", err, s.cut, s.counts.ops(), len(s.frames))
	}
	if s, err := decode(&ops{list: list, tracks: tracks}, Few, 3, never); err != nil || s.cut || s.counts.ops() != 2 {
		t.Errorf("just as many ops as may be: %v, cut: %t", err, s.cut)
	}
	if s, err := decode(&ops{list: list, tracks: []trace.TrackInfo{{Name: "huge", Bytes: 5 * MaxBytes}}}, Few, 9, never); err != nil || s.tracks[0].Class != MaxBytes || s.tracks[0].Bytes != 5*MaxBytes {
		t.Errorf("values of five times the most: %v, %+v", err, s.tracks[0].Track)
	}
	if _, err := decode(&ops{list: list, tracks: tracks}, Few, 9, func() error { return boom }); err != boom {
		t.Errorf("stopped: %v", err)
	}
	s, err := decode(&ops{list: list, tracks: tracks, err: boom}, Few, 9, never)
	if err != boom || s == nil || s.counts.ops() != 2 || len(s.frames) != 2 {
		t.Errorf("a source that fails: %v, and not all that came before", err)
	}
	if _, err := decode(&ops{list: []trace.Op{{Kind: 99}}, tracks: tracks}, Few, 9, never); err == nil {
		t.Error("an op of no kind is taken")
	}
}

// A stream that stands for days of work, or for too much memory, is cut.
func TestDecodeIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		op    trace.Op
		bytes int
		most  int
	}{
		"visits": {trace.Op{Kind: trace.Pass}, 8, mostVisits/1000 + 1},
		"memory": {trace.Op{Kind: trace.Insert}, MaxBytes, mostHeld/MaxBytes - 1000 + 1},
	} {
		src := &endless{op: c.op, tracks: []trace.TrackInfo{{Bytes: c.bytes}}}
		s, err := decode(src, Few, mostName, never)
		if err != nil || !s.cut || s.counts.ops() != 1000+c.most {
			t.Errorf("%s: %v, cut: %t, %d ops, want %d", name, err, s.cut, s.counts.ops(), 1000+c.most)
		}
	}
}

// endless is a source of 1000 inserts, and then of one op for ever.
type endless struct {
	op     trace.Op
	n      uint32
	tracks []trace.TrackInfo
}

func (e *endless) Tracks() []trace.TrackInfo { return e.tracks }

func (e *endless) Next() (trace.Op, error) {
	e.n++
	if e.n <= 1000 || e.op.Kind == trace.Insert {
		return trace.Op{Kind: trace.Insert, Value: e.n - 1}, nil
	}
	return e.op, nil
}

func TestFitting(t *testing.T) {
	for bytes, want := range map[int]int{-1: 8, 0: 8, 1: 8, 8: 8, 9: 64, 64: 64, 65: 1024, 1023: 1024, 1024: 1024, 1025: 1024, 1 << 30: 1024} {
		if s := fitting(Few, bytes); s.Bytes != want {
			t.Errorf("values of %d bytes are replayed as %d, want %d", bytes, s.Bytes, want)
		}
	}
	o := Options{Sizes: []Size{Few[2], Few[0], Few[1]}}.withDefaults()
	if s := fitting(o.Sizes, 30); s.Bytes != 64 {
		t.Errorf("of unsorted sizes, %d bytes are taken for 30", s.Bytes)
	}
}

// TestPlacements checks that a list is replayed with the placement in its name, whatever the
// default of package stable is.
func TestPlacements(t *testing.T) {
	for name, want := range map[string]stable.Placement{"stable Quartered": stable.Quartered, "stable FirstFree": stable.FirstFree} {
		c := known(name)
		if c == nil {
			t.Fatalf("no %s", name)
		}
		b := Few[0].boxes[c](1)
		b.Start()
		if q, ok := b.(*quarteredBox[[1]uint64]); ok {
			b = &q.stableBox
		}
		if got := b.(*stableBox[[1]uint64]).place; got != want {
			t.Errorf("%s has the placement %v, want %v", name, got, want)
		}
	}
}
