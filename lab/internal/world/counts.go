package world

// Counts holds the numbers of live things and of past events.
type Counts struct {
	Ships, Enemies, Missiles, Particles int // live

	Hits   uint64 // missiles that have hit
	Kills  uint64 // enemies that were killed
	Lost   uint64 // lookups of a missile's target that found nothing
	Turned uint64 // missiles that turned to another target
}

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
