package main

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// Handle refers to a node. It finds nothing while the node is removed, and finds it again once the
// removal is undone.
type Handle = berth.Handle[Node]

// Transform is the position and the scale of a node, relative to its parent.
type Transform struct{ X, Y, Z, Scale float64 }

// Node is a node of a Scene.
type Node struct {
	Name string
	Transform
	place
	first, last Handle // its children
}

// place is where a node belongs: the node above it, and those before and after it. The root has no
// parent, and a first child has no previous sibling.
type place struct{ parent, prev, next Handle }

// Scene is a tree of nodes with undo and redo. Its methods report false for a handle that finds
// nothing. A pointer to a Node would be good only until the node is removed, so callers get copies.
//
// Nodes are removed and come back under the same handle, so nodes cannot issue handles: it would
// reuse the slot of a removed node. The second pool, ids, issues them. There a handle stays live as
// long as its node can come back.
//
// Invariants:
//  1. the nodes are one tree, whose root is root
//  2. a handle is live in ids if and only if its node is in nodes or held by one edit
//  3. only edits in done and undone hold nodes
type Scene struct {
	nodes *berth.Pool[Node]
	ids   *berth.Pool[struct{}]
	root  Handle

	done, undone []edit
	steps        int // maximum length of done
}

// New returns a scene that has only a root. Scenes with different seeds have different handles.
func New(seed uint32) *Scene {
	c := berth.Config{Seed: seed}
	s := &Scene{nodes: berth.NewPool[Node](c), ids: berth.NewPool[struct{}](c), steps: 1000}
	s.root = s.issue()
	s.put(s.root, Node{Name: "scene", Transform: Transform{Scale: 1}})
	return s
}

// issue returns a handle that no node has had.
func (s *Scene) issue() Handle {
	return berth.HandleFromUint64[Node](s.ids.Insert(struct{}{}).Uint64())
}

// revoke allows the slot of h to be issued again. The node of h cannot come back after that.
func (s *Scene) revoke(h Handle) {
	s.ids.Delete(berth.HandleFromUint64[struct{}](h.Uint64()))
}

// put inserts n under the handle h.
func (s *Scene) put(h Handle, n Node) {
	if err := berth.InsertAt(s.nodes, h, n); err != nil {
		panic("scene: " + err.Error()) // ids and nodes disagree
	}
}

// Root returns the node that cannot be removed or moved.
func (s *Scene) Root() Handle { return s.root }

// Len returns the number of nodes.
func (s *Scene) Len() int { return s.nodes.Len() }

// Get returns a copy of a node.
func (s *Scene) Get(h Handle) (Node, bool) { return s.nodes.Get(h) }

// Parent returns the node above h, or the zero Handle.
func (s *Scene) Parent(h Handle) Handle {
	n, _ := s.nodes.Get(h)
	return n.parent
}

// World returns the transform of h relative to the whole scene.
func (s *Scene) World(h Handle) (Transform, bool) {
	n := s.nodes.Ptr(h)
	if n == nil {
		return Transform{}, false
	}
	t := n.Transform
	for n = s.nodes.Ptr(n.parent); n != nil; n = s.nodes.Ptr(n.parent) {
		t.X = n.X + t.X*n.Scale
		t.Y = n.Y + t.Y*n.Scale
		t.Z = n.Z + t.Z*n.Scale
		t.Scale *= n.Scale
	}
	return t, true
}

// All returns the nodes of the subtree of top with their depth in it, parents before children. The
// loop must not change the tree.
func (s *Scene) All(top Handle) iter.Seq2[int, Handle] {
	return func(yield func(int, Handle) bool) {
		if !s.nodes.Contains(top) {
			return
		}
		depth := 0
		for h := top; yield(depth, h); {
			n := s.nodes.Ptr(h)
			if !n.first.IsZero() {
				h = n.first
				depth++
				continue
			}
			for h != top && n.next.IsZero() {
				h = n.parent
				n = s.nodes.Ptr(h)
				depth--
			}
			if h == top {
				return
			}
			h = n.next
		}
	}
}

// within reports whether h is in the subtree of top.
func (s *Scene) within(h, top Handle) bool {
	for ; !h.IsZero(); h = s.nodes.Ptr(h).parent {
		if h == top {
			return true
		}
	}
	return false
}

// gap returns the place before a child of parent, or behind the last child if before is zero. It
// reports false if there is no such parent, or if before is not its child.
func (s *Scene) gap(parent, before Handle) (place, bool) {
	p := s.nodes.Ptr(parent)
	if p == nil {
		return place{}, false
	}
	if before.IsZero() {
		return place{parent: parent, prev: p.last}, true
	}
	n := s.nodes.Ptr(before)
	if n == nil || n.parent != parent {
		return place{}, false
	}
	return place{parent, n.prev, before}, true
}

// link puts h into its place, between two nodes that are neighbours.
func (s *Scene) link(h Handle) {
	at := s.nodes.Ptr(h).place
	after, before := s.around(at)
	*after, *before = h, h
}

// unlink makes the neighbours of h each other's neighbours. The node keeps its place, so link
// reverses unlink if the neighbours are the same again.
func (s *Scene) unlink(h Handle) {
	at := s.nodes.Ptr(h).place
	after, before := s.around(at)
	*after, *before = at.next, at.prev
}

// around returns the two handles that refer to a node at a place: the one before it refers to it as
// the next, and the one after it as the previous. At the ends it is the parent that refers to it.
func (s *Scene) around(at place) (after, before *Handle) {
	p := s.nodes.Ptr(at.parent)
	after, before = &p.first, &p.last
	if n := s.nodes.Ptr(at.prev); n != nil {
		after = &n.next
	}
	if n := s.nodes.Ptr(at.next); n != nil {
		before = &n.prev
	}
	return after, before
}
