// Package ends is an analyzer of the lifetimes of pointers. It reports a pointer, a slice or a
// container that one call has lent and another call has ended, or that was given back to a pool, if
// it is used after that.
//
// It reads directives at the end of doc comments, and of packages without them, such as sync, from
// a table:
//
//	//berth:lends r0 by h      the first result points to the value of h
//	//berth:ends by h          pointers to the value of h end
//	//berth:ends all           all pointers into the container end, since values move
//	//berth:frees b            b is given back, and must not be used under any name
//
// The page docs/vet.md of berth describes the others. The analyzer follows the control flow of each
// function, deduces from the body how the function affects the pointers of its operands, and
// exports that as a fact. A call without directives or facts ends nothing.
package ends

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// Analyzer reports pointers that are used after their lifetime, and other misuse of handles.
var Analyzer = &analysis.Analyzer{
	Name:      "berthends",
	Doc:       doc,
	URL:       "https://github.com/seed505807e1/berth/blob/main/docs/vet.md",
	Run:       run,
	FactTypes: []analysis.Fact{new(rule.Summary), new(syntax.NoReturn)},
}

const doc = `report memory that is used after a call that gave it back

A buffer belongs to others after sync.Pool.Put, the bytes of a bufio.Scanner are overwritten by the
next Scan, and a pointer into a container of berth is valid until Remove, Insert or Reset. In Go a
later use does not crash. The analyzer reads from a table, and from directives at doc comments
(//berth:lends, //berth:ends), what each call lends, ends and frees. It also reports handles that
are looked up in another container than their own, changes to copies of values, and errors that are
not checked.`

func init() {
	Analyzer.Flags.BoolVar(&reportSome, "some", false,
		"also report what may have ended (Pop, RemoveFunc), or was given back on some paths")
	Analyzer.Flags.BoolVar(&reportNil, "nil", false,
		"also report uses of a looked up pointer that was not compared with nil")
	Analyzer.Flags.Func("table", "also read directives of other packages from this `file`",
		func(name string) error {
			err := rule.Known.AddFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%w (go vet needs an absolute name, since it runs its tool in "+
					"the directory of each package)", err)
			}
			return err
		})
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{
		Code:      syntax.Code{Pass: pass},
		summaries: map[*types.Func]*rule.Summary{},
		declared:  map[types.Object]bool{},
		reported:  map[report]bool{},
		mixtures:  map[string]bool{},
	}
	c.terminals = syntax.NewTerminals(c.Code)
	directives := slices.ContainsFunc(pass.Files, rule.HasDirectives)
	c.light = !directives && !lent(pass) && guess == nil
	if c.light && !c.concerned() {
		return nil, nil // as most packages are
	}
	c.declareKnown()
	if directives {
		c.declare()
	}
	c.Vars = c.Survey()
	functions := c.functions()
	c.summarize(functions)
	for _, f := range functions {
		f.check()
	}
	c.foreign()
	return nil, nil
}

// concerned reports whether the package uses a function that gives memory back, functions that lend
// and end, or a type whose parameters are valid only until a function returns.
func (c *checker) concerned() bool {
	lends, ends := false, false
	for _, o := range c.Pass.TypesInfo.Uses {
		switch o := o.(type) {
		case *types.Func:
			s := c.summary(o)
			if s.Has(rule.Frees) {
				return true
			}
			lends = lends || s.Has(rule.Lends)
			ends = ends || s.Has(rule.Ends)
		case *types.TypeName:
			if rule.Known.IsLent(o.Type()) {
				return true
			}
		}
	}
	return lends && ends
}

// lent reports whether a dependency has a function with directives, or calls one.
func lent(pass *analysis.Pass) bool {
	return slices.ContainsFunc(pass.AllObjectFacts(), func(f analysis.ObjectFact) bool {
		s, ok := f.Fact.(*rule.Summary)
		return ok && !s.Partial
	})
}

// declare reads the directives of the package.
func (c *checker) declare() {
	for _, file := range c.Pass.Files {
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

// declareKnown marks the types of the package that are in the table as types with directives.
func (c *checker) declareKnown() {
	for name := range rule.Known.Calls[c.Pass.Pkg.Path()] {
		name, _, _ = strings.Cut(name, ".")
		if t, ok := c.Pass.Pkg.Scope().Lookup(name).(*types.TypeName); ok {
			c.declared[t] = true
		}
	}
}

// declareOne reads the directives of one function or method.
func (c *checker) declareOne(
	name *ast.Ident, doc *ast.CommentGroup, recv *ast.FieldList, ft *ast.FuncType, method bool,
) {
	sum, bad := rule.Parse(doc, recv, ft, method)
	for _, m := range bad {
		c.Pass.Report(analysis.Diagnostic{Pos: m.Pos, Category: "directive", Message: m.Text})
	}
	fn, ok := c.Pass.TypesInfo.Defs[name].(*types.Func)
	if sum == nil || !ok {
		return
	}
	c.summaries[fn] = sum
	if len(sum.Effects) > 0 {
		c.Pass.ExportObjectFact(fn, sum)
	}
	if recv != nil {
		if t := syntax.ReceiverType(fn); t != nil {
			c.declared[t] = true
		}
	}
}
