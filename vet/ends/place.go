package ends

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A place is where a value is stored: a variable, and the way from it to a part.
// The way consists of fields (".f"), pointers ("*") and elements ("[k]"). The key of an element is
// a constant or the position of a variable.
type place struct {
	obj *types.Var
	way string
}

func (p place) ok() bool { return p.obj != nil }

// pointee returns the place that a pointer at p points to.
func (p place) pointee() place { return place{p.obj, p.way + "*"} }

// id identifies p in strings.
func (p place) id() string { return strconv.Itoa(int(p.obj.Pos())) + p.way }

// String returns p as code, approximately.
func (p place) String() string {
	way := strings.ReplaceAll(p.way, "*", "")
	if i := strings.IndexByte(way, '['); i >= 0 {
		way = way[:i] + "[…]"
	}
	return p.obj.Name() + way
}

// under reports whether p is q or a part of it.
func (p place) under(q place) bool {
	if p.obj != q.obj || !strings.HasPrefix(p.way, q.way) {
		return false
	}
	return len(p.way) == len(q.way) || strings.IndexByte(".*[", p.way[len(q.way)]) >= 0
}

// beyond returns the number of pointers and elements on the way from q to p, or -1 if p is no part
// of q.
func (p place) beyond(q place) int {
	if !p.under(q) {
		return -1
	}
	way := p.way[len(q.way):]
	return strings.Count(way, "*") + strings.Count(way, "[")
}

// indexes reports whether p is an element whose key is variable v.
func (p place) indexes(v *types.Var) bool {
	return strings.Contains(p.way, "["+keyOf(v)+"]")
}

func keyOf(v *types.Var) string { return "@" + strconv.Itoa(int(v.Pos())) }

// at returns the place of an expression that denotes a variable or a part of one, or none.
func (f *function) at(s *state, e ast.Expr) place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := f.pass.TypesInfo.ObjectOf(e).(*types.Var); ok && !f.wild[v] {
			return place{obj: v}
		}
	case *ast.SelectorExpr:
		sel := f.pass.TypesInfo.Selections[e]
		if sel == nil { // a variable of another package
			return f.at(s, e.Sel)
		}
		if sel.Kind() == types.FieldVal {
			return f.fields(s, f.container(s, e.X), sel.Recv(), sel.Index())
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
			if _, ok := t.Elem().Underlying().(*types.Array); ok {
				base = f.pointee(s, e.X)
				return place{base.obj, base.way + "[" + key + "]"}
			}
		}
	}
	return place{}
}

// typeOf returns the type of e, never nil.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// key returns the key of an element, or "" if it is neither a constant nor a local variable.
func (f *function) key(e ast.Expr) string {
	if v := f.constant(e); v != "" {
		return v
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := f.pass.TypesInfo.ObjectOf(id).(*types.Var); ok && !f.wild[v] && !isGlobal(v) {
			return keyOf(v)
		}
	}
	return ""
}

// constant returns the value of a constant expression, or "".
func (c *checker) constant(e ast.Expr) string {
	tv := c.pass.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() == constant.Unknown {
		return ""
	}
	return tv.Value.ExactString()
}

// fields follows the fields with these indices, the last ones of embedded structs included.
func (f *function) fields(s *state, p place, t types.Type, index []int) place {
	if !p.ok() {
		return place{}
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
			return place{}
		}
		p.way += "." + st.Field(k).Name()
		t = st.Field(k).Type()
	}
	return p
}

// follow returns the place that the pointer at p points to.
func (s *state) follow(p place) place {
	if q, ok := s.points[p]; ok {
		return q
	}
	return p.pointee()
}

// pointee returns the place that the value of e, a pointer or an interface, points to.
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
		sum, fn := f.callee(s, e)
		if sum == nil {
			return place{}
		}
		for _, x := range sum.Effects {
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

func (c *checker) isConversion(e *ast.CallExpr) bool {
	return len(e.Args) == 1 && c.pass.TypesInfo.Types[e.Fun].IsType()
}

// container returns the place of a struct that e is or points to.
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

// isReference reports whether values of type t are pointers or interfaces.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
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

// walk follows a way, and with it the pointers that s knows.
func (s *state) walk(p place, way string) place {
	for i := 0; i < len(way); {
		if way[i] == '*' {
			p = s.follow(p)
			i++
			continue
		}
		j := i + 1
		for j < len(way) && way[j] != '.' && way[j] != '*' && way[j] != '[' {
			j++
		}
		p.way += way[i:j]
		i = j
	}
	return p
}

// A callee is the function of a call. For the call of a method value, recv is its receiver.
type callee struct {
	fn   *types.Func
	recv place
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

// bound returns the place of the receiver of a method selector: that of x.method.
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
	p = f.fields(s, p, m.Recv(), index[:len(index)-1])
	if p.ok() && isReference(embedded(m.Recv(), index[:len(index)-1])) {
		return s.follow(p)
	}
	return p
}

// embedded returns the type of the field with these indices.
func embedded(t types.Type, index []int) types.Type {
	for _, k := range index {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || k >= st.NumFields() {
			return types.Typ[types.Invalid]
		}
		t = st.Field(k).Type()
	}
	return t
}

// selector returns the method selector of a call.
func selector(call *ast.CallExpr) (*ast.SelectorExpr, bool) {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	sel, ok := fun.(*ast.SelectorExpr)
	return sel, ok
}

// operand returns the argument at p, or nil.
func operand(call *ast.CallExpr, p port) ast.Expr {
	if i := int(p - param); param <= p && i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// callee returns the summary of the function that is called, or nil if none is known.
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

// isMethodExpr reports whether a call is that of a method expression: T.Method(x).
func (c *checker) isMethodExpr(call *ast.CallExpr) bool {
	sel, ok := selector(call)
	if !ok {
		return true
	}
	m := c.pass.TypesInfo.Selections[sel]
	return m == nil || m.Kind() != types.MethodVal
}

func isGlobal(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}
