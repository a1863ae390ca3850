// Command runexamples runs example programs and checks their output.
//
//	runexamples [-limit 1m] package...
//
// It builds each main package among those named, and runs it in its own directory, without input.
// The program must end by itself within the limit, with status 0. If its directory has a file
// expect.txt, its standard output must be the lines of that file, where "..." stands for any text
// within a line, and a line "..." by itself for any number of lines. If there is a README.md as
// well, it must have a fenced block with the contents of expect.txt, in which "..." may also stand
// for some of its lines, and no block that only begins like it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	limit := flag.Duration("limit", time.Minute, "the time limit of an example")
	flag.Parse()
	if err := runAll(flag.Args(), *limit, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "runexamples:", err)
		os.Exit(1)
	}
}

// runAll runs each main package among packages, and returns all failures.
func runAll(packages []string, limit time.Duration, out io.Writer) error {
	const format = `{{if eq .Name "main"}}{{.Dir}}{{end}}`
	list := exec.Command("go", append([]string{"list", "-f", format}, packages...)...)
	list.Stderr = os.Stderr
	dirs, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	tmp, err := os.MkdirTemp("", "examples")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	n := 0
	var failed []error
	for dir := range strings.Lines(string(dirs)) {
		n++
		dir = strings.TrimSpace(dir)
		fmt.Fprintln(out, "--- example", filepath.Base(dir))
		if err := run(dir, filepath.Join(tmp, filepath.Base(dir)), limit, out); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", filepath.Base(dir), err))
		}
	}
	if n == 0 {
		return errors.New("no examples")
	}
	return errors.Join(failed...)
}

// run builds the program in dir as bin, and runs it. The limit excludes the build. The program is
// run directly, not by go run, so that a signal reaches it.
func run(dir, bin string, limit time.Duration, out io.Writer) error {
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir, build.Stdout, build.Stderr = dir, out, out
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, bin)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, io.MultiWriter(&printed, out), out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("still running after %v", limit)
	}
	if err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(dir, "expect.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !pattern(string(want)).MatchString(lines(printed.String())) {
		err = errors.New("output differs from expect.txt")
	}
	readme, unread := os.ReadFile(filepath.Join(dir, "README.md"))
	if unread == nil {
		err = errors.Join(err, shows(string(readme), string(want)))
	} else if !errors.Is(unread, fs.ErrNotExist) {
		err = errors.Join(err, unread)
	}
	return err
}

// fenced is a fenced block of Markdown that is not indented, and its contents.
var fenced = regexp.MustCompile("(?ms)^```[^`\n]*\n(.*?)^```$")

// shows returns an error unless readme has a block of output that matches want, or that begins like
// it and that want matches. A block with the first line of the output must match as a whole.
func shows(readme, want string) error {
	first, _, _ := strings.Cut(lines(want), "\n")
	begins, whole := pattern(first), pattern(want)
	n := 0
	for _, block := range fenced.FindAllStringSubmatch(lines(readme), -1) {
		text := block[1]
		line, _, _ := strings.Cut(text, "\n")
		like := begins.MatchString(line + "\n")
		switch {
		case whole.MatchString(text) || like && pattern(text).MatchString(lines(want)):
			n++
		case like:
			return fmt.Errorf("README.md differs from expect.txt:\n%s", text)
		}
	}
	if n == 0 {
		return errors.New("README.md does not show the output in expect.txt")
	}
	return nil
}

// lines returns text with LF line ends, including after its last line.
func lines(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
}

// pattern returns a regular expression for the output that want describes.
func pattern(want string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(lines(want)) {
		if line == "...\n" {
			b.WriteString(`(?:.*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}
