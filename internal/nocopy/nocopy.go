// Package nocopy marks what must not be copied.
package nocopy

// Mark makes go vet report copies of the struct that holds it: vet takes it for a lock. It has no
// size, unless it is the last field.
type Mark struct{}

// Lock does nothing.
func (*Mark) Lock() {}

// Unlock does nothing.
func (*Mark) Unlock() {}
