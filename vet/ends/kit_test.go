package ends

import (
	"fmt"
	"go/ast"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	driver "golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// A kit loads packages from testdata/src and from strings, and analyzes them.
type kit struct {
	fset *token.FileSet
	std  types.Importer
	pkgs map[string]*packages.Package // packages of testdata by path
}

func newKit() *kit {
	fset := token.NewFileSet()
	return &kit{fset, importer.ForCompiler(fset, "gc", nil), map[string]*packages.Package{}}
}

// Import returns a package of testdata or, failing that, of the standard library.
func (k *kit) Import(path string) (*types.Package, error) {
	if p, err := k.load(path); err == nil {
		return p.Types, nil
	}
	return k.std.Import(path)
}

// load returns a package of testdata.
func (k *kit) load(path string) (*packages.Package, error) {
	if p := k.pkgs[path]; p != nil {
		return p, nil
	}
	names, _ := filepath.Glob(filepath.Join("testdata", "src", filepath.FromSlash(path), "*.go"))
	if len(names) == 0 {
		return nil, fmt.Errorf("no package %s", path)
	}
	var files []*ast.File
	for _, name := range names {
		f, err := goparser.ParseFile(k.fset, name, nil, goparser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p, err := k.check(path, files)
	if err == nil {
		k.pkgs[path] = p
	}
	return p, err
}

// parse returns a package of one file with this text.
func (k *kit) parse(path, text string) (*packages.Package, error) {
	f, err := goparser.ParseFile(k.fset, path+".go", text, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return k.check(path, []*ast.File{f})
}

// check type-checks a package.
func (k *kit) check(path string, files []*ast.File) (*packages.Package, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: k, Sizes: types.SizesFor("gc", "amd64")}
	p, err := conf.Check(path, k.fset, files, info)
	if err != nil {
		return nil, err
	}
	pkg := &packages.Package{
		ID: path, PkgPath: path, Name: p.Name(), Fset: k.fset, Syntax: files, Types: p,
		TypesInfo: info, TypesSizes: conf.Sizes, Imports: map[string]*packages.Package{},
	}
	for _, q := range p.Imports() {
		if in := k.pkgs[q.Path()]; in != nil {
			pkg.Imports[q.Path()] = in
		}
	}
	return pkg, nil
}

// analyze returns the diagnostics of a package.
func (k *kit) analyze(p *packages.Package) ([]analysis.Diagnostic, error) {
	g, err := driver.Analyze([]*analysis.Analyzer{Analyzer}, []*packages.Package{p},
		&driver.Options{Sequential: true})
	if err != nil {
		return nil, err
	}
	return g.Roots[0].Diagnostics, g.Roots[0].Err
}

// source returns the text of the only file of a package of testdata.
func source(t testing.TB, pkg string) string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join("testdata", "src", pkg, "*.go"))
	if len(names) != 1 {
		t.Fatalf("%s has %d files, want one", pkg, len(names))
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// messages returns the diagnostics as lines, in the order in which they were reported.
func (k *kit) messages(ds []analysis.Diagnostic) string {
	var lines []string
	for _, d := range ds {
		lines = append(lines, fmt.Sprintf("%v: %s", k.fset.Position(d.Pos), d.Message))
	}
	return strings.Join(lines, "\n")
}
