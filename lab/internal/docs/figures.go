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
	// How far the repetitions, and the programs of different layouts, lie apart: the range divided
	// by the median.
	Spread, RatioSpread float64
}

// maxSpread is the spread beyond which a figure is marked as unreliable. Of the others, four in
// five were within 10 % in another run, and nine in ten with a spread below .1.
const maxSpread = 0.25

// Figures holds the figures of one run by name. For those of the lab it is
// "workload/metric@NxBYTES/implementation", and for those of go test the name of the benchmark and
// the unit, as in "LRU/op=add/impl=order:ns/elem".
type Figures struct {
	Date, Machine string
	By            map[string]Figure
}

// columns are those of figures.tsv.
var columns = []string{"figure", "value", "unit", "ratio", "spread", "ratio spread"}

// add adds a figure. It returns an error if there is one of that name: two steps of a run measured
// the same.
func (f *Figures) add(name string, fig Figure) error {
	if _, ok := f.By[name]; ok {
		return fmt.Errorf("figure %s was measured twice", name)
	}
	f.By[name] = fig
	return nil
}

// addMedians adds the median of each figure in each, with the widest spread.
func (f *Figures) addMedians(each []*Figures) error {
	for name, fig := range each[0].By {
		var values, ratios []float64
		for _, one := range each {
			other, ok := one.By[name]
			if !ok {
				return fmt.Errorf("figure %s was not measured each time", name)
			}
			values, ratios = append(values, other.Value), append(ratios, other.Ratio)
			fig.Spread = max(fig.Spread, other.Spread)
		}
		fig.Value, fig.Ratio = measure.Quantile(values, 0.5), measure.Quantile(ratios, 0.5)
		fig.Spread = max(fig.Spread, spread(fig.Value, slices.Min(values), slices.Max(values)))
		fig.RatioSpread = spread(fig.Ratio, slices.Min(ratios), slices.Max(ratios))
		if err := f.add(name, fig); err != nil {
			return err
		}
	}
	return nil
}

// spread returns the range of repetitions between low and high, divided by their median.
func spread(median, low, high float64) float64 {
	if low == high {
		return 0
	}
	return (high - low) / median
}

// Encode returns the contents of figures.tsv, sorted by name.
func (f *Figures) Encode() ([]byte, error) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	share := func(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }
	b := new(bytes.Buffer)
	w := csv.NewWriter(b)
	w.Comma = '\t'
	rows := [][]string{{"date", f.Date}, {"machine", f.Machine}, columns}
	for _, name := range slices.Sorted(maps.Keys(f.By)) {
		fig := f.By[name]
		rows = append(rows, []string{
			name, number(fig.Value), fig.Unit, number(fig.Ratio),
			share(fig.Spread), share(fig.RatioSpread),
		})
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
		fig := Figure{Unit: row[2]}
		var errs []error
		for k, to := range map[int]*float64{
			1: &fig.Value, 3: &fig.Ratio, 4: &fig.Spread, 5: &fig.RatioSpread,
		} {
			v, err := strconv.ParseFloat(row[k], 64)
			*to, errs = v, append(errs, err)
		}
		if err := errors.Join(append(errs, f.add(row[0], fig))...); err != nil {
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
