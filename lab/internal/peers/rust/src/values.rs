//! basic, thesis-basic, sparse, churn and memory: workloads of values with handles.

use crate::clock::{per_call, timed};
use crate::collection::Collection;
use crate::elem::{Elem, Pad};
use crate::held::{held, most_held};
use crate::report::{Report, Series};
use crate::rng::Rng;

/// The number of values left when nearly all are removed.
const FEW: usize = 25;

/// The timed loops are not inlined, so that all workloads run the same code.
/// hs is empty: a handle may own memory, and dropping one must not count as an insert.
#[inline(never)]
fn fill<P: Pad, C: Collection<Elem<P>>>(c: &mut C, hs: &mut Vec<C::Handle>, n: usize) {
    let pad = P::make();
    hs.extend((0..n as u64).map(|v| c.insert(Elem::new(pad, v))));
}

#[inline(never)]
fn sum<P: Pad, C: Collection<Elem<P>>>(c: &C) -> u64 {
    let mut s = 0u64;
    c.for_each(|e| s = s.wrapping_add(e.v));
    s
}

#[inline(never)]
fn add_one<P: Pad, C: Collection<Elem<P>>>(c: &mut C) {
    c.for_each_mut(|e| e.v += 1);
}

#[inline(never)]
fn get<P: Pad, C: Collection<Elem<P>>>(c: &C, hs: &[C::Handle]) -> u64 {
    hs.iter().filter_map(|h| c.get(h, |e| e.v)).fold(0, u64::wrapping_add)
}

#[inline(never)]
fn drain<P: Pad, C: Collection<Elem<P>>>(c: &mut C, hs: &[C::Handle]) -> u64 {
    hs.iter().filter_map(|h| c.remove(h)).map(|e| e.v).fold(0, u64::wrapping_add)
}

/// One generator serves all repetitions, so that each has another order.
pub fn basic<P: Pad, C: Collection<Elem<P>>>(n: usize) -> Series {
    let mut r = Rng::new(1 ^ n as u64);
    let mut hs: Vec<C::Handle> = Vec::with_capacity(n);
    let per = n as f64;
    Box::new(move |out: &mut Report| {
        hs.clear();
        let mut c = C::with_room(n);
        let (ns, _) = timed(&mut c, |c| fill(c, &mut hs, n));
        out.ns("insert_reserved", ns / per, sum(&c));
        drop(c);
        hs.clear();

        let (ns, mut c) = timed(&mut hs, |hs| {
            let mut c = C::with_room(0);
            fill(&mut c, hs, n);
            c
        });
        out.ns("insert_new", ns / per, sum(&c));
        let (ns, s) = timed(&mut c, |c| sum(c));
        out.ns("iter_sum", ns / per, s);
        let (ns, _) = timed(&mut c, add_one);
        out.ns("iter_mut", ns / per, sum(&c));

        let (ns, s) = timed(&mut c, |c| get(c, &hs));
        out.ns("get_seq", ns / per, s);
        r.shuffle(&mut hs);
        let (ns, s) = timed(&mut c, |c| get(c, &hs));
        out.ns("get_random", ns / per, s);
        C::plan(&mut hs, &mut r);
        let (ns, s) = timed(&mut c, |c| drain(c, &hs));
        out.ns("remove_random", ns / per, s);

        hs.clear();
        let (ns, _) = timed(&mut c, |c| fill(c, &mut hs, n));
        out.ns("insert_refill", ns / per, sum(&c));
    })
}

/// The same as in section 6.1 of the thesis, and the bytes of the values.
pub fn thesis_basic<P: Pad, C: Collection<Elem<P>>>(n: usize) -> Series {
    let mut r = Rng::new(1 ^ n as u64);
    let mut hs: Vec<C::Handle> = Vec::with_capacity(n);
    let per = n as f64;
    Box::new(move |out: &mut Report| {
        hs.clear();
        let before = held();
        let (ns, mut c) = timed(&mut hs, |hs| {
            let mut c = C::with_room(0);
            fill(&mut c, hs, n);
            c
        });
        let bytes = held() - before;
        out.ns("insert", ns / per, sum(&c));
        let (ns, s) = timed(&mut c, |c| sum(c));
        out.ns("iterate", ns / per, s);
        out.bytes("bytes_per_value", bytes / per, s);
        r.shuffle(&mut hs);
        let (ns, s) = timed(&mut c, |c| get(c, &hs));
        out.ns("random_get", ns / per, s);
        C::plan(&mut hs, &mut r);
        let (ns, s) = timed(&mut c, |c| drain(c, &hs));
        out.ns("random_remove", ns / per, s);
    })
}

