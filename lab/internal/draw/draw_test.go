package draw

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// element holds the attributes of a picture's element that the tests need.
type element struct {
	name string
	attr map[string]string
	text string
}

// elements parses a document, and checks that it contains no NaN or infinity.
func elements(t *testing.T, doc string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := element{tok.Name.Local, map[string]string{}, ""}
			for _, a := range tok.Attr {
				e.attr[a.Name.Local] = a.Value
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s has %s=%q", tok.Name.Local, a.Name.Local, a.Value)
				}
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += string(tok)
			}
		}
	}
}

func (e element) num(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr[name], 64)
	if err != nil {
		t.Fatalf("%s: %s=%q: %v", e.name, name, e.attr[name], err)
	}
	return v
}

// check checks the text alternative of a picture, and that all of its text is inside and does not
// overlap. It returns the numbers of filled marks and of lines, of any path.
func check(t *testing.T, p Picture) (fills, strokes int) {
	t.Helper()
	for _, doc := range []string{p.SVG(), string(p.File())} {
		fills, strokes = 0, 0
		var texts []element
		all := elements(t, doc)
		var x, y, w, h float64
		if _, err := fmt.Sscan(all[0].attr["viewBox"], &x, &y, &w, &h); err != nil || all[0].attr["role"] != "img" {
			t.Errorf("svg has %v (%v)", all[0].attr, err)
		}
		if all[1].name != "title" || all[2].name != "desc" || all[1].text == "" || len(all[2].text) < 5 ||
			all[0].attr["aria-labelledby"] != all[1].attr["id"]+" "+all[2].attr["id"] {
			t.Errorf("title %+v, desc %+v, named by %q", all[1], all[2], all[0].attr["aria-labelledby"])
		}
		for _, e := range all {
			switch {
			case e.name == "text":
				texts = append(texts, e)
				left, base := e.num(t, "x"), e.num(t, "y")
				if right := left + e.num(t, "textLength"); left < x-0.5 || right > x+w+0.5 || base-10 < y || base+3 > y+h {
					t.Errorf("%q sticks out: from %g to %g at %g, in %v", e.text, left, right, base, all[0].attr["viewBox"])
				}
			case e.name == "path" && strings.HasPrefix(e.attr["class"], "f-"):
				fills += strings.Count(e.attr["d"], "M")
			case e.name == "path":
				strokes += strings.Count(e.attr["d"], "M")
			}
		}
		for i, a := range texts {
			for _, b := range texts[:i] {
				ax, bx := a.num(t, "x"), b.num(t, "x")
				over := min(ax+a.num(t, "textLength"), bx+b.num(t, "textLength")) - max(ax, bx)
				if over > 0.5 && math.Abs(a.num(t, "y")-b.num(t, "y")) < 12 {
					t.Errorf("%q lies on %q", a.text, b.text)
				}
			}
		}
	}
	if strings.Contains(p.SVG(), "xmlns") || !strings.Contains(string(p.File()), "xmlns=") {
		t.Error("a file needs a name space, and a page has it")
	}
	return fills, strokes
}

const nasty = `<b> & "c"`

// frames returns a picture of each kind.
func frames() (all []Frame) {
	number := func(v float64) string { return fmt.Sprintf("%.3g", v) }
	for _, width := range []int{0, Wide} {
		for _, log := range []bool{false, true} {
			all = append(all, Frame{ID: "id", Title: nasty, Unit: "ns", Width: width, Log: log, Number: number})
		}
	}
	return all
}

var values = []float64{-3, 0, 1e-9, 1, 12.5, 1e12}

func TestBars(t *testing.T) {
	for _, f := range frames() {
		for _, v := range values {
			rows := []Bar{{Name: nasty, Value: v, Low: v / 2, High: 2 * v, Note: "(1x)", Tone: Ours},
				{Name: "b", Value: 2 * v}, {Name: "a name that is long: so long that it takes two lines", Value: v, Tone: Kin}}
			p := Bars(f, rows)
			if fills, _ := check(t, p); fills != 3 {
				t.Errorf("Bars(%g, log %t): %d bars, want 3", v, f.Log, fills)
			}
			if want := nasty + " " + f.Number(v) + " (1x); b " + f.Number(2*v) + ";"; !strings.Contains(p.desc, want) {
				t.Errorf("it says %q, want %q in it", p.desc, want)
			}
		}
	}
}

