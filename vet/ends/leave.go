package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// leaving reports results that a deferred call gives back, and goroutines that use such memory.
func (f *function) leaving(s *flow.State, n *ast.ReturnStmt) {
	if !f.reporting || len(s.Later) == 0 {
		return
	}
	results := n.Results
	if len(results) == 0 && f.ft.Results != nil {
		for _, field := range f.ft.Results.List {
			for _, id := range field.Names {
				results = append(results, id)
			}
		}
	}
	f.atEnd(s, func(c *ast.CallExpr, end ending) {
		does := "ends it"
		if end.freed {
			does = "gives it back"
			f.goneUnder(s, c, end.root)
		}
		for _, e := range results {
			if f.holds(s, e, end) {
				f.reportf("deferred", e, nil, "%s is returned, but the deferred %s on line %d %s",
					f.Text(e), f.Text(c.Fun), f.Line(c), does)
			}
		}
	})
}

// holds reports whether the value of e points into the memory that ends.
func (f *function) holds(s *flow.State, e ast.Expr, end ending) bool {
	e = ast.Unparen(e)
	lit, ok := e.(*ast.CompositeLit)
	if u, isAddr := e.(*ast.UnaryExpr); isAddr && u.Op == token.AND {
		lit, ok = ast.Unparen(u.X).(*ast.CompositeLit)
	}
	if ok {
		for _, part := range lit.Elts {
			if kv, ok := part.(*ast.KeyValueExpr); ok {
				part = kv.Value
			}
			if f.holds(s, part, end) {
				return true
			}
		}
		return false
	}
	t := f.TypeOf(e)
	if !syntax.CanHold(t) && !syntax.IsReference(t) {
		return false
	}
	if l, ok := f.borrowed(s, e); ok && l.End == nil && l.Root.Under(end.root) {
		return true
	}
	at, mem := f.at(s, e), f.memory(s, e)
	if end.freed && mem.OK() && within(mem, end.root, f.IsSlice(e)) {
		return true
	}
	for p, l := range s.Loans { // a struct that the result points to
		if l.End == nil && (p.Under(at) || p.Under(mem)) && l.Root.Under(end.root) &&
			!at.Under(end.root) && !mem.Under(end.root) {
			return true
		}
	}
	return false
}

// goes notes the names that a goroutine uses, and reports those that are valid only until f
// returns.
func (f *function) goes(s *flow.State, n *ast.GoStmt) {
	if f.waits(n) {
		return
	}
	kept := f.kept(s)
	note := func(e ast.Expr) {
		if l, ok := f.borrowed(s, e); ok && l.End == nil {
			flow.Put(&s.Going, e, l.Root)
		} else if mem := f.memory(s, e); mem.OK() {
			flow.Put(&s.Going, e, mem)
		}
		if v := f.lentBy(s, e); f.reporting && v != nil && !kept[v] {
			f.reportf("goroutine", e, nil,
				"%s is used in a goroutine, but is valid only until %s returns",
				f.Text(e), f.title())
		}
	}
	for _, a := range n.Call.Args {
		note(a)
	}
	switch fun := ast.Unparen(n.Call.Fun).(type) {
	case *ast.SelectorExpr:
		note(fun.X)
	case *ast.FuncLit:
		skip := f.ownedBy(s, fun)
		for x := range ast.Preorder(fun.Body) {
			id, _ := x.(*ast.Ident)
			if v := f.captured(id, fun); v != nil && !skip[v] {
				skip[v] = true // one report for each name
				note(id)
			}
		}
	}
}

// captured returns the variable that id denotes, if it is declared outside of lit, or nil.
func (f *function) captured(id *ast.Ident, lit *ast.FuncLit) *types.Var {
	v, ok := f.Pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.IsField() || lit.Pos() <= v.Pos() && v.Pos() < lit.End() {
		return nil
	}
	return v
}

// ownedBy returns the variables whose memory a goroutine itself gives back or ends.
func (f *function) ownedBy(s *flow.State, lit *ast.FuncLit) map[*types.Var]bool {
	owned := map[*types.Var]bool{}
	for x := range ast.Preorder(lit.Body) {
		if c, ok := x.(*ast.CallExpr); ok {
			for _, e := range f.endings(s, c) {
				owned[e.root.Obj] = true
			}
		}
	}
	return owned
}

