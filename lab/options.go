package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// workloads lists the twenty-one in the order in which they run. memory comes last, since of it a
// slow machine may leave out the most.
var workloads = []*workload{
	basic, cross, ephemeral, crossEphemeral, sparse, churn, dcm,
	thesisBasic, thesisCross, thesisEphemeral, thesisCrossEphemeral, thesisTruncation,
	freelistWork, broadphase,
	arenaBump, arenaPages, arenaDeque, arenaVec, arenaMap, arenaPool, memory,
}

// maxReps and maxHeld bound what the flags can ask for.
const (
	maxReps = 10_000
	maxHeld = 512 << 20 // bytes of elements, before what any collection adds to them
)

// options is a checked command line.
type options struct {
	impls []impl
	jobs  []job
	out   string
}

const helpText = `lab measures Go collections, free lists, grids and arenas on twenty-one workloads,
and checks what each computed.

Usage: go run ./lab [flags]

It prints a table and writes report.html and results.json into a folder. Without flags it takes
about two minutes. Exit code 0: all checksums right; 1: a checksum was wrong, or a file could not be
written; 2: the command line was wrong; 130: interrupted, and what was measured has been written.

`

// parse checks args before anything is measured or written. It returns flag.ErrHelp if help was
// asked for, and has then printed it to w.
func parse(args []string, w io.Writer) (options, error) {
	f := flag.NewFlagSet("lab", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	implList := f.String("impl", "", "measure only these, separated by commas")
	workList := f.String("workload", "",
		"run only these, separated by commas; arena and thesis stand for all that begin so")
	n := f.Int("n", 0, "size of every chosen workload instead of its own; see below")
	elem := f.Int("elem", 0, "element bytes in basic, sparse, churn and memory: 8, 32 or 128")
	reps := f.Int("reps", 0, fmt.Sprintf(
		"exactly this many repetitions, at most %d, in place of time budgets", maxReps))
	quick := f.Bool("quick", false,
		"small sizes and few repetitions: all in seconds, figures not to be quoted")
	out := f.String("out", "lab-out", "folder for report.html and results.json; made if missing")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printHelp(w, f)
		}
		return options{}, err
	}
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })

	if f.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if given["n"] && *n <= 0 {
		return options{}, fmt.Errorf("-n %d: must be at least 1", *n)
	}
	if given["elem"] && *elem != 8 && *elem != 32 && *elem != 128 {
		return options{}, fmt.Errorf("-elem %d: must be 8, 32 or 128", *elem)
	}
	if given["reps"] && (*reps <= 0 || *reps > maxReps) {
		return options{}, fmt.Errorf("-reps %d: must be between 1 and %d", *reps, maxReps)
	}
	if *out == "" {
		return options{}, errors.New("-out: empty folder name")
	}
	ims, err := choose("-impl", given["impl"], *implList, allImpls(),
		func(im impl) string { return im.name })
	if err != nil {
		return options{}, err
	}
	works, err := choose("-workload", given["workload"], withGroups(*workList), workloads,
		func(w *workload) string { return w.name })
	if err != nil {
		return options{}, err
	}
	jobs, err := plan(works, *n, *elem, *reps, *quick)
	if err != nil {
		return options{}, err
	}
	able, err := doable(jobs, ims, given["workload"], *implList)
	return options{ims, able, *out}, err
}

// doable returns the jobs that one of the implementations does. It returns an error if there are
// none, or none of a workload that was asked for.
func doable(jobs []job, ims []impl, asked bool, implList string) ([]job, error) {
	var able []job
	for _, j := range jobs {
		if len(j.runners(ims)) > 0 {
			able = append(able, j)
		}
	}
	for _, j := range jobs {
		none := !slices.ContainsFunc(able, func(k job) bool { return k.w == j.w })
		if none && (asked || len(able) == 0) {
			return nil, fmt.Errorf("-impl %s: none of them runs %s at n = %d; these do: %s",
				implList, j.w.name, j.n, nameList(j.runners(j.w.family.impls)))
		}
	}
	return able, nil
}

