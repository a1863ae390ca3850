//go:build berth_poison

package arena

// poison makes Rewind overwrite what it rewinds, which the build tag berth_poison asks for.
const poison = true
