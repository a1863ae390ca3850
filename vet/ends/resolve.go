package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// at returns the place that e denotes, or none.
func (f *function) at(s *flow.State, e ast.Expr) flow.Place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := f.Variable(e); v != nil && !f.Wild[v] {
			return flow.Place{Obj: v}
		}
	case *ast.SelectorExpr:
		sel := f.Pass.TypesInfo.Selections[e]
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
		if key == "" || !base.OK() {
			return flow.Place{}
		}
		switch t := f.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Array:
			return flow.Place{Obj: base.Obj, Way: base.Way + "[" + key + "]"}
		case *types.Pointer:
			if syntax.Is[*types.Array](t.Elem()) {
				base = f.pointee(s, e.X)
				return flow.Place{Obj: base.Obj, Way: base.Way + "[" + key + "]"}
			}
		}
	}
	return flow.Place{}
}

// key returns the key of an element with index e, or "" if e is neither a constant nor a local
// variable.
func (f *function) key(e ast.Expr) string {
	if v := f.Constant(e); v != "" {
		return v
	}
	if v := f.Variable(e); v != nil && !f.Wild[v] && !syntax.IsGlobal(v) {
		return flow.KeyOf(v)
	}
	return ""
}

// fields returns the place that is reached from p, of type t, by the fields with these indices, and
// its type. All but the last are embedded fields.
func (f *function) fields(
	s *flow.State, p flow.Place, t types.Type, index []int,
) (flow.Place, types.Type) {
	if !p.OK() {
		return flow.Place{}, t
	}
	for i, k := range index {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			if i > 0 {
				p = s.Follow(p)
			}
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || k >= st.NumFields() {
			return flow.Place{}, t
		}
		p.Way += "." + st.Field(k).Name()
		t = st.Field(k).Type()
	}
	return p, t
}

// pointee returns the place that e, a pointer or an interface, points to.
func (f *function) pointee(s *flow.State, e ast.Expr) flow.Place {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.at(s, e.X)
		}
	case *ast.TypeAssertExpr:
		return f.pointee(s, e.X)
	case *ast.SliceExpr:
		if syntax.Is[*types.Array](f.TypeOf(e.X)) {
			return f.at(s, e.X)
		}
		return f.pointee(s, e.X)
	case *ast.CallExpr:
		if f.KeepsMemory(e) {
			return f.pointee(s, e.Args[0])
		}
		effects, fn := f.effects(s, e)
		for _, x := range effects {
			same := x.Verb == rule.Shares || x.Verb == rule.Lends && x.Strict
			if same && x.What == rule.Result {
				return f.root(s, e, fn, x)
			}
		}
	default:
		if p := f.at(s, e); p.OK() {
			return s.Follow(p)
		}
	}
	return flow.Place{}
}

// container returns the place of the struct that e is or points to.
func (f *function) container(s *flow.State, e ast.Expr) flow.Place {
	if syntax.IsReference(f.TypeOf(e)) {
		return f.pointee(s, e)
	}
	p := f.at(s, e)
	if q, ok := s.Points[p]; ok { // a struct that is another way to a container
		return q
	}
	return p
}

// root returns the place of the container of effect x of a call.
func (f *function) root(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, x rule.Effect,
) flow.Place {
	var p flow.Place
	if x.Of == rule.Receiver {
		p = f.receiver(s, call, fn)
	} else if arg := rule.Operand(call, x.Of); arg != nil {
		p = f.container(s, arg)
	}
	if p.OK() && x.Path != "" {
		p = s.Walk(p, x.Path)
	}
	return p
}

// receiver returns the place of the receiver of a call.
func (f *function) receiver(s *flow.State, call *ast.CallExpr, fn flow.Callee) flow.Place {
	if fn.Recv.OK() {
		return fn.Recv
	}
	sel, ok := syntax.Selector(call)
	if !ok {
		return flow.Place{}
	}
	return f.bound(s, sel)
}

// bound returns the place of the receiver of sel, a method selector.
func (f *function) bound(s *flow.State, sel *ast.SelectorExpr) flow.Place {
	m := f.Pass.TypesInfo.Selections[sel]
	if m == nil || m.Kind() != types.MethodVal {
		return flow.Place{}
	}
	p := f.container(s, sel.X)
	index := m.Index()
	if len(index) <= 1 {
		return p
	}
	p, t := f.fields(s, p, m.Recv(), index[:len(index)-1])
	if p.OK() && syntax.IsReference(t) {
		return s.Follow(p)
	}
	return p
}

// callee returns the callee of a call and its summary, or nil if it has none.
func (f *function) callee(s *flow.State, call *ast.CallExpr) (*rule.Summary, flow.Callee) {
	fn, _ := typeutil.Callee(f.Pass.TypesInfo, call).(*types.Func)
	if fn != nil {
		if sig := fn.Signature(); sig.Recv() != nil && f.IsMethodExpr(call) {
			return nil, flow.Callee{Fn: fn}
		}
		return f.summary(fn), flow.Callee{Fn: fn}
	}
	if p := f.at(s, call.Fun); p.OK() {
		if m, ok := s.Values[p]; ok {
			return f.summary(m.Fn), m
		}
	}
	return nil, flow.Callee{}
}

// effects returns the effects of a call and its callee.
func (f *function) effects(s *flow.State, call *ast.CallExpr) ([]rule.Effect, flow.Callee) {
	sum, fn := f.callee(s, call)
	if sum == nil {
		return nil, fn
	}
	return sum.Effects, fn
}
