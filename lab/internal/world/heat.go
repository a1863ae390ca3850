package world

import (
	"math/bits"

	"github.com/seed505807e1/berth"
)

// MaxCells is how many cells a picture of slots has at most.
const MaxCells = 4096

// HeatInfo says what the cells of [World.Heat] are.
type HeatInfo struct {
	Cells, SlotsPerCell int
	Borders             [3]int // in slots: of a List its quarter, its half and its length; else 0
}

// Heat appends a picture of the slots of a container that runs, of at most MaxCells cells, each a
// byte: 0 where there is no memory, else from 1, nothing lives there, to 127, all do; 2 at least if
// anything lives. 128 is added where a slot is retired. A map has no slots that one could show, and
// no cells; nor has what does not run.
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

// slotsPerCell returns the least power of two that makes at most MaxCells cells.
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

// cell returns what so many slots look like.
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

// appendSlots appends the states of n slots, of which live tells whether something lives there.
func appendSlots(words []berth.Slots, n int, live func(i int) bool) []berth.Slots {
	for first := 0; first < n; first += 64 {
		var w berth.Slots
		for i := range min(64, n-first) {
			if live(first + i) {
				w.Live |= 1 << i
			} else {
				w.Vacant |= 1 << i
			}
		}
		words = append(words, w)
	}
	return words
}