func TestGroups(t *testing.T) {
	for _, f := range frames() {
		var groups []Group
		for k, name := range []string{"berth.Pool", "map[uint64]*T", nasty} {
			g := Group{Name: name, Tone: Tone(k)}
			for i, m := range []string{"p50", "p99", "worst"} {
				v := math.Pow(7, float64(k+i))
				g.Bars = append(g.Bars, Bar{Name: m, Value: v, Low: v / 2, High: 3 * v})
			}
			groups = append(groups, g)
		}
		p := Groups(f, groups)
		if fills, _ := check(t, p); fills != 9 {
			t.Errorf("%d bars, want 9", fills)
		}
		if want := "In ns: berth.Pool p50 1; berth.Pool p99 7;"; !strings.HasPrefix(p.desc, want) {
			t.Errorf("it says %q, want %q at its beginning", p.desc, want)
		}
	}
}

// If each group has its own axis, the longest bars of all groups have the same length.
func TestGroupsOfTheirOwn(t *testing.T) {
	f := frames()[0]
	f.Each = true
	p := Groups(f, []Group{
		{Name: "ns", Bars: []Bar{{Name: "a", Value: 1}, {Name: "b", Value: 4, Tone: Ours}}},
		{Name: "us", Bars: []Bar{{Name: "a", Value: 8000}, {Name: "b", Value: 1000, Tone: Ours}}},
	})
	if fills, _ := check(t, p); fills != 4 {
		t.Errorf("%d bars, want 4", fills)
	}
	long := map[string][]float64{}
	for _, e := range elements(t, p.SVG()) {
		if e.name != "path" || !strings.HasPrefix(e.attr["class"], "f-") {
			continue
		}
		for d := range strings.SplitSeq(strings.TrimSuffix(e.attr["d"], "z"), "z") {
			var x, y, w float64
			if _, err := fmt.Sscanf(d, "M%g %gl%g", &x, &y, &w); err != nil {
				t.Fatalf("%q: %v", d, err)
			}
			long[e.attr["class"]] = append(long[e.attr["class"]], w)
		}
	}
	a, b := long["f-other"], long["f-ours"]
	if len(a) != 2 || len(b) != 2 || math.Abs(a[1]-b[0]) > 0.2 || math.Abs(a[0]-b[0]/4) > 0.2 || math.Abs(b[1]-a[1]/8) > 0.2 {
		t.Errorf("the bars of a are %v long, those of b %v", a, b)
	}
}

// spreadOf makes a row with repetitions spread around v.
func spreadOf(name string, v, most float64) Band {
	return Band{
		Name: name, Median: v, Min: v * 0.8, Max: most, Note: "(1x)", Tone: Ours,
		B95: [2]float64{v * 0.9, v * 1.5}, B75: [2]float64{v * 0.93, v * 1.3}, B50: [2]float64{v * 0.95, v * 1.1},
	}
}

func TestBands(t *testing.T) {
	for _, f := range frames() {
		for _, v := range values[1:] {
			rows := []Band{spreadOf(nasty, v, 1.6*v), spreadOf("b", 2*v, 3*v)}
			if fills, strokes := check(t, Bands(f, rows)); fills < 6 || strokes < 4 {
				t.Errorf("Bands(%g): %d boxes and %d lines, want 6 and 4 or more", v, fills, strokes)
			}
		}
		// An outlier does not squeeze the boxes: its whisker ends in an arrow.
		near, far := Bands(f, []Band{spreadOf("a", 10, 16)}), Bands(f, []Band{spreadOf("a", 10, 1e6)})
		n, _ := check(t, near)
		if m, _ := check(t, far); m != n+1 || strings.Contains(far.SVG(), ">1M<") {
			t.Errorf("%d marks with an outlier and %d without, want one more", m, n)
		}
		if want := "a: median 10 (1x), half between 9.5 and 11, 95 % between 9 and 15, all between 8 and 16."; near.desc != "In ns: "+want {
			t.Errorf("it says %q, want %q", near.desc, want)
		}
	}
}

