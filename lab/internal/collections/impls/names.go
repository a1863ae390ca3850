package impls

import "github.com/seed505807e1/berth/lab/internal/collections"

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
