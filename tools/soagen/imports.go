package main

import (
	"go/ast"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const berthPath = "github.com/seed505807e1/berth"

// imports are the imports of the generated file.
type imports struct {
	self  *types.Package
	names map[string]string // by path
	own   map[string]string // the names that the file with the struct gives to imports, by path
	base  map[string]string // the names that the packages themselves have, by path
	taken map[string]bool
}

// newImports returns the imports that all generated files have.
func (l *loader) newImports(file *ast.File) *imports {
	m := &imports{
		self: l.pkg, names: map[string]string{}, own: map[string]string{},
		base: map[string]string{}, taken: map[string]bool{},
	}
	for _, s := range file.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err == nil && s.Name != nil &&
			s.Name.Name != "." && s.Name.Name != "_" {
			m.own[p] = s.Name.Name
		}
	}
	for _, name := range slices.Concat(locals, predeclared, l.declared(), l.pkg.Scope().Names()) {
		m.taken[name] = true
	}
	for _, p := range []string{"iter", "strconv", berthPath} {
		m.add(p, path.Base(p))
	}
	return m
}

// of returns the name by which the generated file calls a package. It is a [types.Qualifier].
func (m *imports) of(p *types.Package) string {
	if p == m.self {
		return ""
	}
	return m.add(p.Path(), p.Name())
}

// add imports a package under the name that the file with the struct gives it, or else its own, or
// else the next that is free.
func (m *imports) add(p, own string) string {
	if name := m.names[p]; name != "" {
		return name
	}
	m.base[p] = own
	want := own
	if x := m.own[p]; x != "" {
		want = x
	}
	name := want
	for i := 2; m.taken[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	m.names[p], m.taken[name] = name, true
	return name
}

// An importLine is a line of an import declaration.
type importLine struct{ Name, Path string }

// lines returns the imports in their order, the standard library's first. Name is empty if the
// package has that name.
func (m *imports) lines(std bool) (lines []importLine) {
	for _, p := range slices.Sorted(maps.Keys(m.names)) {
		if isStd(p) != std {
			continue
		}
		line := importLine{m.names[p], strconv.Quote(p)}
		if line.Name == path.Base(p) && line.Name == m.base[p] {
			line.Name = ""
		}
		lines = append(lines, line)
	}
	return lines
}

// isStd reports whether a path is one of the standard library, which has no dot in its first part.
func isStd(p string) bool {
	root, _, _ := strings.Cut(p, "/")
	return !strings.Contains(root, ".")
}
