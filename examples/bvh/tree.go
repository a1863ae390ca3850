package main

import "github.com/seed505807e1/berth"

// Proxy refers to a shape in a Tree. Once the shape has been removed, it finds nothing.
type Proxy = berth.Handle[node]

type node struct {
	box         Box
	parent      *node
	left, right *node // nil in a leaf
	proxy       Proxy // refers to this node
	shape       uint32
}

func (n *node) leaf() bool { return n.left == nil }

// Tree is a dynamic AABB tree, the broad phase of a physics engine: it finds the shapes whose boxes
// overlap a box. The zero Tree is empty.
//
// The nodes live in a Pool. They refer to each other by pointers, which is safe because values in a
// Pool never move and the tree drops all pointers to a node that it removes. Callers get handles,
// because they may keep one after the shape has been removed.
//
// Source: E. Catto, Box2D's b2DynamicTree, without its rotations.
//
// Invariants:
//  1. a node is a leaf, which is a shape, or has two children, which refer to it as their parent
//  2. the box of an inner node is the union of those of its children
type Tree struct {
	nodes berth.Pool[node]
	root  *node
}

// take returns a node that is zero but for its proxy.
func (t *Tree) take() *node {
	h, n := t.nodes.New()
	n.proxy = h
	return n
}

func (t *Tree) recycle(n *node) { t.nodes.Delete(n.proxy) }

// Insert adds a shape.
func (t *Tree) Insert(box Box, shape uint32) Proxy {
	n := t.take()
	n.box, n.shape = box.fat(), shape
	t.link(n)
	return n.proxy
}

// Remove removes a shape. It reports false if the shape has been removed already.
func (t *Tree) Remove(h Proxy) bool {
	n := t.nodes.Ptr(h)
	if n == nil {
		return false
	}
	t.unlink(n)
	t.recycle(n)
	return true
}

// Move gives a shape another box. It reports whether the tree has changed.
func (t *Tree) Move(h Proxy, box Box) bool {
	n := t.nodes.Ptr(h)
	if n == nil || n.box.contains(box) {
		return false
	}
	t.unlink(n)
	n.box = box.fat()
	t.link(n)
	return true
}

// Query calls visit for each shape whose fat box overlaps box.
func (t *Tree) Query(box Box, visit func(shape uint32)) {
	var room [64]*node
	stack := append(room[:0], t.root)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case n == nil: // the root of an empty tree
		case !n.box.overlaps(box):
		case n.leaf():
			visit(n.shape)
		default:
			stack = append(stack, n.left, n.right)
		}
	}
}

// link puts a leaf into the tree, as the sibling of the node where it costs least.
func (t *Tree) link(n *node) {
	s := t.root
	if s == nil {
		t.root = n
		return
	}
	for !s.leaf() {
		left, right := s.left, s.right
		way := descend(s.box, left.box, right.box, n.box, left.leaf(), right.leaf())
		if way == 0 {
			break
		} else if way == 1 {
			s = left
		} else {
			s = right
		}
	}
	above := s.parent
	p := t.take()
	p.box, p.parent, p.left, p.right = s.box.union(n.box), above, s, n
	s.parent, n.parent = p, p
	t.replace(above, s, p)
	refit(above)
}

// unlink takes a leaf out of the tree, and removes its parent.
func (t *Tree) unlink(n *node) {
	p := n.parent
	if p == nil {
		t.root = nil
		return
	}
	sibling := p.left
	if sibling == n {
		sibling = p.right
	}
	above := p.parent
	sibling.parent = above
	t.replace(above, p, sibling)
	t.recycle(p)
	refit(above)
}

// replace makes to a child of parent in place of from, or the root if there is no parent.
func (t *Tree) replace(parent, from, to *node) {
	switch {
	case parent == nil:
		t.root = to
	case parent.left == from:
		parent.left = to
	default:
		parent.right = to
	}
}

// refit computes the boxes of a node and its ancestors.
func refit(n *node) {
	for ; n != nil; n = n.parent {
		n.box = n.left.box.union(n.right.box)
	}
}
