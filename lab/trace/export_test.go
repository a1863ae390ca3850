package trace

import "github.com/seed505807e1/berth"

// BookLen returns the number of handles that w keeps.
func BookLen[T any, H comparable](w *Wrapped[T, H]) int { return len(w.values) }

// LivingNames returns the names of p's live values in its track.
func LivingNames[T any](p *Pool[T]) map[berth.Handle[T]]uint32 {
	m := make(map[berth.Handle[T]]uint32)
	for h := range p.pool.All() {
		if p.book.lives(h) {
			m[h] = p.book.values[h].name
		}
	}
	return m
}

// Unrecorded returns the pool inside p.
func Unrecorded[T any](p *Pool[T]) *berth.Pool[T] { return &p.pool }
