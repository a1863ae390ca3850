//! The traits of a collection. The workloads are written once, for all types with these traits:
//! the compiler makes a copy for each, into which the collection's own loops are inlined.

use crate::collider::Collider;
use crate::rng::Rng;

/// A collection of T with handles.
pub trait Collection<T: 'static>: Sized {
    type Handle: Clone + 'static;

    /// An empty collection, with room for n values, or its default room if n is 0.
    fn with_room(n: usize) -> Self;
    fn len(&self) -> usize;
    fn insert(&mut self, v: T) -> Self::Handle;
    /// Returns the result of f for the value of h, if there is one.
    fn get<R>(&self, h: &Self::Handle, f: impl FnOnce(&T) -> R) -> Option<R>;
    fn remove(&mut self, h: &Self::Handle) -> Option<T>;
    fn for_each(&self, f: impl FnMut(&T));
    fn for_each_mut(&mut self, f: impl FnMut(&mut T));
    /// Visits all, and removes those for which keep is false.
    fn retain(&mut self, keep: impl FnMut(&mut T) -> bool);

    /// Releases memory. Returns false if there is no such call.
    fn clip(&mut self) -> bool {
        false
    }

    /// Orders the handles for removal.
    fn plan(hs: &mut [Self::Handle], r: &mut Rng) {
        r.shuffle(hs);
    }

    /// Removes many. It is not timed.
    fn remove_all(&mut self, hs: &[Self::Handle]) {
        for h in hs {
            self.remove(h);
        }
    }

    /// Removes the value of h, and inserts another, of which h is then the handle.
    fn replace(&mut self, h: &mut Self::Handle, v: T) -> Option<T> {
        let old = self.remove(h);
        *h = self.insert(v);
        old
    }
}

/// A collection of colliders that can all meet each other.
pub trait Crossing: Collection<Collider> {
    /// Lets every collider meet every other one, in the best way that is safe, and returns how many
    /// ordered pairs are close. keys is memory to use.
    fn cross(&mut self, keys: &mut Vec<Self::Handle>) -> usize;

    /// The same by looking up two handles for each pair, if the collection supports that.
    fn cross_two_keys(&mut self, _keys: &mut Vec<Self::Handle>) -> Option<usize> {
        None
    }
}
