//! The three maps of the crate slotmap. They have the same methods, and share this code.
//!
//! To meet all others, a collider is copied out and the loop visits all. Two keys for each pair, as
//! the crate's documentation suggests, are several times as slow.

use crate::collection::{Collection, Crossing};
use crate::collider::{Collider, FAR};
use slotmap::{DefaultKey, DenseSlotMap, HopSlotMap, SlotMap};
use std::mem::replace;

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

        impl Crossing for $map<DefaultKey, Collider> {
            fn cross(&mut self, keys: &mut Vec<DefaultKey>) -> usize {
                keys.clear();
                keys.extend(self.keys());
                let mut pairs = 0;
                for &k in keys.iter() {
                    let mut a = replace(&mut self[k], FAR);
                    for b in self.values_mut() {
                        pairs += a.meet(b);
                    }
                    self[k] = a;
                }
                pairs
            }

            fn cross_two_keys(&mut self, keys: &mut Vec<DefaultKey>) -> Option<usize> {
                keys.clear();
                keys.extend(self.keys());
                let mut pairs = 0;
                for &i in keys.iter() {
                    for &j in keys.iter() {
                        if i == j {
                            continue;
                        }
                        if let Some([a, b]) = self.get_disjoint_mut([i, j]) {
                            pairs += a.meet(b);
                        }
                    }
                }
                Some(pairs)
            }
        }
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
