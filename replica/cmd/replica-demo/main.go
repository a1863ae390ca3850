// Replica-demo shows a world that lives in several processes: a leader simulates 20 000 missiles at
// 60 frames a second, and three followers, of which one sees a quarter of the world, have the same
// values under the same handles. Kill any of the processes, and watch it recover:
//
//	go run ./replica/cmd/replica-demo
//
// Each second it prints a line for each process, with its pid, the lag of a follower, and whether
// the hash of the follower's world is equal to the leader's after the same frame. If one ever
// differs, the exit status is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	missiles    int
	dir         string
	lasts, kill time.Duration
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "child" {
		os.Exit(child(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// command runs the command, and returns the exit status.
func command(args []string, out, errs io.Writer) int {
	var o options
	fs := flag.NewFlagSet("replica-demo", flag.ContinueOnError)
	fs.SetOutput(errs)
	fs.IntVar(&o.missiles, "missiles", 20000, "`number` of missiles")
	fs.StringVar(&o.dir, "dir", "", "`directory` of the log and the snapshots, whose world"+
		" is continued (default a temporary one)")
	fs.DurationVar(&o.lasts, "for", 0, "end by itself after this `time`, counted from when all"+
		" followers are there, and compare the last frame")
	fs.DurationVar(&o.kill, "kill", 0, "kill a random process after each such `time`")
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.missiles < 1 || o.missiles > 1e6:
		err = fmt.Errorf("-missiles must be in [1, 1000000] (got %d)", o.missiles)
	case o.lasts < 0 || o.kill < 0:
		err = errors.New("-for and -kill must not be negative")
	}
	if err != nil {
		fmt.Fprintln(errs, "replica-demo:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	defer stop()
	if err := run(ctx, o, out); err != nil {
		fmt.Fprintln(errs, "replica-demo:", err)
		return 1
	}
	return 0
}

// run runs the demo until signals ends, or -for is over.
func run(signals context.Context, o options, out io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "replica-demo"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	ctx, fail := context.WithCancelCause(signals)
	defer fail(nil)
	f := newFleet(exe, o, out, fail)
	fmt.Fprintf(out, "%d missiles at %d frames a second\n", o.missiles, hz)
	var lines sync.WaitGroup
	lines.Go(func() {
		for sleep(ctx, time.Second) {
			f.lines()
		}
	})
	err = f.play(ctx, o)
	if signals.Err() != nil {
		err = nil
	}
	fail(nil)
	lines.Wait()
	f.lines()
	f.close()
	fmt.Fprintf(out, "%d hashes compared, %d differ, %d kills\n", f.checks, f.differs, f.kills)
	if f.differs > 0 {
		err = errors.Join(errors.New("a follower's hash differed from the leader's"), err)
	}
	return err
}

// play starts the processes, and kills some if that is wanted, until ctx ends or the demo is over.
func (f *fleet) play(ctx context.Context, o options) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	over, cancel := context.WithCancel(ctx)
	if o.lasts > 0 {
		over, cancel = context.WithTimeout(ctx, o.lasts)
	}
	defer cancel()
	for o.kill > 0 && sleep(over, o.kill) {
		f.kill(f.list[rand.IntN(len(f.list))])
	}
	<-over.Done()
	return f.settle(ctx)
}