func steps(n int, of func(i int) float64) []float64 {
	ys := make([]float64, n)
	for i := range ys {
		ys[i] = of(i)
	}
	return ys
}

var stepAxis = Axis{"step", []float64{0, 50, 100, 150, 200, 250}, 100, "burst"}

func TestLines(t *testing.T) {
	for _, f := range frames() {
		for _, v := range []float64{0, 1, 1e12} {
			for _, n := range []int{1, 2, 30} {
				var lines []Line
				for k := range n {
					ys := steps(255, func(i int) float64 { return v*float64(k+1) + float64(i%3) })
					lines = append(lines, Line{Name: fmt.Sprintf("line %d", k), Number: k, Tone: Tone(k % 3), Y: ys, Said: "said"})
				}
				p := Lines(f, stepAxis, lines)
				if _, strokes := check(t, p); strokes < 2*n+1 {
					t.Errorf("%d lines and leads, want %d", strokes, 2*n+1)
				}
				if strings.Count(p.desc, ": said") != n {
					t.Errorf("it says %q", p.desc)
				}
			}
		}
	}
}

// Lines of the same colour differ in their dashes.
func TestLinesDiffer(t *testing.T) {
	seen := map[string]int{}
	for k := range lineInks * len(dashes) {
		l := Line{Number: k}
		s := fmt.Sprint(l.stroke().Dashes, l.ink())
		if before, ok := seen[s]; ok {
			t.Fatalf("lines %d and %d look alike", before, k)
		}
		seen[s] = k
	}
}

func TestGrowth(t *testing.T) {
	sizes := []float64{1000, 10_000, 100_000}
	for _, f := range frames() {
		lines := []Line{
			{Name: nasty, Number: 0, Tone: Ours, X: sizes, Y: []float64{1, 2, 4}, Said: "s"},
			{Name: "stops", Number: 12, X: sizes[:2], Y: []float64{5, 500}, Said: "s"},
		}
		fills, strokes := check(t, Growth(f, Axis{Label: "n", At: sizes}, lines))
		if fills+strokes < 2+5+2 {
			t.Errorf("%d and %d marks, want two lines, five points and two leads", fills, strokes)
		}
	}
}

func TestApart(t *testing.T) {
	for _, wanted := range [][]vg.Length{{100}, {100, 100, 100}, {300, 299, 5, 4, 3}, slices.Repeat([]vg.Length{0}, 15)} {
		got := apart(wanted, 0, 300)
		for i := range got {
			if got[i] < -0.1 || got[i] > 300.1 || i > 0 && got[i-1]-got[i] < nameGap-0.1 {
				t.Errorf("apart(%v) = %v", wanted, got)
				break
			}
		}
	}
	if got := apart([]vg.Length{200, 100}, 0, 300); got[0] != 200 || got[1] != 100 {
		t.Errorf("apart moves what is apart: %v", got)
	}
}

