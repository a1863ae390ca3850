package ends

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
)

// maxPasses bounds the passes over a package that deduce summaries from each other. Functions that
// call each other in a circle need more than one.
const maxPasses = 50

// summarize deduces the summaries of the functions of the package and exports them.
func (c *checker) summarize(functions []*function) {
	order := calleesFirst(functions)
	if !c.light {
		c.deduceFrom(order)
	}
	for n := 0; c.light; {
		some := needed(order)
		if len(some) == n {
			break
		}
		n = len(some)
		c.deduceFrom(some)
	}
	for _, f := range functions {
		if f.name == nil || !f.name.Exported() {
			continue
		}
		s := c.summaries[f.name]
		if s == nil || s.Declared {
			continue
		}
		if c.light {
			s = s.OnLifetimes()
		}
		if len(s.Effects) > 0 {
			c.Pass.ExportObjectFact(f.name, s)
		}
	}
}

// deduceFrom deduces the summaries of functions from each other.
func (c *checker) deduceFrom(order []*function) {
	changed := map[*types.Func]bool{} // functions whose summaries the last pass changed
	for pass := range maxPasses {
		before := changed
		changed = map[*types.Func]bool{}
		for _, f := range order {
			if pass > 0 && !slices.ContainsFunc(f.callees, func(fn *types.Func) bool {
				return before[fn] || changed[fn]
			}) {
				continue
			}
			f.calls = f.calls || f.mayCall()
			if f.name != nil && len(f.ports) > 0 && f.deduceAll() {
				changed[f.name] = true
			}
		}
		if len(changed) == 0 {
			return
		}
	}
}

// calleesFirst returns the functions in an order in which callees come before their callers, but
// for recursion.
func calleesFirst(functions []*function) (order []*function) {
	for _, f := range functions {
		f.findCallees()
	}
	return withCallees(functions, functions)
}

// needed returns the functions that call one with effects on lifetimes, and those that they call.
// In most packages that are few.
func needed(order []*function) []*function {
	var some []*function
	for _, f := range order {
		f.calls = f.calls || f.mayCall()
		if f.calls {
			some = append(some, f)
		}
	}
	return withCallees(some, order)
}

// withCallees returns some of all functions and those that they call, callees first.
func withCallees(some, all []*function) (order []*function) {
	named := map[*types.Func]*function{}
	for _, f := range all {
		if f.name != nil {
			named[f.name] = f
		}
	}
	seen := map[*function]bool{}
	var visit func(f *function)
	visit = func(f *function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		for _, fn := range f.callees {
			visit(named[fn])
		}
		order = append(order, f)
	}
	for _, f := range some {
		visit(f)
	}
	return order
}

// findCallees finds the functions of the package that f mentions.
func (f *function) findCallees() {
	seen := map[*types.Func]bool{}
	for n := range ast.Preorder(f.body) {
		id, _ := n.(*ast.Ident)
		fn, ok := f.Pass.TypesInfo.Uses[id].(*types.Func)
		if !ok || fn.Pkg() != f.Pass.Pkg {
			continue
		}
		if fn = fn.Origin(); !seen[fn] {
			seen[fn] = true
			f.callees = append(f.callees, fn)
		}
	}
}

// mayCall reports whether f calls a function with effects on lifetimes, or has a parameter that is
// valid only until f returns.
func (f *function) mayCall() bool {
	if f.hasLent {
		return true
	}
	for n := range ast.Preorder(f.body) {
		switch n := n.(type) {
		case *ast.CallExpr:
			sum, fn := f.callee(&flow.State{}, n)
			if rule.Matters(sum) || !f.light && fn.Fn == nil && f.Variable(n.Fun) != nil {
				return true
			}
		case *ast.SelectorExpr: // a method value too
			fn, ok := f.Pass.TypesInfo.Uses[n.Sel].(*types.Func)
			if ok && rule.Matters(f.summary(fn)) {
				return true
			}
		}
	}
	return false
}

// skips reports whether on the way to state s only the size of an operand kept f from giving it
// back.
func (f *function) skips(s *flow.State, x rule.Effect) bool {
	for v := range s.Sized {
		if f.ports[v] == x.Of {
			return true
		}
	}
	return false
}

// deduceAll deduces the summary of f from its body and reports whether it has changed.
func (f *function) deduceAll() bool {
	old := f.summaries[f.name]
	if old != nil && old.Declared {
		return f.deduceRuns(old)
	}
	f.deduced = &rule.Summary{}
	f.deduceRuns(f.deduced)
	f.deduceSets()
	if f.calls {
		f.deduceFlow()
	} else {
		f.deduceGetter()
	}
	got := f.deduced
	f.deduced = nil
	slices.SortStableFunc(got.Effects, func(a, b rule.Effect) int {
		return cmp.Compare(order(a), order(b))
	})
	if old == nil {
		old = &rule.Summary{}
	}
	if slices.Equal(old.Effects, got.Effects) {
		return false
	}
	f.summaries[f.name] = got
	return true
}

// order returns 0 for frees, which come first: an assignment after them changes the place of the
// memory that is given back.
func order(x rule.Effect) int {
	if x.Verb == rule.Frees {
		return 0
	}
	return 1
}

// deduceFlow adds the effects on all paths.
func (f *function) deduceFlow() {
	g := f.graph()
	in := f.solve(g)
	if in == nil {
		return
	}
	f.exits = f.exits[:0]
	for _, b := range g.Blocks {
		if s := in[b.Index]; s != nil && b.Live {
			f.block(s.Clone(), b)
		}
	}
	for i, x := range f.deduced.Effects {
		if x.Verb == rule.Ends || x.Verb == rule.Revives || x.Verb == rule.Frees {
			all := len(f.exits) > 0
			for _, s := range f.exits {
				all = all && (s.Done[x] || x.Verb == rule.Frees && f.skips(s, x))
			}
			f.deduced.Effects[i].Maybe = !all
		}
	}
	if !reportSome {
		f.deduced.Effects = slices.DeleteFunc(f.deduced.Effects, func(x rule.Effect) bool {
			return x.Verb == rule.Frees && x.Maybe // nobody is told
		})
	}
	f.exits = nil
}
