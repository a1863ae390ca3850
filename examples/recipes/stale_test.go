//go:build berth_poison

package recipes

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

func ExampleRename() {
	defer func() { fmt.Println("panic:", recover()) }()
	pool := berth.NewPool[User](berth.Config{Seed: 1})
	ada := pool.Insert(User{Name: "ada"})
	Rename(pool, ada, "Ada", func() { pool.Delete(ada) })
	pool.Insert(User{Name: "bob"})
	// Output:
	// panic: berth: write through a stale pointer to the value of 2654435769:1779033703
}
