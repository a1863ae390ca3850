package invariants

// Mix returns a hash of i. If two lists have the same sum of hashes, they have the same elements,
// with near certainty. The check needs no memory for a set.
func Mix(i int) uint64 {
	x := uint64(i+1) * 0x9E3779B97F4A7C15
	return x ^ x>>29
}
