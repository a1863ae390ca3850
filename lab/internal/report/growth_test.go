package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// growthRun is a report of growth with invented figures.
func growthRun(t *testing.T, z measure.Sizing) *Report {
	t.Helper()
	return invented(measuretest.Plan(t, measuretest.Of(t, impls.Growth), z))
}

// Each verb has a table with a column for each size, and who has no figure of it has no row.
func TestGrowthTables(t *testing.T) {
	r := growthRun(t, measure.Sizing{})
	var b bytes.Buffer
	printTables(&b, r.Recorder, r.Impls, r.Jobs)
	text := b.String()
	for _, metric := range impls.Growth.Workloads[0].Key {
		head := regexp.MustCompile(metric + ` +10 000 +100 000 +1 000 000 +10 000 000\n`)
		if n := len(head.FindAllString(text, -1)); n != 1 {
			t.Errorf("%d tables of %s, want 1:\n%s", n, metric, text)
		}
	}
	if n := strings.Count(text, "growth:"); n != 1 {
		t.Errorf("growth is announced %d times, want once", n)
	}
	if n := strings.Count(text, "dependent load"); n != 1 {
		t.Errorf("dependent load has %d rows, want 1", n)
	}

	tables := r.growthTables(r.Jobs[0])
	if len(tables) != len(impls.Growth.Workloads[0].Key) {
		t.Fatalf("%d tables in the page, want one for each metric", len(tables))
	}
	at := measure.Index(r.Recorder)
	for i, table := range tables {
		want := len(impls.Growth.Impls)
		if table.Metric != "find by handle, random order" {
			want--
		}
		if len(table.Impls) != want {
			t.Errorf("%s has %d rows, want %d", table.Metric, len(table.Impls), want)
		}
		for _, row := range table.Impls {
			for k, cell := range row.Cells {
				f := at[r.Jobs[k].At(row.Name, impls.Growth.Workloads[0].Key[i])]
				if cell.Value != Number(f.Value) {
					t.Errorf("%s, %s, %s: %s, want %s", table.Metric, row.Name, table.Sizes[k],
						cell.Value, Number(f.Value))
				}
			}
		}
	}
	page, err := r.html()
	must(t, err)
	for _, table := range tables {
		if !strings.Contains(string(page), `aria-label="`+table.Metric+` at all sizes"`) {
			t.Errorf("the page has no table of %s", table.Metric)
		}
	}
}

// A run at one size has the usual table.
func TestGrowthOfOneSize(t *testing.T) {
	r := growthRun(t, measure.Sizing{N: 500})
	var b bytes.Buffer
	printTables(&b, r.Recorder, r.Impls, r.Jobs)
	if text := b.String(); !strings.Contains(text, "values: 500, 32 bytes each") ||
		strings.Count(text, "berth.Pool") != 1 {
		t.Errorf("not one table with all metrics:\n%s", text)
	}
	if tables := r.growthTables(r.Jobs[0]); len(tables) > 0 {
		t.Errorf("tables over sizes: %v", tables)
	}
}
