package ends

import (
	"go/ast"

	"github.com/seed505807e1/berth/vet/ends/internal/flow"
	"github.com/seed505807e1/berth/vet/ends/internal/rule"
	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// enter evaluates the range expression of a loop.
func (f *function) enter(s *flow.State, r *ast.RangeStmt) {
	if f.IsSlice(r.X) && syntax.IsBlank(r.Value) {
		if _, ok := ast.Unparen(r.X).(*ast.Ident); ok {
			return // only the length is read
		}
	}
	f.read(s, r.X)
	if call, ok := ast.Unparen(r.X).(*ast.CallExpr); ok {
		f.begin(s, call)
	}
}

// step assigns the variables of a loop for one iteration.
func (f *function) step(s *flow.State, r *ast.RangeStmt) {
	vars := []ast.Expr{r.Key, r.Value}
	for _, v := range vars {
		f.overwrite(s, v)
	}
	call, isCall := ast.Unparen(r.X).(*ast.CallExpr)
	for i, v := range vars {
		b := binding{at: f.at(s, v)}
		if syntax.IsBlank(v) || !b.at.OK() {
			continue
		}
		if isCall {
			f.bindResult(s, &b, vars, call, rule.Yielded+rule.Port(i))
		}
		if i == 1 && syntax.IsSliceOfPointers(f.TypeOf(r.X)) {
			if l, ok := f.borrowed(s, r.X); ok && l.End == nil { // otherwise r.X is reported
				b.loan = l
			}
		}
		f.store(s, b)
	}
	l, ok := f.borrowed(s, r.X)
	if ok && l.From != nil && f.IsSlice(r.X) && !syntax.IsBlank(r.Value) {
		f.lost(r.Value, r.Body, "the loop copies each value")
	}
}

// leave ends the loans of a loop whose end was pending, since values may move again after it.
func (f *function) leave(s *flow.State, r *ast.RangeStmt) {
	for k, l := range s.Loans {
		if l.Loop == r && l.End == nil {
			l.End, l.How = l.Pending, rule.EndsAll
			l.Pending, l.Loop = nil, nil
			s.Loans[k] = l
		}
	}
}
