package main

// seed is mixed with a small number per workload, so that no two workloads share a sequence.
const seed = 0x5EED000000000000

// rng is xorshift64*: small enough to inline into a measured loop, and easy to write again in any
// language that wants to reach the same checksums. Its state must not be 0.
//
// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
// 2014.
type rng struct{ s uint64 }

func (r *rng) next() uint64 {
	r.s ^= r.s >> 12
	r.s ^= r.s << 25
	r.s ^= r.s >> 27
	return r.s * 0x2545F4914F6CDD1D
}

// below returns a number in [0, n). n must fit in 32 bits.
func (r *rng) below(n uint64) uint64 { return ((r.next() >> 32) * n) >> 32 }

// shuffle orders v by the generator, from the last place down.
func shuffle[T any](r *rng, v []T) {
	for i := len(v) - 1; i > 0; i-- {
		j := r.below(uint64(i + 1))
		v[i], v[j] = v[j], v[i]
	}
}
