package ends

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/cfg"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

var (
	reportSome bool
	reportNil  bool
)

// guess, if not nil, replaces the facts. It lets a test check any code.
var guess func(*types.Func) *rule.Summary

// A checker checks a package.
type checker struct {
	syntax.Code
	terminals *syntax.Terminals
	summaries map[*types.Func]*rule.Summary
	declared  map[types.Object]bool // types whose methods have directives
	syntax.Vars
	reported  map[report]bool
	strangers []stranger
	mixtures  map[string]bool // containers that may know handles of others

	// light is true if only the table's functions matter to the package.
	light bool
}

// summary returns the summary of fn, or nil.
func (c *checker) summary(fn *types.Func) *rule.Summary {
	fn = fn.Origin()
	if s, ok := c.summaries[fn]; ok {
		return s
	}
	s := rule.Known.Summary(fn)
	if s != nil {
		// Its package is not asked.
	} else if guess != nil {
		s = guess(fn)
	} else if fn.Pkg() != nil && fn.Pkg() != c.Pass.Pkg {
		found := new(rule.Summary)
		if c.Pass.ImportObjectFact(fn, found) {
			s = found
		}
	}
	c.summaries[fn] = s
	return s
}

// A stranger is a lookup of a handle in a container that did not issue it.
type stranger struct {
	handle     ast.Expr
	from, root flow.Place
}

// A finding is the use of a stale pointer.
type finding struct {
	at    ast.Expr
	place flow.Place
	end   *ast.CallExpr
	diag  *analysis.Diagnostic
}

// report is the key that deduplicates diagnostics.
type report struct {
	pos      token.Pos
	category string
}

// reportf reports a diagnostic at e, once per category.
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
	c.Pass.Report(d)
}

// A function is a declared function or a function literal that is analyzed.
type function struct {
	*checker
	name  *types.Func // nil for a literal
	ft    *ast.FuncType
	body  *ast.BlockStmt
	ports map[*types.Var]rule.Port // the operands
	calls bool                     // whether it may call a function with a summary

	// hasLent is true if a parameter is valid only until f returns.
	hasLent bool

	callees []*types.Func // functions of the package that it mentions
	loops   []*ast.RangeStmt
	over    map[ast.Expr]*ast.RangeStmt // loops by range expression

	cfg       *cfg.CFG
	running   map[*ast.FuncLit]bool // literals that are being evaluated
	deduced   *rule.Summary         // during deduceAll: the effects found so far
	exits     []*flow.State         // during deduceFlow: the states at returns
	reporting bool
	found     []finding
}

// functions returns the functions of the package that have a body, in source order.
func (c *checker) functions() (all []*function) {
	for _, file := range c.Pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				fn, ok := c.Pass.TypesInfo.Defs[n.Name].(*types.Func)
				if !ok || n.Body == nil {
					return false
				}
				f := c.newFunction(n.Type, n.Body)
				f.name = fn
				f.addPorts(n.Recv, rule.Receiver)
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
		ports: map[*types.Var]rule.Port{}, over: map[ast.Expr]*ast.RangeStmt{},
		running: map[*ast.FuncLit]bool{},
	}
	f.addPorts(ft.Params, rule.Param)
	for n := range ast.Preorder(body) {
		if r, ok := n.(*ast.RangeStmt); ok {
			f.loops = append(f.loops, r)
			f.over[r.X] = r
		}
	}
	return f
}

// addPorts numbers the variables of fields from first on.
func (f *function) addPorts(fields *ast.FieldList, first rule.Port) {
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		for _, n := range field.Names {
			if v, ok := f.Pass.TypesInfo.Defs[n].(*types.Var); ok {
				f.ports[v] = first
				f.hasLent = f.hasLent || rule.Known.IsLent(v.Type())
			}
			first++
		}
	}
}
