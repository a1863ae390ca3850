package invariants

// Mix returns a number for i. Where the sums of those of two lists are alike, so are the lists, but
// for their order: a check that needs no memory for a set.
func Mix(i int) uint64 {
	x := uint64(i+1) * 0x9E3779B97F4A7C15
	return x ^ x>>29
}
