package trace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

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
	script := make([]byte, 300)
	g := rng{99}
	for i := range script {
		script[i] = byte(g.next() >> 56)
	}
	var whole bytes.Buffer
	r, _ := NewRecorder(&whole)
	doomed(r, r.Track("", 0), script)
	must(r.Flush())
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
		_ = r.Flush()
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
		must(err)
		if do(r); r.most != (Limits{}).withDefaults().Live {
			t.Errorf("the recorder takes %d live values, and the reader another number", r.most)
		}
		if err := r.Frame(); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v, want ErrLimit", name, err)
		}
		dead := r.Track("later", 1)
		if dead == nil || dead.Insert() != (Value{}) || dead.Remove(Value{}) || dead.Get(Value{}) {
			t.Errorf("%s: a track that comes later does not keep still", name)
		}
	}
}

func TestRecorderClosed(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	tr := r.Track("a", 1)
	v := tr.Insert()
	for range 2 {
		must(r.Close())
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
	must(r.Close())
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
