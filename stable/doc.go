// Package stable is a list that truncates itself and cross-iterates: the StableList of a master's
// thesis, with the variants that its author left to the future.
//
//	var things stable.List[Thing]
//	k := things.Insert(Thing{Name: "drone"})
//	for e, others := range things.Traverse() {
//		for o := range others.Values() { // all but e
//			e.Value.Meet(o)
//		}
//	}
//	things.Remove(k) // and when the last ones have gone, the list is shorter
//
// # Which one
//
// A [berth.Pool] is the default in this module: its memory follows the living wherever they are,
// and its pointers stay good. A [List] is for those who want what the thesis describes: all slots
// in one piece of memory, identifiers of a type of their own ([Identifier]) that say which value of
// all there ever were, a slot's number that is small enough for a table (a [ListOf] uint16), and a
// length that comes down by itself.
//
// The [Placement] decides which vacant slot an insert takes. [FirstFree], the default, keeps values
// together at the front and cuts the list behind the last of them. Its loops skip vacant slots by
// bitmap. [Quartered] is the thesis' own way, and [QuarteredStepwise] its published order to the
// letter. The thesis asks how they compare, and docs/thesis.md answers.
//
// # In a berth.View
//
// [ByHandle] shows a List as a [berth.View], to functions that take one and to the grid of package
// near. A Key of a List and a [berth.Handle] have the same 8 bytes: [HandleOf] and [KeyOf] convert
// one to the other.
//
// # What differs from the laws of package berth
//
// The twelve laws that the documentation of package berth lists hold, with these differences:
//
//   - Law 2, stale keys. Identifiers are given once per list, not counted per slot: so truncation
//     needs no memory of what it cut off. When they run out, the list refuses inserts ([ErrSpent])
//     and never gives one twice. A List runs out after 2^32 - 1 inserts, a list of [Counter64]
//     after 2^64 - 1. With an [Identifier] of your own the law holds if its Next is injective.
//   - Law 4, foreign keys. A key of another list finds nothing, for certain, as long as neither has
//     had 2^32/3n inserts, where n is the number of lists; see [Counter32]. With Counter64 that is
//     never reached, and with identifiers that are unique in the world there is nothing to reach.
//   - Law 8, pointers. They end when the list grows or gives memory back; see [ListOf].
//   - Law 9, steady state. Insert, Remove, lookups and loops allocate nothing while the list has
//     been as long before, and under [TruncateMemory] while it swings by less than a half.
//   - Law 10, cost. Memory, and loops under Quartered, follow the last living value, not the number
//     of the living: one that stays far out keeps all slots before it. Under [TruncateLength], the
//     default, the memory of a spike stays until [ListOf.Clip]. Slots made by Capacity or Grow stay
//     as [Config] says.
//
// Source: F. Saukko, A Novel Dynamically Truncating Object Pool for Game Loops and Other Use Cases
// in Rust, University of Turku 2025.
package stable
