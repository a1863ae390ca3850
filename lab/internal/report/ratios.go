package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// ratioTable has the key metrics of the first family: each subject's figure, its ratios to the
// family's baseline and to what most programs use, and the best of the others with safe handles.
type ratioTable struct {
	Subjects        []string
	Baseline, Usual string
	Rows            []ratioRow
}

// Short returns the name of what most programs use without its type parameters.
func (t ratioTable) Short() string {
	short, _, _ := strings.Cut(t.Usual, "[")
	return short
}

// ratioRow is a metric of a workload. A row of ratioTable has a cell for each subject, in order. A
// row of the table of the other families has one, and names its subject and baseline.
type ratioRow struct {
	ID, Workload      string // the section
	Metric            string // in words
	Cells             []ratioCell
	Best              string // the best of the others with safe handles, and its figure
	Subject, Baseline string
}

// ratioCell is a figure and its ratios to two others, as text.
type ratioCell struct {
	Value           string
	ToUsual, ToBase ratioText
	Wide            bool
}

// ratioText is a ratio, and whether it says that less was needed.
type ratioText struct {
	Text string
	Less bool
}

// even is the ratio below which a figure is called less than another.
const even = 0.95

func newRatioText(f, base *measure.Figure) ratioText {
	if base == nil {
		return ratioText{Text: "-"}
	}
	q := f.RatioTo(base)
	if q == nil {
		return ratioText{Text: "-"}
	}
	return ratioText{RatioText(q.Value), q.Value < even}
}

// ratios returns the table of the first family's key metrics.
func (r *Report) ratios() ratioTable {
	fam := r.Catalogue[0]
	t := ratioTable{Baseline: fam.Baseline, Usual: fam.Usual}
	for _, name := range fam.Subjects {
		if slices.ContainsFunc(r.Impls, func(im measure.Impl) bool { return im.Name == name }) {
			t.Subjects = append(t.Subjects, name)
		}
	}
	for _, j := range r.Jobs {
		if j.Family != fam {
			continue
		}
		for _, m := range j.Workload.Key {
			if row, ok := r.ratioRow(j, m, t.Subjects); ok && measure.BaseMetric(m) == m {
				row.Best = r.best(j, m)
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// otherRatios returns a row for each subject and key metric of the families but the first one and
// those of a publication.
func (r *Report) otherRatios() (rows []ratioRow) {
	for _, j := range r.Jobs {
		if j.Family == r.Catalogue[0] || published(j.Family) {
			continue
		}
		for _, subject := range j.Family.Subjects {
			for _, m := range j.Workload.Key {
				row, ok := r.ratioRow(j, m, []string{subject})
				if ok && measure.BaseMetric(m) == m {
					row.Subject, row.Baseline = subject, j.Family.Baseline
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// ratioRow returns the row of a job's metric, if one of the subjects has a figure of it.
func (r *Report) ratioRow(
	j measure.Job, metric string, subjects []string,
) (row ratioRow, ok bool) {
	row = ratioRow{ID: j.ID(), Workload: j.Label()}
	for _, name := range subjects {
		f := r.figure(j, name, metric)
		if f == nil || !f.ChecksumOK {
			row.Cells = append(row.Cells, ratioCell{Value: "-"})
			continue
		}
		ok = true
		row.Metric = withUnit(j.Workload, f)
		row.Cells = append(row.Cells, ratioCell{
			Value:   Number(f.Value),
			ToUsual: newRatioText(f, r.figure(j, j.Family.Usual, metric)),
			ToBase:  newRatioText(f, r.figure(j, j.Family.Baseline, metric)),
			Wide:    f.Wide(),
		})
	}
	return row, ok
}

// best returns the name and the least figure of the implementations that are not of this library
// and whose stale handles find nothing. It is empty if there are none.
func (r *Report) best(j measure.Job, metric string) string {
	var others []*measure.Figure
	for _, im := range j.Family.Of(r.Impls) {
		if f := r.figure(j, im.Name, metric); f != nil && f.ChecksumOK && im.Safe && !im.Ours {
			others = append(others, f)
		}
	}
	if len(others) == 0 {
		return ""
	}
	f := slices.MinFunc(others, func(a, b *measure.Figure) int {
		return cmp.Compare(a.Value, b.Value)
	})
	return f.Impl + " " + Number(f.Value)
}
