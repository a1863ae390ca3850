package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// ask records a lookup of a handle in the container at root, if another container issued the
// handle.
func (f *function) ask(s *state, call *ast.CallExpr, fn callee, root place, x Effect) {
	h := operand(call, x.By)
	if h == nil || !f.reporting || fn.fn == nil || !is[*types.Pointer](receiverOf(fn.fn)) {
		return // a view, which is a copy, may show any container
	}
	from := s.issued[f.at(s, h)]
	if from.ok() && from != root && f.isOwn(from) && f.isOwn(root) {
		f.strangers = append(f.strangers, stranger{h, from, root})
	}
}

// isOwn reports whether the container at p is stored in a variable or a field itself, not behind a
// pointer. Two such places are two containers.
func (f *function) isOwn(p place) bool {
	if p.way == "" {
		return !isReference(p.obj.Type()) // a variable
	}
	last := p.way[len(p.way)-1]
	if last == ']' {
		return false
	}
	return last != '*' || f.isNew(p)
}

// isNew reports whether p is a local pointer assigned once, from a constructor.
func (f *function) isNew(p place) bool { return p.way == "*" && f.made[p.obj] }

// mixed records that the containers at places are loaded or cloned, so they may know the handles of
// others.
func (c *checker) mixed(places ...place) {
	for _, p := range places {
		if p.ok() {
			c.mixtures[p.last()] = true
		}
	}
}

// loaders are parts of the names of functions that may load the containers passed to them.
var loaders = []string{
	"Unmarshal", "Decode", "Load", "Read", "Scan", "Copy", "Clone", "Swap", "Restore",
}

// mayLoad reports whether the function with this name may load containers.
func mayLoad(name string) bool {
	return slices.ContainsFunc(loaders, func(part string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(part))
	})
}

// mixedUnder records that the containers reached from e may know the handles of others.
func (f *function) mixedUnder(s *state, e ast.Expr) {
	p := f.container(s, e)
	if !p.ok() {
		return
	}
	f.mixtures[p.last()] = true
	f.mixtures[f.typeName(p.obj)] = true
}

// typeName returns the name of the type of v, without a pointer.
func (c *checker) typeName(v *types.Var) string {
	return types.TypeString(deref(v.Type()), nil)
}

// isMixed reports whether the container at p may know the handles of others.
func (c *checker) isMixed(p place) bool {
	return c.mixtures[p.last()] || c.mixtures[c.typeName(p.obj)]
}

// foreign reports the lookups of foreign handles. It runs last, since any function of the package
// may load or clone a container.
func (c *checker) foreign() {
	for _, x := range c.strangers {
		if c.isMixed(x.from) || c.isMixed(x.root) {
			continue
		}
		c.reportf("foreign", x.handle, nil,
			"%s is a handle of %s, so %s never finds it", c.text(x.handle), x.from, x.root)
	}
}
