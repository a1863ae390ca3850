//go:build berth_poison

package poison

// On makes containers poison vacant memory.
const On = true
