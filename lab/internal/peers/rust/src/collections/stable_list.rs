//! StableList, reimplemented from the thesis, since its code was not published.
//!
//! A list keeps its values in cells of one Vec. The cells are in three parts: the first quarter,
//! the second quarter, and the second half. Each part chains its vacated cells. An insert goes into
//! the first part that has room, to the cell vacated last or else to the next one never used; so
//! values gather in front. When the last value of the second half goes, the list is cut to half its
//! length, again and again while its new second half is empty, and the parts are made anew each
//! time.
//!
//! Where the thesis leaves a choice, we read it so:
//!  - a list begins with 4 cells, which is also the least, and doubles when it is full;
//!  - only a removal from the second half truncates, so that a list with spare room keeps it;
//!  - a length whose half is no multiple of 4 is not cut;
//!  - truncation keeps the memory, as the thesis has it by default.
//!
//! Source: F. Saukko, "A Novel Dynamically Truncating Object Pool for Game Loops and Other Use
//! Cases in Rust", University of Turku, 2025: chapter 4 has the interface, 5.1 the keys, 5.2 the
//! cells and parts, 5.3 cross-iteration.

use crate::collection::{Collection, Crossing};
use crate::collider::Collider;
use std::marker::PhantomData;
use std::mem::replace;

/// The least length, and that of a new list. A length is a multiple of 4, for the sake of quarters.
const MIN: usize = 4;

/// The key of a value: its position and its identifier.
pub struct StableIndex<T> {
    index: usize,
    id: u32,
    of: PhantomData<T>,
}

impl<T> StableIndex<T> {
    fn new(index: usize, id: u32) -> Self {
        StableIndex { index, id, of: PhantomData }
    }
}

impl<T> Clone for StableIndex<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StableIndex<T> {}

enum Cell<T> {
    Has(T, u32),
    /// The cell of the same part that was vacated before.
    Not(Option<usize>),
}

use Cell::{Has, Not};

/// The state of one part of a list.
#[derive(Clone, Copy)]
struct Part {
    from: usize,
    max: usize,
    /// The number of its values.
    len: usize,
    /// The number of its cells, from the first, that were ever used.
    open: usize,
    /// The cell vacated last.
    next: Option<usize>,
}

impl Part {
    fn new(from: usize, max: usize) -> Part {
        Part { from, max, len: 0, open: 0, next: None }
    }

    /// A part that is full to the last cell.
    fn full(from: usize, max: usize) -> Part {
        Part { from, max, len: max, open: max, next: None }
    }
}

pub struct StableList<T> {
    cells: Vec<Cell<T>>,
    max: usize,
    len: usize,
    /// The identifier of the next value.
    id: u32,
    /// First quarter, second quarter, second half.
    parts: [Part; 3],
}

impl<T> StableList<T> {
    pub fn new() -> Self {
        Self::with(0)
    }

