package berth_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
)

// budget is a Memory of limited size. It takes its bytes from Go's heap, which aligns pieces of a
// multiple of 8 bytes to 8. A Memory that uses system calls would have the same methods.
type budget struct{ left int }

var errBudget = errors.New("over budget")

func (b *budget) Alloc(size, _ int) ([]byte, error) {
	if size > b.left {
		return nil, errBudget
	}
	b.left -= size
	return make([]byte, size), nil
}

func (b *budget) Free(p []byte) { b.left += len(p) }

func ExampleMemory() {
	type particle struct{ X, Y, DX, DY float32 }
	mem := &budget{left: 1 << 20}
	p := berth.NewPool[particle](berth.Config{Memory: mem})
	var err error
	for err == nil {
		_, err = p.TryInsert(particle{DX: 1})
	}
	fmt.Println(err)
	fmt.Println(errors.Is(err, berth.ErrFull), errors.Is(err, errBudget))
	fmt.Println(p.Len() > 40_000, mem.left < 1<<14)

	p.Clear()
	p.Clip()
	fmt.Println(mem.left == 1<<20)
	// Output:
	// berth: full: over budget
	// true true
	// true true
	// true
}

// Values with Go pointers cannot lie in memory that the collector does not scan.
func ExampleMemory_pointers() {
	type enemy struct {
		Health int
		Name   string
	}
	defer func() { fmt.Println(recover()) }()
	berth.NewPool[enemy](berth.Config{Memory: &budget{left: 1 << 20}})
	// Output: berth: NewPool: Memory cannot hold Go pointers: enemy.Name: string
}
