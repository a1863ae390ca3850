package world

import "slices"

const (
	storyThings = 100_000
	storyCalm   = 150 // steps
)

// Story returns s with one event instead of its own: a burst to at least 100 000 things. It comes
// after the world has been steady for 150 steps, so that there is a state before it. A lifetime
// later its things are gone, and the memory that each container still holds can be compared with
// that state. A scene that is large enough by itself gets no burst.
func (s Scene) Story() Scene {
	bursts := max(0, (storyThings-s.Spawn*s.Life+Burst-1)/Burst)
	// The last of the initial particles live for 3/2 of the mean.
	e := Event{Step: uint32(3*s.Life/2 + storyCalm), Op: OpBurst}
	s.Events = slices.Repeat([]Event{e}, bursts)
	return s
}
