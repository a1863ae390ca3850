package ends

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/cfg"
)

// graph returns the control-flow graph of f.
func (f *function) graph() *cfg.CFG {
	if f.cfg == nil {
		f.cfg = cfg.New(f.body, f.terminals.mayReturn)
	}
	return f.cfg
}

// maxRounds bounds the visits of a block. No known function needs more than ten.
const maxRounds = 50

// solve returns the state at the beginning of each block, or nil if the states do not converge.
func (f *function) solve(g *cfg.CFG) []*state {
	in := make([]*state, len(g.Blocks))
	in[0] = newState()
	work := []*cfg.Block{g.Blocks[0]}
	for n := 0; len(work) > 0; n++ {
		if n > maxRounds*len(g.Blocks) {
			return nil
		}
		b := work[len(work)-1]
		work = work[:len(work)-1]
		out := in[b.Index].clone()
		f.block(out, b)
		for i, next := range b.Succs {
			s := out
			if p := f.nilOn(out, b, i); p.ok() {
				s = out.clone()
				delete(s.loans, p)
			}
			switch {
			case in[next.Index] == nil:
				in[next.Index] = s.clone()
			case !in[next.Index].join(s):
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
			f.block(s.clone(), b)
		}
	}
	f.reporting = false
	f.flush()
}

// isImplementation reports whether f belongs to a type whose methods have directives. Such methods
// may do to pointers what their callers must not.
func (f *function) isImplementation() bool {
	sum := f.summaries[f.name]
	return sum != nil && sum.Declared || f.declared[receiverType(f.name)]
}

// nilOn returns the place that is nil at the beginning of the i-th successor of b, if there is one.
func (f *function) nilOn(s *state, b *cfg.Block, i int) place {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return place{}
	}
	e, ok := b.Nodes[len(b.Nodes)-1].(*ast.BinaryExpr)
	if !ok || e.Op == token.EQL && i != 0 || e.Op == token.NEQ && i != 1 ||
		e.Op != token.EQL && e.Op != token.NEQ {
		return place{}
	}
	switch {
	case f.isNil(e.Y):
		return f.at(s, e.X)
	case f.isNil(e.X):
		return f.at(s, e.Y)
	}
	return place{}
}

// block evaluates a basic block.
func (f *function) block(s *state, b *cfg.Block) {
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
			if f.clauses[e] {
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
func (f *function) deferred(s *state, r *ast.ReturnStmt) {
	for _, st := range f.body.List {
		if d, ok := st.(*ast.DeferStmt); ok && d.Pos() < r.Pos() {
			if lit, ok := d.Call.Fun.(*ast.FuncLit); ok {
				f.capture(s, lit)
			}
		}
	}
}

// node evaluates one node of a block.
func (f *function) node(s *state, n ast.Node) {
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
	case *ast.GoStmt:
		f.reads(s, n.Call.Args)
	case *ast.ExprStmt:
		f.read(s, n.X)
		if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
			f.unchecked(s, call)
		}
	case *ast.ReturnStmt:
		f.reads(s, n.Results)
		f.returned(s, n)
	case *ast.IncDecStmt:
		f.read(s, n.X)
		f.overwrite(s, n.X)
	case *ast.SendStmt:
		f.read(s, n.Chan)
		f.read(s, n.Value)
	case ast.Expr:
		f.read(s, n)
	}
}
