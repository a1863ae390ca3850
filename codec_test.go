package berth

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed505807e1/berth/internal/wiretest"
	_ "github.com/seed505807e1/berth/save"
)

// padded has padding, a bool and a blank field.
type padded struct {
	A uint8
	B uint64
	C bool
	_ uint16
	D [3]int16
}

func paddedOf(i uint64) padded {
	return padded{A: uint8(i), B: i, C: i&1 != 0, D: [3]int16{int16(i), -1, int16(i >> 8)}}
}

// churnAny makes n random calls on c, whose handles are hs. They leave holes, empty chunks and used
// generations.
func churnAny[T any](c store[T], hs []Handle[T], seed uint64, n int, value func(i uint64) T) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range n {
		switch k := r.IntN(100); {
		case k < 60 || len(hs) == 0:
			if h := c.Insert(value(r.Uint64())); !h.IsZero() {
				hs = append(hs, h)
			}
		case k < 98:
			i := r.IntN(len(hs))
			c.Remove(hs[i])
			hs[i] = hs[len(hs)-1]
			hs = hs[:len(hs)-1]
		case k == 98 && r.IntN(20) == 0:
			c.Clear()
			hs = hs[:0]
		case r.IntN(20) == 0:
			c.Clip()
		}
	}
}

// goOnAlike fails t unless p and q issue the same handles from now on.
func goOnAlike[T any](t *testing.T, p, q store[T]) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var hs []Handle[T]
	for i := range 400 {
		var zero T
		if len(hs) > 0 && r.IntN(3) == 0 {
			k := r.IntN(len(hs))
			if p.Delete(hs[k]) != q.Delete(hs[k]) {
				t.Fatal("one of the two has lost", hs[k])
			}
			continue
		}
		h := p.Insert(zero)
		if g := q.Insert(zero); h != g {
			t.Fatalf("insert %d: %v, %v", i, h, g)
		}
		hs = append(hs, h)
	}
}

// same is samePool or sameDense.
func same[T comparable](t *testing.T, p, q store[T]) {
	t.Helper()
	if p, ok := p.(*Pool[T]); ok {
		samePool(t, p, q.(*Pool[T]))
		return
	}
	sameDense(t, p.(*Dense[T]), q.(*Dense[T]))
}

// eachSaved calls load, which makes q a copy of p, for Pools and Denses in all states that a frame
// can describe. q is a new container, one that has gone on since it was p, and a large one.
func eachSaved[T comparable](
	t *testing.T, value func(uint64) T, load func(t *testing.T, p, q store[T]),
) {
	t.Helper()
	run := func(name string, warm int, p, q store[T]) {
		t.Run(fmt.Sprintf("%s/%d", name, warm), func(t *testing.T) {
			load(t, p, q)
			same(t, p, q)
		})
	}
	for name, p := range poolShapes(value) {
		for warm := range 3 {
			q := new(Pool[T])
			switch warm {
			case 1:
				q = p.Clone()
				churnPool(q, 8, 300, value)
			case 2:
				q = NewPool[T](Config{Seed: 77, Truncate: TruncateLength})
				churnPool(q, 9, 5000, value)
			}
			run("Pool/"+name, warm, p.Clone(), q)
		}
	}
	for name, d := range denseShapes(value) {
		for warm := range 3 {
			q := NewDense[T](DenseConfig{Defrag: Defrag(d.state.Defrag)})
			switch warm {
			case 1:
				q = d.Clone()
				churnDense(q, 8, 300, value)
			case 2:
				churnDense(q, 9, 5000, value)
			}
			run("Dense/"+name, warm, d.Clone(), q)
		}
	}
}

func appendText(b []byte, v *string) ([]byte, error) { return append(b, *v...), nil }
func readText(b []byte, v *string) error             { *v = string(b); return nil }

// A container that loads the bytes of another one finds the same values, and goes on alike.
func TestBinary(t *testing.T) {
	eachSaved(t, paddedOf, func(t *testing.T, p, q store[padded]) {
		b, err := p.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{b, wiretest.Rechunk(b, 5)} {
			if err := q.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if again, _ := q.MarshalBinary(); !bytes.Equal(b, again) {
				t.Error("the loaded container has other bytes")
			}
		}
	})
}

