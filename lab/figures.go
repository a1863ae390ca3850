package main

import (
	"fmt"
	"slices"
	"strings"
)

// logMetrics are drawn on a log axis: their figures lie orders of magnitude apart.
var logMetrics = map[string]bool{
	"remove50_sum": true, "remove90_sum": true,
	"keep25_random_pass": true, "keep25_first_pass": true, "keep25_last_pass": true,
	"left_25_random": true, "left_25_first": true, "left_25_last": true,
	"far_pass": true, "worst_removal": true,
	"pair": true, "lifo": true, "nearly_full": true, "random": true,
	"total": true, "build": true, "pairs": true,
}

// charts draws a job: lines over its steps, or else bars for each metric.
func (r *report) charts(j job, metrics []string, get lookup) (big, small []chart) {
	if c, ok := r.stepChart(j); ok {
		return []chart{c}, nil
	}
	for _, m := range metrics {
		change := j.w == sparse && strings.HasSuffix(m, "_mut")
		other := baseMetric(m) != m && !j.w.bands
		if other || change || strings.HasSuffix(m, "_clip") {
			continue // the table has them; other loops stand beside their base metric
		}
		if c, ok := r.bandsOf(j, m, get); ok {
			small = append(small, c)
			continue
		}
		small = append(small, r.barsOf(j, m, metrics, get))
	}
	return nil, small
}

// bandsOf draws how the repetitions of a metric are spread, if the job's figures have bands.
func (r *report) bandsOf(j job, m string, get lookup) (chart, bool) {
	var rows []band
	unit := ""
	base := get(j.w.family.baseline, baseMetric(m))
	for _, im := range j.w.of(r.impls) {
		if f := get(im.name, m); f != nil && f.Bands != nil {
			rows = append(rows, band{
				im.name, f.Value, f.Bands, barClass(im, j.w.family), markOf(f, base),
			})
			unit = f.Unit
		}
	}
	if len(rows) == 0 {
		return chart{}, false
	}
	drawing := bandChart(fmt.Sprintf("f-%s-%s", j.id(), m), j.label()+": "+m, unit, rows)
	note := unit + ", log axis; boxes hold 95, 75 and 50 % of the repetitions, the thin line all"
	return chart{m, note, drawing}, true
}

// markOf is what stands behind a figure's number in a chart.
func markOf(f, base *figure) (mark string) {
	if base != nil && base.Value > 0 {
		mark = "(" + ratio(f.Value/base.Value) + ")"
	}
	if f.wide() {
		mark += " ~"
	}
	if !f.ChecksumOK {
		mark += " wrong"
	}
	return mark
}

// stepChart draws the medians of the steps, if the job has steps.
func (r *report) stepChart(j job) (chart, bool) {
	var lines []series
	family := j.w.family
	for _, im := range j.w.of(r.impls) {
		index := slices.IndexFunc(family.impls, func(k impl) bool { return k.name == im.name })
		for _, c := range r.rec.curves {
			if c.job == j && c.impl == im.name {
				lines = append(lines, series{im.name, index, c.medians()})
			}
		}
	}
	if len(lines) == 0 {
		return chart{}, false
	}
	title := "Time of each step"
	drawing := lineChart("f-"+j.w.name, j.w.name+": "+title, "ns", lines)
	return chart{title, "ns, log axis", drawing}, true
}

// barsOf draws one metric, with other loops of the same collection beside it.
func (r *report) barsOf(j job, m string, metrics []string, get lookup) chart {
	var bars []bar
	unit := ""
	base := get(j.w.family.baseline, m)
	add := func(im impl, metric string) {
		f := get(im.name, metric)
		if f == nil {
			return
		}
		label := im.name
		if metric != m {
			label += " " + strings.TrimPrefix(strings.TrimPrefix(metric, m), "_")
			label = strings.TrimPrefix(label, "berth.")
		}
		unit = f.Unit
		bars = append(bars, bar{label, f.Value, barClass(im, j.w.family), markOf(f, base)})
	}
	for _, im := range j.w.of(r.impls) {
		add(im, m)
		for _, other := range metrics {
			if other != m && baseMetric(other) == m {
				add(im, other)
			}
		}
	}
	note := unit
	if logMetrics[m] {
		note += ", log axis"
	}
	id := fmt.Sprintf("f-%s-%s", j.id(), m)
	return chart{m, note, barChart(id, j.label()+": "+m, unit, bars, logMetrics[m])}
}

// barClass says how an implementation is drawn: the subjects stand out, and the rest of ours a bit.
func barClass(im impl, f *family) string {
	switch {
	case slices.Contains(f.subjects, im.name):
		return "ours"
	case im.ours:
		return "kin"
	}
	return ""
}
