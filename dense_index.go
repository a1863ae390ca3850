package berth

import "github.com/seed505807e1/berth/internal/nocopy"

// slotTable is the index of a Dense: the place of the value of each handle. It is a Pool[uint32]
// without the methods, which the compiler would copy into every package with a Dense.
type slotTable struct {
	_   nocopy.NoCopy
	dir []*block[uint32]
	state
}

// place returns the place of the value of h, or nil if h is not live.
func (t *slotTable) place(h id) *uint32 {
	s := h.index - t.salt
	if k := int(s >> 6); k < len(t.dir) {
		if b := t.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return &b.vals[s&63]
		}
	}
	return nil
}

// insert puts place into the lowest vacant slot, and returns its handle.
func (t *slotTable) insert(place uint32) id {
	h, x := t.core().open()
	if x != nil {
		*(*uint32)(x) = place
	}
	return h
}

// remove vacates the slot of h and returns its place.
func (t *slotTable) remove(h id) (place uint32, ok bool) {
	p := t.place(h)
	if p == nil {
		return 0, false
	}
	place = *p
	t.core().close(h)
	return place, true
}
