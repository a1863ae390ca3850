package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// maxPasses bounds the passes over a package in which summaries are deduced from each other. A
// chain of helpers takes one for each if callers come first.
const maxPasses = 50

// summarize deduces the summaries of the functions of the package, and exports them.
func (c *checker) summarize(functions []*function) {
	changed := map[*types.Func]bool{} // summaries that the last pass has changed
	for pass := range maxPasses {
		before := changed
		changed = map[*types.Func]bool{}
		for _, f := range functions {
			if pass == 0 {
				f.findCallees()
			} else if !slices.ContainsFunc(f.callees, func(fn *types.Func) bool {
				return before[fn] || changed[fn]
			}) {
				continue
			}
			f.calls = f.calls || f.mayCall()
			if f.name != nil && len(f.ports) > 0 && f.deduceAll() {
				changed[f.name] = true
			}
		}
		if len(changed) == 0 {
			break
		}
	}
	for _, f := range functions {
		if f.name == nil || !f.name.Exported() {
			continue
		}
		if s := c.summaries[f.name]; s != nil && !s.Declared && len(s.Effects) > 0 {
			c.pass.ExportObjectFact(f.name, s)
		}
	}
}

// findCallees finds the functions of the package that f mentions.
func (f *function) findCallees() {
	seen := map[*types.Func]bool{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			fn, ok := f.pass.TypesInfo.Uses[id].(*types.Func)
			if !ok || fn.Pkg() != f.pass.Pkg {
				return true
			}
			if fn = fn.Origin(); !seen[fn] {
				seen[fn] = true
				f.callees = append(f.callees, fn)
			}
		}
		return true
	})
}

// mayCall reports whether f calls a function with effects on lifetimes.
func (f *function) mayCall() bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			sum, fn := f.callee(newState(), call)
			found = matters(sum) || fn.fn == nil && f.variable(call.Fun) != nil
		}
		if sel, ok := n.(*ast.SelectorExpr); ok && !found {
			if fn, ok := f.pass.TypesInfo.Uses[sel.Sel].(*types.Func); ok {
				found = matters(f.summary(fn)) // a method value too
			}
		}
		return !found
	})
	return found
}

// matters reports whether s has an effect on lifetimes.
func matters(s *Summary) bool {
	return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Verb != sets && e.Verb != runs
	})
}

// deduceAll deduces the summary of f from its body, and reports whether it has changed.
func (f *function) deduceAll() bool {
	old := f.summaries[f.name]
	if old != nil && old.Declared {
		return f.deduceRuns(old)
	}
	f.deduced = &Summary{}
	f.deduceRuns(f.deduced)
	f.deduceSets()
	if f.calls {
		f.deduceFlow()
	} else {
		f.deduceGetter()
	}
	got := f.deduced
	f.deduced = nil
	if old == nil {
		old = &Summary{}
	}
	if slices.Equal(old.Effects, got.Effects) {
		return false
	}
	f.summaries[f.name] = got
	return true
}

// deduceFlow follows all paths, and adds what they do.
func (f *function) deduceFlow() {
	g := f.graph()
	in := f.solve(g)
	if in == nil {
		return
	}
	f.exits = f.exits[:0]
	for _, b := range g.Blocks {
		if s := in[b.Index]; s != nil && b.Live {
			f.block(s.clone(), b)
		}
	}
	for i, x := range f.deduced.Effects {
		if x.Verb == ends || x.Verb == revives {
			all := len(f.exits) > 0
			for _, s := range f.exits {
				all = all && s.done[x]
			}
			f.deduced.Effects[i].Maybe = !all
		}
	}
	f.exits = nil
}

// deduce adds effect x of a call, on root, if that leads from an operand of f.
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
			return // what it names is not known to the caller
		}
	}
	f.deduced.add(out)
	if !x.Maybe {
		put(&s.done, out, true)
	}
}

// portOf returns the operand that leads to p, or 0. A variable that is assigned leads to something
// else than what the caller has passed.
func (f *function) portOf(p place) port {
	if f.assigned[p.obj] > 0 {
		return 0
	}
	return f.ports[p.obj]
}

// path returns the way to p from the container that an operand is or points to.
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

// deduceSets adds what f assigns, or passes on to functions that may assign it.
func (f *function) deduceSets() {
	s := newState()
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.alias(s, n)
			for _, l := range n.Lhs {
				f.deduceTarget(s, l)
			}
		case *ast.IncDecStmt:
			f.deduceTarget(s, n.X)
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if x != nil {
					f.deduceTarget(s, x)
				}
			}
		case *ast.CallExpr:
			f.deducePassed(s, n)
		}
		return true
	})
}

// alias records pointers that are given another name.
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

// deducePassed adds what a call may assign.
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

func isInterfaceMethod(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && types.IsInterface(r.Type())
}

// deduceRuns adds the parameters of f that are functions which it calls, and reports whether there
// was a new one.
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

// deduceGetter adds that f returns a part of an operand, if that is all that it does.
func (f *function) deduceGetter() {
	if len(f.body.List) != 1 {
		return
	}
	if r, ok := f.body.List[0].(*ast.ReturnStmt); ok {
		f.returned(newState(), r)
	}
}

// returned adds what a return statement lends, and which containers it leads to.
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
		if p := f.pointee(s, e); isPointer(f.typeOf(e)) && p.ok() && len(f.body.List) == 1 {
			if at := f.portOf(p); at != 0 && isStruct(deref(f.typeOf(e))) {
				f.deduced.add(Effect{Verb: shares, What: what, Of: at, Path: f.path(p)})
			}
		}
	}
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
