package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// at returns the place that e denotes, or none.
func (f *function) at(s *state, e ast.Expr) place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := f.variable(e); v != nil && !f.wild[v] {
			return place{obj: v}
		}
	case *ast.SelectorExpr:
		sel := f.pass.TypesInfo.Selections[e]
		if sel == nil { // a variable of another package
			return f.at(s, e.Sel)
		}
		if sel.Kind() == types.FieldVal {
			p, _ := f.fields(s, f.container(s, e.X), sel.Recv(), sel.Index())
			return p
		}
	case *ast.StarExpr:
		return f.pointee(s, e.X)
	case *ast.IndexExpr:
		key := f.key(e.Index)
		base := f.at(s, e.X)
		if key == "" || !base.ok() {
			return place{}
		}
		switch t := f.typeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Array:
			return place{base.obj, base.way + "[" + key + "]"}
		case *types.Pointer:
			if is[*types.Array](t.Elem()) {
				base = f.pointee(s, e.X)
				return place{base.obj, base.way + "[" + key + "]"}
			}
		}
	}
	return place{}
}

// key returns the key of an element with index e, or "" if e is neither a constant nor a local
// variable.
func (f *function) key(e ast.Expr) string {
	if v := f.constant(e); v != "" {
		return v
	}
	if v := f.variable(e); v != nil && !f.wild[v] && !isGlobal(v) {
		return keyOf(v)
	}
	return ""
}

// fields returns the place that is reached from p, of type t, by the fields with these indices, and
// its type. All but the last are embedded fields.
func (f *function) fields(
	s *state, p place, t types.Type, index []int,
) (place, types.Type) {
	if !p.ok() {
		return place{}, t
	}
	for i, k := range index {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			if i > 0 {
				p = s.follow(p)
			}
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || k >= st.NumFields() {
			return place{}, t
		}
		p.way += "." + st.Field(k).Name()
		t = st.Field(k).Type()
	}
	return p, t
}

// pointee returns the place that e, a pointer or an interface, points to.
func (f *function) pointee(s *state, e ast.Expr) place {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.at(s, e.X)
		}
	case *ast.TypeAssertExpr:
		if e.Type != nil {
			return f.pointee(s, e.X)
		}
	case *ast.CallExpr:
		if f.isConversion(e) {
			return f.pointee(s, e.Args[0])
		}
		effects, fn := f.effects(s, e)
		for _, x := range effects {
			if x.Verb == shares && x.What == result {
				return f.root(s, e, fn, x)
			}
		}
	default:
		if p := f.at(s, e); p.ok() {
			return s.follow(p)
		}
	}
	return place{}
}

// container returns the place of the struct that e is or points to.
func (f *function) container(s *state, e ast.Expr) place {
	if isReference(f.typeOf(e)) {
		return f.pointee(s, e)
	}
	p := f.at(s, e)
	if q, ok := s.points[p]; ok { // a struct that is another way to a container
		return q
	}
	return p
}

// root returns the place of the container of effect x of a call.
func (f *function) root(s *state, call *ast.CallExpr, fn callee, x Effect) place {
	var p place
	if x.Of == receiver {
		p = f.receiver(s, call, fn)
	} else if arg := operand(call, x.Of); arg != nil {
		p = f.container(s, arg)
	}
	if p.ok() && x.Path != "" {
		p = s.walk(p, x.Path)
	}
	return p
}

// receiver returns the place of the receiver of a call.
func (f *function) receiver(s *state, call *ast.CallExpr, fn callee) place {
	if fn.recv.ok() {
		return fn.recv
	}
	sel, ok := selector(call)
	if !ok {
		return place{}
	}
	return f.bound(s, sel)
}

// bound returns the place of the receiver of sel, a method selector.
func (f *function) bound(s *state, sel *ast.SelectorExpr) place {
	m := f.pass.TypesInfo.Selections[sel]
	if m == nil || m.Kind() != types.MethodVal {
		return place{}
	}
	p := f.container(s, sel.X)
	index := m.Index()
	if len(index) <= 1 {
		return p
	}
	p, t := f.fields(s, p, m.Recv(), index[:len(index)-1])
	if p.ok() && isReference(t) {
		return s.follow(p)
	}
	return p
}

// callee returns the callee of a call and its summary, or nil if it has none.
func (f *function) callee(s *state, call *ast.CallExpr) (*Summary, callee) {
	fn, _ := typeutil.Callee(f.pass.TypesInfo, call).(*types.Func)
	if fn != nil {
		if sig := fn.Signature(); sig.Recv() != nil && f.isMethodExpr(call) {
			return nil, callee{fn: fn}
		}
		return f.summary(fn), callee{fn: fn}
	}
	if p := f.at(s, call.Fun); p.ok() {
		if m, ok := s.values[p]; ok {
			return f.summary(m.fn), m
		}
	}
	return nil, callee{}
}

// effects returns the effects of a call and its callee.
func (f *function) effects(s *state, call *ast.CallExpr) ([]Effect, callee) {
	sum, fn := f.callee(s, call)
	if sum == nil {
		return nil, fn
	}
	return sum.Effects, fn
}
