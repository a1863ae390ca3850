package laws

// Exports for the tests of collections' answers, which are outside the package, since collections
// import laws.

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
