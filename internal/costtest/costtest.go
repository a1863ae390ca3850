// Package costtest checks the documented costs of a package against its tests. Only tests use it.
package costtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Docs returns the doc comments of the exported functions and methods of the package in the current
// directory, by names such as "Stack.Pop".
func Docs(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d Go files: %v", len(names), err)
	}
	docs := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				of := receiver(fn.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue // a method of an interface
				}
				name = of + "." + name
			}
			docs[name] = fn.Doc.Text()
		}
	}
	return docs
}

// receiver returns the name of the type of a receiver.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// NeverAllocates runs each function of table the given number of times, and fails t if it
// allocates. The keys of table must be exactly the functions that are documented never to allocate.
func NeverAllocates(t *testing.T, runs int, table map[string]func()) {
	t.Helper()
	promised := map[string]bool{}
	for name, doc := range Docs(t) {
		doc = strings.Join(strings.Fields(strings.ToLower(doc)), " ")
		if promised[name] = strings.Contains(doc, "never allocates"); promised[name] &&
			table[name] == nil {
			t.Errorf("%s is documented never to allocate, but not tested", name)
		}
	}
	for name, f := range table {
		if got := testing.AllocsPerRun(runs, f); got != 0 {
			t.Errorf("%s: %v allocations, want 0", name, got)
		}
		if !promised[name] {
			t.Errorf("%s is not documented never to allocate", name)
		}
	}
}
