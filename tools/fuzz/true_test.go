//go:build berth_long

package main

import (
	"strings"
	"testing"
	"time"
)

// TestFuzz fuzzes. For that, the go command compiles once more all packages that a test has.
func TestFuzz(t *testing.T) {
	write(t, sound+broken)
	var out strings.Builder
	err := fuzzAll([]string{"."}, time.Second, 2, &out)
	if err == nil || err.Error() != "fake FuzzBroken: exit status 1" {
		t.Errorf("fuzzAll: got error %v, want the status of FuzzBroken; it printed:\n%s", err, &out)
	}
}
