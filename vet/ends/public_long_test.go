//go:build berth_long

package ends

func init() { sources, least = append(sources, "all"), 1_000_000 }
