package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// caller calls a recorder with any arguments, and tracks the expected ops.
type caller struct {
	script []byte
	r      *Recorder
	tracks []*callTrack
	want   []Op
	infos  []TrackInfo
	names  int // issued
	rng    rng
	over   bool // whether a limit was exceeded
	most   int  // the limit of ops
}

// callTrack tracks live and removed values in lists, in the order of the format.
type callTrack struct {
	*Track
	order, gone []uint32
	live        int
	now         []Value // by name: its current or last value
	values      []Value // all values ever inserted
	known       map[Value]bool
}

// The limits of a fuzzed stream.
const (
	callOps  = 3000
	callLive = 60
)

func (c *caller) next() byte {
	if len(c.script) == 0 {
		return 0
	}
	b := c.script[0]
	c.script = c.script[1:]
	return b
}

// number returns any number: mostly a small one, or one at a limit, or an arbitrary one.
func (c *caller) number() int {
	edges := [...]int{0, -1, math.MinInt, math.MaxInt, math.MaxInt - 1, math.MaxInt / 16,
		math.MaxInt/16 + 1, maxBytes, maxBytes + 1, callOps, callOps + 1, 1 << 16, math.MaxInt32}
	switch b := c.next(); {
	case b < 192:
		return int(b % 32)
	case b < 240:
		return edges[int(b)%len(edges)]
	default:
		var all [8]byte
		for i := range all {
			all[i] = c.next()
		}
		return int(binary.LittleEndian.Uint64(all[:]))
	}
}

// may reports whether n more ops are within the limits.
func (c *caller) may(n int) bool {
	c.over = c.over || n > c.most-len(c.want)
	return !c.over
}

func (c *caller) op(k Kind, track int, x uint32) { c.want = append(c.want, Op{k, track, x}) }

// declare declares a track of any name and size.
func (c *caller) declare() {
	name, size := "", c.number()
	switch n := c.number(); {
	case n >= 28:
		name = strings.Repeat("x", maxName+n%2) // the longest, and one that is too long
	case n > 0:
		name = strings.Repeat("\xff\x00", n)
	}
	t := c.r.Track(name, size)
	c.over = c.over || len(name) > maxName || size < 0 || size > maxBytes ||
		len(c.infos) == defaultTracks
	if c.over {
		return
	}
	c.infos = append(c.infos, TrackInfo{name, size})
	c.tracks = append(c.tracks, &callTrack{Track: t, known: map[Value]bool{}})
}

func (c *caller) insert(i int) {
	t := c.tracks[i]
	if c.may(1) && t.live == len(t.order) {
		c.over = c.names == callLive
	}
	v := t.Insert()
	if c.over {
		return
	}
	if t.live == len(t.order) {
		c.names++
		t.order = append(t.order, uint32(t.live))
		t.now = append(t.now, Value{})
	}
	x := t.order[t.live]
	t.live++
	t.now[x] = v
	t.values, t.known[v] = append(t.values, v), true
	c.op(Insert, i, x)
}

// value returns some value of any track, or none.
func (c *caller) value() Value {
	values := c.tracks[int(c.next())%len(c.tracks)].values
	if n := c.number(); uint(n) < uint(len(values)) {
		return values[len(values)-1-n]
	}
	return Value{}
}

func (c *caller) look(i int, remove bool) {
	t, v := c.tracks[i], c.value()
	lives := slices.Contains(t.now, v) && slices.Contains(t.order[:t.live], v.name)
	do := t.Get
	if remove {
		do = t.Remove
	}
	known, contains := t.known[v], t.Contains(v)
	if contains != lives || t.Recorder() != c.r {
		panic("Contains or Recorder is wrong")
	}
	did := do(v)
	switch {
	case !known || !c.may(1):
		lives = false
	case !lives:
		c.op(Miss, i, v.name)
	case !remove:
		c.op(Get, i, v.name)
	default:
		c.op(Remove, i, v.name)
		t.live--
		at := slices.Index(t.order, v.name)
		t.order[at], t.order[t.live] = t.order[t.live], t.order[at]
		if !slices.Contains(t.gone, v.name) {
			t.gone = append(t.gone, v.name)
		}
	}
	if did != lives {
		panic("a verb is wrong about who lives")
	}
}

// draw is GetRandom or MissRandom of any number.
func (c *caller) draw(i int, do func(int), k Kind, from []uint32) {
	n := c.number()
	do(n)
	if n <= 0 || len(from) == 0 || !c.may(n) {
		return
	}
	for range n {
		c.op(k, i, from[c.rng.below(uint64(len(from)))])
	}
}

