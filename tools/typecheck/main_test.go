package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The module has an error for each of several systems: in a function's body for Windows, in its
// tests for 32 bits, in its external tests for browsers.
var module = map[string]string{
	"go.mod":           "module fake\n\ngo 1.24\n",
	"x.go":             "package fake\n\nimport \"unicode/utf8\"\n\nvar X, E = utf8.RuneLen('x'), utf8.MaxRune\n",
	"x_windows.go":     "package fake\n\nfunc wrong() { X = \"windows\" }\n",
	"x_js_test.go":     "package fake_test\n\nimport \"fake\"\n\nvar _ string = fake.X\n",
	"x_test.go":        "package fake\n\nconst big = 1 << shift\n\nvar _ int = big\n",
	"x_arm64.go":       "package fake\n\nvar _ int = \"arm64\"\n",
	"x_freebsd.go":     "package fake\n\nvar _ = new(1)\n",
	"x_netbsd.go":      "package fake\n\nfunc {\n",
	"export_test.go":   "package fake\n\nvar Exported = X\n",
	"out_test.go":      "package fake_test\n\nimport \"fake\"\n\nvar _ = fake.Exported\n",
	"shift.go":         "package fake\n\nconst shift = 40\n",
	"y/y.go":           "package y\n\nimport \"fake\"\n\nvar Y = fake.X\n",
	"only/x_darwin.go": "package only\n",
}

func TestCheckAll(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	for name, text := range module {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ system, pattern, want string }{
		{"linux/amd64", "./...", ""},
		{"linux/amd64", "./none", "linux/amd64: go list: exit status 1"},
		{"linux/amd64", "./only/...", "linux/amd64: no packages"},
		{"darwin/arm64", "./only/...", ""},
		{"linux/none", "./...", "linux/none: unknown architecture"},
		{"linux/386", "./...", "x_test.go:5:13: cannot use big (untyped int constant 1099511627776)"},
		{"linux/386", "./y", ""}, // without the tests of other packages
		{"windows/amd64", "./...", `x_windows.go:3:20: cannot use "windows"`},
		{"linux/arm64", "./y", `x_arm64.go:3:13: cannot use "arm64"`},
		{"freebsd/amd64", "./y", "x_freebsd.go:3:9: new(1) requires go1.26 or later"},
		{"netbsd/amd64", "./y", "x_netbsd.go:3:6: expected 'IDENT', found '{'"},
		{"js/wasm", "./...", "x_js_test.go:5:16: cannot use fake.X (variable of type int) as string"},
		{"linux/amd64,js/wasm", ".", "x_js_test.go:5:16"},
	} {
		var out strings.Builder
		got := ""
		if err := checkAll(strings.Split(tt.system, ","), []string{tt.pattern}, &out); err != nil {
			got = err.Error()
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: got error %q, want %q", tt.system, tt.pattern, got, tt.want)
		}
	}
}
