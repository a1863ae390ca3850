package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The thesis' figures are there in their order, each with a row or a line for everyone who belongs
// into it. What stands there is not drawn again with its workload.
func TestThesisFigures(t *testing.T) {
	r := fixedReport(false)
	p := r.thesis()
	var names []string
	for _, c := range p.Charts {
		names = append(names, c.name)
	}
	want := "thesis-6-1-insert thesis-6-2-iterate thesis-6-3-random-get thesis-6-4-random-remove thesis-6-5-cross thesis-6-6-unsafe thesis-6-7-slow-after thesis-6-8-back"
	if got := strings.Join(names, " "); got != want {
		t.Fatalf("the thesis' figures are %s, want %s", got, want)
	}
	at := measure.Index(r.Recorder)
	for i, c := range p.Charts {
		if want := fmt.Sprintf("Figure 6.%d. ", i+1); !strings.HasPrefix(c.Title, want) {
			t.Errorf("figure %d has the title %q", i+1, c.Title)
		}
		name := "thesis-ephemeral"
		switch {
		case i < 4:
			name = "thesis-basic"
		case i == 4:
			name = "thesis-cross"
		}
		k := slices.IndexFunc(r.Jobs, func(j measure.Job) bool { return j.Workload.Name == name })
		j := r.Jobs[k]
		for _, im := range j.Runners(r.Impls) {
			in := true
			if i >= 5 {
				back := at[j.At(im.Name, "back")].Value < float64(j.Workload.Steps.Count)
				in = im.Safe == (i > 5) && (!im.Safe || back == (i == 7))
			}
			if got := strings.Contains(string(c.SVG), ">"+im.Name+"</text>"); got != in {
				t.Errorf("%s has %s: %t, want %t", c.name, im.Name, got, in)
			}
		}
	}
	for _, s := range p.Sections {
		if s.Above != slices.Contains([]string{"thesis-basic", "thesis-cross", "thesis-ephemeral"}, s.workload) {
			t.Errorf("%s refers to the thesis' figures: %t", s.ID, s.Above)
		}
		for _, c := range slices.Concat(s.Lead, s.More) {
			if c.Metric == "insert" && s.workload == "thesis-basic" || s.workload == "thesis-cross" || s.workload == "thesis-ephemeral" {
				t.Errorf("%s draws %s again", s.ID, c.Title)
			}
		}
	}
	page, err := p.html()
	must(t, err)
	if !strings.Contains(string(page), ", genpool: as in the report.</p>") {
		t.Error("the lists' family does not refer to what has been described")
	}
	for _, s := range r.page().Sections {
		if strings.HasPrefix(s.ID, "thesis") {
			t.Errorf("the report has %s, too", s.ID)
		}
	}
}

// A run without the thesis' workloads has no page of them, and removes that of an earlier run.
func TestNoThesis(t *testing.T) {
	dir := t.TempDir()
	must(t, defaultReport().Write(dir))
	if !strings.Contains(read(t, dir, ReportFile), `href="thesis.html"`) || !strings.Contains(read(t, dir, ThesisFile), `href="report.html"`) {
		t.Error("the pages do not lead to each other")
	}
	for range 2 {
		must(t, invented([]measure.Job{job("churn", 1, 8)}).Write(dir))
	}
	if _, err := os.Stat(filepath.Join(dir, ThesisFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the page of the thesis is still there (%v)", err)
	}
	if strings.Contains(read(t, dir, ReportFile), "thesis.html") {
		t.Error("the report leads to it")
	}
}
