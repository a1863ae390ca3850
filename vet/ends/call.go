package ends

import (
	"go/ast"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// called returns the function literals that a call runs before it returns.
func (f *function) called(call *ast.CallExpr, sum *rule.Summary) (lits []*ast.FuncLit) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		lits = append(lits, lit)
	}
	if v := f.Variable(call.Fun); v != nil && f.Literals[v] != nil {
		lits = append(lits, f.Literals[v])
	}
	if sum == nil {
		return lits
	}
	for _, x := range sum.Effects {
		if x.Verb != rule.Runs {
			continue
		}
		if lit := f.literal(rule.Operand(call, x.Of)); lit != nil {
			lits = append(lits, lit)
		}
	}
	return lits
}

// literal returns the function literal that e denotes, directly or by name, or nil.
func (f *function) literal(e ast.Expr) *ast.FuncLit {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return lit
	}
	if v := f.Variable(e); v != nil {
		return f.Literals[v]
	}
	return nil
}

// runs applies the effects of the calls in a function literal that runs now. Only its effects on
// captured variables matter here, since the literal itself is checked as a function of its own.
func (f *function) runs(s *flow.State, lit *ast.FuncLit) {
	if f.running[lit] {
		return
	}
	f.running[lit] = true
	defer delete(f.running, lit)
	report := f.reporting
	f.reporting = false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
				f.begin(s, call)
			}
		case *ast.CallExpr:
			found, fn := f.callee(s, n)
			for _, inner := range f.called(n, found) {
				f.runs(s, inner)
			}
			effects, _ := f.effects(s, n)
			for _, x := range effects {
				x.Maybe = true
				f.effect(s, n, fn, x)
			}
		}
		return true
	})
	f.reporting = report
}

// begin applies the effects of ranging over the result of call.
func (f *function) begin(s *flow.State, call *ast.CallExpr) {
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.Verb == rule.Begins {
			x.Verb, x.Kind = rule.Ends, rule.EndsAll
			f.effect(s, call, fn, x)
		}
	}
}

// effect applies effect x of a call.
func (f *function) effect(s *flow.State, call *ast.CallExpr, fn flow.Callee, x rule.Effect) {
	switch x.Verb {
	case rule.Asks, rule.Ends, rule.Revives, rule.Clones, rule.Sets:
	case rule.Frees:
		f.free(s, call, fn, x)
		return
	default:
		return
	}
	root := f.root(s, call, fn, x)
	if !root.OK() {
		return
	}
	switch x.Verb {
	case rule.Asks:
		f.ask(s, call, fn, root, x)
	case rule.Ends:
		f.deduce(s, call, fn, root, x)
		f.end(s, call, fn, root, x)
	case rule.Revives:
		f.deduce(s, call, fn, root, x)
		f.revive(s, call, root)
	case rule.Clones:
		if x.What == 0 {
			f.mixed(root)
		}
	case rule.Sets:
		f.deduce(s, call, fn, root, x)
		s.Change(root)
	}
}

// end ends the loans of root that effect x invalidates.
func (f *function) end(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, root flow.Place, x rule.Effect,
) {
	switch x.Kind {
	case rule.EndsOther:
		return
	case rule.EndsSome:
		if !reportSome {
			return
		}
	case rule.EndsEmptied:
		if x.Maybe {
			return
		}
	}
	var by flow.Place
	var key string
	if x.By != 0 {
		by, key = f.named(s, call, fn, x.By)
	}
	if x.Kind == rule.EndsSince && !f.isKnownMark(s, by) {
		return
	}
	loop := f.loopOver(s, call, root)
	var gone []flow.Place // containers that have lost their memory
	for k, l := range s.Loans {
		if l.Root != root || l.End != nil && !l.Partly {
			continue
		}
		own := by.OK() && (l.By == by || k == by) || key != "" && l.Key == key
		hit := true
		switch x.Kind {
		case rule.EndsBy:
			hit = own
		case rule.EndsSince:
			hit = !l.Survives(by.Id() + ";")
		case rule.EndsAll:
			if hit = x.By == 0 || loop == nil || own; !hit {
				l.Pending, l.Loop = call, loop
				s.Loans[k] = l
			}
		}
		if !hit || l.Hollow {
			continue
		}
		l.End, l.How, l.Strict, l.Partly = call, x.Kind, x.Strict, false
		s.Loans[k] = l
		if l.House {
			gone = append(gone, k)
		}
	}
	for _, c := range gone {
		f.endHoused(s, call, x.Kind, c)
	}
}

// endHoused ends the loans of the container at the given place, whose arena has taken its memory
// back.
func (f *function) endHoused(s *flow.State, call *ast.CallExpr, how rule.Kind, at flow.Place) {
	root := s.Follow(at)
	for k, l := range s.Loans {
		if l.End == nil && (l.Root == root || l.Root == at) {
			l.End, l.How = call, how
			s.Loans[k] = l
		}
	}
}

