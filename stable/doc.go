// Package stable implements a slot map in one contiguous array that truncates itself: when the
// values at its end are removed, it gets shorter. It is the StableList of a master's thesis, with
// the variants that the author left to future work. Take it for identifiers of your own type, for
// slot numbers as narrow as 16 bits, or for memory in one piece. Otherwise take a [berth.Pool].
//
//	var things stable.List[Thing]
//	k := things.Insert(Thing{Name: "drone"})
//	for e, others := range stable.Traverse(&things) {
//		for o := range others.Values() { // all but e
//			e.Value.Meet(o)
//		}
//	}
//	things.Remove(k) // and when the last ones are removed, the list gets shorter
//
// # Which one
//
// A [berth.Pool] is the default in this module. Its memory follows the live values wherever they
// are, and a pointer stays valid until its value is removed. A [List] offers what the thesis
// describes: all slots in one piece of memory, identifiers of a type of your own ([Identifier])
// that tell apart all values that the list has ever held, slot numbers small enough for a table (a
// [ListOf] uint16), and a length that comes down by itself.
//
// The [Placement] decides which vacant slot an insert takes. [FirstFree], the default, keeps values
// together at the front and cuts the list behind the last of them. Its loops skip vacant slots by
// bitmap. [Quartered] is the thesis' own method. docs/thesis.md compares them.
//
// # Use as a berth.View
//
// [ByHandle] returns a [berth.View] of a List, for functions that take one and for the grid of
// package near. A Key of a List and a [berth.Handle] have the same 8 bytes. [HandleOf] and [KeyOf]
// convert one to the other.
//
// # Differences from the laws of package berth
//
// The documentation of package berth lists twelve laws. They hold with these differences:
//
//   - Law 2, stale keys. Identifiers are given once per list, not counted per slot, so truncation
//     needs no record of the slots that it cut off. When they run out, the list refuses inserts
//     ([ErrSpent]) and never gives one twice. A List runs out after 2^32 - 1 inserts, a list of
//     [Counter64] after 2^64 - 1. With an [Identifier] of your own the law holds if its Next is
//     injective.
//   - Law 4, foreign keys. A key of another list is certain to find nothing as long as neither has
//     had 2^32/3n inserts, where n is the number of lists. See [Counter32]. With Counter64 that
//     limit is never reached, and with identifiers that are unique in the world there is no limit.
//   - Law 8, pointers. They end when the list grows or releases memory. See [ListOf].
//   - Law 9, steady state. Insert, Remove, lookups and loops allocate nothing while the list is no
//     longer than it has been before, and under [berth.TruncateMemory] while its length varies by
//     less than a half.
//   - Law 10, cost. Memory, and loops under Quartered, follow the last live value and not the
//     number of values: one value far out keeps all slots before it. Under [berth.TruncateLength],
//     the default, the memory of a spike stays until [ListOf.Clip]. Slots made by Capacity or Grow
//     stay as [Config] describes.
//
// Source: F. Saukko, A Novel Dynamically Truncating Object Pool for Game Loops and Other Use Cases
// in Rust, University of Turku 2025.
package stable
