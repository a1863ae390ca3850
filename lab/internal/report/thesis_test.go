package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The thesis' figures are there in their order, each with a row or a line for everyone who belongs
// into it. What stands there is not drawn again with its workload.
func TestThesisFigures(t *testing.T) {
	r := fixedReport(false)
	p := r.page()
	var figures []chart
	for _, c := range p.charts() {
		if strings.HasPrefix(c.Title, "Figure 6.") {
			figures = append(figures, c)
		}
	}
	if len(figures) != 8 {
		t.Fatalf("the thesis has %d figures, want 8", len(figures))
	}
	at := measure.Index(r.Recorder)
	for i, c := range figures {
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
				t.Errorf("%s has %s: %t, want %t", c.Title, im.Name, got, in)
			}
		}
	}
	for i, s := range p.Sections {
		workload := r.Jobs[i].Workload.Name
		for _, c := range slices.Concat(s.Lead, s.More) {
			again := workload == "thesis-cross" || workload == "thesis-ephemeral" || c.Metric == "insert" && workload == "thesis-basic"
			if again && !strings.HasPrefix(c.Title, "Figure 6.") {
				t.Errorf("%s draws %s again", s.ID, c.Title)
			}
		}
	}
	page, err := p.html()
	must(t, err)
	if !strings.Contains(string(page), ", genpool: as above.</p>") {
		t.Error("the lists' family does not refer to what has been described")
	}
}
