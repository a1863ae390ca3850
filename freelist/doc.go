// Package freelist implements free lists. A free list records which entries of a fixed-size array
// are free, and hands them out: sprites, voices, tiles, file blocks, IDs. Use it if your program
// owns the array and only needs to know which entry is free. The lists hand out bare indices,
// pointers or small values. A freed entry is soon handed out again, which a holder of an old index
// cannot detect. If that matters, use a berth.Pool, whose handles go stale.
//
//	free := freelist.NewIndices[uint16](len(sprites))
//	if i, ok := free.Pop(); ok {
//		sprites[i] = s
//		...
//		free.Push(i) // sprite i is free again
//	}
//
// # Which list
//
//	type                hands out                      a double free     per entry
//	Stack, NewIndices   indices of 8 to 64 bits        hands out twice   1 to 8 bytes
//	Stack, NewPointers  pointers into your array       hands out twice   a pointer
//	Stack, NewValues    small values, such as places   hands out twice   one value beside yours
//	Packed              indices of 1 to 32 bits        hands out twice   that many bits
//	Checked             indices                        is refused        as Stack, and 1 bit
//	CheckedPointers     pointers into your array       is refused        4 bytes and 1 bit
//	Lowest              the lowest free index          is refused        1 bit
//
// All of them except Lowest are stacks: the entry freed last is handed out next, and is likely to
// be in the processor's cache. A new stack hands out its entries from the front: index 0, 1, 2, and
// so on. A stack touches only its own memory, in whatever order entries were freed. A linked list
// through the entries visits an entry at each step. That costs nothing while the entry is in the
// cache, and a hundred times as much as a stack's access where it is not. Lowest keeps the taken
// entries together at the front, and can visit them in order.
//
// # Full and empty
//
// Len is the number of free entries, and Cap is the number of all entries. A list is full if all
// entries are free. It then takes nothing back. A new list is full. If all entries of your array
// are in use at the start, call Clear. The list is then empty, and is filled by Push (in Lowest, by
// Free) as entries become free. Reset makes it full again. For a list of spare values that live
// anywhere, such as buffers, call NewValues and then Clear.
//
// # Determinism, memory, goroutines
//
// The order in which a list hands out entries depends only on the calls, and is the same on every
// machine. No list grows by itself, and none allocates after it was made, except in Clone,
// Lowest.Grow and Lowest.Clip. A list that is used by several goroutines needs a lock.
//
// Source: Game Programming Gems 8 allocates by a stack of free indices, and packs them by splitting
// them over tables of bytes, half-words and bits.
package freelist
