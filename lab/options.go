package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/report"
)

// maxReps bounds what the flags can ask for.
const maxReps = 10_000

// options is a checked command line.
type options struct {
	all   measure.Catalogue
	impls []measure.Impl
	jobs  []measure.Job // one at least
	out   string
	brief bool                                      // nothing is chosen: see measure.Sizing
	peers bool                                      // other languages take part
	print func(w io.Writer, r *report.Report) error // what goes to standard output
}

func measureFlags() []cli.Flag {
	return []cli.Flag{ // local, since none of them is for the commands
		&cli.StringFlag{Name: "impl", Local: true,
			Usage: "measure only `NAMES`, separated by commas"},
		&cli.StringFlag{Name: "workload", Local: true, Usage: "run only `NAMES`, separated by " +
			"commas; arena and thesis stand for all that begin so"},
		&cli.StringFlag{Name: "peers", Local: true, Usage: "measure collections of `LANGUAGES` " +
			"beside: rust, cpp or both; what they need is told if it is missing"},
		&cli.BoolFlag{Name: "full", Local: true, Usage: "all variants, all sizes, twice the time " +
			"budgets, and the workloads that take minutes: about half an hour"},
		&cli.BoolFlag{Name: "quick", Local: true, Usage: "small sizes and few repetitions: all " +
			"in seconds, figures not to be quoted"},
		&cli.IntFlag{Name: "n", Local: true,
			Usage: "take `N` as the size of every chosen workload"},
		&cli.IntFlag{Name: "elem", Local: true, Usage: "take elements of `BYTES`, 8, 32 or 128, " +
			"where a workload lets them be chosen"},
		&cli.IntFlag{Name: "reps", Local: true, Usage: fmt.Sprintf(
			"exactly `N` repetitions, at most %d, in place of time budgets", maxReps)},
		&cli.BoolFlag{Name: "json", Local: true, Usage: "print results.json in place of tables"},
		&cli.BoolFlag{Name: "bench", Local: true,
			Usage: "print lines for benchstat in place of tables"},
		&cli.StringFlag{Name: "out", Local: true, Value: "lab-out", TakesFile: true,
			Usage: "write the files into `FOLDER`, which is made if it is missing"},
	}
}

// parse checks the flags before anything is measured or written.
func parse(all measure.Catalogue, c *cli.Command) (o options, err error) {
	if c.Args().Present() {
		return o, unexpected(c, c.Args().First())
	}
	n, elem, reps := c.Int("n"), c.Int("elem"), c.Int("reps")
	switch {
	case c.IsSet("n") && n <= 0:
		return o, fmt.Errorf("-n %d: must be at least 1", n)
	case c.IsSet("elem") && elem != 8 && elem != 32 && elem != 128:
		return o, fmt.Errorf("-elem %d: must be 8, 32 or 128", elem)
	case c.IsSet("reps") && (reps <= 0 || reps > maxReps):
		return o, fmt.Errorf("-reps %d: must be between 1 and %d", reps, maxReps)
	case c.Bool("full") && c.Bool("quick"):
		return o, errors.New("-full and -quick: choose one")
	case c.Bool("json") && c.Bool("bench"):
		return o, errors.New("-json and -bench: choose one")
	case c.String("out") == "":
		return o, errors.New("-out: empty folder name")
	}
	o.all, o.out, o.print = all, c.String("out"), report.PrintRun
	o.brief, o.peers = brief(c), c.IsSet("peers")
	switch {
	case c.Bool("json"):
		o.print = report.PrintJSON
	case c.Bool("bench"):
		o.print = report.PrintBench
	}
	o.impls, err = chooseImpls(all, c)
	if err != nil {
		return o, err
	}
	works, err := chooseWorkloads(all, c)
	if err != nil {
		return o, err
	}
	size := measure.Sizing{
		N:     n,
		Elem:  elem,
		Reps:  reps,
		Quick: c.Bool("quick"),
		Full:  c.Bool("full"),
		Brief: o.brief,
	}
	jobs, err := measure.Plan(works, size)
	if err != nil {
		return o, err
	}
	if takes := func(w measure.Work) bool { return !w.Own }; elem != 0 &&
		!slices.ContainsFunc(works, takes) {
		return o, fmt.Errorf("-elem %d: no chosen workload lets its elements be chosen", elem)
	}
	o.jobs, err = doable(jobs, o.impls, c.String("workload"), c.String("impl"))
	return o, err
}

