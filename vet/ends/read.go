package ends

import (
	"go/ast"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// reads evaluates expressions in order.
func (f *function) reads(s *flow.State, list []ast.Expr) {
	for _, e := range list {
		f.read(s, e)
	}
}

// read evaluates an expression: it uses the operands and then applies the effects of the calls.
func (f *function) read(s *flow.State, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		f.use(s, e)
	case *ast.SelectorExpr:
		if _, ok := s.Loans[f.at(s, e)]; ok {
			f.use(s, e)
			return
		}
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	case *ast.BinaryExpr:
		if syntax.IsComparison(e.Op) {
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
		if _, ok := s.Loans[f.at(s, e)]; ok {
			f.use(s, e)
		} else {
			f.read(s, e.X)
		}
		f.read(s, e.Index)
	case *ast.SliceExpr:
		if !f.IsEmptySlice(e) {
			f.reads(s, []ast.Expr{e.X, e.Low, e.High, e.Max})
		}
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

// call evaluates a call: it uses the operands and then applies the effects.
func (f *function) call(s *flow.State, call *ast.CallExpr) {
	if f.IsBuiltin(call, "len", "cap") {
		return
	}
	if f.IsBuiltin(call, "append") && syntax.IsSliceOfPointers(f.TypeOf(call)) {
		f.reads(s, call.Args[1:]) // the slice may contain stale pointers
		return
	}
	sum, fn := f.callee(s, call)
	if sel, ok := syntax.Selector(call); ok {
		f.read(s, sel.X)
	} else if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		f.read(s, lit)
	}
	f.reads(s, call.Args)
	f.housed(s, call, sum)
	for _, lit := range f.called(call, sum) {
		f.runs(s, lit)
	}
	if sum != nil {
		for _, x := range sum.Effects {
			f.effect(s, call, fn, x)
		}
	}
	if sum == nil || !sum.Declared {
		f.mutations(s, call, sum, fn)
	}
}

// compared evaluates an operand of a comparison. A stale pointer may be compared.
func (f *function) compared(s *flow.State, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
	case *ast.SelectorExpr:
		if _, ok := s.Loans[f.at(s, e)]; !ok {
			f.read(s, e)
		}
	default:
		f.read(s, e)
	}
}

// capture uses the variables that a function literal captures.
func (f *function) capture(s *flow.State, lit *ast.FuncLit) {
	skip := map[ast.Expr]bool{}
	for n := range ast.Preorder(lit.Body) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if syntax.IsComparison(n.Op) {
				skip[n.X], skip[n.Y] = true, true
			}
		case *ast.Ident:
			if o := f.Pass.TypesInfo.Uses[n]; o != nil && o.Pos() < lit.Pos() && !skip[n] {
				f.use(s, n)
			}
		}
	}
}

// use reports e if it holds a stale pointer.
func (f *function) use(s *flow.State, e ast.Expr) {
	if !f.reporting || len(s.Loans) == 0 {
		return
	}
	p := f.at(s, e)
	if l := s.Loans[p]; l.End != nil && !l.House {
		f.stale(s, e, p, l)
	}
}

// overwrite forgets the contents of e, which is assigned.
func (f *function) overwrite(s *flow.State, e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if p := f.at(s, x.X); p.OK() {
			hit := func(q flow.Place) bool { return q.Beyond(p) > 0 }
			s.Forget(hit, hit)
		}
	default:
		if p := f.at(s, x); p.OK() {
			s.Kill(p)
		}
	}
}

// target evaluates the operands of e, which is assigned: p in p.x = 1 and in p[i] = 1.
func (f *function) target(s *flow.State, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		f.mayBeNil(s, e.X, e)
		f.read(s, e.X)
	case *ast.IndexExpr:
		f.reads(s, []ast.Expr{e.X, e.Index})
	case *ast.StarExpr:
		f.read(s, e)
	}
}
