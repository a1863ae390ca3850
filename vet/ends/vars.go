package ends

import (
	"go/ast"
	"go/token"
	"go/types"
)

// vars is what is known of the variables of a package without following control flow.
type vars struct {
	wild     map[*types.Var]bool         // may change at any time, so nothing is known of them
	unstable map[*types.Var]bool         // variables of the package that functions assign
	literals map[*types.Var]*ast.FuncLit // the only value that a variable has
	assigned map[*types.Var]int          // how often a variable is assigned
	made     map[*types.Var]bool         // the only value that it has is a new container
	clauses  map[ast.Expr]bool           // variables of range clauses
}

// survey finds what is known of the variables of the package.
func (c code) survey() vars {
	v := vars{
		map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]*ast.FuncLit{},
		map[*types.Var]int{}, map[*types.Var]bool{}, map[ast.Expr]bool{},
	}
	for _, file := range c.pass.Files {
		var lits []*ast.FuncLit // those around a node
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if _, ok := last.(*ast.FuncLit); ok {
					lits = lits[:len(lits)-1]
				}
				return false
			}
			c.surveyNode(&v, n, stack, lits)
			stack = append(stack, n)
			if lit, ok := n.(*ast.FuncLit); ok {
				lits = append(lits, lit)
			}
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

// surveyNode adds what node n shows. It is within stack, and within the function literals lits.
func (c code) surveyNode(v *vars, n ast.Node, stack []ast.Node, lits []*ast.FuncLit) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			var r ast.Expr
			if len(n.Lhs) == len(n.Rhs) {
				r = n.Rhs[i]
			}
			c.assignment(v, l, r, lits)
		}
	case *ast.ValueSpec:
		for i, l := range n.Names {
			if i < len(n.Values) {
				c.assignment(v, l, n.Values[i], lits)
			}
		}
	case *ast.IncDecStmt:
		c.assignment(v, n.X, nil, lits)
	case *ast.RangeStmt:
		for _, x := range []ast.Expr{n.Key, n.Value} {
			if x != nil {
				v.clauses[x] = true
				c.assignment(v, x, nil, lits)
			}
		}
	case *ast.UnaryExpr:
		x := c.variable(n.X)
		if n.Op != token.AND || x == nil || isCall(stack) {
			return
		}
		if _, ok := x.Type().Underlying().(*types.Pointer); ok {
			v.wild[x] = true
		}
	}
}

// isCall reports whether the innermost node of stack is a call.
func isCall(stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	_, ok := stack[len(stack)-1].(*ast.CallExpr)
	return ok
}

// assignment adds that l is assigned r, or something else if r is nil.
func (c code) assignment(v *vars, l, r ast.Expr, lits []*ast.FuncLit) {
	x := c.variable(l)
	if x == nil {
		return
	}
	v.assigned[x]++
	if isGlobal(x) {
		if len(lits) > 0 || c.pass.TypesInfo.Defs[l.(*ast.Ident)] == nil {
			v.unstable[x] = true
		}
		return
	}
	if len(lits) > 0 {
		if lit := lits[len(lits)-1]; x.Pos() < lit.Pos() || lit.End() <= x.Pos() {
			v.wild[x] = true // a captured variable
		}
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
		sel, _ := selector(r)
		var id *ast.Ident
		if sel != nil {
			id = sel.Sel
		} else if x, ok := ast.Unparen(r.Fun).(*ast.Ident); ok {
			id = x
		}
		return id != nil && len(id.Name) >= 3 && id.Name[:3] == "New" && !c.seeded(r)
	}
	return false
}

// seeded reports whether e may contain a seed.
func (c code) seeded(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Seed" {
				found = true
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				if _, ok := c.typeOf(a).Underlying().(*types.Basic); !ok {
					if _, ok := ast.Unparen(a).(*ast.CompositeLit); !ok {
						found = true // a configuration from elsewhere
					}
				}
			}
		}
		return !found
	})
	return found
}
