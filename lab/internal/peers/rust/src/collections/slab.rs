//! The crate slab. Its keys are bare indices: a key cannot tell a value from its predecessor.

use crate::collection::{Collection, Crossing};
use crate::collider::{Collider, FAR};
use ::slab::Slab;
use std::mem::replace;

impl<T: 'static> Collection<T> for Slab<T> {
    type Handle = usize;

    fn with_room(n: usize) -> Self {
        Slab::with_capacity(n)
    }

    fn len(&self) -> usize {
        Slab::len(self)
    }

    fn insert(&mut self, v: T) -> usize {
        Slab::insert(self, v)
    }

    fn get<R>(&self, h: &usize, f: impl FnOnce(&T) -> R) -> Option<R> {
        Slab::get(self, *h).map(f)
    }

    fn remove(&mut self, h: &usize) -> Option<T> {
        self.try_remove(*h)
    }

    fn for_each(&self, mut f: impl FnMut(&T)) {
        self.iter().for_each(|(_, v)| f(v));
    }

    fn for_each_mut(&mut self, mut f: impl FnMut(&mut T)) {
        self.iter_mut().for_each(|(_, v)| f(v));
    }

    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        Slab::retain(self, |_, v| keep(v));
    }

    fn clip(&mut self) -> bool {
        self.shrink_to_fit();
        true
    }
}

impl Crossing for Slab<Collider> {
    fn cross(&mut self, keys: &mut Vec<usize>) -> usize {
        keys.clear();
        keys.extend(self.iter().map(|(k, _)| k));
        let mut pairs = 0;
        for &k in keys.iter() {
            let mut a = replace(&mut self[k], FAR);
            for (_, b) in self.iter_mut() {
                pairs += a.meet(b);
            }
            self[k] = a;
        }
        pairs
    }

    fn cross_two_keys(&mut self, keys: &mut Vec<usize>) -> Option<usize> {
        keys.clear();
        keys.extend(self.iter().map(|(k, _)| k));
        let mut pairs = 0;
        for &i in keys.iter() {
            for &j in keys.iter() {
                if i == j {
                    continue; // get2_mut panics
                }
                if let Some((a, b)) = self.get2_mut(i, j) {
                    pairs += a.meet(b);
                }
            }
        }
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_used_again() {
        let mut s = Slab::new();
        let old = s.insert(1);
        s.remove(old);
        assert_eq!(s.get(old), None);
        s.insert(2);
        assert_eq!(s.get(old), Some(&2));
    }
}
