//! An arena with generational indices, after the documentation of the crate generational-arena 0.2,
//! of which Debian has no package. Nothing of its code is here.
//!
//! According to its documentation, entries are in a Vec, which doubles when it is full. The free ones
//! are chained, and the one freed last is reused first. Each removal advances the one generation
//! that all entries share. All memory consists of entries, free or not, so a loop visits every one
//! that was ever allocated.

use crate::collection::{Collection, Crossing};
use crate::collider::{Collider, FAR};
use std::mem::replace;

enum Entry<T> {
    Free { next: Option<usize> },
    Held { generation: u64, value: T },
}
use Entry::{Free, Held};

#[derive(Clone, Copy, PartialEq)]
pub struct Index {
    at: usize,
    generation: u64,
}

pub struct Arena<T> {
    entries: Vec<Entry<T>>,
    free: Option<usize>, // the first of the chain
    generation: u64,
    len: usize,
}

/// The default room of an arena.
const ROOM: usize = 4;

impl<T> Arena<T> {
    pub fn with(room: usize) -> Self {
        let mut a = Arena { entries: Vec::new(), free: None, generation: 0, len: 0 };
        a.extend(room.max(1));
        a
    }

    /// Makes room for more values, all of it as free entries.
    fn extend(&mut self, more: usize) {
        let from = self.entries.len();
        let to = from + more;
        let old = self.free;
        self.entries.reserve_exact(more);
        self.entries
            .extend((from + 1..=to).map(|i| Free { next: if i < to { Some(i) } else { old } }));
        self.free = Some(from);
    }

    pub fn insert(&mut self, value: T) -> Index {
        let at = match self.free {
            Some(at) => at,
            None => {
                let at = self.entries.len();
                self.extend(at);
                at
            }
        };
        if let Free { next } = self.entries[at] {
            self.free = next;
        }
        let generation = self.generation;
        self.entries[at] = Held { generation, value };
        self.len += 1;
        Index { at, generation }
    }

    pub fn remove(&mut self, i: Index) -> Option<T> {
        match self.entries.get(i.at) {
            Some(Held { generation, .. }) if *generation == i.generation => {}
            _ => return None,
        }
        let entry = replace(&mut self.entries[i.at], Free { next: self.free });
        self.free = Some(i.at);
        self.generation += 1;
        self.len -= 1;
        match entry {
            Held { value, .. } => Some(value),
            Free { .. } => None,
        }
    }

    pub fn get(&self, i: Index) -> Option<&T> {
        match self.entries.get(i.at) {
            Some(Held { generation, value }) if *generation == i.generation => Some(value),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, i: Index) -> Option<&mut T> {
        self.entries.get_mut(i.at).and_then(|e| e.of(i))
    }

    /// Two values at once. Of two indices with the same place, at most one is valid.
    pub fn get2_mut(&mut self, i: Index, j: Index) -> (Option<&mut T>, Option<&mut T>) {
        if i.at == j.at {
            return match self.get(i) {
                Some(_) => (self.get_mut(i), None),
                None => (None, self.get_mut(j)),
            };
        }
        if i.at.max(j.at) >= self.entries.len() {
            return match i.at < j.at {
                true => (self.get_mut(i), None),
                false => (None, self.get_mut(j)),
            };
        }
        let (low, high) = self.entries.split_at_mut(i.at.max(j.at));
        match i.at < j.at {
            true => (low[i.at].of(i), high[0].of(j)),
            false => (high[0].of(i), low[j.at].of(j)),
        }
    }

    fn indices(&self) -> impl Iterator<Item = Index> + '_ {
        self.entries.iter().enumerate().filter_map(|(at, e)| match e {
            Held { generation, .. } => Some(Index { at, generation: *generation }),
            Free { .. } => None,
        })
    }
}

impl<T> Entry<T> {
    /// The value of i, if i is valid.
    fn of(&mut self, i: Index) -> Option<&mut T> {
        match self {
            Held { generation, value } if *generation == i.generation => Some(value),
            _ => None,
        }
    }
}

