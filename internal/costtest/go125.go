//go:build go1.25

package costtest

// Older is 1 where the compiler lets some things escape that it keeps on the stack since Go 1.25.
const Older = 0
