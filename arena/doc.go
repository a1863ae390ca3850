// Package arena implements arenas: bump allocators for values that are freed together, such as
// those of a frame, a request or a level. Slices, queues, pools and hash maps can live in an arena,
// and panic when they are used after their memory has been freed. Use an arena where many values
// without Go pointers share one lifetime. For values that are removed one by one, use a berth.Pool.
//
//	frame := arena.NewChunked(64 << 10)
//	visible := arena.NewVec[Sprite](frame)
//	for running {
//		frame.Reset()   // frees everything in the last frame
//		visible.Clear() // makes visible usable again, and empty
//		...
//		visible.Push(s)
//	}
//
// # Which arena
//
//	             memory                        holds         grows              for
//	NewFixed     one piece of Go's heap        no pointers   never              a budget
//	NewChunked   pieces of Go's heap           no pointers   by chunks          frames, requests
//	GetScratch   the same, borrowed            no pointers   by chunks          a function call
//	NewVirtual   address space of the system   no pointers   up to its reserve  levels, long lists
//	Typed        slices of T on Go's heap      any T         by chunks          trees, strings
//	NewBacking   address space, reused         no pointers   up to its reserve  a Pool or Dense
//
// Arenas never move values, so pointers remain valid when an arena grows.
//
// # Which container
//
//   - [Vec] is a growing slice, for results, draw lists and stacks. It is the fastest to loop over.
//     It moves when it grows, unless it was allocated last in its arena.
//   - [Deque] is a double-ended queue, for queues, stacks and lists that grow at both ends. Its
//     values never move. It reuses its blocks, so a queue can run forever in the same memory.
//   - [Pool] holds values in slots that are referred to by index. An insert takes the lowest vacant
//     slot. Use it where no index is kept longer than its value, because indices are reused.
//   - [Handles] is a slot map: it holds values in slots that are referred to by handle. A stale
//     handle finds nothing, however long it is kept. Each slot takes four or eight bytes more than
//     in a Pool, and each access takes one comparison more.
//   - [Map] is a hash map that iterates in insertion order.
//   - [Nested] is a list that can itself lie in a container: a Vec of Vecs, a Map of lists. The
//     other containers cannot. The documentation of Nested explains why, and shows the
//     alternatives.
//   - [Bump] allocates values of one type one after the other, and keeps no list of them.
//
// A container is given its arena when it is created, and allocates from it when it needs memory.
// The zero value of a container has no arena: it is empty, and operations that would make it grow
// fail.
//
// # Rules
//
//  1. A pointer or a slice into an arena is valid until its memory is rewound by [Arena.Rewind],
//     [Arena.Scope], [Arena.Reset], [Arena.Release] or [PutScratch]. The package cannot detect a
//     pointer that is kept longer, so keep handles instead of pointers.
//  2. A value in an arena must not hold Go pointers, because the collector does not scan arenas.
//     Creating a container of a type that holds pointers panics. Store text as an offset and a
//     length, or as the number of an interned name, and refer to other values by index or handle.
//     [Typed] accepts any type.
//  3. Containers detect the loss of their memory. After it has been rewound, every method but
//     Clear panics, including Len, Cap and Stats. Clear makes the container usable again, and
//     empty. A [Handles] cannot be revived, since old handles could find new values in it. Create
//     a new one instead, and keep a container that outlives a frame in another arena than the
//     frame's.
//  4. Running out of room is reported by nil, false or [ErrNoSpace], and changes nothing. A
//     mistake in the calling code panics.
//  5. An arena is for one goroutine at a time, and so are its containers while any goroutine
//     writes. Give each goroutine an arena of its own, or one from [GetScratch].
//
// # Sizes
//
// An arena of any kind holds at most 1 TiB of Go's heap. Larger requests are refused. Go cannot
// report that its heap is exhausted: below 1 TiB, and below the limit of [NewChunkedLimit], the
// process ends if the machine lacks the memory. A virtual arena may reserve more than 1 TiB. It
// returns [ErrNoSpace] if the system refuses.
//
// # Loops
//
// A loop over a container does not allocate where the compiler inlines the iterator, which it does
// in all but very large functions. Elsewhere, and where the sequence is stored before it is run, it
// may allocate one or two objects.
//
// # Garbage collection
//
// The collector does not scan arenas, so ten million values in one add nothing to a collection. A
// chunk on Go's heap is one object, and is freed when nothing points to it. A virtual arena is
// freed only by [Arena.Release].
//
// The memory of a virtual arena does not count towards GOGC, which sets how much the heap may grow
// in proportion to the live heap. A program that moves most of its memory off the heap therefore
// collects more often for what it still allocates, with less work each time. If that matters, raise
// GOGC. The memory limit (GOMEMLIMIT) does not count this memory either.
//
// # Build tags
//
// With berth_poison, rewound memory is overwritten with the byte 0xDB, so that a read through a
// stale pointer returns nonsense at once. With berth_invariants, arenas and containers check their
// invariants when they change. Both are for tests: go test -tags berth_poison,berth_invariants.
//
// Source: R. Fleury, "Untangling Lifetimes: The Arena Allocator" (2022): a stack of memory per
// lifetime, in address space that is committed as it is used, and scratch arenas. C. Wellons,
// "Arena allocator tips and tricks" (2023): values and slices in an arena. The articles "Memory
// Arena" and "Memory Arena - Containers - Part 1" (2025): the kinds of arena, and the containers in
// them.
package arena
