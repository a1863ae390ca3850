//go:build berth_poison

package poison

// On makes containers poison what they vacate.
const On = true
