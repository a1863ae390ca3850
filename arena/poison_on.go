//go:build berth_poison

package arena

// poison makes a rewind overwrite the memory that it gives back.
const poison = true
