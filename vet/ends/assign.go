package ends

import (
	"go/ast"
	"go/token"
	"go/types"
)

// assignStmt evaluates an assignment statement.
func (f *function) assignStmt(s *state, n *ast.AssignStmt) {
	f.reads(s, n.Rhs)
	for _, l := range n.Lhs {
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			f.read(s, l) // x += 1 reads x
			continue
		}
		f.target(s, l)
	}
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		f.overwrite(s, n.Lhs[0])
		return
	}
	f.assign(s, n.Lhs, n.Rhs)
}

// A binding is the new contents of a place.
type binding struct {
	at     place
	loan   loan
	parts  loan   // the loan of the pointers in a struct
	issuer place  // the container that issued the handle
	same   place  // the variable from which it is copied
	points place  // the target of the pointer
	method callee // the method value
	mark   place  // the container of the mark
}

// assign assigns rhs to lhs. All of rhs is evaluated before any of lhs is assigned.
func (f *function) assign(s *state, lhs, rhs []ast.Expr) {
	var all []binding
	for i, l := range lhs {
		at := f.at(s, l)
		if isBlank(l) || !at.ok() {
			continue
		}
		switch {
		case len(rhs) == len(lhs):
			all = append(all, f.bind(s, at, l, rhs[i])...)
		case len(rhs) == 1:
			b := binding{at: at}
			if call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr); ok {
				f.bindResult(s, &b, lhs, call, result+port(i))
			}
			all = append(all, b)
		default: // var x T
			all = append(all, binding{at: at})
		}
	}
	for _, l := range lhs {
		f.overwrite(s, l)
	}
	for _, b := range all {
		f.store(s, b)
	}
	if len(rhs) == 1 {
		f.copied(lhs[0], rhs[0])
	}
}

// store records a binding in s.
func (f *function) store(s *state, b binding) {
	if b.loan.from != nil {
		put(&s.loans, b.at, b.loan)
	}
	st, ok := b.at.obj.Type().Underlying().(*types.Struct)
	if ok && b.parts.from != nil && b.at.way == "" {
		for field := range st.Fields() {
			if canHold(field.Type()) {
				put(&s.loans, place{b.at.obj, b.at.way + "." + field.Name()}, b.parts)
			}
		}
	}
	if b.issuer.ok() {
		put(&s.issued, b.at, b.issuer)
	}
	if b.same.ok() && b.same != b.at {
		put(&s.same, b.at, b.same)
	}
	if b.points.ok() && !b.points.under(b.at) {
		put(&s.points, b.at, b.points)
	}
	if b.method.fn != nil {
		put(&s.values, b.at, b.method)
	}
	if b.mark.ok() {
		put(&s.marked, b.at, true)
		for k, l := range s.loans {
			if l.root == b.mark && !l.survives(b.at.id()+";") {
				l.marks += b.at.id() + ";"
				s.loans[k] = l
			}
		}
	}
}

// bind returns the bindings of an assignment of r to l, which is at the given place: one for the
// place, and one for each field that a composite literal sets.
func (f *function) bind(s *state, at place, l, r ast.Expr) []binding {
	b := binding{at: at}
	switch x := ast.Unparen(r).(type) {
	case *ast.CallExpr:
		if !f.isConversion(x) {
			f.bindResult(s, &b, []ast.Expr{l}, x, result)
			return []binding{b}
		}
	case *ast.CompositeLit:
		return append(f.bindFields(s, at, x), b)
	case *ast.SelectorExpr:
		if sel := f.pass.TypesInfo.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			if fn, ok := sel.Obj().(*types.Func); ok {
				if recv := f.bound(s, x); recv.ok() {
					b.method = callee{fn, recv}
				}
			}
			return []binding{b}
		}
	}
	if ln, ok := f.borrowed(s, r); ok && canHold(f.typeOf(l)) {
		b.loan = ln
	}
	if isReference(f.typeOf(r)) {
		b.points = f.pointee(s, r)
	} else if from := f.at(s, r); from.ok() && isHandle(f.typeOf(r)) {
		b.same = s.identity(from)
		b.issuer = s.issued[from]
	}
	if from := f.at(s, r); from.ok() && s.values[from].fn != nil {
		b.method = s.values[from]
	}
	return []binding{b}
}

// bindFields returns the bindings of the fields of a composite literal.
func (f *function) bindFields(s *state, at place, lit *ast.CompositeLit) (all []binding) {
	if !is[*types.Struct](f.typeOf(lit)) {
		return nil
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			field := place{at.obj, at.way + "." + id.Name}
			all = append(all, f.bind(s, field, kv.Value, kv.Value)...)
		}
	}
	return all
}

// bindResult adds to b the effects of a call on the result at port at. vars are the variables that
// the results are assigned to.
func (f *function) bindResult(
	s *state, b *binding, vars []ast.Expr, call *ast.CallExpr, at port,
) {
	if f.isBuiltin(call, "append") {
		b.loan, _ = f.borrowed(s, call)
		return
	}
	v := vars[(at-result)%(yielded-result)]
	if l, ok := f.lent(s, call, at, vars); ok {
		switch {
		case l.house || canHold(f.typeOf(v)):
			b.loan = l
		case is[*types.Struct](f.typeOf(v)):
			b.parts = l
		}
	}
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.What != at {
			continue
		}
		switch x.Verb {
		case issues:
			b.issuer = f.root(s, call, fn, x)
		case marks:
			b.mark = f.root(s, call, fn, x)
		case shares:
			b.points = f.root(s, call, fn, x)
		case clones:
			f.mixed(b.at, f.root(s, call, fn, x))
		}
	}
}
