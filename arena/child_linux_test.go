package arena_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/invariants"
)

// childEnv is the environment variable that tells a child process to run something other than the
// tests.
const childEnv = "BERTH_ARENA_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "mappings":
		useUp(4096, arena.VirtualConfig{})
	case "mappings of huge pages":
		useUp(4096, arena.VirtualConfig{HugePages: true})
	case "addresses":
		useUp(1<<20, arena.VirtualConfig{})
	}
}

// child runs this test binary again in a shell script, as "$0".
func child(t *testing.T, what, script string) string {
	t.Helper()
	c := exec.Command("sh", "-c", script, os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+what)
	out, err := c.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "alive\n") {
		if len(out) > 2000 {
			out = out[:2000]
		}
		t.Fatalf("%s: %v, and said: %s", what, err, out)
	}
	return string(out)
}

// useUp makes virtual arenas until NewVirtual fails, and then makes Go's heap grow.
func useUp(reserve int, c arena.VirtualConfig) {
	var all []*arena.Arena
	for {
		a, err := arena.NewVirtual(reserve, c)
		if err != nil {
			report(err, len(all))
			break
		}
		arena.New[int](a)
		all = append(all, a)
	}
	growHeap()
	for _, a := range all {
		if err := a.Release(); err != nil {
			fmt.Println("Release:", err)
		}
	}
	for range 10 {
		if _, err := arena.NewVirtual(reserve, c); err != nil {
			fmt.Println("NewVirtual after Release:", err)
		}
	}
	fmt.Println("alive")
}

func report(err error, n int) {
	if !errors.Is(err, arena.ErrNoSpace) {
		fmt.Println("not ErrNoSpace:", err)
	}
	fmt.Println(n, "arenas")
}

// growHeap takes 128 MiB of Go's heap, in small and large pieces.
func growHeap() {
	var keep [][]byte
	for range 64 {
		keep = append(keep, make([]byte, 1<<20))
	}
	for range 1 << 16 {
		keep = append(keep, make([]byte, 1<<10))
	}
	clear(keep)
}

// NewVirtual fails well before the system runs out of mappings, so that Go's heap can still grow.
func TestMappingsLast(t *testing.T) {
	if invariants.On {
		t.Skip("the checks of so many arenas take a minute, and do not change what the system refuses")
	}
	for what, most := range map[string]int{"mappings": 2, "mappings of huge pages": 4} {
		out := child(t, what, `exec "$0"`)
		var n int
		if _, err := fmt.Sscanf(out, "%d arenas\nalive\n", &n); err != nil ||
			n != systemMappings(t)/2/most && (n < 100 || math.MaxInt > math.MaxInt32) {
			t.Errorf("%s: %q, want %d arenas", what, out, systemMappings(t)/2/most)
		}
	}
}

// systemMappings returns the maximum number of mappings of a process.
func systemMappings(t *testing.T) (n int) {
	b, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err == nil {
		_, err = fmt.Sscan(string(b), &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
