package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// chart is a picture in the report.
type chart struct {
	Metric      string // as results.json has it, if it is a single one
	Title, Note string
	SVG         template.HTML // for a wide page, or for all
	Phone       template.HTML // for a narrow one; empty if SVG is for all
}

// Big reports whether the chart takes all of a page's width.
func (c chart) Big() bool { return c.Phone != "" }

// newChart makes a chart of a unique name that is drawn by d, twice if it is to be big.
func newChart(
	name, title, note string, big bool, f draw.Frame, d func(draw.Frame) draw.Picture,
) chart {
	f.ID = "f-" + name
	if f.Number == nil {
		f.Number = Number
	}
	c := chart{Title: title, Note: note}
	if big {
		narrow := f
		narrow.ID += "-phone"
		c.Phone = template.HTML(d(narrow).SVG())
		f.Width = draw.Wide
	}
	c.SVG = template.HTML(d(f).SVG())
	return c
}

// spread is the ratio of the most to the least above which bars have a log axis.
const spread = 15

// apart reports whether bars need a log axis.
func apart(bars []draw.Bar) bool {
	lo, hi := math.Inf(1), 0.0
	for _, b := range bars {
		lo, hi = min(lo, b.Value), max(hi, b.Value)
	}
	return lo > 0 && hi > spread*lo
}

// charts draws a job: lines over its steps, or else bars or bands for each metric. Published
// figures are drawn with the first job of their workload.
func (r *Report) charts(j measure.Job, metrics []string) (big, small []chart) {
	if lines := r.stepLines(j, r.shown(j)); len(lines) > 0 {
		if r.first(j) && len(j.Workload.Steps.Groups) > 0 {
			return r.stepCharts(j), nil
		}
		return []chart{r.stepChart(j, lines)}, nil
	}
	var drawn []string
	if r.first(j) {
		for _, fig := range j.Workload.Drawn.Figures {
			if c, ok := r.bandChart(j, fig); ok {
				big, drawn = append(big, c), append(drawn, fig.Metric)
			}
		}
	}
	for _, m := range metrics {
		other := measure.BaseMetric(m) != m && !j.Workload.Drawn.Bands ||
			!r.first(j) && !slices.Contains(j.Workload.Key, m)
		tableOnly := j.Workload.Drawn.TableOnly != nil && j.Workload.Drawn.TableOnly(m)
		if other || tableOnly || slices.Contains(drawn, m) {
			// The table has them. Other loops stand beside their base metric, and of further sizes
			// only the metrics that say most are drawn.
			continue
		}
		if j.Workload.Drawn.Bands {
			if c, ok := r.bandsOf(j, m); ok {
				small = append(small, c)
				continue
			}
		}
		small = append(small, r.barsOf(j, m, metrics))
	}
	return big, small
}

// bandsOf draws how the repetitions of a metric are spread, if it has bands.
func (r *Report) bandsOf(j measure.Job, m string) (chart, bool) {
	rows, unit := r.bandRows(j, m)
	if len(rows) == 0 {
		return chart{}, false
	}
	note := unit + ", log axis; boxes hold 95, 75 and 50 % of the repetitions, whiskers all"
	title := wordsOf(j.Workload, m)
	frame := draw.Frame{Title: j.Label() + ": " + title, Unit: unit}
	c := newChart(j.ID()+"-"+m, capital(title), note, false, frame,
		func(f draw.Frame) draw.Picture { return draw.Bands(f, rows) })
	c.Metric = m
	return c, true
}

func (r *Report) bandRows(j measure.Job, m string) (rows []draw.Band, unit string) {
	for _, im := range r.shown(j) {
		f := r.figure(j, im.Name, m)
		if f == nil || f.Bands == nil {
			continue
		}
		unit = f.Unit
		b := f.Bands
		rows = append(rows, draw.Band{
			Name: im.Name, Median: f.Value, Min: b.Min, Max: b.Max,
			B95: b.B95, B75: b.B75, B50: b.B50, Note: markOf(f), Tone: tone(im, j.Family),
		})
	}
	return rows, unit
}

// markOf returns the text behind a figure's number in a chart.
func markOf(f *measure.Figure) (mark string) {
	if f.Ratio != nil {
		mark = "(" + RatioText(f.Ratio.Value) + ")"
	}
	if f.Wide() {
		mark += " ~"
	}
	if !f.ChecksumOK {
		mark += " wrong"
	}
	return mark
}

