package main

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// band is one row of a chart of bands.
type band struct {
	label  string
	median float64
	bands  *Bands
	class  string // ours, kin, or empty
	mark   string // after the number, such as a ratio
}

// bandChart draws for each row nested boxes that hold 95, 75 and 50 % of the repetitions, a line
// across at the median, and a thin line from the least to the most. The axis is logarithmic, and
// ends a bit beyond the boxes: a thin line that goes on has an arrow there.
//
// Source: F. Saukko, StableList, University of Turku 2025, figures 6.1 to 6.4.
func bandChart(id, title, unit string, rows []band) template.HTML {
	const left, right, top, row = 138.0, 116.0, 8.0, 26.0
	lo, hi := math.Inf(1), 0.0
	for _, r := range rows {
		lo, hi = min(lo, max(r.bands.Min, 1e-3)), max(hi, r.bands.B95[1])
	}
	lo, hi = lo/1.05, max(hi, 2e-3)*1.15
	px := func(v float64) float64 {
		at := math.Log(min(max(v, lo), hi)/lo) / math.Log(hi/lo)
		return left + at*(chartWidth-left-right)
	}
	height := top + row*float64(len(rows)) + 24
	var b strings.Builder
	for _, tick := range bandTicks(lo, hi) {
		line(&b, px(tick), top, px(tick), height-20, "grid")
		text(&b, px(tick), height-6, "small", "middle", tickText(tick))
	}
	var said []string
	for i, r := range rows {
		y := top + row*float64(i)
		mid, s := y+row/2, r.bands
		text(&b, left-6, mid+4, strings.TrimSpace("label "+r.class), "end", r.label)
		line(&b, px(s.Min), mid, px(s.Max), mid, "whisker")
		if s.Max > hi {
			fmt.Fprintf(&b, `<path d="M%.1f %.1fl6 4l-6 4z" class="beyond"/>`, px(hi), mid-4)
		}
		for k, box := range [][2]float64{s.B95, s.B75, s.B50} {
			inset := 4 + float64(2*k)
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"/>`,
				px(box[0]), y+inset, max(1, px(box[1])-px(box[0])), row-2*inset,
				strings.TrimSpace(fmt.Sprintf("band b%d %s", k, r.class)))
		}
		line(&b, px(r.median), y+3, px(r.median), y+row-3, "median")
		amount := strings.TrimSpace(number(r.median) + " " + r.mark)
		text(&b, chartWidth-right+12, mid+4, "small", "start", amount)
		said = append(said, fmt.Sprintf("%s: median %s %s, half between %s and %s, 95 %% between "+
			"%s and %s, all between %s and %s", r.label, number(r.median), unit,
			number(s.B50[0]), number(s.B50[1]), number(s.B95[0]), number(s.B95[1]),
			number(s.Min), number(s.Max)))
	}
	return svg(id, title, strings.Join(said, "; ")+".", height, b.String())
}

// bandTicks returns numbers from lo to hi for an axis: powers of ten, and where few of them are
// there, their double and their five-fold.
func bandTicks(lo, hi float64) (ticks []float64) {
	steps := []float64{1, 2, 5}
	if hi > 200*lo {
		steps = steps[:1]
	}
	for d := math.Floor(math.Log10(lo)); d <= math.Log10(hi); d++ {
		for _, s := range steps {
			if v := s * math.Pow(10, d); v >= lo && v <= hi {
				ticks = append(ticks, v)
			}
		}
	}
	for len(ticks) > 6 { // more than there is room for
		var half []float64
		for i := 0; i < len(ticks); i += 2 {
			half = append(half, ticks[i])
		}
		ticks = half
	}
	return ticks
}

// tickText writes a number of an axis, short.
func tickText(v float64) string {
	d := math.Floor(math.Log10(v) + 1e-9)
	if d < 3 {
		return fmt.Sprintf("%.3g", v)
	}
	lead := math.Round(v / math.Pow(10, d))
	return fmt.Sprintf("%g%s", lead*math.Pow(10, math.Mod(d, 3)),
		[]string{"", "k", "M", "G", "T"}[min(4, int(d/3))])
}