// Without a function, Encode writes the bytes of MarshalBinary, and Decode leaves what follows.
func TestStream(t *testing.T) {
	eachSaved(t, paddedOf, func(t *testing.T, p, q store[padded]) {
		var buf bytes.Buffer
		if err := EncodeAny[padded](p, &buf, nil); err != nil {
			t.Fatal(err)
		}
		if want, _ := p.MarshalBinary(); !bytes.Equal(buf.Bytes(), want) {
			t.Error("Encode and MarshalBinary differ")
		}
		buf.WriteString("rest")
		if err := DecodeAny[padded](q, iotest.OneByteReader(&buf), nil); err != nil {
			t.Fatal(err)
		}
		if buf.String() != "rest" {
			t.Errorf("%q is left", buf.String())
		}
	})
}

func TestEncode(t *testing.T) {
	value := func(i uint64) string { return strings.Repeat("x", int(i%9)) }
	eachSaved(t, value, func(t *testing.T, p, q store[string]) {
		var buf bytes.Buffer
		if err := EncodeAny(p, &buf, appendText); err != nil {
			t.Fatal(err)
		}
		if err := DecodeAny(q, &buf, readText); err != nil {
			t.Fatal(err)
		}
	})
}

func TestJSON(t *testing.T) {
	value := func(i uint64) string { return fmt.Sprint("<", i%100, ">") }
	eachSaved(t, value, func(t *testing.T, p, q store[string]) {
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, q); err != nil {
			t.Fatal(err)
		}
		before, _ := json.Marshal(q)
		if err := json.Unmarshal([]byte("null"), q); err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(q); !bytes.Equal(before, after) || !bytes.Equal(before, b) {
			t.Errorf("%s\n%s\n%s", b, before, after)
		}
	})
}

func TestGob(t *testing.T) {
	eachSaved(t, paddedOf, func(t *testing.T, p, q store[padded]) {
		var buf bytes.Buffer
		if err := gob.NewEncoder(&buf).Encode(p); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&buf).Decode(q); err != nil {
			t.Fatal(err)
		}
	})
}

// A load that fails leaves the container as it was, whatever is wrong with the data.
func TestLoadFails(t *testing.T) {
	pools := func(c Config) store[padded] { return NewPool[padded](c) }
	denses := func(c Config) store[padded] {
		return NewDense[padded](DenseConfig{Seed: c.Seed, Limit: c.Limit, Defrag: DefragManual})
	}
	for name, make := range map[string]func(Config) store[padded]{"Pool": pools, "Dense": denses} {
		t.Run(name, func(t *testing.T) {
			p, q := make(Config{Seed: 3}), make(Config{Seed: 4})
			churnAny(p, nil, 1, 400, paddedOf)
			churnAny(q, nil, 2, 500, paddedOf)
			good, _ := p.MarshalBinary()
			was, _ := q.MarshalBinary()
			refuse := func(data []byte, want ...error) {
				t.Helper()
				err := DecodeAny[padded](q, bytes.NewReader(data), nil)
				for _, err := range []error{q.UnmarshalBinary(data), err} {
					for _, w := range want {
						if !errors.Is(err, w) {
							t.Errorf("error %v, want %v", err, w)
						}
					}
				}
				if now, _ := q.MarshalBinary(); !bytes.Equal(now, was) {
					t.Fatal("the container has changed")
				}
				q.checkInvariants()
			}
			for n := range good {
				refuse(good[:n], ErrCorrupt, io.ErrUnexpectedEOF)
			}
			for i := range good {
				bad := bytes.Clone(good)
				bad[i] ^= 1 << (i % 8)
				refuse(bad, ErrCorrupt)
			}
			if err := q.UnmarshalBinary(append(bytes.Clone(good), 0)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("a byte more: %v", err)
			}
			small := make(Config{Limit: p.Len() - 1})
			if err := small.UnmarshalBinary(good); !errors.Is(err, ErrFull) || small.Len() != 0 {
				t.Errorf("beyond Limit: %v", err)
			}
			exact := make(Config{Limit: p.Len()})
			if err := exact.UnmarshalBinary(good); err != nil || !exact.Insert(padded{}).IsZero() {
				t.Errorf("at Limit: %v", err)
			}
		})
	}
}

