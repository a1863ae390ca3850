package draw

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Line is a line of Lines or Growth. Its number determines its colour, dashes and points, so that
// it looks the same in all pictures.
type Line struct {
	Name   string
	Number int
	Tone   Tone      // a line of Ours is thick, and its name bold
	Plain  bool      // it has no colour of its own
	X, Y   []float64 // if X is nil, it counts from 0
	Said   string    // its text alternative
}

// Axis is the axis along the lines.
type Axis struct {
	Label string
	At    []float64 // the positions of its numbers
	Mark  float64   // the position of an event
	Event string    // its name; no event if empty
}

// dashes are the dashes of lines by number. Their count is coprime to that of the colours, so that
// each combination occurs only once.
var dashes = [][]vg.Length{
	nil, {7, 3}, {2, 2}, {9, 3, 2, 3}, {4, 2}, {1, 3}, {13, 4}, {6, 2, 2, 2, 2, 2}, {3, 4},
	{10, 2}, {14, 3, 4, 3},
}

// Lines draws values over steps, with the name of each line at its end.
func Lines(f Frame, a Axis, lines []Line) Picture { return drawn(f, a, lines, false) }

// Growth draws values over sizes, both axes logarithmic, with a point at each size.
func Growth(f Frame, a Axis, lines []Line) Picture {
	f.Log = true
	return drawn(f, a, lines, true)
}

func drawn(f Frame, a Axis, lines []Line, growth bool) Picture {
	p := newPlot()
	said := make([]string, len(lines))
	for i, l := range lines {
		said[i] = l.Name + ": " + l.Said
	}
	lines = slices.Clone(lines) // the subject is drawn over the others
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.Tone, b.Tone) })
	room := vg.Length(0)
	p.Add(&plotter.Grid{Horizontal: lineOf(rule, 1)})
	for i := range lines {
		l := &lines[i]
		room = max(room, l.style().Width(l.Name))
		xys := make(plotter.XYs, len(l.Y))
		for k, y := range l.Y {
			xys[k].X, xys[k].Y = float64(k), y
			if f.Log {
				xys[k].Y = max(y, least)
			}
			if l.X != nil {
				xys[k].X = l.X[k]
			}
		}
		curve := &plotter.Line{XYs: xys, LineStyle: l.stroke()}
		p.Add(curve)
		if growth {
			points := &plotter.Scatter{XYs: xys, GlyphStyle: vgdraw.GlyphStyle{
				Color: l.ink(), Radius: 4, Shape: shapes[l.Number%len(shapes)]}}
			p.Add(points)
		}
	}
	scales(p, f, a, growth)
	p.X.Label.Text = a.Label
	p.Add(margin{right: room + leadLength + 4, top: nameGap / 2},
		plotFunc(func(c *vgdraw.Canvas, x, y func(float64) vg.Length) {
			event(c, a, x)
			nameEnds(c, lines, x, y)
		}))
	height := vg.Length(300)
	if f.Height > 0 {
		height = vg.Length(f.Height)
	}
	height = max(height, vg.Length(nameGap*len(lines)+60))
	return render(p, f, height, said)
}

// shapes are the shapes of points by number of line.
var shapes = []vgdraw.GlyphDrawer{
	vgdraw.CircleGlyph{}, vgdraw.SquareGlyph{}, vgdraw.PyramidGlyph{}, vgdraw.RingGlyph{},
	vgdraw.BoxGlyph{}, vgdraw.TriangleGlyph{}, vgdraw.CrossGlyph{},
}

func scales(p *plot.Plot, f Frame, a Axis, growth bool) {
	p.X.Tick.Marker = ticksOf(a.At)
	if growth {
		p.X.Scale = plot.LogScale{}
	}
	if !f.Log {
		p.Y.Min, p.Y.Max = min(0, p.Y.Min), max(p.Y.Max*1.03, least)
		p.Y.Tick.Marker = linearTicks(p.Y.Min, p.Y.Max, 7)
		return
	}
	p.Y.Scale = plot.LogScale{}
	p.Y.Min, p.Y.Max = p.Y.Min/1.15, p.Y.Max*1.15
	ticks := logTicks(p.Y.Min, p.Y.Max, 8)
	p.Y.Tick.Marker = ticks
	if growth && len(ticks) > 0 {
		p.Y.Min = min(p.Y.Min, belowTick(ticks[0].Value, p.Y.Max))
	}
}

