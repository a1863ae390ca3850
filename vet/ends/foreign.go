package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// ask follows that the container at root looks up a handle.
func (f *function) ask(s *state, call *ast.CallExpr, fn callee, root place, x Effect) {
	h := operand(call, x.By)
	if h == nil || !f.reporting || fn.fn == nil || !is[*types.Pointer](receiverOf(fn.fn)) {
		return // a view, which is copied, may show any container
	}
	from := s.issued[f.at(s, h)]
	if from.ok() && from != root && f.isOwn(from) && f.isOwn(root) {
		f.strangers = append(f.strangers, stranger{h, from, root})
	}
}

// isOwn reports whether the container at p is a variable or a field itself, and not what a pointer
// points to. Two such places are two containers.
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

// isNew reports whether the container at p is what a variable of a function points to that is
// assigned once, by a constructor.
func (f *function) isNew(p place) bool { return p.way == "*" && f.made[p.obj] }

// mixed records that containers may have handles of others: they are loaded or cloned.
func (c *checker) mixed(places ...place) {
	for _, p := range places {
		if p.ok() {
			c.mixtures[p.last()] = true
		}
	}
}

// loaders are parts of the names of functions that may fill the containers of what they are passed.
var loaders = []string{
	"Unmarshal", "Decode", "Load", "Read", "Scan", "Copy", "Clone", "Swap", "Restore",
}

// mayLoad reports whether the function of this name may fill containers.
func mayLoad(name string) bool {
	return slices.ContainsFunc(loaders, func(part string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(part))
	})
}

// mixedUnder records that the containers that e leads to may have handles of others.
func (f *function) mixedUnder(s *state, e ast.Expr) {
	p := f.container(s, e)
	if !p.ok() {
		return
	}
	f.mixtures[p.last()] = true
	f.mixtures[f.typeName(p.obj)] = true
}

// typeName returns the name of the type that v has or points to.
func (c *checker) typeName(v *types.Var) string {
	return types.TypeString(deref(v.Type()), nil)
}

// isMixed reports whether the container at p may have handles of others.
func (c *checker) isMixed(p place) bool {
	return c.mixtures[p.last()] || c.mixtures[c.typeName(p.obj)]
}

// foreign reports the lookups of foreign handles. A container that is loaded or cloned anywhere in
// the package may have them, so this comes last.
func (c *checker) foreign() {
	for _, x := range c.strangers {
		if c.isMixed(x.from) || c.isMixed(x.root) {
			continue
		}
		c.reportf("foreign", x.handle, nil,
			"%s is a handle of %s, so %s never finds it", c.text(x.handle), x.from, x.root)
	}
}
