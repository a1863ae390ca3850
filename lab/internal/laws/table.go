package laws

// Table is what the collections answered when they were asked what they keep: a row for each,
// a cell for each question.
type Table struct {
	Questions []string
	Rows      []Row
}

// Row is the answers of one collection, in the order of the questions.
type Row struct {
	Impl  string
	Cells []Cell
}

// Cell is one answer. Kept is "yes", "no", "partly", or "-" where the question has no sense.
type Cell struct {
	Kept string
	Text string // in words
}
