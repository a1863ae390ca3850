package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
	"github.com/seed505807e1/berth/lab/internal/replay"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes"
	"github.com/seed505807e1/berth/lab/trace"
)

// withStream calls f with what is in a file, or in standard input if its name is "-". The error
// says which file it is about. A read fails when ctx ends, also if nobody writes.
func withStream(ctx context.Context, name string, f func(io.Reader) error) (err error) {
	src := os.Stdin
	if name != "-" {
		if src, err = os.Open(name); err != nil {
			return err
		}
	}
	err = f(bufio.NewReader(&patientReader{ctx, src}))
	if src != os.Stdin {
		err = errors.Join(err, src.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// patientReader is a reader whose source may keep it waiting, but not beyond the end of ctx.
type patientReader struct {
	ctx context.Context
	src io.Reader
}

func (p *patientReader) Read(b []byte) (int, error) {
	type result struct {
		b   []byte
		err error
	}
	got := make(chan result, 1)
	go func() {
		own := make([]byte, len(b)) // b is the caller's again once Read has returned
		n, err := p.src.Read(own)
		got <- result{own[:n], err}
	}()
	select {
	case r := <-got:
		return copy(b, r.b), r.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}

// unlessDone returns what f does, or the error of ctx if that ends first. Then f goes on, and
// nobody may look at what it does.
func unlessDone(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func traceCommand(stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "trace",
		Usage:     "tell what is in a recorded stream",
		ArgsUsage: "FILE",
		Description: "A program records a stream by package lab/trace. - stands for standard " +
			"input. A damaged stream is reported with the place of the damage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := arguments(c, "FILE")
			if err != nil {
				return err
			}
			// A few bytes may stand for many ops, so that reading them is not all that takes time.
			return failed(unlessDone(ctx, func() error {
				return withStream(ctx, args[0], func(src io.Reader) error {
					return summarise(src, c.Bool("json"), stdout)
				})
			}))
		},
	}
}

func summarise(src io.Reader, asJSON bool, stdout io.Writer) error {
	r, err := trace.NewReader(src)
	if err != nil {
		return err
	}
	s, bad := trace.Summarise(r)
	text := func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", strings.TrimRight(s.String(), "\n"))
		return err
	}
	return errors.Join(printResult(stdout, asJSON, s, text), bad)
}

func modelCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "model",
		Usage: "write the stream of a program that is only described",
		Description: "For those who have no recording: values of one kind come and go as the " +
			"flags say. The same flags write the same bytes, on every machine.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "live", Value: 1000, Usage: "about `N` values live, but for bursts"},
			&cli.StringFlag{Name: "burst", Usage: "so many more come at once, as in `20000/10s`"},
			&cli.IntFlag{Name: "size", Value: 32, Usage: "a value has so many `BYTES`"},
			&cli.StringFlag{Name: "lifetime", Value: "exp:2s", Usage: "how long values live: " +
				"`exp:2s`, const:500ms, uniform:1s-3s or forever"},
			&cli.FloatFlag{Name: "lookups", Value: 1, Usage: "lookups by handle, `N` a living " +
				"value and frame"},
			&cli.FloatFlag{Name: "misses", Usage: "a `SHARE` of the lookups, 0 to 1, is for " +
				"values that are gone"},
			&cli.FloatFlag{Name: "passes", Value: 1, Usage: "loops over all, `N` a frame"},
			&cli.IntFlag{Name: "fps", Value: 60, Usage: "frames a second"},
			&cli.DurationFlag{Name: "for", Value: 20 * time.Second, Usage: "how long it runs"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "what chance depends on"},
			&cli.StringFlag{Name: "o", Value: "-", TakesFile: true, Usage: "write to `FILE`; - " +
				"is standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			m, err := modelOf(c)
			if err != nil {
				return err
			}
			if err := m.Validate(); err != nil {
				return err
			}
			return failed(writeModel(ctx, m, c.String("o"), stdout, stderr))
		},
	}
}

