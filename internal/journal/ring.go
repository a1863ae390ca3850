package journal

// Ring holds an entry of E for each of the last frames, up to a limit. It grows with their number,
// and uses entries again. NewRing makes one with frame 1 as its only and current frame.
type Ring[E any] struct {
	list        []E // frame f is list[f%len(list)]
	most        int
	now, oldest uint64
}

// NewRing returns a Ring of at most most frames, which is at least 1.
func NewRing[E any](most int) Ring[E] {
	return Ring[E]{list: make([]E, min(most, 8)), most: most, now: 1, oldest: 1}
}

// At returns the entry of frame f, which must be one of those held.
func (r *Ring[E]) At(f uint64) *E { return &r.list[f%uint64(len(r.list))] }

// Next begins the next frame, and returns its entry. The entry may hold what a forgotten frame has
// left in it.
func (r *Ring[E]) Next() *E {
	if n := len(r.list); r.now-r.oldest+1 == uint64(n) {
		if n < r.most {
			r.grow()
		} else {
			r.oldest++
		}
	}
	r.now++
	return r.At(r.now)
}

// Replaced returns the entry of the frame that Next will forget, or nil if it will forget none.
func (r *Ring[E]) Replaced() *E {
	if r.now-r.oldest+1 < uint64(r.most) {
		return nil
	}
	return r.At(r.oldest)
}

// grow doubles the number of entries, up to the limit.
func (r *Ring[E]) grow() {
	n := len(r.list)
	n += min(n, r.most-n)
	list := make([]E, n)
	for f := r.oldest; f <= r.now; f++ {
		list[f%uint64(n)] = *r.At(f)
	}
	r.list = list
}

// Back makes f, one of the frames held, the current one, and forgets those after it.
func (r *Ring[E]) Back(f uint64) { r.now = f }

// Restart begins the next frame and forgets all others. It returns the entry of the new frame.
func (r *Ring[E]) Restart() *E {
	r.now++
	r.oldest = r.now
	return r.At(r.now)
}

// holds reports whether list[i] is the entry of a frame that is held.
func (r *Ring[E]) holds(i int) bool {
	for f := r.oldest; f <= r.now; f++ {
		if f%uint64(len(r.list)) == uint64(i) {
			return true
		}
	}
	return false
}
