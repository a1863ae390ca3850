//! Rust collections on the workloads of berth's lab, which runs this program beside its own
//! collections and requests one repetition at a time.

mod clock;
mod collection;
mod collections;
mod collider;
mod columns;
mod crowds;
mod elem;
mod held;
mod protocol;
mod report;
mod rng;
mod steps;
mod values;

use collections::generational_arena::Arena;
use collections::ref_cells::RefCells;
use collections::slotmaps::{DenseSlots, HopSlots, Slots};
use collections::stable_graph::Nodes;
use collections::stable_list::StableList;
use collections::vec::SwapVec;
use elem::{NoWords, Words15, Words3};
use protocol::Peer;
use slab::Slab;

/// Makes a Peer of a collection that is generic over its values. (It is a macro, since a function
/// cannot take a type constructor.) It has all common workloads, and the additional ones that
/// follow.
macro_rules! peer {
    ($name:literal, $c:ident $(, $more:literal)*) => {
        Peer {
            name: $name,
            workloads: &[
                "basic",
                "cross",
                "ephemeral",
                "cross-ephemeral",
                "sparse",
                "churn",
                "memory",
                "thesis-basic",
                "thesis-cross",
                "thesis-ephemeral",
                "thesis-cross-ephemeral",
                $($more,)*
            ],
            start: |workload, n, elem| {
                Some(match (workload, elem) {
                    ("basic", 8) => values::basic::<NoWords, $c<_>>(n),
                    ("basic" | "growth", 32) => values::basic::<Words3, $c<_>>(n),
                    ("basic", 128) => values::basic::<Words15, $c<_>>(n),
                    ("columns", 32) => columns::columns(n),
                    ("sparse", 8) => values::sparse::<NoWords, $c<_>>(n),
                    ("sparse", 32) => values::sparse::<Words3, $c<_>>(n),
                    ("sparse", 128) => values::sparse::<Words15, $c<_>>(n),
                    ("churn", 8) => values::churn::<NoWords, $c<_>>(n),
                    ("churn", 32) => values::churn::<Words3, $c<_>>(n),
                    ("churn", 128) => values::churn::<Words15, $c<_>>(n),
                    ("memory", 8) => values::memory::<NoWords, $c<_>>(n),
                    ("memory", 32) => values::memory::<Words3, $c<_>>(n),
                    ("memory", 128) => values::memory::<Words15, $c<_>>(n),
                    ("thesis-basic", 8) => values::thesis_basic::<NoWords, $c<_>>(n),
                    ("cross", 8) => steps::cross::<$c<_>>(n, true),
                    ("thesis-cross", 8) => steps::cross::<$c<_>>(n, false),
                    ("ephemeral" | "thesis-ephemeral", 4) => steps::ephemeral::<$c<_>>(n),
                    ("cross-ephemeral" | "thesis-cross-ephemeral", 8) => {
                        steps::cross_ephemeral::<$c<_>>(n)
                    }
                    _ => return None,
                })
            },
        }
    };
}

fn main() -> std::io::Result<()> {
    let peers = [
        peer!("slotmap", Slots, "growth", "columns"),
        peer!("HopSlotMap", HopSlots),
        peer!("DenseSlotMap", DenseSlots, "growth"),
        peer!("slab", Slab),
        peer!("StableGraph", Nodes),
        peer!("generational-arena", Arena),
        peer!("StableList", StableList),
        peer!("Vec<Rc<RefCell>>", RefCells),
        Peer {
            name: "sharded-slab",
            workloads: &["shared", "shared-memory"],
            start: |workload, n, elem| match (workload, elem) {
                ("shared", 32) => Some(crowds::shared(n)),
                ("shared-memory", 32) => Some(crowds::shared_memory(n)),
                _ => None,
            },
        },
        peer!("Vec", SwapVec),
    ];
    protocol::serve(&peers, std::io::stdin().lock(), std::io::stdout().lock())
}
