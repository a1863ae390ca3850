package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// borrowed returns the loan of the value of an expression, if it has one.
func (f *function) borrowed(s *flow.State, e ast.Expr) (flow.Loan, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		l, ok := s.Loans[f.at(s, e)]
		return l, ok
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.borrowedPart(s, e.X)
		}
	case *ast.SliceExpr:
		if f.IsEmptySlice(e) {
			return flow.Loan{}, false
		}
		if syntax.Is[*types.Array](f.TypeOf(e.X)) {
			return f.borrowedPart(s, e.X)
		}
		return f.borrowed(s, e.X)
	case *ast.IndexExpr: // an element of a slice of pointers
		if syntax.IsSliceOfPointers(f.TypeOf(e.X)) {
			return f.borrowed(s, e.X)
		}
	case *ast.CallExpr:
		if f.KeepsMemory(e) {
			return f.borrowed(s, e.Args[0])
		}
		if f.IsBuiltin(e, "append") {
			return f.appended(s, e)
		}
		return f.lent(s, e, rule.Result, nil)
	}
	return flow.Loan{}, false
}

// borrowedPart returns the loan of &e, where e is part of a borrowed value: p.x, s[i], *p.
func (f *function) borrowedPart(s *flow.State, e ast.Expr) (flow.Loan, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if syntax.Is[*types.Pointer](f.TypeOf(e.X)) {
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.IndexExpr:
		if t := f.TypeOf(e.X); syntax.Is[*types.Slice](t) || syntax.Is[*types.Pointer](t) {
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.StarExpr:
		return f.borrowed(s, e.X)
	}
	return flow.Loan{}, false
}

// appended returns the loan of the slice or, failing that, of the appended value. It drops the
// handle, since the slice may hold values of several handles. A slice with a stale value is stale.
func (f *function) appended(s *flow.State, call *ast.CallExpr) (flow.Loan, bool) {
	if !syntax.IsSliceOfPointers(f.TypeOf(call)) {
		return flow.Loan{}, false // copies
	}
	var found flow.Loan
	ok := false
	for _, a := range call.Args {
		l, lent := f.borrowed(s, a)
		if !lent {
			continue
		}
		l.By, l.Key = flow.Place{}, ""
		switch {
		case ok && found.End != nil:
			continue
		case ok && l.End == nil:
			l = found.Merge(l)
		}
		found, ok = l, true
	}
	return found, ok
}

// lent returns the loan that a call makes at port at. vars are the variables that its results, or
// the values of a loop over it, are assigned to.
func (f *function) lent(
	s *flow.State, call *ast.CallExpr, at rule.Port, vars []ast.Expr,
) (flow.Loan, bool) {
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.Verb != rule.Lends && x.Verb != rule.Housed || x.What != at {
			continue
		}
		root := f.root(s, call, fn, x)
		if x.Strict {
			root = s.Origin(root)
		}
		if !root.OK() {
			continue
		}
		house := x.Verb == rule.Housed
		l := flow.Loan{From: call, Root: root, House: house, Hollow: house}
		if x.By.IsOperand() {
			l.By, l.Key = f.named(s, call, fn, x.By)
		} else if x.By != 0 {
			l.By = f.namedBy(s, vars, x)
		}
		return l, true
	}
	return flow.Loan{}, false
}

// namedBy returns the variable of vars that holds the handle of the value that effect x lends.
func (f *function) namedBy(s *flow.State, vars []ast.Expr, x rule.Effect) flow.Place {
	i := int(x.By - rule.Result)
	if x.By >= rule.Yielded {
		i = int(x.By - rule.Yielded)
	}
	if i >= len(vars) || syntax.IsBlank(vars[i]) {
		return flow.Place{}
	}
	at := f.at(s, vars[i])
	if st, ok := f.TypeOf(vars[i]).Underlying().(*types.Struct); ok && x.By == x.What && at.OK() {
		for field := range st.Fields() { // the entry has its handle
			if syntax.IsHandle(field.Type()) {
				return flow.Place{Obj: at.Obj, Way: at.Way + "." + field.Name()}
			}
		}
	}
	return at
}

// named returns the variable or the constant at operand p, a handle or key.
func (f *function) named(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, p rule.Port,
) (flow.Place, string) {
	if p == rule.Receiver {
		return f.receiver(s, call, fn), ""
	}
	arg := rule.Operand(call, p)
	if arg == nil {
		return flow.Place{}, ""
	}
	if key := f.Constant(arg); key != "" {
		return flow.Place{}, key
	}
	return s.Identity(f.at(s, arg)), ""
}
