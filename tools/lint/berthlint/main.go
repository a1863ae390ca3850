// Command berthlint is a tool for go vet. It has go vet's own checks and those of staticcheck,
// errcheck, ineffassign, berthends and house, so that one pass reads the workspace and what it
// imports:
//
//	go vet -vettool=$(which berthlint) package...
//
// The go command runs it for each package and keeps the results in its cache, so that a second run
// takes seconds. A comment like this at the end of a line suppresses reports there:
//
//	defer f.Close() //nolint:errcheck // it was only read
package main

import (
	"go/ast"
	"go/build"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/kisielk/errcheck/errcheck"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/unused"

	"github.com/seed505807e1/berth/vet/ends"
)

func main() {
	errcheck.DefaultExcludedSymbols = append(errcheck.DefaultExcludedSymbols,
		"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln",
		// Cleaning up: when it fails, there is nothing left to do.
		"os.Remove", "os.RemoveAll", "(*os.Process).Kill")
	all := []*analysis.Analyzer{
		linter("errcheck", errcheck.Analyzer),
		linter("ineffassign", ineffassign.Analyzer),
		linter("berthends", ends.Analyzer),
		linter("unused", unusedCode()),
		linter("house", house),
	}
	for _, a := range slices.Concat(staticcheck.Analyzers, simple.Analyzers) {
		all = append(all, linter("staticcheck", a.Analyzer))
	}
	for _, a := range vet.Suite {
		all = append(all, linter("vet", a))
	}
	unitchecker.Main(all...)
}

// linter returns a without its reports in generated files and where a comment suppresses them.
func linter(name string, a *analysis.Analyzer) *analysis.Analyzer {
	b := *a
	b.Run = func(pass *analysis.Pass) (any, error) {
		quiet := suppressed(pass, name)
		p := *pass
		p.Report = func(d analysis.Diagnostic) {
			at := pass.Fset.Position(d.Pos)
			lines := quiet[at.Filename]
			if !lines[0] && !lines[at.Line] && !shown(name, at.Filename, d) {
				d.Message += " (" + name + ")"
				pass.Report(d)
			}
		}
		return a.Run(&p)
	}
	return &b
}

var nolint = regexp.MustCompile(`^//nolint:([a-z,]+) // \S`)

// suppressed returns the lines of each file without reports. Line 0 stands for all.
func suppressed(pass *analysis.Pass, name string) map[string]map[int]bool {
	lines := map[string]map[int]bool{}
	for _, f := range pass.Files {
		file := pass.Fset.Position(f.FileStart).Filename
		lines[file] = map[int]bool{0: ast.IsGenerated(f)}
		for _, group := range f.Comments {
			for _, c := range group.List {
				m := nolint.FindStringSubmatch(c.Text)
				if m != nil && slices.Contains(strings.Split(m[1], ","), name) {
					lines[file][pass.Fset.Position(c.Pos()).Line] = true
				}
			}
		}
	}
	return lines
}

// Examples that show a stale pointer, a copy, or a handle of another container.
var (
	shows   = regexp.MustCompile(`(^|/)example_(dense_|list_|typed_|checked_)?test\.go$`)
	mistake = regexp.MustCompile(`is lost. \S+ returns a copy|foreign is a handle|` +
		`is stale. (t.Rewind|buffers.Push|free.Push)`)
)

// shown reports whether a report is what an example is about.
func shown(name, file string, d analysis.Diagnostic) bool {
	return name == "berthends" && shows.MatchString(filepath.ToSlash(file)) &&
		mistake.MatchString(d.Message)
}

// unusedCode returns an analyzer that reports unused code. A package is checked together with its
// own tests if it has any, since these may use what nothing else does.
func unusedCode() *analysis.Analyzer {
	a := *unused.Analyzer.Analyzer
	a.Name = "unused"
	find := a.Run
	a.ResultType = nil
	a.Run = func(pass *analysis.Pass) (any, error) {
		found, err := find(pass)
		if err != nil || testedAlone(pass) {
			return nil, err
		}
		files := map[string]*token.File{}
		for _, f := range pass.Files {
			tf := pass.Fset.File(f.FileStart)
			files[tf.Name()] = tf
		}
		for _, o := range found.(unused.Result).Unused {
			if f := files[o.Position.Filename]; f != nil {
				pass.Reportf(f.LineStart(o.Position.Line), "%s %s is unused", o.Kind, o.Name)
			}
		}
		return nil, nil
	}
	return &a
}

// testedAlone reports whether the files are those of a package without its own tests, which it has.
func testedAlone(pass *analysis.Pass) bool {
	dir := ""
	for _, f := range pass.Files {
		name := pass.Fset.Position(f.FileStart).Filename
		if strings.HasSuffix(name, "_test.go") {
			return false
		}
		dir = filepath.Dir(name)
	}
	p, err := build.ImportDir(dir, 0)
	return err == nil && len(p.TestGoFiles) > 0
}
