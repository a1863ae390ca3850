package ends

import (
	"go/ast"
	"go/token"
	"go/types"
)

// reads follows expressions in the order of their evaluation.
func (f *function) reads(s *state, list []ast.Expr) {
	for _, e := range list {
		f.read(s, e)
	}
}

// read follows an expression: its operands are used, then its calls have their effects.
func (f *function) read(s *state, e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		f.use(s, e)
	case *ast.ParenExpr:
		f.read(s, e.X)
	case *ast.SelectorExpr:
		if p := f.at(s, e); p.ok() {
			if _, ok := s.loans[p]; ok {
				f.use(s, e)
				return
			}
		}
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	case *ast.BinaryExpr:
		if isComparison(e.Op) {
			f.compared(s, e.X)
			f.compared(s, e.Y)
			return
		}
		f.read(s, e.X)
		f.read(s, e.Y)
	case *ast.UnaryExpr:
		f.read(s, e.X)
	case *ast.StarExpr:
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	case *ast.IndexExpr:
		f.readElement(s, e)
	case *ast.SliceExpr:
		if f.isEmptySlice(e) {
			return
		}
		f.reads(s, []ast.Expr{e.X, e.Low, e.High, e.Max})
	case *ast.TypeAssertExpr:
		f.read(s, e.X)
	case *ast.KeyValueExpr:
		f.read(s, e.Value)
	case *ast.CompositeLit:
		f.reads(s, e.Elts)
	case *ast.CallExpr:
		f.call(s, e)
	case *ast.FuncLit:
		f.capture(s, e)
	}
}

// readElement reads x[i].
func (f *function) readElement(s *state, e *ast.IndexExpr) {
	if p := f.at(s, e); p.ok() {
		if _, ok := s.loans[p]; ok {
			f.use(s, e)
			f.read(s, e.Index)
			return
		}
	}
	f.read(s, e.X)
	f.read(s, e.Index)
}

func isComparison(op token.Token) bool { return op == token.EQL || op == token.NEQ }

// compared reads an operand of a comparison. A pointer may be compared though it has ended.
func (f *function) compared(s *state, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
	case *ast.SelectorExpr:
		if _, ok := s.loans[f.at(s, e)]; !ok {
			f.read(s, e)
		}
	default:
		f.read(s, e)
	}
}

// isEmptySlice reports whether e is x[:0], which uses no element of x.
func (f *function) isEmptySlice(e *ast.SliceExpr) bool {
	return e.Low == nil && e.High != nil && f.constant(e.High) == "0"
}

// capture reads the variables that a function literal captures.
func (f *function) capture(s *state, lit *ast.FuncLit) {
	skip := map[ast.Expr]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if isComparison(n.Op) {
				skip[n.X], skip[n.Y] = true, true
			}
		case *ast.Ident:
			if o := f.pass.TypesInfo.Uses[n]; o != nil && o.Pos() < lit.Pos() && !skip[n] {
				f.use(s, n)
			}
		}
		return true
	})
}

// use reports e, a variable, if what it holds has ended.
func (f *function) use(s *state, e ast.Expr) {
	if !f.reporting || len(s.loans) == 0 {
		return
	}
	p := f.at(s, e)
	if !p.ok() {
		return
	}
	l, ok := s.loans[p]
	if ok && l.end != nil && !l.house {
		f.stale(s, e, p, l)
	}
}

// overwrite follows an assignment to part of a variable, and forgets what was known of that.
func (f *function) overwrite(s *state, e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if p := f.at(s, x.X); p.ok() {
			hit := func(q place) bool { return q.beyond(p) > 0 }
			s.forget(hit, hit)
		}
	default:
		if p := f.at(s, x); p.ok() {
			s.kill(p)
		}
	}
}

// target reads what an assignment to e reads: p in p.x = 1 and in p[i] = 1.
func (f *function) target(s *state, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	case *ast.IndexExpr:
		f.read(s, e.X)
		f.read(s, e.Index)
	case *ast.StarExpr:
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	}
}

// borrowed returns the loan of an expression, if its value was lent.
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
		if _, ok := f.typeOf(e.X).Underlying().(*types.Array); ok {
			return f.borrowedPart(s, e.X)
		}
		return f.borrowed(s, e.X)
	case *ast.IndexExpr: // an element of a slice of pointers
		if isPointer(f.typeOf(e)) {
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

// borrowedPart returns the loan of &e, where e is a part of what was lent: p.x, s[i], *p.
func (f *function) borrowedPart(s *state, e ast.Expr) (loan, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if isPointer(f.typeOf(e.X)) {
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.IndexExpr:
		switch f.typeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return f.borrowed(s, e.X)
		}
		return f.borrowedPart(s, e.X)
	case *ast.StarExpr:
		return f.borrowed(s, e.X)
	}
	return loan{}, false
}

// appended returns the loan of an append: that of what is appended to, or of what is appended. The
// handle is forgotten, since the slice may hold values of several handles.
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

func isSliceOfPointers(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && isPointer(sl.Elem())
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// canHold reports whether a variable of type t can hold a loan.
func canHold(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Signature:
		return true
	}
	return false
}

// isBuiltin reports whether call calls the built-in function of that name.
func (c *checker) isBuiltin(call *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := c.pass.TypesInfo.Uses[id].(*types.Builtin)
	if !ok {
		return false
	}
	for _, n := range names {
		if b.Name() == n {
			return true
		}
	}
	return false
}
