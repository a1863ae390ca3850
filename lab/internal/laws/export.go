package laws

// Names for the tests of collections' answers. Those are in a package of their own: collections
// import laws, so tests here would compile all of them once more.

type Question = question

func (q question) ID() string { return q.id }

var (
	Questions             = questions
	Yes, No, None, Partly = yes, no, none, partly
	AskerOf               = askerOf
)

const (
	Another    = another
	TheOld     = theOld
	Nothing    = nothing
	NoPointers = noPointers
	Width      = lawsWidth
)
