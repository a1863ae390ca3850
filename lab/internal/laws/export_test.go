package laws

// What the tests of what collections answer need, which lie outside, since collections import laws.

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
