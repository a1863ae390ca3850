package berth

import "iter"

// Drain returns an iterator over the values of c, a [Pool], a [Dense], a stable.List or any other
// container with these methods. It removes each value before it yields it, so OnRemove is called.
// After an early break, the last value yielded is removed, and those not yet reached are untouched.
// Values that the body inserts may remain, by the rules of loops.
//
// A loop that calls Remove itself does the same, and allocates nothing:
//
//	for h := range c.All() {
//		v, _ := c.Remove(h)
//		fmt.Println(v)
//	}
//
// Cost: a loop over the live values, and Remove for each; allocates the loop.
// Ends: as Remove for each value.
//
//berth:begins of c
func Drain[H, T any](c interface {
	All() iter.Seq2[H, *T]
	Remove(h H) (T, bool)
}) iter.Seq2[H, T] {
	return func(yield func(H, T) bool) {
		for h := range c.All() {
			if v, _ := c.Remove(h); !yield(h, v) {
				return
			}
		}
	}
}

// Handles returns an iterator over the handles or keys of c, a [Pool], a [Dense], a stable.List or
// any other container with this method: slices.Collect(berth.Handles(c)) is a slice of them. A loop
// needs only for h := range c.All().
// Cost: as All; allocates the loop.
//
//berth:issues y0 of c
func Handles[H, T any](c interface{ All() iter.Seq2[H, *T] }) iter.Seq[H] {
	return func(yield func(H) bool) {
		for h := range c.All() {
			if !yield(h) {
				return
			}
		}
	}
}
