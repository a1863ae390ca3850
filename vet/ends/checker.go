package ends

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/cfg"
)

var (
	reportSome bool
	reportNil  bool
)

// guess replaces the facts in a test, so that any code can be checked.
var guess func(*types.Func) *Summary

// A checker checks a package.
type checker struct {
	code
	terminals *terminals
	summaries map[*types.Func]*Summary
	declared  map[types.Object]bool // types whose methods have directives
	vars                            // what is known of variables
	reported  map[report]bool
	strangers []stranger
	mixtures  map[string]bool // containers that may have handles of others
}

// summary returns what is known of fn, or nil.
func (c *checker) summary(fn *types.Func) *Summary {
	fn = fn.Origin()
	if s, ok := c.summaries[fn]; ok {
		return s
	}
	var s *Summary
	if guess != nil {
		s = guess(fn)
	} else if fn.Pkg() != nil && fn.Pkg() != c.pass.Pkg {
		found := new(Summary)
		if c.pass.ImportObjectFact(fn, found) {
			s = found
		}
	}
	c.summaries[fn] = s
	return s
}

// A stranger is a lookup of a handle in another container than the one that issued it.
type stranger struct {
	handle     ast.Expr
	from, root place
}

// A finding is the use of a stale pointer.
type finding struct {
	at    ast.Expr
	place place
	end   *ast.CallExpr
	diag  *analysis.Diagnostic
}

// A report is what identifies a report, so that it is made once.
type report struct {
	pos      token.Pos
	category string
}

// reportf reports at e.
func (c *checker) reportf(
	category string, e ast.Node, extra *analysis.Diagnostic, format string, args ...any,
) {
	key := report{e.Pos(), category}
	if c.reported[key] {
		return
	}
	c.reported[key] = true
	d := analysis.Diagnostic{
		Pos: e.Pos(), End: e.End(), Category: category, Message: fmt.Sprintf(format, args...),
	}
	if extra != nil {
		d.Related, d.SuggestedFixes = extra.Related, extra.SuggestedFixes
	}
	c.pass.Report(d)
}

// A function is one whose body is followed: a declared one or a literal.
type function struct {
	*checker
	name  *types.Func // nil for a literal
	ft    *ast.FuncType
	body  *ast.BlockStmt
	ports map[*types.Var]port // the operands
	calls bool                // it may call a function with a summary

	callees []*types.Func // the functions of the package that it mentions
	loops   []*ast.RangeStmt
	over    map[ast.Expr]*ast.RangeStmt // the loops by what they range over

	cfg       *cfg.CFG
	running   map[*ast.FuncLit]bool // literals that are being followed
	deduced   *Summary              // what the body does, while that is being deduced
	exits     []*state              // states where it returns, while that is being deduced
	reporting bool
	found     []finding
}

// functions returns all functions of the package that have a body, in order.
func (c *checker) functions() (all []*function) {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				fn, ok := c.pass.TypesInfo.Defs[n.Name].(*types.Func)
				if !ok || n.Body == nil {
					return false
				}
				f := c.newFunction(n.Type, n.Body)
				f.name = fn
				f.addPorts(n.Recv, receiver)
				all = append(all, f)
			case *ast.FuncLit:
				all = append(all, c.newFunction(n.Type, n.Body))
			}
			return true
		})
	}
	return all
}

// newFunction returns the function with this type and body.
func (c *checker) newFunction(ft *ast.FuncType, body *ast.BlockStmt) *function {
	f := &function{
		checker: c, ft: ft, body: body,
		ports: map[*types.Var]port{}, over: map[ast.Expr]*ast.RangeStmt{},
		running: map[*ast.FuncLit]bool{},
	}
	f.addPorts(ft.Params, param)
	for n := range ast.Preorder(body) {
		if r, ok := n.(*ast.RangeStmt); ok {
			f.loops = append(f.loops, r)
			f.over[r.X] = r
		}
	}
	return f
}

// addPorts adds the variables of fields, which are operands from first on.
func (f *function) addPorts(fields *ast.FieldList, first port) {
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		for _, n := range field.Names {
			if v, ok := f.pass.TypesInfo.Defs[n].(*types.Var); ok {
				f.ports[v] = first
			}
			first++
		}
	}
}
