package replay

// Default is recommended if no other container is clearly better.
const Default = "berth.Pool"

// container is one of the containers that a stream is replayed on.
type container struct {
	name, about string
	stale       string // what a stale handle does
	found       string // the noun for what it finds, if anything
	mind        string // the caveat of using it
	safe        bool   // a stale handle finds nothing, within the limits of forever
	forever     bool   // and without a limit on reuse
	pinned      bool   // values do not move while they live
	naive       bool   // plain Go
	ours        bool
	box         func(s Size, names int) box
}

// all lists the containers in order of preference: of two equally good ones, the first is taken.
var all = []*container{
	&poolKind, &denseKind, &firstFreeKind, &quarteredKind, &handlesKind,
	&mapKind, &ptrMapKind, &genpoolKind, &arkKind,
	&sliceKind, &ptrSliceKind,
}
