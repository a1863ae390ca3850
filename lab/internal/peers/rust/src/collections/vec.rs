//! A plain Vec whose removals move the last value into the hole. It has no handles: a value's only
//! name is its position, for as long as nothing before it goes.

use crate::collection::{Collection, Crossing};
use crate::collider::Collider;
use crate::rng::Rng;
use std::mem::replace;

/// A newtype of Vec, since a Vec that is a Collection would have two methods of most names.
pub struct SwapVec<T>(Vec<T>);

impl<T: 'static> Collection<T> for SwapVec<T> {
    type Handle = u32;

    fn with_room(n: usize) -> Self {
        SwapVec(Vec::with_capacity(n))
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn insert(&mut self, v: T) -> u32 {
        let at = self.0.len() as u32;
        self.0.push(v);
        at
    }

    fn get<R>(&self, h: &u32, f: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.get(*h as usize).map(f)
    }

    fn remove(&mut self, h: &u32) -> Option<T> {
        Some(self.0.swap_remove(*h as usize))
    }

    fn for_each(&self, f: impl FnMut(&T)) {
        self.0.iter().for_each(f);
    }

    fn for_each_mut(&mut self, f: impl FnMut(&mut T)) {
        self.0.iter_mut().for_each(f);
    }

    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut i = 0;
        while i < self.0.len() {
            match keep(&mut self.0[i]) {
                true => i += 1,
                false => drop(self.0.swap_remove(i)), // another value is at i now
            }
        }
    }

    fn clip(&mut self) -> bool {
        self.0.shrink_to_fit();
        true
    }

    /// Draws a position for each removal, among the values that are then left.
    fn plan(hs: &mut [u32], r: &mut Rng) {
        let n = hs.len();
        for (i, h) in hs.iter_mut().enumerate() {
            *h = r.below(n - i) as u32;
        }
    }

    /// Removes the values at these positions.
    fn remove_all(&mut self, hs: &[u32]) {
        let mut gone = vec![false; self.0.len()];
        for &h in hs {
            gone[h as usize] = true;
        }
        let mut gone = gone.into_iter();
        self.0.retain(|_| gone.next() == Some(false));
    }

    /// Overwrites, which is faster than any collection with handles can be.
    fn replace(&mut self, h: &mut u32, v: T) -> Option<T> {
        Some(replace(&mut self.0[*h as usize], v))
    }
}

impl Crossing for SwapVec<Collider> {
    fn cross(&mut self, _keys: &mut Vec<u32>) -> usize {
        let mut pairs = 0;
        for i in 0..self.0.len() {
            let (head, rest) = self.0.split_at_mut(i);
            if let Some((a, tail)) = rest.split_first_mut() {
                for b in head {
                    pairs += a.meet(b);
                }
                for b in tail {
                    pairs += a.meet(b);
                }
            }
        }
        pairs
    }
}
