package ends

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
)

// flush reports the first use after each end, in source order.
func (f *function) flush() {
	slices.SortStableFunc(f.found, func(a, b finding) int {
		return cmp.Compare(a.at.Pos(), b.at.Pos())
	})
	type key struct {
		place flow.Place
		end   *ast.CallExpr
	}
	seen := map[key]bool{}
	for _, x := range f.found {
		if k := (key{x.place, x.end}); !seen[k] {
			seen[k] = true
			f.reportf("ended", x.at, x.diag, "%s", x.diag.Message)
		}
	}
	f.found = nil
}

// stale records that e uses the contents of p after their lifetime.
func (f *function) stale(s *flow.State, e ast.Expr, p flow.Place, l flow.Loan) {
	if l.Partly && !reportSome {
		return
	}
	name, end := f.Text(e), f.Text(l.End.Fun)
	extra := &analysis.Diagnostic{Related: []analysis.RelatedInformation{
		{Pos: l.End.Pos(), End: l.End.End(), Message: name + " ends here"},
	}}
	if l.From != l.End {
		extra.Related = append(extra.Related, analysis.RelatedInformation{
			Pos: l.From.Pos(), End: l.From.End(), Message: name + " comes from here",
		})
	}
	what := ""
	switch {
	case l.House:
		extra.Message = fmt.Sprintf("%s has lost its memory: %s on line %d gave it back",
			name, end, f.Line(l.End))
	case l.How == rule.EndsBy:
		what = "removes its value"
	case l.How == rule.EndsEmptied:
		what = "empties " + l.Root.String()
	case l.How == rule.EndsLent:
		what = "gives it back"
	case l.How == rule.EndsSince:
		what = "gives its memory back"
	case l.How == rule.EndsFreed:
		what = "gave it back"
	case l.Strict:
		what = "ended it"
	case l.How == rule.EndsSome:
		what = "may end it"
	default:
		what = "may move the values of " + l.Root.String()
		if fix, ok := f.fix(s, p, l); ok {
			extra.SuggestedFixes = []analysis.SuggestedFix{fix}
		}
	}
	if extra.Message == "" {
		extra.Message = fmt.Sprintf("%s is stale: %s on line %d %s", name, end, f.Line(l.End), what)
	}
	f.found = append(f.found, finding{e, p, l.End, extra})
}

// fix returns the edit that looks up a pointer again after an insert. An insert removes nothing, so
// the handle is still valid if it has not changed.
func (f *function) fix(
	s *flow.State, p flow.Place, l flow.Loan,
) (fix analysis.SuggestedFix, ok bool) {
	sum, _ := f.callee(s, l.End)
	if !sum.Has(rule.Issues) || p.Way != "" || !l.By.OK() {
		return fix, false
	}
	if !f.isPlain(p, l.From) || f.clobbered(s, l) {
		return fix, false
	}
	at := f.statement(l.End)
	if at == nil || !f.isSame(at, p.Obj, l.From) {
		return fix, false
	}
	end := f.behind(at)
	again := p.Obj.Name() + " = " + types.ExprString(l.From)
	indent := strings.Repeat("\t", max(f.Pass.Fset.Position(at.Pos()).Column-1, 0))
	return analysis.SuggestedFix{
		Message: "look " + p.Obj.Name() + " up again: " + again,
		TextEdits: []analysis.TextEdit{{
			Pos: end, End: end, NewText: []byte("\n" + indent + again),
		}},
	}, true
}

// isSame reports whether x and the names in e denote the same objects after st as in e.
func (f *function) isSame(st ast.Stmt, x *types.Var, e ast.Expr) bool {
	scope := f.Pass.Pkg.Scope().Innermost(st.Pos())
	means := func(name string, o types.Object) bool {
		_, found := scope.LookupParent(name, st.End())
		return found == o
	}
	same := means(x.Name(), x)
	fields := map[*ast.Ident]bool{} // fields, methods and names of other packages
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit:
			same = false // types.ExprString abbreviates them
		case *ast.SelectorExpr:
			fields[n.Sel] = true
		case *ast.Ident:
			same = same && (fields[n] || means(n.Name, f.Pass.TypesInfo.Uses[n]))
		}
		return same
	})
	return same
}

// behind returns the end of st, or of the comment that follows st on its line.
func (f *function) behind(st ast.Stmt) token.Pos {
	end := st.End()
	line := f.Pass.Fset.Position(end).Line
	for _, file := range f.Pass.Files {
		if end < file.FileStart || file.FileEnd < end {
			continue
		}
		for _, c := range file.Comments {
			if end <= c.Pos() && f.Line(c) == line && !f.isBetween(end, c.Pos()) {
				return c.End()
			}
		}
	}
	return end
}

// isBetween reports whether code ends between two positions, the first of which ends a statement.
func (f *function) isBetween(from, to token.Pos) bool {
	for n := range ast.Preorder(f.body) {
		if from < n.End() && n.End() <= to {
			return true
		}
	}
	return false
}

// isPlain reports whether a statement assigns the result of call to p and nothing else.
func (f *function) isPlain(p flow.Place, call *ast.CallExpr) bool {
	for n := range ast.Preorder(f.body) {
		a, ok := n.(*ast.AssignStmt)
		if ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && ast.Unparen(a.Rhs[0]) == ast.Expr(call) &&
			f.Variable(a.Lhs[0]) == p.Obj {
			return true
		}
	}
	return false
}

// clobbered reports whether the call of the loan names a variable other than the handle of the
// loan. That variable is a copy of another handle now.
func (f *function) clobbered(s *flow.State, l flow.Loan) bool {
	for _, a := range l.From.Args {
		if s.Identity(f.at(s, a)) == l.By {
			return false
		}
	}
	return true
}

// statement returns the statement of a block that is call or assigns its result, or nil.
func (f *function) statement(call *ast.CallExpr) ast.Stmt {
	for n := range ast.Preorder(f.body) {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, st := range list {
			var e ast.Expr
			switch st := st.(type) {
			case *ast.ExprStmt:
				e = st.X
			case *ast.AssignStmt:
				if len(st.Rhs) == 1 {
					e = st.Rhs[0]
				}
			}
			if ast.Unparen(e) == ast.Expr(call) {
				return st
			}
		}
	}
	return nil
}

// unchecked reports a call statement whose result must be used.
func (f *function) unchecked(s *flow.State, call *ast.CallExpr) {
	effects, _ := f.effects(s, call)
	for _, x := range effects {
		if x.Verb != rule.Must || !f.reporting {
			continue
		}
		what, t, i := "result", f.TypeOf(call), int(x.What-rule.Result)
		if tuple, ok := t.(*types.Tuple); ok && i < tuple.Len() {
			t = tuple.At(i).Type()
		}
		if types.Identical(t, types.Universe.Lookup("error").Type()) {
			what = "error"
		}
		f.reportf("unchecked", call, nil, "the %s of %s is not checked", what, f.Text(call.Fun))
	}
}

// mayBeNil reports at e the use of x if it is a lookup, which returns nil for a stale handle.
func (f *function) mayBeNil(s *flow.State, x, e ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !reportNil || !f.reporting {
		return
	}
	sum, _ := f.callee(s, call)
	if _, ok := f.lent(s, call, rule.Result, nil); ok && sum.Has(rule.Asks) {
		f.reportf("nil", e, nil, "%s is nil if the handle is stale", f.Text(call))
	}
}
