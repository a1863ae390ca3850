package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/report"
)

// subcommands returns the commands other than measuring.
func subcommands(all measure.Catalogue, stdout, stderr io.Writer) []*cli.Command {
	return []*cli.Command{
		listCommand(all, stdout),
		lawsCommand(all, stdout),
		traceCommand(stdout),
		modelCommand(stdout, stderr),
		replayCommand(stdout, stderr),
		pictureCommand(all, stdout, stderr),
		liveCommand(stdout, stderr),
		docsCommand(stderr),
	}
}

// arguments checks that c has one argument for each of names.
func arguments(c *cli.Command, names ...string) ([]string, error) {
	args := c.Args().Slice()
	if len(args) > len(names) {
		return nil, unexpected(c, args[len(names)])
	}
	if len(args) < len(names) {
		return nil, fmt.Errorf("%s: %s is missing", c.Name, names[len(args)])
	}
	return args, nil
}

func listCommand(all measure.Catalogue, stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list implementations and workloads",
		Action: func(_ context.Context, c *cli.Command) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			b := bufio.NewWriter(stdout)
			printList(b, all)
			return failed(b.Flush())
		},
	}
}

func lawsCommand(all measure.Catalogue, stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "laws",
		Usage: "test which laws each collection keeps: stale handles, loops, memory",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "impl", Usage: "test only `NAMES`, separated by commas"},
			&cli.BoolFlag{Name: "json", Usage: "print the answers as JSON"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			ims, err := chooseImpls(all, c)
			if err != nil {
				return err
			}
			var t *laws.Table
			ask := func() error { t = laws.AskAll(ims); return nil }
			if err := unlessDone(ctx, ask); err != nil {
				return failed(err)
			}
			if len(t.Rows) == 0 {
				return fmt.Errorf("-impl %s: none of them is a collection", c.String("impl"))
			}
			b := bufio.NewWriter(stdout)
			if c.Bool("json") {
				err = writeJSON(b, t)
			} else {
				laws.Print(b, t)
			}
			return failed(errors.Join(err, b.Flush()))
		},
	}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(v)
}

func pictureCommand(all measure.Catalogue, stdout, stderr io.Writer) *cli.Command {
	what := catalogue.Pictured
	return &cli.Command{
		Name:      "picture",
		Usage:     "draw the time of each step through a burst, as the README shows it",
		ArgsUsage: "FILE.svg",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "impl", Value: what.Impls, Usage: "draw `NAMES`, separated by commas",
			},
			&cli.IntFlag{
				Name: "reps", Value: what.Work.Reps, Usage: "draw the median of `N` repetitions",
			},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := arguments(c, "FILE.svg")
			if err != nil {
				return err
			}
			if reps := c.Int("reps"); reps < 1 || reps > maxReps {
				return fmt.Errorf("-reps %d: must be between 1 and %d", reps, maxReps)
			}
			runners := what.Work.Family.Runners(what.Work.Workload, all.Impls())
			ims, err := choose("-impl", c.String("impl"), runners, measure.Impl.Label)
			if err != nil {
				return err
			}
			return failed(drawSpike(ctx, all, args[0], ims, c.Int("reps"), stdout, stderr))
		},
	}
}

// drawSpike measures, draws, and prints the figures behind the drawing.
func drawSpike(
	ctx context.Context, all measure.Catalogue, path string, ims []measure.Impl, reps int,
	stdout, stderr io.Writer,
) error {
	jobs, err := measure.Plan([]measure.Work{catalogue.Pictured.Work}, measure.Sizing{Reps: reps})
	if err != nil {
		return err
	}
	r := &report.Report{
		Catalogue: all,
		Recorder:  measure.NewRecorder(),
		Impls:     ims,
		Jobs:      jobs,
		Machine:   measure.ThisMachine(),
	}
	if err := measure.Run(ctx, jobs, ims, r.Recorder, newBar(stderr)); err != nil {
		return err
	}
	drawing, err := r.Picture()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, drawing); err != nil {
		return err
	}
	return report.PrintRun(stdout, r)
}
