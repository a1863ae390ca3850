package report

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

func TestJudge(t *testing.T) {
	fig := func(impl string, v float64) *measure.Figure {
		return &measure.Figure{Result: measure.Result{Impl: impl, Value: v}}
	}
	rivals := []*measure.Figure{fig("a", 20), fig("b", 10), fig("c", 30)}
	for _, tc := range []struct {
		v    float64
		want verdict
	}{
		{5, verdict{"wins", "wins 2.0x over b", 2, "b"}},
		{10.4, verdict{"even", "even with b", 1, "b"}},
		{9.6, verdict{"even", "even with b", 1, "b"}},
		{15, verdict{"loses", "loses 1.5x to b", 1.5, "b"}},
	} {
		if got := judge(fig("x", tc.v), rivals); *got != tc.want {
			t.Errorf("judge(%g) = %v, want %v", tc.v, *got, tc.want)
		}
	}
	if got := judge(fig("x", 3), []*measure.Figure{fig("none", 0)}); got.Text != "loses 3.00 beside 0.00 to none" {
		t.Errorf("judge beside nothing = %q", got.Text)
	}
	if got := judge(fig("x", 1), nil); got != nil {
		t.Errorf("judge without rivals = %v, want nil", *got)
	}
}

// Each subject has verdicts of its own, in which what is of this library is no rival.
func TestTwoSubjects(t *testing.T) {
	rec := measure.NewRecorder()
	j := job("churn", 1, 8)
	ims := []measure.Impl{impls.Pool, impls.Dense, impls.Slice, impls.Genpool}
	for i, v := range []float64{20, 1, 10, 40} {
		rec.Add(ims[i].Name, j, "ns_per_pair", "ns", v, 7, 7)
	}
	page, err := (&Report{Catalogue: catalogue.All, Recorder: rec, Impls: ims, Jobs: []measure.Job{j}}).html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<th scope="col">berth.Pool against the best</th><th scope="col">berth.Dense against the best</th>`,
		shownVerdict("loses", "loses 2.0x to []T") + `<br>of the safe: ` + shownVerdict("wins", "wins 2.0x over genpool") + `</td>` +
			`<td>` + shownVerdict("wins", "wins 10x over []T") + `<br>of the safe: ` + shownVerdict("wins", "wins 40x over genpool") + `</td>`,
		`Of the 1 figures that berth.Pool has rivals in, outside this library, it is the fastest or smallest in 0, within 5 % of the best in 0, and behind in 1. ` +
			`Against the safe ones alone, whose stale handles find nothing (genpool): ahead in 1, within 5 % in 0, behind in 0.</p>`,
		`Of the 1 figures that berth.Dense has rivals in, outside this library, it is the fastest or smallest in 1,`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	page, err = (&Report{Catalogue: catalogue.All, Recorder: rec, Impls: ims[1:2], Jobs: []measure.Job{j}}).html()
	if err != nil || strings.Contains(string(page), "against the best") {
		t.Errorf("a subject without rivals has verdicts (%v)", err)
	}
}

// The pools in memory of an arena are judged against berth.Pool, though it is of this library.
func TestJudgedAgainstPool(t *testing.T) {
	rec := measure.NewRecorder()
	j := job("arena-pool", 1, 32)
	ims := []measure.Impl{{Name: "Pool huge pages", Ours: true, Safe: true}, impls.ArenaPool, impls.ArenaNarrow, impls.Pool}
	for i, v := range []float64{20, 5, 1, 10} {
		rec.Add(ims[i].Name, j, "iterate", "ns", v, 7, 7)
	}
	page, err := (&Report{Catalogue: catalogue.All, Recorder: rec, Impls: ims, Jobs: []measure.Job{j}}).html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		shownVerdict("loses", "loses 2.0x to berth.Pool") + `</td>`,
		shownVerdict("wins", "wins 2.0x over berth.Pool") + `</td>`,
		`Of the 1 figures that arena.Pool has berth.Pool beside it in, it is the fastest or smallest in 1,`,
		`Ratios are to berth.Pool.`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// A figure with a wrong checksum does not count: it is no base, and wins nothing.
func TestWrongFiguresAreNoMeasure(t *testing.T) {
	j := job("basic", 1, 8)
	rec := measure.NewRecorder()
	rec.Add("[]T", j, "m", "ns", 1, 7, 8)
	rec.Add("x", j, "m", "ns", 2, 8, 8)
	rec.Add("berth.Pool", j, "m", "ns", 3, 8, 8)
	at := measure.Index(rec)
	get := func(impl, metric string) *measure.Figure { return at[j.At(impl, metric)] }
	if r := get("x", "m").Ratio; r != nil {
		t.Errorf("ratio %+v to a wrong base", r)
	}
	ims := []measure.Impl{impls.Pool, impls.Slice, {Name: "x"}}
	if v := judgeMetric(impls.Family, "berth.Pool", ims, get, "m").All; v == nil || v.rival != "x" {
		t.Errorf("berth.Pool is judged %+v, want against x", v)
	}
	rec.Add("berth.Pool", j, "m", "ns", 1, 0, 8)
	at = measure.Index(rec)
	if v := judgeMetric(impls.Family, "berth.Pool", ims, get, "m").All; v != nil {
		t.Errorf("berth.Pool, of a wrong checksum, is judged %+v", v)
	}
}
