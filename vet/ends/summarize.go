package ends

import (
	"go/ast"
	"go/types"
	"slices"
)

// maxPasses bounds the passes over a package that deduce summaries from each other. A chain of
// helpers takes one pass for each helper if callers come first.
const maxPasses = 50

// summarize deduces the summaries of the functions of the package and exports them.
func (c *checker) summarize(functions []*function) {
	changed := map[*types.Func]bool{} // functions whose summaries the last pass changed
	for pass := range maxPasses {
		before := changed
		changed = map[*types.Func]bool{}
		for _, f := range functions {
			if pass == 0 {
				f.findCallees()
			} else if !slices.ContainsFunc(f.callees, func(fn *types.Func) bool {
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
			break
		}
	}
	for _, f := range functions {
		if f.name == nil || !f.name.Exported() {
			continue
		}
		if s := c.summaries[f.name]; s != nil && !s.Declared && len(s.Effects) > 0 {
			c.pass.ExportObjectFact(f.name, s)
		}
	}
}

// findCallees finds the functions of the package that f mentions.
func (f *function) findCallees() {
	seen := map[*types.Func]bool{}
	for n := range ast.Preorder(f.body) {
		id, _ := n.(*ast.Ident)
		fn, ok := f.pass.TypesInfo.Uses[id].(*types.Func)
		if !ok || fn.Pkg() != f.pass.Pkg {
			continue
		}
		if fn = fn.Origin(); !seen[fn] {
			seen[fn] = true
			f.callees = append(f.callees, fn)
		}
	}
}

// mayCall reports whether f calls a function with effects on lifetimes.
func (f *function) mayCall() bool {
	for n := range ast.Preorder(f.body) {
		switch n := n.(type) {
		case *ast.CallExpr:
			sum, fn := f.callee(newState(), n)
			if matters(sum) || fn.fn == nil && f.variable(n.Fun) != nil {
				return true
			}
		case *ast.SelectorExpr: // a method value too
			fn, ok := f.pass.TypesInfo.Uses[n.Sel].(*types.Func)
			if ok && matters(f.summary(fn)) {
				return true
			}
		}
	}
	return false
}

// matters reports whether s has an effect on lifetimes.
func matters(s *Summary) bool {
	return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Verb != sets && e.Verb != runs
	})
}

// deduceAll deduces the summary of f from its body and reports whether it has changed.
func (f *function) deduceAll() bool {
	old := f.summaries[f.name]
	if old != nil && old.Declared {
		return f.deduceRuns(old)
	}
	f.deduced = &Summary{}
	f.deduceRuns(f.deduced)
	f.deduceSets()
	if f.calls {
		f.deduceFlow()
	} else {
		f.deduceGetter()
	}
	got := f.deduced
	f.deduced = nil
	if old == nil {
		old = &Summary{}
	}
	if slices.Equal(old.Effects, got.Effects) {
		return false
	}
	f.summaries[f.name] = got
	return true
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
			f.block(s.clone(), b)
		}
	}
	for i, x := range f.deduced.Effects {
		if x.Verb == ends || x.Verb == revives {
			all := len(f.exits) > 0
			for _, s := range f.exits {
				all = all && s.done[x]
			}
			f.deduced.Effects[i].Maybe = !all
		}
	}
	f.exits = nil
}
