// Command misuse keeps pointers too long.
package main

import "github.com/seed505807e1/berth/vet/example"

type Game struct {
	sprites example.Sprites
	player  example.ID
}

// shoot adds a bullet where the player is, and turns the player's picture.
func (g *Game) shoot() {
	p := g.sprites.At(g.player)
	g.sprites.Add(example.Sprite{X: p.X, Picture: "bullet"})
	p.Picture = "shooting"
}

// explode replaces a sprite.
func (g *Game) explode(id example.ID) {
	s := g.sprites.At(id)
	g.sprites.Delete(id)
	s.Picture = "smoke"
}

// spawn adds sprites, which moves those that are there. Its callers need not know.
func (g *Game) spawn(n int) {
	for i := range n {
		g.sprites.Add(example.Sprite{X: i})
	}
}

// wave has a pointer while it calls spawn.
func (g *Game) wave() {
	boss := g.sprites.At(g.player)
	g.spawn(10)
	boss.Y = 100
}

// raise does not see the change in the slice, since the loop copies.
func (g *Game) raise() {
	for _, s := range g.sprites.All() {
		s.Y++
	}
}

// through has the container as an interface.
func through(s example.Store, id example.ID) {
	p := s.At(id)
	s.Add(example.Sprite{})
	p.X++
}

func main() {
	var g Game
	g.player = g.sprites.Add(example.Sprite{Picture: "ship"})
	g.shoot()
	g.wave()
	g.raise()
	through(&g.sprites, g.player)
	g.explode(g.player)
	println(g.sprites.At(g.player).Picture)
}
