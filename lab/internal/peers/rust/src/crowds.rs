//! shared and shared-memory: a slab that many threads use at once, in sharded-slab's Slab.

use crate::clock::timed;
use crate::held::held;
use crate::report::{Report, Series};
use crate::rng::Rng;
use sharded_slab::Slab;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

#[derive(Clone, Copy)]
#[allow(dead_code)]
struct Words {
    a: u64,
    rest: [u64; 3],
}

fn words(number: u64) -> Words {
    Words { a: number, rest: [1, 2, 3] }
}

/// The numbers of threads.
const CROWDS: [usize; 3] = [1, 2, 64];

const GET: u64 = 0;
const MIXED: u64 = 1;
const IN_FLIGHT: u64 = 2;
const LATENCY: u64 = 3;

const MIXED_RATE: usize = 20;
const LATENCY_RATE: usize = 3;
const CONTENTS_WEIGHT: u64 = 31;

/// The distance between the values that stay when the crowd leaves.
const STAYS: usize = 1000;

/// The values of thread g: the first, and the one after the last.
fn part(g: usize, threads: usize, n: usize) -> (usize, usize) {
    (g * n / threads, (g + 1) * n / threads)
}

/// A slab, and the keys of its values. A key is written by the thread whose part it is in.
struct Table {
    slab: Slab<Words>,
    keys: Vec<AtomicUsize>,
}

impl Table {
    fn new(n: usize) -> Self {
        Table { slab: Slab::new(), keys: (0..n).map(|_| AtomicUsize::new(0)).collect() }
    }

    fn key(&self, i: usize) -> usize {
        self.keys[i].load(Ordering::Relaxed)
    }

    fn insert(&self, number: u64) -> usize {
        self.slab.insert(words(number)).unwrap_or(usize::MAX)
    }

    fn set(&self, i: usize, number: u64) {
        self.keys[i].store(self.insert(number), Ordering::Relaxed);
    }

    fn get(&self, key: usize) -> u64 {
        self.slab.get(key).map_or(0, |w| w.a)
    }

    fn contents(&self) -> u64 {
        let each = |i: usize| (i as u64 + 1).wrapping_mul(self.get(self.key(i)));
        (0..self.keys.len()).map(each).fold(0, u64::wrapping_add).wrapping_mul(CONTENTS_WEIGHT)
    }

    fn total(&self) -> u64 {
        (0..self.keys.len()).map(|i| self.get(self.key(i))).fold(0, u64::wrapping_add)
    }
}

/// A thread of a crowd.
struct Worker<'a> {
    t: &'a Table,
    r: Rng,
    from: usize,
    to: usize,
    fresh: u64,
    step: u64,
    took: Vec<u64>,
    sum: u64,
}

impl Worker<'_> {
    fn add(&mut self, v: u64) {
        self.sum = self.sum.wrapping_add(v);
    }

    #[inline(never)]
    fn get(&mut self, n: usize) {
        for _ in 0..n {
            let i = self.r.below(self.t.keys.len());
            self.add(self.t.get(self.t.key(i)));
        }
    }

    fn own(&mut self) -> usize {
        self.from + self.r.below(self.to - self.from)
    }

    fn replace(&mut self, i: usize) {
        let removed = self.t.slab.remove(self.t.key(i));
        self.add(removed as u64);
        self.t.set(i, self.fresh);
        self.fresh += self.step;
    }

    #[inline(never)]
    fn mixed(&mut self, n: usize) {
        for _ in 0..n {
            let i = self.own();
            if self.r.below(MIXED_RATE) == 0 {
                self.replace(i);
            }
            self.add(self.t.get(self.t.key(i)));
        }
    }

    #[inline(never)]
    fn in_flight(&mut self, n: usize) {
        for _ in 0..n {
            let key = self.t.insert(self.fresh);
            self.fresh += self.step;
            self.add(self.t.get(key));
            let removed = self.t.slab.remove(key);
            self.add(removed as u64);
        }
    }

    #[inline(never)]
    fn timed(&mut self, n: usize) {
        for _ in 0..n {
            let i = self.own();
            let other = self.r.below(LATENCY_RATE) == 0;
            let start = Instant::now();
            if other {
                self.replace(i);
            } else {
                self.add(self.t.get(self.t.key(i)));
            }
            self.took.push(start.elapsed().as_nanos() as u64);
        }
    }
}

/// What a crowd did.
struct Played {
    ns: f64,
    sum: u64,
    took: Vec<u64>,
}

