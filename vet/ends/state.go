package ends

import (
	"go/ast"
	"maps"
	"strings"
)

// A loan is a pointer, a slice or a container in an arena that a variable holds, and its lifetime.
// Loans are compared by ==.
type loan struct {
	from  *ast.CallExpr // the call that lent it
	root  place         // the container that lent it
	by    place         // the handle or key by which it was looked up, if it is in a variable
	key   string        // the same, if it is a constant
	marks string        // ids of the marks set since, each followed by ';'

	house  bool // it is a container with its memory in root
	hollow bool // such a container, but it cannot have memory yet

	end     *ast.CallExpr // the call that ended it, or nil
	how     kind          // the effect of end
	pending *ast.CallExpr // a removal that ends it when the loop ends
	loop    *ast.RangeStmt
}

// merge returns what is known of a place that holds l on one path and o on the other. A loan that
// has ended on one path counts as ended.
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

// survives reports whether the mark with this id and semicolon was set while l was lent.
func (l loan) survives(mark string) bool {
	return mark == "" || strings.HasPrefix(l.marks, mark) || strings.Contains(l.marks, ";"+mark)
}

// A state is what is known at a point of a function.
type state struct {
	loans  map[place]loan
	issued map[place]place  // containers of handles
	same   map[place]place  // variables that are copies of others, such as handles
	points map[place]place  // what pointers point to
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

// put sets m[k] = v, and makes m if necessary.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// join adds another path to s and reports whether s has changed. Loans are those of either path,
// and the rest is what both paths agree on.
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

// agree deletes from m what o does not have, and reports whether there was any.
func agree[K, V comparable](m, o map[K]V) bool {
	n := len(m)
	maps.DeleteFunc(m, func(k K, v V) bool {
		w, ok := o[k]
		return !ok || v != w
	})
	return len(m) != n
}

// identity returns the variable of which the handle at p is a copy.
func (s *state) identity(p place) place {
	if q, ok := s.same[p]; ok {
		return q
	}
	return p
}

// kill forgets p and its parts, because p is assigned.
func (s *state) kill(p place) {
	hit := func(q place) bool { return q.under(p) || p.way == "" && q.indexes(p.obj) }
	s.forget(hit, hit)
}

// change forgets what is stored in p and its parts, because a call may assign them.
func (s *state) change(p place) {
	s.forget(
		func(q place) bool { return q.under(p) },
		func(q place) bool { return q.beyond(p) > 0 })
}

// forget forgets the places that are hit: those whose contents have changed, and those that now
// denote other memory, since a pointer on the way to them has changed.
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

// another returns a copy of the handle at p, whose contents change.
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

// walk follows a way, and with it the pointers that s knows.
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
