package draw

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Bar is a row of Bars, or one bar of a Group.
type Bar struct {
	Name      string
	Value     float64
	Low, High float64 // the ends of its whisker; none if they are equal
	Note      string  // after its number, such as a ratio
	Tone      Tone    // the greater one of the bar's and its group's
}

// Group is several bars with one name.
type Group struct {
	Name string
	Bars []Bar
	Tone Tone
}

// Bars draws horizontal bars from zero, or on a log axis from the power of ten below the minimum,
// with a number at the end of each.
func Bars(f Frame, rows []Bar) Picture {
	groups := make([]Group, len(rows))
	for i, r := range rows {
		groups[i] = Group{r.Name, []Bar{r}, r.Tone}
		groups[i].Bars[0].Name = ""
	}
	return Groups(f, groups)
}

// Groups draws several bars for each row, as Bars does. The name of a bar is beside its number.
func Groups(f Frame, groups []Group) Picture {
	p := newPlot()
	var said, names []string
	var tones []Tone
	room, most, lo, hi := vg.Length(0), 0, math.Inf(1), 0.0
	for _, g := range groups {
		names, tones = append(names, g.Name), append(tones, g.Tone)
		most = max(most, len(g.Bars))
		for _, b := range g.Bars {
			lo, hi = min(lo, b.Value), max(hi, b.Value, b.High)
			room = max(room, write(soft, false, 0).Width(f.amount(b)))
			said = append(said, strings.TrimSpace(g.Name+" "+f.amount(b)))
		}
	}
	row := 24 + nameRows(p, f, names, tones)
	if most > 1 {
		row = max(row, 18*float64(most)+10)
	}
	height := vg.Length(row*float64(len(groups)) + 10)
	if p.X.Min, p.X.Max = 0, hi; hi <= 0 {
		p.X.Max = 1
	}
	if f.Log {
		p.X.Scale = plot.LogScale{}
		p.X.Min, p.X.Max = decadeBelow(lo), max(hi, 2*decadeBelow(lo))
		p.X.Tick.Marker = logTicks(p.X.Min, p.X.Max, 5)
		height += 22
	} else {
		p.X.Tick.Marker = plot.ConstantTicks{}
	}
	p.Add(&plotter.Grid{Vertical: lineOf(rule, 1)}, margin{right: room + 10},
		plotFunc(func(c *vgdraw.Canvas, x, y func(float64) vg.Length) {
			drawGroups(c, p, f, groups, x, y)
		}))
	return render(p, f, height, said)
}

func (g Group) longest() (most float64) {
	for _, b := range g.Bars {
		most = max(most, b.Value)
	}
	return most
}

// amount returns the text at the end of a bar.
func (f Frame) amount(b Bar) string {
	return strings.TrimSpace(b.Name + " " + f.Number(b.Value) + " " + b.Note)
}

func drawGroups(
	c *vgdraw.Canvas, p *plot.Plot, f Frame, groups []Group, x, y func(float64) vg.Length,
) {
	at := func(v float64) vg.Length { return x(min(max(v, p.X.Min), p.X.Max)) }
	var m marks
	var amounts []func()
	base := at(0)
	for i, g := range groups {
		pitch, thick := vg.Length(18), vg.Length(12)
		if len(g.Bars) == 1 {
			thick = 15
		}
		scale := 1.0
		if most := g.longest(); f.Each && most > 0 {
			scale = p.X.Max / most
		}
		top := y(float64(-i)) + pitch*vg.Length(len(g.Bars)-1)/2
		for k, b := range g.Bars {
			mid := top - pitch*vg.Length(k)
			end := max(base+1, at(b.Value*scale))
			m.box(max(g.Tone, b.Tone).ink(), base, mid-thick/2, end, mid+thick/2)
			if b.High > b.Low {
				m.whisker(fg, at(b.Low), at(b.High), mid, 3)
				end = max(end, at(b.High))
			}
			amounts = append(amounts, func() {
				textAt(c, write(soft, false, 0), end+5, mid, f.amount(b))
			})
		}
	}
	m.fill(c)
	m.stroke(c, 1)
	for _, draw := range amounts {
		draw()
	}
	c.StrokeLine2(lineOf(soft, 1), base, c.Min.Y, base, c.Max.Y)
}
