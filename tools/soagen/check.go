package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// check finds the types of the package. Its functions may use what is not generated yet, so only
// the types that the struct consists of must be free of errors. Only their imports are read.
func (l *loader) check(spec *ast.TypeSpec) error {
	stub, err := parser.ParseFile(l.fset, "generated", l.stub(), parser.SkipObjectResolution)
	if err != nil {
		return err // impossible: the names are identifiers
	}
	needed := l.needed(spec)
	exports, why := exportsOf(l.dir, needed)
	read := importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("%s%s", path, why)
		}
		return os.Open(file)
	})
	config := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         lazy{read, needed},
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				l.errors = append(l.errors, e)
			}
		},
	}
	// The errors are in l.errors.
	l.pkg, _ = config.Check(l.files[0].Name.Name, l.fset, append(slices.Clone(l.files), stub), nil)
	return nil
}

// stub declares what will be generated, and the handles of other containers of the package, which
// may not be generated yet. A field may have the type of a handle.
func (l *loader) stub() string {
	has := map[string]bool{l.Handle: true}
	var types []string
	for _, f := range l.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, s := range g.Specs {
					for _, id := range declares(s) {
						has[id.Name] = true
						types = append(types, id.Name)
					}
				}
			}
		}
	}
	b := fmt.Appendf(nil, "package %s\ntype (\n%s struct{}\n", l.files[0].Name.Name, l.Row)
	for _, name := range []string{l.Handle, l.Cols, l.Config, l.Container} {
		b = fmt.Appendf(b, "%s struct{ _ uint64 }\n", name)
	}
	for _, name := range types {
		if h := namesFor(name, name).Handle; !has[h] {
			has[h] = true
			b = fmt.Appendf(b, "%s struct{ _ uint64 }\n", h)
		}
	}
	return string(append(b, ')'))
}

// lazy imports the packages that are needed. Others are empty.
type lazy struct {
	types.Importer
	needed map[string]bool
}

func (z lazy) Import(name string) (*types.Package, error) {
	if z.needed[name] {
		return z.Importer.Import(name)
	}
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// exportsOf returns the files that describe packages and their dependencies to compilers, by
// import path. If the go command fails, it returns what it printed.
func exportsOf(dir string, paths map[string]bool) (files map[string]string, why string) {
	if len(paths) == 0 {
		return nil, ""
	}
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "--"}
	cmd := exec.Command("go", append(args, slices.Sorted(maps.Keys(paths))...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		why = fmt.Sprintf(": go list: %v: %s", err, strings.TrimSpace(stderr.String()))
	}
	files = map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[name] = file
	}
	return files, why
}

// needed returns the paths of the imports that the struct needs: those of the files with a type or
// a constant that it depends on, unless their names show that they are something else.
func (l *loader) needed(spec *ast.TypeSpec) map[string]bool {
	r := reach{decls: map[string][]declared{}, seen: map[string]bool{}, paths: map[string]bool{}}
	for _, f := range l.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				r.add(f, g)
			}
		}
	}
	r.visit(spec.Name.Name)
	return r.paths
}

// declared is a part of a declaration, and the file that it is in.
type declared struct {
	node ast.Node
	file *ast.File
}

// reach follows the identifiers of a package's types and constants.
type reach struct {
	decls map[string][]declared // by the name that they declare
	seen  map[string]bool
	paths map[string]bool
}

// add adds the declarations of g.
func (r *reach) add(f *ast.File, g *ast.GenDecl) {
	for _, s := range g.Specs {
		for _, id := range declares(s) {
			switch g.Tok {
			case token.TYPE:
				r.decls[id.Name] = append(r.decls[id.Name], declared{s, f})
			case token.CONST: // the whole group, since it may repeat an expression
				r.decls[id.Name] = append(r.decls[id.Name], declared{g, f})
			}
		}
	}
}

// visit adds the imports that the declarations of name need.
func (r *reach) visit(name string) {
	if r.seen[name] {
		return
	}
	r.seen[name] = true
	for _, d := range r.decls[name] {
		ast.Inspect(d.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok {
					r.require(d.file, id.Name)
				}
			case *ast.Ident:
				r.visit(n.Name)
				r.require(d.file, ".")
			}
			return true
		})
	}
}

// require adds the imports of f that may have a name. The last element of a path is the name in
// most cases. If no import fits, all that the file does not rename are added.
func (r *reach) require(f *ast.File, name string) {
	var rest []string
	found := name == "."
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		switch {
		case err != nil || p == "C" || p == "unsafe":
		case s.Name != nil && s.Name.Name == name, s.Name == nil && path.Base(p) == name:
			r.paths[p] = true
			found = true
		case s.Name == nil:
			rest = append(rest, p)
		}
	}
	if !found {
		for _, p := range rest {
			r.paths[p] = true
		}
	}
}
