package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// soa is a struct and what is generated for it.
type soa struct {
	names
	Package string
	Fields  []field
	imports *imports
}

// A field is a field of the struct.
type field struct {
	Name, Type string
}

// loader is a package that is being read.
type loader struct {
	options
	names
	fset   *token.FileSet
	files  []*ast.File // without tests
	tests  []*ast.File // tests of the package itself
	pkg    *types.Package
	errors []types.Error
}

// load reads the package and returns the struct. Its errors begin with the file and the line.
func load(o options) (*soa, error) {
	if err := errors.Join(checkIdent("type", o.typ), checkIdent("name", o.name)); err != nil {
		return nil, err
	}
	l := &loader{options: o, names: namesFor(o.typ, o.name), fset: token.NewFileSet()}
	if err := l.parse(); err != nil {
		return nil, err
	}
	spec, file := l.findType()
	if spec == nil {
		return nil, fmt.Errorf("%s: package %s has no type %s", o.dir, l.files[0].Name, o.typ)
	}
	if err := l.checkSpec(spec); err != nil {
		return nil, err
	}
	if err := l.checkNames(); err != nil {
		return nil, err
	}
	if err := l.check(spec); err != nil {
		return nil, err
	}
	return l.soa(spec, file)
}

// parse reads the Go files of the directory that a build on this system has, except the output.
func (l *loader) parse() error {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || name == l.output {
			continue
		}
		if ok, err := build.Default.MatchFile(l.dir, name); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(l.fset, filepath.Join(l.dir, name), nil,
			parser.SkipObjectResolution)
		switch {
		case err != nil && f == nil:
			return err
		case err != nil && !strings.HasSuffix(name, "_test.go"):
			return err
		case strings.HasSuffix(name, "_test.go"):
			l.tests = append(l.tests, f)
		default:
			l.files = append(l.files, f)
		}
	}
	if len(l.files) == 0 {
		return fmt.Errorf("%s: no Go files", l.dir)
	}
	for _, f := range l.files[1:] {
		if a, b := l.files[0].Name.Name, f.Name.Name; a != b {
			return l.errorf(f.Name.Pos(), "package %s, but %s in another file", b, a)
		}
	}
	pkg := l.files[0].Name.Name
	l.tests = slices.DeleteFunc(l.tests, func(f *ast.File) bool { return f.Name.Name != pkg })
	return nil
}

// errorf returns an error that begins with the file and the line of pos.
func (l *loader) errorf(pos token.Pos, format string, args ...any) error {
	p := l.fset.Position(pos)
	return fmt.Errorf("%s:%d: %s", filepath.ToSlash(p.Filename), p.Line,
		fmt.Sprintf(format, args...))
}

// findType returns the declaration of the type and its file.
func (l *loader) findType() (*ast.TypeSpec, *ast.File) {
	for _, f := range l.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if s := s.(*ast.TypeSpec); s.Name.Name == l.typ {
					return s, f
				}
			}
		}
	}
	return nil, nil
}

// checkSpec refuses what is no plain struct type.
func (l *loader) checkSpec(spec *ast.TypeSpec) error {
	switch {
	case spec.Assign.IsValid():
		return l.errorf(spec.Pos(), "%s is an alias, not a struct of its own", l.typ)
	case spec.TypeParams != nil:
		return l.errorf(spec.Pos(), "%s is generic, so its fields have no fixed types", l.typ)
	}
	return nil
}

// checkNames refuses names that the package has declared in other files.
func (l *loader) checkNames() error {
	for _, f := range slices.Concat(l.files, l.tests) {
		for _, d := range f.Decls {
			if err := l.checkDecl(d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) checkDecl(d ast.Decl) error {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return l.checkFunc(d.(*ast.FuncDecl))
	}
	for _, s := range g.Specs {
		for _, id := range declares(s) {
			if err := l.checkDeclared(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// declares returns the identifiers that s declares in the package.
func declares(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// checkFunc refuses a function with a name that will be generated, and such a method of the
// container.
func (l *loader) checkFunc(d *ast.FuncDecl) error {
	name := d.Name.Name
	if d.Recv == nil {
		return l.checkDeclared(d.Name)
	}
	if receiver(d) == l.Container && slices.Contains(slices.Concat(methods, fields), name) {
		return l.errorf(d.Pos(), "%s.%s is declared here, and would be generated",
			l.Container, name)
	}
	return nil
}

// checkDeclared refuses a name that the package declares.
func (l *loader) checkDeclared(id *ast.Ident) error {
	switch {
	case slices.Contains(l.declared(), id.Name):
		return l.errorf(id.Pos(), "%s is declared here, and would be generated", id.Name)
	case slices.Contains(predeclared, id.Name):
		return l.errorf(id.Pos(), "%s is declared here, but the generated code needs Go's %s",
			id.Name, id.Name)
	}
	return nil
}

// receiver returns the name of the type that d is a method of.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// soa returns the struct, whose types have been checked.
func (l *loader) soa(spec *ast.TypeSpec, file *ast.File) (*soa, error) {
	obj := l.pkg.Scope().Lookup(l.typ)
	t, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, l.errorf(spec.Pos(), "%s is no struct", l.typ)
	}
	if t.NumFields() == 0 {
		return nil, l.errorf(spec.Pos(), "%s has no fields", l.typ)
	}
	s := &soa{names: l.names, Package: l.pkg.Name(), imports: l.newImports(file)}
	for i := range t.NumFields() {
		f := t.Field(i)
		if why := l.refuse(f); why != "" {
			return nil, l.errorf(f.Pos(), "field %s of %s %s", f.Name(), l.typ, why)
		}
		s.Fields = append(s.Fields, field{f.Name(), types.TypeString(f.Type(), s.imports.of)})
	}
	return s, nil
}

// refuse returns why f cannot be a column, or "".
func (l *loader) refuse(f *types.Var) string {
	switch t := f.Type(); {
	case f.Embedded():
		return "is embedded: give it a name"
	case f.Name() == "_":
		return "is blank: give it a name, or remove it"
	case !f.Exported() && f.Pkg() != l.pkg:
		return "is unexported in package " + f.Pkg().Path()
	case isInvalid(t, map[types.Type]bool{}):
		return "has a type that is not known" + l.reason(f)
	case types.SizesFor("gc", "amd64").Sizeof(t) == 0:
		return "has size zero, so there is nothing for a column to hold"
	case hasLock(t):
		return "must not be copied: its type has a method Lock"
	}
	return ""
}

// reason returns the error that concerns the type of f, if there is one.
func (l *loader) reason(f *types.Var) string {
	at := l.fset.Position(f.Pos())
	for _, e := range l.errors {
		p := l.fset.Position(e.Pos)
		if p.Filename == at.Filename && p.Line == at.Line {
			return ": " + e.Msg
		}
	}
	for _, e := range l.errors {
		if strings.HasPrefix(e.Msg, "could not import") {
			return ": " + e.Msg
		}
	}
	return ""
}
