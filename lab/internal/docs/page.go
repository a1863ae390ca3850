package docs

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/seed505807e1/berth/lab/internal/atomicfile"
)

// Paths within docs/.
const (
	figuresFile = "figures.tsv"
	pageSuffix  = ".tmpl"
	weightsFile = "../tools/weight/table.txt" // the figures that the gate counts
)

// Load returns the figures that dir holds.
func Load(dir string) (*Figures, error) {
	path := filepath.Join(dir, figuresFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Write writes the figures and the pages into dir, which have the figures as they are written. It
// writes nothing if a page names a figure that is missing.
func (f *Figures) Write(dir string) error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	written, err := Decode(text)
	if err != nil {
		return err
	}
	pages, err := written.pages(dir)
	if err != nil {
		return err
	}
	pages[filepath.Join(dir, figuresFile)] = text
	for path, text := range pages {
		err = errors.Join(err, atomicfile.Write(path, text))
	}
	return err
}

// pages returns the pages of the templates in dir, by path.
func (f *Figures) pages(dir string) (map[string][]byte, error) {
	pages := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(dir, "*"+pageSuffix))
	if err != nil || len(paths) == 0 {
		return pages, err
	}
	weights, err := os.ReadFile(filepath.Join(dir, weightsFile))
	if err != nil {
		return nil, err
	}
	f = &Figures{f.Date, f.Machine, maps.Clone(f.By)}
	err = f.addWeights(string(weights))
	for _, path := range paths {
		text, err1 := os.ReadFile(path)
		page, err2 := f.page(filepath.Base(path), string(text))
		pages[strings.TrimSuffix(path, pageSuffix)] = page
		err = errors.Join(err, err1, err2)
	}
	return pages, err
}

// page executes a template. The error names every figure that is missing.
func (f *Figures) page(name, text string) ([]byte, error) {
	w := &writer{f: f}
	t, err := template.New(name).Funcs(template.FuncMap{
		"row": w.row, "ratios": w.ratios, "both": w.both,
		"num": w.num, "ratio": w.ratio, "over": w.over, "overs": w.overs,
		"change": w.change, "weight": w.weight,
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b, f); err != nil {
		return nil, err
	}
	for _, missing := range w.missing {
		err = errors.Join(err, fmt.Errorf("%s: no figure %s", name, missing))
	}
	return []byte(b.String()), err
}

// writer holds the functions of a template. A pattern is the name of a figure in which "%" stands
// for each of a list, as of implementations, separated by commas. Those after a ";" are floors and
// never bold. "*0.001" after a pattern scales its figures.
type writer struct {
	f       *Figures
	missing []string
}

func (w *writer) get(pattern string) Figure {
	name, scale, scaled := strings.Cut(pattern, "*0.")
	fig, ok := w.f.By[name]
	if !ok {
		w.missing = append(w.missing, name)
	}
	if scaled {
		by, err := strconv.ParseFloat("0."+scale, 64)
		if err != nil {
			w.missing = append(w.missing, pattern)
		}
		fig.Value *= by
	}
	return fig
}

// cells returns a row of cells, one for each of list. A cell holds the figures of all patterns.
// Figures for which bold reports true are bold, given the least value of the figures in the row.
func (w *writer) cells(
	list string, patterns []string, format func(Figure) string,
	bold func(f Figure, least float64) bool, after func(Figure) string,
) string {
	rivals, floors, _ := strings.Cut(list, ";")
	count := len(strings.Split(rivals, ","))
	if rivals == "" {
		count = 0
	}
	names := strings.Split(strings.Trim(rivals+","+floors, ","), ",")
	cells := make([][]string, len(names))
	for _, p := range patterns {
		least := math.Inf(1)
		figs := make([]Figure, len(names))
		for i, name := range names {
			if name == "" {
				continue // an empty cell
			}
			figs[i] = w.get(strings.ReplaceAll(p, "%", name))
			if i < count {
				least = min(least, figs[i].Value)
			}
		}
		for i, f := range figs {
			if names[i] == "" {
				continue
			}
			text := format(f)
			if i < count && bold(f, least) && len(names) > 1 {
				text = "**" + text + "**"
			}
			cells[i] = append(cells[i], text+after(f))
		}
	}
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = strings.Join(c, " / ")
	}
	return strings.Join(row, " | ")
}

// leastOf is for rows of rivals: the least is bold.
func leastOf(f Figure, least float64) bool { return f.Value == least }

// belowOne is for rows of ratios: each that beats its base is bold.
func belowOne(f Figure, _ float64) bool { return f.Ratio < 0.995 }

func (w *writer) row(list string, patterns ...string) string {
	return w.cells(list, patterns, Figure.number, leastOf, Figure.none)
}

