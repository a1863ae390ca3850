package replay

// Default is the container that is taken where no other one is clearly better.
const Default = "berth.Pool"

// container is one of those that a stream is replayed against.
type container struct {
	name, about string
	stale       string // what a stale handle does
	found       string // what a stale handle finds, if it does
	mind        string // what one must mind who takes it
	safe        bool   // a stale handle finds nothing, but for what forever says
	forever     bool   // and that for ever
	pinned      bool   // values stay put while they live
	naive       bool   // plain Go
	ours        bool
	box         func(s Size, names int) box
}

// all is the containers in order of preference: of two that are as good, the first one is taken.
var all = []*container{
	&poolKind, &denseKind, &firstFreeKind, &quarteredKind, &handlesKind,
	&mapKind, &ptrMapKind, &genpoolKind, &arkKind,
	&sliceKind, &ptrSliceKind,
}