/// A way to thin out n values, by handles after a shuffle or in insertion order.
struct Removal {
    name: &'static str,
    shuffled: bool,
    few: bool,
    span: fn(usize) -> (usize, usize),
}

const REMOVALS: [Removal; 5] = [
    Removal { name: "remove50", shuffled: true, few: false, span: |n| (0, n / 2) },
    Removal { name: "remove90", shuffled: true, few: false, span: |n| (0, n / 10 * 9) },
    Removal { name: "keep25_random", shuffled: true, few: true, span: |n| (0, n.max(FEW) - FEW) },
    Removal { name: "keep25_first", shuffled: false, few: true, span: |n| (n.min(FEW), n) },
    Removal { name: "keep25_last", shuffled: false, few: true, span: |n| (0, n.max(FEW) - FEW) },
];

impl Removal {
    /// Fills the empty c with n values, removes some, and returns the number left.
    fn thin<P: Pad, C: Collection<Elem<P>>>(
        &self,
        c: &mut C,
        hs: &mut Vec<C::Handle>,
        n: usize,
    ) -> usize {
        hs.clear();
        fill(c, hs, n);
        if self.shuffled {
            Rng::new(5).shuffle(hs);
        }
        let (lo, hi) = (self.span)(n);
        c.remove_all(&hs[lo..hi]);
        hs.drain(lo..hi); // a handle may keep what it led to in memory
        c.len()
    }
}

pub fn sparse<P: Pad, C: Collection<Elem<P>>>(n: usize) -> Series {
    let mut hs: Vec<C::Handle> = Vec::with_capacity(n);
    Box::new(move |out: &mut Report| {
        for d in &REMOVALS {
            let mut c = C::with_room(0);
            let left = d.thin(&mut c, &mut hs, n);
            let (per, suffix) = match d.few {
                true => (1.0, "_pass"),
                false => (left.max(1) as f64, "_sum"),
            };
            // Each pass must have the same sum. A different one is reported.
            let first = sum(&c);
            let mut got = first;
            let (ns, _) = per_call(&mut c, |c| {
                let s = sum(c);
                if s != first {
                    got = s;
                }
            });
            out.ns(&format!("{}{}", d.name, suffix), ns / per, got);
            // Subtract the changes of the passes.
            let (ns, calls) = per_call(&mut c, add_one);
            let added = calls * left as u64;
            out.ns(&format!("{}_mut", d.name), ns / per, sum(&c).wrapping_sub(added));
        }
    })
}

#[inline(never)]
fn exchange<P: Pad, C: Collection<Elem<P>>>(
    c: &mut C,
    hs: &mut [C::Handle],
    pairs: usize,
) -> u64 {
    let mut r = Rng::new(6);
    let pad = P::make();
    let n = hs.len();
    let mut s = 0u64;
    for next in n..n + pairs {
        let h = &mut hs[r.below(n)];
        if let Some(e) = c.replace(h, Elem::new(pad, next as u64)) {
            s = s.wrapping_add(e.v);
        }
    }
    s
}

pub fn churn<P: Pad, C: Collection<Elem<P>>>(n: usize) -> Series {
    let mut hs: Vec<C::Handle> = Vec::with_capacity(n);
    let pairs = (100 * n).min(10_000_000);
    Box::new(move |out: &mut Report| {
        hs.clear();
        let mut c = C::with_room(0);
        fill(&mut c, &mut hs, n);
        let (ns, s) = timed(&mut c, |c| exchange(c, &mut hs, pairs));
        out.ns("ns_per_pair", ns / pairs as f64, s);
    })
}

pub fn memory<P: Pad, C: Collection<Elem<P>>>(n: usize) -> Series {
    let mut hs: Vec<C::Handle> = Vec::with_capacity(n);
    Box::new(move |out: &mut Report| {
        hs.clear();
        let base = held();
        let mut c = C::with_room(0);
        let peak = most_held(|| fill(&mut c, &mut hs, n)) - base;
        let bytes = held() - base;
        out.bytes("bytes_per_value", bytes / n as f64, sum(&c));
        out.bytes("peak_bytes_per_value", peak / n as f64, sum(&c));
        drop(c);
        for d in REMOVALS.iter().filter(|d| d.few) {
            let metric = d.name.replace("keep25", "left_25");
            hs.clear();
            let base = held(); // without what the report has come to
            let mut c = C::with_room(0);
            d.thin(&mut c, &mut hs, n);
            let s = sum(&c); // a collection may put off until then what it does about holes
            let bytes = held() - base;
            let clipped = d.name == "keep25_random" && c.clip();
            let less = held() - base;
            out.bytes(&metric, bytes, s);
            if clipped {
                out.bytes(&format!("{}_clip", metric), less, sum(&c));
            }
        }
    })
}
