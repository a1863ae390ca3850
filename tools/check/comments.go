package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unpublished are the directories of packages that users do not import.
var unpublished = regexp.MustCompile(`(^|/)internal(/|$)|^(examples|lab|tools|vet)(/|$)`)

// comments finds documentation that is missing from the packages of files. It wants
//
//  1. a doc comment on the package and on each exported type, function, method,
//     constant and variable
//  2. an Example with an Output comment, so that go test runs it, for each exported
//     function, and for each exported type with methods; for a type, that of a
//     constructor or a method will do; a function of a *testing.T or the like has no
//     place to run, and its Example needs no Output; some Example calls a method of the
//     name of each exported method, except of those that fmt, errors and encoders call
//  3. a line "Cost:" in the doc comment of each exported method of a container,
//     which is an exported type with a method Len and one of Clear, Insert, Push;
//     it begins a paragraph, and so does "Ends:"
//  4. for each line "Ends:" in the doc comment of an exported function or method a
//     directive //berth:ends or //berth:begins at its end, and the reverse, so that
//     berthvet knows what the prose says
func comments(files []file) (found []string) {
	done := map[string]bool{}
	for _, f := range files {
		dir := filepath.Dir(f.name)
		if f.ext != ".go" || done[dir] || unpublished.MatchString(filepath.ToSlash(dir)) {
			continue
		}
		done[dir] = true
		g := gate{set: token.NewFileSet(), shown: map[string]bool{}}
		if err := g.check(dir); err != nil {
			g.found = append(g.found, err.Error())
		}
		found = append(found, g.found...)
	}
	return found
}

// parse parses the package in dir, with or without its tests.
func parse(set *token.FileSet, dir string, tests bool) (files []*ast.File, err error) {
	b, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	names := slices.Concat(b.GoFiles, b.CgoFiles)
	if tests {
		names = slices.Concat(names, b.TestGoFiles, b.XTestGoFiles)
	}
	for _, name := range names {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// gate collects the missing comments and examples of a package.
type gate struct {
	set   *token.FileSet
	shown map[string]bool // Name has an Example (true: with Output), .Name is called in one
	found []string
}

// check checks the package in dir.
func (g *gate) check(dir string) error {
	files, err := parse(g.set, dir, true)
	if err != nil {
		return err
	}
	// go/doc knows which names are exported.
	p, err := doc.NewFromFiles(g.set, files, dir, doc.PreserveAST)
	if err != nil {
		return err
	}
	if p.Doc == "" {
		g.found = append(g.found, dir+": package "+p.Name+" has no doc comment")
	}
	for _, e := range doc.Examples(files...) {
		name, _, _ := strings.Cut(e.Name, "_")
		g.shown[name] = g.shown[name] || e.Output != "" || e.EmptyOutput
		ast.Inspect(e.Code, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				g.shown["."+s.Sel.Name] = true
			}
			return true
		})
	}
	g.values(p.Consts, p.Vars)
	g.funcs(p.Funcs, "", false)
	for _, t := range p.Types {
		if t.Doc == "" {
			g.miss(t.Decl, t.Name, "has no doc comment")
		}
		if len(t.Funcs) == 0 && len(t.Methods) > 0 && !g.shown[t.Name] {
			g.miss(t.Decl, t.Name, "has no Example with an Output comment")
		}
		g.values(t.Consts, t.Vars)
		g.funcs(t.Funcs, "", false)
		g.funcs(t.Methods, t.Name+".", isContainer(t))
	}
	return nil
}

// miss records that name, declared at n, lacks something.
func (g *gate) miss(n ast.Node, name, what string) {
	at := g.set.Position(n.Pos())
	g.found = append(g.found, fmt.Sprintf("%s:%d: %s %s", at.Filename, at.Line, name, what))
}

// values checks groups of constants or variables. A comment on the group is enough.
func (g *gate) values(groups ...[]*doc.Value) {
	for _, v := range slices.Concat(groups...) {
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
	inside   = regexp.MustCompile(`[^\n]\n(Cost|Ends): `)
	testArg  = regexp.MustCompile(`\btesting\.`)
	indirect = regexp.MustCompile(
		`^((Go)?String|Format|Error|Unwrap|((Unm|M)arshal|Append)(JSON|Text|Binary))$`)
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
		if m := inside.FindStringSubmatch(f.Doc); m != nil {
			g.miss(f.Decl, name, `has "`+m[1]+`:" inside a paragraph of its doc comment`)
		}
		// Directives are not part of the text that go/doc returns.
		directive := f.Decl.Doc != nil && slices.ContainsFunc(f.Decl.Doc.List,
			func(line *ast.Comment) bool { return endsWord.MatchString(line.Text) })
		switch prose := endsLine.MatchString(f.Doc); {
		case prose && !directive:
			g.miss(f.Decl, name, `has "Ends:" but no directive //berth:ends in its doc comment`)
		case directive && !prose:
			g.miss(f.Decl, name, `has a directive //berth:ends but no line "Ends:"`)
		}
		runs, ok := g.shown[name]
		switch {
		case prefix == "" && !runs && !(ok && testArg.MatchString(types.ExprString(f.Decl.Type))):
			g.miss(f.Decl, name, "has no Example with an Output comment")
		case prefix != "" && !g.shown["."+f.Name] && !indirect.MatchString(f.Name):
			g.miss(f.Decl, name, "is called in no Example")
		}
	}
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
