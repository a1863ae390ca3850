package ends

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	driver "golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// pinned are the reports over public code, each with its reason.
var pinned = map[string]string{}

// public returns the packages of the standard library, and those of other modules that berth's
// modules import.
var public = sync.OnceValues(func() ([]*packages.Package, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: "../.."},
		"std", "all")
	return slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return strings.HasPrefix(p.PkgPath, "github.com/seed505807e1/berth")
	}), err
})

// TestPublic analyzes a million lines of public code. Only the pinned reports may come.
func TestPublic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	pkgs, err := public()
	if err != nil {
		t.Fatal(err)
	}
	g, err := driver.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	found := map[string]bool{}
	for _, a := range g.Roots {
		if a.Err != nil && len(a.Package.Errors) == 0 {
			t.Errorf("%s: %v", a.Package.PkgPath, a.Err)
		}
		for _, f := range a.Package.Syntax {
			lines += a.Package.Fset.File(f.Pos()).LineCount()
		}
		for _, d := range a.Diagnostics {
			at := a.Package.Fset.Position(d.Pos)
			s := fmt.Sprintf("%s/%s: %s", a.Package.PkgPath, filepath.Base(at.Filename), d.Message)
			if found[s] = true; pinned[s] == "" {
				t.Errorf("line %d of %s", at.Line, s)
			}
		}
	}
	for s := range pinned {
		if !found[s] {
			t.Errorf("not reported any more: %s", s)
		}
	}
	t.Logf("%d packages, %d lines, %d reports", len(g.Roots), lines, len(found))
	if lines < 1_000_000 {
		t.Errorf("only %d lines", lines)
	}
}
