package syntax

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// NoReturn is the fact of a function that never returns, such as os.Exit. Code after a call of it
// is not reached on that path.
//
// Package ctrlflow of x/tools has the same fact. It builds the control-flow graphs of all functions
// of all dependencies for it, which takes longer than the rest of this analysis.
type NoReturn struct{}

// AFact makes NoReturn a fact.
func (*NoReturn) AFact() {}

// String returns the name.
func (*NoReturn) String() string { return "noReturn" }

// intrinsic are the functions without a Go body, and the methods of interfaces, that never return.
var intrinsic = map[string]bool{
	"runtime.Goexit": true, "os.Exit": true, "syscall.Exit": true, "syscall.ExitProcess": true,
	"(testing.TB).FailNow": true, "(testing.TB).Fatal": true, "(testing.TB).Fatalf": true,
	"(testing.TB).SkipNow": true, "(testing.TB).Skip": true, "(testing.TB).Skipf": true,
}

// Terminals finds the functions of a package that never return.
type Terminals struct {
	Code
	bodies map[*types.Func]*ast.BlockStmt // candidates
	known  map[*types.Func]bool
}

// NewTerminals exports the fact for each function of the package that never returns.
func NewTerminals(c Code) *Terminals {
	t := &Terminals{c, map[*types.Func]*ast.BlockStmt{}, map[*types.Func]bool{}}
	for _, file := range c.Pass.Files {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil || len(d.Body.List) == 0 {
				continue
			}
			fn, ok := c.Pass.TypesInfo.Defs[d.Name].(*types.Func)
			if ok && isCandidate(d.Body.List[len(d.Body.List)-1]) {
				t.bodies[fn] = d.Body
			}
		}
	}
	for fn := range t.bodies {
		if t.never(fn) && fn.Exported() {
			c.Pass.ExportObjectFact(fn, new(NoReturn))
		}
	}
	return t
}

// isCandidate reports whether a function whose last statement is st may never return.
func isCandidate(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		_, ok := st.X.(*ast.CallExpr)
		return ok
	case *ast.ForStmt:
		return st.Cond == nil
	case *ast.SelectStmt, *ast.BlockStmt, *ast.IfStmt:
		return true
	}
	return false
}

// never reports whether fn never returns.
func (t *Terminals) never(fn *types.Func) bool {
	fn = fn.Origin()
	if known, ok := t.known[fn]; ok {
		return known
	}
	t.known[fn] = false // for recursion
	body, ok := t.bodies[fn]
	switch {
	case ok:
		t.known[fn] = !has(body, token.RETURN) && t.ends(body)
	case intrinsic[fn.FullName()]:
		t.known[fn] = true
	case fn.Pkg() != nil && fn.Pkg() != t.Pass.Pkg:
		t.known[fn] = t.Pass.ImportObjectFact(fn, new(NoReturn))
	}
	return t.known[fn]
}

// MayReturn reports whether a call may return.
func (t *Terminals) MayReturn(call *ast.CallExpr) bool {
	if t.IsBuiltin(call, "panic") {
		return false
	}
	fn, ok := typeutil.Callee(t.Pass.TypesInfo, call).(*types.Func)
	return !ok || !t.never(fn)
}

// ends reports whether control never reaches the end of st.
func (t *Terminals) ends(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.BlockStmt:
		return len(st.List) > 0 && t.ends(st.List[len(st.List)-1])
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		return ok && !t.MayReturn(call)
	case *ast.IfStmt:
		return st.Else != nil && t.ends(st.Body) && t.ends(st.Else)
	case *ast.ForStmt:
		return st.Cond == nil && !has(st.Body, token.BREAK)
	case *ast.SelectStmt:
		return len(st.Body.List) == 0
	}
	return false
}

// has reports whether body contains a return or break statement outside of function literals. A
// break of an inner statement counts too.
func has(body *ast.BlockStmt, keyword token.Token) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || keyword == token.RETURN
		case *ast.BranchStmt:
			found = found || n.Tok == keyword
		}
		return !found
	})
	return found
}
