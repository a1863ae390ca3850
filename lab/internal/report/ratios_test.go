package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// text writes a row as it is read.
func (r ratioRow) text() string {
	s := r.Workload + " " + r.Metric + ":"
	for _, c := range r.Cells {
		s += fmt.Sprintf(" %s %s %s,", c.Value, c.ToUsual.Text, c.ToBase.Text)
	}
	return strings.TrimSpace(s + " " + r.Best + r.Subject + " " + r.Baseline)
}

func TestRatios(t *testing.T) {
	jobs := []measure.Job{job("churn", 1, 8), job("cross", 1, 8), job("freelist", 256, 4), job("arena-pool", 1, 32)}
	r := figuresOf(jobs, map[string]map[string]float64{
		"churn ns_per_pair":        {"berth.Pool": 20, "berth.Dense": 9, "[]T": 10, "map[uint64]*T": 100, "genpool": 40, "ark": 30, "[]*T": 1},
		"cross ns_per_pair":        {"berth.Pool": 10, "berth.Dense": 90, "stable.List": 30},
		"cross ns_per_pair_values": {"berth.Pool": 5},
		"freelist pair":            {"Stack[uint32]": 1, "linked list": 2},
		"arena-pool iterate":       {"Pool huge pages": 20, "arena.Pool": 5, "berth.Pool": 10},
	})
	table := r.ratios()
	if got := strings.Join(table.Subjects, " "); got != "berth.Pool berth.Dense stable.List" || table.Baseline != "[]T" || table.Short() != "map" {
		t.Errorf("subjects %s, ratios to %s and %s", got, table.Short(), table.Baseline)
	}
	want := []string{
		"churn, 8 B remove a random value and insert another, ns: 20.0 0.20x 2.0x, 9.00 0.09x 0.90x, -  , ark 30.0",
		"cross each against all others, per ordered pair, ns: 10.0 - -, 90.0 - -, 30.0 - -,",
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(table.Rows), len(want))
	}
	for i, row := range table.Rows {
		if got := row.text(); got != want[i] {
			t.Errorf("row %d: %q, want %q", i, got, want[i])
		}
	}
	pool, dense := table.Rows[0].Cells[0], table.Rows[0].Cells[1]
	if !pool.ToUsual.Less || pool.ToBase.Less || !dense.ToBase.Less {
		t.Errorf("less than the base: %+v, %+v", pool, dense)
	}

	others := r.otherRatios()
	want = []string{
		"freelist, n = 256 take one and put it back, ns: 1.00 - 0.50x, Stack[uint32] linked list",
		"arena-pool, n = 1 loop over all, ns: 20.0 - 2.0x, Pool huge pages berth.Pool",
		"arena-pool, n = 1 loop over all, ns: 5.00 - 0.50x, arena.Pool berth.Pool",
	}
	if len(others) != len(want) {
		t.Fatalf("%d rows of others, want %d: %v", len(others), len(want), others)
	}
	for i, row := range others {
		if got := row.text(); got != want[i] {
			t.Errorf("row %d of others: %q, want %q", i, got, want[i])
		}
	}
	for _, row := range defaultReport().otherRatios() {
		if strings.HasPrefix(row.ID, "thesis") {
			t.Errorf("the thesis has figures of its own, but there is %s", row.text())
		}
	}
}

// A figure with a wrong checksum does not count: it is no base, is not the best, and has no ratio.
func TestWrongFiguresAreNoMeasure(t *testing.T) {
	j := job("churn", 1, 8)
	r := figuresOf([]measure.Job{j}, map[string]map[string]float64{
		"churn ns_per_pair": {"berth.Pool": 20, "berth.Dense": 10, "map[uint64]*T": 40, "[]T": 5, "genpool": 8, "ark": 9},
	})
	row := func() string { return r.ratios().Rows[0].text() }
	const words = "churn, 8 B remove a random value and insert another, ns: "
	if got, want := row(), words+"20.0 0.50x 4.0x, 10.0 0.25x 2.0x, -  , genpool 8.00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range []string{"[]T", "genpool", "berth.Dense"} {
		r.Recorder.Add(name, j, "ns_per_pair", "ns", 1, 0, 7)
	}
	if got, want := row(), words+"20.0 0.50x -, -  , -  , ark 9.00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
