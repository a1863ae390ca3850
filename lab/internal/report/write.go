package report

import (
	"fmt"
	"path/filepath"

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
	page, err := r.page().html()
	if err != nil {
		return fmt.Errorf("cannot make %s: %w", ReportFile, err)
	}
	return atomicfile.Write(filepath.Join(dir, ReportFile), page)
}
