package peers

import (
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The descriptions of the peers. Their code is in rust/src/collections and cpp.

const (
	slotmapStale = "finds nothing, until the slot has been reused 2^31 times"
	copiedOut    = " cross copies a collider out, then loops over all; ns_per_pair_twokey " +
		"looks up both for each pair, as the documentation suggests."
)

var rustLang = &language{
	name:   "rust",
	prefix: "rust",
	needs: "cargo, librust-slotmap-dev, librust-slab-dev, librust-petgraph-dev and " +
		"librust-sharded-slab-dev",
	sources: "rust",
	tools:   []string{"cargo", "rustc"},
	version: rustVersion,
	build:   buildRust,
	bytes: "Bytes are those that the collection requested from the allocator; during growth, the " +
		"old ones and the new.",
	impls: map[string]measure.Impl{
		"slotmap": {
			About: "slotmap's SlotMap: slots in a Vec, each with a version; the one vacated last " +
				"is reused first. Its handle is DefaultKey, of 8 bytes.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, which visit every slot." + copiedOut +
				" columns has two SecondaryMap. A join loops over the parts and looks each body " +
				"up, and by a loop over the bodies it is the other way round.",
		},
		"HopSlotMap": {
			About: "slotmap's HopSlotMap: the same, and each run of vacant slots holds its ends.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, which skip runs of vacant slots." + copiedOut,
		},
		"DenseSlotMap": {
			About: "slotmap's DenseSlotMap: values and their keys in dense arrays, and slots " +
				"that hold their positions; a removal moves the last value into the hole.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, over the dense arrays." + copiedOut,
		},
		"slab": {
			About: "tokio's Slab: entries in a Vec; the one vacated last is reused first. Its " +
				"key is a bare index.",
			Stale: "finds nothing while the entry is vacant, then the new value there",
			Loops: "iter, iter_mut and retain, which visit every entry." + copiedOut,
		},
		"StableGraph": {
			About: "petgraph's StableGraph, of which only the nodes are used, as in the thesis. " +
				"Its key is NodeIndex, of 4 bytes.",
			Stale: "finds nothing while the node is vacant, then the new value there",
			Loops: "node_weights, node_weights_mut and retain_nodes, which visit every " +
				"node." + copiedOut,
		},
		"generational-arena": {
			About: "an arena with generational indices, rebuilt from the documentation of the " +
				"crate generational-arena, of which Debian has no package: entries in a Vec that " +
				"doubles, all of them free or occupied; the one freed last is reused first. Its " +
				"handle is Index, of 16 bytes.",
			Stale: "finds nothing, until the arena has had 2^64 removals",
			Safe:  true,
			Loops: "iter, iter_mut and retain, which visit every entry that was ever " +
				"allocated." + copiedOut,
		},
		"StableList": {
			About: "the thesis' list, reimplemented in Rust from its chapter 5: cells in a Vec, " +
				"in two quarters and a half; when the half is empty, the list truncates to half " +
				"its length. Its handle is StableIndex, of 16 bytes.",
			Stale: "finds nothing, until the list has had 2^32 inserts",
			Safe:  true,
			Loops: "each and each_mut, which visit every cell; cross is traverse. The removals " +
				"of ageing are noted inside the loop and made after it.",
		},
		"Vec<Rc<RefCell>>": {
			About: "a Vec of Rc<RefCell<T>>, which the thesis calls RefCells: each value in " +
				"its own allocation, which holds its position, so that it can be swap-removed. " +
				"Its handle is a Weak, of 8 bytes, which keeps the memory of a removed value.",
			Stale: "finds nothing, ever",
			Safe:  true,
			Loops: "iter over the Vec, a dereference and a borrow check per value; " +
				"cross borrows the collider and then each other one; ns_per_pair_twokey " +
				"upgrades two Weak for each pair.",
		},
		"sharded-slab": {
			About: "sharded-slab's Slab: a list of vacant slots for each thread, and values " +
				"that are read under a count of their users. Its key is a usize, with a " +
				"generation of 13 bits.",
			Stale: "finds nothing, until the slot has been reused 8191 times: then the first key " +
				"finds the 8191st value",
			Loops: "none here. The goroutines of shared and shared-memory are threads, on as " +
				"many processors as there are, and the keys are atomics.",
		},
		"Vec": {
			About: "a plain Vec; removing moves the last value into the hole (swap_remove). Its " +
				"only handle is the position.",
			Stale: "reads whichever value is at that position now",
			Loops: "iter and iter_mut; cross splits the Vec at the collider. remove_random " +
				"removes random positions, and churn overwrites one, as []T does.",
		},
	},
}

var cppLang = &language{
	name:    "cpp",
	prefix:  "c++",
	needs:   "g++ and libplf-colony-dev",
	sources: "cpp",
	tools:   []string{"g++"},
	version: cppVersion,
	build:   buildCpp,
	bytes:   "Bytes are those that the allocator provided.",
	impls: map[string]measure.Impl{
		"plf::colony": {
			About: "plf::colony: blocks of values that never move; each run of erased ones holds " +
				"its length. Its handle is an iterator, of 24 bytes; a lookup is a pointer's.",
			Stale: "is undefined: it reads that memory, which may have been freed",
			Loops: "range-for over the colony; ageing erases inside the loop; cross is two loops " +
				"of iterators, around the collider. left_25_random_clip is after trim_capacity.",
		},
		"vector": {
			About: "a plain std::vector; removing moves the last value into the hole. Its only " +
				"handle is the position.",
			Stale: "reads whichever value is at that position now, or past the end",
			Loops: "range-for over the vector; cross is two loops around the collider. " +
				"remove_random removes random positions, and churn overwrites one, as []T does.",
		},
	},
}
