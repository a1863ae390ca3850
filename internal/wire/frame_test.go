package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed505807e1/berth/internal/wiretest"
)

type item struct {
	A uint8
	B uint64
	C bool
}

type huge struct{ A [50_000]uint16 }

// contents writes a sequence of pieces that depends on seed, and read reads it back.
func contents(w *Writer, seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 1))
	items, hugeType := TypeOf(reflect.TypeFor[item]()), TypeOf(reflect.TypeFor[huge]())
	for range n {
		x := r.Uint64()
		switch r.IntN(7) {
		case 0:
			w.Uint8(uint8(x))
		case 1:
			w.Uint32(uint32(x))
		case 2:
			w.Uint64(x)
		case 3:
			w.Bytes(bytes.Repeat([]byte{byte(x)}, int(x%100_000)))
		case 4:
			mem := make([]byte, items.Size*int(x%5000))
			for i := range mem {
				mem[i] = byte(i*int(x)) & 1
			}
			w.Values(items.Layout, mem)
		case 5:
			mem := make([]byte, hugeType.Size*2)
			mem[7], mem[len(mem)-1] = byte(x), 9
			w.Values(hugeType.Layout, mem)
		case 6:
			_ = w.Coded(func(b []byte) ([]byte, error) {
				return append(b, bytes.Repeat([]byte{byte(x)}, int(x%70_000))...), nil
			})
		}
	}
	w.End()
}

