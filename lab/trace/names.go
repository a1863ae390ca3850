package trace

// past is set in the place of a name that was given back before.
const past = 1 << 31

// names is what a reader knows of a track: which names are given out. It is a sparse set whose
// vacant part is the stack that names come from.
//
// Invariants:
//  1. order[:live] are the living, order[live:] the vacant ones, of which order[live] was given
//     back last
//  2. order[places[x]&^past] is x
//  3. gone holds the names whose place has the bit past, in the order in which they got it
type names struct {
	order  []uint32
	places []uint32
	gone   []uint32
	live   uint32
	last   int64 // the last name that was written
}

// insert gives a name out.
func (n *names) insert() uint32 {
	if int(n.live) == len(n.order) {
		n.order = append(n.order, n.live)
		n.places = append(n.places, n.live)
	}
	x := n.order[n.live]
	n.live++
	return x
}

// lives reports whether x is the name of a living value.
func (n *names) lives(x int64) bool {
	return uint64(x) < uint64(len(n.places)) && n.places[x]&^past < n.live
}

// hasPast reports whether there has been a value of the name x that is gone.
func (n *names) hasPast(x int64) bool {
	return uint64(x) < uint64(len(n.places)) && n.places[x]&past != 0
}

// remove takes the name x back, which must live. The last of the living fills its place.
func (n *names) remove(x uint32) {
	n.live--
	was := n.places[x]
	i, y := was&^past, n.order[n.live]
	if was&past == 0 {
		n.gone = append(n.gone, x)
	}
	n.order[i], n.order[n.live] = y, x
	n.places[y] = n.places[y]&past | i
	n.places[x] = past | n.live
}
