package recipes

import "fmt"

func ExampleWorld_Fall() {
	w := NewWorld()
	stone, ball := w.rocks.Insert(Rock{}), w.rocks.Insert(Rock{})
	w.weights.Set(stone, 9)
	w.weights.Set(ball, 1)
	w.held.Set(ball, struct{}{})
	w.Fall(0.5)
	fmt.Println(*w.rocks.Ptr(stone), *w.rocks.Ptr(ball))
	// Output: {4.5} {0}
}
