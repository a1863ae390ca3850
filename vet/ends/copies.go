package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// copied reports a change of l that is never read, if r is a call that returns a copy.
func (f *function) copied(l, r ast.Expr) {
	if !f.reporting {
		return
	}
	call, ok := ast.Unparen(r).(*ast.CallExpr)
	if !ok {
		return
	}
	sum, _ := f.callee(&flow.State{}, call)
	if sum.Has(rule.Copies) {
		f.lost(l, f.body, f.Text(call.Fun)+" returns a copy")
	}
}

// lost reports variable v if scope changes it and never reads it after that. why says why the
// change affects nothing else.
func (f *function) lost(v ast.Expr, scope ast.Node, why string) {
	x := f.Variable(v)
	if !f.reporting || x == nil || !syntax.Is[*types.Struct](x.Type()) || syntax.IsGlobal(x) ||
		f.isResult(x) || f.Wild[x] {
		return
	}
	u := f.uses(x, scope)
	if u.last != nil && !u.read {
		f.reportf("lost", u.last, nil, "the change of %s is lost: %s", f.Text(u.last), why)
	}
}

// isResult reports whether x is a named result of f, which every return reads.
func (f *function) isResult(x *types.Var) bool {
	if f.ft.Results == nil {
		return false
	}
	return f.ft.Results.Pos() <= x.Pos() && x.Pos() < f.ft.Results.End()
}

// usage describes how a scope uses a variable.
type usage struct {
	last ast.Expr // the last change of a field
	read bool     // it may be read after that
}

// uses returns how scope uses x.
func (f *function) uses(x *types.Var, scope ast.Node) (u usage) {
	written := map[*ast.Ident]bool{}
	again := false // the scope may run twice, or later
	write := func(e ast.Expr) {
		if id := f.field(e, x); id != nil {
			written[id] = true
			if u.last == nil || e.Pos() > u.last.Pos() {
				u.last = e
			}
		}
	}
	for n := range ast.Preorder(scope) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.LabeledStmt:
			again = again || n.End() > x.Pos()
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				write(l)
			}
		case *ast.IncDecStmt:
			write(n.X)
		}
	}
	if u.last == nil {
		return u
	}
	end := u.last.Pos()
	for n := range ast.Preorder(scope) {
		if s, ok := n.(*ast.AssignStmt); ok && s.Pos() <= u.last.Pos() && u.last.Pos() < s.End() {
			end = s.End() // the right side is read before the change
		}
	}
	for n := range ast.Preorder(scope) {
		if a, ok := n.(*ast.UnaryExpr); ok && a.Op == token.AND && f.base(a.X) == x {
			u.read = true // through a pointer
		}
		if id, ok := n.(*ast.Ident); ok && f.Pass.TypesInfo.Uses[id] == x && !written[id] {
			u.read = u.read || again || id.Pos() > end
		}
	}
	return u
}

// base returns the variable that e is part of, or nil.
func (f *function) base(e ast.Expr) *types.Var {
	for {
		switch y := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = y.X
		case *ast.IndexExpr:
			e = y.X
		case *ast.StarExpr:
			e = y.X
		default:
			return f.Variable(e)
		}
	}
}

// field returns the identifier of x if e is a part of the memory of x itself: x.a.b[0].
func (f *function) field(e ast.Expr, x *types.Var) *ast.Ident {
	for part := false; ; part = true {
		switch y := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if !syntax.Is[*types.Struct](f.TypeOf(y.X)) {
				return nil
			}
			e = y.X
		case *ast.IndexExpr:
			if !syntax.Is[*types.Array](f.TypeOf(y.X)) {
				return nil
			}
			e = y.X
		case *ast.Ident:
			if part && f.Pass.TypesInfo.Uses[y] == x {
				return y
			}
			return nil
		default:
			return nil
		}
	}
}
