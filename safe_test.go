package berth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// fenced are the files that convert memory outside Go's heap to values, and those that read the
// results of system calls. No other code may handle such memory.
var fenced = map[string]bool{
	"internal/slots/unsafe.go":                true,
	"internal/journal/compare.go":             true, // compares values as bytes
	"arena/raw.go":                            true,
	"stable/list_unsafe.go":                   true, // lists without their type of values
	"internal/poison/poison.go":               true, // runs only under the tag berth_poison
	"internal/pages/pages_windows.go":         true,
	"replica/internal/replay/value_unsafe.go": true, // values as bytes
}

// The library is safe Go: outside the fenced files it uses package unsafe only for sizes known at
// compile time.
func TestSafe(t *testing.T) {
	allowed := map[string]bool{"Sizeof": true, "Alignof": true}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "lab" || path == "examples" || path == "tools"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".s"):
			t.Errorf("%s: assembly", path)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"C"` || i.Path.Value == `"unsafe"` && i.Name != nil {
				t.Errorf("%v: import of %s", set.Position(i.Pos()), i.Path.Value)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "unsafe" && !allowed[s.Sel.Name] &&
					!fenced[filepath.ToSlash(path)] {
					t.Errorf("%v: unsafe.%s", set.Position(n.Pos()), s.Sel.Name)
				}
			}
			if c, ok := n.(*ast.CallExpr); ok && !fenced[filepath.ToSlash(path)] {
				if f, ok := c.Fun.(*ast.Ident); ok && f.Name == "ref" && !strings.Contains(path, "/") {
					t.Errorf("%v: a conversion to ref", set.Position(n.Pos()))
				}
			}
			if c, ok := n.(*ast.Comment); ok && strings.HasPrefix(c.Text, "//go:linkname") {
				t.Errorf("%v: %s", set.Position(n.Pos()), c.Text)
			}
			return true
		})
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d files read: %v", files, err)
	}
}
