//go:build race

package pooltest

// scale divides the large counts, because the race detector slows everything down about ten times.
const scale = 4
