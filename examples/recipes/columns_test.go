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

func ExampleParticles_Move() {
	s := NewParticles()
	a := s.Add(Particle{Name: "a"}, 1, 2)
	b := s.Add(Particle{Name: "b"}, 5, 0)
	s.rows.Remove(b)
	s.Move(0.5)
	fmt.Println(*s.pos.Ptr(a))
	// Output: 2
}

func ExampleStars_Move() {
	var s Stars
	vega := s.Insert(Star{X: 1, VX: 2, Name: "Vega"})
	mira := s.Insert(Star{X: 5, Name: "Mira"})
	s.Move(0.5)
	fmt.Println(s.Get(vega))
	s.Fade(4)
	fmt.Println(s.Contains(mira), s.Cols().Name)
	// Output:
	// {2 0 2 0 Vega} true
	// false [Vega]
}
