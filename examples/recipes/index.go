package recipes

import "maps"

// Index is a map that gives memory back. The zero Index is empty.
type Index[K comparable, V any] struct {
	m    map[K]V
	most int // the largest length of m since it was made
}

// Get returns the value of a key. It reports false if there is none.
func (x *Index[K, V]) Get(k K) (v V, ok bool) {
	v, ok = x.m[k]
	return v, ok
}

// Set sets the value of a key.
func (x *Index[K, V]) Set(k K, v V) {
	if x.m == nil {
		x.m = map[K]V{}
	}
	x.m[k] = v
	x.most = max(x.most, len(x.m))
}

// Delete deletes a key. If less than a quarter is left, it moves the rest to a new map: at most one
// key for three deletions.
func (x *Index[K, V]) Delete(k K) {
	delete(x.m, k)
	if x.most >= 64 && len(x.m) < x.most/4 {
		m := make(map[K]V, len(x.m))
		maps.Copy(m, x.m)
		x.m, x.most = m, len(m)
	}
}
