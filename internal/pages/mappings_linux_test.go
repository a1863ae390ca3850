package pages

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// mapped returns the number of mappings that have an address in b.
func mapped(t *testing.T, b []byte) int {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		if from < address(b)+uintptr(len(b)) && to > address(b) {
			n++
		}
	}
	return n
}

// ceiling allows regions n more mappings than they have now, until the test ends.
func ceiling(t *testing.T, n int64) {
	was := maxMappings
	most := int(mappings.Load() + n)
	maxMappings = func() int { return most }
	t.Cleanup(func() { maxMappings = was })
}

// A region never has more mappings in the system than are counted.
func TestMappingsCounted(t *testing.T) {
	for _, huge := range []bool{false, true} {
		before := mappings.Load()
		r := reserveOrSkip(t, 64*Size(), huge)
		rnd := rand.New(rand.NewPCG(1, 1))
		most := 0
		for step := range 200 {
			from := rnd.IntN(64)
			to := from + rnd.IntN(min(5, 65-from))
			do, name := r.Commit, "Commit"
			if rnd.IntN(2) == 0 {
				do, name = r.Decommit, "Decommit"
			}
			must(t, name, do(from*Size(), to*Size()))
			got := int(mappings.Load() - before)
			if n := mapped(t, r.whole); n > got || n < got-3 {
				t.Fatalf("step %d: %d mappings, counted as %d", step, n, got)
			}
			most = max(most, got)
		}
		if most < 20 {
			t.Errorf("%d mappings at most, want more to count", most)
		}
		must(t, "Release", r.Release())
		if n := mappings.Load(); n != before {
			t.Errorf("%d mappings are counted after Release, want %d", n, before)
		}
	}
}

func TestMappingsUsedUp(t *testing.T) {
	ceiling(t, 4)
	size := Size()
	a := reserveOrSkip(t, 8*size, false)
	b := reserveOrSkip(t, 8*size, false)
	must(t, "Commit", a.Commit(0, 8*size)) // one stretch, which is already counted
	must(t, "Commit", b.Commit(0, size))
	want := func(what string, err error, text string) {
		t.Helper()
		if !errors.Is(err, errMappings) || err.Error() != text+errMappings.Error() {
			t.Errorf("%s = %v, want %s%v", what, err, text, errMappings)
		}
	}
	for range 3 {
		_, err := Reserve(size, false)
		want("Reserve", err, fmt.Sprintf("pages: reserve %d bytes: ", size))
	}
	want("Commit", b.Commit(4*size, 5*size), fmt.Sprintf("pages: commit %d bytes: ", size))
	fill(a.Bytes(), 7)
	want("Decommit", a.Decommit(size, 3*size), fmt.Sprintf("pages: decommit %d bytes: ", 2*size))
	must(t, "Commit", a.Commit(size, 3*size))
	if i := odd(a.Bytes()[size:3*size], 0); i >= 0 {
		t.Errorf("byte %d is unchanged, want memory given back", i)
	}
	if i := odd(a.Bytes()[3*size:], 7); i >= 0 {
		t.Errorf("byte %d is lost", i)
	}
	must(t, "Release", b.Release())
	must(t, "Decommit", a.Decommit(size, 3*size))
	must(t, "Commit", a.Commit(size, 3*size))
	_, err := Reserve(size, true) // which takes two more
	want("Reserve", err, fmt.Sprintf("pages: reserve %d bytes: ", size))
	reserveOrSkip(t, size, false)
}

// A call that the system refuses leaves the count unchanged.
func TestMappingsRefused(t *testing.T) {
	size := Size()
	r := reserveOrSkip(t, 16*size, false)
	must(t, "Commit", r.Commit(0, 8*size))
	hole := address(r.Bytes()[12*size:])
	if _, _, err := syscall.Syscall(syscall.SYS_MUNMAP, hole, uintptr(size), 0); err != 0 {
		t.Fatal("munmap:", err)
	}
	before := mappings.Load()
	if err := r.Commit(10*size, 13*size); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("Commit with a hole = %v, want %v", err, syscall.ENOMEM)
	}
	if n := mappings.Load(); n != before {
		t.Errorf("%d mappings are counted after a refused Commit, want %d", n, before)
	}
	if err := r.Decommit(4*size, 13*size); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("Decommit with a hole = %v, want %v", err, syscall.ENOMEM)
	}
	if n := mappings.Load(); n != before {
		t.Errorf("%d mappings are counted after errors, want %d", n, before)
	}
	must(t, "Commit", r.Commit(0, 8*size))
	must(t, "Decommit", r.Decommit(2*size, 4*size))
	if n := mappings.Load(); n != before+2 {
		t.Errorf("%d mappings are counted, want %d", n, before+2)
	}
}

func TestHalfOf(t *testing.T) {
	for s, want := range map[string]int{
		"65530\n": 32765, "1048576\n": 524288, "": 32765, "many": 32765, "0": 32765, "-8": 32765,
	} {
		if got := halfOf(s); got != want {
			t.Errorf("halfOf(%q) = %d, want %d", s, got, want)
		}
	}
	if got := maxMappings(); got < 1000 {
		t.Errorf("maxMappings() = %d, want thousands", got)
	}
}

// If addresses are limited, an eighth of the limit stays free.
func TestAddressesLimited(t *testing.T) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size uint64
	if _, err := fmt.Sscan(string(b), &size); err != nil {
		t.Fatal(err)
	}
	const room = 256 << 20
	var was syscall.Rlimit
	must(t, "Getrlimit", syscall.Getrlimit(syscall.RLIMIT_AS, &was))
	l := was
	l.Cur = (size*uint64(Size()) + room) / 7 * 8
	must(t, "Setrlimit", syscall.Setrlimit(syscall.RLIMIT_AS, &l))
	defer func() { must(t, "Setrlimit", syscall.Setrlimit(syscall.RLIMIT_AS, &was)) }()
	before := mappings.Load()
	r, err := Reserve(room/2, false)
	must(t, "Reserve", err)
	defer func() { must(t, "Release", r.Release()) }()
	for range 3 {
		n := room/2 + int(l.Cur/16)
		if _, err := Reserve(n, false); !errors.Is(err, errAddresses) {
			t.Errorf("Reserve(%d) = %v, want %v", n, err, errAddresses)
		}
	}
	if n := mappings.Load(); n != before+2 {
		t.Errorf("%d mappings are counted, want %d", n, before+2)
	}
}
