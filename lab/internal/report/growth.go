package report

import (
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// implRow is an implementation and its figures, one for each of the section's metrics.
type implRow struct {
	Name  string
	Cells []tableCell
}

type tableCell struct {
	Value, Ratio, Range string
	Usual               string // the ratio to what most programs use
	Wide, Wrong         bool
}

func makeCell(f *measure.Figure) tableCell {
	if f == nil {
		return tableCell{Value: "-"}
	}
	c := tableCell{Value: Number(f.Value), Wide: f.Wide(), Wrong: !f.ChecksumOK}
	if f.Ratio != nil {
		c.Ratio = RatioText(f.Ratio.Value)
		if f.Ratio.High > 0 && f.Ratio.To != f.Impl {
			low, high := RatioText(f.Ratio.Low), RatioText(f.Ratio.High)
			c.Range = strings.TrimSuffix(low, "x") + "–" + high
		}
	}
	return c
}

// growthTable has a metric of a workload at all its sizes.
type growthTable struct {
	Metric, Unit, Baseline string // Metric is in words
	Sizes                  []string
	Impls                  []implRow
}

// grown returns the jobs of w, if it has a table for each metric in place of one for each size:
// all its key metrics are drawn over the sizes, and there are two sizes at least.
func grown(w *measure.Workload, jobs []measure.Job) []measure.Job {
	of := slices.DeleteFunc(slices.Clone(jobs), func(j measure.Job) bool { return j.Workload != w })
	if len(of) < 2 || !slices.Equal(w.Key, w.Drawn.Growth) {
		return nil
	}
	return of
}

func sizeNames(jobs []measure.Job) (names []string) {
	for _, j := range jobs {
		names = append(names, measure.Grouped(j.N))
	}
	return names
}

// having returns those of ims that have a figure of the metric in one of jobs.
func having(
	at map[measure.Place]*measure.Figure, ims []measure.Impl, jobs []measure.Job, metric string,
) []measure.Impl {
	return slices.DeleteFunc(slices.Clone(ims), func(im measure.Impl) bool {
		return !slices.ContainsFunc(jobs, func(j measure.Job) bool {
			return at[j.At(im.Name, metric)] != nil
		})
	})
}

// growthTables returns the tables of a job's workload, if it has one for each metric. They are in
// the section of its first job.
func (r *Report) growthTables(j measure.Job) (tables []growthTable) {
	at := measure.Index(r.Recorder)
	jobs := grown(j.Workload, r.Jobs)
	if jobs == nil || !r.first(j) {
		return nil
	}
	for _, metric := range j.Workload.Drawn.Growth {
		t := growthTable{
			Metric: wordsOf(j.Workload, metric), Unit: j.Units(r.Recorder),
			Baseline: j.Family.Baseline, Sizes: sizeNames(jobs),
		}
		for _, im := range having(at, r.shown(j), jobs, metric) {
			row := implRow{Name: im.Name}
			for _, size := range jobs {
				row.Cells = append(row.Cells, makeCell(at[size.At(im.Name, metric)]))
			}
			t.Impls = append(t.Impls, row)
		}
		if len(t.Impls) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
