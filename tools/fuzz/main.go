// Command fuzz runs every fuzz target of some packages for a while.
//
//	fuzz [-time 10s] [-jobs n] package...
//
// go test fuzzes only one target at a time, by name. This command finds all targets, and runs those
// of several packages side by side with one worker each. On few cores that finds as much as one
// target with all workers, in a fraction of the time.
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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// target is a fuzz function.
type target struct{ pkg, name string }

func main() {
	length := flag.Duration("time", 10*time.Second, "the time for each target")
	jobs := flag.Int("jobs", runtime.NumCPU(), "the number of packages to run side by side")
	flag.Parse()
	if err := fuzzAll(flag.Args(), *length, *jobs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// fuzzAll runs the targets of packages, and returns all failures. No target at all is a failure,
// too, since the search must be broken then.
func fuzzAll(packages []string, length time.Duration, jobs int, out io.Writer) error {
	targets, err := find(packages)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return errors.New("no fuzz targets")
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex // guards out and failed
		failed []error
		slots  = make(chan struct{}, max(jobs, 1))
	)
	// The targets of a package follow each other: side by side, they would compile it twice.
	for len(targets) > 0 {
		n := 1
		for n < len(targets) && targets[n].pkg == targets[0].pkg {
			n++
		}
		group := targets[:n]
		targets = targets[n:]
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for _, t := range group {
				text, err := fuzz(t, length)
				mu.Lock()
				fmt.Fprintf(out, "--- %s %s\n%s", t.pkg, t.name, text)
				if err != nil {
					failed = append(failed, fmt.Errorf("%s %s: %w", t.pkg, t.name, err))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// find returns the fuzz targets of packages. It reads them from the source, since go test -list
// would first link a program for every package.
func find(packages []string) (targets []target, err error) {
	cmd := exec.Command("go", append([]string{"list",
		"-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "--"}, packages...)...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			for _, match := range declared.FindAllSubmatch(text, -1) {
				targets = append(targets, target{p.ImportPath, string(match[1])})
			}
		}
	}
	return targets, nil
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz[A-Z0-9_]\w*)\(`)

// fuzz runs t for length and returns what go test printed.
func fuzz(t target, length time.Duration) (text string, err error) {
	text, err = goTest(t, length)
	if !unclear(text) {
		return text, err
	}
	// With ten seconds more, go test itself finds and keeps an input that hangs.
	again, err := goTest(t, length+15*time.Second)
	return text + "once more:\n" + again, err
}

// goTest fuzzes t with go test. Minimization is off: go test would otherwise spend most of a short
// run, up to a minute each, on minimizing inputs that are merely new, without counting these calls:
// https://go.dev/issue/48820.
func goTest(t target, length time.Duration) (text string, err error) {
	cmd := exec.Command("go", "test", "-vet", "off", "-run", "^$", "-fuzz", "^"+t.name+"$",
		"-fuzztime", length.String(), "-fuzzminimizetime", "10x", "-parallel", "1", t.pkg)
	data, err := cmd.CombinedOutput()
	return string(data), err
}

var progress = regexp.MustCompile(`(?m)^fuzz: elapsed: (\w+), (execs: \d+|gathering .*)`)

// unclear reports whether text, printed by go test, shows neither success nor failure. There are
// two cases. When its time is up, go test occasionally fails for no other reason:
// https://go.dev/issue/75804. And go test detects an input that hangs only after ten seconds, so
// the rest of a shorter run passes without a call.
func unclear(text string) bool {
	if strings.Contains(text, "Failing input written") {
		return false
	}
	if strings.Contains(text, "context deadline exceeded") {
		return true
	}
	lines := progress.FindAllStringSubmatch(text, -1)
	if len(lines) == 0 {
		return false
	}
	last := lines[len(lines)-1]
	end, _ := time.ParseDuration(last[1])
	return slices.ContainsFunc(lines, func(line []string) bool {
		at, _ := time.ParseDuration(line[1])
		return line[2] == last[2] && end-at >= 3*time.Second
	})
}
