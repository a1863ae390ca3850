package ends

import (
	"go/ast"
)

// enter evaluates the range expression of a loop.
func (f *function) enter(s *state, r *ast.RangeStmt) {
	if f.isSlice(r.X) && isBlank(r.Value) {
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
func (f *function) step(s *state, r *ast.RangeStmt) {
	vars := []ast.Expr{r.Key, r.Value}
	for _, v := range vars {
		f.overwrite(s, v)
	}
	call, isCall := ast.Unparen(r.X).(*ast.CallExpr)
	for i, v := range vars {
		b := binding{at: f.at(s, v)}
		if isBlank(v) || !b.at.ok() {
			continue
		}
		if isCall {
			f.bindResult(s, &b, vars, call, yielded+port(i))
		}
		if i == 1 && isSliceOfPointers(f.typeOf(r.X)) {
			if l, ok := f.borrowed(s, r.X); ok && l.end == nil { // otherwise r.X is reported
				b.loan = l
			}
		}
		f.store(s, b)
	}
	if l, ok := f.borrowed(s, r.X); ok && l.from != nil && f.isSlice(r.X) && !isBlank(r.Value) {
		f.lost(r.Value, r.Body, "the loop copies each value")
	}
}

// leave ends the loans of a loop whose end was pending, since values may move again after it.
func (f *function) leave(s *state, r *ast.RangeStmt) {
	for k, l := range s.loans {
		if l.loop == r && l.end == nil {
			l.end, l.how = l.pending, endsAll
			l.pending, l.loop = nil, nil
			s.loans[k] = l
		}
	}
}
