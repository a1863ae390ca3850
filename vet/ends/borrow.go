package ends

import (
	"go/ast"
	"go/token"
	"go/types"
)

// borrowed returns the loan of the value of an expression, if it has one.
func (f *function) borrowed(s *state, e ast.Expr) (loan, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		l, ok := s.loans[f.at(s, e)]
		return l, ok
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.borrowedPart(s, e.X)
		}
	case *ast.SliceExpr:
		if f.isEmptySlice(e) {
			return loan{}, false
		}
		if is[*types.Array](f.typeOf(e.X)) {
			return f.borrowedPart(s, e.X)
		}
		return f.borrowed(s, e.X)
	case *ast.IndexExpr: // an element of a slice of pointers
		if is[*types.Pointer](f.typeOf(e)) {
			return f.borrowed(s, e.X)
		}
	case *ast.CallExpr:
		if f.isConversion(e) {
			return f.borrowed(s, e.Args[0])
		}
		if f.isBuiltin(e, "append") {
			return f.appended(s, e)
		}
		return f.lent(s, e, result, nil)
	}
	return loan{}, false
}

// borrowedPart returns the loan of &e, where e is part of a borrowed value: p.x, s[i], *p.
func (f *function) borrowedPart(s *state, e ast.Expr) (loan, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if is[*types.Pointer](f.typeOf(e.X)) {
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.IndexExpr:
		if t := f.typeOf(e.X); is[*types.Slice](t) || is[*types.Pointer](t) {
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.StarExpr:
		return f.borrowed(s, e.X)
	}
	return loan{}, false
}

// appended returns the loan of the slice or, failing that, of the appended value. It drops the
// handle, since the slice may hold values of several handles.
func (f *function) appended(s *state, call *ast.CallExpr) (loan, bool) {
	if !isSliceOfPointers(f.typeOf(call)) {
		return loan{}, false // copies
	}
	var found loan
	ok := false
	for _, a := range call.Args {
		l, lent := f.borrowed(s, a)
		if !lent {
			continue
		}
		l.by, l.key = place{}, ""
		if ok {
			l = found.merge(l)
		}
		found, ok = l, true
	}
	return found, ok
}

// lent returns the loan that a call makes at port at. vars are the variables that its results, or
// the values of a loop over it, are assigned to.
func (f *function) lent(s *state, call *ast.CallExpr, at port, vars []ast.Expr) (loan, bool) {
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.Verb != lends && x.Verb != housed || x.What != at {
			continue
		}
		root := f.root(s, call, fn, x)
		if !root.ok() {
			continue
		}
		l := loan{from: call, root: root, house: x.Verb == housed, hollow: x.Verb == housed}
		if x.By.isOperand() {
			l.by, l.key = f.named(s, call, fn, x.By)
		} else if x.By != 0 {
			l.by = f.namedBy(s, vars, x)
		}
		return l, true
	}
	return loan{}, false
}

// namedBy returns the variable of vars that holds the handle of the value that effect x lends.
func (f *function) namedBy(s *state, vars []ast.Expr, x Effect) place {
	i := int(x.By - result)
	if x.By >= yielded {
		i = int(x.By - yielded)
	}
	if i >= len(vars) || isBlank(vars[i]) {
		return place{}
	}
	at := f.at(s, vars[i])
	if st, ok := f.typeOf(vars[i]).Underlying().(*types.Struct); ok && x.By == x.What && at.ok() {
		for field := range st.Fields() { // the entry has its handle
			if isHandle(field.Type()) {
				return place{at.obj, at.way + "." + field.Name()}
			}
		}
	}
	return at
}

// named returns the variable or the constant at operand p, a handle or key.
func (f *function) named(s *state, call *ast.CallExpr, fn callee, p port) (place, string) {
	if p == receiver {
		return f.receiver(s, call, fn), ""
	}
	arg := operand(call, p)
	if arg == nil {
		return place{}, ""
	}
	if key := f.constant(arg); key != "" {
		return place{}, key
	}
	return s.identity(f.at(s, arg)), ""
}