// belowTick returns the lower end of a logarithmic axis to hi on which tick is a twentieth of its
// length above the end. There the tick's number does not lie on the first number of the other axis.
func belowTick(tick, hi float64) float64 {
	const lift = 0.05
	return math.Exp((math.Log(tick) - lift*math.Log(hi)) / (1 - lift))
}

func (l Line) weight() vg.Length {
	if l.Tone == Ours {
		return 2.4
	}
	return 1.5
}

func (l Line) ink() ink {
	if l.Plain {
		return soft
	}
	return lineInk(l.Number)
}

func (l Line) style() text.Style { return write(l.ink(), l.Tone == Ours, 0) }

func (l Line) stroke() vgdraw.LineStyle {
	return lineOf(l.ink(), l.weight(), dashes[l.Number%len(dashes)]...)
}

func event(c *vgdraw.Canvas, a Axis, x func(float64) vg.Length) {
	if a.Event == "" {
		return
	}
	at := x(a.Mark)
	c.StrokeLine2(lineOf(soft, 1, 2, 3), at, c.Min.Y, at, c.Max.Y)
	textAt(c, write(soft, false, -1), at-4, c.Max.Y-8, a.Event)
}

// nameGap is the distance between two names, leadLength that from a line's end to its name.
const (
	nameGap    = 17
	leadLength = 42
)

// tail is the number of last values whose median is the end of a line, since a single one may be an
// outlier.
const tail = 15

// end returns the median of a line's last values, or the last one of a short line.
func (l Line) end() float64 {
	if len(l.Y) < 2*tail {
		return l.Y[len(l.Y)-1]
	}
	last := slices.Sorted(slices.Values(l.Y[len(l.Y)-tail:]))
	return last[tail/2]
}

// nameEnds writes the names to the right of the lines, in their vertical order and without overlap,
// each with a lead from the line's end in the style of the line.
func nameEnds(c *vgdraw.Canvas, lines []Line, x, y func(float64) vg.Length) {
	order := slices.Clone(lines)
	slices.SortStableFunc(order, func(a, b Line) int { return cmp.Compare(b.end(), a.end()) })
	wanted := make([]vg.Length, len(order))
	for i, l := range order {
		wanted[i] = min(max(y(max(l.end(), least)), c.Min.Y), c.Max.Y)
	}
	places := apart(wanted, c.Min.Y, c.Max.Y)
	for i, l := range order {
		if l.X != nil { // a line that ends earlier has a thin lead to the edge
			from := x(l.X[len(l.X)-1])
			c.StrokeLine2(lineOf(l.ink(), 0.7), from, wanted[i], c.Max.X, wanted[i])
		}
		stroke := l.stroke()
		stroke.Width = min(stroke.Width, 1.5)
		c.StrokeLines(stroke, []vg.Point{
			{X: c.Max.X + 2, Y: wanted[i]}, {X: c.Max.X + leadLength - 16, Y: places[i]},
			{X: c.Max.X + leadLength - 3, Y: places[i]}})
		textAt(c, l.style(), c.Max.X+leadLength, places[i], l.Name)
	}
}

// apart moves descending positions as little as possible so that each is nameGap below the one
// before, and all are between lo and hi if there is room.
func apart(wanted []vg.Length, lo, hi vg.Length) []vg.Length {
	places := slices.Clone(wanted)
	for range 100 { // pushes neighbours apart, half each
		moved := vg.Length(0)
		for i := range places {
			if i > 0 {
				if near := nameGap - (places[i-1] - places[i]); near > 0.01 {
					places[i-1] += near / 2
					places[i] -= near / 2
					moved = max(moved, near)
				}
			}
		}
		if moved == 0 {
			break
		}
	}
	at := hi + nameGap
	for i := range places { // moves down the positions above hi
		places[i] = min(places[i], at-nameGap)
		at = places[i]
	}
	at = lo - nameGap
	for i := len(places) - 1; i >= 0; i-- { // and moves up those below lo
		places[i] = max(places[i], at+nameGap)
		at = places[i]
	}
	return places
}
