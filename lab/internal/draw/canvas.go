package draw

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// canvas is a vg.Canvas that writes the inside of an SVG element. In vg, y grows upward from the
// lower edge; in SVG it grows downward. The lower edge is 0 here, so y only changes its sign.
//
// Text has its measured length as an attribute. If the browser uses another font, it fits the text
// into that length, so nothing is cut off or overlaps.
type canvas struct {
	w, h  vg.Length
	b     strings.Builder
	now   state
	stack []state
	words string // the class of the current group of text
}

// state is the state that Push saves.
type state struct {
	ink    ink
	width  vg.Length
	dashes []vg.Length
	groups int // elements to close at Pop
}

func (c *canvas) Size() (w, h vg.Length)                 { return c.w, c.h }
func (c *canvas) SetLineWidth(w vg.Length)               { c.now.width = w }
func (c *canvas) SetLineDash(d []vg.Length, _ vg.Length) { c.now.dashes = d }

// SetColor takes inks. Any other colour is drawn as text.
func (c *canvas) SetColor(clr color.Color) {
	var ok bool
	if c.now.ink, ok = clr.(ink); !ok {
		c.now.ink = fg
	}
}

func (c *canvas) Push() {
	c.stack = append(c.stack, c.now)
	c.now.groups = 0
}

func (c *canvas) Pop() {
	c.endWords()
	c.b.WriteString(strings.Repeat("</g>", c.now.groups))
	c.now = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *canvas) Rotate(rad float64)   { c.group("rotate(%s)", -rad*180/math.Pi) }
func (c *canvas) Translate(p vg.Point) { c.group("translate(%s %s)", float64(p.X), -float64(p.Y)) }
func (c *canvas) Scale(x, y float64)   { c.group("scale(%s %s)", x, y) }

func (c *canvas) group(transform string, args ...float64) {
	c.endWords()
	numbers := make([]any, len(args))
	for i, a := range args {
		numbers[i] = num(a)
	}
	fmt.Fprintf(&c.b, `<g transform="`+transform+`">`, numbers...)
	c.now.groups++
}

func (c *canvas) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	c.endWords()
	fmt.Fprintf(&c.b, `<path class="s-%s"`, c.now.ink)
	if c.now.width != 1 {
		fmt.Fprintf(&c.b, ` stroke-width="%s"`, num(float64(c.now.width)))
	}
	if len(c.now.dashes) > 0 {
		lengths := make([]string, len(c.now.dashes))
		for i, d := range c.now.dashes {
			lengths[i] = num(float64(d))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	fmt.Fprintf(&c.b, ` d="%s"/>`, outline(p))
}

func (c *canvas) Fill(p vg.Path) {
	c.endWords()
	fmt.Fprintf(&c.b, `<path class="f-%s" d="%s"/>`, c.now.ink, outline(p))
}

func (c *canvas) FillString(f font.Face, at vg.Point, words string) {
	class := "f-" + c.now.ink.String()
	if f.Font.Weight >= xfont.WeightBold {
		class += " b"
	}
	if c.words != class {
		c.endWords()
		c.words = class
		fmt.Fprintf(&c.b, `<g class="%s">`, class)
	}
	size := ""
	if f.Font.Size != FontSize {
		size = fmt.Sprintf(` font-size="%s"`, num(float64(f.Font.Size)))
	}
	fmt.Fprintf(&c.b, `<text%s x="%s" y="%s" textLength="%s" `+
		`lengthAdjust="spacingAndGlyphs">%s</text>`, size, num(float64(at.X)),
		num(-float64(at.Y)), num(float64(f.Width(words))), html.EscapeString(words))
}

// endWords closes the current group of text.
func (c *canvas) endWords() {
	if c.words != "" {
		c.b.WriteString("</g>")
		c.words = ""
	}
}

// String returns the drawing.
func (c *canvas) String() string {
	c.endWords()
	return c.b.String()
}

// DrawImage does nothing, since plots of this package hold no images.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// outline writes a path. Lines go from point to point, and horizontal ones use the shorter relative
// form.
func outline(path vg.Path) string {
	var b strings.Builder
	var x, y int // the position of the pen, in tenths
	for i, p := range path {
		px, py := tenths(float64(p.Pos.X)), tenths(-float64(p.Pos.Y))
		if level := p.Type == vg.LineComp && py == y && px > x; level && i+1 < len(path) {
			next := path[i+1]
			right, at := tenths(float64(next.Pos.X)) > px, tenths(-float64(next.Pos.Y))
			if next.Type == vg.LineComp && right && at == y {
				continue
			}
		}
		switch p.Type {
		case vg.MoveComp:
			fmt.Fprintf(&b, "M%s %s", tenth(px), tenth(py))
		case vg.LineComp:
			b.WriteString("l" + tenth(px-x))
			if py >= y {
				b.WriteByte(' ')
			}
			b.WriteString(tenth(py - y))
		case vg.ArcComp:
			px, py = arc(&b, p, i == 0)
		case vg.CurveComp:
			b.WriteByte("QC"[len(p.Control)-1])
			for _, k := range p.Control {
				fmt.Fprintf(&b, "%s %s ", num(float64(k.X)), num(-float64(k.Y)))
			}
			fmt.Fprintf(&b, "%s %s", tenth(px), tenth(py))
		case vg.CloseComp:
			b.WriteByte('z')
			continue
		}
		x, y = px, py
	}
	return b.String()
}

// arc writes a part of a circle in two halves, since an SVG arc cannot return to its start. It
// returns the end.
func arc(b *strings.Builder, p vg.PathComp, first bool) (x, y int) {
	at := func(angle float64) (x, y int) {
		sin, cos := math.Sincos(angle)
		r := float64(p.Radius)
		return tenths(float64(p.Pos.X) + r*cos), tenths(-float64(p.Pos.Y) - r*sin)
	}
	x, y = at(p.Start)
	to := "L"
	if first {
		to = "M"
	}
	fmt.Fprintf(b, "%s%s %s", to, tenth(x), tenth(y))
	sweep := 0
	if p.Angle < 0 {
		sweep = 1
	}
	for half := 1.0; half <= 2; half++ {
		x, y = at(p.Start + p.Angle*half/2)
		r := num(float64(p.Radius))
		fmt.Fprintf(b, "A%s %s 0 0 %d %s %s", r, r, sweep, tenth(x), tenth(y))
	}
	return x, y
}

// num formats a number with at most one decimal.
func num(v float64) string { return tenth(tenths(v)) }

func tenths(v float64) int { return int(math.Round(v * 10)) }

// tenth formats tenths, without a leading zero.
func tenth(v int) string {
	s := strconv.FormatFloat(float64(v)/10, 'f', -1, 64)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	return strings.Replace(s, "-0.", "-.", 1)
}
