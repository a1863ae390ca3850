// Command benchcompare runs the benchmarks of two revisions in turns.
//
//	benchcompare -base rev [-bench regexp] [-turns 20] [-time 50ms] [-out dir] [package]
//
// It builds the test binaries of package (default .) at base and in the working tree, runs them
// alternately, and writes base.txt and new.txt into dir, ready for benchstat. Each turn runs both
// sides, and every other turn starts with the other side, so that a machine that slows down or
// speeds up does so for both.
//
// Both sides run the benchmarks of the working tree where they compile at base. Otherwise each
// side runs its own, and benchcompare says so.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// options are the options of the command line.
type options struct {
	base, bench, out, pkg string
	turns                 int
	time                  time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.base, "base", "HEAD", "the revision to compare with")
	flag.StringVar(&o.bench, "bench", "Hot", "the benchmarks to run, a regular expression")
	flag.StringVar(&o.out, "out", "lab-out", "the folder for base.txt and new.txt")
	flag.IntVar(&o.turns, "turns", 20, "the number of runs of both sides")
	flag.DurationVar(&o.time, "time", 50*time.Millisecond, "the time of a benchmark in each turn")
	flag.Parse()
	o.pkg = "."
	if flag.NArg() > 0 {
		o.pkg = flag.Arg(0)
	}
	if err := compare(o, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "benchcompare:", err)
		os.Exit(1)
	}
}

// side is one of the two test binaries.
type side struct {
	bin, dir string // dir is its package's folder
	lines    bytes.Buffer
}

// compare runs both sides, and reports its progress to log.
func compare(o options, log io.Writer) error {
	if o.turns < 1 {
		return fmt.Errorf("-turns must be positive (got %d)", o.turns)
	}
	temp, err := os.MkdirTemp("", "benchcompare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)

	tree := filepath.Join(temp, "tree")
	if err := checkout(o.base, tree); err != nil {
		return err
	}
	base := &side{bin: filepath.Join(temp, "base.test"), dir: filepath.Join(tree, o.pkg)}
	changed := &side{bin: filepath.Join(temp, "new.test"), dir: o.pkg}
	if err := changed.build(nil); err != nil {
		return err
	}
	over, err := overlay(o.pkg, base.dir)
	if err != nil {
		return err
	}
	if first := base.build(over); first != nil {
		if err := base.build(nil); err != nil {
			return errors.Join(first, err)
		}
		fmt.Fprintf(log, "%v\nthe benchmarks do not compile at %s: each side runs its own\n",
			first, o.base)
	}
	for turn := range o.turns {
		fmt.Fprintf(log, "\rturn %d of %d", turn+1, o.turns)
		first, second := base, changed
		if turn%2 == 1 {
			first, second = second, first
		}
		if err := errors.Join(first.run(o), second.run(o)); err != nil {
			return err
		}
	}
	fmt.Fprintln(log)
	if !strings.Contains(changed.lines.String(), "\nBenchmark") {
		return fmt.Errorf("no benchmark of %s matches %q", o.pkg, o.bench)
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(o.out, "base.txt"), base.lines.Bytes(), 0o666),
		os.WriteFile(filepath.Join(o.out, "new.txt"), changed.lines.Bytes(), 0o666))
}

// checkout makes dir a clone of this repository at revision rev. It has no objects of its own.
func checkout(rev, dir string) error {
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	commit, err := git("rev-parse", "--verify", rev+"^{commit}")
	if err != nil {
		return err
	}
	if _, err := git("clone", "--quiet", "--shared", "--no-checkout", top, dir); err != nil {
		return err
	}
	_, err = git("-C", dir, "checkout", "--quiet", "--detach", commit)
	return err
}

// git runs git and returns its output.
func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, &complaint)
	}
	return strings.TrimSpace(string(text)), nil
}

// overlay returns the benchmark files of package from, as replacements for those of package to.
func overlay(from, to string) (map[string]string, error) {
	replace := map[string]string{}
	for _, dir := range []string{to, from} { // the empty name removes a file that from lacks
		names, err := filepath.Glob(filepath.Join(dir, "*bench_test.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			target := filepath.Join(to, filepath.Base(name))
			replace[target] = ""
			if dir == from {
				if replace[target], err = filepath.Abs(name); err != nil {
					return nil, err
				}
			}
		}
	}
	return replace, nil
}

// build makes the test binary of s with some of its files replaced.
func (s *side) build(replace map[string]string) error {
	args := []string{"test", "-c", "-o", s.bin}
	if replace != nil {
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return err
		}
		name := s.bin + ".overlay"
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
		args = append(args, "-overlay", name)
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = s.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c in %s: %w\n%s", s.dir, err, text)
	}
	return nil
}

// run runs the benchmarks of s once.
func (s *side) run(o options) error {
	cmd := exec.Command(s.bin, "-test.run", "^$", "-test.bench", o.bench,
		"-test.benchtime", o.time.String())
	cmd.Dir = s.dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(s.bin), err, text)
	}
	s.lines.Write(text)
	return nil
}
