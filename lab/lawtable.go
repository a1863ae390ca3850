package main

// lawTable is what the collections answered when they were asked what they keep: a row for each,
// a cell for each question.
type lawTable struct {
	Questions []string
	Rows      []lawRow
}

// lawRow is the answers of one collection, in the order of the questions.
type lawRow struct {
	Impl  string
	Cells []lawCell
}

// lawCell is one answer. Kept is "yes", "no", "partly", or "-" where the question has no sense.
type lawCell struct {
	Kept string
	Text string // in words
}
