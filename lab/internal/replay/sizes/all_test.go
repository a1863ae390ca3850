//go:build lab_all_sizes && !race

package sizes

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/replay"
)

// TestAll checks that no value is replayed at a much larger size than its own.
func TestAll(t *testing.T) {
	var bytes []int
	for _, s := range All {
		bytes = append(bytes, s.Bytes)
	}
	slices.Sort(bytes)
	for i, n := range bytes[1:] {
		if last := bytes[i]; n != last+8 && (n <= last || n-last > last/4) {
			t.Errorf("%d bytes come after %d: more than a word and a quarter", n, last)
		}
	}
	if bytes[0] != 8 || bytes[len(bytes)-1] != replay.MaxBytes || !slices.Contains(bytes, 80) {
		t.Errorf("sizes are %d", bytes)
	}
}
