// Package limits defines the sizes that are refused on every machine.
//
// Go cannot report that its heap is exhausted: the process ends. So a size that can only be a
// mistake is refused before it is allocated. The limit does not depend on the machine's memory, so
// that the same call has the same result everywhere.
package limits

import "math"

// MaxBytes is the maximum size of an arena, container or list on Go's heap: 1 TiB, or nearly the
// maximum int if that is less. It leaves room to round up to pages.
const MaxBytes = min(math.MaxInt-4095, 1<<40)

// MaxAddresses is the maximum size of address space off Go's heap. A process has no more than that,
// and sums of a few such sizes do not overflow a 64-bit int.
const MaxAddresses = min(math.MaxInt, 1<<47)
