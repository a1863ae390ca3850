// Package near finds out who is close to whom, without asking everybody.
//
// Cross-iteration, each value against all the others, takes n*n steps, and that is what stops a
// game at a few thousand objects. A [Grid] puts the values of a container into cells by their
// position, and then looks only into the cells nearby. It works over any [berth.View], such as
// [berth.Pool] and [berth.Dense], and hands out the handles and pointers of that container:
//
//	g := near.NewGrid(10, func(s *Ship) (x, y float64) { return s.X, s.Y })
//	g.Rebuild(&ships)                       // once a frame
//	for a, b := range g.Pairs(10)           // each two within 10 of each other, once
//	for s, others := range g.Traverse(10)   // as Pool.Traverse; others are only the near ones
//	for e := range g.Within(x, y, 50)       // who is there
//	e, ok := g.Nearest(x, y)
//
// The plane has no bounds, coordinates may be negative, and a world that is mostly empty costs no
// more than one that is full: where few cells are in use they are found by hashing. [Grid3] is the
// same in space.
//
// # What a loop sees
//
// A grid knows where its values were when they were put there, by Rebuild, Insert or Move:
//
//  1. A value that has moved since is found where it was, to the precision of a float32, until the
//     next Rebuild, or Move of its handle.
//  2. One that has been removed from its container is never reported, whatever has its slot by now;
//     nor does a loop go on with a pivot that has been removed in it.
//  3. One that came since is not found until the next Rebuild, or Insert of its handle.
//  4. Values may be changed and removed in all loops, also through the grid's own Remove; loops
//     nest, and may be left at any time. Clip is allowed, too.
//  5. Rebuild, Insert, Move and Clear move what a loop walks over: a loop over the same grid panics
//     when its body comes back, unless it leaves the loop.
//  6. A value is nowhere if a coordinate as a float32 is NaN or infinite. It is near nobody at any
//     radius. Traverse visits it, with no others.
//
// Whether a value is near is decided in float64, from what the position function says as long as
// the value is where it was put: a loop over all the others with the same rule finds exactly the
// same. Distances are compared by their squares, which overflow beyond 1e154.
//
// Order is by cells, row by row, and what was inserted or moved since the last Rebuild may come
// later. It depends on the positions, the order of the container and the
// calls, and on nothing else: it is the same on every machine.
//
// # What it costs
//
// Rebuild takes two walks over the container, and over a Pool or a Dense allocates nothing once it
// is warm. A fresh grid has 16 bytes for a value (in space 20) and at most 8 for a cell in use; one
// that has shrunk has up to four times that, and gives it back after some Rebuilds, or at Clip.
// Loops allocate nothing. Where little moves, Insert, Move and Remove are cheaper than Rebuild; the
// first of them after a Rebuild makes an index of the handles.
//
// For values of wildly different sizes a tree of rectangles is better; examples/harbour shows how
// one takes handles.
package near
