// Package limits says what is too much to ask for.
package limits

import "math"

// MaxBytes is more memory than any machine has, and little enough to be counted.
const MaxBytes = min(math.MaxInt, 1<<47)
