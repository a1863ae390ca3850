package pages

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// large is 64 GiB, or 0 if an int cannot hold that.
const large = (64 << 30) * (strconv.IntSize / 64)

func reserveOrSkip(tb testing.TB, n int, huge bool) *Region {
	tb.Helper()
	if !Supported {
		tb.Skip("this system cannot reserve addresses")
	}
	if n == 0 {
		tb.Skip("an int is too small for this")
	}
	r, err := Reserve(n, huge)
	if err != nil {
		tb.Fatalf("Reserve(%d, %v) = %v, want no error", n, huge, err)
	}
	tb.Cleanup(func() {
		if err := r.Release(); err != nil {
			tb.Errorf("Release() = %v, want no error", err)
		}
	})
	return r
}

func must(tb testing.TB, call string, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s = %v, want no error", call, err)
	}
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// odd returns the first index at which b is not want, or -1.
func odd(b []byte, want byte) int {
	for i, got := range b {
		if got != want {
			return i
		}
	}
	return -1
}

//go:noinline
func load(b []byte, i int) byte { return b[i] }

//go:noinline
func store(b []byte, i int) { b[i] = 1 }

// faults reports whether access faults at the address of b[i].
func faults(b []byte, i int, access func()) bool {
	done := make(chan bool)
	go func() {
		debug.SetPanicOnFault(true)
		defer func() {
			fault, ok := recover().(interface{ Addr() uintptr })
			done <- ok && fault.Addr() == address(b[i:])
		}()
		access()
	}()
	return <-done
}

func wantFaults(t *testing.T, what string, b []byte, i int) {
	t.Helper()
	if !faults(b, i, func() { load(b, i) }) {
		t.Errorf("load of %s = no fault, want one", what)
	}
	if !faults(b, i, func() { store(b, i) }) {
		t.Errorf("store to %s = no fault, want one", what)
	}
}

func TestReserve(t *testing.T) {
	size := Size()
	for _, c := range []struct {
		n    int
		huge bool
		len  int
	}{
		{1, false, size},
		{size, false, size},
		{size + 1, false, 2 * size},
		{100 * size, false, 100 * size},
		{1, true, HugeSize},
		{HugeSize, true, HugeSize},
		{HugeSize + 1, true, 2 * HugeSize},
		{64 << 20, true, 64 << 20},
	} {
		t.Run(fmt.Sprintf("n=%d/huge=%v", c.n, c.huge), func(t *testing.T) {
			align := size
			if c.huge {
				align = HugeSize
			}
			// There are several at once, so that not all are aligned by chance.
			for range 4 {
				r := reserveOrSkip(t, c.n, c.huge)
				b := r.Bytes()
				if r.Len() != c.len || len(b) != c.len || cap(b) != c.len {
					t.Errorf("Len, len, cap = %d, %d, %d, want %d",
						r.Len(), len(b), cap(b), c.len)
				}
				if n := len(r.whole); n < c.len+align {
					t.Errorf("%d bytes are reserved: the worst place leaves no guard page", n)
				}
				if got := address(b) % uintptr(align); got != 0 {
					t.Errorf("address %% %d = %d, want 0", align, got)
				}
				if r.Huge() && !c.huge {
					t.Error("Huge() = true, want false: it was not asked for")
				}
				must(t, "Commit", r.Commit(0, c.len))
				b[0], b[c.len-1] = 1, 1
				behind := int(address(b)-address(r.whole)) + c.len
				wantFaults(t, "the first byte behind", r.whole, behind)
				wantFaults(t, "the last byte of the guard", r.whole, behind+size-1)
			}
		})
	}
}

