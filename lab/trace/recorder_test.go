package trace

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// played is a recorder with its calls and their expected recording.
type played struct {
	r      *Recorder
	tracks []*Track
	want   []Op
	// By track: all values ever inserted, and the live ones by name.
	values [][]Value
	live   []map[uint32]Value
}

// play decodes bytes as calls of a recorder's methods, and makes them.
func (p *played) play(script []byte) {
	at := 0
	next := func() int {
		if at == len(script) {
			return 0
		}
		at++
		return int(script[at-1])
	}
	p.track()
	for at < len(script) {
		verb, i := next(), next()%len(p.tracks)
		track := p.tracks[i]
		switch verb % 10 {
		case 0, 1:
			for range 1 + next()%40 {
				v := track.Insert()
				p.values[i], p.live[i][v.Name()] = append(p.values[i], v), v
				p.want = append(p.want, Op{Insert, i, v.Name()})
			}
		case 2, 3:
			p.touch(i, next(), next(), Remove, track.Remove)
		case 4, 5:
			p.touch(i, next(), next(), Get, track.Get)
		case 6:
			track.Pass()
			p.want = append(p.want, Op{Pass, i, 0})
		case 7:
			must(p.r.Frame())
			p.want = append(p.want, Op{Kind: Frame})
		case 8:
			if len(p.tracks) < 5 {
				p.track()
			}
		case 9:
			must(p.r.Flush())
		}
	}
}

func (p *played) track() {
	p.tracks = append(p.tracks, p.r.Track(strings.Repeat("t", len(p.tracks)), len(p.tracks)))
	p.values, p.live = append(p.values, nil), append(p.live, map[uint32]Value{})
}

// touch calls do with several consecutive values, live or not.
func (p *played) touch(track, from, n int, kind Kind, do func(Value) bool) {
	all := p.values[track]
	for k := range n%16 + 1 {
		if len(all) == 0 {
			return
		}
		v := all[(from*7+k)%len(all)]
		lives := p.live[track][v.Name()] == v
		if do(v) != lives {
			panic("a verb is wrong about who lives")
		}
		switch {
		case !lives:
			p.want = append(p.want, Op{Miss, track, v.Name()})
		case kind == Remove:
			delete(p.live[track], v.Name())
			fallthrough
		default:
			p.want = append(p.want, Op{kind, track, v.Name()})
		}
	}
}

// checkRoundTrip records a script, reads it, and compares.
func checkRoundTrip(t *testing.T, script []byte) {
	t.Helper()
	var b bytes.Buffer
	r, err := NewRecorder(&b)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{r: r}
	p.play(script)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, infos, err := readAll(b.Bytes(), Limits{})
	if err != io.EOF {
		t.Fatalf("after %d ops: %v", len(got), err)
	}
	if !slices.Equal(got, p.want) {
		t.Fatalf("read\n%s\nbut done was\n%s", text(got), text(p.want))
	}
	for i, info := range infos {
		if info != (TrackInfo{strings.Repeat("t", i), i}) {
			t.Errorf("track %d is %+v", i, info)
		}
		if p.tracks[i].Len() != len(p.live[i]) {
			t.Errorf("Len of track %d is %d, want %d", i, p.tracks[i].Len(), len(p.live[i]))
		}
	}
}

// scripts are the seeds of the round trip; the last one makes more than one block.
func scripts() [][]byte {
	g := rng{99}
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(g.next() >> 56)
		}
		return b
	}
	return [][]byte{nil, {7, 0}, {0, 0, 3, 2, 0, 1, 1, 4, 0, 0, 9, 0, 0, 3},
		bytes.Repeat([]byte{0, 0, 39, 4, 0, 0, 15, 2, 0, 0, 15, 6, 0, 7, 0}, 30),
		random(100), random(1000), random(200_000)}
}

func TestRoundTrip(t *testing.T) {
	for _, s := range scripts() {
		checkRoundTrip(t, s)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range scripts()[:6] {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script []byte) { checkRoundTrip(t, script) })
}

