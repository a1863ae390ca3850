package docs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// folder holds the pages.
const folder = "../../../docs"

// A page is its template with the figures that are kept, so neither is changed by hand.
func TestPagesAreWrittenByTheLab(t *testing.T) {
	f, err := Load(folder)
	testkit.Must(t, err)
	pages, err := f.pages(folder)
	testkit.Must(t, err)
	if len(pages) == 0 {
		t.Error("there is no template")
	}
	for path, want := range pages {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s differs from its template: run go run ./lab docs -kept", filepath.Base(path))
		}
	}
}

func TestNumber(t *testing.T) {
	for want, f := range map[string]Figure{
		"0.32":   {Value: 0.3151},
		"0.05":   {Value: 0.0499},
		"1.00":   {Value: 0.9999},
		"3.50":   {Value: 3.5},
		"10.0":   {Value: 9.998},
		"12.3":   {Value: 12.34},
		"100":    {Value: 99.96},
		"1000":   {Value: 999.6},
		"2678":   {Value: 2678.4},
		"10 000": {Value: 9999.6},
		"33 439": {Value: 33439},
		"1.00 M": {Value: 1e6},
		"24":     {Value: 24, Unit: "B/op"},
		"24.5":   {Value: 24.5, Unit: "B/op"},
		"8.00":   {Value: 8, Unit: "bytes"},
		"12.3 M": {Value: 12_345_678},
		"7.00":   {Value: 7, Spread: 0.25, RatioSpread: 1},
		"~7.00":  {Value: 7, Spread: 0.26},
	} {
		if got := f.number(); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	for want, f := range map[string]Figure{
		"12.3 ns":  {Value: 12.34, Unit: "ns/op"},
		"1.00 us":  {Value: 999.6, Unit: "ns"},
		"~12.3 ms": {Value: 12_340_000, Unit: "ns/op", Spread: 0.51},
		"2.37 M":   {Value: 2_365_216, Unit: "held-B"},
	} {
		if got := f.amount(); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	for want, ratio := range map[string]float64{
		"<.01": 0.0049, ".01": 0.0051, ".87": 0.87, ".99": 0.994, "100": 99.6, "1.0": 0.9951, "1.4": 1.44, "10": 9.96, "12": 12.4, "365": 365,
	} {
		if got := (Figure{Ratio: ratio}).ratio(); got != want {
			t.Errorf("%v is written %s, want %s", ratio, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	f := &Figures{Date: "1 May", By: map[string]Figure{
		"w/m@1x8/a b": {Value: 2, Ratio: 0.5}, "w/m@1x8/c": {Value: 3, Ratio: 1.5}, "w/m@1x8/d": {Value: 1, Ratio: 1},
		"w/k@1x8/a b": {Value: 40_000}, "w/k@1x8/c": {Value: 400, Spread: 0.6}, "w/k@1x8/d": {Value: 4},
		"weight/P, first:functions": {Value: 1, Unit: "count"}, "weight/P, first:text": {Value: 2000}, "weight/P, first:stripped": {Value: 3000},
		"weight/P, further:functions": {Value: 4, Unit: "count"}, "weight/P, further:text": {Value: 5000}, "weight/P, further:stripped": {Value: 6000},
		"c/before:ns/op": {Value: 30_000, Unit: "ns/op"}, "c/after:ns/op": {Value: 3000, Unit: "ns/op"},
	}}
	for _, tt := range []struct{ text, want string }{
		{`{{.Date}}`, "1 May"},
		{`{{row "a b,c;d" "w/m@1x8/%"}}`, "**2.00** | 3.00 | 1.00"},
		{`{{row "a b,,c" "w/m@1x8/%"}}`, "**2.00** |  | 3.00"},
		{`{{row ";a b,d" "w/m@1x8/%"}}`, "2.00 | 1.00"},
		{`{{row "a b,c" "w/m@1x8/%" "w/k@1x8/%*0.1"}}`, "**2.00** / 4000 | 3.00 / **~40.0**"},
		{`{{ratios "a b,c,d" "w/m@1x8/%"}}`, "**.50** | 1.5 | 1.0"},
		{`{{both "c,d" "w/m@1x8/%"}}`, "3.00 (1.5x) | **1.00**"},
		{`{{both "c" "w/m@1x8/%"}}`, "3.00 (1.5x)"},
		{`{{weight "P"}}`, "1, 2.00, 3.00 | 4, 5.00, 6.00"},
		{`{{change "c/%:ns/op"}}`, "30.0 us | 3.00 us | .10"},
		{`{{overs "m,k" "w/%@1x8/c" "w/%@1x8/d"}}`, "3.0 | ~100"},
		{`{{overs "m" "w/%@1x8/d" "w/%@1x8/c" "w/%@1x8/c" "w/%@1x8/d"}}`, "**.33** / 3.0"},
		{`{{num "w/m@1x8/a b"}} {{ratio "w/m@1x8/c"}} {{over "w/m@1x8/c" "w/m@1x8/a b"}}`, "2.00 1.5 1.5"},
	} {
		got, err := f.page("page", tt.text)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s is %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}

// A page names every figure that is missing, and nothing is written.
func TestMissing(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "docs")
	text := `{{row "a,b" "w/%"}} {{num "there"}} {{num "there*0.x"}}`
	f := &Figures{By: map[string]Figure{"there": {Value: 1}}}
	err := errors.Join(
		os.MkdirAll(filepath.Join(root, "tools", "weight"), 0o700), os.Mkdir(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "p.md.tmpl"), []byte(text), 0o600))
	testkit.Must(t, err)
	if err := f.Write(dir); err == nil || !strings.Contains(err.Error(), "table.txt") {
		t.Errorf("without a table of weights: %v", err)
	}
	testkit.Must(t, os.WriteFile(filepath.Join(root, "tools", "weight", "table.txt"), nil, 0o600))
	err = f.Write(dir)
	for _, want := range []string{"p.md.tmpl: no figure w/a\n", "no figure w/b\n", "no figure there*0.x"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	page := filepath.Join(dir, "p.md")
	if err := os.WriteFile(page+".tmpl", []byte(`{{num "there"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.By["there"] = Figure{Value: 12_345.6}
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != "12 350" {
		t.Errorf("the page says %q, %v; the figure is kept with four digits", text, err)
	}
	for _, text := range []string{"{{", "{{nothing}}", `{{overs "a" "w"}}`} {
		if _, err := f.page("p", text); err == nil {
			t.Errorf("%s is a page", text)
		}
	}
}
