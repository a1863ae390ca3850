//go:build !go1.25

package costtest

// Older is 1 if the compiler lets values escape that it keeps on the stack since Go 1.25, else 0.
const Older = 1
