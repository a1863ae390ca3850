package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// results checks the files in dir that a run of the measurements leaves. It requires a non-empty
// report.html, and a results.json with at least one figure and "checksum_ok": true in each. A
// figure with a wrong checksum is the time of another computation.
func results(dir string) (found []string, err error) {
	var figures []struct {
		Impl, Workload, Metric string
		OK                     bool `json:"checksum_ok"` // a missing field is not ok
	}
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err == nil {
		err = json.Unmarshal(data, &figures)
	}
	if err != nil {
		return nil, fmt.Errorf("results.json: %w", err)
	}
	if len(figures) == 0 {
		found = append(found, "results.json has no figures")
	}
	for _, f := range figures {
		if !f.OK {
			found = append(found, f.Impl+", "+f.Workload+", "+f.Metric+": wrong checksum")
		}
	}
	if page, err := os.Stat(filepath.Join(dir, "report.html")); err != nil || page.Size() == 0 {
		found = append(found, "report.html is missing or empty")
	}
	return found, nil
}
