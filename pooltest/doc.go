// Package pooltest is the laws of berth's containers as a test suite. Any container that hands out
// handles can be run through it: a Pool, and yours.
//
// Hand [Suite] a constructor, and say what else there is; [Suite.Run] is a subtest for each law and
// rule, [Suite.Play] the body of a fuzz target:
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
//  1. A live handle finds its value, and the same value, until it is removed.
//  2. A stale handle never finds anything: not after reuse, Clear, truncation and regrowth, Clip or
//     Clone, nor when a slot's generations are used up. No handle is handed out twice.
//  3. The zero handle names nothing, and no bits made into a handle crash or corrupt.
//  4. A foreign handle finds nothing. The same Seed and the same calls make the same handles.
//  5. Removing twice is false the second time, and changes nothing.
//  6. A vacant slot holds the zero value, and keeps nothing alive.
//  7. Loops go by the rules below.
//  8. Pointers stay good as long as the container says: see [Pointers].
//  9. The steady state allocates nothing.
//  10. Memory follows the live values, wherever they lie; else it comes back by Clip.
//  11. A panic in user code leaves the container whole.
//  12. Bad input is refused, and changes nothing.
//
// # The rules of loops
//
//  1. A value that is live throughout a loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted inside the loop is visited once or not at all, and the loop ends.
//  4. Loops nest, in each other and in themselves.
//  5. break, return, a panic and Goexit leave the container as usable as the loop's end.
//  6. The order depends on the calls made so far and on nothing else; Backward turns it round.
//  7. What is removed from a span while it is handed out reads as zero, or with the build tag
//     berth_poison, as poison.
//
// A value that InsertFunc is building counts towards Limit, is not found, and is in no loop.
//
// The suite uses no clock and no sleep, and its only random numbers are seeded. A loop that goes on
// and on fails; one that never comes to its body again is for the timeout of go test.
package pooltest
