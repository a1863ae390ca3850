package ends

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// code is the package under analysis. Its methods need only syntax and types.
type code struct{ pass *analysis.Pass }

// line returns the line of n.
func (c code) line(n ast.Node) int { return c.pass.Fset.Position(n.Pos()).Line }

// text returns e as source text on one line.
func (c code) text(e ast.Expr) string {
	text := types.ExprString(e)
	if len(text) > 40 {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			return types.ExprString(call.Fun) + "(…)"
		}
	}
	return text
}

// typeOf returns the type of e, never nil.
func (c code) typeOf(e ast.Expr) types.Type {
	if t := c.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// constant returns the value of a constant expression, or "".
func (c code) constant(e ast.Expr) string {
	tv := c.pass.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() == constant.Unknown {
		return ""
	}
	return tv.Value.ExactString()
}

// variable returns the variable that e denotes, or nil.
func (c code) variable(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := c.pass.TypesInfo.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

func (c code) isNil(e ast.Expr) bool { return c.pass.TypesInfo.Types[e].IsNil() }

func (c code) isConversion(e *ast.CallExpr) bool {
	return len(e.Args) == 1 && c.pass.TypesInfo.Types[e.Fun].IsType()
}

// isMethodExpr reports whether call calls a method expression: T.Method(x).
func (c code) isMethodExpr(call *ast.CallExpr) bool {
	sel, ok := selector(call)
	if !ok {
		return true
	}
	m := c.pass.TypesInfo.Selections[sel]
	return m == nil || m.Kind() != types.MethodVal
}

// isBuiltin reports whether call calls one of the named built-in functions.
func (c code) isBuiltin(call *ast.CallExpr, names ...string) bool {
	b, ok := typeutil.Callee(c.pass.TypesInfo, call).(*types.Builtin)
	return ok && slices.Contains(names, b.Name())
}

// isEmptySlice reports whether e is x[:0], which uses no element of x.
func (c code) isEmptySlice(e *ast.SliceExpr) bool {
	return e.Low == nil && e.High != nil && c.constant(e.High) == "0"
}

// selector returns the selector expression that call calls, without type arguments.
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

// operand returns the argument at port p, or nil.
func operand(call *ast.CallExpr, p port) ast.Expr {
	if i := int(p - param); param <= p && i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}

func isComparison(op token.Token) bool { return op == token.EQL || op == token.NEQ }

func isGlobal(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func isInterfaceMethod(fn *types.Func) bool { return types.IsInterface(receiverOf(fn)) }

func receiverOf(fn *types.Func) types.Type {
	if r := fn.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// receiverType returns the name of a method's receiver type, or nil.
func receiverType(fn *types.Func) types.Object {
	if n, ok := deref(receiverOf(fn)).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// isSlice reports whether e is a slice.
func (c code) isSlice(e ast.Expr) bool { return is[*types.Slice](c.typeOf(e)) }

// is reports whether the underlying type of t is a T.
func is[T types.Type](t types.Type) bool {
	_, ok := t.Underlying().(T)
	return ok
}

func isSliceOfPointers(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && is[*types.Pointer](sl.Elem())
}

// isReference reports whether t is a pointer or an interface.
func isReference(t types.Type) bool {
	return is[*types.Pointer](t) || types.IsInterface(t)
}

// canHold reports whether a variable of type t can hold a loan.
func canHold(t types.Type) bool {
	return is[*types.Pointer](t) || is[*types.Slice](t) || is[*types.Signature](t)
}

// isHandle reports whether t may be a handle or a key. The analyzer tracks copies of such values.
func isHandle(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	return ok && types.Comparable(t) && st.NumFields() <= 4 || is[*types.Basic](t)
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
