//! An allocator that counts the bytes held, for the workloads that measure them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, with a count.
struct Counting;

fn grew(bytes: usize) {
    let now = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(now, Relaxed);
}

fn shrank(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

// Safety: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        System.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        System.alloc_zeroed(layout)
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        shrank(layout.size());
        System.dealloc(p, layout)
    }

    // A growing collection holds the old memory and the new. (The system may avoid the
    // copy by remapping pages. The count is the possible maximum.)
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grew(size);
        let q = System.realloc(p, layout, size);
        shrank(layout.size());
        q
    }
}

/// The bytes held now.
pub fn held() -> f64 {
    HELD.load(Relaxed) as f64
}

/// Runs f, and returns the maximum of bytes held meanwhile.
pub fn most_held(f: impl FnOnce()) -> f64 {
    MOST.store(HELD.load(Relaxed), Relaxed);
    f();
    MOST.load(Relaxed) as f64
}
