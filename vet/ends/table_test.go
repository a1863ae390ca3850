package ends

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpus returns the packages in testdata/src/table.
func corpus(t *testing.T) (paths []string) {
	names, err := filepath.Glob("testdata/src/table/*/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	for _, name := range names {
		paths = append(paths, "table/"+filepath.Base(filepath.Dir(name)))
	}
	return slices.Compact(paths)
}

// TestTableEntries checks that each entry of the table has a function that misuses it and one that
// does not. Their doc comments name it after "bad:" or "good:".
func TestTableEntries(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("internal/rule/table.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range corpus(t) {
		examples(t, filepath.Join("testdata", "src", path), found)
	}
	pkg, entries := "", map[string]bool{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case words[0] == "package":
			if len(words) != 3 {
				t.Errorf("%q has no version", line)
			}
			pkg = words[1]
		default:
			entries[pkg+"."+words[0]] = true
		}
	}
	for name := range entries {
		for _, kind := range []string{"bad: ", "good: "} {
			if !found[kind+name] {
				t.Errorf("no function with // %s%s", kind, name)
			}
		}
	}
	for name := range found {
		if _, name, _ := strings.Cut(name, " "); !entries[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// examples adds the entries that the functions of a directory stand for, with "bad: " or "good: "
// in front. A function stands for an entry if it contains its last name. A bad one has a want
// comment, and a good one has none.
func examples(t *testing.T, dir string, found map[string]bool) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := goparser.ParseFile(fset, name, nil, goparser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			uses := map[string]bool{}
			for n := range ast.Preorder(fn) {
				if id, ok := n.(*ast.Ident); ok {
					uses[id.Name] = true
				}
			}
			bad := wants(file, fn)
			for line := range strings.Lines(fn.Doc.Text()) {
				words := strings.Fields(line)
				if len(words) == 0 || words[0] != "bad:" && words[0] != "good:" {
					continue
				}
				if (words[0] == "bad:") != bad {
					t.Errorf("%s: %s is %s but has want comments: %v", name, fn.Name, words[0], bad)
				}
				for _, entry := range words[1:] {
					if uses[entry[strings.LastIndex(entry, ".")+1:]] {
						found[words[0]+" "+entry] = true
					}
				}
			}
		}
	}
}

// wants reports whether fn has a want comment.
func wants(file *ast.File, fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(file.Comments, func(g *ast.CommentGroup) bool {
		return fn.Pos() < g.Pos() && g.End() <= fn.End() && strings.HasPrefix(g.List[0].Text, "// want ")
	})
}
