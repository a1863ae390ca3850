//go:build !berth_invariants

package arena

import "testing"

// The largest maps have no hash bits in their index, so only keys distinguish entries. The test
// removes the bits by hand, which breaks invariant 1, so it does not run with berth_invariants.
func TestMapWithoutTags(t *testing.T) {
	m := NewMap[int, int](NewFixed(1 << 14))
	for i := range 100 {
		m.Set(i, i)
	}
	m.low = 1<<32 - 1
	clear(m.index)
	m.reindex()
	for i := range 100 {
		if m.Delete(i+100) || m.Ptr(i+100) != nil {
			t.Fatalf("key %d is present, and was never set", i+100)
		}
		if v, ok := m.Get(i); v != i || !ok {
			t.Fatalf("Get(%d) = %d, %t", i, v, ok)
		}
	}
	for i := range 100 {
		if !m.Delete(i) || m.Delete(i) || m.Len() != 99-i {
			t.Fatalf("Delete(%d): Len = %d", i, m.Len())
		}
	}
}
