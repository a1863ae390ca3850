package pooltest

// table maps numbers to pointers, several times as fast as a map. It consists of pages, since the
// numbers of one container's handles and values are close to each other.
type table[T any] []*[64]*T

// at returns the pointer of number i, or nil.
func (t table[T]) at(i uint64) *T {
	if p := i / 64; p < uint64(len(t)) && t[p] != nil {
		return t[p][i%64]
	}
	return nil
}

// set sets the pointer of number i.
func (t *table[T]) set(i uint64, v *T) {
	p := int(i / 64)
	if more := p + 1 - len(*t); more > 0 {
		*t = append(*t, make([]*[64]*T, more)...)
	}
	if (*t)[p] == nil {
		(*t)[p] = new([64]*T)
	}
	(*t)[p][i%64] = v
}

// all yields the pointers other than nil.
func (t table[T]) all(yield func(*T) bool) {
	for _, p := range t {
		if p == nil {
			continue
		}
		for _, v := range p {
			if v != nil && !yield(v) {
				return
			}
		}
	}
}
