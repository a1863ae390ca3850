package main

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// small is a table with two rows.
func small() *table {
	return &table{"go1.26.8", []row{
		{"Pool, first", counts{800, 160000, 240000}},
		{"Pool, Insert alone", counts{0, 0, 200000}},
	}}
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*table)
		want   string // empty for no error
	}{
		{"the same", func(*table) {}, ""},
		{"2 % above", func(got *table) { got.rows[0].counts = counts{816, 163200, 244800} }, ""},
		{"2 % below", func(got *table) { got.rows[0].counts = counts{784, 156800, 235200} }, ""},
		{"above", func(got *table) { got.rows[0].counts[0] = 817 },
			"Pool, first: 817 functions, 800 in the table: 2.1 % heavier"},
		{"below", func(got *table) { got.rows[1].counts[2] = 190000 },
			"Pool, Insert alone: 190000 stripped bytes, 200000 in the table: " +
				"5.0 % lighter; write the table"},
		{"both", func(got *table) { got.rows[0].counts = counts{800, 320000, 120000} },
			"Pool, first: 320000 bytes of text, 160000 in the table: 100.0 % heavier\n" +
				"Pool, first: 120000 stripped bytes, 240000 in the table: " +
				"50.0 % lighter; write the table"},
		{"a new row", func(got *table) { got.rows = append(got.rows, row{name: "map, first"}) },
			"map, first: not in the table"},
		{"no row", func(got *table) { got.rows = got.rows[1:] }, "Pool, first: only in the table"},
	} {
		want, err := parse(small().String())
		if err != nil {
			t.Fatal(err)
		}
		got, text := small(), ""
		tt.change(got)
		if err := compare(got, want); err != nil {
			text = err.Error()
		}
		if text != tt.want {
			t.Errorf("%s: compare = %q, want %q", tt.name, text, tt.want)
		}
	}
}

func TestComparable(t *testing.T) {
	for goes, want := range map[string]bool{
		"go1.26.8": true, "go1.26.0": true, "go1.26rc1": true,
		"go1.27.0": false, "go1.2.6": false, "devel go1.27-0123456": false,
	} {
		if got := small().comparable(&table{goes: goes}); got != want {
			t.Errorf("%s: comparable = %v, want %v", goes, got, want)
		}
	}
}

func TestParseFails(t *testing.T) {
	const good = title + "go1.26.8\n"
	for text, want := range map[string]string{
		"":                    "no version",
		"Pool 1 2 3\n":        "no version",
		good + "1 2 3\n":      "not a row",
		good + "\n":           "not a row",
		good + "Pool 1 2 x\n": "invalid syntax",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q) = %v, want an error with %q", text, err, want)
		}
	}
}

// The gate has the Go of go.work. With a table for another, nothing would be compared.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("table.txt")
	if err != nil {
		t.Fatal(err)
	}
	made, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if made.String() != string(text) {
		t.Errorf("the table is not as weight -write would write it:\n%s", text)
	}
	work, err := os.ReadFile("../../go.work")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(work)
	if m == nil || !made.comparable(&table{goes: "go" + string(m[1])}) {
		t.Errorf("the table is for %s, go.work has %q: write the table", made.goes, m)
	}
}

func TestPrograms(t *testing.T) {
	for _, c := range containers {
		source := program(c.path, c.declare, c.use, 4)
		if _, err := parser.ParseFile(token.NewFileSet(), c.name, source, 0); err != nil {
			t.Errorf("%v\n%s", err, source)
		}
		for _, want := range []string{"T4", ".A", "sum += useT4()"} {
			if !strings.Contains(source, want) {
				t.Errorf("the program of %s has no %q:\n%s", c.name, want, source)
			}
		}
	}
}
