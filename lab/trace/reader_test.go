package trace

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// kinds are the errors that a reader of bytes may return, besides io.EOF.
var kinds = []error{ErrForeign, ErrVersion, ErrTruncated, ErrCorrupt, ErrLimit}

// isKnown reports whether err is of exactly one kind, and gives a position.
func isKnown(err error) bool {
	n := 0
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			n++
		}
	}
	return n == 1 && strings.Contains(err.Error(), "byte ")
}

// TestTruncated cuts a stream at every byte: the ops of whole blocks come first, then an error.
func TestTruncated(t *testing.T) {
	data, ops := small(t)
	most := 0
	for n := range data {
		got, _, err := readAll(data[:n], Limits{})
		if !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
		if !isPrefix(got, ops) {
			t.Fatalf("%d of %d bytes: ops that were not recorded:\n%s", n, len(data), text(got))
		}
		if len(got) < most {
			t.Fatalf("%d of %d bytes: %d ops, fewer than before", n, len(data), len(got))
		}
		most = len(got)
	}
	if most != len(ops) {
		t.Errorf("without its last byte, %d ops of %d are read", most, len(ops))
	}
}

// TestCorrupt changes each byte in several ways: there is always an error, and no unrecorded op.
func TestCorrupt(t *testing.T) {
	data, ops := small(t)
	for i := range data {
		for _, x := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
			bad := bytes.Clone(data)
			bad[i] ^= x
			got, _, err := readAll(bad, Limits{})
			if !isKnown(err) {
				t.Fatalf("byte %d xor %#x: %v", i, x, err)
			}
			if !isPrefix(got, ops) {
				t.Fatalf("byte %d xor %#x: ops that were not recorded:\n%s", i, x, text(got))
			}
		}
	}
}

// TestBlocks removes, repeats and swaps blocks, each of which is valid elsewhere.
func TestBlocks(t *testing.T) {
	data, ops := small(t)
	cuts := []int{headBytes}
	for cuts[len(cuts)-1] < len(data) {
		at := cuts[len(cuts)-1]
		cuts = append(cuts, at+blockHead+int(binary.LittleEndian.Uint32(data[at+4:])))
	}
	blocks := make([][]byte, len(cuts)-1)
	for i := range blocks {
		blocks[i] = data[cuts[i]:cuts[i+1]]
	}
	if len(blocks) != 4 {
		t.Fatalf("%d blocks, want 3 and the end mark", len(blocks))
	}
	for name, order := range map[string][]int{
		"missing": {0, 2, 3}, "doubled": {0, 0, 1, 2, 3}, "swapped": {1, 0, 2, 3},
		"no end": {0, 1, 2}, "two ends": {0, 1, 2, 3, 3}, "end first": {3, 0, 1, 2},
	} {
		bad := bytes.Clone(data[:headBytes])
		for _, i := range order {
			bad = append(bad, blocks[i]...)
		}
		got, _, err := readAll(bad, Limits{})
		if !isKnown(err) || !isPrefix(got, ops) {
			t.Errorf("%s: %v after\n%s", name, err, text(got))
		}
	}
}

func TestForeign(t *testing.T) {
	for in, want := range map[string]error{
		"":                             ErrTruncated,
		"\x8eB":                        ErrTruncated,
		"\x8eBTR\x01\x00":              ErrTruncated,
		"\x8eBTR\x02\x00\x00\x00":      ErrVersion,
		"\x8eBTR\x01\x00\x01\x00":      ErrVersion,
		"#":                            ErrForeign,
		"go test fuzz v1\n":            ErrForeign,
		"\x8eARN\x01\x01\x00\x00 etc.": ErrForeign,
	} {
		if _, err := NewReader(strings.NewReader(in)); !errors.Is(err, want) || !isKnown(err) {
			t.Errorf("%q: %v, want %v", in, err, want)
		}
	}
}

