// Package near is a spatial index over a berth container: a uniform grid that turns into a spatial
// hash where values are sparse. It finds the values near a place or near each other.
//
// Cross-iteration, each value against all the others, takes n*n steps. That stops a game at a few
// thousand objects. A [Grid] sorts the values of a container into cells by their position, and
// searches only the cells nearby. It works over any [berth.View], such as [berth.Pool] and
// [berth.Dense], and returns the handles and pointers of that container:
//
//	g := near.NewGrid(10, func(s *Ship) (x, y float64) { return s.X, s.Y })
//	g.Rebuild(&ships)                       // once a frame
//	for a, b := range g.Pairs(10)           // each two within 10 of each other, once
//	for s, others := range g.Traverse(10)   // as berth.Traverse; others are only the near ones
//	for e := range g.Within(x, y, 50)       // the values around a place
//	e, ok := g.Nearest(x, y)
//
// The plane has no bounds, and coordinates may be negative. If few cells are in use, the grid
// hashes them, so empty regions cost no memory. [Grid3] is the same in space.
//
// # Use with a stable.List
//
// A stable.List has keys instead of handles, with the same 8 bytes. [stable.ByHandle] returns a
// view of it by handles, and [stable.KeyOf] and [stable.HandleOf] convert between the two:
//
//	g.Rebuild(stable.ByHandle(&list))
//	for e := range g.Within(x, y, 50) {
//		list.Remove(stable.KeyOf(e.Handle))
//	}
//
// A [stable.ListOf] with another index or identifier has no such view. A grid stores 8 bytes to
// find a value by. Wider keys do not fit, and part of a key does not tell whether it is stale. Put
// the keys of such a list into a Pool, and index that. The position function then looks a key up in
// the list, and returns NaN if it is stale.
//
// # Values that change
//
// A grid keeps the position that each value had at Rebuild, Insert or Move:
//
//  1. A value that has moved since is found where it was, to the precision of a float32, until the
//     next Rebuild, or Move of its handle.
//  2. A value that has been removed from its container is never reported, even after its slot is
//     reused. A loop does not go on with a pivot that was removed in it.
//  3. A value that was inserted since is not found until the next Rebuild, or Insert of its handle.
//  4. Values may be changed and removed in all loops, also through the grid's own Remove. Loops
//     nest, and may be left at any time. Clip is allowed, too.
//  5. Rebuild, Insert, Move and Clear move the items of the grid: a loop over the same grid panics
//     when its body returns, unless it leaves the loop.
//  6. A value is nowhere if a coordinate as a float32 is NaN or infinite. It is near no other value
//     at any radius. Traverse visits it, with no others.
//
// Distances are computed in float64 from the results of the position function, as long as the value
// is where it was put. A loop over all the others with the same rule therefore finds exactly the
// same values. Distances are compared by their squares, which overflow beyond 1e154.
//
// The order is by cells, row by row. Values that were inserted or moved since the last Rebuild may
// come later, and a search that scans all values visits them in the grid's own order. The order
// depends on the positions, the order of the container and the calls only. It is the same on every
// machine.
//
// # Cost
//
// A search takes a step for each value and each row of cells within the radius. If that would be
// too many, it scans all values instead, also after it has begun. So these bounds hold in every
// world: one stray far from a crowd, all values in one point, coordinates that a float32 barely
// distinguishes. A step looks at one value or at one bucket of values. n is the number of values in
// the grid, [Stats].Items and Vacant together.
//
//   - Within, Near and each loop over [Others] take at most 2*n steps.
//   - Nearest and NearestK take at most 3*n. NearestK also sorts its results.
//   - Pairs takes at most n*(n-1), twice the number of pairs. Two values take 3, one takes 1.
//   - Traverse takes at most 2*n*n with one loop over the others of each value.
//
// Rebuild calls the position function once for each value. Over a Pool, a Dense or a List it
// allocates nothing once its memory is large enough. A fresh grid has 32 bytes for a value (in
// space 40), half of them to sort it, and at most 8 for a cell in use. A grid that has shrunk has
// up to four times that. It returns the memory after some Rebuilds, or at Clip, which also returns
// the memory for sorting. Loops allocate nothing. If few values move, Insert, Move and Remove are
// cheaper than Rebuild. The first of them after a Rebuild makes an index of the handles.
//
// For values of very different sizes a tree of boxes is better. examples/bvh has one, in a Pool.
package near
