// Package draw makes pictures of figures as SVG: bars, bands, lines and groups of bars. Its input
// is plain data. Package gonum.org/v1/plot does the layout and draws on a canvas of this package.
// Its marks have classes whose colours are CSS variables, so a page or a file can be light or dark.
//
// The same data give the same bytes.
package draw

import (
	"fmt"
	"html"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Narrow and Wide are the widths of pictures, in units. A narrow one is legible on a phone.
const (
	Narrow = 440
	Wide   = 720
)

// FontSize is the size of all text, in units: 11 px if a phone shows a narrow picture at 346 px.
const FontSize = 14

// Frame holds the options of all pictures.
type Frame struct {
	ID     string               // unique in a page
	Title  string               // the subject of the picture
	Unit   string               // of its figures, for screen readers
	Width  int                  // Narrow if 0
	Height int                  // minimum for Lines and Growth; the default if 0
	Log    bool                 // the figures' axis is logarithmic
	Each   bool                 // each group of bars has its own linear axis
	Number func(float64) string // formats a figure
}

func (f Frame) width() vg.Length {
	if f.Width == 0 {
		return Narrow
	}
	return vg.Length(f.Width)
}

// Tone is the emphasis of a row.
type Tone int

// The tones: the subject of a picture, its relatives, and the rest.
const (
	Other Tone = iota
	Kin
	Ours
)

func (t Tone) ink() ink { return [...]ink{other, kin, ours}[t] }

// Picture is a drawing with its text alternative.
type Picture struct {
	id, title, unit, desc string
	w, h                  vg.Length
	marks                 string
}

// SVG returns the picture for a page that contains Style.
func (p Picture) SVG() string { return p.element("", "", 0, 0) }

// FileMargin is the margin of a picture in a file, and HeadLine the line height of its heading.
const (
	FileMargin = 12
	HeadLine   = 19
)

// File returns the picture as a standalone file, on a panel below its title.
func (p Picture) File() []byte {
	title := strings.TrimSuffix(p.title, ".")
	if p.unit != "" {
		title += " (" + p.unit + ")"
	}
	lines := fold(title, p.w)
	head := vg.Length(len(lines)*HeadLine + 6)
	c := &canvas{}
	for i, line := range lines {
		write(fg, true, 0).Handler.Draw(c, line, write(fg, true, 0),
			vg.Point{Y: p.h + head - vg.Length(i*HeadLine) - HeadLine/2})
	}
	w, h := p.w+2*FileMargin, p.h+head+2*FileMargin
	inside := fmt.Sprintf(`<style>%s</style><rect x="%d" y="%g" width="%g" height="%g" rx="8" `+
		`class="f-paper"/>`, Style(), -FileMargin, -p.h-head-FileMargin, w, h)
	attributes := fmt.Sprintf(`xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" `, w, h)
	return []byte(p.element(attributes, inside+c.String(), FileMargin, head) + "\n")
}

// element wraps the marks in an element, with a margin, and room at the head.
func (p Picture) element(attributes, inside string, margin, head vg.Length) string {
	return fmt.Sprintf(`<svg %sclass="pic" viewBox="%g %g %g %g" role="img" `+
		`aria-labelledby="%[6]s-t %[6]s-d"><title id="%[6]s-t">%[7]s</title>`+
		`<desc id="%[6]s-d">%[8]s</desc>%[9]s%[10]s</svg>`,
		attributes, 0-margin, -p.h-head-margin, p.w+2*margin, p.h+head+2*margin,
		p.id, html.EscapeString(p.title), html.EscapeString(p.desc), inside, p.marks)
}

// fold breaks a heading into lines of a width.
func fold(text string, width vg.Length) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && write(fg, true, 0).Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// render draws p and keeps its text alternative.
func render(p *plot.Plot, f Frame, height vg.Length, said []string) Picture {
	c := &canvas{w: f.width(), h: height}
	p.Draw(vgdraw.New(c))
	desc := strings.Join(said, "; ") + "."
	if f.Unit != "" {
		desc = "In " + f.Unit + ": " + desc
	}
	return Picture{f.ID, f.Title, f.Unit, desc, c.w, c.h, c.String()}
}

// sans is the font whose measures plot knows. It resembles Arial and Helvetica.
func sans(bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: FontSize}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// write returns a style for text that ends at its x (-1), is centred there (-0.5), or begins there
// (0). It is centred vertically.
func write(c ink, bold bool, x vgdraw.XAlignment) text.Style {
	return text.Style{
		Color: c, Font: sans(bold), XAlign: x, YAlign: vgdraw.YCenter,
		Handler: plot.DefaultTextHandler,
	}
}

// textAt draws text centred at y. The box of a line is higher than its letters, so the text is
// moved up a bit less than plot would.
func textAt(c *vgdraw.Canvas, s text.Style, x, y vg.Length, words string) {
	c.FillText(s, vg.Point{X: x, Y: y + s.FontExtents().Descent}, words)
}

// newPlot returns a plot without marks, whose axes have no lines.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Width, a.Padding = 0, 0
		a.Tick.Length, a.Tick.Width = 0, 0
		a.Tick.Label.Color, a.Tick.Label.Font = soft, sans(false)
		a.Label.TextStyle.Color, a.Label.TextStyle.Font = soft, sans(false)
	}
	return p
}

