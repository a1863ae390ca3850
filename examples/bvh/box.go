package main

// Box is an axis-aligned bounding box (AABB).
type Box struct{ MinX, MinY, MaxX, MaxY float64 }

func (a Box) overlaps(b Box) bool {
	return a.MinX <= b.MaxX && b.MinX <= a.MaxX && a.MinY <= b.MaxY && b.MinY <= a.MaxY
}

func (a Box) contains(b Box) bool {
	return a.MinX <= b.MinX && a.MinY <= b.MinY && b.MaxX <= a.MaxX && b.MaxY <= a.MaxY
}

func (a Box) union(b Box) Box {
	return Box{min(a.MinX, b.MinX), min(a.MinY, b.MinY), max(a.MaxX, b.MaxX), max(a.MaxY, b.MaxY)}
}

// perimeter is the measure of a box in the cost of a tree.
func (a Box) perimeter() float64 { return 2 * (a.MaxX - a.MinX + a.MaxY - a.MinY) }

// margin is added to each side of a shape's box, so that the tree changes only when the shape has
// moved farther than that.
const margin = 0.5

func (a Box) fat() Box {
	return Box{a.MinX - margin, a.MinY - margin, a.MaxX + margin, a.MaxY + margin}
}

// descend decides where a new leaf with a box goes at a node with two children. 0 makes the leaf
// the sibling of the node, 1 descends to the left child, and 2 to the right one.
func descend(node, left, right, box Box, leftIsLeaf, rightIsLeaf bool) int {
	grown := node.union(box).perimeter()
	inherited := 2 * (grown - node.perimeter()) // cost of the larger box of the node
	cost := func(child Box, leaf bool) float64 {
		c := child.union(box).perimeter() + inherited
		if !leaf {
			c -= child.perimeter()
		}
		return c
	}
	l, r := cost(left, leftIsLeaf), cost(right, rightIsLeaf)
	switch {
	case 2*grown < min(l, r):
		return 0
	case l < r:
		return 1
	}
	return 2
}
