package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// assignStmt evaluates an assignment statement.
func (f *function) assignStmt(s *flow.State, n *ast.AssignStmt) {
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
	if len(n.Lhs) == len(n.Rhs) {
		for i, l := range n.Lhs {
			f.keeps(s, l, n.Rhs[i])
		}
	}
	f.assign(s, n.Lhs, n.Rhs)
}

// A binding is the new contents of a place.
type binding struct {
	at     flow.Place
	loan   flow.Loan
	parts  flow.Loan     // the loan of the pointers in a struct
	fields *types.Struct // the type of that struct
	issuer flow.Place    // the container that issued the handle
	same   flow.Place    // the variable from which it is copied
	points flow.Place    // the target of the pointer
	method flow.Callee   // the method value
	mark   flow.Place    // the container of the mark
}

// assign assigns rhs to lhs. All of rhs is evaluated before any of lhs is assigned.
func (f *function) assign(s *flow.State, lhs, rhs []ast.Expr) {
	var all []binding
	for i, l := range lhs {
		at := f.at(s, l)
		if syntax.IsBlank(l) || !at.OK() {
			continue
		}
		switch {
		case len(rhs) == len(lhs):
			all = append(all, f.bind(s, at, l, rhs[i])...)
		case len(rhs) == 1:
			b := binding{at: at}
			switch r := ast.Unparen(rhs[0]).(type) {
			case *ast.CallExpr:
				f.bindResult(s, &b, lhs, r, rule.Result+rule.Port(i))
			case *ast.TypeAssertExpr:
				if i == 0 {
					b.points = f.pointee(s, r)
				}
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
func (f *function) store(s *flow.State, b binding) {
	if b.loan.From != nil {
		flow.Put(&s.Loans, b.at, b.loan)
	}
	if b.fields != nil {
		for field := range b.fields.Fields() {
			if syntax.CanHold(field.Type()) {
				at := flow.Place{Obj: b.at.Obj, Way: b.at.Way + "." + field.Name()}
				flow.Put(&s.Loans, at, b.parts)
			}
		}
	}
	if b.issuer.OK() {
		flow.Put(&s.Issued, b.at, b.issuer)
	}
	if b.same.OK() && b.same != b.at {
		flow.Put(&s.Same, b.at, b.same)
	}
	if b.points.OK() && !b.points.Under(b.at) {
		flow.Put(&s.Points, b.at, b.points)
	}
	if b.method.Fn != nil {
		flow.Put(&s.Values, b.at, b.method)
	}
	if b.mark.OK() {
		flow.Put(&s.Marked, b.at, true)
		for k, l := range s.Loans {
			if l.Root == b.mark && !l.Survives(b.at.Id()+";") {
				l.Marks += b.at.Id() + ";"
				s.Loans[k] = l
			}
		}
	}
}

// bind returns the bindings of an assignment of r to l, which is at the given place: one for the
// place, and one for each field that a composite literal sets.
func (f *function) bind(s *flow.State, at flow.Place, l, r ast.Expr) []binding {
	b := binding{at: at}
	switch x := ast.Unparen(r).(type) {
	case *ast.CallExpr:
		if !f.IsConversion(x) {
			f.bindResult(s, &b, []ast.Expr{l}, x, rule.Result)
			return []binding{b}
		}
	case *ast.CompositeLit:
		return append(f.bindFields(s, at, x), b)
	case *ast.SelectorExpr:
		if sel := f.Pass.TypesInfo.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			if fn, ok := sel.Obj().(*types.Func); ok {
				if recv := f.bound(s, x); recv.OK() {
					b.method = flow.Callee{Fn: fn, Recv: recv}
				}
			}
			return []binding{b}
		}
	}
	if ln, ok := f.borrowed(s, r); ok && syntax.CanHold(f.TypeOf(l)) {
		b.loan = ln
	}
	if syntax.IsReference(f.TypeOf(r)) || f.IsSlice(r) {
		b.points = f.pointee(s, r)
	} else if from := f.at(s, r); from.OK() && syntax.IsHandle(f.TypeOf(r)) {
		b.same = s.Identity(from)
		b.issuer = s.Issued[from]
	}
	if from := f.at(s, r); from.OK() && s.Values[from].Fn != nil {
		b.method = s.Values[from]
	}
	return []binding{b}
}

// bindFields returns the bindings of the fields of a composite literal.
func (f *function) bindFields(s *flow.State, at flow.Place, lit *ast.CompositeLit) (all []binding) {
	if !syntax.Is[*types.Struct](f.TypeOf(lit)) {
		return nil
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			field := flow.Place{Obj: at.Obj, Way: at.Way + "." + id.Name}
			all = append(all, f.bind(s, field, kv.Value, kv.Value)...)
		}
	}
	return all
}

// bindResult adds to b the effects of a call on the result at port at. vars are the variables that
// the results are assigned to.
func (f *function) bindResult(
	s *flow.State, b *binding, vars []ast.Expr, call *ast.CallExpr, at rule.Port,
) {
	if f.IsBuiltin(call, "append") {
		b.loan, _ = f.borrowed(s, call)
		f.refilled(s, b, call)
		return
	}
	v := vars[(at-rule.Result)%(rule.Yielded-rule.Result)]
	if l, ok := f.lent(s, call, at, vars); ok {
		if t := f.TypeOf(v); l.House || syntax.CanHold(t) {
			b.loan = l
		} else {
			b.parts = l
			b.fields, _ = t.Underlying().(*types.Struct)
		}
	}
	effects, fn := f.effects(s, call)
	for _, x := range effects {
		if x.What != at {
			continue
		}
		switch x.Verb {
		case rule.Issues:
			b.issuer = f.root(s, call, fn, x)
		case rule.Marks:
			b.mark = f.root(s, call, fn, x)
		case rule.Shares:
			b.points = f.root(s, call, fn, x)
		case rule.Clones:
			f.mixed(b.at, f.root(s, call, fn, x))
		}
	}
}
