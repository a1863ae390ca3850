package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/draw"
)

// moreCharts draws what takes more than one metric or size: ratios, frames beside a collector, and
// growth.
func (r *report) moreCharts() (charts []chart) {
	if c, ok := r.ratioChart(); ok {
		charts = append(charts, c)
	}
	if c, ok := r.frameChart(); ok {
		charts = append(charts, c)
	}
	if c, ok := r.growthChart(broadphase, "total"); ok {
		charts = append(charts, c)
	}
	return charts
}

// ratioWorkloads are those whose ratios stand in one chart, with the metrics that say most of them.
var ratioWorkloads = []*workload{basic, cross, churn, dcm}

// ratioChart draws how many times as long as the baseline the subjects of the collections take.
func (r *report) ratioChart() (chart, bool) {
	at := index(r.rec)
	var groups []draw.Group
	for _, w := range ratioWorkloads {
		j, ok := r.firstJob(w)
		if !ok {
			continue
		}
		for _, m := range w.key {
			g := draw.Group{Name: w.name + " " + m, Tone: draw.Ours}
			for _, subject := range w.family.subjects {
				f := at[j.at(subject, m)]
				if f == nil || f.Ratio == nil || baseMetric(m) != m {
					continue
				}
				g.Bars = append(g.Bars, draw.Bar{
					Name:  strings.TrimPrefix(subject, "berth."),
					Value: f.Ratio.Value, Low: f.Ratio.Low, High: f.Ratio.High,
				})
			}
			if len(g.Bars) > 0 {
				groups = append(groups, g)
			}
		}
	}
	if len(groups) == 0 {
		return chart{}, false
	}
	title := "How many times as long as " + collections.baseline + ", which has no handles"
	note := "log axis, to the left is faster; the median of the rounds’ ratios lies within the " +
		"whiskers, with a confidence of 95 %"
	frame := draw.Frame{Title: title, Log: true, Base: 1, Number: ratio}
	return newChart("ratios", title, note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Groups(f, groups)
	}), true
}

// frameMetrics are those of gc that stand in one chart.
var frameMetrics = []string{"p50", "p99", "worst"}

// frameChart draws how long frames take beside a large collection, if the run has gc.
func (r *report) frameChart() (chart, bool) {
	j, ok := r.firstJob(gcWork)
	if !ok {
		return chart{}, false
	}
	at := index(r.rec)
	var groups []draw.Group
	for _, im := range r.shown(j) {
		g := draw.Group{Name: im.name, Tone: tone(im, j.w.family)}
		for _, m := range frameMetrics {
			if f := at[j.at(im.name, m)]; f != nil {
				g.Bars = append(g.Bars, draw.Bar{Name: m, Value: f.Value})
			}
		}
		if late := at[j.at(im.name, "late")]; late != nil && len(g.Bars) > 0 {
			g.Bars[len(g.Bars)-1].Note = fmt.Sprintf("(%.0f late)", late.Value)
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return chart{}, false
	}
	title := fmt.Sprintf("Frames of a game beside %s live values", grouped(j.n))
	note := "ms for a frame, log axis: half are shorter than p50, 99 % shorter than p99; late " +
		"are those that took longer than 16.7 ms"
	frame := draw.Frame{Title: title, Unit: "ms", Log: true}
	return newChart("gc", title, note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Groups(f, groups)
	}), true
}

// growthChart draws a metric of a workload over its sizes, if the run has two of them at least.
func (r *report) growthChart(w *workload, metric string) (chart, bool) {
	at := index(r.rec)
	lines := make([]draw.Line, len(w.family.impls))
	var sizes []float64
	unit := ""
	for _, j := range r.jobs {
		if j.w != w {
			continue
		}
		for k, im := range w.family.impls {
			f := at[j.at(im.name, metric)]
			if f == nil {
				continue
			}
			l := &lines[k]
			if l.Name == "" {
				*l = lineOf(w.family, im)
				l.Said = metric
			}
			l.X, l.Y, unit = append(l.X, float64(j.n)), append(l.Y, f.Value), f.Unit
			l.Said += fmt.Sprintf(" %s at %s,", number(f.Value), grouped(j.n))
			if size := float64(j.n); !slices.Contains(sizes, size) {
				sizes = append(sizes, size)
			}
		}
	}
	lines = slices.DeleteFunc(lines, func(l draw.Line) bool { return l.Name == "" })
	if len(sizes) < 2 {
		return chart{}, false
	}
	for i := range lines {
		lines[i].Said = lines[i].Said[:len(lines[i].Said)-1]
	}
	title := fmt.Sprintf("%s: %s over the number of %s", w.name, metric, w.nMeans)
	frame := draw.Frame{Title: title, Unit: unit}
	axis := draw.Axis{Label: w.nMeans, At: sizes}
	return newChart(w.name+"-growth", title, unit+" for each, both axes logarithmic", true, frame,
		func(f draw.Frame) draw.Picture { return draw.Growth(f, axis, lines) }), true
}