// TestBelowTick checks that a tick is a twentieth of the axis above its end.
func TestBelowTick(t *testing.T) {
	for _, tc := range [][2]float64{{1, 10}, {1, 1e6}, {0.5, 0.6}, {20, 300}} {
		lo := belowTick(tc[0], tc[1])
		if at := math.Log(tc[0]/lo) / math.Log(tc[1]/lo); math.Abs(at-0.05) > 1e-9 {
			t.Errorf("belowTick(%v, %v) = %v: the tick is at %v", tc[0], tc[1], lo, at)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		ticks  func(lo, hi float64, most int) plot.ConstantTicks
		lo, hi float64
		want   string
	}{
		{logTicks, 0.2, 9, "0.2 0.5 1 2 5"}, {logTicks, 9, 21, "10 20"}, {logTicks, 11, 19, "12 14 16 18"},
		{logTicks, 1, 5000, "1 10 100 1k"}, {logTicks, 900, 25_000, "1k 2k 5k 10k 20k"},
		{logTicks, 1, 100, "1 3 10 30 100"}, {logTicks, 1e-3, 1e12, "0.001 1 1k 1M 1G 1T"},
		{linearTicks, 0, 1, "0 0.2 0.4 0.6 0.8 1"}, {linearTicks, 0, 1234, "0 500 1k"},
		{linearTicks, 0, 0.001, "0 0.0002 0.0004 0.0006 0.0008 0.001"}, {linearTicks, -3, 3, "-2 0 2"},
	} {
		var got []string
		for _, tick := range tc.ticks(tc.lo, tc.hi, 6) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("ticks from %g to %g: %s, want %s", tc.lo, tc.hi, s, tc.want)
		}
	}
}

// luminance is the relative luminance of WCAG 2.2 of a colour such as #0a1b2c.
func luminance(t *testing.T, hex string) (l float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		testkit.Must(t, err)
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

// Text and marks have enough contrast on the paper, light and dark.
func TestContrast(t *testing.T) {
	by := map[string]shade{}
	for _, s := range shades {
		if _, twice := by[s.Name]; twice || s.Name == "" {
			t.Errorf("no name, or twice: %+v", s)
		}
		by[s.Name] = s
	}
	contrast := func(a, b string) float64 {
		x, y := luminance(t, a), luminance(t, b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	least := map[string]float64{"ours": 3, "other": 3}
	for _, i := range []ink{fg, soft} {
		least[i.String()] = 4.5
	}
	for i := range lineInks {
		least[lineInk(i).String()] = 4.5
	}
	for name, want := range least {
		s := by[name]
		if got := contrast(s.Light, by["paper"].Light); got < want {
			t.Errorf("%s in the light: contrast %.2f, want %g", name, got, want)
		}
		if got := contrast(s.Dark, by["paper"].Dark); got < want {
			t.Errorf("%s in the dark: contrast %.2f, want %g", name, got, want)
		}
	}
}

// Consecutive points at the same height make one line, and numbers are short.
func TestOutline(t *testing.T) {
	var p vg.Path
	for i, y := range []vg.Length{1, 1, 1, 1.25, 1.25, 1} {
		if pt := (vg.Point{X: vg.Length(i) / 2, Y: y}); i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
	}
	p.Line(vg.Point{X: 1, Y: 1}) // back is another direction
	if got, want := outline(p), "M0 -1l1 0l.5-.3l.5 0l.5 .3l-1.5 0"; got != want {
		t.Errorf("outline = %s, want %s", got, want)
	}
}

// A point is a circle of two halves. A line of no width is not drawn, and text has its attributes.
func TestCanvas(t *testing.T) {
	c := &canvas{w: 100, h: 50}
	c.SetColor(ours)
	var p vg.Path
	p.Move(vg.Point{X: 6, Y: 2})
	p.Arc(vg.Point{X: 5, Y: 2}, 1, 0, 2*math.Pi)
	p.Close()
	c.Fill(p)
	c.SetColor(color.White)
	c.SetLineWidth(0)
	c.Stroke(p)
	c.SetLineWidth(1.25)
	c.SetLineDash([]vg.Length{3, 1.5}, 0)
	c.Stroke(p[:1])
	c.FillString(font.DefaultCache.Lookup(sans(true), 7), vg.Point{X: 1, Y: 1}, "a<b")
	const want = `<path class="f-ours" d="M6 -2a1 1 0 0 0 -2 0a1 1 0 0 0 2 0z"/>` +
		`<path class="s-ink" stroke-width="1.3" stroke-dasharray="3 1.5" d="M6 -2"/>`
	if got := c.String(); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := elements(t, c.String()[len(want):]); text[0].attr["class"] != "f-ink b" || text[1].text != "a<b" || text[1].attr["font-size"] != "7" {
		t.Errorf("text is %+v", text)
	}
}
