package ends

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/cfg"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// graph returns the control-flow graph of f.
func (f *function) graph() *cfg.CFG {
	if f.cfg == nil {
		f.cfg = cfg.New(f.body, f.terminals.MayReturn)
	}
	return f.cfg
}

// maxRounds bounds the visits of a block. No known function needs more than ten.
const maxRounds = 50

// solve returns the state at the beginning of each block, or nil if the states do not converge.
func (f *function) solve(g *cfg.CFG) []*flow.State {
	in := make([]*flow.State, len(g.Blocks))
	in[0] = &flow.State{}
	work := []*cfg.Block{g.Blocks[0]}
	for n := 0; len(work) > 0; n++ {
		if n > maxRounds*len(g.Blocks) {
			return nil
		}
		b := work[len(work)-1]
		work = work[:len(work)-1]
		out := in[b.Index].Clone()
		f.block(out, b)
		for i, next := range b.Succs {
			s := out
			if p := f.nilOn(out, b, i); p.OK() {
				s = out.Clone()
				delete(s.Loans, p)
			}
			if v := f.sized(b); v != nil {
				if s == out {
					s = out.Clone()
				}
				flow.Put(&s.Sized, v, flow.Side{Block: b, I: i})
			}
			switch {
			case in[next.Index] == nil:
				in[next.Index] = s.Clone()
			case !in[next.Index].Join(s):
				continue
			}
			work = append(work, next)
		}
	}
	return in
}

// check reports the mistakes on all paths.
func (f *function) check() {
	if !f.calls || f.name != nil && f.isImplementation() {
		return
	}
	g := f.graph()
	in := f.solve(g)
	if in == nil {
		return
	}
	f.reporting = true
	for _, b := range g.Blocks {
		if s := in[b.Index]; s != nil && b.Live {
			f.block(s.Clone(), b)
		}
	}
	f.reporting = false
	f.flush()
}

// isImplementation reports whether f belongs to a type whose methods have directives. Such methods
// may do to pointers what their callers must not.
func (f *function) isImplementation() bool {
	sum := f.summaries[f.name]
	return sum != nil && sum.Declared || f.declared[syntax.ReceiverType(f.name)]
}

// nilOn returns the place that is nil at the beginning of the i-th successor of b, if there is one.
func (f *function) nilOn(s *flow.State, b *cfg.Block, i int) flow.Place {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return flow.Place{}
	}
	e, ok := b.Nodes[len(b.Nodes)-1].(*ast.BinaryExpr)
	if !ok || e.Op == token.EQL && i != 0 || e.Op == token.NEQ && i != 1 ||
		e.Op != token.EQL && e.Op != token.NEQ {
		return flow.Place{}
	}
	switch {
	case f.IsNil(e.Y):
		return f.at(s, e.X)
	case f.IsNil(e.X):
		return f.at(s, e.Y)
	}
	return flow.Place{}
}

// sized returns the variable whose capacity, or a part's, the condition at the end of b is about:
// cap(v) < n or v.Cap() > n. There is one idiom for that: a buffer of another size is not given
// back, and not used any more either.
func (f *function) sized(b *cfg.Block) (found *types.Var) {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return nil
	}
	e, ok := b.Nodes[len(b.Nodes)-1].(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	for n := range ast.Preorder(e) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if f.IsBuiltin(call, "cap") {
			found = f.base(call.Args[0])
		} else if sel, ok := syntax.Selector(call); ok && sel.Sel.Name == "Cap" {
			found = f.base(sel.X)
		}
	}
	return found
}

// block evaluates a basic block.
func (f *function) block(s *flow.State, b *cfg.Block) {
	if r, ok := b.Stmt.(*ast.RangeStmt); ok {
		switch b.Kind {
		case cfg.KindRangeBody:
			f.step(s, r)
		case cfg.KindRangeDone:
			f.leave(s, r)
		}
	}
	for _, n := range b.Nodes {
		if e, ok := n.(ast.Expr); ok {
			if f.Clauses[e] {
				continue
			}
			if r := f.over[e]; r != nil {
				f.enter(s, r)
				continue
			}
		}
		f.node(s, n)
	}
	if r := b.Return(); r != nil {
		f.deferred(s, r)
		if f.deduced != nil {
			f.exits = append(f.exits, s)
		}
	}
}

// deferred reads, at a return, the variables that deferred function literals capture. It skips
// those in branches and loops, which may not run.
func (f *function) deferred(s *flow.State, r *ast.ReturnStmt) {
	for _, st := range f.body.List {
		if d, ok := st.(*ast.DeferStmt); ok && d.Pos() < r.Pos() {
			if lit, ok := d.Call.Fun.(*ast.FuncLit); ok {
				f.capture(s, lit)
			}
		}
	}
}

// node evaluates one node of a block.
func (f *function) node(s *flow.State, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		f.assignStmt(s, n)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, x := range n.Names {
			lhs[i] = x
		}
		f.reads(s, n.Values)
		f.assign(s, lhs, n.Values)
	case *ast.DeferStmt:
		f.reads(s, n.Call.Args)
		f.deferring(s, n.Call)
	case *ast.GoStmt:
		f.reads(s, n.Call.Args)
		f.goes(s, n)
	case *ast.ExprStmt:
		f.read(s, n.X)
		if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
			f.unchecked(s, call)
		}
	case *ast.ReturnStmt:
		f.reads(s, n.Results)
		f.returned(s, n)
		f.leaving(s, n)
	case *ast.IncDecStmt:
		f.read(s, n.X)
		f.overwrite(s, n.X)
	case *ast.SendStmt:
		f.read(s, n.Chan)
		f.read(s, n.Value)
		f.keeps(s, n.Chan, n.Value)
	case ast.Expr:
		f.read(s, n)
	}
}
