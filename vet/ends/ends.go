// Package ends is an analyzer of the lifetimes of pointers into containers. It reports a pointer, a
// slice or a container that one call has lent and another call has ended, if it is used after that.
//
// The analyzer knows no container by name. It reads directives at the end of doc comments:
//
//	//berth:lends r0 by h      the first result points to the value of h
//	//berth:ends by h          pointers to the value of h end
//	//berth:ends all           all pointers into the container end, since values move
//
// The page docs/vet.md of berth describes the others. The analyzer follows the control flow of each
// function, deduces from the body how the function affects the pointers of its operands, and
// exports that as a fact. A call without directives or facts ends nothing.
package ends

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports pointers that are used after their lifetime, and other misuse of handles.
var Analyzer = &analysis.Analyzer{
	Name:      "berthends",
	Doc:       doc,
	URL:       "https://github.com/seed505807e1/berth/blob/main/docs/vet.md",
	Run:       run,
	FactTypes: []analysis.Fact{new(Summary), new(NoReturn)},
}

const doc = `report pointers into containers that are used after their lifetime

A pointer from Ptr, a slice from Slice or memory of an arena is valid until a call ends it, such as
Remove, Insert or Reset. In Go a later write through it does not crash, but is lost. The analyzer
reads from directives at doc comments (//berth:lends, //berth:ends) what each call lends and ends.
It also reports handles that are looked up in another container than their own, changes to copies
of values, and errors that are not checked.`

func init() {
	Analyzer.Flags.BoolVar(&reportSome, "some", false,
		"also report pointers that may have ended (Pop, RemoveFunc)")
	Analyzer.Flags.BoolVar(&reportNil, "nil", false,
		"also report uses of a looked up pointer that was not compared with nil")
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{
		code:      code{pass},
		summaries: map[*types.Func]*Summary{},
		declared:  map[types.Object]bool{},
		reported:  map[report]bool{},
		mixtures:  map[string]bool{},
	}
	c.terminals = newTerminals(c.code)
	directives := slices.ContainsFunc(pass.Files, hasDirectives)
	if !directives && !lent(pass) && guess == nil {
		return nil, nil // no function that it can call lends anything
	}
	if directives {
		c.declare()
	}
	c.vars = c.survey()
	functions := c.functions()
	c.summarize(functions)
	for _, f := range functions {
		f.check()
	}
	c.foreign()
	return nil, nil
}

// lent reports whether a dependency has a function with a summary.
func lent(pass *analysis.Pass) bool {
	return slices.ContainsFunc(pass.AllObjectFacts(), func(f analysis.ObjectFact) bool {
		_, ok := f.Fact.(*Summary)
		return ok
	})
}

// declare reads the directives of the package.
func (c *checker) declare() {
	for _, file := range c.pass.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.declareOne(d.Name, d.Doc, d.Recv, d.Type, d.Recv != nil)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						c.declareInterface(t)
					}
				}
			}
		}
	}
}

// declareInterface reads the directives of an interface's methods.
func (c *checker) declareInterface(t *ast.TypeSpec) {
	it, ok := t.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, m := range it.Methods.List {
		if ft, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
			c.declareOne(m.Names[0], m.Doc, nil, ft, true)
		}
	}
}

// declareOne reads the directives of one function or method.
func (c *checker) declareOne(
	name *ast.Ident, doc *ast.CommentGroup, recv *ast.FieldList, ft *ast.FuncType, method bool,
) {
	sum, bad := parse(doc, recv, ft, method)
	for _, m := range bad {
		c.pass.Report(analysis.Diagnostic{Pos: m.pos, Category: "directive", Message: m.text})
	}
	fn, ok := c.pass.TypesInfo.Defs[name].(*types.Func)
	if sum == nil || !ok {
		return
	}
	c.summaries[fn] = sum
	if len(sum.Effects) > 0 {
		c.pass.ExportObjectFact(fn, sum)
	}
	if recv != nil {
		if t := receiverType(fn); t != nil {
			c.declared[t] = true
		}
	}
}
