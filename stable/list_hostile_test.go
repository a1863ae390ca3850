package stable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/internal/wiretest"
	"github.com/seed505807e1/berth/stable"
)

// savedLists returns the bytes of small lists of each placement, with chains and skipped slots.
func savedLists(t testing.TB, n int) (saved [][]byte) {
	t.Helper()
	names, ls := shapes[padded, uint32, stable.Counter32](paddedOf)
	for i, l := range ls {
		if strings.Contains(names[i], fmt.Sprint("/", n)) {
			b, err := l.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			saved = append(saved, b)
		}
	}
	return saved
}

// A load that fails leaves the list as it was, whatever is wrong with the data.
func TestListLoadFails(t *testing.T) {
	for i, good := range savedLists(t, 40) {
		to, _ := churned[padded, uint32, stable.Counter32](
			stable.Config{Placement: placements[i%5], Seed: 4}, rand.New(rand.NewPCG(2, 2)), 60, paddedOf)
		was, _ := to.MarshalBinary()
		refuse := func(data []byte, want ...error) {
			t.Helper()
			other := to.Decode(bytes.NewReader(data), nil)
			for _, err := range []error{to.UnmarshalBinary(data), other} {
				for _, w := range want {
					if !errors.Is(err, w) {
						t.Errorf("error %v, want %v", err, w)
					}
				}
			}
			if now, _ := to.MarshalBinary(); !bytes.Equal(now, was) {
				t.Fatal("the list has changed")
			}
			to.CheckInvariants()
		}
		step := 7
		if long.On {
			step = 1
		}
		for n := i % step; n < len(good); n += step {
			refuse(good[:n], stable.ErrCorrupt, io.ErrUnexpectedEOF)
			bad := bytes.Clone(good)
			bad[n] ^= 1 << (n % 8)
			refuse(bad, stable.ErrCorrupt)
		}
		if err := to.UnmarshalBinary(append(bytes.Clone(good), 0)); !errors.Is(err, stable.ErrCorrupt) {
			t.Errorf("a byte more: %v", err)
		}
		ints, _ := new(stable.List[int]).MarshalBinary()
		narrow, _ := new(stable.ListOf[int, uint16, stable.Counter32]).MarshalBinary()
		floats, _ := new(stable.ListOf[float32, uint16, stable.WideInt]).MarshalBinary()
		for i, err := range []error{
			new(stable.List[uint64]).UnmarshalBinary(good),
			new(stable.ListOf[int, uint16, stable.Counter32]).UnmarshalBinary(ints),
			new(stable.List[int]).UnmarshalBinary(narrow),
			new(stable.ListOf[int, uint32, tiny]).UnmarshalBinary(ints),
			new(stable.ListOf[float32, uint16, stable.Signed8]).UnmarshalBinary(floats),
		} {
			want := []string{
				"the type is a struct, not u8", "indices of 4 bytes, not 2", "indices of 2 bytes, not 4",
				"unsigned integers of 4 bytes, not identifiers that are unsigned integers of 1 bytes",
				"signed integers of 8 bytes, not identifiers that are signed integers of 1 bytes",
			}[i]
			if !errors.Is(err, stable.ErrCorrupt) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// hostile loads data of unknown origin in both ways, and returns 1 if it is refused. A list that
// takes it is consistent, and is saved as the same contents.
func hostile(t testing.TB, data []byte) int {
	t.Helper()
	q, s := stable.New[padded](stable.Config{Seed: 4}), stable.New[padded](stable.Config{Seed: 4, Placement: stable.Quartered})
	k := q.Insert(padded{A: 7})
	err := q.UnmarshalBinary(data)
	from := bytes.NewReader(data)
	other := s.Decode(from, nil)
	if q.Cap() < 1<<18 { // the checks of more slots take seconds
		q.CheckInvariants()
		s.CheckInvariants()
	}
	// Decode leaves what follows the frame, and UnmarshalBinary refuses it.
	if more := other == nil && from.Len() > 0; (err == nil) != (other == nil && !more) {
		t.Fatalf("UnmarshalBinary: %v, Decode: %v", err, other)
	}
	if err != nil {
		if !errors.Is(err, stable.ErrCorrupt) && !errors.Is(err, stable.ErrFull) || q.Len() != 1 || !q.Contains(k) {
			t.Fatal(q, err)
		}
		return 1
	}
	again, _ := q.MarshalBinary()
	if a, b := wiretest.Rechunk(again, 1000), wiretest.Rechunk(data, 1000); !bytes.Equal(a, b) {
		t.Fatalf("after loading\n%x\nit is saved as\n%x", b, a)
	}
	if q.Cap() > 1<<20 {
		return 0
	}
	for i := range 60 {
		if a, b := q.Insert(padded{}), s.Insert(padded{}); a != b {
			t.Fatalf("insert %d: %v, %v", i, a, b)
		}
		if i%3 == 0 {
			for k := range q.All() {
				if k.Index()%5 == uint32(i%5) {
					q.Delete(k)
					s.Delete(k)
				}
			}
		}
	}
	q.Clip()
	q.CheckInvariants()
	s.CheckInvariants()
	return 0
}

// Data whose checksums are right, but not the rest, is refused, or makes a consistent list.
func TestListHostile(t *testing.T) {
	turns := 300
	if long.On {
		turns = 20_000
	}
	for _, good := range savedLists(t, 200) {
		r := rand.New(rand.NewPCG(3, 3))
		head := contentsAt(good)
		refused := 0
		for n := range turns {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(3) {
				from, to := 12, len(bad)
				switch n % 3 {
				case 0:
					to = head + 50
				case 1:
					from = len(bad) - 50
				}
				bad[from+r.IntN(to-from)] = byte(r.Uint32())
			}
			refused += hostile(t, wiretest.Reseal(bad))
		}
		if refused < turns/10 || refused == turns {
			t.Errorf("%d of %d refused", refused, turns)
		}
	}
}

// contentsAt returns the offset of the contents of a frame of one chunk behind its description.
func contentsAt(frame []byte) int { return 16 + int(binary.LittleEndian.Uint32(frame[12:])) }

// A header that promises much takes no memory, and every field of it is checked.
func TestListLoadBound(t *testing.T) {
	l := stable.New[spanning](stable.Config{Seed: 1})
	good, _ := l.MarshalBinary()
	field := contentsAt(good) + 7 + 4 // behind the identifier
	put := func(at int, x uint64) []byte {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint64(bad[field+at:], x)
		return bad
	}
	for i, x := range []struct {
		data []byte
		want error
	}{
		{put(0, 0x0000_0004_0009), stable.ErrCorrupt}, // Placement
		{put(0, 0x0000_0004_0300), stable.ErrCorrupt}, // Truncate
		{put(2, 0), stable.ErrCorrupt},                // Min
		{put(2, 6), stable.ErrCorrupt},                //
		{put(2, 1<<33), stable.ErrCorrupt},            //
		{put(2, 1<<31), stable.ErrFull},               // more than 1 TiB
		{put(10, 3), stable.ErrCorrupt},               // Cap less than Min
		{put(10, 1<<32+4), stable.ErrCorrupt},         //
		{put(10, math.MaxUint64), stable.ErrCorrupt},  //
		{put(10, 1<<31), stable.ErrFull},              //
		{put(10, 1<<23), stable.ErrFull},              // 640 GB
		{put(10, 1<<12), stable.ErrFull},              // 320 MB
		{put(18, 1), stable.ErrCorrupt},               // touched without Cap
		{put(18, math.MaxUint64), stable.ErrCorrupt},  //
		{put(10, 1<<23), stable.ErrFull},              //
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data := wiretest.Reseal(x.data)
		var to stable.List[spanning]
		other := to.Decode(bytes.NewReader(data), nil)
		for _, err := range []error{to.UnmarshalBinary(data), other} {
			if !errors.Is(err, x.want) {
				t.Errorf("%d: %v, want %v", i, err, x.want)
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d: %d bytes allocated", i, n)
		}
	}
	// A list with room for them takes as many slots as it has.
	roomy := stable.New[[1 << 12]byte](stable.Config{Seed: 1, Capacity: 75_000})
	b, _ := roomy.MarshalBinary()
	if err := new(stable.List[[1 << 12]byte]).UnmarshalBinary(b); !errors.Is(err, stable.ErrFull) {
		t.Errorf("300 MB for %d bytes: %v", len(b), err)
	}
	if err := roomy.UnmarshalBinary(b); err != nil || roomy.Cap() != 75_000 {
		t.Errorf("in its own memory: %v", err)
	}
	// Vacant slots cost little data. The bound holds as they arrive.
	far := stable.New[[1 << 12]byte](stable.Config{Seed: 1, Placement: stable.Quartered})
	if err := far.InsertAt(stable.KeyForTest[[1 << 12]byte, uint32](100_000, far.Insert([1 << 12]byte{}).ID()+1), [1 << 12]byte{}); err != nil {
		t.Fatal(err)
	}
	b, _ = far.MarshalBinary()
	far = nil
	var to stable.List[[1 << 12]byte]
	if err := to.Decode(bytes.NewReader(b), nil); !errors.Is(err, stable.ErrFull) {
		t.Errorf("512 MB for %d bytes: %v", len(b), err)
	}
}

// Under Quartered, the chains that are saved must be those of vacant slots.
func TestListChains(t *testing.T) {
	l := stable.New[uint64](stable.Config{Seed: 1, Placement: stable.Quartered, Capacity: 64})
	var ks []stable.ListKey[uint64]
	for i := range uint64(40) {
		ks = append(ks, l.Insert(i))
	}
	for _, i := range []int{3, 9, 7, 20, 16, 33} {
		l.Delete(ks[i])
	}
	good, _ := l.MarshalBinary()
	chain := len(good) - 3*4 - 3*8 - 6*4 // of the first part: 7, 9, 3
	put := func(at int, x uint32) []byte {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[chain+at:], x)
		return wiretest.Reseal(bad)
	}
	if err := l.UnmarshalBinary(put(0, 3)); err != nil || !bytes.Equal(put(0, 3), good) {
		t.Fatalf("%v\n%x", err, good[chain:])
	}
	// Slot 16, the first of the second part, is only in the chain of the first part.
	moved := append(bytes.Clone(good[:chain+28]), good[chain+32:]...)
	binary.LittleEndian.PutUint32(moved[chain+16:], 16)
	binary.LittleEndian.PutUint64(moved[chain+20:], 1)
	binary.LittleEndian.PutUint32(moved[8:], binary.LittleEndian.Uint32(moved[8:])-4)
	for i, data := range [][]byte{
		wiretest.Reseal(moved),
		put(0, 2),    // too short
		put(0, 4),    // too long
		put(4, 0),    // 1 << 32
		put(8, 8),    // a live slot
		put(8, 9),    // twice
		put(8, 16),   // the first one of another part
		put(8, 20),   // of another part
		put(12, 60),  // not touched
		put(12, 1e9), //
		put(16, 9),   //
	} {
		if i == 3 {
			continue
		}
		var to stable.List[uint64]
		err := to.Decode(bytes.NewReader(data), nil)
		if err2 := l.UnmarshalBinary(data); !errors.Is(err, stable.ErrCorrupt) || !errors.Is(err2, stable.ErrCorrupt) {
			t.Errorf("%d: %v, %v", i, err, err2)
		}
	}
	if k := l.Insert(0); k.Index() != 7 {
		t.Errorf("Insert = %v, want slot 7", k)
	}
}

// The last slot that was touched is live, unless nothing truncates, and no slot behind it is.
func TestListTouched(t *testing.T) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			c := stable.Config{Placement: p, Truncate: tr, Capacity: 128, Seed: 1}
			for _, n := range []int{41, 64} {
				l := stable.New[uint64](c)
				for i := range uint64(n) {
					l.Insert(i)
				}
				good, _ := l.MarshalBinary()
				at := contentsAt(good) + 7 + 2*4 + 18 // behind two identifiers
				for _, touched := range []int{n - 1, n, n + 1} {
					bad := bytes.Clone(good)
					binary.LittleEndian.PutUint64(bad[at:], uint64(touched))
					if touched > 64 { // another word, without live slots
						chains := 0
						if p >= stable.Quartered {
							chains = 3 * 8
						}
						k := len(bad) - 12 - chains
						bad = append(bad[:k:k], append(make([]byte, 8), bad[k:]...)...)
						binary.LittleEndian.PutUint32(bad[8:], binary.LittleEndian.Uint32(bad[8:])+8)
					}
					ok := touched == n ||
						touched > n && (p >= stable.Quartered || tr == berth.TruncateNever)
					var to stable.List[uint64]
					err := to.UnmarshalBinary(wiretest.Reseal(bad))
					if (err == nil) != ok || err != nil && !errors.Is(err, stable.ErrCorrupt) {
						t.Errorf("%+v: %d of %d slots live: %v", c, n, touched, err)
					}
					to.CheckInvariants()
				}
			}
		}
	}
}