// errFull is the error of the tests' writers.
var errFull = errors.New("disk full")

// narrow accepts n bytes, and then fails with errFull, or with a short write without an error.
type narrow struct {
	bytes.Buffer
	n     int
	short bool
	calls int
}

func (w *narrow) Write(p []byte) (int, error) {
	w.calls++
	if len(p) <= w.n {
		w.n -= len(p)
		return w.Buffer.Write(p)
	}
	n, _ := w.Buffer.Write(p[:w.n])
	w.n = 0
	if w.short {
		return n, nil
	}
	return n, errFull
}

// TestFailingWriter lets the writer fail after each number of bytes: the program continues, the
// error stays, nothing more is written, and the written part is valid up to its last block.
func TestFailingWriter(t *testing.T) {
	script := scripts()[5][:300]
	var whole bytes.Buffer
	r, _ := NewRecorder(&whole)
	(&played{r: r}).play(script)
	end(t, r)
	ops := mustRead(t, whole.Bytes())
	for n := range whole.Len() {
		w := &narrow{n: n, short: n%2 == 1}
		want := errFull
		if w.short {
			want = io.ErrShortWrite
		}
		r, err := NewRecorder(w)
		if n < headBytes {
			if !errors.Is(err, want) {
				t.Fatalf("%d bytes: NewRecorder: %v, want %v", n, err, want)
			}
			continue
		}
		track := r.Track("", 0)
		doomed(r, track, script)
		for name, got := range map[string]error{
			"Frame": r.Frame(), "Flush": r.Flush(), "Close": r.Close(), "Err": r.Err(), "Close again": r.Close(),
		} {
			if !errors.Is(got, want) {
				t.Fatalf("%d bytes: %s: %v, want %v", n, name, got, want)
			}
		}
		calls, length := w.calls, track.Len()
		doomed(r, track, script)
		if w.calls != calls {
			t.Fatalf("%d bytes: the writer was called again after it had failed", n)
		}
		if track.Insert() != (Value{}) || track.Len() != length || r.raw != nil || r.run.n != 0 {
			t.Fatalf("%d bytes: something was recorded after the end", n)
		}
		if _, _, err := readAll(w.Bytes(), Limits{}); !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d bytes: what was written reads as %v", n, err)
		}
	}
	if len(ops) == 0 {
		t.Fatal("nothing was recorded")
	}
}

// doomed does some of everything.
func doomed(r *Recorder, t *Track, script []byte) {
	var last Value
	for _, b := range script {
		switch b % 8 {
		case 0, 1:
			last = t.Insert()
		case 2:
			t.Remove(last)
		case 3:
			t.Get(last)
		case 4:
			t.Pass()
		case 5:
			_ = r.Frame()
		case 6:
			_ = r.Flush()
		case 7:
			t.GetRandom(2)
			t.MissRandom(1)
		}
	}
}

func TestRecorderRefuses(t *testing.T) {
	if _, err := NewRecorder(nil); err == nil {
		t.Error("a nil writer is taken")
	}
	for name, do := range map[string]func(*Recorder){
		"a name":   func(r *Recorder) { r.Track(strings.Repeat("x", 256), 0) },
		"track":    func(r *Recorder) { r.Track("x", -1) },
		"of bytes": func(r *Recorder) { r.Track("x", maxBytes+1) },
		"tracks": func(r *Recorder) {
			for range 257 {
				r.Track("x", 1)
			}
		},
	} {
		r, err := NewRecorder(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		do(r)
		if err := r.Frame(); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v, want ErrLimit", name, err)
		}
		dead := r.Track("later", 1)
		if dead == nil || dead.Insert() != (Value{}) || dead.Remove(Value{}) || dead.Get(Value{}) {
			t.Errorf("%s: a track that comes later does not keep still", name)
		}
	}
}

