package laws

import (
	"fmt"
	"io"
	"strings"
)

// Width is the number of columns of the printed table.
const Width = 100

// lawMarks maps Kept to its mark in a column of the table, and before an answer.
var lawMarks = map[string][2]string{
	"yes": {"y", "yes"}, "no": {"N", "NO"}, "partly": {"~", "~"}, "-": {"-", "-"},
}

// Print writes the table: first the marks of each collection, then the answers to each question.
func Print(w io.Writer, t *Table) {
	wide := 0
	for _, r := range t.Rows {
		wide = max(wide, len(r.Impl))
	}
	fmt.Fprintf(w, "%-*s", wide, "")
	for i := range t.Questions {
		fmt.Fprintf(w, " %2d", i+1)
	}
	fmt.Fprintln(w)
	for _, r := range t.Rows {
		fmt.Fprintf(w, "%-*s", wide, r.Impl)
		for _, c := range r.Cells {
			fmt.Fprintf(w, " %2s", lawMarks[c.Kept][0])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\ny, yes: kept; ~: in part; N, NO: not kept; -: not applicable. ",
		"All answers are test results:\n")
	for i, name := range t.Questions {
		fmt.Fprintf(w, "\n%d. %s\n", i+1, name)
		for _, a := range answersTo(t, i) {
			head := fmt.Sprintf("   %3s  ", lawMarks[a.cell.Kept][1])
			text := a.cell.Text + ": " + strings.Join(a.impls, ", ")
			printWrapped(w, head, text)
		}
	}
}

// answer is a cell with the collections that gave it.
type answer struct {
	cell  Cell
	impls []string
}

// answersTo returns the distinct answers to question i, the best first.
func answersTo(t *Table, i int) (as []answer) {
	at := map[Cell]int{}
	for _, kept := range []string{"yes", "partly", "no", "-"} {
		for _, r := range t.Rows {
			c := r.Cells[i]
			if c.Kept != kept {
				continue
			}
			k, ok := at[c]
			if !ok {
				k = len(as)
				at[c] = k
				as = append(as, answer{cell: c})
			}
			as[k].impls = append(as[k].impls, r.Impl)
		}
	}
	return as
}

// printWrapped writes text after head, and wraps it to further lines with the same indentation.
func printWrapped(w io.Writer, head, text string) {
	line, blank := head, true
	for word := range strings.FieldsSeq(text) {
		if !blank && len(line)+1+len(word) > Width {
			fmt.Fprintln(w, line)
			line, blank = strings.Repeat(" ", len(head)), true
		}
		if !blank {
			line += " "
		}
		line, blank = line+word, false
	}
	fmt.Fprintln(w, line)
}
