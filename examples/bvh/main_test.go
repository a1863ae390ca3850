package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// check checks the invariants of t, and that its leaves are n shapes.
func check(tt *testing.T, t *Tree, n int) {
	tt.Helper()
	leaves, nodes := 0, 0
	var visit func(n, parent *node)
	visit = func(n, parent *node) {
		if n != t.nodes.Ptr(n.proxy) || n.parent != parent {
			tt.Fatalf("below %p, %p is %+v", parent, n, n)
		}
		nodes++
		if n.leaf() {
			leaves++
			return
		}
		visit(n.left, n)
		visit(n.right, n)
		if got := n.left.box.union(n.right.box); got != n.box {
			tt.Fatalf("the box of %v is %v, want %v", n.proxy, n.box, got)
		}
	}
	if t.root != nil {
		visit(t.root, nil)
	}
	if leaves != n || nodes != t.nodes.Len() || nodes != max(2*n-1, 0) {
		tt.Fatalf("%d nodes with %d leaves, and %d in the pool; want %d leaves",
			nodes, leaves, t.nodes.Len(), n)
	}
}

func collect[P any](t broadphase[P], box Box) (shapes []uint32) {
	t.Query(box, func(shape uint32) { shapes = append(shapes, shape) })
	return shapes
}

// shape is a shape in the trees, or one that has been removed.
type shape struct {
	h    Proxy
	p    *pointerNode
	fat  Box
	live bool
}

// TestModel changes both trees in the same way, and a slice.
func TestModel(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 0))
		anywhere := func(size float64) Box {
			x, y := 30*random.Float64(), 30*random.Float64()
			return Box{x, y, x + size*random.Float64(), y + size*random.Float64()}
		}
		var tree Tree
		var pointers pointerTree
		var shapes []shape
		live := 0
		grow := 1 + int(seed%3)*4 // of 10 calls that come or go; the rest are removals
		for range 600 {
			box := anywhere(2)
			k := random.IntN(15)
			switch {
			case k < grow || len(shapes) == 0:
				i := uint32(len(shapes))
				shapes = append(shapes,
					shape{tree.Insert(box, i), pointers.Insert(box, i), box.fat(), true})
				live++
			case k < 10:
				s := &shapes[random.IntN(len(shapes))]
				if got := tree.Remove(s.h); got != s.live {
					t.Fatalf("Remove = %v, want %v", got, s.live)
				}
				if s.live {
					pointers.Remove(s.p)
					s.live = false
					live--
				}
			default:
				s := &shapes[random.IntN(len(shapes))]
				if random.IntN(2) == 0 { // a small move, which may change nothing
					x := random.Float64()
					box = Box{s.fat.MinX + x, s.fat.MinY + x, s.fat.MaxX - x, s.fat.MaxY - x}
				}
				want := s.live && !s.fat.contains(box)
				if got := tree.Move(s.h, box); got != want {
					t.Fatalf("Move = %v, want %v", got, want)
				}
				if s.live && pointers.Move(s.p, box) != want {
					t.Fatalf("Move in the tree of pointers = %v, want %v", !want, want)
				}
				if want {
					s.fat = box.fat()
				}
			}
			check(t, &tree, live)
			box = anywhere(20)
			got, same := collect(&tree, box), collect(&pointers, box)
			if !slices.Equal(got, same) {
				t.Fatalf("query finds %v, in the tree of pointers %v", got, same)
			}
			slices.Sort(got)
			var want []uint32
			for i, s := range shapes {
				if s.live && s.fat.overlaps(box) {
					want = append(want, uint32(i))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("query finds %v, want %v", got, want)
			}
		}
	}
}

// TestStale uses a proxy of a removed shape whose slot has another shape.
func TestStale(t *testing.T) {
	var tree Tree
	old := tree.Insert(Box{0, 0, 1, 1}, 1)
	tree.Remove(old)
	tree.Insert(Box{5, 5, 6, 6}, 2)
	if tree.Move(old, Box{9, 9, 10, 10}) || tree.Remove(old) || tree.Remove(Proxy{}) {
		t.Error("a stale proxy finds a shape")
	}
	if got := collect(&tree, Box{0, 0, 10, 10}); !slices.Equal(got, []uint32{2}) {
		t.Errorf("query finds %v, want [2]", got)
	}
}

// TestMargin moves a shape in each direction, by no more than the margin and by more.
func TestMargin(t *testing.T) {
	for _, way := range []Box{{1, 0, 1, 0}, {-1, 0, -1, 0}, {0, 1, 0, 1}, {0, -1, 0, -1}} {
		for _, distance := range []float64{margin, margin + 0.25} {
			var tree Tree
			h := tree.Insert(Box{2, 2, 3, 3}, 0)
			box := Box{2 + distance*way.MinX, 2 + distance*way.MinY,
				3 + distance*way.MaxX, 3 + distance*way.MaxY}
			if got, want := tree.Move(h, box), distance > margin; got != want {
				t.Errorf("Move to %v = %v, want %v", box, got, want)
			}
		}
	}
}

// TestQuality checks that descend chooses well: a query visits fewer nodes of small perimeters.
func TestQuality(t *testing.T) {
	var tree Tree
	const n = 4096
	random := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		x, y := 200*random.Float64(), 200*random.Float64()
		tree.Insert(Box{x, y, x + 1, y + 1}, uint32(i))
	}
	check(t, &tree, n)
	cost := 0.0
	for n := range tree.nodes.Values() {
		cost += n.box.perimeter()
	}
	if cost > 295_000 {
		t.Errorf("the perimeters of all nodes add up to %.0f, want less than 295 000", cost)
	}
}

func TestSteps(t *testing.T) {
	s, p := newScene(&Tree{}, 300), newScene(&pointerTree{}, 300)
	for i := range 100 {
		s.step()
		p.step()
		if s.sum() != p.sum() || s.pairs != p.pairs || s.moves != p.moves {
			t.Fatalf("step %d: %d pairs, %d moves, checksum %x; with pointers %d, %d, %x", i,
				s.pairs, s.moves, s.sum(), p.pairs, p.moves, p.sum())
		}
	}
	if s.pairs == 0 || s.moves == 0 {
		t.Errorf("%d pairs and %d moves, want some", s.pairs, s.moves)
	}
}

func TestBurst(t *testing.T) {
	var tree Tree
	burst(&tree, func(h Proxy) { tree.Remove(h) }, 1000)
	check(t, &tree, 0)
	var pointers pointerTree
	burst(&pointers, pointers.Remove, 1000)
	n := 0
	for f := pointers.free; f != nil; f = f.parent {
		n++
	}
	if pointers.root != nil || n != 2016 { // 1999 in blocks of 32
		t.Errorf("root %v, %d nodes in the free list, want 2016", pointers.root, n)
	}
}
