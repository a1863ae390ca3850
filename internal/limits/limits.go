// Package limits says what is too much to ask for.
package limits

import "math"

// MaxBytes is more memory than any machine has, and little enough to be counted.
const MaxBytes = min(math.MaxInt, 1<<47)

// MaxHeapBytes is more memory than any machine has for one container on Go's heap. Go ends a process
// that asks for more than there is, so what is refused must be refused before.
const MaxHeapBytes = min(math.MaxInt, 1<<46-1)
