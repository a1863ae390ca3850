package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// tableWidth is what a printed line keeps to.
const tableWidth = 100

// printTables prints the key metrics, a table per job and a row per implementation.
func printTables(w io.Writer, rec *measure.Recorder, ims []measure.Impl, jobs []measure.Job) {
	at := measure.Index(rec)
	for _, j := range jobs {
		runners := j.Family.Runners(j.Workload, ims)
		var metrics []string
		for _, m := range j.Workload.Key {
			for _, im := range runners {
				if at[j.At(im.Name, m)] != nil {
					metrics = append(metrics, m)
					break
				}
			}
		}
		if sizes := grown(j.Workload, jobs); sizes != nil {
			if sizes[0] == j {
				printGrowth(w, rec, runners, sizes)
			}
			continue
		}
		if len(metrics) > 0 {
			fmt.Fprintf(w, "\n%s: %s\n%s; %s; ratio to %s\n",
				j.Workload.Name, j.Workload.About, j.Facts(), j.Units(rec), j.Family.Baseline)
			printTable(w, "", runners, metrics, func(im measure.Impl, k int) string {
				return cellText(at[j.At(im.Name, metrics[k])])
			})
			for _, note := range rec.Notes(j) {
				fmt.Fprintln(w, note)
			}
		}
	}
	if len(at) > 0 {
		fmt.Fprint(w, "\nIn brackets: the ratio; less is better.\n"+
			"! marks a wrong checksum, ~ repetitions far apart.\n")
	}
}

// printTable prints the columns in as few blocks as the width takes, and as evenly. corner stands
// above the names of the implementations.
func printTable(
	w io.Writer, corner string, ims []measure.Impl, columns []string,
	cell func(im measure.Impl, column int) string,
) {
	first := len(corner) // the column of names
	for _, im := range ims {
		first = max(first, len(im.Name))
	}
	widths := make([]int, len(columns))
	for i, name := range columns {
		widths[i] = len(name)
		for _, im := range ims {
			widths[i] = max(widths[i], len(cell(im, i)))
		}
	}
	blocks := 1
	for !fits(first, widths, blocks) {
		blocks++
	}
	per := (len(columns) + blocks - 1) / blocks
	for lo := 0; lo < len(columns); lo += per {
		hi := min(lo+per, len(columns))
		row := func(name string, text func(i int) string) {
			line := fmt.Sprintf("%-*s", first, name)
			for i := lo; i < hi; i++ {
				line += fmt.Sprintf("  %*s", widths[i], text(i))
			}
			fmt.Fprintln(w, strings.TrimRight(line, " "))
		}
		row(corner, func(i int) string { return columns[i] })
		for _, im := range ims {
			row(im.Name, func(i int) string { return cell(im, i) })
		}
	}
}

// fits reports whether columns of these widths, cut into so many blocks, each behind the first
// column, keep to the table's width.
func fits(first int, widths []int, blocks int) bool {
	per := (len(widths) + blocks - 1) / blocks
	for block := range slices.Chunk(widths, per) {
		total := first
		for _, width := range block {
			total += 2 + width
		}
		if total > tableWidth && per > 1 {
			return false
		}
	}
	return true
}

// cellText is a figure and its ratio to the baseline, as in "12.3 (1.5x)".
func cellText(f *measure.Figure) string {
	if f == nil {
		return "-"
	}
	s := Number(f.Value)
	if f.Ratio != nil {
		s += " (" + RatioText(f.Ratio.Value) + ")"
	}
	if f.Wide() {
		s += "~"
	}
	if !f.ChecksumOK {
		s += "!"
	}
	return s
}

// printGrowth prints a table for each metric of a workload, with a column for each of its sizes.
func printGrowth(w io.Writer, rec *measure.Recorder, ims []measure.Impl, jobs []measure.Job) {
	at, j := measure.Index(rec), jobs[0]
	about := fmt.Sprintf("\n%s: %s\n%s: %d bytes each; %s; ratio to %s\n",
		j.Workload.Name, j.Workload.About, j.Workload.NMeans, j.Elem, j.Units(rec),
		j.Family.Baseline)
	for _, metric := range j.Workload.Drawn.Growth {
		rows := having(at, ims, jobs, metric)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprint(w, about)
		about = ""
		printTable(w, metric, rows, sizeNames(jobs), func(im measure.Impl, k int) string {
			return cellText(at[jobs[k].At(im.Name, metric)])
		})
	}
}
