package report

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// thesisCharts draws the thesis' figures 6.1 to 6.8 anew, as far as the run has them.
func (r *Report) thesisCharts() (charts []chart) {
	for _, j := range r.Jobs {
		if !r.first(j) {
			continue
		}
		for _, fig := range j.Workload.Drawn.Figures {
			if c, ok := r.bandChart(j, fig); ok {
				charts = append(charts, c)
			}
		}
	}
	for _, j := range r.Jobs {
		if j.Workload.Steps != nil && r.first(j) {
			charts = append(charts, r.stepCharts(j)...)
		}
	}
	return charts
}

// bandChart draws one of figures 6.1 to 6.5, if the run has it.
func (r *Report) bandChart(j measure.Job, fig measure.Published) (chart, bool) {
	rows, unit := r.bandRows(j, fig.Metric)
	if len(rows) == 0 {
		return chart{}, false
	}
	note := fmt.Sprintf("%s %s, %s %s, log axis.", unit, fig.Per, measure.Grouped(j.N),
		j.Workload.NMeans)
	frame := draw.Frame{Title: "Figure " + fig.Number + ": " + fig.Text, Unit: unit}
	title := "Figure " + fig.Number + ". " + fig.Text
	return newChart(fileOf(fig.Number, fig.Name), title, note, true, frame,
		func(f draw.Frame) draw.Picture { return draw.Bands(f, rows) }), true
}

// fileOf writes 6.1 and insert as thesis-6-1-insert.
func fileOf(number, name string) string {
	return fmt.Sprintf("thesis-%c-%c-%s", number[0], number[2], name)
}

// stepCharts draws figures 6.6 to 6.8, if the workload has them.
func (r *Report) stepCharts(j measure.Job) (charts []chart) {
	s := j.Workload.Steps
	back := func(im measure.Impl) int { // the step; how many there are if there is none
		if f := r.figure(j, im.Name, s.Back); f != nil {
			return int(f.Value)
		}
		return s.Count
	}
	for _, g := range s.Groups {
		ims := slices.DeleteFunc(r.shown(j), func(im measure.Impl) bool {
			return im.Safe != g.Safe || im.Safe && (back(im) < s.Count) != g.Back
		})
		lines := r.stepLines(j, ims)
		if len(lines) == 0 {
			continue
		}
		note := fmt.Sprintf("ns, medians, log axis; %s particles come at step %d.",
			measure.Grouped(j.N), s.Event)
		if g.Back {
			note += " They return at step"
			for i, im := range ims {
				note += fmt.Sprintf("%s %s %d", ","[:min(i, 1)], im.Name, back(im))
			}
			note += "."
		}
		frame := draw.Frame{Title: "Figure " + g.Number + ": " + g.Text, Unit: "ns", Log: true}
		title := "Figure " + g.Number + ". " + g.Text
		charts = append(charts, newChart(fileOf(g.Number, g.Name), title, note, true, frame,
			func(f draw.Frame) draw.Picture { return draw.Lines(f, stepAxis(s), lines) }))
	}
	return charts
}