// withGroups puts the workloads whose names begin with "NAME-" into list in place of NAME, where no
// workload has that name.
func withGroups(list string) string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		s = strings.TrimSpace(s)
		var group []string
		for _, w := range workloads {
			if w.name == s {
				group = nil
				break
			}
			if strings.HasPrefix(w.name, s+"-") {
				group = append(group, w.name)
			}
		}
		if group == nil {
			group = []string{s}
		}
		out = append(out, group...)
	}
	return strings.Join(out, ",")
}

// nameList returns the names of implementations, separated by commas.
func nameList(ims []impl) string {
	names := make([]string, len(ims))
	for i, im := range ims {
		names[i] = im.name
	}
	return strings.Join(names, ", ")
}

// choose picks the named ones of all, in the order of all. Every name must be known.
func choose[T any](
	flagName string, given bool, list string, all []T, name func(T) string,
) ([]T, error) {
	if !given {
		return all, nil
	}
	known := make([]string, len(all))
	for i, v := range all {
		known[i] = name(v)
	}
	wanted := map[string]bool{}
	for s := range strings.SplitSeq(list, ",") {
		s = strings.TrimSpace(s)
		if !slices.Contains(known, s) {
			return nil, fmt.Errorf("%s: unknown name %q; known are %s",
				flagName, s, strings.Join(known, ", "))
		}
		wanted[s] = true
	}
	var out []T
	for _, v := range all {
		if wanted[name(v)] {
			out = append(out, v)
		}
	}
	return out, nil
}

// plan makes the jobs; n, elem and reps are 0 where the workload decides.
func plan(works []*workload, n, elem, reps int, quick bool) ([]job, error) {
	var jobs []job
	for _, w := range works {
		elems := w.elems
		if elem != 0 && !w.own {
			elems = []int{elem}
		} else if quick {
			elems = elems[:1]
		}
		for _, e := range elems {
			if most := w.most(e); n > most {
				return nil, fmt.Errorf("-n %d: %s takes at most %d %s of %d bytes",
					n, w.name, most, w.nMeans, e)
			}
			for _, size := range w.sizes(n, quick) {
				j := job{w: w, n: size, elem: e, reps: w.reps, quick: quick}
				if quick {
					j.reps = w.quickReps
				}
				if reps != 0 {
					j.reps, j.exact = reps, true
				}
				j.more = len(jobs) > 0 && jobs[len(jobs)-1].w == w && reps == 0
				jobs = append(jobs, j)
			}
		}
	}
	return jobs, nil
}

// sizes returns the sizes that w runs at: n alone, or its own if n is 0.
func (w *workload) sizes(n int, quick bool) []int {
	switch {
	case n != 0:
		return []int{n}
	case quick:
		return append([]int{w.quickN}, w.moreQuickN...)
	}
	return append([]int{w.n}, w.moreN...)
}

// most returns the largest n for elements of a size.
func (w *workload) most(elem int) int { return min(w.maxN, maxHeld/elem) }

// workloads returns the names of the workloads that the family runs.
func (f *family) workloads() []string {
	var names []string
	for _, w := range workloads {
		if w.family == f {
			names = append(names, w.name)
		}
	}
	return names
}

// join writes numbers as in "1, 2, 3".
func join(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

func printHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprint(w, helpText)
	fmt.Fprintln(w, "Flags:")
	f.SetOutput(w)
	f.PrintDefaults()
	for _, f := range families {
		fmt.Fprintf(w, "\nImplementations of %s:\n", strings.Join(f.workloads(), ", "))
		for _, im := range f.impls {
			fmt.Fprintf(w, "  %-18s %s\n", im.name, im.about)
		}
	}
	fmt.Fprintln(w, "\nWorkloads, and what -n counts in them:")
	for _, wl := range workloads {
		fmt.Fprintf(w, "  %-22s %s\n", wl.name, wl.about)
		fmt.Fprintf(w, "  %-22s -n: %s, %s, at most %d\n",
			"", wl.nMeans, join(wl.sizes(0, false)), wl.maxN)
	}
	fmt.Fprintf(w, "\nElements may take %d MiB at most, before what a collection adds to them.\n",
		maxHeld>>20)
}
