package trace

// past is set in the place of a name that has been given back at least once.
const past = 1 << 31

// names tracks the names in use on a track. It is a sparse set whose vacant part is the stack of
// free names.
//
// Invariants:
//  1. order[:live] are the live names, order[live:] the vacant ones; order[live] was given back
//     last
//  2. order[places[x]&^past] is x
//  3. gone holds the names whose place has the bit past, in the order in which it was set
type names struct {
	order  []uint32
	places []uint32
	gone   []uint32
	live   uint32
	last   int64 // the last name written
}

// insert issues a name.
func (n *names) insert() uint32 {
	if int(n.live) == len(n.order) {
		n.order = append(n.order, n.live)
		n.places = append(n.places, n.live)
	}
	x := n.order[n.live]
	n.live++
	return x
}

// lives reports whether x is the name of a live value.
func (n *names) lives(x int64) bool {
	return uint64(x) < uint64(len(n.places)) && n.places[x]&^past < n.live
}

// hasPast reports whether a value of name x has been removed.
func (n *names) hasPast(x int64) bool {
	return uint64(x) < uint64(len(n.places)) && n.places[x]&past != 0
}

// remove takes back the name x, which must be live. The last live name fills its place.
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
