//go:build race || berth_invariants

package pooltest

// scale divides the large counts. The race detector slows everything down about ten times, and
// containers that check themselves after each change take time that grows with their size.
const scale = 4
