package main

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
)

// drawnAbove reports whether a job's chart of a metric, or of its steps if metric is empty, is
// among the thesis' figures; or any of a job that has no steps.
func (r *report) drawnAbove(j job, metric string) bool {
	if !r.first(j) {
		return false
	}
	for _, f := range j.w.drawn.figures {
		if metric == "" || f.metric == metric {
			return true
		}
	}
	return j.w.steps != nil && len(j.w.steps.groups) > 0 && metric == ""
}

// thesisCharts draws the thesis' figures 6.1 to 6.8 anew, as far as the run has them.
func (r *report) thesisCharts() (charts []chart) {
	at := index(r.rec)
	for _, j := range r.jobs {
		if !r.first(j) {
			continue
		}
		for _, fig := range j.w.drawn.figures {
			if c, ok := r.bandChart(j, fig, at); ok {
				charts = append(charts, c)
			}
		}
	}
	for _, j := range r.jobs {
		if j.w.steps != nil && r.first(j) {
			charts = append(charts, r.stepCharts(j, at)...)
		}
	}
	return charts
}

// bandChart draws one of figures 6.1 to 6.5, if the run has it.
func (r *report) bandChart(j job, fig publishedFigure, at map[place]*figure) (chart, bool) {
	rows, unit := r.bandRows(j, fig.metric, func(impl, m string) *figure {
		return at[j.at(impl, m)]
	})
	if len(rows) == 0 {
		return chart{}, false
	}
	note := fmt.Sprintf("%s %s, %s %s, log axis. Boxes hold the middle 50, 75 and 95 %% of "+
		"the repetitions, the line is the median, whiskers go from the least to the most.",
		unit, fig.per, grouped(j.n), j.w.nMeans)
	frame := draw.Frame{Title: "Figure " + fig.number + ": " + fig.text, Unit: unit}
	title := "Figure " + fig.number + ". " + fig.text
	return newChart(fileOf(fig.number, fig.name), title, note, true, frame,
		func(f draw.Frame) draw.Picture { return draw.Bands(f, rows) }), true
}

// fileOf writes 6.1 and insert as thesis-6-1-insert.
func fileOf(number, name string) string {
	return fmt.Sprintf("thesis-%c-%c-%s", number[0], number[2], name)
}

// stepCharts draws figures 6.6 to 6.8, if the workload has them.
func (r *report) stepCharts(j job, at map[place]*figure) (charts []chart) {
	s := j.w.steps
	back := func(im impl) int { // the step; how many there are if there is none
		if f := at[j.at(im.name, s.back)]; f != nil {
			return int(f.Value)
		}
		return s.count
	}
	for _, g := range s.groups {
		ims := slices.DeleteFunc(r.shown(j), func(im impl) bool {
			return im.safe != g.safe || im.safe && (back(im) < s.count) != g.back
		})
		lines := r.stepLines(j, ims)
		if len(lines) == 0 {
			continue
		}
		note := fmt.Sprintf("ns, medians, log axis; %s particles come at step %d.",
			grouped(j.n), s.event)
		if g.back {
			note += " They are back at step:"
			for i, im := range ims {
				note += fmt.Sprintf("%s %s %d", ","[:min(i, 1)], im.name, back(im))
			}
			note += "."
		}
		frame := draw.Frame{Title: "Figure " + g.number + ": " + g.text, Unit: "ns", Log: true}
		title := "Figure " + g.number + ". " + g.text
		charts = append(charts, newChart(fileOf(g.number, g.name), title, note, true, frame,
			func(f draw.Frame) draw.Picture { return draw.Lines(f, stepAxis(s), lines) }))
	}
	return charts
}