// Data of another container or another type is refused, with what differs.
func TestLoadOfOtherType(t *testing.T) {
	p := NewPool[padded](Config{Seed: 3})
	p.Insert(padded{})
	good, _ := p.MarshalBinary()
	for want, q := range map[string]interface{ UnmarshalBinary([]byte) error }{
		"the type is a struct, not u8": new(Pool[uint64]),
		"a saved Pool, not a Dense":    new(Dense[padded]),
		"field .D[0] is i2, not u2": new(Pool[struct {
			A uint8
			B uint64
			C bool
			D [3]uint16
		}]),
	} {
		err := q.UnmarshalBinary(good)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// hostiles are the containers that load data of unknown origin, and those that write it.
var hostiles = map[string]struct{ make, from func() store[padded] }{
	"Pool": {
		func() store[padded] { return NewPool[padded](Config{Seed: 4, Limit: 1000}) },
		func() store[padded] {
			p := NewPool[padded](Config{Seed: 3})
			p.AgeForTest(70, 2)
			return p
		},
	},
	"Dense": {
		func() store[padded] {
			return NewDense[padded](DenseConfig{Seed: 4, Limit: 1000, Defrag: DefragManual})
		},
		func() store[padded] {
			d := NewDense[padded](DenseConfig{Seed: 3, Defrag: DefragManual})
			d.AgeForTest(70, 2)
			return d
		},
	},
}

// Data whose checksums are right, but not the rest, is refused, or makes a consistent container.
func TestHostile(t *testing.T) {
	for name, c := range hostiles {
		t.Run(name, func(t *testing.T) {
			p := c.from()
			churnAny(p, nil, 1, 300, paddedOf)
			good, _ := p.MarshalBinary()
			r := rand.New(rand.NewPCG(3, 3))
			refused, n := 0, fewer(4000, 400)
			for range n {
				bad := bytes.Clone(good)
				for range 1 + r.IntN(3) {
					i := 12 + r.IntN(len(bad)-12)
					bad[i] = byte(r.Uint32())
				}
				refused += hostile(t, c.make, wiretest.Reseal(bad))
			}
			if refused < n/10 || refused == n {
				t.Errorf("%d of %d refused", refused, n)
			}
		})
	}
}

// hostile loads data of unknown origin in both ways, and returns 1 if it is refused.
func hostile(t *testing.T, make func() store[padded], data []byte) int {
	t.Helper()
	q, s := make(), make()
	q.Insert(padded{})
	err := q.UnmarshalBinary(data)
	from := bytes.NewReader(data)
	other := DecodeAny[padded](s, from, nil)
	if more := other == nil && from.Len() > 0; (err == nil) != (other == nil && !more) {
		t.Fatalf("UnmarshalBinary: %v, Decode: %v", err, other)
	}
	q.checkInvariants()
	if d, ok := q.(*Dense[padded]); ok && d.state.Index.Rare.Reserves() != 0 {
		t.Fatal("a Dense has reserved handles")
	}
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrFull) || q.Len() != 1 {
			t.Fatal(q, err)
		}
		return 1
	}
	same(t, q, s)
	return 0
}

func fuzzLoad(f *testing.F, name string) {
	c := hostiles[name]
	p := c.from()
	churnAny(p, nil, 1, 100, paddedOf)
	for _, p := range []store[padded]{p, c.make()} {
		b, _ := p.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) { hostile(t, c.make, wiretest.Reseal(data)) })
}

func FuzzPoolLoad(f *testing.F)  { fuzzLoad(f, "Pool") }
func FuzzDenseLoad(f *testing.F) { fuzzLoad(f, "Dense") }

func TestSaveUnderConstruction(t *testing.T) {
	for name, c := range map[string]store[int]{"Pool": new(Pool[int]), "Dense": new(Dense[int])} {
		c.Insert(5)
		good, _ := c.MarshalBinary()
		c.InsertFunc(func(Handle[int], *int) {
			_, err := c.MarshalBinary()
			err2 := EncodeAny[int](c, io.Discard, nil)
			_, err3 := c.MarshalJSON()
			err4 := c.UnmarshalBinary(good)
			err5 := DecodeAny[int](c, bytes.NewReader(good), nil)
			for i, err := range []error{err, err2, err3, err4, err5} {
				if err == nil || !strings.Contains(err.Error(), "under construction") {
					t.Error(name, i, err)
				}
			}
		})
		if c.Len() != 2 {
			t.Error(name, c.Len())
		}
	}
}

