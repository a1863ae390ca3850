package berth_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
)

// budget is a Memory of so many bytes. It takes them from Go's heap, which puts a piece of a
// multiple of 8 bytes at a multiple of 8; one that asks the system would look the same from here.
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

// What holds Go pointers cannot lie where the collector does not look.
func ExampleMemory_pointers() {
	type enemy struct {
		Health int
		Name   string
	}
	defer func() { fmt.Println(recover()) }()
	berth.NewPool[enemy](berth.Config{Memory: &budget{left: 1 << 20}})
	// Output: berth: NewPool: Memory cannot hold Go pointers: enemy.Name: string
}
