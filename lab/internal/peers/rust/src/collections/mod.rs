//! A file per crate, or per reimplemented collection.

pub mod generational_arena;
pub mod ref_cells;
pub mod slab;
pub mod slotmaps;
pub mod stable_graph;
pub mod stable_list;
pub mod vec;
