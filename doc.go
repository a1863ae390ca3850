// Package berth implements slot maps: pools of values that are referred to by small typed handles,
// also known as generational indices. A handle to a removed value finds nothing, even after its
// slot is reused. Use a slot map instead of pointers, or instead of a map with integer keys, for
// values that come and go and refer to each other: enemies, connections, timers, open files.
//
//	var enemies berth.Pool[Enemy]
//	target := enemies.Insert(Enemy{Health: 10})
//	...
//	if e := enemies.Ptr(target); e != nil { // nil once target is removed
//		e.Health--
//	}
//
// # Choosing a container
//
// [Pool] is the default. Its values never move, so a pointer is valid until its value is removed.
// Loops run in slot order and skip vacant slots, values can be paired with each other, and memory
// is released after a peak.
//
// [Dense] has the fastest loops. Its values lie side by side in one slice. They move when holes
// between them are closed, but their handles stay valid.
//
// Package stable has the list of a master's thesis. It truncates itself, and its keys hold
// generations of your own type and slot numbers as narrow as you like.
//
// Package arena is for many values with one lifetime that are freed together, and for memory
// outside Go's heap. [Config].Memory puts the values of a Pool or a Dense into such memory.
//
// Package near finds nearby values. It sorts the values of a container into a uniform grid, and
// compares each one only with those near it.
//
// Package concurrent has a Pool for many goroutines. A lease keeps a value while it is used, even
// if another goroutine removes it. A loop over its Members visits the values of one moment.
//
// Package freelist hands out bare indices or pointers into an array of your own.
//
// # Guarantees
//
//  1. A live handle finds its value, always the same one, until the value is removed.
//  2. A stale handle never finds anything: not after reuse, Clear, truncation and regrowth, Clip
//     or Clone, and not after 2^31 reuses of a slot, which is then retired.
//  3. The zero handle refers to no value. Any bit pattern is a safe handle: an invalid one finds
//     nothing.
//  4. A handle of another container finds nothing. [Config.Seed] describes how certain this is,
//     for handles that are the same on every machine, and for those of an earlier run.
//  5. Removing a value twice reports false the second time, and changes nothing.
//  6. A vacant slot keeps nothing alive. It holds the zero T. With the build tag berth_poison, all
//     of it but Go pointers holds the byte 0xDB.
//  7. A container may be changed inside a loop over it. The rules are at [Pool].
//  8. A pointer stays valid exactly as long as its container documents.
//  9. In steady state, nothing allocates.
//  10. Memory and the cost of a loop follow the number of live values, not the high-water mark.
//     The memory of a [History] does so after Clip. In a Pool, one live value keeps its chunk.
//  11. A panic in a loop's body or a callback leaves the container consistent.
//  12. Bad input has a documented result, and changes nothing.
//
// Package pooltest tests these guarantees, for these containers and for yours.
//
// # Failures
//
// A stale, zero or foreign handle is not an error: the result is nil, false, or a zero value and
// false. Insert into a full container returns the zero Handle, and TryInsert returns [ErrFull]. A
// mistake in the calling code, such as a negative size, causes a panic that names the package, the
// function and the rule.
//
// # Saving and going back
//
// A container is saved with its generations, so that its handles mean the same after a load: see
// [Pool.MarshalBinary], [Encode] and [Pool.MarshalJSON]. A program that saves imports package save,
// which makes that fast, and JSON possible. A [History] keeps the last frames of a Pool, and takes
// it back to any of them. [Pool.CopyFrom] copies one Pool into another, and [InsertAt] inserts
// under a handle that another Pool has issued.
//
// # Data beside the values
//
// A [Column] holds data for some values of a Pool, and a [DenseColumn] for all values of a Dense,
// by the same handles. It goes when the value does. [Column.Join] loops over both. An [Order] has
// values of a Pool in an order that the program chooses.
//
// # Pointers kept too long
//
// Go does not detect a write through a pointer to a removed value. The write is lost, or it changes
// the slot's next value. With the build tag berth_poison, it causes a panic that names the handle:
//
//	go test -tags berth_poison ./...
//
// [Pool], [Dense] and the lists of package stable then fill vacant memory with the byte 0xDB, and
// check it before they reuse or release it.
package berth
