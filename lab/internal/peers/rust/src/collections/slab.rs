//! The crate slab. Its keys are bare indices: a key cannot tell a value from its predecessor.

use crate::collection::{crossing, Collection, Crossing};
use crate::collider::Collider;
use ::slab::Slab;

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

crossing!(
    Slab<Collider>,
    |c| c.iter().map(|(k, _)| k),
    c.iter_mut().map(|(_, v)| v),
    |i, j| c.get2_mut(i, j)
);

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
