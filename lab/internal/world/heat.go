package world

import (
	"math/bits"

	"github.com/seed505807e1/berth"
)

// MaxCells is the maximum number of cells in a picture of slots.
const MaxCells = 4096

// HeatInfo describes the cells of [World.Heat].
type HeatInfo struct {
	Cells, SlotsPerCell int
	Borders             [3]int // in slots: for a List its quarter, its half and its length; else 0
}

// Heat appends a picture of the slots of a running container, of at most MaxCells cells. Each cell
// is a byte: 0 for released memory, else from 1, with no live slot, to 127, with all slots live; it
// is at least 2 if any slot is live. 128 is added if a slot is retired. A map exposes no slots and
// has no cells, and neither has a container that does not run.
func (w *World) Heat(k Kind, dst []byte) ([]byte, HeatInfo) {
	p := w.player(k)
	if p == nil {
		return dst, HeatInfo{}
	}
	words, borders := p.slots(w.words[:0])
	w.words = words
	per := slotsPerCell(len(words) * 64)
	before := len(dst)
	dst = appendCells(dst, words, per)
	return dst, HeatInfo{len(dst) - before, per, borders}
}

// slotsPerCell returns the smallest power of two that gives at most MaxCells cells.
func slotsPerCell(slots int) int {
	per := 1
	for (slots+per-1)/per > MaxCells {
		per *= 2
	}
	return per
}

// appendCells appends a cell for each per slots, a power of two.
func appendCells(dst []byte, words []berth.Slots, per int) []byte {
	if per < 64 {
		mask := uint64(1)<<per - 1
		for _, w := range words {
			for at := 0; at < 64; at += per {
				dst = append(dst, cell(
					bits.OnesCount64(w.Live>>at&mask), bits.OnesCount64(w.Vacant>>at&mask),
					w.Retired>>at&mask != 0))
			}
		}
		return dst
	}
	for len(words) > 0 {
		n := min(per/64, len(words))
		live, vacant, retired := 0, 0, uint64(0)
		for _, w := range words[:n] {
			live += bits.OnesCount64(w.Live)
			vacant += bits.OnesCount64(w.Vacant)
			retired |= w.Retired
		}
		dst = append(dst, cell(live, vacant, retired != 0))
		words = words[n:]
	}
	return dst
}

// cell returns the cell of a number of slots.
func cell(live, vacant int, retired bool) (c byte) {
	switch all := live + vacant; {
	case all == 0:
	case live == 0:
		c = 1
	default:
		c = byte(max(2, 1+126*live/all))
	}
	if retired {
		c |= 128
	}
	return c
}
