package ends

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// A mutant is a mistake seeded in a correct package: a call that ends a pointer right after it was
// made, before its use.
type mutant struct {
	at   int    // offset in the file
	text string // the inserted call
	line int
}

// mutants returns the mistakes that can be seeded in a package of one file.
func mutants(p *packages.Package) (all []mutant) {
	m := &mutator{p: p, file: p.Syntax[0]}
	ast.Inspect(m.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			m.scope = n
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		case *ast.IfStmt:
			if a, ok := n.Init.(*ast.AssignStmt); ok {
				m.seed(a, n.Body.Lbrace+1)
			}
		case *ast.RangeStmt:
			m.loop(n)
		}
		return true
	})
	sort.Slice(m.all, func(i, j int) bool { return m.all[i].at < m.all[j].at })
	return m.all
}

type mutator struct {
	p     *packages.Package
	file  *ast.File
	scope *ast.FuncDecl
	all   []mutant
}

func (m *mutator) statements(list []ast.Stmt) {
	for _, st := range list {
		if a, ok := st.(*ast.AssignStmt); ok {
			m.seed(a, a.End())
		}
	}
}

// seed adds the mutants for the assignment of a borrowed value.
func (m *mutator) seed(a *ast.AssignStmt, at token.Pos) {
	for i, r := range a.Rhs {
		call, ok := ast.Unparen(r).(*ast.CallExpr)
		if !ok || len(a.Rhs) > 1 && len(a.Rhs) != len(a.Lhs) {
			continue
		}
		v := a.Lhs[i]
		sel, _ := syntax.Selector(call)
		if sel == nil {
			continue
		}
		if sel.Sel.Name == "New" && len(a.Lhs) == 2 {
			v = a.Lhs[1]
		}
		if !m.usedAfter(v, at) {
			continue
		}
		owner := types.ExprString(sel.X)
		switch sel.Sel.Name {
		case "Ptr", "Slice", "Edit", "Pop", "New", "MakeSlice":
			if owner == "arena" {
				m.add(at, types.ExprString(call.Args[0])+".Reset()")
				continue
			}
			m.end(at, sel.X, owner, call)
		}
	}
}

// end adds the calls that end the loan of a method call on owner.
func (m *mutator) end(at token.Pos, x ast.Expr, owner string, call *ast.CallExpr) {
	t := m.p.TypesInfo.TypeOf(x)
	has := func(name string) bool {
		o, _, _ := types.LookupFieldOrMethod(t, true, m.p.Types, name)
		return o != nil
	}
	if has("Clear") {
		m.add(at, owner+".Clear()")
	}
	if has("Remove") && len(call.Args) == 1 {
		m.add(at, owner+".Remove("+types.ExprString(call.Args[0])+")")
	}
	if has("Sort") {
		m.add(at, owner+".Sort(nil)")
	}
	if has("Rewind") {
		m.add(at, owner+".Rewind(0)")
	}
}

// loop adds the mutants for a loop over a container.
func (m *mutator) loop(r *ast.RangeStmt) {
	call, ok := ast.Unparen(r.X).(*ast.CallExpr)
	if !ok || len(r.Body.List) == 0 {
		return
	}
	sel, ok := syntax.Selector(call)
	if !ok || sel.Sel.Name != "All" || syntax.IsBlank(r.Key) || !m.usedAfter(r.Value, r.Body.Lbrace) {
		return
	}
	owner := types.ExprString(sel.X)
	m.add(r.Body.Lbrace+1, owner+".Remove("+types.ExprString(r.Key)+")")
	m.add(r.Body.Lbrace+1, owner+".Clear()")
}

func (m *mutator) add(at token.Pos, text string) {
	pos := m.p.Fset.Position(at)
	m.all = append(m.all, mutant{pos.Offset, "\n" + text + "\n", pos.Line})
}

// usedAfter reports whether v is dereferenced after a position.
func (m *mutator) usedAfter(v ast.Expr, at token.Pos) bool {
	found := false
	text := types.ExprString(v)
	ast.Inspect(m.scope, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && types.ExprString(n.Lhs[0]) == text && n.Pos() >= at {
				return false
			}
		case *ast.SelectorExpr:
			found = found || n.X.Pos() > at && types.ExprString(n.X) == text
		case *ast.IndexExpr:
			found = found || n.X.Pos() > at && types.ExprString(n.X) == text
		case *ast.StarExpr:
			found = found || n.X.Pos() > at && types.ExprString(n.X) == text
		}
		return !found
	})
	return found
}

// TestMutants seeds mistakes in correct packages, one at a time. At least 85 of 100 must be found.
func TestMutants(t *testing.T) {
	k := newKit()
	seeded, found := 0, 0
	var missed []string
	for _, pkg := range []string{"programs", "good"} {
		p, err := k.load(pkg)
		if err != nil {
			t.Fatal(err)
		}
		before, err := k.analyze(p) // the kit does not know the calls of good that never return
		if err != nil || pkg == "programs" && len(before) > 0 {
			t.Fatalf("%s is not correct: %v\n%s", pkg, err, k.messages(before))
		}
		text := source(t, pkg)
		for _, m := range mutants(p) {
			mutated, err := k.parse(pkg, text[:m.at]+m.text+text[m.at:])
			if err != nil {
				continue // it does not compile
			}
			ds, err := k.analyze(mutated)
			if err != nil {
				t.Fatal(err)
			}
			seeded++
			if len(ds) > len(before) {
				found++
			} else {
				missed = append(missed, fmt.Sprintf("%s:%d: %s", pkg, m.line, strings.TrimSpace(m.text)))
			}
		}
	}
	t.Logf("%d of %d found; missed:\n%s", found, seeded, strings.Join(missed, "\n"))
	if seeded < 80 || found*100 < seeded*85 {
		t.Errorf("%d of %d seeded mistakes found, want 85 %% of 80 or more", found, seeded)
	}
}