    /// A list with the given capacity in cells.
    pub fn with(capacity: usize) -> Self {
        let max = (capacity.max(MIN) + 3) & !3;
        let quarter = max / 4;
        StableList {
            cells: Vec::with_capacity(max),
            max,
            len: 0,
            id: 0,
            parts: [
                Part::new(0, quarter),
                Part::new(quarter, quarter),
                Part::new(2 * quarter, 2 * quarter),
            ],
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn add(&mut self, elem: T) -> StableIndex<T> {
        if self.len == self.max {
            self.double();
        }
        let id = self.id;
        self.id = id.wrapping_add(1);
        let part = match &mut self.parts {
            [q1, _, _] if q1.len < q1.max => q1,
            [_, q2, _] if q2.len < q2.max => q2,
            [_, _, h2] => h2,
        };
        part.len += 1;
        self.len += 1;
        let index = match part.next {
            Some(index) => {
                if let Not(next) = replace(&mut self.cells[index], Has(elem, id)) {
                    part.next = next;
                }
                index
            }
            None => {
                // The parts fill up in their order, so that this is the end of all cells.
                part.open += 1;
                self.cells.push(Has(elem, id));
                self.cells.len() - 1
            }
        };
        StableIndex::new(index, id)
    }

    /// Makes room in a full list. There are no vacated cells to chain.
    fn double(&mut self) {
        let old = self.max;
        self.max = 2 * old;
        self.cells.reserve_exact(self.max - self.cells.len());
        self.parts = [Part::full(0, old / 2), Part::full(old / 2, old / 2), Part::new(old, old)];
    }

    pub fn remove(&mut self, i: StableIndex<T>) -> Option<T> {
        match self.cells.get(i.index) {
            Some(Has(_, id)) if *id == i.id => {}
            _ => return None,
        }
        let part = match &mut self.parts {
            [_, _, h2] if i.index >= h2.from => h2,
            [_, q2, _] if i.index >= q2.from => q2,
            [q1, _, _] => q1,
        };
        let old = replace(&mut self.cells[i.index], Not(part.next));
        part.next = Some(i.index);
        part.len -= 1;
        self.len -= 1;
        let [_, _, h2] = &self.parts;
        if h2.len == 0 && i.index >= h2.from {
            self.truncate();
        }
        match old {
            Has(elem, _) => Some(elem),
            Not(_) => None,
        }
    }

    /// Halves the list while its second half is empty.
    fn truncate(&mut self) {
        while self.parts[2].len == 0 && self.max > MIN && self.max & 7 == 0 {
            self.max /= 2;
            self.cells.truncate(self.max);
            let [q1, q2, _] = self.parts;
            let (q1, new_q2) = self.split(q1);
            self.parts = [q1, new_q2, q2];
        }
    }

    /// Divides a part into two, each with its own chain. That of the first keeps its order,
    /// that of the second is reversed.
    fn split(&mut self, old: Part) -> (Part, Part) {
        let half = old.max / 2;
        let mut low = Part { max: half, open: old.open.min(half), ..old };
        let mut high = Part::new(old.from + half, half);
        high.open = old.open - low.open;
        low.len = low.open;
        high.len = high.open;
        let mut last_low = None; // the cell of the low chain that comes before the one looked at
        let mut at = old.next;
        while let Some(i) = at {
            at = match &mut self.cells[i] {
                Not(next) if i >= high.from => {
                    let then = replace(next, high.next);
                    high.next = Some(i);
                    high.len -= 1;
                    match last_low {
                        None => low.next = then,
                        Some(k) => self.cells[k] = Not(then),
                    }
                    then
                }
                Not(next) => {
                    low.len -= 1;
                    last_low = Some(i);
                    *next
                }
                Has(..) => None, // never: a chain has vacant cells only
            };
        }
        (low, high)
    }

    pub fn at(&self, i: StableIndex<T>) -> Option<&T> {
        match self.cells.get(i.index) {
            Some(Has(elem, id)) if *id == i.id => Some(elem),
            _ => None,
        }
    }

    pub fn each(&self, mut f: impl FnMut(StableIndex<T>, &T)) {
        for (i, cell) in self.cells.iter().enumerate() {
            if let Has(elem, id) = cell {
                f(StableIndex::new(i, *id), elem);
            }
        }
    }

    pub fn each_mut(&mut self, f: impl FnMut(StableIndex<T>, &mut T)) {
        each_of(&mut self.cells, 0, f);
    }

    /// Visits all, each with a view of the others.
    pub fn traverse(&mut self, mut f: impl FnMut(StableIndex<T>, &mut T, &mut StableAccess<T>)) {
        for i in 0..self.cells.len() {
            let (head, rest) = self.cells.split_at_mut(i);
            if let Some((Has(elem, id), tail)) = rest.split_first_mut() {
                f(StableIndex::new(i, *id), elem, &mut StableAccess { head, tail });
            }
        }
    }
}

/// All values of a list but one.
pub struct StableAccess<'a, T> {
    head: &'a mut [Cell<T>],
    tail: &'a mut [Cell<T>],
}

impl<T> StableAccess<'_, T> {
    pub fn each_mut(&mut self, mut f: impl FnMut(StableIndex<T>, &mut T)) {
        let behind = self.head.len() + 1;
        each_of(self.head, 0, &mut f);
        each_of(self.tail, behind, f);
    }
}

/// Visits the values in cells, the first of which has number from.
fn each_of<T>(cells: &mut [Cell<T>], from: usize, mut f: impl FnMut(StableIndex<T>, &mut T)) {
    for (i, cell) in cells.iter_mut().enumerate() {
        if let Has(elem, id) = cell {
            f(StableIndex::new(from + i, *id), elem);
        }
    }
}

