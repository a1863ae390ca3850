package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// deduce adds effect x of a call to the summary of f, if root is reached from an operand of f.
func (f *function) deduce(s *state, call *ast.CallExpr, fn callee, root place, x Effect) {
	at := f.portOf(root)
	if at == 0 || f.deduced == nil || strings.Count(root.way, ".") > 4 {
		return
	}
	out := Effect{Verb: x.Verb, Kind: x.Kind, Of: at, Path: f.path(root)}
	if x.By != 0 {
		by, _ := f.named(s, call, fn, x.By)
		switch p := f.portOf(by); {
		case p != 0 && by.way == "":
			out.By = p
		case x.Kind == endsBy || x.Kind == endsSince:
			return // the caller does not know the handle
		}
	}
	f.deduced.add(out)
	if !x.Maybe {
		put(&s.done, out, true)
	}
}

// portOf returns the operand from which p is reached, or 0. An assigned variable no longer holds
// the operand.
func (f *function) portOf(p place) port {
	if f.assigned[p.obj] > 0 {
		return 0
	}
	return f.ports[p.obj]
}

// path returns the path to p from the container that an operand is or points to.
func (f *function) path(p place) string {
	if isReference(p.obj.Type()) {
		return strings.TrimPrefix(p.way, "*")
	}
	return p.way
}

// deduceSet adds that f assigns p.
func (f *function) deduceSet(p place) {
	if at, ok := f.ports[p.obj]; ok && strings.Count(p.way, ".") <= 4 {
		f.deduced.add(Effect{Verb: sets, Of: at, Path: f.path(p)})
	}
}

// deduceSets adds the places that f assigns or passes to functions that may assign them.
func (f *function) deduceSets() {
	s := newState()
	for n := range ast.Preorder(f.body) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.alias(s, n)
			for _, l := range n.Lhs {
				f.deduceTarget(s, l)
			}
		case *ast.IncDecStmt:
			f.deduceTarget(s, n.X)
		case *ast.RangeStmt:
			f.deduceTarget(s, n.Key)
			f.deduceTarget(s, n.Value)
		case *ast.CallExpr:
			f.deducePassed(s, n)
		}
	}
}

// alias records the pointers that an assignment copies.
func (f *function) alias(s *state, n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, l := range n.Lhs {
		if v := f.variable(l); v != nil && isReference(f.typeOf(n.Rhs[i])) {
			if p := f.pointee(s, n.Rhs[i]); p.ok() && p.obj != v {
				put(&s.points, place{obj: v}, p)
			}
		}
	}
}

func (f *function) deduceTarget(s *state, e ast.Expr) {
	if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		e = x.X
		if p := f.at(s, e); p.ok() {
			f.deduceSet(p)
		}
		return
	}
	if p := f.at(s, e); p.ok() && p.beyond(place{obj: p.obj}) > 0 {
		f.deduceSet(p)
	}
}

// deducePassed adds the places that a call may assign.
func (f *function) deducePassed(s *state, call *ast.CallExpr) {
	if f.isConversion(call) || f.pass.TypesInfo.Types[call.Fun].IsBuiltin() {
		return
	}
	sum, fn := f.callee(s, call)
	if sum != nil && sum.Declared {
		return
	}
	if sum != nil || fn.fn != nil && fn.fn.Pkg() == f.pass.Pkg && !isInterfaceMethod(fn.fn) {
		if sum == nil {
			return
		}
		for _, x := range sum.Effects {
			if x.Verb == sets {
				if p := f.root(s, call, fn, x); p.ok() {
					f.deduceSet(p)
				}
			}
		}
		return
	}
	operands := call.Args
	if sel, ok := selector(call); ok && f.pass.TypesInfo.Selections[sel] != nil {
		operands = append(slices.Clip(operands), sel.X)
	}
	for _, a := range operands {
		if p := f.pointee(s, a); p.ok() && isReference(f.typeOf(a)) {
			f.deduceSet(p)
		}
	}
}

// deduceRuns adds the parameters of f that it calls as functions, and reports whether any was new.
func (f *function) deduceRuns(sum *Summary) bool {
	changed := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if v := f.variable(n.Fun); v != nil {
				if at, ok := f.ports[v]; ok {
					changed = sum.add(Effect{Verb: runs, Of: at}) || changed
				}
			}
			found, _ := f.callee(newState(), n)
			for i, a := range n.Args {
				v := f.variable(a)
				at, ok := f.ports[v]
				if v == nil || !ok || found == nil {
					continue
				}
				if slices.Contains(found.Effects, Effect{Verb: runs, Of: param + port(i)}) {
					changed = sum.add(Effect{Verb: runs, Of: at}) || changed
				}
			}
		}
		return true
	})
	return changed
}

// deduceGetter adds that f returns a part of an operand, if f does nothing else.
func (f *function) deduceGetter() {
	if len(f.body.List) != 1 {
		return
	}
	if r, ok := f.body.List[0].(*ast.ReturnStmt); ok {
		f.returned(newState(), r)
	}
}

// returned adds the loans and containers that a return statement returns.
func (f *function) returned(s *state, n *ast.ReturnStmt) {
	if f.deduced == nil {
		return
	}
	for i, e := range n.Results {
		what := result + port(i)
		if l, ok := f.borrowed(s, e); ok && !l.house && l.end == nil && canHold(f.typeOf(e)) {
			at := f.portOf(l.root)
			if at == 0 {
				continue
			}
			out := Effect{Verb: lends, What: what, Of: at, Path: f.path(l.root)}
			if l.by.way == "" {
				out.By = f.portOf(l.by)
			}
			f.deduced.add(out)
			continue
		}
		p := f.pointee(s, e)
		if is[*types.Pointer](f.typeOf(e)) && p.ok() && len(f.body.List) == 1 {
			if at := f.portOf(p); at != 0 && is[*types.Struct](deref(f.typeOf(e))) {
				f.deduced.add(Effect{Verb: shares, What: what, Of: at, Path: f.path(p)})
			}
		}
	}
}
