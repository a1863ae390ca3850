package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// moreCharts draws a workload's frames beside a collector, and its metrics over its sizes. They are
// in the section of its first job.
func (r *Report) moreCharts(j measure.Job) (charts []chart) {
	if !r.first(j) {
		return nil
	}
	if c, ok := r.frameChart(j); ok {
		charts = append(charts, c)
	}
	for _, metric := range j.Workload.Drawn.Growth {
		if c, ok := r.growthChart(j, metric); ok {
			charts = append(charts, c)
		}
	}
	return charts
}

// frameChart draws a group of metrics for each implementation, if the job's workload has such.
func (r *Report) frameChart(j measure.Job) (chart, bool) {
	c := j.Workload.Drawn.Frames
	if c == nil {
		return chart{}, false
	}
	var groups []draw.Group
	for _, im := range r.shown(j) {
		g := draw.Group{Name: im.Name, Tone: tone(im, j.Family)}
		for _, m := range c.Metrics {
			if f := r.figure(j, im.Name, m); f != nil {
				g.Bars = append(g.Bars, draw.Bar{
					Name: strings.TrimSuffix(wordsOf(j.Workload, m), " frame"), Value: f.Value,
				})
			}
		}
		if count := r.figure(j, im.Name, c.Count); count != nil && len(g.Bars) > 0 {
			g.Bars[len(g.Bars)-1].Note = fmt.Sprintf("(%.0f %s)", count.Value, c.CountName)
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return chart{}, false
	}
	title := fmt.Sprintf(c.Title, measure.Grouped(j.N))
	frame := draw.Frame{Title: title, Unit: c.Unit, Log: true}
	return newChart(c.File, title, c.Note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Groups(f, groups)
	}), true
}

// growthChart draws a metric of a job's workload over its sizes, if the run has two of them at
// least.
func (r *Report) growthChart(of measure.Job, metric string) (chart, bool) {
	w, fam := of.Workload, of.Family
	lines := make([]draw.Line, len(fam.Impls))
	var sizes []float64
	unit := ""
	for _, j := range r.Jobs {
		if j.Workload != w {
			continue
		}
		for k, im := range fam.Impls {
			f := r.figure(j, im.Name, metric)
			if f == nil {
				continue
			}
			l := &lines[k]
			if l.Name == "" {
				*l = lineOf(fam, im)
				l.Said = wordsOf(w, metric)
			}
			l.X, l.Y, unit = append(l.X, float64(j.N)), append(l.Y, f.Value), f.Unit
			l.Said += fmt.Sprintf(" %s at %s,", Number(f.Value), measure.Grouped(j.N))
			if size := float64(j.N); !slices.Contains(sizes, size) {
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
	title := fmt.Sprintf("%s: %s, over the number of %s", capital(w.Name), wordsOf(w, metric),
		w.NMeans)
	frame := draw.Frame{Title: title, Unit: unit}
	axis := draw.Axis{Label: w.NMeans, At: sizes}
	name := w.Name + "-growth"
	if len(w.Drawn.Growth) > 1 {
		name += "-" + metric
	}
	return newChart(name, title, unit+" for each, both axes logarithmic", true, frame,
		func(f draw.Frame) draw.Picture { return draw.Growth(f, axis, lines) }), true
}
