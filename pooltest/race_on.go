//go:build race

package pooltest

// scale divides the large counts: the race detector makes everything ten times slower.
const scale = 4
