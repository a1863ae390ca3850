package ends

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// free marks the memory that a call gives back, such as the argument of (*sync.Pool).Put, under all
// names that f knows for it.
func (f *function) free(s *flow.State, call *ast.CallExpr, fn flow.Callee, x rule.Effect) {
	root := f.freed(s, call, fn, x)
	if !root.OK() {
		return
	}
	if f.reporting && !x.Maybe {
		f.goneUnder(s, call, root)
	}
	f.deduceFree(s, root, x)
	// The last pointer on the way, or the variable whose address the argument is.
	at := flow.Place{Obj: root.Obj, Way: strings.TrimSuffix(root.Way, "*")}
	f.stop(s, call, at, root, x.Maybe)
	for p, to := range s.Points {
		if within(to, root, p.Way == "" && syntax.Is[*types.Slice](p.Obj.Type())) {
			f.stop(s, call, p, root, x.Maybe)
		}
	}
	for p, l := range s.Loans {
		if l.Root.Under(root) {
			f.stop(s, call, p, root, x.Maybe)
		}
	}
}

// stop ends the loan at p, if it has not ended, with the memory at root. A variable without a loan
// gets one.
func (f *function) stop(s *flow.State, call *ast.CallExpr, p, root flow.Place, maybe bool) {
	l, ok := s.Loans[p]
	switch {
	case !ok || l.House:
		l = flow.Loan{From: call, Root: root}
	case l.End != nil && (!l.Partly || maybe):
		return
	}
	l.End, l.How, l.Strict, l.Partly = call, rule.EndsFreed, true, maybe
	flow.Put(&s.Loans, p, l)
}

// within reports whether p is part of the memory at root: of a struct, or the array of the slice
// that is there.
func within(p, root flow.Place, slice bool) bool {
	return p.Beyond(root) == 0 || slice && p == root.Pointee()
}

// freed returns the place of the memory that effect x of a call gives back, if it is known.
func (f *function) freed(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, x rule.Effect,
) flow.Place {
	arg := rule.Operand(call, x.Of)
	sel, ok := syntax.Selector(call)
	if ok && x.Of == rule.Receiver && !fn.Recv.OK() && !f.isPromoted(sel) {
		arg = sel.X
	}
	if arg == nil || x.Path != "" {
		return f.root(s, call, fn, x)
	}
	return f.memory(s, arg)
}

// memory returns the place of the memory that e points to, if it is known.
func (f *function) memory(s *flow.State, e ast.Expr) flow.Place {
	t := f.TypeOf(e)
	if syntax.IsReference(t) || syntax.Is[*types.Slice](t) || syntax.Is[*types.Map](t) {
		return f.pointee(s, e)
	}
	return flow.Place{}
}

// isPromoted reports whether sel selects a method of an embedded field.
func (f *function) isPromoted(sel *ast.SelectorExpr) bool {
	m := f.Pass.TypesInfo.Selections[sel]
	return m != nil && len(m.Index()) > 1
}

// deduceFree adds to the summary of f that it gives back the memory at root.
func (f *function) deduceFree(s *flow.State, root flow.Place, x rule.Effect) {
	at := f.portOf(root)
	if at == 0 || f.deduced == nil || isFar(root, x) {
		return
	}
	out := rule.Effect{Verb: rule.Frees, Of: at, Path: f.path(root), Strict: true}
	if out.Path == "*" && syntax.Is[*types.Slice](root.Obj.Type()) {
		out.Path = "" // the memory of a slice
	}
	f.deduced.Add(out)
	if !x.Maybe {
		flow.Put(&s.Done, out, true)
	}
}

// An ending is memory that a call gives back, or whose loans it ends.
type ending struct {
	root  flow.Place
	freed bool
}

// endings returns the memory that a call gives back or ends, on every path, if it runs now.
func (f *function) endings(s *flow.State, call *ast.CallExpr) (all []ending) {
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if !x.Strict || x.Maybe {
			continue
		}
		var root flow.Place
		switch x.Verb {
		case rule.Frees:
			root = f.freed(s, call, fn, x)
		case rule.Ends:
			root = f.root(s, call, fn, x)
		}
		if root.OK() {
			all = append(all, ending{root, x.Verb == rule.Frees})
		}
	}
	return all
}

// deferring notes a deferred call that gives memory back.
func (f *function) deferring(s *flow.State, call *ast.CallExpr) {
	lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	if !ok {
		switch all := f.endings(s, call); len(all) {
		case 0:
		case 1:
			flow.Put(&s.Later, call, all[0].root)
		default:
			flow.Put(&s.Later, call, flow.Place{}) // several: those of its operands at the end
		}
		return
	}
	for _, st := range lit.Body.List { // not in branches, which may not run
		if e, ok := st.(*ast.ExprStmt); ok {
			if c, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && len(f.endings(s, c)) > 0 {
				flow.Put(&s.Later, c, flow.Place{}) // its operands are those at the end
			}
		}
	}
}

// atEnd calls yield with the endings of each deferred call.
func (f *function) atEnd(s *flow.State, yield func(c *ast.CallExpr, e ending)) {
	for _, c := range flow.Sorted(s.Later) {
		for _, e := range f.endings(s, c) {
			if at := s.Later[c]; at.OK() {
				e.root = at
			}
			yield(c, e)
		}
	}
}

// refilled lends the slice x.f to x in x.f = append(x.f[:n], …), which keeps the memory for
// another use of x. A slice with a capacity, such as x.f[:0:0], is there to make append copy.
func (f *function) refilled(s *flow.State, b *binding, call *ast.CallExpr) {
	first, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr)
	i := strings.LastIndexByte(b.at.Way, '.')
	if ok && i > 0 && b.loan.From == nil && !first.Slice3 && f.at(s, first.X) == b.at {
		b.loan = flow.Loan{From: call, Root: flow.Place{Obj: b.at.Obj, Way: b.at.Way[:i]}}
	}
}
