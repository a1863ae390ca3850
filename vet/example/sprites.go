// Package example has a container with the directives that berthvet reads. testdata/misuse has a
// program that uses it wrongly, and what is reported for that.
package example

// An ID refers to a sprite.
type ID int

// A Sprite is a picture at a position.
type Sprite struct {
	X, Y    int
	Picture string
}

// Sprites is a slice of sprites that reuses its vacant elements.
type Sprites struct {
	all  []Sprite
	free []ID
}

// Add adds a sprite and returns its ID.
//
// Ends: pointers from At, if the slice grows.
//
//berth:issues r0
//berth:ends all
func (s *Sprites) Add(x Sprite) ID {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free, s.all[id] = s.free[:n-1], x
		return id
	}
	s.all = append(s.all, x)
	return ID(len(s.all) - 1)
}

// At returns a pointer to a sprite.
//
//berth:lends r0 by id
//berth:asks id
func (s *Sprites) At(id ID) *Sprite { return &s.all[id] }

// Delete deletes a sprite.
//
// Ends: id, and pointers to this sprite.
//
//berth:asks id
//berth:ends by id
func (s *Sprites) Delete(id ID) {
	s.all[id] = Sprite{}
	s.free = append(s.free, id)
}

// All returns all sprites, as a slice that is valid until Add.
//
//berth:lends r0
func (s *Sprites) All() []Sprite { return s.all }

// Store is what a game needs of a container. Methods of interfaces may have directives too. Then
// calls through the interface are checked.
type Store interface {
	// Add may move the sprites.
	//
	//berth:issues r0
	//berth:ends all
	Add(Sprite) ID
	// At is a pointer until Add.
	//
	//berth:lends r0 by id
	At(id ID) *Sprite
}

var _ Store = (*Sprites)(nil)
