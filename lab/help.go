package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

const description = `Lab benchmarks collections, free lists, grids and arenas, checks what each
computed, prints tables, and writes report.html, results.json and the charts of the report into a
folder. Without flags it takes about a minute and a half. After an interrupt it keeps the results so
far.

Examples:
   go run ./lab                                      all workloads, in brief
   go run ./lab -full                                all sizes and variants: half an hour
   go run ./lab -workload churn -impl '[]T,berth.Pool'
   go run ./lab -peers rust,cpp                      with collections of other languages
   go run ./lab -workload basic -bench > new.txt     for benchstat
   go run ./lab list                                 implementations and workloads
   go run ./lab laws                                 the laws that each collection keeps
   go run ./lab replay lab/trace/testdata/missiles.trace
   go run ./lab model -live 5000 -burst 20000/10s -lifetime exp:2s -o my.trace

Exit codes: 0: all checksums are right; 1: a wrong checksum, or a file that cannot be read or
written; 2: a wrong command line; 130: interrupted, and the results so far are written.`

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
	fmt.Fprintln(w, "Workloads, and the unit of -n:")
	for _, wl := range all.Works() {
		about := wl.About
		if wl.OnlyFull {
			about = "(by name or -full) " + about
		}
		fmt.Fprintf(w, "  %-22s %s\n", wl.Name, about)
		fmt.Fprintf(w, "  %-22s -n: %s, %s, at most %d\n",
			"", wl.NMeans, join(wl.Sizes(measure.Sizing{})), wl.MaxN)
	}
	fmt.Fprintf(w, "\nElements may take at most %d MiB, without a collection's overhead.\n",
		measure.MaxHeld>>20)
}

// join formats numbers as in "1, 2, 3".
func join(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

func names(ws []*measure.Workload) (names []string) {
	for _, w := range ws {
		names = append(names, w.Name)
	}
	return names
}