// TestRecorderLiving checks that a program that never removes values cannot exhaust memory, and
// that reader and recorder have the same limit.
func TestRecorderLiving(t *testing.T) {
	const most = 1000
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	if r.most != (Limits{}).withDefaults().Live {
		t.Errorf("the recorder takes %d living values, and the reader another number", r.most)
	}
	r.most = most
	a, c := r.Track("a", 1), r.Track("c", 1)
	for range most / 2 {
		a.Insert()
		c.Insert()
	}
	if err := r.Flush(); err != nil {
		t.Fatalf("after %d values: %v", most, err)
	}
	whole := b.Len()
	c.Insert()
	if err := r.Frame(); !errors.Is(err, ErrLimit) {
		t.Fatalf("after %d values and one: %v", most, err)
	}
	if b.Len() != whole {
		t.Error("something was written after the end")
	}
	rd, _ := NewReaderLimits(&b, Limits{Live: most})
	s, err := Summarise(rd)
	if s.Ops != most || !errors.Is(err, ErrTruncated) {
		t.Errorf("%d ops were read, want %d, and then %v", s.Ops, most, err)
	}
}

func TestRecorderClosed(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	tr := r.Track("a", 1)
	v := tr.Insert()
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	n := b.Len()
	if err := r.Frame(); err != ErrClosed {
		t.Errorf("Frame after Close: %v", err)
	}
	if err := r.Flush(); err != ErrClosed {
		t.Errorf("Flush after Close: %v", err)
	}
	if r.Err() != nil {
		t.Errorf("Err after Close: %v", r.Err())
	}
	tr.Pass()
	tr.GetRandom(3)
	if tr.Get(v) || tr.Remove(v) || tr.Insert() != (Value{}) || tr.Len() != 1 || b.Len() != n {
		t.Error("a closed recorder records")
	}
	if got := text(mustRead(t, b.Bytes())); got != "i0" {
		t.Errorf("read %q", got)
	}
}

// TestTrackValues checks the unrecorded cases: the zero Value, and one of another track.
func TestTrackValues(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a, c := r.Track("a", 1), r.Track("c", 1)
	v := a.Insert()
	c.Insert()
	if c.Get(v) || c.Remove(v) || c.Contains(v) || a.Get(Value{}) || a.Remove(Value{}) {
		t.Error("a value is found where it is not")
	}
	a.GetRandom(0)
	a.GetRandom(-1)
	a.MissRandom(1) // nothing has been removed
	if !a.Remove(v) || a.Remove(v) || a.Get(v) || a.Contains(v) {
		t.Error("Remove does not remove once")
	}
	a.GetRandom(1) // no value is live
	if a.Recorder() != r {
		t.Error("Recorder is another")
	}
	end(t, r)
	if got := text(mustRead(t, b.Bytes())); got != "i0 1:i0 r0 m0 m0" {
		t.Errorf("read %q", got)
	}
}

// TestGolden pins the format, byte for byte, of blocks that are not deflated.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a := r.Track("ab", 300)
	v, w := a.Insert(), a.Insert()
	a.Get(w)
	a.Remove(v)
	must(r.Frame())
	r.Seed(7)
	a.GetRandom(9)
	end(t, r)
	want := "\x8eBTR\x01\x00\x00\x00" +
		"\x14\x00\x00\x00\x14\x00\x00\x00" + "\x24\x4e\x46\xc0" +
		"\x2aab\xac\x02" + // declare, name, size
		"\x22" + // 2 inserts
		"\x24" + // get, 1 up
		"\x13" + // remove, 1 down
		"\x10" + // a frame
		"\x0b\x07\x00\x00\x00\x00\x00\x00\x00" + // seed
		"\x97\x01" + // 9 draws
		"\x00\x00\x00\x00\x00\x00\x00\x00" + "\xbb\x40\xc7\xdf"
	if b.String() != want {
		t.Errorf("got\n% x\nwant\n% x", b.String(), want)
	}
}