// TestRefused reads blocks with valid sums and invalid contents. The ops before the invalid one are
// returned.
func TestRefused(t *testing.T) {
	const huge = 1 << 40
	limits := Limits{Live: 10, Tracks: 2, Ops: 100}
	for _, c := range []struct {
		name string
		raw  []byte
		ops  string
		err  error
		text string
	}{
		{"get of none", contents(codeGet, 0), "", ErrCorrupt, "get of name 0 of track 0, which is not live"},
		{"get beyond", contents(codeInsert, 1, codeGet, 2), "i0", ErrCorrupt, "get of name 1"},
		{"get below", contents(codeInsert, 1, codeGet, 1), "i0", ErrCorrupt, "get of name -1"},
		{"get of a vacant name", contents(codeInsert, 1, codeRemove, 0, codeGet, 0), "i0 r0", ErrCorrupt, "get of name 0"},
		{"get far away", contents(codeInsert, 1, codeGet, 1<<60-1), "i0", ErrCorrupt, "get of name"},
		{"removal of none", contents(codeRemove, 0), "", ErrCorrupt, "removal of name 0"},
		{"removed twice", contents(codeInsert, 2, codeRemove, 0, codeRemove, 0), "i0 i1 r0", ErrCorrupt, "removal of name 0"},
		{"miss without past", contents(codeInsert, 1, codeMiss, 0), "i0", ErrCorrupt, "which has no removed value"},
		{"miss beyond", contents(codeMiss, 6), "", ErrCorrupt, "miss of name 3"},
		{"removals too far", contents(codeInsert, 3, codeRemove, 0, codeRemove, 2, codeAgain, 5), "i0 i1 i2 r0 r1 r2", ErrCorrupt, "removal of name 3"},
		{"huge removals", contents(codeInsert, 3, codeRemove, 0, codeAgain, huge), "i0 i1 i2 r0", ErrLimit, "100 ops"},
		{"again too far", contents(codeInsert, 3, codeGet, 0, codeGet, 2, codeAgain, 5), "i0 i1 i2 g0 g1 g2", ErrCorrupt, "name 3"},
		{"again of nothing", contents(codeInsert, 1, codeAgain, 1), "i0", ErrCorrupt, "no op to repeat"},
		{"again on another track", contents(codeInsert, 1, codeGet, 0, codeTrack, 0, codeAgain, 1), "i0 g0", ErrCorrupt, "no op to repeat"},
		{"again first", appendOp(nil, codeAgain, 1), "", ErrCorrupt, "before the first track"},
		{"draw of none", contents(codeSeed, 0, codeDraw, 1), "", ErrCorrupt, "without live values"},
		{"draw without seed", contents(codeInsert, 1, codeDraw, 1), "i0", ErrCorrupt, "no seed"},
		{"miss of none", contents(codeSeed, 0, codeInsert, 1, codeDrawMiss, 1), "i0", ErrCorrupt, "without removed values"},
		{"miss without seed", contents(codeInsert, 1, codeRemove, 0, codeDrawMiss, 1), "i0 r0", ErrCorrupt, "no seed"},
		{"seed of 0", append(contents(), appendOp(nil, codeSeed, 0)[0], 0, 0, 0, 0, 0, 0, 0, 0), "", ErrCorrupt, "seed"},
		{"short seed", append(contents(), appendOp(nil, codeSeed, 0)[0], 1), "", ErrCorrupt, "seed"},
		{"seed of an argument", contents(codeSeed, 1), "", ErrCorrupt, "seed"},
		{"unknown track", contents(codeTrack, 1), "", ErrCorrupt, "track 1 of 1"},
		{"unknown code", contents(12, 1), "", ErrCorrupt, "code 12"},
		{"an empty run", contents(codeInsert, 0), "", ErrCorrupt, "an empty run"},
		{"frames of none", appendOp(nil, codeFrame, 0), "", ErrCorrupt, "an empty run"},
		{"before any track", appendOp(nil, codeInsert, 1), "", ErrCorrupt, "before the first track"},
		{"invalid varint", append(contents(codeInsert, 1), 0x80), "i0", ErrCorrupt, "invalid varint"},
		{"long varint", append(contents(), bytes.Repeat([]byte{0xff}, 11)...), "", ErrCorrupt, "invalid varint"},
		{"long name", appendOp(nil, codeDeclare, 256), "", ErrCorrupt, "name of 256"},
		{"name beyond the block", append(appendOp(nil, codeDeclare, 5), "abcd"...), "", ErrCorrupt, "name of 5"},
		{"no size", append(appendOp(nil, codeDeclare, 1), 'a'), "", ErrCorrupt, "size"},
		{"large size", append(appendOp(nil, codeDeclare, 0), 0xff, 0xff, 0xff, 0xff, 0xff, 1), "", ErrCorrupt, "size"},
		{"huge inserts", contents(codeInsert, huge), "", ErrLimit, "10 live"},
		{"one insert more", contents(codeInsert, 10, codeRemove, 0, codeInsert, 1, codeInsert, 1), "i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 r0 i0", ErrLimit, "10 live"},
		{"two tracks share", append(contents(codeInsert, 6), contents(codeInsert, 5)...), "i0 i1 i2 i3 i4 i5", ErrLimit, "10 live"},
		{"tracks", append(append(contents(), contents()...), contents()...), "", ErrLimit, "2 tracks"},
		{"huge gets", contents(codeInsert, 1, codeSeed, 0, codeDraw, huge), "i0", ErrLimit, "100 ops"},
		{"huge frames", appendOp(nil, codeFrame, huge), "", ErrLimit, "100 ops"},
		{"huge passes", contents(codePass, 1, codePass, 100), "p", ErrLimit, "100 ops"},
	} {
		ops, _, err := readAll(seal(c.raw), limits)
		if !errors.Is(err, c.err) || !isKnown(err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.err, c.text)
		}
		if text(ops) != c.ops {
			t.Errorf("%s: read %q, want %q", c.name, text(ops), c.ops)
		}
	}
}

