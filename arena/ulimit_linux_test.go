//go:build linux && !race

package arena_test

// The race detector takes more addresses than any limit leaves.

import (
	"fmt"
	"math"
	"testing"
)

// Under an address limit, virtual arenas leave addresses for Go's heap.
func TestAddressesLast(t *testing.T) {
	kib := 4 << 20
	if math.MaxInt == math.MaxInt32 {
		kib = 1 << 20
	}
	out := child(t, "addresses", fmt.Sprintf(`ulimit -v %d; exec "$0"`, kib))
	var n int
	if _, err := fmt.Sscanf(out, "%d arenas\nalive\n", &n); err != nil || n < 100 || n >= kib>>10 {
		t.Errorf("%q, want hundreds of arenas", out)
	}
}
