package ends

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// ask records a lookup of a handle in the container at root, if another container issued the
// handle.
func (f *function) ask(
	s *flow.State, call *ast.CallExpr, fn flow.Callee, root flow.Place, x rule.Effect,
) {
	h := rule.Operand(call, x.By)
	if h == nil || !f.reporting || fn.Fn == nil ||
		!syntax.Is[*types.Pointer](syntax.ReceiverOf(fn.Fn)) {
		return // a view, which is a copy, may show any container
	}
	from := s.Issued[f.at(s, h)]
	if from.OK() && from != root && f.isOwn(from) && f.isOwn(root) {
		f.strangers = append(f.strangers, stranger{h, from, root})
	}
}

// isOwn reports whether the container at p is stored in a variable or a field itself, not behind a
// pointer. Two such places are two containers.
func (f *function) isOwn(p flow.Place) bool {
	if p.Way == "" {
		return !syntax.IsReference(p.Obj.Type()) // a variable
	}
	last := p.Way[len(p.Way)-1]
	if last == ']' {
		return false
	}
	return last != '*' || f.isNew(p)
}

// isNew reports whether p is a local pointer assigned once, from a constructor.
func (f *function) isNew(p flow.Place) bool { return p.Way == "*" && f.Made[p.Obj] }

// mixed records that the containers at places are loaded or cloned, so they may know the handles of
// others.
func (c *checker) mixed(places ...flow.Place) {
	for _, p := range places {
		if p.OK() {
			c.mixtures[p.Last()] = true
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
func (f *function) mixedUnder(s *flow.State, e ast.Expr) {
	p := f.container(s, e)
	if !p.OK() {
		return
	}
	f.mixtures[p.Last()] = true
	f.mixtures[f.typeName(p.Obj)] = true
}

// typeName returns the name of the type of v, without a pointer.
func (c *checker) typeName(v *types.Var) string {
	return types.TypeString(syntax.Deref(v.Type()), nil)
}

// isMixed reports whether the container at p may know the handles of others.
func (c *checker) isMixed(p flow.Place) bool {
	return c.mixtures[p.Last()] || c.mixtures[c.typeName(p.Obj)]
}

// foreign reports the lookups of foreign handles. It runs last, since any function of the package
// may load or clone a container.
func (c *checker) foreign() {
	for _, x := range c.strangers {
		if c.isMixed(x.from) || c.isMixed(x.root) {
			continue
		}
		c.reportf("foreign", x.handle, nil,
			"%s is a handle of %s, so %s never finds it", c.Text(x.handle), x.from, x.root)
	}
}
