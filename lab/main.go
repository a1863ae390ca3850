// Lab measures berth.Pool, berth.Dense, stable.List and the collections that Go programs use in
// their place, on the workloads of a thesis about such collections and of a pool in C++; the lists
// of package stable in all their variants; the free lists of package freelist beside those that
// Go programs write themselves; the grid of package near beside other ways to find who is close to
// whom; and the arenas of package arena, what lies in them, and what Go programs have for it. It
// checks what each of them computed.
//
// Run it from the root of the repository: go run ./lab. README.md says how to read what it prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command: everything but the process. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "lab: %v\nlab: -help lists all flags\n", err)
		return exitUsage
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		fmt.Fprintf(stderr, "lab: cannot write results: %v\n", err)
		return exitFailed
	}
	rec := newRecorder()
	r := &report{
		rec: rec, impls: o.impls, jobs: o.jobs,
		started: time.Now(),
		command: strings.Join(append([]string{"go run ./lab"}, quoted(args)...), " "),
		machine: thisMachine(),
	}
	stopped := measure(ctx, o.jobs, o.impls, rec, newProgress(stderr)) != nil
	r.partial, r.took = stopped, time.Since(r.started)

	printTables(stdout, rec, o.impls, o.jobs)
	if err := r.write(o.out); err != nil {
		fmt.Fprintf(stderr, "lab: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(stdout, "\nEvery figure: %s\n", filepath.Join(o.out, reportFile))
	wrong := 0
	for _, f := range rec.all() {
		if !f.ChecksumOK {
			wrong++
			fmt.Fprintf(stderr, "lab: wrong checksum: %s\n", f.sums())
		}
	}
	switch {
	case wrong > 0:
		return exitFailed
	case stopped:
		fmt.Fprintln(stderr, "lab: interrupted: the files hold what was measured until then")
		return exitInterrupted
	}
	return exitOK
}

// quoted returns args as one would type them.
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
