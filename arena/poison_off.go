//go:build !berth_poison

package arena

// poison makes a rewind overwrite the memory that it gives back. The build tag berth_poison sets
// it.
const poison = false
