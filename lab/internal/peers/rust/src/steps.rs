//! cross, ephemeral and cross-ephemeral, and their namesakes of the thesis.

use crate::clock::timed;
use crate::collection::{Collection, Crossing};
use crate::collider::Collider;
use crate::report::{Report, Series, STEPS};
use crate::rng::Rng;

/// The step of the burst; one value comes at any other step.
const BURST_STEP: usize = 100;
const MAX_TTL: usize = 50;
const SIDE: usize = 1000;

/// The initial colliders of every collection in cross.
fn draw_colliders(n: usize) -> Vec<Collider> {
    let mut r = Rng::new(2);
    let draw = |_| {
        let x = r.below(SIDE) as i16;
        let y = r.below(SIDE) as i16;
        Collider { x, y, hit: false, been: false, ttl: 0 }
    };
    (0..n).map(draw).collect()
}

/// 100 000 for each that hit another one, and 1 for each that was hit.
fn mark_sum<C: Crossing>(c: &C) -> u64 {
    let mut s = 0;
    c.for_each(|v| s += v.hit as u64 * 100_000 + v.been as u64);
    s
}

#[inline(never)]
fn cross_once<C: Crossing>(c: &mut C, keys: &mut Vec<C::Handle>) -> usize {
    c.cross(keys)
}

#[inline(never)]
fn cross_two_keys_once<C: Crossing>(c: &mut C, keys: &mut Vec<C::Handle>) -> Option<usize> {
    c.cross_two_keys(keys)
}

/// two_keys adds the loop that looks up two handles for each pair.
pub fn cross<C: Crossing>(n: usize, two_keys: bool) -> Series {
    let all = draw_colliders(n);
    let per = (n * (n - 1)).max(1) as f64;
    let mut keys = Vec::with_capacity(n);
    let made = move || {
        let mut c = C::with_room(0);
        for &v in &all {
            c.insert(v);
        }
        c
    };
    Box::new(move |out: &mut Report| {
        let mut c = made();
        let (ns, _) = timed(&mut c, |c| cross_once(c, &mut keys));
        out.ns("ns_per_pair", ns / per, mark_sum(&c));
        if !two_keys {
            return;
        }
        let mut c = made();
        let (ns, did) = timed(&mut c, |c| cross_two_keys_once(c, &mut keys));
        if did.is_some() {
            out.ns("ns_per_pair_twokey", ns / per, mark_sum(&c));
        }
    })
}

/// The number of values that come at a step.
fn arrivals(step: usize, burst: usize) -> usize {
    match step {
        BURST_STEP => 1 + burst,
        _ => 1,
    }
}

/// Inserts the new values, visits all, and removes those whose time is up.
#[inline(never)]
fn live<C: Collection<u32>>(c: &mut C, come: &[u32]) -> (u64, u64) {
    for &ttl in come {
        c.insert(ttl);
    }
    let (mut visits, mut deaths) = (0, 0);
    c.retain(|ttl| {
        *ttl -= 1;
        visits += 1;
        deaths += (*ttl == 0) as u64;
        *ttl != 0
    });
    (visits, deaths)
}

pub fn ephemeral<C: Collection<u32>>(burst: usize) -> Series {
    let mut r = Rng::new(3);
    let ttls: Vec<u32> = (0..STEPS + burst).map(|_| 1 + r.below(MAX_TTL) as u32).collect();
    Box::new(move |out: &mut Report| {
        let (mut lens, mut visits, mut deaths) = (0, 0, 0);
        let mut c = C::with_room(0);
        let mut rest = &ttls[..];
        let mut steps = [0.0; STEPS];
        for (step, took) in steps.iter_mut().enumerate() {
            let (come, later) = rest.split_at(arrivals(step, burst));
            rest = later;
            let (ns, (v, d)) = timed(&mut c, |c| live(c, come));
            *took = ns;
            lens += c.len() as u64;
            visits += v;
            deaths += d;
        }
        out.steps(&steps, lens * 1_000_000 + visits % 1_000_000 + deaths);
    })
}

/// Inserts the new values, lets all meet, visits all, and removes those whose time is up. The
/// second result counts the dead that had hit and had been hit.
#[inline(never)]
fn meet_and_age<C: Crossing>(
    c: &mut C,
    come: &[Collider],
    keys: &mut Vec<C::Handle>,
) -> (u64, u64) {
    for &v in come {
        c.insert(v);
    }
    let pairs = c.cross(keys) as u64;
    let mut both = 0;
    c.retain(|v| {
        let stays = v.aged();
        both += (!stays && v.hit && v.been) as u64;
        stays
    });
    (pairs, both)
}

pub fn cross_ephemeral<C: Crossing>(burst: usize) -> Series {
    let mut r = Rng::new(4);
    let draw = |_| {
        let x = r.below(SIDE) as i16;
        let y = r.below(SIDE) as i16;
        Collider { x, y, hit: false, been: false, ttl: 1 + r.below(MAX_TTL) as u8 }
    };
    let all: Vec<Collider> = (0..STEPS + burst).map(draw).collect();
    let mut keys = Vec::with_capacity(all.len());
    Box::new(move |out: &mut Report| {
        let (mut pairs, mut both) = (0, 0);
        let mut c = C::with_room(0);
        let mut rest = &all[..];
        let mut steps = [0.0; STEPS];
        for (step, took) in steps.iter_mut().enumerate() {
            let (come, later) = rest.split_at(arrivals(step, burst));
            rest = later;
            let (ns, (p, b)) = timed(&mut c, |c| meet_and_age(c, come, &mut keys));
            *took = ns;
            pairs += p;
            both += b;
        }
        out.steps(&steps, pairs * 100_000 + both);
    })
}
