package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// deduce adds effect x of a call to the summary of f, if root is reached from an operand of f.
func (f *function) deduce(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, root flow.Place, x rule.Effect,
) {
	at := f.portOf(root)
	if at == 0 || f.deduced == nil || isFar(root, x) {
		return
	}
	out := rule.Effect{Verb: x.Verb, Kind: x.Kind, Of: at, Path: f.path(root), Strict: x.Strict}
	if x.By != 0 {
		by, _ := f.named(s, call, fn, x.By)
		switch p := f.portOf(by); {
		case p != 0 && by.Way == "":
			out.By = p
		case x.Kind == rule.EndsBy || x.Kind == rule.EndsSince:
			return // the caller does not know the handle
		}
	}
	f.deduced.Add(out)
	if !x.Maybe {
		flow.Put(&s.Done, out, true)
	}
}

// isFar reports whether p is too far from an operand to be part of a summary. The readers and
// buffers of the table are near their owners.
func isFar(p flow.Place, x rule.Effect) bool {
	n := strings.Count(p.Way, ".")
	return n > 4 || x.Strict && n > 2
}

// portOf returns the operand from which p is reached, or 0. An assigned variable no longer holds
// the operand.
func (f *function) portOf(p flow.Place) rule.Port {
	if f.Assigned[p.Obj] > 0 {
		return 0
	}
	return f.ports[p.Obj]
}

// path returns the path to p from the container that an operand is or points to.
func (f *function) path(p flow.Place) string {
	if syntax.IsReference(p.Obj.Type()) {
		return strings.TrimPrefix(p.Way, "*")
	}
	return p.Way
}

// maxSets bounds the assigned parts of an operand that a summary lists. With more, all may be
// assigned.
const maxSets = 8

// deduceSet adds that f assigns p.
func (f *function) deduceSet(p flow.Place) {
	at, ok := f.ports[p.Obj]
	if !ok || strings.Count(p.Way, ".") > 4 {
		return
	}
	x := rule.Effect{Verb: rule.Sets, Of: at, Path: f.path(p)}
	n := 0
	for _, e := range f.deduced.Effects {
		if e.Verb == rule.Sets && e.Of == at {
			if e.Path == "" {
				return
			}
			n++
		}
	}
	if n >= maxSets {
		x.Path = ""
	}
	f.deduced.Add(x)
}

// deduceSets adds the places that f assigns or passes to functions that may assign them.
func (f *function) deduceSets() {
	s := &flow.State{}
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
func (f *function) alias(s *flow.State, n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, l := range n.Lhs {
		if v := f.Variable(l); v != nil && syntax.IsReference(f.TypeOf(n.Rhs[i])) {
			if p := f.pointee(s, n.Rhs[i]); p.OK() && p.Obj != v {
				flow.Put(&s.Points, flow.Place{Obj: v}, p)
			}
		}
	}
}

func (f *function) deduceTarget(s *flow.State, e ast.Expr) {
	if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		e = x.X
		if p := f.at(s, e); p.OK() {
			f.deduceSet(p)
		}
		return
	}
	if p := f.at(s, e); p.OK() && p.Beyond(flow.Place{Obj: p.Obj}) > 0 {
		f.deduceSet(p)
	}
}

// deducePassed adds the places that a call may assign.
func (f *function) deducePassed(s *flow.State, call *ast.CallExpr) {
	if f.IsConversion(call) || f.Pass.TypesInfo.Types[call.Fun].IsBuiltin() {
		return
	}
	sum, fn := f.callee(s, call)
	if sum != nil && sum.Declared {
		return
	}
	if sum != nil || fn.Fn != nil && fn.Fn.Pkg() == f.Pass.Pkg && !syntax.IsInterfaceMethod(fn.Fn) {
		if sum == nil {
			return
		}
		for _, x := range sum.Effects {
			if x.Verb == rule.Sets {
				if p := f.root(s, call, fn, x); p.OK() {
					f.deduceSet(p)
				}
			}
		}
		return
	}
	operands := call.Args
	if sel, ok := syntax.Selector(call); ok && f.Pass.TypesInfo.Selections[sel] != nil {
		operands = append(slices.Clip(operands), sel.X)
	}
	for _, a := range operands {
		if p := f.pointee(s, a); p.OK() && syntax.IsReference(f.TypeOf(a)) {
			f.deduceSet(p)
		}
	}
}

// deduceRuns adds the parameters of f that it calls as functions, and reports whether any was new.
func (f *function) deduceRuns(sum *rule.Summary) bool {
	changed := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if v := f.Variable(n.Fun); v != nil {
				if at, ok := f.ports[v]; ok {
					changed = sum.Add(rule.Effect{Verb: rule.Runs, Of: at}) || changed
				}
			}
			found, _ := f.callee(&flow.State{}, n)
			for i, a := range n.Args {
				v := f.Variable(a)
				at, ok := f.ports[v]
				if v == nil || !ok || found == nil {
					continue
				}
				run := rule.Effect{Verb: rule.Runs, Of: rule.Param + rule.Port(i)}
				if slices.Contains(found.Effects, run) {
					changed = sum.Add(rule.Effect{Verb: rule.Runs, Of: at}) || changed
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
		f.returned(&flow.State{}, r)
	}
}

// returned adds the loans and containers that a return statement returns.
func (f *function) returned(s *flow.State, n *ast.ReturnStmt) {
	if f.deduced == nil {
		return
	}
	for i, e := range n.Results {
		what := rule.Result + rule.Port(i)
		l, ok := f.borrowed(s, e)
		if ok && !l.House && l.End == nil && syntax.CanHold(f.TypeOf(e)) {
			at := f.portOf(l.Root)
			if at == 0 {
				continue
			}
			out := rule.Effect{Verb: rule.Lends, What: what, Of: at, Path: f.path(l.Root)}
			if l.By.Way == "" {
				out.By = f.portOf(l.By)
			}
			f.deduced.Add(out)
			continue
		}
		p := f.pointee(s, e)
		if syntax.Is[*types.Pointer](f.TypeOf(e)) && p.OK() && len(f.body.List) == 1 {
			if at := f.portOf(p); at != 0 && syntax.Is[*types.Struct](syntax.Deref(f.TypeOf(e))) {
				f.deduced.Add(rule.Effect{Verb: rule.Shares, What: what, Of: at, Path: f.path(p)})
			}
		}
	}
}
