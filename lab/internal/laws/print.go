package laws

import (
	"fmt"
	"io"
	"strings"
)

// lawsWidth is how many columns the printed table takes.
const lawsWidth = 100

// lawMarks is how the table shows what is kept: in a column of its own, and before the words.
var lawMarks = map[string][2]string{
	"yes": {"y", "yes"}, "no": {"N", "NO"}, "partly": {"~", "~"}, "-": {"-", "-"},
}

// Print writes the table: first who keeps what, in marks; then each question, and who answered
// it how.
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
	fmt.Fprint(w, "\ny, yes: kept; ~: in part; N, NO: not; -: nothing to keep. ",
		"All was asked, and nothing looked up:\n")
	for i, name := range t.Questions {
		fmt.Fprintf(w, "\n%d. %s\n", i+1, name)
		for _, a := range answersTo(t, i) {
			head := fmt.Sprintf("   %3s  ", lawMarks[a.cell.Kept][1])
			text := a.cell.Text + ": " + strings.Join(a.impls, ", ")
			printWrapped(w, head, text)
		}
	}
}

// answer is a cell, and all who gave it.
type answer struct {
	cell  Cell
	impls []string
}

// answersTo returns the answers to question i, the best first, each once.
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

// printWrapped writes text behind head, and on as many more lines as it takes, as far in as there.
func printWrapped(w io.Writer, head, text string) {
	line, blank := head, true
	for _, word := range strings.Fields(text) {
		if !blank && len(line)+1+len(word) > lawsWidth {
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