func TestReserveErrors(t *testing.T) {
	for _, c := range []struct {
		n    int
		huge bool
	}{
		{math.MinInt, false}, {-1, false}, {0, false},
		{math.MinInt, true}, {-1, true}, {0, true},
		// These overflow when they are rounded up, or with the bytes that are added.
		{math.MaxInt, false}, {math.MaxInt - Size() + 1, false}, {math.MaxInt - Size(), false},
		{math.MaxInt - 2*Size() + 2, false},
		{math.MaxInt, true}, {math.MaxInt - HugeSize + 1, true}, {math.MaxInt - HugeSize, true},
		{math.MaxInt - 2*HugeSize + 2, true},
	} {
		n, huge := c.n, c.huge
		r, err := Reserve(n, huge)
		if err == nil || r != nil {
			t.Fatalf("Reserve(%d, %v) = %p, %v, want nil and an error", n, huge, r, err)
		}
		start := fmt.Sprintf("pages: reserve %d bytes: ", n)
		if !strings.HasPrefix(err.Error(), start) {
			t.Errorf("Reserve(%d, %v) = %q, want it to begin with %q", n, huge, err, start)
		}
		if got := errors.Is(err, errors.ErrUnsupported); got == Supported {
			t.Errorf("errors.Is(%v, ErrUnsupported) = %v, want %v", err, got, !Supported)
		}
	}
}

// TestAligned does not depend on a system that places a region badly.
func TestAligned(t *testing.T) {
	whole := make([]byte, 1<<10)
	for _, align := range []int{1, 2, 16, 64, 256} {
		for from := range 2*align + 1 {
			const n = 100
			b := aligned(whole[from:], n, align)
			skip := int(address(b) - address(whole[from:]))
			if len(b) != n || cap(b) != n || address(b)%uintptr(align) != 0 || skip >= align {
				t.Fatalf("aligned(whole[%d:], %d, %d) = len %d, cap %d, %d bytes on, "+
					"want len and cap %[2]d at the first multiple of %[3]d",
					from, n, align, len(b), cap(b), skip)
			}
		}
	}
}

// TestReserveMost reserves sizes that only the system can refuse.
func TestReserveMost(t *testing.T) {
	if !Supported {
		t.Skip("this system cannot reserve addresses")
	}
	n := math.MaxInt - 3*HugeSize
	var err error
	for range 8 { // a 32-bit process may have room for one of them
		var r *Region
		if r, err = Reserve(n, false); err != nil {
			break
		}
		defer r.Release() //nolint:errcheck // the end of the test
	}
	if err == nil || errors.Unwrap(err) == nil || errors.Is(err, errLarge) {
		t.Errorf("Reserve(%d, false) = %v, want an error of the system", n, err)
	}
}

func TestReserveLarge(t *testing.T) {
	for _, huge := range []bool{false, true} {
		t.Run(fmt.Sprintf("huge=%v", huge), func(t *testing.T) {
			r := reserveOrSkip(t, large, huge)
			b := r.Bytes()
			for _, from := range []int{0, large / 2, large - HugeSize} {
				must(t, "Commit", r.Commit(from, from+HugeSize))
				part := b[from : from+HugeSize]
				if i := odd(part, 0); i >= 0 {
					t.Errorf("byte %d of %d after Commit = %d, want 0", i, from, part[i])
				}
				fill(part, 7)
			}
			wantFaults(t, "a byte between", b, large/2-1)
		})
	}
}

