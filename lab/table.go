package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// tableWidth is what a printed line keeps to.
const tableWidth = 100

// printTables prints the key metrics, a table per job and a row per implementation.
func printTables(w io.Writer, rec *recorder, ims []impl, jobs []job) {
	at := index(rec)
	for _, j := range jobs {
		runners := j.family.runners(j.w, ims)
		var metrics []string
		for _, m := range j.w.key {
			for _, im := range runners {
				if at[j.at(im.name, m)] != nil {
					metrics = append(metrics, m)
					break
				}
			}
		}
		if len(metrics) > 0 {
			fmt.Fprintf(w, "\n%s: %s\n%s; %s; ratio to %s\n",
				j.w.name, j.w.about, j.facts(), j.units(rec), j.family.baseline)
			printTable(w, at, runners, j, metrics)
			for _, note := range rec.notes(j) {
				fmt.Fprintln(w, note)
			}
		}
	}
	if len(at) > 0 {
		fmt.Fprint(w, "\nIn brackets: the ratio; less is better.\n"+
			"! marks a wrong checksum, ~ repetitions far apart.\n")
	}
}

// printTable prints the metrics in as few blocks as the width takes, and as evenly.
func printTable(w io.Writer, at map[place]*figure, ims []impl, j job, metrics []string) {
	cell := func(im impl, m string) string {
		return cellText(at[j.at(im.name, m)])
	}
	first := 0 // the column of names
	for _, im := range ims {
		first = max(first, len(im.name))
	}
	widths := make([]int, len(metrics))
	for i, m := range metrics {
		widths[i] = len(m)
		for _, im := range ims {
			widths[i] = max(widths[i], len(cell(im, m)))
		}
	}
	blocks := 1
	for !fits(first, widths, blocks) {
		blocks++
	}
	per := (len(metrics) + blocks - 1) / blocks
	for lo := 0; lo < len(metrics); lo += per {
		hi := min(lo+per, len(metrics))
		row := func(name string, text func(i int) string) {
			line := fmt.Sprintf("%-*s", first, name)
			for i := lo; i < hi; i++ {
				line += fmt.Sprintf("  %*s", widths[i], text(i))
			}
			fmt.Fprintln(w, strings.TrimRight(line, " "))
		}
		row("", func(i int) string { return metrics[i] })
		for _, im := range ims {
			row(im.name, func(i int) string { return cell(im, metrics[i]) })
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
func cellText(f *figure) string {
	if f == nil {
		return "-"
	}
	s := number(f.Value)
	if f.Ratio != nil {
		s += " (" + ratio(f.Ratio.Value) + ")"
	}
	if f.wide() {
		s += "~"
	}
	if !f.ChecksumOK {
		s += "!"
	}
	return s
}

// number writes a figure with three digits, and k, M or G for thousands, millions or more.
func number(v float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if math.Abs(v) < 9999.5 {
			break
		}
		v /= 1000
		unit = u
	}
	switch a := math.Abs(v); {
	case a >= 99.95:
		return fmt.Sprintf("%.0f%s", v, unit)
	case a >= 9.995:
		return fmt.Sprintf("%.1f%s", v, unit)
	}
	return fmt.Sprintf("%.2f%s", v, unit)
}

// ratio writes a quotient with two or three digits.
func ratio(q float64) string {
	switch {
	case q >= 9999.5:
		return number(q) + "x"
	case q >= 9.95:
		return fmt.Sprintf("%.0fx", q)
	case q >= 0.995:
		return fmt.Sprintf("%.1fx", q)
	case q < 0.01:
		return "<0.01x"
	}
	return fmt.Sprintf("%.2fx", q)
}
