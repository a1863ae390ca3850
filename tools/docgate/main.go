// Command docgate finds documentation that is missing from Go packages.
//
//	docgate dir...
//
// In each package directory it wants
//
//  1. a doc comment on the package and on each exported type, function, method,
//     constant and variable
//  2. an Example for each exported function and method, with an Output comment,
//     so that go test runs it; what takes a *testing.T or the like has no place
//     to run, and its Example needs no Output
//  3. a line "Cost:" in the doc comment of each exported method of a container,
//     which is an exported type with a method Len and one of Clear, Insert, Push
//  4. for each line "Ends:" in the doc comment of an exported function or method a
//     directive //berth:ends or //berth:begins at its end, and the reverse, so that
//     berthvet knows what the prose says
//
// It prints what is missing, one line each, and then exits with status 1.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: docgate dir...")
		os.Exit(2)
	}
	missing := 0
	for _, dir := range os.Args[1:] {
		found, err := check(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "docgate:", err)
			os.Exit(2)
		}
		for _, f := range found {
			fmt.Println(f)
		}
		missing += len(found)
	}
	if missing > 0 {
		fmt.Fprintf(os.Stderr, "docgate: %d missing\n", missing)
		os.Exit(1)
	}
}

// gate reads one package and gathers what is missing from it.
type gate struct {
	fset  *token.FileSet
	found []string
}

// check returns what is missing from the package in dir, in the order of its index.
func check(dir string) ([]string, error) {
	b, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	g := &gate{fset: token.NewFileSet()}
	var files []*ast.File
	for _, name := range slices.Concat(b.GoFiles, b.CgoFiles, b.TestGoFiles, b.XTestGoFiles) {
		f, err := parser.ParseFile(g.fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// go/doc knows which names are exported, and which Example belongs to which.
	p, err := doc.NewFromFiles(g.fset, files, b.Name, doc.PreserveAST)
	if err != nil {
		return nil, err
	}
	if p.Doc == "" {
		g.found = append(g.found, dir+": package "+p.Name+" has no doc comment")
	}
	g.values(p.Consts)
	g.values(p.Vars)
	g.funcs(p.Funcs, "", false)
	for _, t := range p.Types {
		if t.Doc == "" {
			g.miss(t.Decl, t.Name, "has no doc comment")
		}
		g.values(t.Consts)
		g.values(t.Vars)
		g.funcs(t.Funcs, "", false)
		g.funcs(t.Methods, t.Name+".", isContainer(t))
	}
	return g.found, nil
}

// miss records that name, declared at n, lacks something.
func (g *gate) miss(n ast.Node, name, what string) {
	at := g.fset.Position(n.Pos())
	g.found = append(g.found, fmt.Sprintf("%s:%d: %s %s", at.Filename, at.Line, name, what))
}

// values checks groups of constants or variables. A comment on the group is enough.
func (g *gate) values(groups []*doc.Value) {
	for _, v := range groups {
		for _, s := range v.Decl.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok || v.Doc != "" || spec.Doc.Text() != "" || spec.Comment.Text() != "" {
				continue
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					g.miss(name, name.Name, "has no doc comment")
				}
			}
		}
	}
}

var (
	costLine = regexp.MustCompile(`(?m)^Cost: \S`)
	endsLine = regexp.MustCompile(`(?m)^Ends: \S`)
	endsWord = regexp.MustCompile(`^//berth:(ends|begins)\b`)
)

// funcs checks functions, or the methods of a type whose name and dot are prefix.
func (g *gate) funcs(funcs []*doc.Func, prefix string, container bool) {
	for _, f := range funcs {
		name := prefix + f.Name
		switch {
		case f.Doc == "":
			g.miss(f.Decl, name, "has no doc comment")
		case container && !costLine.MatchString(f.Doc):
			g.miss(f.Decl, name, `has no line "Cost:" in its doc comment`)
		}
		switch prose, directive := endsLine.MatchString(f.Doc), hasEnds(f.Decl.Doc); {
		case prose && !directive:
			g.miss(f.Decl, name, `has "Ends:" but no directive //berth:ends in its doc comment`)
		case directive && !prose:
			g.miss(f.Decl, name, `has a directive //berth:ends but no line "Ends:"`)
		}
		runs := func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput }
		switch {
		case len(f.Examples) == 0:
			g.miss(f.Decl, name, "has no Example")
		case !takesTesting(f.Decl) && !slices.ContainsFunc(f.Examples, runs):
			g.miss(f.Decl, name, "has no Example with an Output comment")
		}
	}
}

// hasEnds reports whether a doc comment has a directive for what ends. It is not part of the text
// that go/doc returns.
func hasEnds(c *ast.CommentGroup) bool {
	return c != nil && slices.ContainsFunc(c.List, func(line *ast.Comment) bool {
		return endsWord.MatchString(line.Text)
	})
}

// takesTesting reports whether f has a parameter of a type of package testing.
func takesTesting(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f.Type.Params, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == "testing"
		}
		return true
	})
	return found
}

// isContainer reports whether t has a method Len and one of Clear, Insert, Push.
func isContainer(t *doc.Type) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(t.Methods, func(m *doc.Func) bool {
			return slices.Contains(names, m.Name)
		})
	}
	return has("Len") && has("Clear", "Insert", "Push")
}
