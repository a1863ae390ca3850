// Package limits says which sizes are refused, since no machine can serve them.
//
// Go cannot report that its heap is exhausted: the process ends. So a size that is a mistake has to
// be refused before it is asked for. Which memory a machine has is not asked, so that the same call
// has the same answer everywhere.
package limits

import "math"

// MaxBytes is the most that one arena, container or list takes of Go's heap: 1 TiB, or about what
// an int counts where that is less. It leaves room to round up to pages.
const MaxBytes = min(math.MaxInt-4095, 1<<40)

// MaxAddresses is the most that is reckoned with in address space off Go's heap. A process has no
// more than that, and sums of a few such sizes do not overflow a 64-bit int.
const MaxAddresses = min(math.MaxInt, 1<<47)