// ratios returns a row of ratios to the base of the workload.
func (w *writer) ratios(list string, patterns ...string) string {
	return w.cells(list, patterns, Figure.ratio, belowOne, Figure.none)
}

// both returns a row of values with their ratios.
func (w *writer) both(list string, patterns ...string) string {
	return w.cells(list, patterns, Figure.number, leastOf, Figure.times)
}

// overs returns a row of quotients of the figures of two patterns, or of several pairs of patterns.
func (w *writer) overs(list string, pairs ...string) string {
	var row []string
	for name := range strings.SplitSeq(list, ",") {
		var cell []string
		for pair := range slices.Chunk(pairs, 2) {
			q := w.quotient(
				strings.ReplaceAll(pair[0], "%", name), strings.ReplaceAll(pair[1], "%", name))
			text := q.ratio()
			if belowOne(q, 0) {
				text = "**" + text + "**"
			}
			cell = append(cell, text)
		}
		row = append(row, strings.Join(cell, " / "))
	}
	return strings.Join(row, " | ")
}

// change returns three cells: the figures of a program before and after a change, and their ratio.
func (w *writer) change(pattern string) string {
	before := strings.ReplaceAll(pattern, "%", "before")
	after := strings.ReplaceAll(pattern, "%", "after")
	return strings.Join([]string{
		w.get(before).amount(), w.get(after).amount(), w.over(after, before),
	}, " | ")
}

// weight returns two cells: the functions, and the KB compiled and stripped, of a container's first
// type of values, and of each further one.
func (w *writer) weight(container string) string {
	cell := func(which string) string {
		name := "weight/" + container + ", " + which
		return w.num(name+":functions") + ", " + w.num(name+":text*0.001") + ", " +
			w.num(name+":stripped*0.001")
	}
	return cell("first") + " | " + cell("further")
}

// quotient returns a figure whose ratio is the quotient of two.
func (w *writer) quotient(name, base string) Figure {
	a, b := w.get(name), w.get(base)
	return Figure{Ratio: a.Value / b.Value, RatioSpread: max(a.Spread, b.Spread)}
}

func (w *writer) over(name, base string) string { return w.quotient(name, base).ratio() }

func (w *writer) num(name string) string   { return w.get(name).number() }
func (w *writer) ratio(name string) string { return w.get(name).ratio() }

// number formats a value: 0.32, 12.3, 2678, 33 439 or 8.4 M.
func (f Figure) number() string {
	v := f.Value
	text := ""
	switch {
	case f.Unit == counted || f.inBytes() && v >= 10 && v < 999.5:
		text = strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1e6:
		text = digits(v/1e6, 3) + " M"
	case v >= 9999.5:
		text = strconv.FormatFloat(v, 'f', 0, 64)
		text = text[:len(text)-3] + " " + text[len(text)-3:]
	case v >= 999.5:
		text = strconv.FormatFloat(v, 'f', 0, 64)
	default:
		text = digits(v, 3)
	}
	return mark(f.Spread) + text
}

// amount formats a value with its unit of time, or without one that is not of time.
func (f Figure) amount() string {
	unit := ""
	if strings.HasPrefix(f.Unit, "ns") {
		unit = " ns"
		if f.Value >= 999.5e3 {
			f.Value, unit = f.Value/1e6, " ms"
		} else if f.Value >= 999.5 {
			f.Value, unit = f.Value/1e3, " us"
		}
	}
	return f.number() + unit
}

// ratio formats a ratio: .05, .87, 1.4, 12 or 360.
func (f Figure) ratio() string {
	text := digits(min(f.Ratio, 99.5), 2)
	switch {
	case f.Ratio < 0.005:
		text = "<.01"
	case f.Ratio < 0.995:
		text = strings.TrimPrefix(strconv.FormatFloat(f.Ratio, 'f', 2, 64), "0")
	case f.Ratio >= 99.5:
		text = strconv.FormatFloat(f.Ratio, 'f', 0, 64)
	}
	return mark(f.RatioSpread) + text
}

// inBytes reports whether f is a whole number of bytes.
func (f Figure) inBytes() bool {
	return (f.Unit == "bytes" || strings.Contains(f.Unit, "B")) && f.Value == math.Round(f.Value)
}

// times is the ratio behind a value. A base has none.
func (f Figure) times() string {
	if f.Ratio == 1 {
		return ""
	}
	return " (" + f.ratio() + "x)"
}

func (Figure) none() string { return "" }

// mark is "~" before a figure that is unreliable.
func mark(spread float64) string {
	if spread > maxSpread {
		return "~"
	}
	return ""
}

// digits formats v, below 1000, with n significant digits, not counting a zero before the point.
func digits(v float64, n int) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64) // 9.998 becomes 10
	for limit := 10.0; v >= limit && n > 1; limit *= 10 {
		n--
	}
	return strconv.FormatFloat(v, 'f', n-1, 64)
}
