//! The generator that all languages draw from, so that all do the same work.

/// Combined with every seed.
pub const SEED: u64 = 0x5EED_0000_0000_0000;

/// xorshift64*. Its state must not be 0.
///
/// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
/// 2014.
pub struct Rng(u64);

impl Rng {
    /// The generator of the workload with this number.
    pub fn new(number: u64) -> Rng {
        Rng(SEED ^ number)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in 0..n. n must fit in 32 bits.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    /// Orders v, from the last place down.
    pub fn shuffle<T>(&mut self, v: &mut [T]) {
        for i in (1..v.len()).rev() {
            v.swap(i, self.below(i + 1));
        }
    }
}
