// Package berth is a slot map. Values that come and go, such as enemies, particles, connections and
// timers, live in pooled slots, and are named by small typed handles, also known as generational
// indices. Handles may be copied, stored, sent and kept too long: a stale one finds nothing, never
// somebody else's value.
//
//	var enemies berth.Pool[Enemy]
//	target := enemies.Insert(Enemy{Health: 10})
//	...
//	if e := enemies.Ptr(target); e != nil { // nil once it is gone, whoever has its slot now
//		e.Health--
//	}
//
// # Which one
//
// The default, [Pool]: safe handles, values that stay put (a pointer is good until its value is
// removed), loops in slot order that skip what is vacant, cross-iteration, and memory that goes
// back after a peak.
//
// For the fastest possible loop, [Dense]: values side by side in one slice, which move when holes
// between them are closed, while their handles stay good.
//
// For the list of a master's thesis, which truncates itself, with identifiers of your own type and
// numbers of slots as narrow as you like, package stable.
//
// For many values with one lifetime, given back at once, also off Go's heap, package arena. And to
// put the values of a Pool or a Dense there: [Config].Memory.
//
// To know which of them are close, package near puts the values of a container into a grid, and
// pairs each with those near it, in place of all.
//
// Where you own the array and only need to know which of its entries is free, package freelist
// hands out bare indices or pointers.
//
// # What every container keeps
//
//  1. A live handle finds its value, and the same value, until it is removed.
//  2. A stale handle finds nothing, ever: not after reuse, Clear, truncation and regrowth, Clip
//     or Clone, nor after 2^31 reuses of a slot, which is retired then.
//  3. The zero handle names nothing, and no bit pattern made into a handle does harm.
//  4. A handle of another container finds nothing; see [Config.Seed] for how sure that is, for
//     handles that are the same on every machine, and for those of an earlier run.
//  5. Removing twice is false the second time, and changes nothing.
//  6. Nothing is kept alive: a vacant slot holds the zero T (with the build tag berth_poison, 0xDB
//     where it has no Go pointers).
//  7. Changing a container inside a loop over it is defined; the rules are at [Pool].
//  8. Pointers stay good exactly as long as the container says.
//  9. In steady state, nothing allocates.
//  10. Memory and loops follow the living, not the high-water mark.
//  11. A panic in your code leaves the container whole.
//  12. Bad input is a clear answer, and changes nothing.
//
// Package pooltest holds these laws as tests, for these containers and for yours.
//
// # Failures
//
// A stale, zero or foreign handle is an answer (nil, false, or a zero value and false), not an
// error. A full container answers the zero Handle from Insert, and [ErrFull] from TryInsert. What
// only a mistake in the calling code can cause, such as a negative size, panics with the package,
// the function and the rule.
//
// # Pointers kept too long
//
// A write through a pointer that outlived its value is no crash in Go: it is lost, or hits the next
// value. Test with the build tag berth_poison, and it is a panic that names the handle:
//
//	go test -tags berth_poison ./...
//
// [Pool], [Dense] and the lists of package stable then fill what is vacant with the byte 0xDB, and
// look at it before they use it again, or give it back.
package berth