// TestRandom compares a region with the expected contents of every page.
func TestRandom(t *testing.T) {
	size, rnd := Size(), rand.New(rand.NewPCG(1, 2))
	const count = 32
	for _, huge := range []bool{false, true} {
		r := reserveOrSkip(t, count*size, huge)
		b := r.Bytes()
		var usable [count]bool
		var want [count]byte
		for step := range 2000 {
			from := rnd.IntN(count + 1)
			to := from + rnd.IntN(count+1-from)
			commits := rnd.IntN(2) == 0
			if commits {
				must(t, "Commit", r.Commit(from*size, to*size))
			} else {
				must(t, "Decommit", r.Decommit(from*size, to*size))
			}
			for i := from; i < to; i++ {
				usable[i] = commits
				if !commits {
					want[i] = 0
				}
			}
			for i := range count {
				if !usable[i] {
					continue
				}
				for _, at := range []int{0, rnd.IntN(size), size - 1} {
					if got := b[i*size+at]; got != want[i] {
						t.Fatalf("step %d: byte %d of page %d = %d, want %d", step, at, i, got, want[i])
					}
				}
				if rnd.IntN(4) == 0 {
					want[i] = byte(1 + rnd.IntN(255))
					fill(b[i*size:(i+1)*size], want[i])
				}
			}
			i := rnd.IntN(count)
			if step%50 == 0 && !usable[i] {
				wantFaults(t, "a page not committed", b, i*size)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	size := Size()
	r := reserveOrSkip(t, 4*size, false)
	for _, c := range []struct{ from, to int }{
		{-size, size}, {0, 5 * size}, {2 * size, size}, {1, size}, {0, size - 1},
		{5 * size, 5 * size}, {-size, -size}, {0, math.MaxInt}, {math.MinInt, 0},
	} {
		for _, call := range []struct {
			name string
			f    func(from, to int) error
		}{{"Commit", r.Commit}, {"Decommit", r.Decommit}} {
			func() {
				want := fmt.Sprintf("pages: %s(%d, %d): ", call.name, c.from, c.to)
				defer func() {
					if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
						t.Errorf("%s(%d, %d) panics with %q, want a text that begins with %q",
							call.name, c.from, c.to, got, want)
					}
				}()
				err := call.f(c.from, c.to)
				t.Errorf("%s(%d, %d) = %v, want a panic", call.name, c.from, c.to, err)
			}()
		}
	}
	for _, at := range []int{0, 2 * size, 4 * size} {
		must(t, "Commit of nothing", r.Commit(at, at))
		must(t, "Decommit of nothing", r.Decommit(at, at))
	}
	wantFaults(t, "a byte after a Commit of nothing", r.Bytes(), 0)
}

func TestRelease(t *testing.T) {
	for _, huge := range []bool{false, true} {
		r := reserveOrSkip(t, 4*HugeSize, huge)
		must(t, "Commit", r.Commit(0, HugeSize))
		fill(r.Bytes()[:HugeSize], 1)
		for range 2 {
			must(t, "Release", r.Release())
			if r.Bytes() != nil || r.Len() != 0 || r.Huge() {
				t.Errorf("after Release: Bytes, Len, Huge = %d bytes, %d, %v, want none, 0, false",
					len(r.Bytes()), r.Len(), r.Huge())
			}
		}
		must(t, "Commit of nothing", r.Commit(0, 0))
	}
	var zero Region
	must(t, "Release of the zero Region", zero.Release())
}

// TestReleaseGivesAddresses reserves more addresses in sum than a process has.
func TestReleaseGivesAddresses(t *testing.T) {
	if !Supported {
		t.Skip("this system cannot reserve addresses")
	}
	for range 4096 {
		r, err := Reserve(max(large, 256<<20), true)
		must(t, "Reserve", err)
		must(t, "Release", r.Release())
	}
}

// TestGiven simulates a system that keeps all contents, which is the worst case.
func TestGiven(t *testing.T) {
	const count, size = 24, 8
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var g given
		mem := make([]byte, count*size)
		want := make([]byte, count)
		usable := make([]bool, count)
		for range 60 {
			from := rnd.IntN(count)
			to := from + 1 + rnd.IntN(count-from)
			commits := rnd.IntN(2) == 0
			if commits {
				g.commit(mem, from*size, to*size, size)
			} else {
				g.decommit(from*size, to*size, size)
			}
			for i := from; i < to; i++ {
				usable[i] = commits
				if !commits {
					want[i] = 0
				}
			}
			for i := range count {
				page := mem[i*size : (i+1)*size]
				if !usable[i] {
					continue
				}
				if k := odd(page, want[i]); k >= 0 {
					t.Fatalf("byte %d of page %d = %d, want %d", k, i, page[k], want[i])
				}
				want[i] = byte(rnd.Uint32())
				fill(page, want[i])
			}
		}
	}
}

// TestGivenFresh checks that a page that was never committed is not cleared, and so not touched.
func TestGivenFresh(t *testing.T) {
	const size = 8
	var g given
	mem := make([]byte, 8*size)
	fill(mem, 9)
	g.commit(mem, 0, size, size)
	g.commit(mem, 4*size, 5*size, size)
	g.decommit(0, 8*size, size)
	g.commit(mem, 0, 8*size, size)
	for i, want := range []byte{0, 9, 9, 9, 0, 9, 9, 9} {
		if k := odd(mem[i*size:(i+1)*size], want); k >= 0 {
			t.Errorf("byte %d of page %d = %d, want %d", k, i, mem[i*size+k], want)
		}
	}
}

func TestSize(t *testing.T) {
	if n := Size(); n <= 0 || n&(n-1) != 0 || HugeSize%n != 0 {
		t.Errorf("Size() = %d, want a power of two that divides %d", n, HugeSize)
	}
}