func modelOf(c *cli.Command) (m trace.Model, err error) {
	m = trace.Model{
		Live: c.Int("live"), Bytes: c.Int("size"), Lookups: c.Float("lookups"),
		Passes: c.Float("passes"), Misses: c.Float("misses"), FPS: c.Int("fps"),
		For: c.Duration("for"), Seed: c.Uint64("seed"),
	}
	if m.Lifetime, err = trace.ParseLifetime(c.String("lifetime")); err != nil {
		return m, fmt.Errorf("-lifetime: %w", err)
	}
	if !c.IsSet("burst") {
		return m, nil
	}
	count, every, ok := strings.Cut(c.String("burst"), "/")
	m.Burst, err = strconv.Atoi(count)
	if err == nil && ok {
		m.Every, err = time.ParseDuration(every)
	}
	if !ok || err != nil {
		return m, fmt.Errorf("-burst %s: must be a number and how often, as in 20000/10s",
			c.String("burst"))
	}
	return m, nil
}

// writeModel writes the stream to a file, or to stdout where that is no terminal.
func writeModel(ctx context.Context, m trace.Model, name string, stdout, stderr io.Writer) error {
	if name == "-" {
		if isTerminal(stdout) {
			return errors.New("a stream is not for a terminal: give it a file by -o, or a pipe")
		}
		return m.Write(&carefulWriter{ctx: ctx, w: stdout})
	}
	var size int64
	err := atomicfile.Replace(name, func(w io.Writer) error {
		c := &carefulWriter{ctx: ctx, w: w}
		err := m.Write(c)
		size = c.n
		return err
	})
	if err == nil {
		fmt.Fprintf(stderr, "%s: %d bytes; lab replay %[1]s says which container suits it\n",
			name, size)
	}
	return err
}

// carefulWriter counts the bytes that go through it, and lets none through when ctx has ended.
type carefulWriter struct {
	ctx context.Context
	w   io.Writer
	n   int64
}

func (c *carefulWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func replayCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "run a recorded stream on every container, and say which one to take",
		ArgsUsage: "FILE",
		Description: "The stream is of lab/trace or of lab model; - stands for standard input. " +
			"Every container does what the stream says, and must find the same. The last three " +
			"sentences are the advice.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", Value: 5, Usage: "replay `N` times on each container"},
			&cli.DurationFlag{Name: "budget", Value: 30 * time.Second, Usage: "begin no further " +
				"round that would end after so long"},
			&cli.DurationFlag{Name: "frame", Value: time.Second / 60, Usage: "how long a frame " +
				"of the program may take"},
			&cli.BoolFlag{Name: "pin", Usage: "advise only containers whose values stay where " +
				"they are"},
			&cli.BoolFlag{Name: "safe", Usage: "advise only containers whose stale handles find " +
				"nothing for ever, whatever else is said"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := arguments(c, "FILE")
			if err != nil {
				return err
			}
			o := replay.Options{
				Rounds: c.Int("rounds"), Budget: c.Duration("budget"), Frame: c.Duration("frame"),
				PinPointers: c.Bool("pin"), Safe: c.Bool("safe"), Sizes: sizes.All,
			}
			if o.Rounds < 1 || o.Rounds > replay.MaxRounds || o.Budget <= 0 || o.Frame <= 0 {
				return fmt.Errorf("-rounds, -budget and -frame: must be above 0, and rounds at "+
					"most %d", replay.MaxRounds)
			}
			p := newBar(stderr)
			o.Progress = p.passes
			return failed(withStream(ctx, args[0], func(r io.Reader) error {
				res, bad := replay.Run(ctx, r, o)
				p.Finish()
				if res == nil {
					return bad
				}
				return errors.Join(printResult(stdout, c.Bool("json"), res, res.WriteText), bad)
			}))
		},
	}
}

func printResult(w io.Writer, asJSON bool, v any, text func(io.Writer) error) error {
	if asJSON {
		return writeJSON(w, v)
	}
	return text(w)
}
