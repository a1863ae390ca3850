package trace

import "github.com/seed505807e1/berth"

// BookLen returns the number of handles that w keeps.
func BookLen[T any, H comparable](w *Wrapped[T, H]) int { return len(w.values) }

// Unrecorded returns the pool inside p.
func Unrecorded[T any](p *Pool[T]) *berth.Pool[T] { return &p.pool }

// Text and MustRead are text and mustRead.
var Text, MustRead = text, mustRead
