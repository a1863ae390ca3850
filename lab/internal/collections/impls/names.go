package impls

import "github.com/seed505807e1/berth/lab/internal/collections"

// A type whose name ends in Of has those methods of a collection that do not depend on the type of
// its values. Its methods remove and removeAt return the call that removes a value inside a loop,
// and that of removeAt returns the rest. crossTwoKey is the loop for collections that never return
// two values at once: two lookups a pair.

// Short names of what the implementations hold.
type (
	pad         = collections.Pad
	none        = collections.None
	words3      = collections.Words3
	words15     = collections.Words15
	array3      = collections.Array3
	ptrs        = collections.Pointers
	elem[P pad] = collections.Elem[P]
	collider    = collections.Collider
	mortal      = collections.Mortal
	particles   = collections.Particles
	colliders   = collections.Colliders
	mortals     = collections.Mortals
)
