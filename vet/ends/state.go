package ends

import (
	"go/ast"
	"maps"
	"strings"
)

// A loan is a borrowed value and its lifetime: a pointer, a slice or a container in an arena. Loans
// are compared by ==.
type loan struct {
	from  *ast.CallExpr // the call that lent it
	root  place         // the container that lent it
	by    place         // the variable with the handle or key of the lookup
	key   string        // the constant key of the lookup
	marks string        // ids of the marks set during the loan, each followed by ';'

	house  bool // a container with its memory in root
	hollow bool // a container that has no memory yet

	end     *ast.CallExpr // the call that ended it, or nil
	how     kind          // the kind of the effect that ended it
	pending *ast.CallExpr // the call that ends it when loop ends
	loop    *ast.RangeStmt
}

// merge returns the loan of a place that holds l on one path and o on another. A loan that has
// ended on one path counts as ended.
func (l loan) merge(o loan) loan {
	if l.from != o.from {
		if (l.end != nil) != (o.end != nil) {
			if l.end != nil {
				return l
			}
			return o
		}
		if o.from.Pos() < l.from.Pos() {
			return o
		}
		return l
	}
	if l.by != o.by || l.key != o.key {
		l.by, l.key = place{}, ""
	}
	if l.end == nil || o.end != nil && o.end.Pos() < l.end.Pos() {
		l.end, l.how = o.end, o.how
		if o.end == nil {
			l.how = ""
		}
	}
	if l.pending == nil {
		l.pending, l.loop = o.pending, o.loop
	}
	l.hollow = l.hollow && o.hollow
	for m := range strings.SplitAfterSeq(o.marks, ";") {
		if !l.survives(m) {
			l.marks += m
		}
	}
	return l
}

// survives reports whether this mark (id and semicolon) was set during the loan.
func (l loan) survives(mark string) bool {
	return mark == "" || strings.HasPrefix(l.marks, mark) || strings.Contains(l.marks, ";"+mark)
}

// A state is the knowledge about the variables of a function at a point of it.
type state struct {
	loans  map[place]loan
	issued map[place]place  // containers of handles
	same   map[place]place  // variables from which handles were copied
	points map[place]place  // targets of pointers
	values map[place]callee // method values
	marked map[place]bool   // marks that were set
	done   map[Effect]bool  // effects that have happened on every path
}

func newState() *state { return &state{done: map[Effect]bool{}} }

func (s *state) clone() *state {
	return &state{
		maps.Clone(s.loans), maps.Clone(s.issued), maps.Clone(s.same), maps.Clone(s.points),
		maps.Clone(s.values), maps.Clone(s.marked), maps.Clone(s.done),
	}
}

// put sets m[k] = v. It makes m if necessary.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// join merges another path into s and reports whether s has changed. It keeps the loans of either
// path, and the rest only if both paths agree.
func (s *state) join(o *state) bool {
	changed := false
	for k, l := range o.loans {
		old, ok := s.loans[k]
		if ok {
			l = old.merge(l)
		}
		if !ok || l != old {
			put(&s.loans, k, l)
			changed = true
		}
	}
	changed = agree(s.issued, o.issued) || changed
	changed = agree(s.same, o.same) || changed
	changed = agree(s.points, o.points) || changed
	changed = agree(s.values, o.values) || changed
	changed = agree(s.marked, o.marked) || changed
	return agree(s.done, o.done) || changed
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

// identity returns the variable from which the handle at p was copied.
func (s *state) identity(p place) place {
	if q, ok := s.same[p]; ok {
		return q
	}
	return p
}

// kill forgets p and its parts, since p is assigned.
func (s *state) kill(p place) {
	hit := func(q place) bool { return q.under(p) || p.way == "" && q.indexes(p.obj) }
	s.forget(hit, hit)
}

// change forgets the contents of p and its parts, since a call may assign them.
func (s *state) change(p place) {
	s.forget(
		func(q place) bool { return q.under(p) },
		func(q place) bool { return q.beyond(p) > 0 })
}

// forget forgets two sets of places: those whose contents have changed, and those that denote other
// memory now, since a pointer on the way to them has changed.
func (s *state) forget(contents, memory func(place) bool) {
	for k, l := range s.loans {
		switch {
		case contents(k) || l.end == nil && memory(l.root):
			delete(s.loans, k)
		case l.by.ok() && contents(l.by):
			l.by = s.another(l.by, contents)
			s.loans[k] = l
		}
	}
	maps.DeleteFunc(s.issued, func(k, v place) bool { return contents(k) || memory(v) })
	maps.DeleteFunc(s.same, func(k, v place) bool { return contents(k) || contents(v) })
	maps.DeleteFunc(s.points, func(k, v place) bool { return contents(k) || memory(v) })
	maps.DeleteFunc(s.values, func(k place, m callee) bool { return contents(k) || memory(m.recv) })
	maps.DeleteFunc(s.marked, func(k place, _ bool) bool { return contents(k) })
}

// another returns an unchanged copy of the handle at p.
func (s *state) another(p place, contents func(place) bool) (found place) {
	for k, v := range s.same {
		if v == p && !contents(k) && (!found.ok() || k.id() < found.id()) {
			found = k
		}
	}
	return found
}

// follow returns the place that the pointer at p points to.
func (s *state) follow(p place) place {
	if q, ok := s.points[p]; ok {
		return q
	}
	return p.pointee()
}

// walk follows way from p through the known pointers.
func (s *state) walk(p place, way string) place {
	for i := 0; i < len(way); {
		if way[i] == '*' {
			p = s.follow(p)
			i++
			continue
		}
		j := i + 1
		for j < len(way) && way[j] != '.' && way[j] != '*' && way[j] != '[' {
			j++
		}
		p.way += way[i:j]
		i = j
	}
	return p
}
