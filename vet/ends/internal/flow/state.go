package flow

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"github.com/seed505807e1/berth/vet/ends/internal/rule"
)

// A Loan is a borrowed value and its lifetime: a pointer, a slice or a container in an arena. Loans
// are compared by ==.
type Loan struct {
	From  *ast.CallExpr // the call that lent it
	Root  Place         // the container that lent it
	By    Place         // the variable with the handle or key of the lookup
	Key   string        // the constant key of the lookup
	Marks string        // ids of the marks set during the loan, each followed by ';'

	House  bool // a container with its memory in root
	Hollow bool // a container that has no memory yet

	End     *ast.CallExpr // the call that ended it, or nil
	How     rule.Kind     // the kind of the effect that ended it
	Strict  bool          // the effect was strict
	Partly  bool          // it was, and the loan has not ended on every path
	Pending *ast.CallExpr // the call that ends it when loop ends
	Loop    *ast.RangeStmt
}

// Merge returns the loan of a place that holds l on one path and o on another. A loan that has
// ended on one path counts as ended.
func (l Loan) Merge(o Loan) Loan {
	if l.From != o.From {
		if (l.End != nil) != (o.End != nil) {
			if l.End != nil {
				return l.onOnePath(false)
			}
			return o.onOnePath(false)
		}
		l.Partly = l.Partly || o.Partly
		if o.From.Pos() < l.From.Pos() {
			o.Partly = l.Partly
			return o
		}
		return l
	}
	l.Partly = l.Partly || o.Partly || (l.End != nil) != (o.End != nil) && (l.Strict || o.Strict)
	if l.By != o.By || l.Key != o.Key {
		l.By, l.Key = Place{}, ""
	}
	if l.End == nil || o.End != nil && o.End.Pos() < l.End.Pos() {
		l.End, l.How, l.Strict = o.End, o.How, o.Strict
	}
	if l.Pending == nil {
		l.Pending, l.Loop = o.Pending, o.Loop
	}
	l.Hollow = l.Hollow && o.Hollow
	for m := range strings.SplitAfterSeq(o.Marks, ";") {
		if !l.Survives(m) {
			l.Marks += m
		}
	}
	return l
}

// onOnePath returns l as it is where another path does not have it. There, a variable that was
// given back has the same value as here, unless only its size kept it from being given back. One
// that a call has lent has another value.
func (l Loan) onOnePath(sized bool) Loan {
	l.Partly = l.Partly || l.Strict && l.From == l.End && !sized
	return l
}

// Survives reports whether this mark (id and semicolon) was set during the loan.
func (l Loan) Survives(mark string) bool {
	return mark == "" || strings.HasPrefix(l.Marks, mark) || strings.Contains(l.Marks, ";"+mark)
}

// A State is the knowledge about the variables of a function at a point of it. The zero State is
// that at the beginning.
type State struct {
	Loans  map[Place]Loan
	Issued map[Place]Place      // containers of handles
	Same   map[Place]Place      // variables from which handles were copied
	Points map[Place]Place      // targets of pointers
	Values map[Place]Callee     // method values
	Marked map[Place]bool       // marks that were set
	Done   map[rule.Effect]bool // effects that have happened on every path

	Sized map[*types.Var]Side     // variables whose capacity was tested on the way here
	Later map[*ast.CallExpr]Place // calls that were deferred, and the memory they give back
	Going map[ast.Expr]Place      // names that goroutines use, and the memory behind them
}

// Clone returns a copy of s.
func (s *State) Clone() *State {
	return &State{
		maps.Clone(s.Loans), maps.Clone(s.Issued), maps.Clone(s.Same), maps.Clone(s.Points),
		maps.Clone(s.Values), maps.Clone(s.Marked), maps.Clone(s.Done),
		maps.Clone(s.Sized), maps.Clone(s.Later), maps.Clone(s.Going),
	}
}

// Put sets m[k] = v. It makes m if necessary.
func Put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// Sorted returns the keys of m in source order.
func Sorted[K interface {
	comparable
	ast.Node
}, V any](m map[K]V) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		return cmp.Compare(a.Pos(), b.Pos())
	})
}

