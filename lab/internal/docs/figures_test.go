package docs

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

func TestEncode(t *testing.T) {
	f := &Figures{Date: "1 May 2026", Machine: "a, b", By: map[string]Figure{
		"w/m@1x8/[]T x": {Value: 1234, Unit: "ns", Ratio: 0.25, Spread: 0.6, RatioSpread: 0.012},
		"A":             {}, "C": {}, "D": {}, "E": {}, "F": {},
		"B/op=a:ns/elem": {Value: 0.5, Unit: "ns/elem"},
	}}
	data, err := f.Encode()
	testkit.Must(t, err)
	got, err := Decode(data)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("%s\nis decoded as %+v, %v; want %+v", data, got, err, f)
	}
	if lines := strings.Split(string(data), "\n"); !slices.IsSorted(lines[3 : len(lines)-1]) {
		t.Errorf("not sorted:\n%s", data)
	}
	again, err := got.Encode()
	if err != nil || string(again) != string(data) {
		t.Errorf("encoded again: %s, %v; want %s", again, err, data)
	}
}

func TestDecodeErrors(t *testing.T) {
	const head = "date\t1 May\nmachine\tm\nfigure\tvalue\tunit\tratio\tspread\tratio spread\n"
	if f, err := Decode([]byte(head)); err != nil || len(f.By) != 0 {
		t.Errorf("no figures: %v, %v", f, err)
	}
	for text, want := range map[string]string{
		"":                                              "not the figures of a run",
		"date\t1 May\n":                                 "not the figures of a run",
		strings.Replace(head, "date", "", 1)[1:]:        "not the figures of a run",
		head + "a\t1\tns\t0\t0\n":                       "line 4 has 5 columns, not 6",
		head + "a\tx\tns\t0\t0\t0\n":                    "line 4",
		head + "a\t1\tns\tx\t0\t0\n":                    "line 4",
		head + "a\t1\tns\t0\tx\t0\n":                    "line 4",
		head + "a\t1\tns\t0\t0\tx\n":                    "line 4",
		head + strings.Repeat("a\t1\tns\t0\t0\t0\n", 2): "line 5: figure a was measured twice",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestAddMedians(t *testing.T) {
	one := func(v, ratio, spread float64) *Figures {
		return &Figures{By: map[string]Figure{"a": {Value: v, Unit: "ns", Ratio: ratio, Spread: spread}}}
	}
	for _, tt := range []struct {
		each []*Figures
		want Figure
	}{
		{[]*Figures{one(3, 0.25, 0), one(2, 1, 0.1), one(2.5, 0.5, 0)}, Figure{2.5, "ns", 0.5, 0.4, 1.5}},
		{[]*Figures{one(3, 1, 0), one(2, 1, 0.75), one(2.5, 1, 0)}, Figure{2.5, "ns", 1, 0.75, 0}},
		{[]*Figures{one(5, 0, 0), one(2, 0, 0), one(2, 0, 0)}, Figure{2, "ns", 0, 1.5, 0}},
	} {
		f := &Figures{By: map[string]Figure{}}
		if err := f.addMedians(tt.each); err != nil || f.By["a"] != tt.want || len(f.By) != 1 {
			t.Errorf("medians %v, %v; want %v", f.By, err, tt.want)
		}
		if err := f.addMedians(tt.each); err == nil || !strings.Contains(err.Error(), "measured twice") {
			t.Errorf("again: %v", err)
		}
	}
	f := &Figures{By: map[string]Figure{}}
	err := f.addMedians([]*Figures{one(1, 1, 0), {By: map[string]Figure{}}})
	if err == nil || !strings.Contains(err.Error(), "figure a was not measured each time") {
		t.Errorf("a figure that is missing once: %v", err)
	}
}

func TestAddWeights(t *testing.T) {
	f := &Figures{By: map[string]Figure{}}
	const table = "# a comment of five words\n# container, type functions text stripped\nPool, first   118  14508  138128\n"
	testkit.Must(t, f.addWeights(table))
	want := map[string]Figure{
		"weight/Pool, first:functions": {Value: 118, Unit: "count"}, "weight/Pool, first:text": {Value: 14508, Unit: "bytes"},
		"weight/Pool, first:stripped": {Value: 138128, Unit: "bytes"},
	}
	if !reflect.DeepEqual(f.By, want) {
		t.Errorf("figures %v, want %v", f.By, want)
	}
	for text, want := range map[string]string{"Dense, first 1 x 2\n": "has the line", table: "measured twice"} {
		if err := f.addWeights(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}