// brief reports whether a run is to measure everything, with no choice by a flag.
func brief(c *cli.Command) bool {
	return !c.IsSet("workload") && !c.IsSet("impl") && !c.Bool("full") && !c.Bool("quick")
}

// unexpected returns the error for an argument that is no command.
func unexpected(c *cli.Command, arg string) error {
	err := fmt.Errorf("unexpected argument %q", arg)
	like := cli.SuggestCommand(c.Commands, arg) // the least unlike, however unlike it is
	for _, sub := range c.Commands {
		if strings.Contains(like, sub.Name) && arg != "" && sub.Name[0] == arg[0] {
			return fmt.Errorf("%w; there is a command %s", err, sub.Name)
		}
	}
	return err
}

// chooseImpls returns the implementations that were asked for: variants only by name, or all of
// them in a full run.
func chooseImpls(all measure.Catalogue, c *cli.Command) ([]measure.Impl, error) {
	if c.IsSet("impl") {
		return choose("-impl", c.String("impl"), all.Impls(), measure.Impl.Label)
	}
	if c.Bool("full") {
		return all.Impls(), nil
	}
	return slices.DeleteFunc(all.Impls(), func(im measure.Impl) bool { return im.Variant }), nil
}

// chooseWorkloads returns the workloads that were asked for: what takes minutes only by name, or
// in a full run.
func chooseWorkloads(all measure.Catalogue, c *cli.Command) ([]measure.Work, error) {
	if c.IsSet("workload") {
		return choose("-workload", withGroups(all, c.String("workload")), all.Works(),
			func(w measure.Work) string { return w.Name })
	}
	return slices.DeleteFunc(all.Works(), func(w measure.Work) bool {
		return w.OnlyFull && !c.Bool("full")
	}), nil
}

// doable returns the jobs that one of the implementations does. It returns an error if there are
// none, or none of a workload that was asked for by its own name.
func doable(
	jobs []measure.Job, ims []measure.Impl, workList, implList string,
) ([]measure.Job, error) {
	var able []measure.Job
	for _, j := range jobs {
		if len(j.Runners(ims)) > 0 {
			able = append(able, j)
		}
	}
	asked := map[string]bool{}
	for name := range strings.SplitSeq(workList, ",") {
		asked[strings.TrimSpace(name)] = true
	}
	for _, j := range jobs {
		none := !slices.ContainsFunc(
			able,
			func(k measure.Job) bool { return k.Workload == j.Workload },
		)
		if none && (asked[j.Workload.Name] || len(able) == 0) {
			return nil, fmt.Errorf("-impl %s: none of them runs %s at n = %d; these do: %s",
				implList, j.Workload.Name, j.N, measure.NameList(j.Runners(j.Family.Impls)))
		}
	}
	return able, nil
}

// withGroups puts the workloads whose names begin with "NAME-" into list in place of NAME, where no
// workload has that name.
func withGroups(all measure.Catalogue, list string) string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		s = strings.TrimSpace(s)
		var group []string
		for _, w := range all.Works() {
			if w.Name == s {
				group = nil
				break
			}
			if strings.HasPrefix(w.Name, s+"-") {
				group = append(group, w.Name)
			}
		}
		if group == nil {
			group = []string{s}
		}
		out = append(out, group...)
	}
	return strings.Join(out, ",")
}

// choose picks the named ones of all, in the order of all. Every name must be known.
func choose[T any](flagName, list string, all []T, name func(T) string) ([]T, error) {
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
