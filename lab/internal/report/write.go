package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
)

// Write writes all files into dir. Each is whole or as it was before.
func (r *Report) Write(dir string) error {
	results, err := encodeResults(r)
	if err != nil {
		return fmt.Errorf("cannot encode results: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, ResultsFile), results); err != nil {
		return err
	}
	main, thesis := r.page(), r.thesis()
	if err := main.write(filepath.Join(dir, ReportFile)); err != nil {
		return err
	}
	if err := thesis.write(filepath.Join(dir, ThesisFile)); err != nil {
		return err
	}
	charts := append(main.charts(), thesis.charts()...)
	return writeFigures(filepath.Join(dir, figuresDir), charts)
}

// write writes the page. It removes that of an earlier run if this one has none.
func (p *page) write(path string) error {
	if p == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a page of an earlier run: %w", err)
		}
		return nil
	}
	text, err := p.html()
	if err != nil {
		return fmt.Errorf("cannot make %s: %w", filepath.Base(path), err)
	}
	return atomicfile.Write(path, text)
}

// writeFigures writes each chart into a file of its own in dir. It removes the files that an
// earlier run wrote there, by the list that it left, and no others.
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
	// The list has old and new names until all is done, so that a crash leaves no file off it.
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
