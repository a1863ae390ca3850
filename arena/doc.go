// Package arena is memory with a lifetime, for values that end together: those of a frame, a
// request, a level. It is taken piece by piece and given back all at once; lists, queues, pools and
// maps can live in it, and notice when it is gone.
//
//	frame := arena.NewChunked(64 << 10)
//	visible := arena.NewVec[Sprite](frame)
//	for running {
//		frame.Reset()   // all that was in the last frame
//		visible.Clear() // good again, and empty
//		...
//		visible.Push(s)
//	}
//
// # Which arena
//
//	             memory                        holds         grows              for
//	NewFixed     one piece of Go's heap        no pointers   never              a budget
//	NewChunked   pieces of Go's heap           no pointers   by chunks          frames, requests
//	GetScratch   the same, lent                no pointers   by chunks          a function call
//	NewVirtual   address space of the system   no pointers   up to its reserve  levels, long lists
//	Typed        slices of T on Go's heap      any T         by chunks          trees, strings
//	NewBacking   address space, reused         no pointers   up to its reserve  a Pool or Dense
//
// Pointers stay good when an arena grows: none of them moves what it has given out.
//
// # Which container
//
//   - [Vec] is a slice that grows: a result, a draw list, a stack. It is the fastest to loop over,
//     and moves when it grows, unless it is the last in its arena.
//   - [Deque] is a queue, a stack, a list that grows at both ends. Its values never move, and what
//     it has used up serves again: a queue runs for ever in the same memory.
//   - [Pool] is slots that are named by index, the lowest vacant one first. It is for values whose
//     index nobody keeps for longer than they live: it is another one's soon.
//   - [Handles] is slots that are named by handle, for values that others name for as long as they
//     like: a stale handle finds nothing. That is four or eight bytes more per slot, and a compare.
//   - [Map] is a hash map whose loops go by the order in which the keys came.
//   - [Nested] is a list that lies in a container itself: a Vec of Vecs, a Map of lists. The other
//     containers cannot; Nested says why, and what to do instead.
//   - [Bump] makes values of one type, one after the other, and keeps no list of them.
//
// All take their arena when they are made, and memory of it when they need it. The zero ones have
// none: they are empty, and what would make them grow fails.
//
// # Rules
//
//  1. A pointer or a slice into an arena is good until what it points to is rewound: by
//     [Arena.Rewind], [Arena.Scope], [Arena.Reset], [Arena.Release] or [PutScratch]. Nobody can
//     tell that it was kept too long, so keep a handle, or nothing.
//  2. What lies in an arena holds no Go pointers, since the collector does not look there. A type
//     that does is refused when the container is made. Text is an offset and a length, or a number
//     for a name; other values are named by index or handle. [Typed] takes them as they are.
//  3. Containers notice. One whose memory has been rewound panics in every method but Clear, also
//     in Len, Cap and Stats; after Clear it is good again, and empty. A [Handles] is not, since old
//     handles could find new values in it: make a new one. A container that outlives a frame
//     belongs in another arena than the frame's.
//  4. No room is an answer: nil, false or [ErrNoSpace], and nothing has changed. A mistake in the
//     calling code panics.
//  5. An arena is for one goroutine at a time, and so are its containers when somebody writes.
//     Each goroutine takes an arena of its own, or one from [GetScratch].
//
// # Sizes
//
// An arena holds at most 1 TiB of Go's heap, whatever its kind. Larger requests are refused. Go
// cannot report that its heap is exhausted: below 1 TiB, and below the limit of [NewChunkedLimit],
// a machine without the memory ends the process. A virtual arena may reserve more than 1 TiB. It
// returns [ErrNoSpace] if the system refuses.
//
// # Loops
//
// A loop over a container never allocates where the compiler inlines it, as it does in all but very
// large functions. Elsewhere, and where the sequence is stored before it is run, it may take an
// object or two.
//
// # The collector
//
// It does not look into arenas, whose values have nothing for it to follow: ten million of them
// cost it nothing. A chunk on Go's heap is one object, and is freed when nobody points to it any
// more. A virtual arena is not freed by itself, see [Arena.Release], and it is not counted: GOGC is
// how much the heap may grow in proportion to what lives on it, and what is off the heap is no part
// of that. So a program that moves most of its memory there collects more often for what it still
// allocates, with less work each time. Where that matters, set GOGC higher. A memory limit
// (GOMEMLIMIT) does not count this memory either.
//
// # Build tags
//
// With berth_poison, what is rewound is overwritten by the byte 0xDB, so that whoever reads by a
// stale pointer sees nonsense at once. With berth_invariants, arenas and containers check
// themselves at changes. Both are for tests: go test -tags berth_poison,berth_invariants.
//
// Source: R. Fleury, "Untangling Lifetimes: The Arena Allocator" (2022): a stack of memory per
// lifetime, in address space that is committed with use, and scratch arenas. C. Wellons, "Arena
// allocator tips and tricks" (2023): how pieces of an arena become values and slices. The articles
// "Memory Arena" and "Memory Arena - Containers - Part 1" (2025): the kinds of arena, and the
// containers in them.
package arena
