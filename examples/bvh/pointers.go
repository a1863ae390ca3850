package main

// pointerTree is the Tree as physics engines ported from C have it. Vacant nodes form a free list
// that is linked through their parents, and callers have pointers to nodes.
//
// Source of take and recycle: S. Lembcke, Chipmunk's cpBBTree, in its ports to Go.
type pointerTree struct {
	root *pointerNode
	free *pointerNode
}

type pointerNode struct {
	box         Box
	parent      *pointerNode
	left, right *pointerNode // nil in a leaf
	shape       uint32
}

func (n *pointerNode) leaf() bool { return n.left == nil }

// take returns a zero node.
func (t *pointerTree) take() *pointerNode {
	if t.free == nil {
		for range 32 {
			t.recycle(new(pointerNode))
		}
	}
	n := t.free
	t.free = n.parent
	n.parent = nil
	return n
}

func (t *pointerTree) recycle(n *pointerNode) {
	*n = pointerNode{parent: t.free}
	t.free = n
}

func (t *pointerTree) Insert(box Box, shape uint32) *pointerNode {
	n := t.take()
	n.box, n.shape = box.fat(), shape
	t.link(n)
	return n
}

// Remove removes a shape. Calling it again corrupts the tree.
func (t *pointerTree) Remove(n *pointerNode) {
	t.unlink(n)
	t.recycle(n)
}

func (t *pointerTree) Move(n *pointerNode, box Box) bool {
	if n.box.contains(box) {
		return false
	}
	t.unlink(n)
	n.box = box.fat()
	t.link(n)
	return true
}

func (t *pointerTree) Query(box Box, visit func(shape uint32)) {
	var room [64]*pointerNode
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

func (t *pointerTree) link(n *pointerNode) {
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
	refitPointers(above)
}

func (t *pointerTree) unlink(n *pointerNode) {
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
	refitPointers(above)
}

func (t *pointerTree) replace(parent, from, to *pointerNode) {
	switch {
	case parent == nil:
		t.root = to
	case parent.left == from:
		parent.left = to
	default:
		parent.right = to
	}
}

func refitPointers(n *pointerNode) {
	for ; n != nil; n = n.parent {
		n.box = n.left.box.union(n.right.box)
	}
}