impl<T: 'static> Collection<T> for Arena<T> {
    type Handle = Index;

    fn with_room(n: usize) -> Self {
        Arena::with(n.max(ROOM))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn insert(&mut self, v: T) -> Index {
        Arena::insert(self, v)
    }

    fn get<R>(&self, h: &Index, f: impl FnOnce(&T) -> R) -> Option<R> {
        Arena::get(self, *h).map(f)
    }

    fn remove(&mut self, h: &Index) -> Option<T> {
        Arena::remove(self, *h)
    }

    fn for_each(&self, mut f: impl FnMut(&T)) {
        for e in &self.entries {
            if let Held { value, .. } = e {
                f(value);
            }
        }
    }

    fn for_each_mut(&mut self, mut f: impl FnMut(&mut T)) {
        for e in &mut self.entries {
            if let Held { value, .. } = e {
                f(value);
            }
        }
    }

    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        for at in 0..self.entries.len() {
            if let Held { generation, value } = &mut self.entries[at] {
                if !keep(value) {
                    let generation = *generation;
                    Arena::remove(self, Index { at, generation });
                }
            }
        }
    }
}

impl Crossing for Arena<Collider> {
    fn cross(&mut self, keys: &mut Vec<Index>) -> usize {
        keys.clear();
        keys.extend(self.indices());
        let mut pairs = 0;
        for &k in keys.iter() {
            if let Some(mut a) = self.get_mut(k).map(|pivot| replace(pivot, FAR)) {
                self.for_each_mut(|b| pairs += a.meet(b));
                self.get_mut(k).into_iter().for_each(|pivot| *pivot = a);
            }
        }
        pairs
    }

    fn cross_two_keys(&mut self, keys: &mut Vec<Index>) -> Option<usize> {
        keys.clear();
        keys.extend(self.indices());
        let mut pairs = 0;
        for &i in keys.iter() {
            for &j in keys.iter() {
                if i == j {
                    continue;
                }
                if let (Some(a), Some(b)) = self.get2_mut(i, j) {
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
    use crate::rng::Rng;
    use std::collections::HashMap;

    /// A freed place is reused first, and the old index finds nothing there.
    #[test]
    fn a_place_is_used_again_and_stale_finds_nothing() {
        let mut a = Arena::with(2);
        let old = a.insert(1);
        let other = a.insert(2);
        for v in 0..1000 {
            let i = if v == 0 { old } else { a.insert(v) };
            assert_eq!(i.at, old.at);
            assert_eq!(a.get(old).is_some(), v == 0);
            assert_eq!(a.remove(i), Some(if v == 0 { 1 } else { v }));
            assert_eq!(a.remove(i), None);
        }
        assert_eq!((a.len, a.get(other)), (1, Some(&2)));
    }

    #[test]
    fn all_memory_is_entries() {
        let mut a = Arena::with_room(0);
        for n in 1..=1000u32 {
            a.insert(n);
            assert_eq!(a.entries.len(), (n as usize).next_power_of_two().max(ROOM));
        }
        a.retain(|_| false);
        assert_eq!((a.len, a.entries.len()), (0, 1024));
    }

    #[test]
    fn two_at_once() {
        let mut a = Arena::with(4);
        let (i, j) = (a.insert(1), a.insert(2));
        assert_eq!(a.get2_mut(i, j), (Some(&mut 1), Some(&mut 2)));
        assert_eq!(a.get2_mut(j, i), (Some(&mut 2), Some(&mut 1)));
        assert_eq!(a.get2_mut(i, i), (Some(&mut 1), None));
        a.remove(i);
        let k = a.insert(3);
        assert_eq!(a.get2_mut(i, k), (None, Some(&mut 3)));
        assert_eq!(a.get2_mut(k, Index { at: 99, generation: 0 }), (Some(&mut 3), None));
    }

    #[test]
    fn agrees_with_a_map() {
        let (mut a, mut r) = (Arena::with_room(0), Rng::new(77));
        let mut all: Vec<(Index, usize)> = Vec::new();
        let mut live: HashMap<usize, Index> = HashMap::new();
        for v in 0..20_000 {
            if r.below(2) == 0 && !all.is_empty() {
                let (i, old) = all[r.below(all.len())];
                assert_eq!(a.remove(i), live.remove(&old).map(|_| old));
            } else {
                let i = a.insert(v);
                all.push((i, v));
                live.insert(v, i);
            }
            assert_eq!(a.len, live.len());
        }
        for (i, v) in all {
            assert_eq!(a.get(i), live.get(&v).map(|_| &v));
        }
        let (mut seen, want): (usize, usize) = (0, live.keys().sum());
        a.for_each(|v| seen += v);
        assert_eq!((seen, a.indices().count()), (want, live.len()));
    }
}
