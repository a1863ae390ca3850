package main

import (
	"fmt"
	"testing"
	"testing/fstest"
)

func TestCheck(t *testing.T) {
	const good = `[{"impl":"a","workload":"w","metric":"m","checksum_ok":true}]`
	tests := []struct {
		name, page, json string
		wrong            string
	}{
		{"good", "x", good, ""},
		{"no page", "", good, "report.html is empty"},
		{"not JSON", "x", "x", "results.json: invalid character 'x' looking for beginning of value"},
		{"no figures", "x", "[]", "results.json has no figures"},
		{"false", "x", `[{"impl":"a","workload":"w","metric":"m","checksum_ok":false}]`, "a, w, m: wrong checksum"},
		{"missing", "x", `[{"impl":"a","workload":"w","metric":"m"}]`, "a, w, m: wrong checksum"},
	}
	for _, tt := range tests {
		_, err := check(fstest.MapFS{
			"report.html":  {Data: []byte(tt.page)},
			"results.json": {Data: []byte(tt.json)},
		})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.wrong {
			t.Errorf("%s: check: got error %q, want %q", tt.name, got, tt.wrong)
		}
	}
	// Figures of other workloads may follow those of the thesis.
	const thesis = `[{"impl":"a","workload":"thesis-basic","metric":"m","checksum_ok":true},` +
		`{"impl":"a","workload":"w","metric":"m","checksum_ok":true}]`
	for page, wrong := range map[string]string{"x": "", "": "thesis.html is empty", "none": "open thesis.html: file does not exist"} {
		dir := fstest.MapFS{"report.html": {Data: []byte("x")}, "results.json": {Data: []byte(thesis)}, "thesis.html": {Data: []byte(page)}}
		if page == "none" {
			delete(dir, "thesis.html")
		}
		if _, err := check(dir); fmt.Sprint(err) != wrong && (err != nil || wrong != "") {
			t.Errorf("thesis.html is %q: got error %v, want %q", page, err, wrong)
		}
	}
	if _, err := check(fstest.MapFS{}); err == nil {
		t.Error("check of an empty directory: no error")
	}
}
