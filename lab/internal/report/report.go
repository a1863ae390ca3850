// Package report prints, draws and writes what was measured.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

const (
	ReportFile  = "report.html"
	ResultsFile = "results.json"
	figuresDir  = "figures"
	figuresList = "figures.txt" // in figuresDir: the names of those that the command wrote
)

// Report is a run, ready to be written.
type Report struct {
	Catalogue measure.Catalogue
	Recorder  *measure.Recorder
	Impls     []measure.Impl
	Jobs      []measure.Job
	Started   time.Time
	Took      time.Duration
	Command   string
	Machine   measure.Machine
	Partial   bool
	Laws      *laws.Table // nil if nobody was asked
	Out       string      // the folder that it is written to, if it is
}

// Write writes all files into dir. Each is whole or as it was before.
func (r *Report) Write(dir string) error {
	results, err := encodeResults(r)
	if err != nil {
		return fmt.Errorf("cannot encode results: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, ResultsFile), results); err != nil {
		return err
	}
	p := r.page()
	page, err := p.html()
	if err != nil {
		return fmt.Errorf("cannot make the report: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, ReportFile), page); err != nil {
		return err
	}
	return writeFigures(filepath.Join(dir, figuresDir), p.charts())
}

// writeFigures writes each chart into a file of its own in dir. It removes what an earlier run has
// left there, by the list that it left, and nothing else.
func writeFigures(dir string, charts []chart) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot write figures: %w", err)
	}
	list := filepath.Join(dir, figuresList)
	before, err := os.ReadFile(list)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the list of figures: %w", err)
	}
	var names []string
	for _, c := range charts {
		names = append(names, c.File())
	}
	// The list has the old and the new until all is done, so that no crash leaves a file without.
	old := slices.DeleteFunc(strings.Fields(string(before)), func(name string) bool {
		return filepath.Base(name) != name || !strings.HasSuffix(name, ".svg")
	})
	if err := writeList(list, append(slices.Clone(old), names...)); err != nil {
		return err
	}
	for _, c := range charts {
		if err := atomicfile.Write(filepath.Join(dir, c.File()), c.picture.File()); err != nil {
			return err
		}
	}
	for _, name := range old {
		if !slices.Contains(names, name) {
			err := os.Remove(filepath.Join(dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot remove a figure of an earlier run: %w", err)
			}
		}
	}
	return writeList(list, names)
}

func writeList(path string, names []string) error {
	return atomicfile.Write(path, []byte(strings.Join(names, "\n")+"\n"))
}
