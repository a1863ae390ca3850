//! Timing, with barriers against the optimizer.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

static SEEN: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Publishes the address of v. The compiler must then assume that reading the clock also reads
/// and writes v and everything it points to, so it cannot move work on v across the clock.
fn escape<T>(v: &mut T) {
    SEEN.store(v as *mut T as *mut (), Ordering::SeqCst);
}

/// Runs f on c, and returns the time it took, in ns, and what it returned.
pub fn timed<C, R>(c: &mut C, f: impl FnOnce(&mut C) -> R) -> (f64, R) {
    escape(c);
    let start = Instant::now();
    let mut out = f(c);
    escape(c);
    escape(&mut out);
    (start.elapsed().as_nanos() as f64, out)
}

/// Times a loop that may be too short for the clock: after a call to warm up, it doubles the number
/// of calls in a batch until a batch takes a millisecond, and returns the median of five such
/// batches, per call. A loop of more than 20 ms runs once. The second result counts all calls.
pub fn per_call<C>(c: &mut C, mut f: impl FnMut(&mut C)) -> (f64, u64) {
    f(c);
    let mut calls = 1;
    let mut run = |batch: u64| {
        calls += batch;
        let each = |c: &mut C| {
            for _ in 0..batch {
                escape(c); // lest the compiler do once what gives the same each time
                f(c);
            }
        };
        timed(c, each).0
    };
    let mut batch = 1;
    let mut first = run(batch);
    while first < 1e6 {
        batch *= 2;
        first = run(batch);
    }
    let mut times = vec![first];
    while first < 20e6 && times.len() < 5 {
        times.push(run(batch));
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2] / batch as f64, calls)
}