// kept returns the parameters that f keeps valid when it returns, by a call that revives them.
func (f *function) kept(s *flow.State) map[*types.Var]bool {
	kept := map[*types.Var]bool{}
	for x := range ast.Preorder(f.body) {
		if c, ok := x.(*ast.CallExpr); ok {
			effects, fn := f.effects(s, c)
			for _, x := range effects {
				if x.Verb == rule.Revives {
					kept[f.root(s, c, fn, x).Obj] = true
				}
			}
		}
	}
	return kept
}

// goneUnder reports the names by which goroutines use the memory at root, which call gives back.
func (f *function) goneUnder(s *flow.State, call *ast.CallExpr, root flow.Place) {
	for _, e := range flow.Sorted(s.Going) {
		if within(s.Going[e], root, f.IsSlice(e)) {
			f.reportf("goroutine", e, nil,
				"%s is used in a goroutine, but %s on line %d gives it back",
				f.Text(e), f.Text(call.Fun), f.Line(call))
		}
	}
}

// waits reports whether the goroutine that n starts may be waited for: outside of it, f receives
// from a channel or calls Wait, or the goroutine calls Done.
func (f *function) waits(n *ast.GoStmt) bool {
	found := calls(n, "Done")
	ast.Inspect(f.body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.GoStmt:
			return x != n
		case *ast.UnaryExpr:
			found = found || x.Op == token.ARROW
		case *ast.RangeStmt:
			found = found || syntax.Is[*types.Chan](f.TypeOf(x.X))
		}
		return !found
	})
	return found || calls(f.body, "Wait")
}

// calls reports whether n has a call of a method with this name.
func calls(n ast.Node, name string) bool {
	for x := range ast.Preorder(n) {
		if c, ok := x.(*ast.CallExpr); ok {
			if sel, ok := syntax.Selector(c); ok && sel.Sel.Name == name {
				return true
			}
		}
	}
	return false
}

// title returns the name of f in a report.
func (f *function) title() string {
	if f.name != nil {
		return f.name.Name()
	}
	return "the function"
}

// lentBy returns the parameter, valid only until f returns, that e is or was lent by, or nil.
func (f *function) lentBy(s *flow.State, e ast.Expr) *types.Var {
	if v := f.Variable(e); v != nil && f.isLentParam(v) {
		return v
	}
	if l, ok := f.borrowed(s, e); ok && l.End == nil && f.isLentParam(l.Root.Obj) {
		return l.Root.Obj
	}
	return nil
}

// isLentParam reports whether v is a parameter that is valid only until f returns.
func (f *function) isLentParam(v *types.Var) bool {
	return f.ports[v] != 0 && f.Assigned[v] == 0 && rule.Known.IsLent(v.Type())
}

// keeps reports an assignment of r, which is valid only until f returns, to l, if l outlives f.
func (f *function) keeps(s *flow.State, l, r ast.Expr) {
	if !f.hasLent || !f.reporting || !f.outlives(l) {
		return
	}
	call, ok := ast.Unparen(r).(*ast.CallExpr)
	if ok && f.IsBuiltin(call, "append") && !call.Ellipsis.IsValid() {
		for _, a := range call.Args[1:] {
			f.keeps(s, l, a)
		}
		return
	}
	v := f.lentBy(s, r)
	if v != nil && v != f.Variable(r) && syntax.CanHold(f.TypeOf(r)) {
		f.reportf("kept", r, nil, "%s is kept, but is valid only until %s returns",
			f.Text(r), f.title())
	}
}

// outlives reports whether l is stored outside of the variables of f, and of the parameters that
// are valid only until f returns.
func (f *function) outlives(l ast.Expr) bool {
	v := f.base(l)
	if v == nil || f.isLentParam(v) || f.isResult(v) {
		return false
	}
	if _, ok := f.ports[v]; ok {
		return f.Variable(l) == nil && syntax.Is[*types.Pointer](v.Type())
	}
	return v.Pos() < f.body.Pos() || f.body.End() <= v.Pos()
}
