package world

// Counts says what lives and what has happened.
type Counts struct {
	Ships, Enemies, Missiles, Particles int // that live

	Hits   uint64 // missiles that have hit
	Kills  uint64 // enemies that have died of it
	Lost   uint64 // how often a missile found its target gone
	Turned uint64 // how often it turned to another one
}

// add counts n more things of a sort.
func (c *Counts) add(s sort, n int) {
	switch s {
	case ship:
		c.Ships += n
	case enemy:
		c.Enemies += n
	case missile:
		c.Missiles += n
	default:
		c.Particles += n
	}
}
