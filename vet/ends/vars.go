package ends

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// vars is the knowledge about the variables of a package that does not depend on control flow.
type vars struct {
	wild     map[*types.Var]bool         // may change at any time, so not tracked
	unstable map[*types.Var]bool         // package variables that functions assign
	literals map[*types.Var]*ast.FuncLit // the only value of a variable
	assigned map[*types.Var]int          // number of assignments
	made     map[*types.Var]bool         // whether the only value is a new container
	clauses  map[ast.Expr]bool           // variables of range clauses
}

// survey collects the knowledge about the variables of the package.
func (c code) survey() vars {
	v := vars{
		map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]*ast.FuncLit{},
		map[*types.Var]int{}, map[*types.Var]bool{}, map[ast.Expr]bool{},
	}
	for _, file := range c.pass.Files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			c.surveyNode(&v, n, stack)
			return true
		})
	}
	for x, n := range v.assigned {
		if n != 1 {
			delete(v.literals, x)
			delete(v.made, x)
		}
	}
	return v
}

// surveyNode adds the knowledge from node n. stack are the nodes around it.
func (c code) surveyNode(v *vars, n ast.Node, stack []ast.Node) {
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
		v.clauses[n.Key], v.clauses[n.Value] = true, true
		c.assignment(v, n.Key, nil, stack)
		c.assignment(v, n.Value, nil, stack)
	case *ast.UnaryExpr:
		x := c.variable(n.X)
		_, passed := stack[len(stack)-1].(*ast.CallExpr)
		if n.Op == token.AND && x != nil && !passed && is[*types.Pointer](x.Type()) {
			v.wild[x] = true
		}
	}
}

// assignment adds an assignment of r to l. r is nil if the value is unknown.
func (c code) assignment(v *vars, l, r ast.Expr, stack []ast.Node) {
	x := c.variable(l)
	if x == nil {
		return
	}
	var lit *ast.FuncLit // the innermost one
	for _, n := range stack {
		if n, ok := n.(*ast.FuncLit); ok {
			lit = n
		}
	}
	v.assigned[x]++
	if isGlobal(x) {
		if lit != nil || c.pass.TypesInfo.Defs[l.(*ast.Ident)] == nil {
			v.unstable[x] = true
		}
		return
	}
	if lit != nil && (x.Pos() < lit.Pos() || lit.End() <= x.Pos()) {
		v.wild[x] = true // a captured variable
	}
	if r == nil {
		return
	}
	v.made[x] = c.constructed(r)
	if lit, ok := ast.Unparen(r).(*ast.FuncLit); ok {
		v.literals[x] = lit
	}
}

// constructed reports whether r makes a new container: &T{}, new(T), or a call of a function whose
// name begins with New and whose arguments contain no seed. Containers of the same seed issue the
// same handles.
func (c code) constructed(r ast.Expr) bool {
	switch r := ast.Unparen(r).(type) {
	case *ast.UnaryExpr:
		_, ok := r.X.(*ast.CompositeLit)
		return ok && r.Op == token.AND && !c.seeded(r)
	case *ast.CallExpr:
		if c.isBuiltin(r, "new") {
			return true
		}
		id, _ := ast.Unparen(r.Fun).(*ast.Ident)
		if sel, ok := selector(r); ok {
			id = sel.Sel
		}
		return id != nil && strings.HasPrefix(id.Name, "New") && !c.seeded(r)
	}
	return false
}

// seeded reports whether e may contain a seed.
func (c code) seeded(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Seed" {
				return true
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				_, literal := ast.Unparen(a).(*ast.CompositeLit)
				if !literal && !is[*types.Basic](c.typeOf(a)) {
					return true // a configuration from elsewhere
				}
			}
		}
	}
	return false
}
