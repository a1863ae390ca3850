//! The elements of the workloads of values: structs of words, as in Go, where arrays of words would
//! be slower than typical values. To this compiler they are the same.

use std::ptr::read_volatile;

/// The workloads add up v, and pad fills the element up to its size.
#[allow(dead_code)]
pub struct Elem<P> {
    pad: P,
    pub v: u64,
}

impl<P: Pad> Elem<P> {
    pub fn new(pad: P, v: u64) -> Self {
        Elem { pad, v }
    }
}

/// Fills an element up to its size.
pub trait Pad: Copy + 'static {
    /// Returns the pad of all elements of a loop, which the compiler does not know.
    fn make() -> Self;
}

/// The pad of an element that is one word.
#[derive(Clone, Copy)]
pub struct NoWords;

impl Pad for NoWords {
    fn make() -> Self {
        NoWords
    }
}

/// Defines a pad that is a struct of words.
macro_rules! words {
    ($name:ident: $($word:ident)+) => {
        #[allow(dead_code)]
        #[derive(Clone, Copy)]
        pub struct $name {
            $($word: u64),+
        }

        impl Pad for $name {
            #[inline(never)]
            fn make() -> Self {
                let word = 1u64;
                // Safe: a reference may be read.
                $name { $($word: unsafe { read_volatile(&word) }),+ }
            }
        }
    };
}

words!(Words3: a b c);
words!(Words15: a b c d e f g h i j k l m n o);