/// Lets each of the threads do its operations, all at once.
fn play<'a>(
    t: &'a Table,
    threads: usize,
    op: u64,
    per: usize,
    f: fn(&mut Worker<'a>, usize),
) -> Played {
    let n = t.keys.len();
    let each = (n / per / threads).max(1);
    let gate = Barrier::new(threads);
    let run = |g: usize| {
        let (from, to) = part(g, threads, n);
        let mut w = Worker {
            t,
            r: Rng::new(16 ^ op << 8 ^ (g as u64 + 1) << 16),
            from,
            to,
            fresh: (n + g + 1) as u64,
            step: threads as u64,
            took: Vec::with_capacity(if op == LATENCY { each } else { 0 }),
            sum: 0,
        };
        gate.wait();
        let began = Instant::now();
        if from < to {
            f(&mut w, each);
        }
        (began, Instant::now(), w)
    };
    let run = &run;
    let workers: Vec<_> = thread::scope(|s| {
        let handles: Vec<_> = (0..threads).map(|g| s.spawn(move || run(g))).collect();
        handles.into_iter().filter_map(|h| h.join().ok()).collect()
    });
    let began = workers.iter().map(|w| w.0).min();
    let ended = workers.iter().map(|w| w.1).max();
    let ns = began.zip(ended).map_or(0.0, |(b, e)| (e - b).as_nanos() as f64);
    let busy = workers.iter().filter(|(_, _, w)| w.from < w.to).count();
    let mut played = Played { ns: ns / (busy * each) as f64, sum: 0, took: vec![] };
    for (_, _, mut w) in workers {
        played.sum = played.sum.wrapping_add(w.sum);
        played.took.append(&mut w.took);
    }
    played
}

/// Each crowd has a new slab.
pub fn shared(n: usize) -> Series {
    Box::new(move |out: &mut Report| {
        for threads in CROWDS {
            let t = Table::new(n);
            for i in 0..n {
                t.set(i, i as u64 + 1);
            }
            let p = play(&t, threads, GET, 5, Worker::get);
            out.ns(&format!("get_{}", threads), p.ns, p.sum);
            let p = play(&t, threads, MIXED, 5, Worker::mixed);
            out.ns(&format!("mixed_{}", threads), p.ns, p.sum.wrapping_add(t.contents()));
            let p = play(&t, threads, IN_FLIGHT, 5, Worker::in_flight);
            out.ns(&format!("in_flight_{}", threads), p.ns, p.sum);
            let mut p = play(&t, threads, LATENCY, 2, Worker::timed);
            let sum = p.sum.wrapping_add(t.contents());
            p.took.sort_unstable();
            for (metric, share) in [("p999", 0.999), ("p9999", 0.9999)] {
                let at = ((share * p.took.len() as f64) as usize).min(p.took.len() - 1);
                out.ns(&format!("{}_{}", metric, threads), p.took[at] as f64, sum);
            }
        }
    })
}

/// Calls f with the number of each of 64 threads, all at once.
fn crowd(f: impl Fn(usize) + Sync) {
    let f = &f;
    thread::scope(|s| {
        for g in 0..64 {
            s.spawn(move || f(g));
        }
    });
}

pub fn shared_memory(n: usize) -> Series {
    Box::new(move |out: &mut Report| {
        let mut t = Table::new(n);
        let base = held();
        timed(&mut t, |t| {
            crowd(|g| {
                let (from, to) = part(g, 64, n);
                (from..to).for_each(|i| t.set(i, i as u64 + 1));
            })
        });
        out.bytes("bytes_full", (held() - base) / n as f64, t.total());
        let removed = AtomicU64::new(0);
        timed(&mut t, |t| {
            crowd(|g| {
                let (from, to) = part((g + 1) % 64, 64, n);
                let leaves = |&i: &usize| i % STAYS != 0 && t.slab.remove(t.key(i));
                removed.fetch_add((from..to).filter(leaves).count() as u64, Ordering::Relaxed);
            })
        });
        let sum = t.total().wrapping_add(removed.into_inner());
        out.bytes("bytes_left", held() - base, sum);
    })
}

#[cfg(test)]
mod tests {
    use sharded_slab::Slab;

    /// The generation has 13 bits: the first key of a slot finds the value after 8191 reuses.
    #[test]
    fn keys_wrap() {
        let slab = Slab::new();
        let first = slab.insert(0).expect("a slab has room");
        assert!(slab.remove(first));
        for reuse in 1..8191 {
            let key = slab.insert(reuse).expect("a slab has room");
            assert!(
                slab.get(first).is_none(),
                "the first key finds a value after {} reuses",
                reuse
            );
            assert!(slab.remove(key));
        }
        let key = slab.insert(8191).expect("a slab has room");
        assert_eq!(key, first);
        assert_eq!(slab.get(first).map(|v| *v), Some(8191));
    }
}
