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
)

// flush reports the first use after each end, in source order.
func (f *function) flush() {
	slices.SortStableFunc(f.found, func(a, b finding) int {
		return cmp.Compare(a.at.Pos(), b.at.Pos())
	})
	type key struct {
		place place
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
func (f *function) stale(s *state, e ast.Expr, p place, l loan) {
	name, end := f.text(e), f.text(l.end.Fun)
	extra := &analysis.Diagnostic{Related: []analysis.RelatedInformation{
		{Pos: l.end.Pos(), End: l.end.End(), Message: name + " ends here"},
		{Pos: l.from.Pos(), End: l.from.End(), Message: name + " comes from here"},
	}}
	what := ""
	switch {
	case l.house:
		extra.Message = fmt.Sprintf("%s has lost its memory: %s on line %d gave it back",
			name, end, f.line(l.end))
	case l.how == endsBy:
		what = "removes its value"
	case l.how == endsEmptied:
		what = "empties " + l.root.String()
	case l.how == endsLent:
		what = "gives it back"
	case l.how == endsSince:
		what = "gives its memory back"
	case l.how == endsSome:
		what = "may end it"
	default:
		what = "may move the values of " + l.root.String()
		if fix, ok := f.fix(s, p, l); ok {
			extra.SuggestedFixes = []analysis.SuggestedFix{fix}
		}
	}
	if extra.Message == "" {
		extra.Message = fmt.Sprintf("%s is stale: %s on line %d %s", name, end, f.line(l.end), what)
	}
	f.found = append(f.found, finding{e, p, l.end, extra})
}

// fix returns the edit that looks up a pointer again after an insert. An insert removes nothing, so
// the handle is still valid if it has not changed.
func (f *function) fix(s *state, p place, l loan) (fix analysis.SuggestedFix, ok bool) {
	sum, _ := f.callee(s, l.end)
	if !sum.has(issues) || p.way != "" || !l.by.ok() {
		return fix, false
	}
	if !f.isPlain(p, l.from) || f.clobbered(s, l) {
		return fix, false
	}
	at := f.statement(l.end)
	if at == nil || !f.isSame(at, p.obj, l.from) {
		return fix, false
	}
	end := f.behind(at)
	again := p.obj.Name() + " = " + types.ExprString(l.from)
	indent := strings.Repeat("\t", max(f.pass.Fset.Position(at.Pos()).Column-1, 0))
	return analysis.SuggestedFix{
		Message: "look " + p.obj.Name() + " up again: " + again,
		TextEdits: []analysis.TextEdit{{
			Pos: end, End: end, NewText: []byte("\n" + indent + again),
		}},
	}, true
}

// isSame reports whether x and the names in e denote the same objects after st as in e.
func (f *function) isSame(st ast.Stmt, x *types.Var, e ast.Expr) bool {
	scope := f.pass.Pkg.Scope().Innermost(st.Pos())
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
			same = same && (fields[n] || means(n.Name, f.pass.TypesInfo.Uses[n]))
		}
		return same
	})
	return same
}

// behind returns the end of st, or of the comment that follows st on its line.
func (f *function) behind(st ast.Stmt) token.Pos {
	end := st.End()
	line := f.pass.Fset.Position(end).Line
	for _, file := range f.pass.Files {
		if end < file.FileStart || file.FileEnd < end {
			continue
		}
		for _, c := range file.Comments {
			if end <= c.Pos() && f.line(c) == line && !f.isBetween(end, c.Pos()) {
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
func (f *function) isPlain(p place, call *ast.CallExpr) bool {
	for n := range ast.Preorder(f.body) {
		a, ok := n.(*ast.AssignStmt)
		if ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && ast.Unparen(a.Rhs[0]) == ast.Expr(call) &&
			f.variable(a.Lhs[0]) == p.obj {
			return true
		}
	}
	return false
}

// clobbered reports whether the call of the loan names a variable other than the handle of the
// loan. That variable is a copy of another handle now.
func (f *function) clobbered(s *state, l loan) bool {
	for _, a := range l.from.Args {
		if s.identity(f.at(s, a)) == l.by {
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
func (f *function) unchecked(s *state, call *ast.CallExpr) {
	effects, _ := f.effects(s, call)
	for _, x := range effects {
		if x.Verb != must || !f.reporting {
			continue
		}
		what, t, i := "result", f.typeOf(call), int(x.What-result)
		if tuple, ok := t.(*types.Tuple); ok && i < tuple.Len() {
			t = tuple.At(i).Type()
		}
		if types.Identical(t, types.Universe.Lookup("error").Type()) {
			what = "error"
		}
		f.reportf("unchecked", call, nil, "the %s of %s is not checked", what, f.text(call.Fun))
	}
}

// mayBeNil reports at e the use of x if it is a lookup, which returns nil for a stale handle.
func (f *function) mayBeNil(s *state, x, e ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !reportNil || !f.reporting {
		return
	}
	sum, _ := f.callee(s, call)
	if _, ok := f.lent(s, call, result, nil); ok && sum.has(asks) {
		f.reportf("nil", e, nil, "%s is nil if the handle is stale", f.text(call))
	}
}
