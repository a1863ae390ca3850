package recipes

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func ExampleFlock_Look() {
	f := NewFlock()
	for i := range 5 {
		f.birds.Insert(Bird{x: float64(i) * 0.4})
	}
	f.Look(0)
	for b := range f.birds.Values() {
		fmt.Print(b.close, " ")
	}
	fmt.Println(f.Crowded(0))
	// Output: 2 3 4 3 2 3
}

// fly returns a flock of n birds with some eight around each.
func fly(n int) *Flock {
	f, r := NewFlock(), rand.New(rand.NewPCG(1, 2))
	for range n {
		f.birds.Insert(Bird{x: r.Float64() * float64(n) / 50, y: r.Float64() * 20})
	}
	return f
}

// The result does not depend on the number of goroutines.
func TestLookAlike(t *testing.T) {
	f := fly(10_000)
	f.Look(1)
	var want []int
	for b := range f.birds.Values() {
		want = append(want, b.close)
	}
	crowded := f.Crowded(1)
	if crowded < 1000 || crowded > 9990 {
		t.Fatalf("%d birds are crowded", crowded)
	}
	for _, n := range []int{0, 2, 3} {
		f.Look(n)
		i := 0
		for b := range f.birds.Values() {
			if b.close != want[i] {
				t.Fatalf("%d goroutines: bird %d has %d around it, want %d", n, i, b.close, want[i])
			}
			i++
		}
		if got := f.Crowded(n); got != crowded {
			t.Errorf("%d goroutines: %d birds are crowded, want %d", n, got, crowded)
		}
	}
}