// TestBlockHeads reads heads of blocks with wrong lengths.
func TestBlockHeads(t *testing.T) {
	head := func(raw, packed uint32) string {
		b := []byte("\x8eBTR\x01\x00\x00\x00")
		b = binary.LittleEndian.AppendUint32(b, raw)
		b = binary.LittleEndian.AppendUint32(b, packed)
		return string(b) + "\x00\x00\x00\x00"
	}
	for in, want := range map[string]error{
		head(1<<32-1, 1<<32-1): ErrCorrupt,
		head(maxRaw+1, 5):      ErrCorrupt,
		head(5, 6):             ErrCorrupt,
		head(5, 0):             ErrCorrupt,
		head(0, 5):             ErrCorrupt,
		head(0, 0):             ErrCorrupt, // the sum
		head(maxRaw, maxRaw):   ErrTruncated,
	} {
		if _, _, err := readAll([]byte(in), Limits{}); !errors.Is(err, want) || !isKnown(err) {
			t.Errorf("% x: %v, want %v", in, err, want)
		}
	}
}

// TestInflate reads blocks with valid sums that inflate to another length than declared, or not at
// all.
func TestInflate(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a := r.Track("x", 1)
	for i := range 1000 {
		a.Insert()
		if i%2 == 0 {
			a.Pass()
		}
	}
	must(r.Close())
	good := b.Bytes()
	packed := int(binary.LittleEndian.Uint32(good[headBytes+4:]))
	payload := good[headBytes+blockHead:][:packed]
	raw := int(binary.LittleEndian.Uint32(good[headBytes:]))
	// An open stream has all contents but no end: it was flushed, not closed.
	var open bytes.Buffer
	w, _ := flate.NewWriter(&open, flate.BestSpeed)
	if _, err := w.Write(inflated(payload)); err != nil {
		t.Fatal(err)
	}
	must(w.Flush())
	torn := slices.Concat(open.Bytes(), []byte{7}) // then a block of unknown type
	behind := slices.Concat(payload, []byte{0})
	for _, c := range []struct {
		name    string
		raw     int
		payload []byte
		text    string
	}{
		{"right", raw, payload, ""},
		{"open", raw, open.Bytes(), "no end of the deflated contents"},
		{"torn", raw, torn, "no end of the deflated contents"},
		{"less", raw + 1, payload, "cannot inflate"},
		{"more", raw - 1, payload, "of contents"},
		{"not", 1000, bytes.Repeat([]byte{7}, 100), "cannot inflate"},
		{"a byte behind", raw, behind, fmt.Sprint("1 bytes after the deflated contents, at byte ",
			headBytes+blockHead+packed)},
		{"itself behind", raw, slices.Concat(payload, payload), fmt.Sprint(packed, " bytes after")},
	} {
		s := seal(c.payload)
		binary.LittleEndian.PutUint32(s[headBytes:], uint32(c.raw))
		resum(s)
		ops, _, err := readAll(s, Limits{})
		if c.text == "" {
			if err != io.EOF {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.text) || len(ops) != 0 {
			t.Errorf("%s: %v after %d ops, want %q", c.name, err, len(ops), c.text)
		}
	}
}

// inflated returns the contents of a valid block.
func inflated(payload []byte) []byte {
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(payload)))
	must(err)
	return all
}

