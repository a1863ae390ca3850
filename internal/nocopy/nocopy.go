// Package nocopy marks what must not be copied.
package nocopy

// NoCopy makes go vet report copies of the struct that holds it: vet takes it for a lock. It has no
// size, unless it is the last field.
type NoCopy struct{}

// Lock does nothing.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}
