//! A Vec of Rc<RefCell<T>>, which the thesis calls RefCells: each value has its own allocation,
//! and borrows are checked at run time. A handle is a Weak, which finds the value while
//! the Vec holds it. Each value holds its position, so that it can be swap-removed.

use crate::collection::{Collection, Crossing};
use crate::collider::Collider;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

pub struct Placed<T> {
    at: usize,
    v: T,
}

pub struct RefCells<T>(Vec<Rc<RefCell<Placed<T>>>>);

impl<T> RefCells<T> {
    /// Fills the hole at a position with the last value.
    fn swap_remove(&mut self, at: usize) {
        self.0.swap_remove(at);
        if let Some(moved) = self.0.get(at) {
            moved.borrow_mut().at = at;
        }
    }
}

impl<T: 'static> Collection<T> for RefCells<T> {
    type Handle = Weak<RefCell<Placed<T>>>;

    fn with_room(n: usize) -> Self {
        RefCells(Vec::with_capacity(n))
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn insert(&mut self, v: T) -> Self::Handle {
        let rc = Rc::new(RefCell::new(Placed { at: self.0.len(), v }));
        let h = Rc::downgrade(&rc);
        self.0.push(rc);
        h
    }

    fn get<R>(&self, h: &Self::Handle, f: impl FnOnce(&T) -> R) -> Option<R> {
        h.upgrade().map(|rc| f(&rc.borrow().v))
    }

    fn remove(&mut self, h: &Self::Handle) -> Option<T> {
        let rc = h.upgrade()?;
        let at = rc.borrow().at;
        self.swap_remove(at);
        Rc::try_unwrap(rc).ok().map(|c| c.into_inner().v)
    }

    fn for_each(&self, mut f: impl FnMut(&T)) {
        for rc in &self.0 {
            f(&rc.borrow().v);
        }
    }

    fn for_each_mut(&mut self, mut f: impl FnMut(&mut T)) {
        for rc in &self.0 {
            f(&mut rc.borrow_mut().v);
        }
    }

    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut i = 0;
        while i < self.0.len() {
            let stays = keep(&mut self.0[i].borrow_mut().v);
            match stays {
                true => i += 1,
                false => self.swap_remove(i), // another value is at i now
            }
        }
    }

    fn clip(&mut self) -> bool {
        self.0.shrink_to_fit();
        true
    }
}

impl Crossing for RefCells<Collider> {
    fn cross(&mut self, _keys: &mut Vec<Self::Handle>) -> usize {
        let mut pairs = 0;
        for (i, a) in self.0.iter().enumerate() {
            let a = &mut a.borrow_mut().v;
            for b in self.0[..i].iter().chain(&self.0[i + 1..]) {
                pairs += a.meet(&mut b.borrow_mut().v);
            }
        }
        pairs
    }

    fn cross_two_keys(&mut self, keys: &mut Vec<Self::Handle>) -> Option<usize> {
        keys.clear();
        keys.extend(self.0.iter().map(Rc::downgrade));
        let mut pairs = 0;
        for i in keys.iter() {
            for j in keys.iter() {
                if i.ptr_eq(j) {
                    continue; // it cannot be borrowed twice
                }
                if let (Some(a), Some(b)) = (i.upgrade(), j.upgrade()) {
                    pairs += a.borrow_mut().v.meet(&mut b.borrow_mut().v);
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
    fn positions_follow_the_values() {
        let mut c = RefCells::with_room(0);
        let hs: Vec<_> = (0..100).map(|v| c.insert(v)).collect();
        for (v, h) in hs.iter().enumerate() {
            if v % 3 == 0 {
                assert_eq!(c.remove(h), Some(v));
                assert_eq!(c.remove(h), None);
            }
        }
        c.retain(|v| *v % 2 == 0);
        for (v, h) in hs.iter().enumerate() {
            let want = if v % 3 != 0 && v % 2 == 0 { Some(v) } else { None };
            assert_eq!(c.get(h, |v| *v), want);
        }
        for (at, rc) in c.0.iter().enumerate() {
            assert_eq!(rc.borrow().at, at);
        }
        assert_eq!(c.len(), 33);
    }
}
