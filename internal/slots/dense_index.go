package slots

import "github.com/seed505807e1/berth/internal/nocopy"

// SlotTable is the index of a Dense: the place of the value of each handle. It is a Pool[uint32]
// without the methods, which the compiler would copy into every package with a Dense.
type SlotTable struct {
	_   nocopy.NoCopy
	Dir []*Block[uint32]
	State
}

// Place returns the place of the value of h, or nil if h is not live.
func (t *SlotTable) Place(h ID) *uint32 {
	s := h.Index - t.Salt
	if k := int(s >> 6); k < len(t.Dir) {
		if b := t.Dir[k]; b != nil && b.Gens[s&63] == h.Gen && h.Gen&1 != 0 {
			return &b.Vals[s&63]
		}
	}
	return nil
}

// insert puts place into the lowest vacant slot, and returns its handle.
func (t *SlotTable) insert(place uint32) ID {
	h, x := t.Core().Open()
	if x != nil {
		*(*uint32)(x) = place
	}
	return h
}

// remove vacates the slot of h and returns its place.
func (t *SlotTable) remove(h ID) (place uint32, ok bool) {
	p := t.Place(h)
	if p == nil {
		return 0, false
	}
	place = *p
	t.Core().close(h)
	return place, true
}

// Core returns t as its core, for a change.
func (t *SlotTable) Core() *Core { return CoreAt(&t.State, (*Block[uint32])(nil)) }

// Look returns t as its core, for a call that changes nothing.
func (t *SlotTable) Look() *Core { return (*Core)(Ref(t)) }