// isKnownMark reports whether the loans made since the mark at m are known. They are if the
// function has set the mark, or if the mark is a parameter and so older than all loans.
func (f *function) isKnownMark(s *flow.State, m flow.Place) bool {
	if !m.OK() {
		return false
	}
	return s.Marked[m] || f.portOf(m) != 0 && m.Way == ""
}

// loopOver returns the innermost loop around n over the container at root, or nil. Containers move
// no values during such a loop.
func (f *function) loopOver(s *flow.State, n ast.Node, root flow.Place) *ast.RangeStmt {
	for i := len(f.loops) - 1; i >= 0; i-- {
		r := f.loops[i]
		if n.Pos() < r.Body.Pos() || r.Body.End() <= n.Pos() {
			continue
		}
		if f.isOver(s, r, root) {
			return r
		}
	}
	return nil
}

// isOver reports whether r is a loop over the container at root, or over a slice of it.
func (f *function) isOver(s *flow.State, r *ast.RangeStmt, root flow.Place) bool {
	call, ok := ast.Unparen(r.X).(*ast.CallExpr)
	if !ok {
		l, ok := f.borrowed(s, r.X)
		return ok && l.Root == root
	}
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if (x.Verb == rule.Lends || x.Verb == rule.Issues) && f.root(s, call, fn, x) == root {
			return true
		}
	}
	return false
}

// housed handles a method call on a container that lives in an arena. It reports the call if the
// arena has taken the memory back. Otherwise the container may have memory from now on.
func (f *function) housed(s *flow.State, call *ast.CallExpr, sum *rule.Summary) {
	for _, a := range call.Args { // the callee may revive the container
		f.release(s, a)
	}
	sel, ok := syntax.Selector(call)
	if !ok || f.Pass.TypesInfo.Selections[sel] == nil {
		return
	}
	p := f.at(s, sel.X)
	l, ok := s.Loans[p]
	if !ok || !l.House || sum.Has(rule.Revives) {
		return
	}
	if l.End != nil {
		if f.reporting {
			f.stale(s, sel.X, p, l)
		}
		return
	}
	if len(call.Args) > 0 || sum.Has(rule.Lends) {
		l.Hollow = false // other methods take no memory
		s.Loans[p] = l
	}
}

// release forgets that the container e has lost its memory.
func (f *function) release(s *flow.State, e ast.Expr) {
	p := f.at(s, e)
	if l, ok := s.Loans[p]; ok && l.House && l.End != nil {
		delete(s.Loans, p)
	}
}

// revive makes the container at root usable again after its memory was taken. It has no memory
// then.
func (f *function) revive(s *flow.State, call *ast.CallExpr, root flow.Place) {
	for k, l := range s.Loans {
		if l.House && (k == root || s.Follow(k) == root) {
			if l.End != nil {
				l.End, l.How, l.Marks = nil, "", ""
			}
			l.Hollow = true
			s.Loans[k] = l
		}
	}
}

// mutations forgets the places that a call may assign.
func (f *function) mutations(s *flow.State, call *ast.CallExpr, sum *rule.Summary, fn flow.Callee) {
	if f.IsConversion(call) || f.IsBuiltin(call, "append", "copy", "min", "max", "new", "make") {
		return
	}
	if len(f.Unstable) > 0 {
		hit := func(p flow.Place) bool { return f.Unstable[p.Obj] }
		s.Forget(hit, hit)
	}
	switch {
	case fn.Fn == nil || syntax.IsInterfaceMethod(fn.Fn):
		s.Forget(
			func(p flow.Place) bool { return p.Beyond(flow.Place{Obj: p.Obj}) > 0 },
			func(p flow.Place) bool { return p.Beyond(flow.Place{Obj: p.Obj}) > 1 })
	case sum != nil && !sum.Partial || fn.Fn.Pkg() == f.Pass.Pkg:
		return // its effects include its assignments
	}
	if sel, ok := syntax.Selector(call); ok && f.Pass.TypesInfo.Selections[sel] != nil {
		recv := f.bound(s, sel)
		if recv.OK() && (fn.Fn == nil || syntax.IsReference(syntax.ReceiverOf(fn.Fn))) {
			s.Change(recv)
		}
	}
	loads := fn.Fn != nil && mayLoad(fn.Fn.Name())
	for _, a := range call.Args {
		f.passed(s, a)
		if loads {
			f.mixedUnder(s, a)
		}
	}
}

// passed forgets the places that a function may assign if it is passed e.
func (f *function) passed(s *flow.State, e ast.Expr) {
	if syntax.IsReference(f.TypeOf(e)) {
		if p := f.pointee(s, e); p.OK() {
			s.Change(p)
		}
		return
	}
	if p := f.at(s, e); p.OK() {
		s.Forget(
			func(q flow.Place) bool { return q.Beyond(p) > 0 },
			func(q flow.Place) bool { return q.Beyond(p) > 1 })
	}
}