func (c *caller) play() {
	c.declare()
	for len(c.script) > 0 && len(c.tracks) > 0 {
		verb := c.next() % 12
		i := int(c.next()) % len(c.tracks)
		t := c.tracks[i]
		switch verb {
		case 0, 1:
			for range c.number() % 32 {
				c.insert(i)
			}
		case 2, 3, 4, 5:
			c.look(i, verb < 4)
		case 6:
			c.draw(i, t.GetRandom, Get, t.order[:t.live])
		case 7:
			c.draw(i, t.MissRandom, Miss, t.gone)
		case 8:
			if c.may(1) {
				c.op(Pass, i, 0)
			}
			t.Pass()
		case 9:
			if c.may(1) {
				c.op(Frame, 0, 0)
			}
			_ = c.r.Frame()
		case 10:
			c.declare()
		case 11:
			if c.next()%2 == 0 {
				_ = c.r.Flush()
				break
			}
			seed := uint64(c.number())
			c.r.Seed(seed)
			c.rng.s = max(seed, 1)
		}
	}
}

// play plays a script on a recorder with a limit of ops.
func play(w io.Writer, script []byte, most int) *caller {
	r, err := NewRecorder(w)
	must(err)
	r.left, r.most = uint64(most), callLive
	c := &caller{script: script, r: r, rng: rng{1}, most: most}
	c.play()
	return c
}

// checkCalls plays a script and reads the recording: it holds all ops if at most the given number is
// done, and no other limit was exceeded, and else the first of them, with an error.
func checkCalls(t *testing.T, script []byte, most int) {
	t.Helper()
	var b bytes.Buffer
	c := play(&b, script, most)
	err := c.r.Close()
	if c.over != errors.Is(err, ErrLimit) || !c.over && err != nil {
		t.Fatalf("Close: %v; beyond the limits: %t", err, c.over)
	}
	got, infos, bad := readAll(b.Bytes(), Limits{Ops: uint64(most), Live: callLive})
	if c.over {
		if !errors.Is(bad, ErrTruncated) || !isPrefix(got, c.want) || len(infos) > len(c.infos) {
			t.Fatalf("beyond the limits: read\n%s\nand %v; want the first of\n%s", text(got), bad,
				text(c.want))
		}
		return
	}
	if bad != io.EOF || !slices.Equal(got, c.want) || !slices.Equal(infos, c.infos) {
		t.Fatalf("read\n%s\nof %+v, and %v; done was\n%s\nof %+v", text(got), infos, bad,
			text(c.want), c.infos)
	}
	for i, tr := range c.tracks {
		if tr.Len() != tr.live {
			t.Errorf("Len of track %d is %d, want %d", i, tr.Len(), tr.live)
		}
	}
}

// calls are the seeds of the fuzz target.
func calls() [][]byte {
	insert, flush := []byte{0, 0, 9}, []byte{11, 0, 0}
	huge := func(verb byte) []byte {
		return append([]byte{verb, 0, 255}, 0, 0, 0, 0, 0, 0, 0, 16) // 1<<60
	}
	list := [][]byte{
		nil,
		slices.Concat([]byte{8, 3}, insert, huge(6)),
		slices.Concat([]byte{8, 3}, insert, []byte{2, 0, 0, 0}, huge(7)),
		slices.Concat([]byte{8, 3}, insert, flush, []byte{6, 0, 195, 6, 0, 5}),
		slices.Concat([]byte{8, 28}, insert), slices.Concat([]byte{8, 29}, insert),
	}
	g := rng{5}
	for n := range 150 {
		b := []byte{8, 1} // a valid track
		for range 10 * n {
			b = append(b, byte(g.next()>>56))
		}
		list = append(list, b)
	}
	return list
}

// TestCalls fills some blocks by ops without a pattern.
func TestCalls(t *testing.T) {
	s := []byte{8, 3}
	g := rng{7}
	for range 100_000 {
		switch verb := []byte{0, 2, 2, 4, 8}[g.below(5)]; verb {
		case 0:
			s = append(s, verb, 0, byte(g.below(3)/2))
		case 8:
			s = append(s, verb, 0)
		default:
			s = append(s, verb, 0, 0, byte(g.below(31)))
		}
	}
	checkCalls(t, s, 1<<20)
}

func FuzzCalls(f *testing.F) {
	for _, s := range calls() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script []byte) { checkCalls(t, script, callOps) })
}

