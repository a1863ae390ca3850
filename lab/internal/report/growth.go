package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

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

// sizeNames returns the sizes of jobs.
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

// printGrowth prints a table for each metric of a workload, with a column for each of its sizes.
func printGrowth(w io.Writer, rec *measure.Recorder, ims []measure.Impl, jobs []measure.Job) {
	at, j := measure.Index(rec), jobs[0]
	about := fmt.Sprintf("\n%s: %s\n%s: %d bytes each; %s; ratio to %s\n",
		j.Workload.Name, j.Workload.About, j.Workload.NMeans, j.Elem, j.Units(rec),
		j.Family.Baseline)
	for _, metric := range j.Workload.Drawn.Growth {
		rows := having(at, ims, jobs, metric)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprint(w, about)
		about = ""
		printTable(w, metric, rows, sizeNames(jobs), func(im measure.Impl, k int) string {
			return cellText(at[jobs[k].At(im.Name, metric)])
		})
	}
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
