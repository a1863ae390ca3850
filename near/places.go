package near

import (
	"math/bits"

	"github.com/seed505807e1/berth/internal/origin"
)

// places maps handles to the places of their items. It is a table of places with open addressing,
// in which the items themselves are the keys.
type places struct {
	table []uint32 // place plus 1, or 0; its length is a power of two
	shift int
	n     int
}

// home returns the slot where the search for a handle begins.
func (t *places) home(h uint64) int { return int(h * origin.Golden64 >> t.shift) }

// index makes the table of all items that have a handle.
func (t *places) index(items []item) {
	size := 1 << bits.Len(uint(len(items)+len(items)/2|15))
	t.table = room(t.table, size)[:size]
	clear(t.table)
	t.shift = 64 - bits.TrailingZeros(uint(size))
	t.n = 0
	for i := range items {
		if items[i].h != 0 {
			t.add(items, i)
		}
	}
}

// add adds an item that is not in the table.
func (t *places) add(items []item, i int) {
	if t.n++; t.n > len(t.table)/4*3 {
		t.index(items) // including i
		return
	}
	mask := len(t.table) - 1
	k := t.home(items[i].h)
	for t.table[k] != 0 {
		k = (k + 1) & mask
	}
	t.table[k] = uint32(i + 1)
}

// slot returns the slot of a handle's item, or if it has none, the vacant slot where it would be.
func (t *places) slot(items []item, h uint64) int {
	mask := len(t.table) - 1
	k := t.home(h)
	for t.table[k] != 0 && items[t.table[k]-1].h != h {
		k = (k + 1) & mask
	}
	return k
}

// find returns the place of a handle's item, or -1.
func (t *places) find(items []item, h uint64) int {
	if h == 0 {
		return -1
	}
	return int(t.table[t.slot(items, h)]) - 1
}

// drop removes the item in a slot of the table. It still has its handle. Those behind it that would
// no longer be found move up.
func (t *places) drop(items []item, k int) {
	t.n--
	mask := len(t.table) - 1
	for i := (k + 1) & mask; t.table[i] != 0; i = (i + 1) & mask {
		home := t.home(items[t.table[i]-1].h)
		if (i-home)&mask >= (i-k)&mask {
			t.table[k] = t.table[i]
			k = i
		}
	}
	t.table[k] = 0
}
