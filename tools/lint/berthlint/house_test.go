package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// ring returns n files of methods of a generic type, of which each calls the method of the next.
func ring(n int) map[string]string {
	files := map[string]string{"type.go": "package p\n\ntype list[T any] struct{ v T }\n"}
	for i := range n {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf(
			"package p\n\nfunc (l *list[T]) m%d() { (&list[int]{}).m%d() }\n", i, (i+1)%n)
	}
	return files
}

func TestHouse(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		ignored []string
		want    []string
	}{
		{"a circle of 5", ring(5), nil, nil},
		{"a circle of 6", ring(6), nil,
			[]string{"a circle of 6 files, 5 allowed: f0.go, f1.go, f2.go, f3.go, f4.go, f5.go"}},
		{"fields are no need", map[string]string{
			"a.go": "package p\n\ntype a struct{ n, m int }\n", "b.go": "package p\n\nfunc f(x a) int { return x.n }\n",
		}, nil, nil},
		{"tests do not count", map[string]string{
			"a.go": "package p\n\nfunc f() {}\n", "b_test.go": "package p\n\nfunc g() { f() }\n",
		}, nil, nil},
		{"a chain", map[string]string{
			"a.go": "package p\n\nfunc a() { b() }\n", "b.go": "package p\n\nfunc b() { c() }\n",
			"c.go": "package p\n\nvar v int\n\nfunc c() { v = k }\n", "d.go": "package p\n\nconst k = 1\n",
		}, nil, nil},
		{"25 files and a test", ring(4), slices.Repeat([]string{"x.go"}, 20),
			nil},
		{"26 files", ring(4), append(slices.Repeat([]string{"x.go"}, 21), "y_test.go", "z.s"),
			[]string{"the package has 26 files, 25 allowed"}},
	} {
		if got := houseOf(t, c.files, c.ignored); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// houseOf returns the reports of house for a package of the given files.
func houseOf(t *testing.T, files map[string]string, ignored []string) (found []string) {
	t.Helper()
	pass := &analysis.Pass{
		Fset:         token.NewFileSet(),
		TypesInfo:    &types.Info{Uses: map[*ast.Ident]types.Object{}},
		IgnoredFiles: ignored,
		Report:       func(d analysis.Diagnostic) { found = append(found, d.Message) },
	}
	for name, text := range files {
		f, err := parser.ParseFile(pass.Fset, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, f)
	}
	var err error
	pass.Pkg, err = new(types.Config).Check("p", pass.Fset, pass.Files, pass.TypesInfo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checkHouse(pass); err != nil {
		t.Fatal(err)
	}
	return found
}
