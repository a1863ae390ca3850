package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

const description = `It runs workloads on collections, free lists, grids and arenas, checks what
each computed, prints tables, and writes report.html, results.json and the pictures of the report
into a folder. Without flags it takes about a minute and a half. Interrupted, it keeps what it has.

Examples:
   go run ./lab                                      all workloads, in brief
   go run ./lab -full                                all sizes and variants: half an hour
   go run ./lab -workload churn -impl '[]T,berth.Pool'
   go run ./lab -peers rust,cpp                      beside collections of other languages
   go run ./lab -workload basic -bench > new.txt     for benchstat
   go run ./lab list                                 what there is to choose from
   go run ./lab laws                                 what each collection keeps, asked of it
   go run ./lab replay lab/trace/testdata/missiles.trace
   go run ./lab model -live 5000 -burst 20000/10s -lifetime exp:2s -o my.trace

Exit codes: 0: all checksums right; 1: one was wrong, or a file could not be read or written; 2: the
command line was wrong; 130: interrupted, and what was measured has been written.`

// printList prints what there is to choose from.
func printList(w io.Writer, all measure.Catalogue) {
	for _, f := range all {
		fmt.Fprintf(w, "Implementations of %s:\n", strings.Join(names(f.Workloads), ", "))
		for _, im := range f.Impls {
			about := im.About
			if im.Variant {
				about = "(by name or -full) " + about
			}
			fmt.Fprintf(w, "  %-18s %s\n", im.Name, about)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "Workloads, and what -n counts in them:")
	for _, wl := range all.Works() {
		about := wl.About
		if wl.OnlyFull {
			about = "(by name or -full) " + about
		}
		fmt.Fprintf(w, "  %-22s %s\n", wl.Name, about)
		fmt.Fprintf(w, "  %-22s -n: %s, %s, at most %d\n",
			"", wl.NMeans, join(wl.Sizes(measure.Sizing{})), wl.MaxN)
	}
	fmt.Fprintf(w, "\nElements may take %d MiB at most, before what a collection adds to them.\n",
		measure.MaxHeld>>20)
}

// join writes numbers as in "1, 2, 3".
func join(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// names returns the names of workloads.
func names(ws []*measure.Workload) (names []string) {
	for _, w := range ws {
		names = append(names, w.Name)
	}
	return names
}
