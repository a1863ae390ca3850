package journal

// Ring holds an entry of E for each of the last frames, up to a limit. It grows with their number,
// and uses entries again. NewRing makes one with frame 1 as its only and current frame.
type Ring[E any] struct {
	list        []E // frame f is list[f%len(list)]
	most        int
	now, oldest uint64
}

// fewest is the number of entries that a Ring has at least, unless its limit is lower.
const fewest = 8

// NewRing returns a Ring of at most most frames, which is at least 1.
func NewRing[E any](most int) Ring[E] {
	return Ring[E]{list: make([]E, min(most, fewest)), most: most, now: 1, oldest: 1}
}

// Now returns the number of the current frame.
func (r *Ring[E]) Now() uint64 { return r.now }

// Oldest returns the number of the oldest frame that is held.
func (r *Ring[E]) Oldest() uint64 { return r.oldest }

// At returns the entry of frame f, which must be one of those held.
func (r *Ring[E]) At(f uint64) *E { return &r.list[f%uint64(len(r.list))] }

// Next begins the next frame, and returns its entry. The entry may hold what a forgotten frame has
// left in it.
func (r *Ring[E]) Next() *E {
	if n := len(r.list); r.now-r.oldest+1 == uint64(n) {
		if n < r.most {
			r.resize(n + min(n, r.most-n))
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

// Clip releases the entries of forgotten frames, and calls clip for the entry of each frame held.
func (r *Ring[E]) Clip(clip func(e *E)) {
	r.resize(max(min(r.most, fewest), int(r.now-r.oldest+1)))
	for f := r.oldest; f <= r.now; f++ {
		clip(r.At(f))
	}
}

// resize moves the entries of the frames held to a list of n, which is large enough.
func (r *Ring[E]) resize(n int) {
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
