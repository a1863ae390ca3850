// Package docs measures the figures of the pages in docs/, and writes them into the pages. A page
// is a text/template beside it, PAGE.md.tmpl, in which each figure is named. All figures are from
// one run, and are kept in figures.tsv, so that a page can be written again without another one.
package docs

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Figure is a figure of a run.
type Figure struct {
	Value float64
	Unit  string  // as in "ns"
	Ratio float64 // to the base of its workload, or 0
	Wide  bool    // the repetitions are spread so widely that the median is unreliable
}

// Figures holds the figures of one run by name. For those of the lab it is
// "workload/metric@NxBYTES/implementation", and for those of go test the name of the benchmark and
// the unit, as in "LRU/op=add/impl=order:ns/elem".
type Figures struct {
	Date, Machine string
	By            map[string]Figure
}

// columns are those of figures.tsv.
var columns = []string{"figure", "value", "unit", "ratio", "wide"}

// add adds a figure. It returns an error if there is one of that name: two steps of a run measured
// the same.
func (f *Figures) add(name string, fig Figure) error {
	if _, ok := f.By[name]; ok {
		return fmt.Errorf("figure %s was measured twice", name)
	}
	f.By[name] = fig
	return nil
}

// addMedians adds the median of each figure in each. One is wide if it is in any of them, or if
// they are spread widely.
func (f *Figures) addMedians(each []*Figures) error {
	for name, fig := range each[0].By {
		var values, ratios []float64
		for _, one := range each {
			other, ok := one.By[name]
			if !ok {
				return fmt.Errorf("figure %s was not measured each time", name)
			}
			values, ratios = append(values, other.Value), append(ratios, other.Ratio)
			fig.Wide = fig.Wide || other.Wide
		}
		fig.Value, fig.Ratio = measure.Quantile(values, 0.5), measure.Quantile(ratios, 0.5)
		fig.Wide = fig.Wide || wide(fig.Value, slices.Min(values), slices.Max(values))
		if err := f.add(name, fig); err != nil {
			return err
		}
	}
	return nil
}

// wide reports whether repetitions between low and high span more than half of the median.
func wide(median, low, high float64) bool { return high-low > 0.5*median }

// Encode returns the contents of figures.tsv, sorted by name.
func (f *Figures) Encode() ([]byte, error) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	b := new(bytes.Buffer)
	w := csv.NewWriter(b)
	w.Comma = '\t'
	rows := [][]string{{"date", f.Date}, {"machine", f.Machine}, columns}
	for _, name := range slices.Sorted(maps.Keys(f.By)) {
		fig := f.By[name]
		wide := ""
		if fig.Wide {
			wide = "wide"
		}
		rows = append(rows, []string{name, number(fig.Value), fig.Unit, number(fig.Ratio), wide})
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

// Decode returns the figures of Encode.
func Decode(data []byte) (*Figures, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 3 || len(rows[0]) != 2 || len(rows[1]) != 2 || !slices.Equal(rows[2], columns) {
		return nil, errors.New("not the figures of a run: no date, machine and columns")
	}
	f := &Figures{Date: rows[0][1], Machine: rows[1][1], By: map[string]Figure{}}
	for i, row := range rows[3:] {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("line %d has %d columns, not %d", i+4, len(row), len(columns))
		}
		value, err1 := strconv.ParseFloat(row[1], 64)
		ratio, err2 := strconv.ParseFloat(row[3], 64)
		fig := Figure{Value: value, Unit: row[2], Ratio: ratio, Wide: row[4] == "wide"}
		err := f.add(row[0], fig)
		if err := errors.Join(err1, err2, err); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+4, err)
		}
	}
	return f, nil
}

// counted is the unit of whole numbers.
const counted = "count"

// addWeights adds the figures of tools/weight, whose table has three numbers for each container.
func (f *Figures) addWeights(table string) error {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 4 || words[0] == "#" {
			continue
		}
		at := len(words) - 3
		for i, c := range []struct{ name, unit string }{
			{"functions", counted}, {"text", "bytes"}, {"stripped", "bytes"},
		} {
			value, err := strconv.ParseFloat(words[at+i], 64)
			if err != nil {
				return fmt.Errorf("the table of weights has the line %q", line)
			}
			name := "weight/" + strings.Join(words[:at], " ") + ":" + c.name
			if err := f.add(name, Figure{Value: value, Unit: c.unit}); err != nil {
				return err
			}
		}
	}
	return nil
}
