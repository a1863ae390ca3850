//go:build berth_poison

package stable_test

import (
	"fmt"

	"github.com/seed505807e1/berth/stable"
)

// A pointer is kept past the removal of its value, and written through. With the build tag
// berth_poison the list finds the write when the slot is used again.
func Example_stalePointer() {
	l := stable.New[int](stable.Config{Seed: 1})
	k := l.Insert(100)
	health := l.Ptr(k)
	l.Remove(k)
	*health = 3 // too late: its value is removed

	defer func() { fmt.Println(recover()) }()
	l.Insert(80)
	// Output: stable: write through a stale pointer to the value of 0:2654435770
}
