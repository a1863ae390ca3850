package syntax

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Vars is the knowledge about the variables of a package that does not depend on control flow.
type Vars struct {
	Wild     map[*types.Var]bool         // may change at any time, so not tracked
	Unstable map[*types.Var]bool         // package variables that functions assign
	Literals map[*types.Var]*ast.FuncLit // the only value of a variable
	Assigned map[*types.Var]int          // number of assignments
	Made     map[*types.Var]bool         // whether the only value is a new container
	Clauses  map[ast.Expr]bool           // variables of range clauses
}

// Survey collects the knowledge about the variables of the package.
func (c Code) Survey() Vars {
	v := Vars{
		map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]*ast.FuncLit{},
		map[*types.Var]int{}, map[*types.Var]bool{}, map[ast.Expr]bool{},
	}
	for _, file := range c.Pass.Files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			c.surveyNode(&v, n, stack)
			return true
		})
	}
	for x, n := range v.Assigned {
		if n != 1 {
			delete(v.Literals, x)
			delete(v.Made, x)
		}
	}
	return v
}

// surveyNode adds the knowledge from node n. stack are the nodes around it.
func (c Code) surveyNode(v *Vars, n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			var r ast.Expr
			if len(n.Lhs) == len(n.Rhs) {
				r = n.Rhs[i]
			}
			c.assignment(v, l, r, stack)
		}
	case *ast.ValueSpec:
		for i, l := range n.Names {
			if i < len(n.Values) {
				c.assignment(v, l, n.Values[i], stack)
			}
		}
	case *ast.IncDecStmt:
		c.assignment(v, n.X, nil, stack)
	case *ast.RangeStmt:
		v.Clauses[n.Key], v.Clauses[n.Value] = true, true
		c.assignment(v, n.Key, nil, stack)
		c.assignment(v, n.Value, nil, stack)
	case *ast.UnaryExpr:
		x := c.Variable(n.X)
		_, passed := stack[len(stack)-1].(*ast.CallExpr)
		if n.Op == token.AND && x != nil && !passed && Is[*types.Pointer](x.Type()) {
			v.Wild[x] = true
		}
	}
}

// assignment adds an assignment of r to l. r is nil if the value is unknown.
func (c Code) assignment(v *Vars, l, r ast.Expr, stack []ast.Node) {
	x := c.Variable(l)
	if x == nil {
		return
	}
	var lit *ast.FuncLit // the innermost one
	for _, n := range stack {
		if n, ok := n.(*ast.FuncLit); ok {
			lit = n
		}
	}
	v.Assigned[x]++
	if IsGlobal(x) {
		if c.Pass.TypesInfo.Defs[ast.Unparen(l).(*ast.Ident)] == nil {
			v.Unstable[x] = true
		}
		return
	}
	if lit != nil && (x.Pos() < lit.Pos() || lit.End() <= x.Pos()) {
		v.Wild[x] = true // a captured variable
	}
	if r == nil {
		return
	}
	v.Made[x] = c.constructed(r)
	if lit, ok := ast.Unparen(r).(*ast.FuncLit); ok {
		v.Literals[x] = lit
	}
}

// constructed reports whether r makes a new container: &T{}, new(T), or a call of a function whose
// name begins with New and whose arguments contain no seed. Containers of the same seed issue the
// same handles.
func (c Code) constructed(r ast.Expr) bool {
	switch r := ast.Unparen(r).(type) {
	case *ast.UnaryExpr:
		_, ok := r.X.(*ast.CompositeLit)
		return ok && r.Op == token.AND && !c.seeded(r)
	case *ast.CallExpr:
		if c.IsBuiltin(r, "new") {
			return true
		}
		id, _ := ast.Unparen(r.Fun).(*ast.Ident)
		if sel, ok := Selector(r); ok {
			id = sel.Sel
		}
		return id != nil && strings.HasPrefix(id.Name, "New") && !c.seeded(r)
	}
	return false
}

// seeded reports whether e may contain a seed.
func (c Code) seeded(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Seed" {
				return true
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				_, literal := ast.Unparen(a).(*ast.CompositeLit)
				if !literal && !Is[*types.Basic](c.TypeOf(a)) {
					return true // a configuration from elsewhere
				}
			}
		}
	}
	return false
}
