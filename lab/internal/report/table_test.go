package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

func TestTableWidth(t *testing.T) {
	r := fixedReport(false)
	var b bytes.Buffer
	printTables(&b, r.Recorder, r.Impls, r.Jobs)
	for line := range strings.SplitSeq(b.String(), "\n") {
		if len(line) > tableWidth {
			t.Errorf("line of %d columns:\n%s", len(line), line)
		}
	}
	for _, w := range catalogue.All.Works() {
		if !strings.Contains(b.String(), "\n"+w.Name+": ") {
			t.Errorf("no table of %s", w.Name)
		}
	}
	for _, f := range catalogue.All {
		for _, im := range f.Impls {
			tables := len(slices.DeleteFunc(slices.Clone(r.Jobs), func(j measure.Job) bool {
				return len(j.Family.Runners(j.Workload, []measure.Impl{im})) == 0 || j.Workload == impls.Growth.Workloads[0] && !r.first(j)
			}))
			if n := strings.Count(b.String(), "\n"+im.Name+" "); n < tables {
				t.Errorf("%s has %d rows, want one in each of %d tables at least", im.Name, n, tables)
			}
			if n := strings.Count(b.String(), "\n"+im.Name+" "); im.Name == "[]T in order" && n != 2 {
				t.Errorf("%s has %d rows, want two, in dcm and dcm-pool alone", im.Name, n)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		v    float64
		want string
	}{
		{0, "0.00"}, {0.2345, "0.23"}, {9.994, "9.99"}, {12.34, "12.3"}, {99.96, "100"}, {1234, "1234"},
		{12345, "12.3k"}, {1234567, "1235k"}, {12345678, "12.3M"}, {1e11, "100G"}, {-5, "-5.00"},
	} {
		if got := Number(tc.v); got != tc.want {
			t.Errorf("number(%g) = %s, want %s", tc.v, got, tc.want)
		}
	}
}

func TestRatio(t *testing.T) {
	for _, tc := range []struct {
		q    float64
		want string
	}{{0.0001, "<0.01x"}, {0.5, "0.50x"}, {1, "1.0x"}, {1.26, "1.3x"}, {9.96, "10x"}, {1234, "1234x"}, {12345, "12.3kx"}} {
		if got := RatioText(tc.q); got != tc.want {
			t.Errorf("ratio(%g) = %s, want %s", tc.q, got, tc.want)
		}
	}
}
