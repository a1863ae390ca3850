package main

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const (
	maxFiles  = 25 // of a package, without tests
	maxCircle = 5  // files that need each other
)

// house reports a package that has too many files, and files that need each other in too large a
// circle, since nobody can read one of them without the others. A file needs those that declare
// the functions, methods, types, variables and constants that it uses. Tests do not count.
var house = &analysis.Analyzer{
	Name: "house",
	Doc:  "report packages of many files, and large circles of files",
	Run:  checkHouse,
}

func checkHouse(pass *analysis.Pass) (any, error) {
	isTest := func(file string) bool { return strings.HasSuffix(file, "_test.go") }
	needs := map[string]map[string]bool{}
	first := map[string]*ast.File{}
	for _, f := range pass.Files {
		from := filepath.Base(pass.Fset.Position(f.FileStart).Filename)
		if isTest(from) {
			continue
		}
		first[from], needs[from] = f, map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := pass.TypesInfo.Uses[id]
			if obj == nil || obj.Pkg() != pass.Pkg || !declared(obj) {
				return true
			}
			to := filepath.Base(pass.Fset.Position(obj.Pos()).Filename)
			if to != from && !isTest(to) {
				needs[from][to] = true
			}
			return true
		})
	}
	files := slices.Sorted(maps.Keys(needs))
	if len(files) == 0 {
		return nil, nil
	}
	others := 0
	for _, f := range pass.IgnoredFiles {
		if strings.HasSuffix(f, ".go") && !isTest(f) {
			others++
		}
	}
	if n := len(files) + others; n > maxFiles {
		pass.Reportf(first[files[0]].Package, "the package has %d files, %d allowed", n, maxFiles)
	}
	for _, circle := range circles(files, needs) {
		if len(circle) > maxCircle {
			pass.Reportf(first[circle[0]].Package, "a circle of %d files, %d allowed: %s",
				len(circle), maxCircle, strings.Join(circle, ", "))
		}
	}
	return nil, nil
}

// declared reports whether obj is declared by its package, and is no field.
func declared(obj types.Object) bool {
	if f, ok := obj.(*types.Func); ok {
		return f.Signature().Recv() != nil || f.Parent() == f.Pkg().Scope()
	}
	return obj.Parent() == obj.Pkg().Scope()
}

// circles returns the sets of files of which each needs all others, perhaps by way of more files.
func circles(files []string, needs map[string]map[string]bool) (all [][]string) {
	reach := map[string]map[string]bool{}
	for _, f := range files {
		seen := map[string]bool{}
		for next := []string{f}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for to := range needs[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		reach[f] = seen
	}
	done := map[string]bool{}
	for _, f := range files {
		circle := []string{f}
		for _, g := range files {
			if g != f && reach[f][g] && reach[g][f] {
				circle = append(circle, g)
			}
		}
		if !done[f] && len(circle) > 1 {
			all = append(all, circle)
		}
		for _, g := range circle {
			done[g] = true
		}
	}
	return all
}
