package measure

// Seed is combined with a small number per workload, so that no two workloads share a sequence.
const Seed = 0x5EED000000000000

// RNG is xorshift64*. It is small enough to be inlined into a measured loop, and easy to implement
// in other languages, which must reach the same checksums. Its state must not be 0.
//
// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
// 2014.
type RNG struct{ S uint64 }

func (r *RNG) Next() uint64 {
	r.S ^= r.S >> 12
	r.S ^= r.S << 25
	r.S ^= r.S >> 27
	return r.S * 0x2545F4914F6CDD1D
}

// Below returns a number in [0, n). n must fit in 32 bits.
func (r *RNG) Below(n uint64) uint64 { return ((r.Next() >> 32) * n) >> 32 }

// Shuffle orders v by the generator, from the last place down.
func Shuffle[T any](r *RNG, v []T) {
	for i := len(v) - 1; i > 0; i-- {
		j := r.Below(uint64(i + 1))
		v[i], v[j] = v[j], v[i]
	}
}
