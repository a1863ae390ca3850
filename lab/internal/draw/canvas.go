package draw

import (
	"fmt"
	"html"
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
	vg.Canvas // nil, for the methods that no picture needs: images and transforms

	w, h   vg.Length
	b      strings.Builder
	ink    ink
	width  vg.Length
	dashes []vg.Length
	words  string // the class of the current group of text
}

func (c *canvas) Size() (w, h vg.Length)                 { return c.w, c.h }
func (c *canvas) SetLineWidth(w vg.Length)               { c.width = w }
func (c *canvas) SetLineDash(d []vg.Length, _ vg.Length) { c.dashes = d }

// SetColor takes inks. Any other colour is drawn as text.
func (c *canvas) SetColor(clr color.Color) {
	var ok bool
	if c.ink, ok = clr.(ink); !ok {
		c.ink = fg
	}
}

func (c *canvas) Stroke(p vg.Path) {
	if c.width <= 0 {
		return
	}
	c.endWords()
	fmt.Fprintf(&c.b, `<path class="s-%s"`, c.ink)
	if c.width != 1 {
		fmt.Fprintf(&c.b, ` stroke-width="%s"`, num(float64(c.width)))
	}
	if len(c.dashes) > 0 {
		lengths := make([]string, len(c.dashes))
		for i, d := range c.dashes {
			lengths[i] = num(float64(d))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	fmt.Fprintf(&c.b, ` d="%s"/>`, outline(p))
}

func (c *canvas) Fill(p vg.Path) {
	c.endWords()
	fmt.Fprintf(&c.b, `<path class="f-%s" d="%s"/>`, c.ink, outline(p))
}

func (c *canvas) FillString(f font.Face, at vg.Point, words string) {
	class := "f-" + c.ink.String()
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
			// A point: a circle from its right in two halves, since no arc returns to its start.
			r, d := num(float64(p.Radius)), num(2*float64(p.Radius))
			fmt.Fprintf(&b, "a%s %[1]s 0 0 0 -%s 0a%[1]s %[1]s 0 0 0 %[2]s 0", r, d)
			continue
		case vg.CloseComp:
			b.WriteByte('z')
			continue
		default:
			panic("draw: a path has curves")
		}
		x, y = px, py
	}
	return b.String()
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