func read(t *testing.T, r *Reader, seed uint64, n int) {
	t.Helper()
	if err := r.Open(Pool, "{A:b;}"); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	items, hugeType := TypeOf(reflect.TypeFor[item]()), TypeOf(reflect.TypeFor[huge]())
	for range n {
		x := rng.Uint64()
		ok := true
		switch rng.IntN(7) {
		case 0:
			ok = r.Uint8() == uint8(x)
		case 1:
			ok = r.Uint32() == uint32(x)
		case 2:
			ok = r.Uint64() == x
		case 3:
			ok = bytes.Equal(r.Next(int(x%100_000)), bytes.Repeat([]byte{byte(x)}, int(x%100_000)))
		case 4:
			n := int(x % 5000)
			mem := make([]byte, items.Size*n)
			ok = r.Values(items.Layout, mem, n)
			for i := 0; i < len(mem); i += items.Size {
				ok = ok && mem[i] == byte(i*int(x))&1 && mem[i+items.Size-1] == 0
			}
		case 5:
			mem := make([]byte, hugeType.Size*2)
			ok = r.Values(hugeType.Layout, mem, 2) && mem[7] == byte(x) && mem[len(mem)-1] == 9
		case 6:
			ok = bytes.Equal(r.Coded(), bytes.Repeat([]byte{byte(x)}, int(x%70_000)))
		}
		if !ok || r.Err() != nil {
			t.Fatal("a piece differs", r.Err())
		}
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
}

// A Reader reads back the pieces that a Writer wrote, in chunks of any size.
func TestFrame(t *testing.T) {
	for seed := range uint64(5) {
		var w Writer
		w.Append([]byte("head"), Pool, "{A:b;}")
		contents(&w, seed, 40)
		frame := w.Frame()[4:]
		if string(w.Frame()[:4]) != "head" || !Is(frame) {
			t.Fatal("the beginning is lost")
		}
		var out bytes.Buffer
		var s Writer
		s.Stream(&out, Pool, "{A:b;}")
		contents(&s, seed, 40)
		if s.Err() != nil || !bytes.Equal(out.Bytes(), frame) {
			t.Fatal("Stream and Append differ", s.Err())
		}
		for _, n := range []int{MaxChunk, 1000, 3} {
			data := wiretest.Rechunk(frame, n)
			var r Reader
			r.Read(data, false)
			read(t, &r, seed, 40)
			if r.Count() != int64(len(data)) {
				t.Errorf("%d of %d bytes", r.Count(), len(data))
			}
			r.Read(data, true)
			read(t, &r, seed, 40)
			more := bytes.NewBuffer(append(data, "more"...))
			r.From(iotest.HalfReader(more))
			read(t, &r, seed, 40)
			if more.String() != "more" {
				t.Errorf("%q is left", more.String())
			}
		}
	}
}

// Each damage is found where it is, and reading goes no further.
func TestFrameDamage(t *testing.T) {
	var w Writer
	w.Append(nil, Dense, "i4")
	for i := range 100 {
		w.Uint64(uint64(i))
	}
	w.End()
	good := w.Frame()
	try := func(data []byte, k Kind, desc string) error {
		var r, s Reader
		r.Read(data, false)
		s.From(bytes.NewReader(data))
		var errs [2]error
		for i, r := range []*Reader{&r, &s} {
			if errs[i] = r.Open(k, desc); errs[i] == nil {
				for n := range uint64(100) {
					if x := r.Uint64(); r.Err() == nil && x != n {
						t.Fatal("wrong contents without an error")
					}
				}
				errs[i] = r.End()
			}
		}
		if errs[0] == nil || errs[1] == nil || errs[0].Error() != errs[1].Error() {
			t.Fatalf("%v, but %v", errs[0], errs[1])
		}
		return errs[0]
	}
	for n := range good {
		if err := try(good[:n], Dense, "i4"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		_ = try(bad, Dense, "i4")
	}
	long := bytes.Clone(good)
	long[10] = 2 // a chunk of more than 64 KiB
	for _, c := range []struct {
		data []byte
		k    Kind
		desc string
		want string
	}{
		{[]byte("RIFF....."), Dense, "i4", "not a saved container, at byte 0"},
		{[]byte("R"), Dense, "i4", "not a saved container, at byte 0"},
		{append([]byte("\x8eBTH\x02"), good[5:]...), Dense, "i4", "version 2 of the format, not 1, at byte 4"},
		{good, Pool, "i4", "a saved Dense, not a Pool, at byte 5"},
		{append([]byte("\x8eBTH\x01\x09"), good[6:]...), Dense, "i4", "a saved kind 9, not a Dense"},
		{append([]byte("\x8eBTH\x01\x02\x01"), good[7:]...), Dense, "i4", "reserved bytes that are not zero"},
		{append([]byte("\x8eBTH\x01\x02\x00\x01"), good[8:]...), Dense, "i4", "reserved bytes that are not zero"},
		{good, Dense, "i8", "another type: the type is i4, not i8, at byte 16"},
		{good, Dense, "", "values as they lie in memory: Decode needs no function"},
		{good[:20], Dense, "i4", "the data ends in a chunk, at byte 20"},
		{wiretest.Reseal(long), Dense, "i4", "more than 65536"},
	} {
		if err := try(c.data, c.k, c.desc); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	var r Reader
	r.Read(append(bytes.Clone(good), 1, 2), false)
	if r.Open(Dense, "i4") != nil || len(r.Next(800)) != 800 {
		t.Fatal(r.Err())
	}
	if err := r.End(); err == nil || !strings.Contains(err.Error(), "2 bytes behind the frame") {
		t.Error(err)
	}
	r.Read(good, false)
	if r.Open(Dense, "i4") != nil {
		t.Fatal(r.Err())
	}
	if err := r.End(); err == nil || !strings.Contains(err.Error(), "behind the last value, at byte 18") {
		t.Error(err)
	}
	r.Read(good, false)
	if r.Open(Dense, "i4") == nil && r.Next(801) != nil || r.Err() == nil || r.Uint64() != 0 {
		t.Error("contents behind the end", r.Err())
	}
}

// Lengths that lie take no memory.
func TestFrameLies(t *testing.T) {
	var w Writer
	w.Append(nil, Pool, "")
	w.Uint32(1<<32 - 1)
	w.End()
	var r Reader
	r.Read(w.Frame(), false)
	if r.Open(Pool, "") != nil || r.Coded() != nil ||
		!strings.Contains(r.Err().Error(), "a value of 4294967295 bytes") {
		t.Error(r.Err())
	}
	w.Append(nil, Pool, "")
	w.Uint32(maxCoded)
	w.End()
	r.Read(w.Frame(), false)
	if r.Open(Pool, "") != nil || r.Coded() != nil ||
		!strings.Contains(r.Err().Error(), "the contents end too early") {
		t.Error(r.Err())
	}
	w.Append(nil, Pool, "")
	w.Uint32(1 << 29)
	w.End()
	if n := allocated(func() {
		r.Read(w.Frame(), false)
		if r.Open(Pool, "") != nil || r.Coded() != nil {
			t.Error("a value of 2^29 bytes")
		}
	}); n > 1<<20 {
		t.Errorf("%d bytes for a value that is not there", n)
	}
	w.Append(nil, Pool, strings.Repeat("x", maxDesc+1))
	w.End()
	r.Read(w.Frame(), false)
	if err := r.Open(Pool, ""); err == nil ||
		!strings.Contains(err.Error(), "a description of 65537 bytes") {
		t.Error(err)
	}
	bools := TypeOf(reflect.TypeFor[[3]bool]())
	w.Append(nil, Pool, bools.Desc)
	w.Bytes([]byte{0, 1, 0, 1, 2, 0})
	w.End()
	r.Read(w.Frame(), false)
	if r.Open(Pool, bools.Desc) != nil || r.Values(bools.Layout, nil, 2) ||
		!strings.Contains(r.Err().Error(), "a bool that is neither 0 nor 1, at byte 24") {
		t.Error(r.Err())
	}
	w.Append(nil, Pool, bools.Desc)
	w.Bytes([]byte{2, 1, 0})
	w.End()
	r.Read(w.Frame(), false)
	if r.Open(Pool, bools.Desc) != nil || r.Values(bools.Layout, nil, 1) {
		t.Error("a first bool of 2 is read")
	}
	r.From(bytes.NewReader(w.Frame()))
	if r.Open(Pool, bools.Desc) != nil || r.Values(bools.Layout, make([]byte, 3), 1) {
		t.Error("a bool of 2 is read from a stream")
	}
	if why := TypeOf(reflect.TypeFor[struct{ _ [9]int }]()).Why; why == "" {
		t.Error("a type that has nothing to save")
	}
}

// A chunk is filled to its last byte, and an error behind it is told where it is.
func TestFrameFullChunk(t *testing.T) {
	var w Writer
	w.Append(nil, Pool, "")
	for i := range uint32(MaxChunk/4 - 1) { // the description takes 4 bytes
		w.Uint32(i)
	}
	w.End()
	if n := headBytes + 2*wordBytes + MaxChunk + 2*wordBytes; len(w.Frame()) != n {
		t.Errorf("a frame of a full chunk has %d bytes, want %d", len(w.Frame()), n)
	}
	bools := TypeOf(reflect.TypeFor[bool]())
	w.Append(nil, Pool, bools.Desc)
	w.Bytes(append(make([]byte, 70), 9, 0))
	w.End()
	data := wiretest.Rechunk(w.Frame(), 10)
	var r, s Reader
	r.Read(data, false)
	s.From(bytes.NewReader(data))
	for _, r := range []*Reader{&r, &s} {
		if r.Open(Pool, bools.Desc) != nil || r.Values(bools.Layout, make([]byte, 72), 72) {
			t.Fatal("a bool of 9 is read:", r.Err())
		}
		var bad *Error
		if !errors.As(r.Err(), &bad) || bad.At != int64(bytes.IndexByte(data, 9)) {
			t.Errorf("%v, want byte %d", r.Err(), bytes.IndexByte(data, 9))
		}
	}
	if w.Forget(); w.Frame() != nil {
		t.Errorf("after Forget, the Writer holds %d bytes", len(w.Frame()))
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Nothing is read behind the last chunk, whatever is asked for.
func TestFrameEnd(t *testing.T) {
	var w Writer
	w.Append(nil, Pool, "")
	w.Uint32(7)
	w.End()
	n := len(w.Frame())
	for name, ask := range map[string]func(r *Reader){
		"a number": func(r *Reader) { r.Uint32() },
		"the end":  func(r *Reader) { _ = r.End(); _ = r.End() },
	} {
		from := bytes.NewReader(append(bytes.Clone(w.Frame()), make([]byte, 100)...))
		var r Reader
		r.From(from)
		if err := r.Open(Pool, ""); err != nil || r.Uint32() != 7 {
			t.Fatal(err)
		}
		ask(&r)
		if from.Len() != 100 || r.Count() != int64(n) {
			t.Errorf("%s: %d bytes are left of 100, Count is %d of %d", name, from.Len(), r.Count(), n)
		}
	}
}

// The error of the io.Writer ends the writing, and that of the function ends Coded.
func TestFrameErrors(t *testing.T) {
	mine := errors.New("mine")
	var w Writer
	w.Stream(writerFunc(func(p []byte) (int, error) { return len(p) / 2, nil }), Pool, "")
	w.End()
	if !errors.Is(w.Err(), io.ErrShortWrite) {
		t.Error(w.Err())
	}
	calls := 0
	w.Stream(writerFunc(func([]byte) (int, error) { calls++; return 0, mine }), Pool, "")
	w.Bytes(make([]byte, 10*MaxChunk))
	w.End()
	if !errors.Is(w.Err(), mine) || calls != 1 {
		t.Error(w.Err(), calls)
	}
	w.Append(nil, Pool, "")
	if err := w.Coded(func([]byte) ([]byte, error) { return nil, mine }); !errors.Is(err, mine) {
		t.Error(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// No data crashes a Reader, and from both sources it reads the same.
func FuzzReader(f *testing.F) {
	var w Writer
	w.Append(nil, Pool, "{A:b;}")
	contents(&w, 0, 3)
	f.Add(w.Frame()[:min(100, len(w.Frame()))], uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		data = wiretest.Reseal(data)
		var r, s Reader
		r.Read(data, false)
		s.From(bytes.NewReader(data))
		a, b := r.Open(Pool, "{A:b;}"), s.Open(Pool, "{A:b;}")
		for a == nil && b == nil && r.Err() == nil {
			if n := int(step) + 1; !bytes.Equal(r.Next(n), s.Next(n)) {
				t.Fatal("the two differ")
			}
		}
		if (r.Err() == nil) != (s.Err() == nil) || r.Offset() != s.Offset() {
			t.Fatal(r.Err(), s.Err(), r.Offset(), s.Offset())
		}
	})
}
