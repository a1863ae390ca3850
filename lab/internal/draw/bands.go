package draw

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Band is a row of Bands: the spread of a figure's repetitions.
type Band struct {
	Name          string
	Median        float64
	Min, Max      float64
	B95, B75, B50 [2]float64 // the ranges of the middle 95, 75 and 50 %
	Note          string     // after its number, such as a ratio
	Tone          Tone
}

// Bands draws for each row nested boxes for 95, 75 and 50 % of the repetitions, a line at the
// median, and whiskers to the minimum and maximum. The logarithmic axis ends a bit beyond the
// boxes. A longer whisker ends in an arrow.
//
// Source: F. Saukko, StableList, University of Turku 2025, figures 6.1 to 6.5.
func Bands(f Frame, rows []Band) Picture {
	p := newPlot()
	var said, names []string
	var tones []Tone
	room, lo, hi := vg.Length(0), math.Inf(1), 0.0
	for _, r := range rows {
		names, tones = append(names, r.Name), append(tones, r.Tone)
		lo, hi = min(lo, max(r.Min, least)), max(hi, r.B95[1])
		room = max(room, write(soft, false, 0).Width(f.median(r)))
		said = append(said, fmt.Sprintf("%s: median %s, half between %s and %s, "+
			"95 %% between %s and %s, all between %s and %s", r.Name, f.median(r),
			f.Number(r.B50[0]), f.Number(r.B50[1]), f.Number(r.B95[0]), f.Number(r.B95[1]),
			f.Number(r.Min), f.Number(r.Max)))
	}
	row := 28 + nameRows(p, f, names, tones)
	p.X.Scale = plot.LogScale{}
	p.X.Min, p.X.Max = lo/1.05, max(hi, 2*least)*1.15
	ticks := 4
	if f.width() > Narrow {
		ticks = 7
	}
	p.X.Tick.Marker = logTicks(p.X.Min, p.X.Max, ticks)
	p.Add(&plotter.Grid{Vertical: lineOf(rule, 1)}, margin{right: room + 16},
		plotFunc(func(c *vgdraw.Canvas, x, y func(float64) vg.Length) {
			drawBands(c, p, f, rows, x, y)
		}))
	return render(p, f, vg.Length(row*float64(len(rows))+32), said)
}

// median returns the text at the end of a row.
func (f Frame) median(r Band) string { return strings.TrimSpace(f.Number(r.Median) + " " + r.Note) }

func drawBands(c *vgdraw.Canvas, p *plot.Plot, f Frame, rows []Band, x, y func(float64) vg.Length) {
	at := func(v float64) vg.Length { return x(min(max(v, p.X.Min), p.X.Max)) }
	var below, boxes, medians marks
	for i, r := range rows {
		mid := y(float64(-i))
		below.whisker(soft, at(r.Min), at(r.Max), mid, 4)
		if end := at(r.Max); r.Max > p.X.Max {
			c.FillPolygon(soft, []vg.Point{
				{X: end, Y: mid - 4}, {X: end + 7, Y: mid}, {X: end, Y: mid + 4}})
		}
		inks := [...]ink{other95, other75, other50}
		if r.Tone != Other {
			inks = [...]ink{ours95, ours75, ours50}
		}
		for k, b := range [][2]float64{r.B95, r.B75, r.B50} {
			half := 10 - vg.Length(2*k)
			boxes.box(inks[k], at(b[0]), mid-half, max(at(b[1]), at(b[0])+1), mid+half)
		}
		medians.bar(fg, at(r.Median), mid-11, mid+11)
	}
	below.stroke(c, 1)
	boxes.fill(c)
	medians.stroke(c, 2)
	for i, r := range rows {
		textAt(c, write(soft, false, 0), c.Max.X+14, y(float64(-i)), f.median(r))
	}
}