// nameRows places the rows from the top down, and writes their names to the left. Names of the
// subject are bold. It returns the extra height of the rows.
func nameRows(p *plot.Plot, f Frame, names []string, tones []Tone) (more float64) {
	p.Y.Tick.Marker = plot.ConstantTicks{}
	p.Y.Min, p.Y.Max = 0.5-float64(len(names)), 0.5
	left := margin{}
	labels := make([]string, len(names))
	style := func(i int) text.Style { return write(fg, tones[i] == Ours, -1) }
	for i, name := range names {
		labels[i] = wrap(name, f.width()*0.36)
		left.left = max(left.left, style(i).Width(labels[i])+6)
		if labels[i] != name {
			more = FontSize
		}
	}
	p.Add(left, plotFunc(func(c *vgdraw.Canvas, _, y func(float64) vg.Length) {
		for i, label := range labels {
			textAt(c, style(i), c.Min.X-5, y(float64(-i)), label)
		}
	}))
	return more
}

// wrap breaks a name longer than width into two lines, if it can be broken.
func wrap(name string, width vg.Length) string {
	style := write(fg, false, 0)
	if style.Width(name) <= width {
		return name
	}
	best := ""
	for i, r := range name {
		if r != ' ' && r != ':' && r != '/' || i+1 == len(name) || name[i+1] == ':' {
			continue
		}
		broken := strings.TrimRight(name[:i+1], " ") + "\n" + name[i+1:]
		if best == "" || style.Width(broken) < style.Width(best) {
			best = broken
		}
	}
	if best == "" {
		return name
	}
	return best
}

// margin reserves room around a plot.
type margin struct{ left, right, top vg.Length }

func (margin) Plot(vgdraw.Canvas, *plot.Plot) {}

// GlyphBoxes returns one box at the left and one at the upper right.
func (m margin) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	box := func(x, y float64, from, to vg.Point) plot.GlyphBox {
		return plot.GlyphBox{X: x, Y: y, Rectangle: vg.Rectangle{Min: from, Max: to}}
	}
	return []plot.GlyphBox{
		box(0, 0.5, vg.Point{X: -m.left}, vg.Point{}),
		box(1, 1, vg.Point{}, vg.Point{X: m.right, Y: m.top}),
	}
}

// plotFunc is a plot.Plotter made of a function.
type plotFunc func(c *vgdraw.Canvas, x, y func(float64) vg.Length)

// Plot draws into the area of the data.
func (f plotFunc) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	f(&c, x, y)
}

// lineOf is the style of a line.
func lineOf(c ink, width vg.Length, dashes ...vg.Length) vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

// marks collects boxes and whiskers by ink, since a path for each ink is shorter than one for each
// mark.
type marks struct{ boxes, whiskers [line0]vg.Path }

func (m *marks) box(i ink, x0, y0, x1, y1 vg.Length) {
	p := &m.boxes[i]
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x0, Y: y1})
	p.Close()
}

// whisker adds a line with ends.
func (m *marks) whisker(i ink, from, to, y, end vg.Length) {
	p := &m.whiskers[i]
	line := func(x0, y0, x1, y1 vg.Length) {
		p.Move(vg.Point{X: x0, Y: y0})
		p.Line(vg.Point{X: x1, Y: y1})
	}
	line(from, y, to, y)
	line(from, y-end, from, y+end)
	line(to, y-end, to, y+end)
}

func (m *marks) bar(i ink, x, y0, y1 vg.Length) {
	m.whiskers[i].Move(vg.Point{X: x, Y: y0})
	m.whiskers[i].Line(vg.Point{X: x, Y: y1})
}

// fill draws the boxes, and stroke the lines.
func (m *marks) fill(c *vgdraw.Canvas) {
	for i, p := range m.boxes {
		if len(p) > 0 {
			c.SetColor(ink(i))
			c.Fill(p)
		}
	}
}

func (m *marks) stroke(c *vgdraw.Canvas, width vg.Length) {
	for i, p := range m.whiskers {
		if len(p) > 0 {
			c.SetLineStyle(lineOf(ink(i), width))
			c.Stroke(p)
		}
	}
}