// barsOf draws one metric, with the other loops of the family's subjects beside it. Whiskers hold
// three quarters of the repetitions.
func (r *Report) barsOf(j measure.Job, m string, metrics []string) chart {
	var bars []draw.Bar
	unit := ""
	add := func(im measure.Impl, metric string) {
		f := r.figure(j, im.Name, metric)
		if f == nil {
			return
		}
		label := im.Name
		if metric != m {
			loop := strings.TrimPrefix(wordsOf(j.Workload, metric), wordsOf(j.Workload, m))
			label = label[strings.LastIndex(label, ".")+1:] + strings.TrimPrefix(loop, ",")
		}
		unit = f.Unit
		b := draw.Bar{Name: label, Value: f.Value, Note: markOf(f), Tone: tone(im, j.Family)}
		if f.Bands != nil {
			b.Low, b.High = f.Low, f.High
		}
		bars = append(bars, b)
	}
	for _, im := range r.shown(j) {
		add(im, m)
		for _, other := range metrics {
			subject := slices.Contains(j.Family.Subjects, im.Name)
			if other != m && measure.BaseMetric(other) == m && subject {
				add(im, other)
			}
		}
	}
	note := unit
	if apart(bars) {
		note += ", log axis"
	}
	title := wordsOf(j.Workload, m)
	frame := draw.Frame{Title: j.Label() + ": " + title, Unit: unit, Log: apart(bars)}
	c := newChart(j.ID()+"-"+m, capital(title), note, false, frame,
		func(f draw.Frame) draw.Picture { return draw.Bars(f, bars) })
	c.Metric = m
	return c
}

// stepLines returns the medians of the steps of those of ims that have steps in a job.
func (r *Report) stepLines(j measure.Job, ims []measure.Impl) (lines []draw.Line) {
	for _, im := range ims {
		for _, c := range r.Recorder.Curves {
			if c.Job != j || c.Impl != im.Name {
				continue
			}
			l := lineOf(j.Family, im)
			l.Y = c.Medians()
			for i := range l.Y {
				l.Y[i] = max(l.Y[i], j.Workload.Steps.Least)
			}
			event, last := j.Workload.Steps.Event, len(l.Y)-1
			l.Said = fmt.Sprintf("%s at step %d, %s at step %d, %s at the end",
				Number(l.Y[min(event/2, last)]), event/2, Number(l.Y[min(event, last)]), event,
				Number(measure.Quantile(l.Y[max(0, last-14):], 0.5)))
			lines = append(lines, l)
		}
	}
	return lines
}

// lineOf returns a line without values, which looks alike in all charts of a family.
func lineOf(fam *measure.Family, im measure.Impl) draw.Line {
	k := slices.IndexFunc(fam.Impls, func(other measure.Impl) bool { return other.Name == im.Name })
	return draw.Line{Name: im.Name, Number: max(k, 0), Tone: tone(im, fam)}
}

// stepTick is how many steps lie between two marks of an axis.
const stepTick = 50

func stepAxis(s *measure.Steps) draw.Axis {
	a := draw.Axis{Label: "step", Mark: float64(s.Event), Event: s.EventName}
	for at := 0; at < s.Count; at += stepTick {
		a.At = append(a.At, float64(at))
	}
	return a
}

// stepChart draws the medians of the steps of a job.
func (r *Report) stepChart(j measure.Job, lines []draw.Line) chart {
	s := j.Workload.Steps
	name, note := j.ID()+"-steps", s.Unit+", log axis"
	if s.Least > 0 {
		name = j.ID() + "-memory"
		note += fmt.Sprintf("; less than %g is drawn as %[1]g", s.Least)
	}
	if r.first(j) && s.File != "" {
		name = s.File
	}
	frame := draw.Frame{Title: j.Label() + ": " + strings.ToLower(s.Title), Unit: s.Unit, Log: true}
	return newChart(name, s.Title, note, true, frame, func(f draw.Frame) draw.Picture {
		return draw.Lines(f, stepAxis(s), lines)
	})
}

// tone says how an implementation is drawn: the subjects stand out, and the rest of ours a bit.
func tone(im measure.Impl, f *measure.Family) draw.Tone {
	switch {
	case slices.Contains(f.Subjects, im.Name):
		return draw.Ours
	case im.Ours:
		return draw.Kin
	}
	return draw.Other
}
