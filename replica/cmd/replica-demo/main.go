// Replica-demo shows a world that lives in several processes: a leader simulates 20 000 missiles at
// 60 frames a second, and three followers, of which one sees a quarter of the world, have the same
// values under the same handles. Kill any of the processes, and watch it recover:
//
//	go run ./replica/cmd/replica-demo
//
// The table in the terminal and the page, whose address is printed, show the lag of each follower,
// and whether the hash of its world is equal to the leader's after the same frame. If one ever
// differs, the exit status is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	missiles int
	hz       int
	seed     uint64
	dir      string
	addr     string
	lasts    time.Duration
	kill     time.Duration
	sync     bool
	plain    bool
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "child" {
		os.Exit(child(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// parse returns the options of the arguments.
func parse(args []string, out, errs io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("replica-demo", flag.ContinueOnError)
	fs.SetOutput(errs)
	fs.IntVar(&o.missiles, "missiles", 20000, "`number` of missiles")
	fs.IntVar(&o.hz, "hz", 60, "frames a second")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the simulation and of -kill")
	fs.StringVar(&o.dir, "dir", "", "`directory` of the log and the snapshots, whose world"+
		" is continued (default a temporary one)")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0", "loopback `address` of the page")
	fs.DurationVar(&o.lasts, "for", 0, "end by itself after this `time`, counted from when all"+
		" followers are there, and compare the last frame")
	fs.DurationVar(&o.kill, "kill", 0, "kill a random process after each such `time`")
	fs.BoolVar(&o.sync, "sync", false, "write each message to the disk before it is acknowledged")
	fs.BoolVar(&o.plain, "plain", !terminal(out), "print a line a second instead of a table")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	host, _, err := net.SplitHostPort(o.addr)
	switch ip := net.ParseIP(host); {
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.missiles < 1 || o.missiles > 1e6:
		err = fmt.Errorf("-missiles must be in [1, 1000000] (got %d)", o.missiles)
	case o.hz < 1 || o.hz > 1000:
		err = fmt.Errorf("-hz must be in [1, 1000] (got %d)", o.hz)
	case o.lasts < 0 || o.kill < 0:
		err = errors.New("-for and -kill must not be negative")
	case err != nil:
		err = fmt.Errorf("-addr: %w", err)
	case host != "localhost" && (ip == nil || !ip.IsLoopback()):
		err = fmt.Errorf("-addr must be a loopback address, since the page kills processes"+
			" (got %q)", o.addr)
	}
	return o, err
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// command runs the command, and returns the exit status.
func command(args []string, out, errs io.Writer) int {
	o, err := parse(args, out, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
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

var errDiffers = errors.New("a follower's hash differed from the leader's")

// run runs the demo until ctx ends, or -for is over.
func run(ctx context.Context, o options, out io.Writer) (err error) {
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
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	f := newFleet(exe, o)
	page := open(l, f, title(o))
	defer page.close()
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		f.close(limited)
		if f.differs > 0 {
			err = errors.Join(errDiffers, err)
		}
		fmt.Fprintf(out, "%s; %s\n", f.summary(), f.counts())
	}()
	head := fmt.Sprintf("%s; page %s\n", title(o), page.url)
	if o.plain {
		fmt.Fprint(out, head)
	} else {
		s := screen{out}
		s.open()
		defer func() {
			s.close()
			fmt.Fprint(out, head)
			printTable(out, f.rows(time.Now()))
		}()
	}
	watching, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(watching, f, o, head, out)
	}()
	defer func() {
		cancel()
		<-watched
	}()
	return f.play(ctx, o)
}

func title(o options) string {
	return fmt.Sprintf("%d missiles at %d frames a second", o.missiles, o.hz)
}

// play starts the processes, and kills some if that is wanted. It returns when ctx ends, or when
// the demo is over.
func (f *fleet) play(ctx context.Context, o options) error {
	if err := f.start(ctx); err != nil {
		return ignoreCancel(err)
	}
	if !f.until(ctx, f.ready) {
		return ignoreCancel(f.why(ctx))
	}
	over, cancel := context.WithCancel(ctx)
	if o.lasts > 0 {
		over, cancel = context.WithTimeout(ctx, o.lasts)
	}
	defer cancel()
	random := rand.New(rand.NewPCG(o.seed, 0))
	for over.Err() == nil && len(f.fatal) == 0 {
		wait := 10 * time.Millisecond
		if o.kill > 0 {
			wait = o.kill
		}
		sleep(over, wait)
		if o.kill > 0 && over.Err() == nil {
			_ = f.kill(f.list[random.IntN(len(f.list))].name) // one that is down stays so
		}
	}
	if ctx.Err() != nil || len(f.fatal) > 0 {
		return ignoreCancel(f.why(ctx))
	}
	limited, cancel := context.WithTimeout(ctx, 4*grace)
	defer cancel()
	return ignoreCancel(f.settle(limited))
}

// ignoreCancel returns err, or nil if it is the end of the command by a signal.
func ignoreCancel(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// watch shows the table until ctx ends.
func watch(ctx context.Context, f *fleet, o options, head string, out io.Writer) {
	every := 250 * time.Millisecond
	if o.plain {
		every = time.Second
	}
	start := time.Now()
	for {
		sleep(ctx, every)
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		list := f.rows(now)
		if o.plain {
			fmt.Fprintf(out, "%.0fs: %s\n", now.Sub(start).Seconds(), line(list))
			continue
		}
		var b strings.Builder
		fmt.Fprintln(&b, head)
		printTable(&b, list)
		fmt.Fprintf(&b, "\n%s; %s\nkill -9 any of them, or ^C to end\n", f.summary(), f.counts())
		screen{out}.show(b.String())
	}
}
