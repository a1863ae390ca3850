package main

import "slices"

// edit is a change of a scene. Undo is the same as redo: flip exchanges the present state and the
// one that the edit holds. Edits are flipped only in order, so that each finds the scene as it left
// it.
type edit interface{ flip(s *Scene) }

// branch adds or removes a subtree. It holds the nodes while they are not in the scene.
type branch struct {
	top  Handle
	away []held // parents before their children
}

type held struct {
	h Handle
	n Node
}

func (b *branch) flip(s *Scene) {
	if b.away == nil {
		for _, h := range s.All(b.top) {
			n, _ := s.nodes.Get(h)
			b.away = append(b.away, held{h, n})
		}
		s.unlink(b.top)
		for _, x := range b.away {
			s.nodes.Delete(x.h)
		}
		return
	}
	for _, x := range b.away {
		s.put(x.h, x.n)
	}
	s.link(b.top)
	b.away = nil
}

// move holds the other place of a node.
type move struct {
	h     Handle
	other place
}

func (m *move) flip(s *Scene) {
	n := s.nodes.Ptr(m.h)
	s.unlink(m.h)
	n.place, m.other = m.other, n.place
	s.link(m.h)
}

// rename holds the other name of a node.
type rename struct {
	h     Handle
	other string
}

func (r *rename) flip(s *Scene) {
	n := s.nodes.Ptr(r.h)
	n.Name, r.other = r.other, n.Name
}

// transform holds the other transform of a node.
type transform struct {
	h     Handle
	other Transform
}

func (t *transform) flip(s *Scene) {
	n := s.nodes.Ptr(t.h)
	n.Transform, t.other = t.other, n.Transform
}

// Add adds a node as a child of parent: before another child, or as the last one if before is zero.
func (s *Scene) Add(parent, before Handle, name string, t Transform) (Handle, bool) {
	at, ok := s.gap(parent, before)
	if !ok {
		return Handle{}, false
	}
	h := s.issue()
	s.do(&branch{h, []held{{h, Node{Name: name, Transform: t, place: at}}}})
	return h, true
}

// Remove removes a node and all below it. It reports false for the root.
func (s *Scene) Remove(h Handle) bool {
	if h == s.root || !s.nodes.Contains(h) {
		return false
	}
	s.do(&branch{top: h})
	return true
}

// Move makes a node a child of parent, as Add does. It reports false if parent is in the subtree of
// h, so the root cannot move. As with Rename and Transform, a call that changes nothing is not
// recorded.
func (s *Scene) Move(h, parent, before Handle) bool {
	to, ok := s.gap(parent, before)
	if !ok || !s.nodes.Contains(h) || s.within(parent, h) {
		return false
	}
	if to.prev != h && to.next != h {
		s.do(&move{h, to})
	}
	return true
}

// Rename gives a node another name.
func (s *Scene) Rename(h Handle, name string) bool {
	n := s.nodes.Ptr(h)
	if n != nil && n.Name != name {
		s.do(&rename{h, name})
	}
	return n != nil
}

// Transform gives a node another transform.
func (s *Scene) Transform(h Handle, t Transform) bool {
	n := s.nodes.Ptr(h)
	if n != nil && n.Transform != t {
		s.do(&transform{h, t})
	}
	return n != nil
}

// Undo reverses the last change that is not undone. It reports false if there is none.
func (s *Scene) Undo() bool { return s.turn(&s.done, &s.undone) }

// Redo reverses the last Undo. It reports false if there is none, or a change since.
func (s *Scene) Redo() bool { return s.turn(&s.undone, &s.done) }

func (s *Scene) turn(from, to *[]edit) bool {
	last := len(*from) - 1
	if last < 0 {
		return false
	}
	e := (*from)[last]
	e.flip(s)
	*from = slices.Delete(*from, last, last+1)
	*to = append(*to, e)
	return true
}

// do makes a change and records it. It forgets the changes that could be redone, and the oldest
// change if there are too many.
func (s *Scene) do(e edit) {
	e.flip(s)
	s.done = append(s.done, e)
	s.undone = s.forget(s.undone, len(s.undone))
	s.done = s.forget(s.done, max(0, len(s.done)-s.steps))
}

// forget removes the first n edits. The nodes that they hold cannot come back, so their slots may
// be issued again.
func (s *Scene) forget(edits []edit, n int) []edit {
	for _, e := range edits[:n] {
		if b, ok := e.(*branch); ok {
			for _, x := range b.away {
				s.revoke(x.h)
			}
		}
	}
	return slices.Delete(edits, 0, n)
}
