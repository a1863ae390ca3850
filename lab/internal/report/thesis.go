package report

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// bandChart draws one of figures 6.1 to 6.5, if the run has it.
func (r *Report) bandChart(j measure.Job, fig measure.Published) (chart, bool) {
	rows, unit := r.bandRows(j, fig.Metric)
	if len(rows) == 0 {
		return chart{}, false
	}
	note := fmt.Sprintf("%s %s, %s %s, log axis; boxes hold 95, 75 and 50 %% of the repetitions, "+
		"whiskers all.", unit, fig.Per, measure.Grouped(j.N), j.Workload.NMeans)
	frame := draw.Frame{Title: "Figure " + fig.Number + ": " + fig.Text, Unit: unit}
	title := "Figure " + fig.Number + ". " + fig.Text
	return newChart(j.ID()+"-"+fig.Name, title, note, true, frame,
		func(f draw.Frame) draw.Picture { return draw.Bands(f, rows) }), true
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
		charts = append(charts, newChart(j.ID()+"-"+g.Name, title, note, true, frame,
			func(f draw.Frame) draw.Picture { return draw.Lines(f, stepAxis(s), lines) }))
	}
	return charts
}
