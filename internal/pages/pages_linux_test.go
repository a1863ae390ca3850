package pages

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestSystemError(t *testing.T) {
	if large == 0 {
		t.Skip("an int is too small for this")
	}
	const n = math.MaxInt/2 + 1
	_, err := Reserve(n, false)
	if !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("Reserve(%d, false) = %v, want %v", n, err, syscall.ENOMEM)
	}
	want := fmt.Sprintf("pages: reserve %d bytes: cannot allocate memory", n)
	if err == nil || err.Error() != want {
		t.Errorf("Reserve(%d, false) = %v, want %s", n, err, want)
	}
}

// TestLocked makes the system refuse to give locked pages back.
func TestLocked(t *testing.T) {
	size := Size()
	r := reserveOrSkip(t, 4*size, false)
	must(t, "Commit", r.Commit(0, 4*size))
	if err := syscall.Mlock(r.Bytes()[size : 2*size]); err != nil {
		t.Skip("this system locks no memory: ", err)
	}
	err := r.Decommit(0, 4*size)
	if want := fmt.Sprintf("pages: decommit %d bytes: ", 4*size); !errors.Is(err, syscall.EINVAL) ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("Decommit(locked) = %v, want %s%v", err, want, syscall.EINVAL)
	}
	must(t, "Munlock", syscall.Munlock(r.Bytes()[size:2*size]))
	must(t, "Decommit", r.Decommit(0, 4*size))
}

// field returns a field of the system's description of the mapping that starts at b.
func field(t *testing.T, b []byte, name string) string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	start, here := fmt.Sprintf("%x-", address(b)), false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		here = here || strings.HasPrefix(lines.Text(), start)
		if rest, ok := strings.CutPrefix(lines.Text(), name+":"); ok && here {
			return strings.TrimSpace(rest)
		}
	}
	t.Skipf("no %s in /proc/self/smaps", name)
	return ""
}

// TestMemory checks the memory that the system counts for a region.
func TestMemory(t *testing.T) {
	for _, huge := range []bool{false, true} {
		r := reserveOrSkip(t, 512<<20, huge)
		b := r.Bytes()
		check := func(when, want string) {
			t.Helper()
			if got := field(t, b, "Rss"); got != want {
				t.Errorf("Rss %s = %s, want %s", when, got, want)
			}
		}
		check("of a reservation", "0 kB")
		must(t, "Commit", r.Commit(0, 8*HugeSize))
		check("of what is committed but not touched", "0 kB")
		fill(b[:8*HugeSize], 1)
		check("of what is touched", "16384 kB")
		t.Logf("Huge() = %v, AnonHugePages: %s", r.Huge(), field(t, b, "AnonHugePages"))
		must(t, "Decommit", r.Decommit(0, 8*HugeSize))
		check("of what is given back", "0 kB")
	}
}