// TestMostOps checks the limit of ops exactly, with runs that are too long to read one by one.
func TestMostOps(t *testing.T) {
	for _, verb := range []string{"gets", "misses"} {
		for _, c := range []struct {
			n    []uint64
			good bool
		}{
			{[]uint64{defaultOps - 3}, true},
			{[]uint64{defaultOps - 2}, false},
			{[]uint64{defaultOps - 4, 1}, true},
			{[]uint64{defaultOps - 4, 2}, false},
			{[]uint64{1 << 60}, false},
			{[]uint64{1<<60 + 1}, false},
			{[]uint64{1<<64 - 1}, false},
			{[]uint64{1, 1<<64 - 1}, false},
		} {
			var b bytes.Buffer
			r, _ := NewRecorder(&b)
			a := r.Track("a", 1)
			a.Remove(a.Insert())
			a.Insert()
			must(r.Flush())
			code, want := uint8(codeDraw), uint64(0)
			if verb == "misses" {
				code = codeDrawMiss
			}
			for _, n := range c.n {
				a.draw(code, true, n)
				want += n
			}
			if err := r.Close(); (err == nil) != c.good || err != nil && !errors.Is(err, ErrLimit) {
				t.Fatalf("%s %d: Close: %v", verb, c.n, err)
			}
			rd, err := NewReader(&b)
			must(err)
			for range 3 {
				_, err = rd.Next()
				must(err)
			}
			_, err = rd.Next()
			if c.good && (err != nil || rd.left != want-1 || rd.ops != 0) {
				t.Errorf("%s %d: %v, %d more, and then %d", verb, c.n, err, rd.left, rd.ops)
			}
			if !c.good && !errors.Is(err, ErrTruncated) {
				t.Errorf("%s %d: %v, want ErrTruncated", verb, c.n, err)
			}
		}
	}
}

// TestEveryVerbEnds checks that each method is refused when all ops are used up.
func TestEveryVerbEnds(t *testing.T) {
	for name, do := range map[string]func(r *Recorder, tr *Track, v Value) bool{
		"Insert":        func(_ *Recorder, tr *Track, _ Value) bool { return tr.Insert() == Value{} },
		"Remove":        func(_ *Recorder, tr *Track, v Value) bool { return !tr.Remove(v) },
		"Get":           func(_ *Recorder, tr *Track, v Value) bool { return !tr.Get(v) },
		"GetRandom":     func(_ *Recorder, tr *Track, _ Value) bool { tr.GetRandom(1); return true },
		"Pass":          func(_ *Recorder, tr *Track, _ Value) bool { tr.Pass(); return true },
		"Frame":         func(r *Recorder, _ *Track, _ Value) bool { return r.Frame() != nil },
		"all but Frame": func(*Recorder, *Track, Value) bool { return false },
	} {
		var b bytes.Buffer
		r, _ := NewRecorder(&b)
		tr := r.Track("a", 1)
		v := tr.Insert()
		must(r.Flush())
		r.left = 0
		ends := do(r, tr, v)
		err := r.Close()
		if ends != errors.Is(err, ErrLimit) || !ends && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if tr.Len() != 1 {
			t.Errorf("%s: %d values live", name, tr.Len())
		}
		if got, _, _ := readAll(b.Bytes(), Limits{}); text(got) != "i0" {
			t.Errorf("%s: read %q", name, text(got))
		}
	}
}

// TestForeignValues checks that a value of another recorder is rejected, even if its name exists.
func TestForeignValues(t *testing.T) {
	var b, other bytes.Buffer
	r, _ := NewRecorder(&b)
	s, _ := NewRecorder(&other)
	a, c := r.Track("a", 1), s.Track("a", 1)
	c.Remove(c.Insert())
	foreign := c.Insert()
	own := a.Insert()
	if a.Get(foreign) || a.Remove(foreign) || a.Contains(foreign) || c.Contains(own) {
		t.Error("a value of another recorder is found")
	}
	must(r.Close())
	must(s.Close())
	if got := text(mustRead(t, b.Bytes())); got != "i0" {
		t.Errorf("read %q", got)
	}
}

// TestWriterPanics checks that nothing follows a write of unknown length.
func TestWriterPanics(t *testing.T) {
	var b bytes.Buffer
	bad := &panicky{w: &b}
	r, _ := NewRecorder(bad)
	a := r.Track("a", 1)
	a.Insert()
	must(r.Flush())
	a.Insert()
	bad.now = true
	func() {
		defer func() { _ = recover() }()
		_ = r.Flush()
	}()
	bad.now = false
	a.Pass()
	if err := r.Frame(); err == nil || r.Close() != err {
		t.Errorf("after a panic of the writer: %v", err)
	}
	if got, _, err := readAll(b.Bytes(), Limits{}); text(got) != "i0" || !errors.Is(err, ErrTruncated) {
		t.Errorf("read %q, and %v", text(got), err)
	}
}

// panicky panics after a partial write.
type panicky struct {
	w   io.Writer
	now bool
}

func (p *panicky) Write(b []byte) (int, error) {
	if p.now {
		_, _ = p.w.Write(b[:5])
		panic("torn")
	}
	return p.w.Write(b)
}
