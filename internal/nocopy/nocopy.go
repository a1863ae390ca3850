// Package nocopy marks types that must not be copied.
package nocopy

// NoCopy makes go vet report copies of the struct that contains it, since vet treats it as a lock.
// It takes no memory, unless it is the last field.
type NoCopy struct{}

// Lock does nothing.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}
