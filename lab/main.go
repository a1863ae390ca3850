// Lab benchmarks the containers of this module beside the alternatives that Go programs use:
// collections, the lists of package stable, the free lists of package freelist, the spatial index
// of package near, and the arenas of package arena. The workloads follow a thesis about such
// collections and a pool in C++. Lab checks what each implementation computed.
//
// It also tests which laws each collection keeps, and replays a recording of your own program on
// all of them to recommend one.
//
// Run it from the root of the repository: go run ./lab. README.md describes its output.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/peers"
	"github.com/seed505807e1/berth/lab/internal/report"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// patience is how long an interrupted process may take to finish its current step, which may be a
// blocked system call.
const patience = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.AfterFunc(patience, func() { os.Exit(exitInterrupted) })
	})
	code := run(ctx, catalogue.All, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error with its own exit code. All other errors are mistakes in the command line.
type failure struct {
	code int
	error
}

func (f failure) Unwrap() error { return f.error }

var errTooSoon = errors.New("interrupted before anything was measured")

// failed marks err as a failure that the command line did not cause. It returns nil if err is nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, measure.ErrStopped) {
		return failure{exitInterrupted, err}
	}
	return failure{exitFailed, err}
}

// run runs the command without touching the process, and returns the exit code.
func run(ctx context.Context, all measure.Catalogue, args []string, stdout, stderr io.Writer) int {
	err := command(all, args, stdout, stderr).Run(ctx, append([]string{"lab"}, args...))
	if err == nil {
		return exitOK
	}
	var f failure
	if errors.Is(err, context.Canceled) {
		err = failure{exitInterrupted, errors.New("interrupted")}
	}
	if errors.As(err, &f) {
		fmt.Fprintf(stderr, "lab: %v\n", err)
		return f.code
	}
	fmt.Fprintf(stderr, "lab: %v\nlab: -help lists all flags\n", err)
	return exitUsage
}

func command(all measure.Catalogue, args []string, stdout, stderr io.Writer) *cli.Command {
	usage := func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err }
	c := &cli.Command{
		Name:      "lab",
		Usage:     "measure Go collections, free lists, grids and arenas",
		UsageText: "go run ./lab [flags]\ngo run ./lab COMMAND [flags]",

		Description:           description,
		Writer:                stdout,
		ErrWriter:             stderr,
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print shell completion for bash, zsh, fish or pwsh"
		},
		Flags: measureFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			all := all
			if c.IsSet("peers") {
				// Peers start first, since -impl may name them.
				peers, stop, err := peers.Start(ctx, c.String("peers"), stderr)
				if err != nil {
					return err
				}
				defer stop()
				all = all.With(peers)
			}
			if ctx.Err() != nil {
				return failure{exitInterrupted, errTooSoon}
			}
			o, err := parse(all, c)
			if err != nil {
				return err
			}
			return compare(ctx, o, args, stdout, stderr)
		},
		Commands:       subcommands(all, stdout, stderr),
		OnUsageError:   usage,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run reports it
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = usage
		sub.HideHelpCommand = true
	}
	return c
}

// compare measures, prints and writes. Its errors are failures.
func compare(ctx context.Context, o options, args []string, stdout, stderr io.Writer) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return failed(fmt.Errorf("cannot write results: %w", err))
	}
	if err := atomicfile.CanWrite(o.out); err != nil { // fail before the measurements, not after
		return failed(fmt.Errorf("cannot write results: %w", err))
	}
	rec := measure.NewRecorder()
	r := &report.Report{
		Catalogue: o.all, Recorder: rec, Impls: o.impls, Jobs: o.jobs, Out: o.out,
		Started: time.Now(),
		Command: strings.Join(append([]string{"go run ./lab"}, quoted(args)...), " "),
		Machine: measure.ThisMachine(),
	}
	fmt.Fprintln(stderr, opening(o))
	stopped := measure.Run(ctx, o.jobs, o.impls, rec, newBar(stderr)) != nil
	r.Partial, r.Took = stopped, time.Since(r.Started)
	r.Machine.LoadAfter = measure.SystemLoad()
	if !stopped && !o.jobs[0].Quick {
		if t := laws.AskAll(o.impls); len(t.Rows) > 0 {
			r.Laws = t
		}
	}

	if stopped && len(rec.All()) == 0 {
		// Results of an earlier run are worth more than none.
		return failure{exitInterrupted, errTooSoon}
	}
	// Write the files first, since the reader of stdout may have gone.
	if err := r.Write(o.out); err != nil {
		return failed(err)
	}
	if err := o.print(stdout, r); err != nil {
		return failed(fmt.Errorf("cannot print: %w", err))
	}
	wrong := 0
	for _, f := range rec.All() {
		if !f.ChecksumOK {
			wrong++
			fmt.Fprintf(stderr, "lab: wrong checksum: %s\n", f.Sums())
		}
	}
	if text := rec.Noisy(); text != "" {
		fmt.Fprintf(stderr, "lab: too noisy to believe: %s\n", text)
	}
	switch {
	case wrong > 0:
		return failed(fmt.Errorf("%d results have wrong checksums", wrong))
	case stopped:
		return failure{exitInterrupted,
			errors.New("interrupted: the files hold the results so far")}
	}
	return nil
}

// opening returns the first line of a run, written before the measurements.
func opening(o options) string {
	works, ims := map[*measure.Workload]bool{}, map[string]bool{}
	for _, j := range o.jobs {
		works[j.Workload] = true
		for _, im := range j.Runners(o.impls) {
			ims[im.Name] = true
		}
	}
	took := ""
	if o.brief && !o.peers {
		took = " for about a minute and a half"
	}
	return fmt.Sprintf("Measuring %s on %s%s, then writing %s.",
		counted(len(works), "workload"), counted(len(ims), "implementation"), took,
		filepath.Join(o.out, report.ReportFile))
}

// counted formats n with a word, as in "2 workloads".
func counted(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func quoted(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if strings.ContainsAny(a, " \t'\"[]*$&;<>|()\\") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return out
}