impl<T: 'static> Collection<T> for StableList<T> {
    type Handle = StableIndex<T>;

    fn with_room(n: usize) -> Self {
        match n {
            0 => StableList::new(),
            n => StableList::with(n),
        }
    }

    fn len(&self) -> usize {
        StableList::len(self)
    }

    fn insert(&mut self, v: T) -> StableIndex<T> {
        self.add(v)
    }

    fn get<R>(&self, h: &StableIndex<T>, f: impl FnOnce(&T) -> R) -> Option<R> {
        self.at(*h).map(f)
    }

    fn remove(&mut self, h: &StableIndex<T>) -> Option<T> {
        StableList::remove(self, *h)
    }

    fn for_each(&self, mut f: impl FnMut(&T)) {
        self.each(|_, v| f(v));
    }

    fn for_each_mut(&mut self, mut f: impl FnMut(&mut T)) {
        self.each_mut(|_, v| f(v));
    }

    /// The list cannot be changed while a loop runs, and has no such method. So the keys of removed
    /// values are collected first.
    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut gone = Vec::new();
        self.each_mut(|i, v| {
            if !keep(v) {
                gone.push(i);
            }
        });
        for i in gone {
            StableList::remove(self, i);
        }
    }
}

impl Crossing for StableList<Collider> {
    fn cross(&mut self, _keys: &mut Vec<StableIndex<Collider>>) -> usize {
        let mut pairs = 0;
        self.traverse(|_, a, others| others.each_mut(|_, b| pairs += a.meet(b)));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The invariants between any two calls.
    fn check<T>(l: &StableList<T>) {
        let mut from = 0;
        for (p, part) in l.parts.iter().enumerate() {
            assert_eq!(part.from, from);
            let to = from + part.max;
            let cells = &l.cells[from.min(l.cells.len())..to.min(l.cells.len())];
            assert_eq!(part.open, cells.len(), "part {}", p);
            let live = cells.iter().filter(|c| matches!(c, Has(..))).count();
            assert_eq!(part.len, live, "part {}", p);
            let (mut at, mut chained) = (part.next, 0);
            while let Some(i) = at {
                assert!(from <= i && i < to);
                chained += 1;
                match l.cells[i] {
                    Not(next) => at = next,
                    Has(..) => panic!("chained, and not vacant"),
                }
            }
            assert_eq!(chained, part.open - part.len, "part {}", p);
            from = to;
        }
        assert_eq!(from, l.max);
        assert_eq!(l.len, l.parts.iter().map(|p| p.len).sum::<usize>());
    }

    #[test]
    fn agrees_with_a_map() {
        let mut r = Rng::new(7);
        let mut l = StableList::new();
        let mut live = Vec::new();
        let mut dead = Vec::new();
        for step in 0..20_000u64 {
            // Waves, so that the list grows and truncates many times.
            let grow = (step / 500) % 2 == 0;
            if live.is_empty() || (r.below(10) < 7) == grow {
                live.push((l.add(step), step));
            } else {
                let (i, v) = live.swap_remove(r.below(live.len()));
                assert_eq!(l.remove(i), Some(v));
                dead.push(i);
            }
            check(&l);
        }
        assert!(live.iter().all(|&(i, v)| l.at(i) == Some(&v)));
        assert!(dead.iter().all(|&i| l.at(i).is_none() && l.remove(i).is_none()));
        let mut sum = 0;
        l.each(|_, v| sum += v);
        assert_eq!(sum, live.iter().map(|&(_, v)| v).sum::<u64>());
    }

    /// The example of section 5.2: 3 values are left of 16 384, and the last of them is removed.
    #[test]
    fn far_survivor() {
        let mut l = StableList::new();
        let keys: Vec<_> = (0..16_384).map(|v| l.add(v)).collect();
        for &i in &keys[2..16_383] {
            l.remove(i);
        }
        assert_eq!((l.max, l.len()), (16_384, 3));
        l.remove(keys[16_383]);
        check(&l);
        assert_eq!((l.max, l.len()), (4, 2));
    }
}
