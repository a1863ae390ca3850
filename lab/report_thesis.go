package main

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
)

// thesisFigures lists the figures of the thesis that are bands, each with the workload and metric
// that it is drawn from.
//
// Source: F. Saukko, StableList, University of Turku 2025, sections 6.1 and 6.2.
var thesisFigures = []struct {
	number, name, metric string
	w                    *workload
	text                 string
}{
	{"6.1", "insert", "insert", thesisBasic,
		"Inserting all values into an empty list, one after the other."},
	{"6.2", "iterate", "iterate", thesisBasic,
		"Visiting all values in the list's own order."},
	{"6.3", "random-get", "random_get", thesisBasic,
		"Finding every value by its handle, in shuffled order."},
	{"6.4", "random-remove", "random_remove", thesisBasic,
		"Removing every value by its handle, in shuffled order."},
	{"6.5", "cross", "ns_per_pair", thesisCross,
		"Cross-iteration: every value meets every other one, and both may change."},
}

// stepGroups lists the figures of the thesis that are lines: who is in each follows from the run.
//
// Source: as above, section 6.3.
var stepGroups = []struct {
	number, name, text string
	safe, back         bool
}{
	{"6.6", "unsafe", "Time of each step, of those without safe handles: a handle to what has " +
		"been removed may find something else.", false, false},
	{"6.7", "slow-after", "Time of each step, of those with safe handles that do not return: " +
		"the last 50 steps take more than 1.5 times what steps took before the burst.",
		true, false},
	{"6.8", "back", "Time of each step, of those with safe handles that return: the last 50 " +
		"steps take at most 1.5 times what steps took before the burst.", true, true},
}

// drawnAbove reports whether a job's chart of a metric, or of its steps if metric is empty, is
// among the thesis' figures; or any of a job that has no steps.
func (r *report) drawnAbove(j job, metric string) bool {
	if !r.first(j) {
		return false
	}
	for _, f := range thesisFigures {
		if f.w == j.w && (metric == "" || f.metric == metric) {
			return true
		}
	}
	return j.w == thesisEphemeral && metric == ""
}

// thesisCharts draws the thesis' figures 6.1 to 6.8 anew, as far as the run has them.
func (r *report) thesisCharts() (charts []chart) {
	at := index(r.rec)
	for _, fig := range thesisFigures {
		j, ok := r.firstJob(fig.w)
		if !ok {
			continue
		}
		rows, unit := r.bandRows(j, fig.metric, func(impl, m string) *figure {
			return at[j.at(impl, m)]
		})
		if len(rows) == 0 {
			continue
		}
		per := "a value"
		if fig.w == thesisCross {
			per = "a pair"
		}
		note := fmt.Sprintf("%s %s, %s %s, log axis. Boxes hold the middle 50, 75 and 95 %% of "+
			"the repetitions, the line is the median, whiskers go from the least to the most.",
			unit, per, grouped(j.n), j.w.nMeans)
		frame := draw.Frame{Title: "Figure " + fig.number + ": " + fig.text, Unit: unit}
		title := "Figure " + fig.number + ". " + fig.text
		charts = append(charts, newChart(fileOf(fig.number, fig.name), title, note, true, frame,
			func(f draw.Frame) draw.Picture { return draw.Bands(f, rows) }))
	}
	return append(charts, r.stepCharts(at)...)
}

// fileOf writes 6.1 and insert as thesis-6-1-insert.
func fileOf(number, name string) string {
	return fmt.Sprintf("thesis-%c-%c-%s", number[0], number[2], name)
}

// stepCharts draws figures 6.6 to 6.8.
func (r *report) stepCharts(at map[place]*figure) (charts []chart) {
	j, ok := r.firstJob(thesisEphemeral)
	if !ok {
		return nil
	}
	back := func(im impl) int { // the step; steps if there is none
		if f := at[j.at(im.name, "back")]; f != nil {
			return int(f.Value)
		}
		return steps
	}
	for _, g := range stepGroups {
		ims := slices.DeleteFunc(r.shown(j), func(im impl) bool {
			return im.safe != g.safe || im.safe && (back(im) < steps) != g.back
		})
		lines := r.stepLines(j, ims)
		if len(lines) == 0 {
			continue
		}
		note := fmt.Sprintf("ns, medians, log axis; %s particles come at step %d.",
			grouped(j.n), burstStep)
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
			func(f draw.Frame) draw.Picture { return draw.Lines(f, stepAxis, lines) }))
	}
	return charts
}
