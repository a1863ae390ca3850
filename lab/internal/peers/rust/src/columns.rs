//! columns: more data by the key of a value, in slotmap's SecondaryMap.

use crate::clock::per_call;
use crate::report::{Report, Series};
use crate::rng::Rng;
use slotmap::{DefaultKey, SecondaryMap, SlotMap};
use std::ops::Range;

#[derive(Clone, Copy)]
#[allow(dead_code)]
struct Body {
    v: u64,
    words: [u64; 3],
}

#[derive(Clone, Copy)]
#[allow(dead_code)]
struct Part {
    x: u64,
    y: u64,
}

fn body(i: usize) -> Body {
    Body { v: i as u64 + 1, words: [1, 2, 3] }
}

fn part(i: usize) -> Part {
    Part { x: i as u64 % 5 + 1, y: 1 }
}

fn mark(i: usize) -> u64 {
    i as u64 % 3 + 1
}

fn shuffled(n: usize, number: u64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    Rng::new(number).shuffle(&mut all);
    all
}

/// The bodies, and what some of them have.
struct Columns {
    bodies: SlotMap<DefaultKey, Body>,
    parts: SecondaryMap<DefaultKey, Part>,
    marks: SecondaryMap<DefaultKey, u64>,
    keys: Vec<DefaultKey>,
    order: Vec<usize>,
    marked: Vec<usize>,
}

impl Columns {
    fn new(n: usize) -> Self {
        let mut c = Columns {
            bodies: SlotMap::new(),
            parts: SecondaryMap::new(),
            marks: SecondaryMap::new(),
            keys: Vec::with_capacity(n),
            order: shuffled(n, 14),
            marked: shuffled(n, 15)[..(n + 1) / 2].to_vec(),
        };
        for i in 0..n {
            let k = c.bodies.insert(body(i));
            c.parts.insert(k, part(i));
            c.keys.push(k);
        }
        c
    }

    #[inline(never)]
    fn give(&mut self, places: Range<usize>) {
        for &i in &self.order[places] {
            self.parts.insert(self.keys[i], part(i));
        }
    }

    #[inline(never)]
    fn take(&mut self, places: Range<usize>) {
        for &i in &self.order[places] {
            self.parts.remove(self.keys[i]);
        }
    }

    /// A removal does not reach the parts, so it removes that of the body too.
    #[inline(never)]
    fn replace(&mut self, places: Range<usize>) {
        for &i in &self.order[places] {
            let k = self.keys[i];
            if let Some(b) = self.bodies.remove(k) {
                self.parts.remove(k);
                let k = self.bodies.insert(b);
                self.parts.insert(k, part(i));
                self.keys[i] = k;
            }
        }
    }

    #[inline(never)]
    fn find(&self, places: Range<usize>) -> u64 {
        let parts = self.order[places].iter().filter_map(|&i| self.parts.get(self.keys[i]));
        parts.fold(0, |sum, p| sum + p.x)
    }

    #[inline(never)]
    fn one(&mut self) {
        for b in self.bodies.values_mut() {
            b.v = b.v.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn join(&mut self) {
        for (k, p) in &self.parts {
            if let Some(b) = self.bodies.get_mut(k) {
                b.v = b.v.wrapping_add(p.x);
            }
        }
    }

    #[inline(never)]
    fn join_primary(&mut self) {
        for (k, b) in &mut self.bodies {
            if let Some(p) = self.parts.get(k) {
                b.v = b.v.wrapping_add(p.x);
            }
        }
    }

    #[inline(never)]
    fn three(&mut self) {
        for (k, p) in &self.parts {
            if let (Some(m), Some(b)) = (self.marks.get(k), self.bodies.get_mut(k)) {
                b.v = b.v.wrapping_add(p.x * m);
            }
        }
    }

    /// Adds up the data by their keys.
    fn sum(&self) -> u64 {
        let mut sum = 0u64;
        for (i, &k) in self.keys.iter().enumerate() {
            let v = self.bodies.get(k).map_or(0, |b| b.v);
            let x = self.parts.get(k).map_or(0, |p| p.x);
            let m = self.marks.get(k).map_or(0, |m| *m);
            let all = v.wrapping_add(31 * x + 101 * m);
            sum = sum.wrapping_add((i as u64 + 1).wrapping_mul(all));
        }
        sum
    }

    /// What a call of join adds to the sum.
    fn joined(&self) -> u64 {
        let each =
            |(i, &k): (usize, &DefaultKey)| (i as u64 + 1) * self.parts.get(k).map_or(0, |p| p.x);
        self.keys.iter().enumerate().map(each).fold(0, u64::wrapping_add)
    }

    /// What a call of three adds to the sum, and the number of bodies that it changes.
    fn tripled(&self) -> (u64, usize) {
        let mut both = (0u64, 0);
        for (i, &k) in self.keys.iter().enumerate() {
            if let (Some(p), Some(m)) = (self.parts.get(k), self.marks.get(k)) {
                both = (both.0.wrapping_add((i as u64 + 1) * p.x * m), both.1 + 1);
            }
        }
        both
    }
}

/// A series of repetitions, and what its loops have added to the sum.
struct Repetitions {
    c: Columns,
    added: u64,
}

impl Repetitions {
    /// Reports the time of f per one of per values. A call adds adds to the sum.
    fn measure(
        &mut self,
        out: &mut Report,
        metric: &str,
        per: usize,
        adds: u64,
        f: impl FnMut(&mut Columns),
    ) {
        let (ns, calls) = per_call(&mut self.c, f);
        self.added = self.added.wrapping_add(calls.wrapping_mul(adds));
        out.ns(metric, ns / per.max(1) as f64, self.c.sum().wrapping_sub(self.added));
    }

    /// Measures what is measured while half have a part.
    fn half(&mut self, out: &mut Report, has: usize) {
        let mut found = 0;
        let (ns, _) = per_call(&mut self.c, |c| found = c.find(0..has));
        out.ns("find", ns / has as f64, found);
        self.measure(out, "toggle", has, 0, |c| {
            c.take(0..has);
            c.give(0..has);
        });
        for &i in &self.c.marked {
            self.c.marks.insert(self.c.keys[i], mark(i));
        }
        let (adds, both) = self.c.tripled();
        self.measure(out, "three", both, adds, Columns::three);
        for &i in &self.c.marked {
            self.c.marks.remove(self.c.keys[i]);
        }
    }
}

/// Goes through the shares of bodies that have a part, from all to 1 %.
pub fn columns(n: usize) -> Series {
    let mut r = Repetitions { c: Columns::new(n), added: 0 };
    Box::new(move |out: &mut Report| {
        let mut had = n;
        for percent in [100, 50, 10, 1] {
            let has = (n * percent / 100).max(1);
            r.c.take(has..had);
            had = has;
            if percent == 100 {
                let adds = (1..=n as u64).fold(0, u64::wrapping_add);
                r.measure(out, "one", n, adds, Columns::one);
            }
            let (adds, metric) = (r.c.joined(), format!("join_{}", percent));
            r.measure(out, &metric, has, adds, Columns::join);
            let metric = format!("{}_primary", metric);
            r.measure(out, &metric, has, adds, Columns::join_primary);
            match percent {
                100 => {
                    let some = (n / 10).max(1);
                    r.measure(out, "replace", some, 0, |c| c.replace(0..some));
                }
                50 => r.half(out, has),
                _ => {}
            }
        }
        r.c.give(had..n);
    })
}
