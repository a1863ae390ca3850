//! The three maps of the crate slotmap. They have the same methods, and share this code.
//!
//! Two keys for each pair, as the crate's documentation suggests, are several times as slow as a copy.

use crate::collection::{crossing, Collection, Crossing};
use crate::collider::Collider;
use slotmap::{DefaultKey, DenseSlotMap, HopSlotMap, SlotMap};

pub type Slots<T> = SlotMap<DefaultKey, T>;
pub type HopSlots<T> = HopSlotMap<DefaultKey, T>;
pub type DenseSlots<T> = DenseSlotMap<DefaultKey, T>;

macro_rules! collection {
    ($map:ident) => {
        impl<T: 'static> Collection<T> for $map<DefaultKey, T> {
            type Handle = DefaultKey;

            fn with_room(n: usize) -> Self {
                $map::with_capacity(n)
            }

            fn len(&self) -> usize {
                $map::len(self)
            }

            fn insert(&mut self, v: T) -> DefaultKey {
                $map::insert(self, v)
            }

            fn get<R>(&self, h: &DefaultKey, f: impl FnOnce(&T) -> R) -> Option<R> {
                $map::get(self, *h).map(f)
            }

            fn remove(&mut self, h: &DefaultKey) -> Option<T> {
                $map::remove(self, *h)
            }

            fn for_each(&self, mut f: impl FnMut(&T)) {
                for v in self.values() {
                    f(v);
                }
            }

            fn for_each_mut(&mut self, mut f: impl FnMut(&mut T)) {
                for v in self.values_mut() {
                    f(v);
                }
            }

            fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
                $map::retain(self, |_, v| keep(v));
            }
        }

        crossing!(
            $map<DefaultKey, Collider>,
            |c| c.keys(),
            c.values_mut(),
            |i, j| c.get_disjoint_mut([i, j]).map(|[a, b]| (a, b))
        );
    };
}

collection!(SlotMap);
collection!(HopSlotMap);
collection!(DenseSlotMap);

#[cfg(test)]
mod tests {
    use super::*;

    /// The behaviour of a stale key, as the lab describes it for all three.
    macro_rules! stale {
        ($name:ident, $map:ident) => {
            #[test]
            fn $name() {
                let mut m = $map::new();
                let old = m.insert(1);
                for _ in 0..1000 {
                    let k = m.insert(2);
                    m.remove(old);
                    assert_eq!(m.get(old), None);
                    assert_eq!(m.remove(old), None);
                    assert_eq!(m.remove(k), Some(2));
                }
                m.insert(3); // into one of the two slots there were
                m.insert(4);
                assert_eq!((m.len(), m.get(old)), (2, None));
            }
        };
    }

    stale!(slotmap_forgets, SlotMap);
    stale!(hop_slotmap_forgets, HopSlotMap);
    stale!(dense_slotmap_forgets, DenseSlotMap);
}
