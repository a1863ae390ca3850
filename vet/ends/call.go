package ends

import (
	"go/ast"
)

// called returns the function literals that a call runs before it returns.
func (f *function) called(call *ast.CallExpr, sum *Summary) (lits []*ast.FuncLit) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		lits = append(lits, lit)
	}
	if v := f.variable(call.Fun); v != nil && f.literals[v] != nil {
		lits = append(lits, f.literals[v])
	}
	if sum == nil {
		return lits
	}
	for _, x := range sum.Effects {
		if x.Verb != runs {
			continue
		}
		if lit := f.literal(operand(call, x.Of)); lit != nil {
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
	if v := f.variable(e); v != nil {
		return f.literals[v]
	}
	return nil
}

// runs applies the effects of the calls in a function literal that runs now. Only its effects on
// captured variables matter here, since the literal itself is checked as a function of its own.
func (f *function) runs(s *state, lit *ast.FuncLit) {
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
func (f *function) begin(s *state, call *ast.CallExpr) {
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.Verb == begins {
			x.Verb, x.Kind = ends, endsAll
			f.effect(s, call, fn, x)
		}
	}
}

// effect applies effect x of a call.
func (f *function) effect(s *state, call *ast.CallExpr, fn callee, x Effect) {
	switch x.Verb {
	case asks, ends, revives, clones, sets:
	default:
		return
	}
	root := f.root(s, call, fn, x)
	if !root.ok() {
		return
	}
	switch x.Verb {
	case asks:
		f.ask(s, call, fn, root, x)
	case ends:
		f.deduce(s, call, fn, root, x)
		f.end(s, call, fn, root, x)
	case revives:
		f.deduce(s, call, fn, root, x)
		f.revive(s, call, root)
	case clones:
		if x.What == 0 {
			f.mixed(root)
		}
	case sets:
		f.deduce(s, call, fn, root, x)
		s.change(root)
	}
}

// end ends the loans of root that effect x invalidates.
func (f *function) end(s *state, call *ast.CallExpr, fn callee, root place, x Effect) {
	switch x.Kind {
	case endsOther:
		return
	case endsSome:
		if !reportSome {
			return
		}
	case endsEmptied:
		if x.Maybe {
			return
		}
	}
	var by place
	var key string
	if x.By != 0 {
		by, key = f.named(s, call, fn, x.By)
	}
	if x.Kind == endsSince && !f.isKnownMark(s, by) {
		return
	}
	loop := f.loopOver(s, call, root)
	var gone []place // containers that have lost their memory
	for k, l := range s.loans {
		if l.root != root || l.end != nil {
			continue
		}
		own := by.ok() && (l.by == by || k == by) || key != "" && l.key == key
		hit := true
		switch x.Kind {
		case endsBy:
			hit = own
		case endsSince:
			hit = !l.survives(by.id() + ";")
		case endsAll:
			if hit = x.By == 0 || loop == nil || own && loop.X != nil && !f.isSlice(loop.X); !hit {
				l.pending, l.loop = call, loop
				s.loans[k] = l
			}
		}
		if !hit || l.hollow {
			continue
		}
		l.end, l.how = call, x.Kind
		s.loans[k] = l
		if l.house {
			gone = append(gone, k)
		}
	}
	for _, c := range gone {
		f.endHoused(s, call, x.Kind, c)
	}
}

// endHoused ends the loans of the container at the given place, whose arena has taken its memory
// back.
func (f *function) endHoused(s *state, call *ast.CallExpr, how kind, at place) {
	root := s.follow(at)
	for k, l := range s.loans {
		if l.end == nil && (l.root == root || l.root == at) {
			l.end, l.how = call, how
			s.loans[k] = l
		}
	}
}

// isKnownMark reports whether the loans made since the mark at m are known. They are if the
// function has set the mark, or if the mark is a parameter and so older than all loans.
func (f *function) isKnownMark(s *state, m place) bool {
	if !m.ok() {
		return false
	}
	return s.marked[m] || f.portOf(m) != 0 && m.way == ""
}

// loopOver returns the innermost loop around n over the container at root, or nil. Containers move
// no values during such a loop.
func (f *function) loopOver(s *state, n ast.Node, root place) *ast.RangeStmt {
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
func (f *function) isOver(s *state, r *ast.RangeStmt, root place) bool {
	call, ok := ast.Unparen(r.X).(*ast.CallExpr)
	if !ok {
		l, ok := f.borrowed(s, r.X)
		return ok && l.root == root
	}
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if (x.Verb == lends || x.Verb == issues) && f.root(s, call, fn, x) == root {
			return true
		}
	}
	return false
}

// housed handles a method call on a container that lives in an arena. It reports the call if the
// arena has taken the memory back. Otherwise the container may have memory from now on.
func (f *function) housed(s *state, call *ast.CallExpr, sum *Summary) {
	for _, a := range call.Args { // the callee may revive the container
		f.release(s, a)
	}
	sel, ok := selector(call)
	if !ok || f.pass.TypesInfo.Selections[sel] == nil {
		return
	}
	p := f.at(s, sel.X)
	l, ok := s.loans[p]
	if !ok || !l.house || sum.has(revives) {
		return
	}
	if l.end != nil {
		if f.reporting {
			f.stale(s, sel.X, p, l)
		}
		return
	}
	if len(call.Args) > 0 || sum.has(lends) {
		l.hollow = false // other methods take no memory
		s.loans[p] = l
	}
}

// release forgets that the container e has lost its memory.
func (f *function) release(s *state, e ast.Expr) {
	p := f.at(s, e)
	if l, ok := s.loans[p]; ok && l.house && l.end != nil {
		delete(s.loans, p)
	}
}

// revive makes the container at root usable again after its memory was taken. It has no memory
// then.
func (f *function) revive(s *state, call *ast.CallExpr, root place) {
	for k, l := range s.loans {
		if l.house && (k == root || s.follow(k) == root) {
			if l.end != nil {
				l.end, l.how, l.marks = nil, "", ""
			}
			l.hollow = true
			s.loans[k] = l
		}
	}
}

// mutations forgets the places that a call may assign.
func (f *function) mutations(s *state, call *ast.CallExpr, sum *Summary, fn callee) {
	if f.isConversion(call) || f.isBuiltin(call, "append", "copy", "min", "max", "new", "make") {
		return
	}
	if len(f.unstable) > 0 {
		hit := func(p place) bool { return f.unstable[p.obj] }
		s.forget(hit, hit)
	}
	switch {
	case fn.fn == nil || isInterfaceMethod(fn.fn):
		s.forget(
			func(p place) bool { return p.beyond(place{obj: p.obj}) > 0 },
			func(p place) bool { return p.beyond(place{obj: p.obj}) > 1 })
	case sum != nil || fn.fn.Pkg() == f.pass.Pkg:
		return // its effects include its assignments
	}
	if sel, ok := selector(call); ok && f.pass.TypesInfo.Selections[sel] != nil {
		recv := f.bound(s, sel)
		if recv.ok() && (fn.fn == nil || isReference(receiverOf(fn.fn))) {
			s.change(recv)
		}
	}
	loads := fn.fn != nil && mayLoad(fn.fn.Name())
	for _, a := range call.Args {
		f.passed(s, a)
		if loads {
			f.mixedUnder(s, a)
		}
	}
}

// passed forgets the places that a function may assign if it is passed e.
func (f *function) passed(s *state, e ast.Expr) {
	if isReference(f.typeOf(e)) {
		if p := f.pointee(s, e); p.ok() {
			s.change(p)
		}
		return
	}
	if p := f.at(s, e); p.ok() {
		s.forget(
			func(q place) bool { return q.beyond(p) > 0 },
			func(q place) bool { return q.beyond(p) > 1 })
	}
}