// A counter of a loaded list never gives an identifier that is in use.
func TestListCounterChecked(t *testing.T) {
	l := stable.New[uint64](stable.Config{Seed: 1})
	l.AgeForTest(math.MaxUint32-2, math.MaxUint32-2)
	for range 5 { // to 3
		l.Insert(1)
	}
	good, _ := l.MarshalBinary()
	at := contentsAt(good) + 6
	for i, x := range []struct {
		last, first, flags uint32
		ok                 bool
	}{
		{3, math.MaxUint32 - 2, 3, true},
		{9, math.MaxUint32 - 2, 3, true},
		{2, math.MaxUint32 - 2, 3, false},
		{math.MaxUint32, math.MaxUint32 - 2, 3, false},
		{3, math.MaxUint32 - 1, 3, true},
		{3, math.MaxUint32, 3, false},
		{3, 1, 3, false},
		{0, math.MaxUint32 - 2, 3, false}, // zero, but said to be there
		{3, 0, 3, false},
		{3, math.MaxUint32 - 2, 7, false},
	} {
		bad := bytes.Clone(good)
		bad[at] = byte(x.flags)
		binary.LittleEndian.PutUint32(bad[at+1:], x.last)
		binary.LittleEndian.PutUint32(bad[at+5:], x.first)
		if err := l.UnmarshalBinary(wiretest.Reseal(bad)); (err == nil) != x.ok || err != nil && !errors.Is(err, stable.ErrCorrupt) {
			t.Errorf("%d: %v, want %v", i, err, x.ok)
		}
	}
	bad := append(bytes.Clone(good[:at+5]), good[at+9:]...) // no first one, but values
	bad[at] = 1
	binary.LittleEndian.PutUint32(bad[at+1:], math.MaxUint32)
	binary.LittleEndian.PutUint32(bad[8:], binary.LittleEndian.Uint32(bad[8:])-4)
	if err := l.UnmarshalBinary(wiretest.Reseal(bad)); !errors.Is(err, stable.ErrCorrupt) {
		t.Errorf("values of a counter that has not begun: %v", err)
	}
}

func FuzzListLoad(f *testing.F) {
	for _, b := range savedLists(f, 40) {
		f.Add(b)
	}
	b, _ := new(stable.List[padded]).MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) { hostile(t, wiretest.Reseal(data)) })
}