// Join merges another path into s and reports whether s has changed. It keeps the loans of either
// path, and the rest only if both paths agree.
func (s *State) Join(o *State) bool {
	changed := false
	for k, l := range o.Loans {
		old, ok := s.Loans[k]
		if ok {
			l = old.Merge(l)
		} else {
			l = l.onOnePath(s.differ(o, k))
		}
		if !ok || l != old {
			Put(&s.Loans, k, l)
			changed = true
		}
	}
	for k, l := range s.Loans {
		if _, ok := o.Loans[k]; !ok && l != l.onOnePath(s.differ(o, k)) {
			s.Loans[k] = l.onOnePath(false)
			changed = true
		}
	}
	changed = agree(s.Sized, o.Sized) || changed
	changed = agree(s.Later, o.Later) || changed
	changed = agree(s.Going, o.Going) || changed
	changed = agree(s.Issued, o.Issued) || changed
	changed = agree(s.Same, o.Same) || changed
	changed = agree(s.Points, o.Points) || changed
	changed = agree(s.Values, o.Values) || changed
	changed = agree(s.Marked, o.Marked) || changed
	return agree(s.Done, o.Done) || changed
}

// A Side is a branch that was taken: the i-th successor of a block.
type Side struct {
	Block *cfg.Block
	I     int
}

// differ reports whether two paths part at a test of the capacity of the variable of p.
func (s *State) differ(o *State, p Place) bool {
	a, b := s.Sized[p.Obj], o.Sized[p.Obj]
	return a.Block != nil && a.Block == b.Block && a.I != b.I
}

// agree deletes from m the entries that o does not have and reports whether there were any.
func agree[K, V comparable](m, o map[K]V) bool {
	n := len(m)
	maps.DeleteFunc(m, func(k K, v V) bool {
		w, ok := o[k]
		return !ok || v != w
	})
	return len(m) != n
}

// Identity returns the variable from which the handle at p was copied.
func (s *State) Identity(p Place) Place {
	if q, ok := s.Same[p]; ok {
		return q
	}
	return p
}

// Kill forgets p and its parts, since p is assigned.
func (s *State) Kill(p Place) {
	hit := func(q Place) bool { return q.Under(p) || p.Way == "" && q.indexes(p.Obj) }
	s.Forget(hit, hit)
}

// Change forgets the contents of p and its parts, since a call may assign them.
func (s *State) Change(p Place) {
	s.Forget(
		func(q Place) bool { return q.Under(p) },
		func(q Place) bool { return q.Beyond(p) > 0 })
}

// Forget forgets two sets of places: those whose contents have changed, and those that denote other
// memory now, since a pointer on the way to them has changed.
func (s *State) Forget(contents, memory func(Place) bool) {
	for k, l := range s.Loans {
		switch {
		case contents(k) || l.End == nil && memory(l.Root):
			delete(s.Loans, k)
		case l.By.OK() && contents(l.By):
			l.By = s.another(l.By, contents)
			s.Loans[k] = l
		}
	}
	maps.DeleteFunc(s.Issued, func(k, v Place) bool { return contents(k) || memory(v) })
	maps.DeleteFunc(s.Same, func(k, v Place) bool { return contents(k) || contents(v) })
	maps.DeleteFunc(s.Points, func(k, v Place) bool { return contents(k) || memory(v) })
	maps.DeleteFunc(s.Values, func(k Place, m Callee) bool { return contents(k) || memory(m.Recv) })
	maps.DeleteFunc(s.Marked, func(k Place, _ bool) bool { return contents(k) })
	maps.DeleteFunc(s.Later, func(_ *ast.CallExpr, v Place) bool { return v.OK() && memory(v) })
	maps.DeleteFunc(s.Going, func(_ ast.Expr, v Place) bool { return memory(v) })
}

// another returns an unchanged copy of the handle at p.
func (s *State) another(p Place, contents func(Place) bool) (found Place) {
	for k, v := range s.Same {
		if v == p && !contents(k) && (!found.OK() || k.Id() < found.Id()) {
			found = k
		}
	}
	return found
}

// Follow returns the place that the pointer at p points to.
func (s *State) Follow(p Place) Place {
	if q, ok := s.Points[p]; ok {
		return q
	}
	return p.Pointee()
}

// Origin returns the container that has lent the container at p, or p.
func (s *State) Origin(p Place) Place {
	base, ok := strings.CutSuffix(p.Way, "*")
	if !ok {
		return p
	}
	if l, ok := s.Loans[Place{p.Obj, base}]; ok && !l.House {
		return l.Root
	}
	return p
}

// Walk follows way from p through the known pointers.
func (s *State) Walk(p Place, way string) Place {
	for i := 0; i < len(way); {
		if way[i] == '*' {
			p = s.Follow(p)
			i++
			continue
		}
		j := i + 1
		for j < len(way) && way[j] != '.' && way[j] != '*' && way[j] != '[' {
			j++
		}
		p.Way += way[i:j]
		i = j
	}
	return p
}
