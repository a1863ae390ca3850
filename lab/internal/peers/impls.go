package peers

import (
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// What there is to say of the peers. Their code is in rust/src/collections and cpp.

const (
	slotmapStale = "finds nothing, until the slot has been used again 2^31 times"
	copiedOut    = " cross copies a collider out, and then loops over all; ns_per_pair_twokey " +
		"looks up both for each pair, as the documentation offers."
)

var rustLang = &language{
	name:    "rust",
	prefix:  "rust",
	needs:   "cargo, librust-slotmap-dev, librust-slab-dev and librust-petgraph-dev",
	sources: "rust",
	tools:   []string{"cargo", "rustc"},
	version: rustVersion,
	build:   buildRust,
	bytes: "Bytes are those that the collection asked the allocator for; where it grows, the " +
		"old ones and the new.",
	impls: map[string]measure.Impl{
		"slotmap": {
			About: "slotmap's SlotMap: slots in a Vec, each with a version; the one vacated last " +
				"is used next. Its handle is DefaultKey, of 8 bytes.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, which look at every slot." + copiedOut,
		},
		"HopSlotMap": {
			About: "slotmap's HopSlotMap: the same, and each run of vacant slots knows its ends.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, which hop over runs of vacant " +
				"slots." + copiedOut,
		},
		"DenseSlotMap": {
			About: "slotmap's DenseSlotMap: values and their keys side by side, and slots that " +
				"know where; a removal moves the last value into the hole.",
			Stale: slotmapStale, Safe: true,
			Loops: "values, values_mut and retain, over what is side by side." + copiedOut,
		},
		"slab": {
			About: "tokio's Slab: entries in a Vec; the one vacated last is used next. Its key " +
				"is a bare index.",
			Stale: "finds nothing while the entry is vacant, and then whatever was put there",
			Loops: "iter, iter_mut and retain, which look at every entry." + copiedOut,
		},
		"StableGraph": {
			About: "petgraph's StableGraph, of which only the nodes are used, as the thesis did. " +
				"Its key is NodeIndex, of 4 bytes.",
			Stale: "finds nothing while the node is vacant, and then whatever was put there",
			Loops: "node_weights, node_weights_mut and retain_nodes, which look at every " +
				"node." + copiedOut,
		},
		"generational-arena": {
			About: "an arena with generational indices, rebuilt from the documentation of the " +
				"crate generational-arena, of which Debian has no package: entries in a Vec that " +
				"doubles, all of them free or held; the one freed last is used next. Its handle " +
				"is Index, of 16 bytes.",
			Stale: "finds nothing, until the arena has had 2^64 removals",
			Safe:  true,
			Loops: "iter, iter_mut and retain, which look at every entry that was ever " +
				"allocated." + copiedOut,
		},
		"StableList": {
			About: "the thesis' list, written anew in Rust by the rules of its chapter 5: cells " +
				"in a Vec, in two quarters and a half; when the half is empty, the list is cut " +
				"to half its length. Its handle is StableIndex, of 16 bytes.",
			Stale: "finds nothing, until the list has had 2^32 inserts",
			Safe:  true,
			Loops: "each and each_mut, which look at every cell; cross is traverse. What ageing " +
				"removes is noted inside the loop and removed behind it: there is no other way.",
		},
		"Vec<Rc<RefCell>>": {
			About: "a Vec of Rc<RefCell<T>>, which the thesis calls RefCells: each value in " +
				"memory of its own, which knows its position, so that it can be swap-removed. " +
				"Its handle is a Weak, of 8 bytes, which keeps the memory of a removed value.",
			Stale: "finds nothing, ever",
			Safe:  true,
			Loops: "iter over the Vec, a pointer to follow and a borrow to check per value; " +
				"cross borrows the collider and then each other one; ns_per_pair_twokey " +
				"upgrades two Weak for each pair.",
		},
		"Vec": {
			About: "a plain Vec; removing moves the last value into the hole (swap_remove). Its " +
				"only name for a value is the position.",
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
	bytes:   "Bytes are those that the allocator handed out.",
	impls: map[string]measure.Impl{
		"plf::colony": {
			About: "plf::colony: blocks of values that never move; each run of erased ones knows " +
				"its length. Its handle is an iterator, of 24 bytes; a lookup is a pointer's.",
			Stale: "is undefined: it reads what is in that memory now, if it is still there",
			Loops: "range-for over the colony; ageing erases inside the loop; cross is two loops " +
				"of iterators, around the collider. left_25_random_clip is after trim_capacity.",
		},
		"vector": {
			About: "a plain std::vector; removing moves the last value into the hole. Its only " +
				"name for a value is the position.",
			Stale: "reads whichever value is at that position now, or behind the end",
			Loops: "range-for over the vector; cross is two loops around the collider. " +
				"remove_random removes random positions, and churn overwrites one, as []T does.",
		},
	},
}