// The functions of the caller may fail and panic.
func TestDecodeFails(t *testing.T) {
	errMine := errors.New("mine")
	make := map[string]func() store[string]{
		"Pool":  func() store[string] { return new(Pool[string]) },
		"Dense": func() store[string] { return new(Dense[string]) },
	}
	numbers := map[string]store[int]{"Pool": new(Pool[int]), "Dense": new(Dense[int])}
	for name, n := range numbers {
		p, q := make[name](), make[name]()
		for i := range 100 {
			p.Insert(fmt.Sprint(i))
		}
		refuse := func([]byte, *string) ([]byte, error) { return nil, errMine }
		if err := EncodeAny(p, io.Discard, refuse); !errors.Is(err, errMine) {
			t.Error(name, err)
		}
		if err := EncodeAny(p, failWriter{errMine}, appendText); !errors.Is(err, errMine) {
			t.Error(name, err)
		}
		var buf bytes.Buffer
		_ = EncodeAny(p, &buf, appendText)
		q.Insert("old")
		turn := 0
		err := DecodeAny(q, bytes.NewReader(buf.Bytes()), func([]byte, *string) error {
			if turn++; turn == 70 {
				return errMine
			}
			return nil
		})
		if !errors.Is(err, errMine) || q.Len() != 1 {
			t.Error(name, err, q.Len())
		}
		mustPanic(t, "boom", func() {
			_ = DecodeAny(q, bytes.NewReader(buf.Bytes()), func([]byte, *string) error { panic("boom") })
		})
		if q.Len() != 1 {
			t.Error(name, q.Len())
		}
		if err := DecodeAny[string](q, bytes.NewReader(buf.Bytes()), nil); err == nil {
			t.Error(name, "strings were read without a function")
		}
		err = DecodeAny[int](n, iotest.ErrReader(errMine), nil)
		if !errors.Is(err, errMine) || errors.Is(err, ErrCorrupt) {
			t.Error(name, err)
		}
		if _, err := p.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "Go pointers") {
			t.Error(name, err)
		}
		// Each side must have a function, or neither.
		buf.Reset()
		_ = EncodeAny[int](n, &buf, func(b []byte, _ *int) ([]byte, error) { return b, nil })
		if err := DecodeAny[int](n, &buf, nil); !errors.Is(err, ErrCorrupt) {
			t.Error(name, err)
		}
		buf.Reset()
		_ = EncodeAny[int](n, &buf, nil)
		read := func([]byte, *int) error { return nil }
		if err := DecodeAny(n, &buf, read); !errors.Is(err, ErrCorrupt) {
			t.Error(name, err)
		}
	}
}

type failWriter struct{ err error }

func (w failWriter) Write([]byte) (int, error) { return 0, w.err }

// A load into a container of the same shape allocates nothing, and neither does a save into a buffer
// with room, or a copy.
func TestCodecAllocs(t *testing.T) {
	p, d := NewPool[padded](Config{Seed: 1}), NewDense[padded](DenseConfig{Seed: 1})
	churnPool(p, 1, 5000, paddedOf)
	churnDense(d, 1, 5000, paddedOf)
	for name, c := range map[string]struct{ p, q store[padded] }{
		"Pool": {p, p.Clone()}, "Dense": {d, d.Clone()},
	} {
		b, _ := c.p.MarshalBinary()
		buf := make([]byte, 0, 2*len(b)+100_000)
		for what, f := range map[string]func(){
			"UnmarshalBinary": func() {
				if c.q.UnmarshalBinary(b) != nil {
					t.Error("not loaded")
				}
			},
			"AppendBinary": func() { _, _ = AppendBinaryAny[padded](c.p, buf) },
			"CopyFrom":     func() { CopyFromAny[padded](c.q, c.p) },
		} {
			if n := testing.AllocsPerRun(20, f); n != 0 {
				t.Errorf("%s: %s: %v allocations", name, what, n)
			}
		}
	}
}