// TestReaderAllocates checks that a short stream takes little memory, whatever it declares.
func TestReaderAllocates(t *testing.T) {
	var m0, m1 runtime.MemStats
	for name, raw := range map[string][]byte{
		"inserts": contents(codeInsert, 1<<59),
		"frames":  appendOp(nil, codeFrame, 1<<59),
		"name":    appendOp(nil, codeDeclare, 1<<59),
	} {
		runtime.ReadMemStats(&m0)
		ops, _, err := readAll(seal(raw), Limits{})
		runtime.ReadMemStats(&m1)
		if len(ops) != 0 || !isKnown(err) {
			t.Errorf("%s: %d ops, %v", name, len(ops), err)
		}
		if n := m1.TotalAlloc - m0.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, n)
		}
	}
}

// TestSource checks sources that deliver little at a time, or fail.
func TestSource(t *testing.T) {
	data, want := small(t)
	got, r, err := readFrom(iotest.OneByteReader(bytes.NewReader(data)), Limits{})
	if err != io.EOF {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("byte by byte, read\n%s\nwant\n%s", text(got), text(want))
	}
	if r.Offset() != int64(len(data)) {
		t.Errorf("Offset at the end is %d, want %d", r.Offset(), len(data))
	}
	for n := range len(data) + 1 { // the last one fails behind the end mark
		src := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(errFull))
		if _, _, err := readFrom(src, Limits{}); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v, want that of the source", n, err)
		}
	}
}

// TestLateTracks checks that a track appears when it is declared.
func TestLateTracks(t *testing.T) {
	r, err := NewReader(bytes.NewReader(seal(contents(codeInsert, 1), contents(codeInsert, 2, codeTrack, 0, codePass, 1))))
	must(err)
	var got []int
	var ops []Op
	for {
		op, err := r.Next()
		if err != nil {
			break
		}
		got = append(got, len(r.Tracks()))
		ops = append(ops, op)
	}
	if want := []int{1, 2, 2, 2}; !slices.Equal(got, want) || text(ops) != "i0 1:i0 1:i1 p" {
		t.Errorf("%d tracks at the ops %s, want %d", got, text(ops), want)
	}
	if all := r.Tracks(); cap(all) != len(all) {
		t.Error("who appends to Tracks writes into the reader")
	}
	if i := r.Info(); i.Version != 1 || len(i.Tracks) != 2 || i.Tracks[1] != (TrackInfo{"x", 8}) {
		t.Errorf("Info is %+v", i)
	}
}

