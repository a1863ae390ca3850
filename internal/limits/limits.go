// Package limits says what is too much to ask for.
package limits

import "math"

// MaxBytes is more memory than any machine has, and little enough to be counted.
const MaxBytes = min(math.MaxInt, 1<<47)

// MaxHeapBytes is more memory than Go's heap is given on any machine. A request above it is refused
// before it is made: the heap answers one that is too large by ending the process.
const MaxHeapBytes = min(math.MaxInt, 1<<40)
