package laws

// Table holds the results of the laws: a row for each collection, a cell for each question.
type Table struct {
	Questions []string
	Rows      []Row
}

// Row holds the answers of one collection, in the order of the questions.
type Row struct {
	Impl  string
	Cells []Cell
}

// Cell is one answer. Kept is "yes", "no", "partly", or "-" if the question does not apply.
type Cell struct {
	Kept string
	Text string // in words
}
