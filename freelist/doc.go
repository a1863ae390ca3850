// Package freelist hands out what is free of a fixed number of things: sprites, voices, tiles, file
// blocks, ids. It is for whoever owns the array and only needs to know which entry is free. It
// hands out bare indices, pointers or small values: what was freed is handed out again, soon, and
// nobody who has kept it notices. Where that matters, take a berth.Pool, whose handles go stale.
//
//	take                to hand out                    freed twice         per entry
//	Stack, NewIndices   indices of 8 to 64 bits        handed out twice    1 to 8 bytes
//	Stack, NewPointers  pointers into your array       handed out twice    a pointer
//	Stack, NewValues    small values, such as places   handed out twice    one value beside yours
//	Packed              indices of 1 to 32 bits        handed out twice    that many bits
//	Checked             indices                        refused             as Stack, and 1 bit
//	CheckedPointers     pointers into your array       refused             4 bytes and 1 bit
//	Lowest              always the lowest free index   refused             1 bit
//
// All but Lowest are stacks: what was freed last is handed out next, and is likely to be in the
// processor's cache. A full stack hands out what it was made of from the front: index 0, 1, 2, ...
// A stack goes up and down in its own memory, whatever was freed in which order; a linked list
// through the entries goes to an entry each time, which costs nothing while that is in the cache,
// and a hundred times a stack's access where it is not. Lowest keeps what is taken together at the
// front, and can visit it in order.
//
// Len is how many are free, and Cap how many there are: a list is full when all are free. Where a
// list is full, it takes nothing back. A new list is full. Where all entries of your array are in
// use at the start, call Clear: the list is then empty, and is filled by Push (Lowest: by Free) as
// they become free. Reset makes it full again. A list of spare values that live anywhere, such as
// buffers, is a Stack made by NewValues and cleared.
//
// The order in which a list hands out follows from the calls alone, and is the same on every
// machine. None of them grows by itself, and none allocates after it was made, but in Clone,
// Lowest.Grow and Lowest.Clip. Several goroutines need a lock around one.
//
// Source: the allocation by a stack of free indices is that of Game Programming Gems 8, which also
// packs them by splitting them over tables of bytes, half-words and bits.
package freelist
