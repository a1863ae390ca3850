package main

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// The charts are drawn for a width of 440 units, at which their text can be read on a phone and is
// not too large beside a paragraph on a desk.
const chartWidth = 440.0

// svg frames a chart's marks with a title and a description for those who cannot see it.
func svg(id, title, desc string, height float64, marks string) template.HTML {
	return template.HTML(fmt.Sprintf(
		`<svg viewBox="0 0 %g %g" role="img" aria-labelledby="%[3]s-t %[3]s-d" `+
			`xmlns="http://www.w3.org/2000/svg">`+
			`<title id="%[3]s-t">%[4]s</title><desc id="%[3]s-d">%[5]s</desc>%[6]s</svg>`,
		chartWidth, height, id, html.EscapeString(title), html.EscapeString(desc), marks))
}

func text(b *strings.Builder, x, y float64, class, anchor, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`,
		x, y, class, anchor, html.EscapeString(s))
}

func line(b *strings.Builder, x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`,
		x1, y1, x2, y2, class)
}

// bar is one row of a bar chart.
type bar struct {
	label string
	value float64
	class string // ours, kin, or empty
	mark  string // after the number, such as a ratio
}

// barChart draws horizontal bars, from zero or, on a log axis, from the decade below the least.
func barChart(id, title, unit string, bars []bar, logAxis bool) template.HTML {
	const right, top, row = 126.0, 8.0, 24.0
	left := 124.0 // for the labels, of which a letter takes 8 at most
	lo, hi := math.Inf(1), 0.0
	for _, v := range bars {
		lo, hi = min(lo, max(v.value, 1e-3)), max(hi, v.value)
		left = max(left, 10+8*float64(len(v.label)))
	}
	lo, hi = math.Floor(math.Log10(lo)-0.01), math.Log10(max(hi, 1e-3))
	length := func(v float64) float64 {
		if logAxis {
			v = (math.Log10(max(v, 1e-3)) - lo) / (hi - lo)
		} else {
			v /= math.Pow(10, hi)
		}
		return max(1, v*(chartWidth-left-right))
	}
	height := top + row*float64(len(bars)) + 8
	var b strings.Builder
	if logAxis {
		height += 16
		each := math.Ceil((hi - lo) / 4)
		for d := lo; d <= hi; d += each {
			x := left + length(math.Pow(10, d))
			line(&b, x, top, x, height-20, "grid")
			text(&b, x, height-6, "small", "middle", power(d))
		}
	}
	line(&b, left, top, left, top+row*float64(len(bars)), "axis")
	var said []string
	for i, v := range bars {
		y, class := top+row*float64(i), strings.TrimSpace("bar "+v.class)
		text(&b, left-6, y+16, strings.Replace(class, "bar", "label", 1), "end", v.label)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"/>`,
			left, y+4, length(v.value), row-8, class)
		amount := strings.TrimSpace(number(v.value) + " " + v.mark)
		text(&b, left+length(v.value)+5, y+16, "small", "start", amount)
		said = append(said, fmt.Sprintf("%s %s %s", v.label, number(v.value), unit))
	}
	return svg(id, title, strings.Join(said, "; ")+".", height, b.String())
}

// power writes a power of ten, short.
func power(d float64) string {
	if d < 3 {
		return fmt.Sprintf("%g", math.Pow(10, d))
	}
	unit := []string{"", "k", "M", "G", "T"}[min(4, int(d/3))]
	return fmt.Sprintf("%g%s", math.Pow(10, math.Mod(d, 3)), unit)
}

// series is one line of a line chart. Its index picks colour and dashes, whatever else is drawn.
type series struct {
	label  string
	index  int
	values []float64
}

// lineChart draws values over their index on a log axis, each line named at its end.
func lineChart(id, title, unit string, all []series) template.HTML {
	const left, top, bottom, height, gap = 36.0, 8.0, 34.0, 300.0, 14.0
	right := 116.0 // for the names, which are bold
	lo, hi, n := math.Inf(1), 0.0, 0
	for _, s := range all {
		lo, hi = min(lo, max(1, slices.Min(s.values))), max(hi, slices.Max(s.values))
		right = max(right, 22+7.6*float64(len(s.label)))
		n = len(s.values)
	}
	lo, hi = math.Floor(math.Log10(lo)*4)/4, math.Ceil(math.Log10(max(hi, 10))*4)/4
	px := func(i int) float64 {
		return left + float64(i)/float64(max(1, n-1))*(chartWidth-left-right)
	}
	py := func(v float64) float64 {
		return top + (hi-math.Log10(max(1, v)))/(hi-lo)*(height-top-bottom)
	}
	var b strings.Builder
	for d := math.Ceil(lo); d <= hi; d++ {
		line(&b, left, py(math.Pow(10, d)), chartWidth-right, py(math.Pow(10, d)), "grid")
		text(&b, left-5, py(math.Pow(10, d))+4, "small", "end", power(d))
	}
	for _, i := range []int{0, 50, 100, 150, 200, 254} {
		text(&b, px(i), height-bottom+14, "small", "middle", fmt.Sprint(i))
	}
	line(&b, px(burstStep), top, px(burstStep), height-bottom, "grid burst")
	text(&b, px(burstStep)-4, top+8, "small", "end", "burst")
	text(&b, (left+chartWidth-right)/2, height-5, "small", "middle", "step")
	// A line ends where its last steps lie, since a single step may be an outlier.
	end := func(s series) float64 { return quantile(s.values[max(0, n-15):], 0.5) }
	order := slices.Clone(all)
	slices.SortFunc(order, func(a, b series) int { return -int(math.Copysign(1, end(a)-end(b))) })
	floor := height - bottom - gap*float64(len(order)-1)
	at := top
	var said []string
	for i, s := range order {
		var path strings.Builder
		for k, v := range s.values {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(k, 1)], px(k), py(v))
		}
		fmt.Fprintf(&b, `<path d="%s" class="line s%d"/>`, path.String(), s.index)
		at = min(max(at, py(end(s))), floor+gap*float64(i))
		line(&b, px(n-1)+1, py(end(s)), px(n-1)+13, at, fmt.Sprintf("lead s%d", s.index))
		text(&b, px(n-1)+16, at+4, fmt.Sprintf("name t%d", s.index), "start", s.label)
		at += gap
		said = append(said, fmt.Sprintf("%s: %s %s at step 50, %s at step 100, %s at the end",
			s.label, number(s.values[min(50, n-1)]), unit,
			number(s.values[min(burstStep, n-1)]), number(end(s))))
	}
	return svg(id, title, strings.Join(said, "; ")+".", height, b.String())
}
