package trace

// BookLen returns how many handles w keeps.
func BookLen[T any, H comparable](w *Wrapped[T, H]) int { return len(w.values) }
