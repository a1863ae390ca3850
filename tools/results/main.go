// Command results checks the files that a run of the measurements leaves.
//
//	results lab-out
//
// It requires a non-empty report.html, a non-empty thesis.html if a thesis workload was run,
// and a results.json with at least one figure and "checksum_ok": true in each. A figure with a
// wrong checksum is the time of another computation.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: results dir")
		os.Exit(2)
	}
	n, err := check(os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintf(os.Stderr, "results: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	fmt.Printf("%d figures, all checksums right\n", n)
}

// check returns the number of figures, or all problems.
func check(dir fs.FS) (int, error) {
	if err := notEmpty(dir, "report.html"); err != nil {
		return 0, err
	}
	data, err := fs.ReadFile(dir, "results.json")
	if err != nil {
		return 0, err
	}
	var figures []struct {
		Impl, Workload, Metric string
		OK                     bool `json:"checksum_ok"` // a missing field is not ok
	}
	if err := json.Unmarshal(data, &figures); err != nil {
		return 0, fmt.Errorf("results.json: %w", err)
	}
	if len(figures) == 0 {
		return 0, errors.New("results.json has no figures")
	}
	var bad []error
	thesis := false
	for _, f := range figures {
		thesis = thesis || strings.HasPrefix(f.Workload, "thesis-")
		if !f.OK {
			err := fmt.Errorf("%s, %s, %s: wrong checksum", f.Impl, f.Workload, f.Metric)
			bad = append(bad, err)
		}
	}
	if thesis {
		bad = append(bad, notEmpty(dir, "thesis.html"))
	}
	return len(figures), errors.Join(bad...)
}

func notEmpty(dir fs.FS, name string) error {
	switch file, err := fs.Stat(dir, name); {
	case err != nil:
		return err
	case file.Size() == 0:
		return fmt.Errorf("%s is empty", name)
	}
	return nil
}