// TestDraws pins the values that the generator draws, since a replay depends on them.
func TestDraws(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a := r.Track("a", 1)
	var vs []Value
	for range 8 {
		vs = append(vs, a.Insert())
	}
	a.GetRandom(6)
	a.Remove(vs[2])
	a.Remove(vs[5])
	a.GetRandom(6)
	a.MissRandom(6)
	a.Insert()
	r.Seed(0xC0FFEE)
	a.GetRandom(6)
	a.MissRandom(6)
	must(r.Close())
	want := "i0 i1 i2 i3 i4 i5 i6 i7 g2 g5 g5 g2 g0 g6 r2 r5 g4 g4 g7 g4 g7 g1 m2 m5 m5 m5 m2 m2 i5 g5 g1 g4 g5 g3 g0 m5 m2 m2 m2 m5 m5"
	if got := text(mustRead(t, b.Bytes())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReaderSteadyState(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a := r.Track("a", 1)
	var vs []Value
	for range 100 {
		vs = append(vs, a.Insert())
	}
	g := rng{3}
	for range 10_000 { // one block
		i := g.below(100)
		a.Get(vs[i])
		a.Remove(vs[i])
		vs[i] = a.Insert()
		a.Pass()
	}
	must(r.Close())
	rd, err := NewReader(&b)
	must(err)
	for range 1000 { // until all names have been given back once
		if _, err := rd.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		for range 100 {
			if _, err := rd.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in 100 ops, want 0", n)
	}
}

func TestRecorderSteadyState(t *testing.T) {
	r, err := NewRecorder(io.Discard)
	must(err)
	a := r.Track("a", 1)
	vs := make([]Value, 100)
	for i := range vs {
		vs[i] = a.Insert()
	}
	for _, v := range vs {
		a.Remove(v)
	}
	for i := range vs {
		vs[i] = a.Insert()
	}
	g := rng{3}
	if n := testing.AllocsPerRun(10, func() {
		for range 100_000 { // some blocks
			i := g.below(100)
			a.Remove(vs[i])
			vs[i] = a.Insert()
			a.Get(vs[g.below(100)])
			a.Pass()
			a.GetRandom(3)
			must(r.Frame())
		}
	}); n != 0 {
		t.Errorf("%v allocations in some blocks, want 0", n)
	}
}

// FuzzReader reads bytes, raw or as the contents of a block with a valid sum.
func FuzzReader(f *testing.F) {
	var b bytes.Buffer
	must(play(&b, calls()[7], callOps).r.Close())
	f.Add(b.Bytes(), false)
	f.Add(b.Bytes()[:20], false)
	f.Add(seal(contents(codeInsert, 3), contents(codeRemove, 0, codePass, 3)), false)
	f.Add(contents(codeInsert, 9, codeGet, 0, codeGet, 2, codeAgain, 7, codeRemove, 6, codeMiss, 0, codePass, 4, codeFrame, 2), true)
	f.Add(contents(codeSeed, 0, codeInsert, 4, codeDraw, 20, codeRemove, 3, codeRemove, 2, codeDrawMiss, 20, codeInsert, 1), true)
	f.Add(append(contents(codeInsert, 2), contents(codeInsert, 2, codeTrack, 0, codeRemove, 2)...), true)
	f.Add(contents(codeInsert, 1<<40), true)
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		if raw {
			data = seal(data[:min(len(data), maxRaw)])
		}
		l := Limits{Live: 1 << 10, Tracks: 8, Ops: 1 << 12}
		ops, infos, err := readAll(data, l)
		if err != io.EOF && !isKnown(err) {
			t.Fatalf("%v", err)
		}
		if len(ops) > 1<<12 || len(infos) > 8 {
			t.Fatalf("%d ops, %d tracks: beyond the limits", len(ops), len(infos))
		}
		if again, _, err2 := readAll(data, l); !slices.Equal(ops, again) || (err == nil) != (err2 == nil) {
			t.Fatal("reading it once more gives something else")
		}
	})
}
