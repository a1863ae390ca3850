//go:build berth_poison

package berth_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

// With the build tag berth_poison, a write through a pointer that was kept too long panics when the
// slot is reused:
//
//	go test -tags berth_poison ./...
func ExamplePool_stalePointer() {
	defer func() { fmt.Println(recover()) }()
	p := berth.NewPool[int](berth.Config{Seed: 1})
	h := p.Insert(1)
	kept := p.Ptr(h)
	p.Delete(h)
	*kept = 2 // the write is lost, or changes another value
	p.Insert(3)
	// Output: berth: write through a stale pointer to the value of 2654435769:1779033703
}
