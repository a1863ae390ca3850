package syntax

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// Code is the package under analysis. Its methods need only syntax and types.
type Code struct{ Pass *analysis.Pass }

// Line returns the line of n.
func (c Code) Line(n ast.Node) int { return c.Pass.Fset.Position(n.Pos()).Line }

// Text returns e as source text on one line.
func (c Code) Text(e ast.Expr) string {
	text := types.ExprString(e)
	if len(text) > 40 {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			return types.ExprString(call.Fun) + "(…)"
		}
	}
	return text
}

// TypeOf returns the type of e, never nil.
func (c Code) TypeOf(e ast.Expr) types.Type {
	if t := c.Pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// Constant returns the value of a constant expression, or "".
func (c Code) Constant(e ast.Expr) string {
	tv := c.Pass.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() == constant.Unknown {
		return ""
	}
	return tv.Value.ExactString()
}

// Variable returns the variable that e denotes, or nil.
func (c Code) Variable(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := c.Pass.TypesInfo.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

func (c Code) IsNil(e ast.Expr) bool { return c.Pass.TypesInfo.Types[e].IsNil() }

func (c Code) IsConversion(e *ast.CallExpr) bool {
	return len(e.Args) == 1 && c.Pass.TypesInfo.Types[e.Fun].IsType()
}

// KeepsMemory reports whether e is a conversion that copies nothing. One between a slice and a
// string copies the bytes, and so does one from a slice to an array.
func (c Code) KeepsMemory(e *ast.CallExpr) bool {
	if !c.IsConversion(e) {
		return false
	}
	for _, x := range []ast.Expr{e, e.Args[0]} {
		switch t := c.TypeOf(x).Underlying().(type) {
		case *types.Array:
			return false
		case *types.Basic:
			if t.Kind() != types.UnsafePointer {
				return false
			}
		}
	}
	return true
}

// IsMethodExpr reports whether call calls a method expression: T.Method(x).
func (c Code) IsMethodExpr(call *ast.CallExpr) bool {
	sel, ok := Selector(call)
	if !ok {
		return true
	}
	m := c.Pass.TypesInfo.Selections[sel]
	return m == nil || m.Kind() != types.MethodVal
}

// IsBuiltin reports whether call calls one of the named built-in functions.
func (c Code) IsBuiltin(call *ast.CallExpr, names ...string) bool {
	b, ok := typeutil.Callee(c.Pass.TypesInfo, call).(*types.Builtin)
	return ok && slices.Contains(names, b.Name())
}

// IsEmptySlice reports whether e is x[:0], which uses no element of x.
func (c Code) IsEmptySlice(e *ast.SliceExpr) bool {
	return e.Low == nil && e.High != nil && c.Constant(e.High) == "0"
}

// Selector returns the selector expression that call calls, without type arguments.
func Selector(call *ast.CallExpr) (*ast.SelectorExpr, bool) {
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

func IsBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}

func IsComparison(op token.Token) bool { return op == token.EQL || op == token.NEQ }

func IsGlobal(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func IsInterfaceMethod(fn *types.Func) bool { return types.IsInterface(ReceiverOf(fn)) }

func ReceiverOf(fn *types.Func) types.Type {
	if r := fn.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// ReceiverType returns the name of a method's receiver type, or nil.
func ReceiverType(fn *types.Func) types.Object {
	if n, ok := Deref(ReceiverOf(fn)).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// IsSlice reports whether e is a slice.
func (c Code) IsSlice(e ast.Expr) bool { return Is[*types.Slice](c.TypeOf(e)) }

// Is reports whether the underlying type of t is a T.
func Is[T types.Type](t types.Type) bool {
	_, ok := t.Underlying().(T)
	return ok
}

func IsSliceOfPointers(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && (Is[*types.Pointer](sl.Elem()) || Is[*types.Slice](sl.Elem()))
}

// IsReference reports whether t is a pointer or an interface.
func IsReference(t types.Type) bool {
	return Is[*types.Pointer](t) || types.IsInterface(t)
}

// CanHold reports whether a variable of type t can hold a loan.
func CanHold(t types.Type) bool {
	return Is[*types.Pointer](t) || Is[*types.Slice](t) || Is[*types.Signature](t)
}

// IsHandle reports whether t may be a handle or a key. The analyzer tracks copies of such values.
func IsHandle(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	return ok && types.Comparable(t) && st.NumFields() <= 4 || Is[*types.Basic](t)
}

func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
