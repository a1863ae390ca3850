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
	for _, j := range r.jobs {
		if c, ok := r.frameChart(j); ok && r.first(j) {
			charts = append(charts, c)
		}
	}
	for _, j := range r.jobs {
		if c, ok := r.growthChart(j); ok && r.first(j) {
			charts = append(charts, c)
		}
	}
	return charts
}

// ratioChart draws how many times as long as the baseline the subjects of the collections take.
func (r *report) ratioChart() (chart, bool) {
	at := index(r.rec)
	var groups []draw.Group
	baseline := ""
	for _, j := range r.jobs {
		if !j.w.drawn.ratios || !r.first(j) {
			continue
		}
		baseline = j.family.baseline
		for _, m := range j.w.key {
			g := draw.Group{Name: j.w.name + " " + m, Tone: draw.Ours}
			for _, subject := range j.family.subjects {
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
	title := "How many times as long as " + baseline + ", which has no handles"
	note := "log axis, to the left is faster; the median of the rounds’ ratios lies within the " +
		"whiskers, with a confidence of 95 %"
	frame := draw.Frame{Title: title, Log: true, Base: 1, Number: ratio}
	return newChart("ratios", title, note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Groups(f, groups)
	}), true
}

// frameChart draws a group of metrics for each implementation, if the job's workload has such.
func (r *report) frameChart(j job) (chart, bool) {
	c := j.w.drawn.frames
	if c == nil {
		return chart{}, false
	}
	at := index(r.rec)
	var groups []draw.Group
	for _, im := range r.shown(j) {
		g := draw.Group{Name: im.name, Tone: tone(im, j.family)}
		for _, m := range c.metrics {
			if f := at[j.at(im.name, m)]; f != nil {
				g.Bars = append(g.Bars, draw.Bar{Name: m, Value: f.Value})
			}
		}
		if count := at[j.at(im.name, c.count)]; count != nil && len(g.Bars) > 0 {
			g.Bars[len(g.Bars)-1].Note = fmt.Sprintf("(%.0f %s)", count.Value, c.countName)
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return chart{}, false
	}
	title := fmt.Sprintf(c.title, grouped(j.n))
	frame := draw.Frame{Title: title, Unit: c.unit, Log: true}
	return newChart(c.file, title, c.note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Groups(f, groups)
	}), true
}

// growthChart draws a metric of a job's workload over its sizes, if the run has two of them at
// least.
func (r *report) growthChart(of job) (chart, bool) {
	w, fam, metric := of.w, of.family, of.w.drawn.growth
	if metric == "" {
		return chart{}, false
	}
	at := index(r.rec)
	lines := make([]draw.Line, len(fam.impls))
	var sizes []float64
	unit := ""
	for _, j := range r.jobs {
		if j.w != w {
			continue
		}
		for k, im := range fam.impls {
			f := at[j.at(im.name, metric)]
			if f == nil {
				continue
			}
			l := &lines[k]
			if l.Name == "" {
				*l = lineOf(fam, im)
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
