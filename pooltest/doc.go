// Package pooltest is a conformance test suite for slot maps. It tests the guarantees of package
// berth, called laws here, for any container that issues handles: a berth.Pool or your own.
//
// Fill in a [Suite] with a constructor and the optional functions. [Suite.Run] runs a subtest for
// each law and rule, and [Suite.Play] is the body of a fuzz target:
//
//	type (
//		handle    = mypool.Handle
//		container = pooltest.Container[handle, pooltest.Value]
//	)
//
//	var suite = pooltest.Suite[handle, pooltest.Value]{
//		New: func(o pooltest.Options) container {
//			return mypool.New[pooltest.Value](o.Capacity, o.Limit)
//		},
//		Pointers: pooltest.UntilGrowth,
//		Except:   map[string]string{"Law4Foreign/sameSeed": "it has no seeds"},
//	}
//
//	func TestLaws(t *testing.T) { suite.Run(t) }
//
//	func FuzzLaws(f *testing.F) {
//		f.Fuzz(func(t *testing.T, data []byte) { suite.Play(t, data) })
//	}
//
// # The laws
//
//  1. A live handle finds its value, always the same one, until the value is removed.
//  2. A stale handle never finds anything: not after reuse, Clear, truncation and regrowth, Clip,
//     Clone, or a save and a load, and not when a slot's generations are used up. No handle is
//     issued twice.
//  3. The zero handle refers to no value, and no bit pattern made into a handle crashes or corrupts
//     the container.
//  4. A foreign handle finds nothing. The same Seed and the same calls make the same handles, and
//     so do the same calls to a container and to one that has loaded its state.
//  5. Removing a value twice reports false the second time, and changes nothing.
//  6. A vacant slot holds the zero value, and keeps nothing alive.
//  7. Loops follow the rules below.
//  8. Pointers stay valid as long as the container documents: see [Pointers].
//  9. The steady state allocates nothing.
//  10. Memory follows the live values, wherever they lie, or else is released by Clip.
//  11. A panic in user code leaves the container consistent.
//  12. Bad input is refused, and changes nothing.
//
// # The rules of loops
//
//  1. A value that is live throughout a loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all, and the loop ends.
//  4. Loops may be nested, including over the same container.
//  5. break, return, a panic and Goexit leave the container as usable as the end of the loop.
//  6. The order depends only on the calls made so far. Backward reverses it.
//  7. A value removed after its span was yielded reads as zero there, or with the build tag
//     berth_poison, as poison.
//
// A load that succeeds replaces the state of its receiver, except for its Limit. It ends the
// handles and pointers that the receiver had issued.
//
// A value that InsertFunc is building counts towards Limit, is not found, and is in no loop.
//
// The suite uses no clock and no sleep, and its random numbers are seeded. A loop that runs its
// body too often fails. One that never returns to its body is left to the timeout of go test.
package pooltest
