package berth

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// placeCodec returns the codec for the places in the index of a Dense.
func placeCodec(op string) codec {
	c, _ := codecOf(op, wire.Dense, reflect.TypeFor[uint32]())
	return c
}

// write writes the contents of the frame of a Dense:
//
//	4  places, with holes
//	   the slots, as the contents of a Pool of the numbers of the places, 4 bytes each
//	4  holes, and for each, in the order in which inserts fill them:
//	   4  the place
//	   the live values, in the order of the places
func (d *dense) write(w *wire.Writer, c *codec) {
	w.Uint32(uint32(d.vals.n))
	places := placeCodec(c.op)
	d.index.core().write(w, &places)
	w.Uint32(uint32(d.holes))
	for i, n := d.hole, d.holes; n > 0; n-- {
		w.Uint32(i)
		i = d.owner[i].index
	}
	d.writeValues(w, c, d.vals.first)
}

// writeValues writes the live values, or what lies in their order from first on.
func (d *dense) writeValues(w *wire.Writer, c *codec, first ref) {
	for i := 0; i < len(d.owner); i++ {
		n := liveRun(d.owner[i:], d.holes)
		c.write(w, first, i, n, func(i int) id { return d.owner[i] })
		i += n // a hole
	}
}

// liveRun returns the number of live values before the first hole of owner. holes is 0 if there is
// none.
func liveRun(owner []id, holes int) (n int) {
	if holes == 0 {
		return len(owner)
	}
	for n < len(owner) && owner[n].gen&1 != 0 {
		n++
	}
	return n
}

// expectPlaces prepares check for the places in the slots. The frame has size bytes.
func (f *frame) expectPlaces(r *wire.Reader, size int) {
	if f.places > size/4 { // each takes 4 bytes
		r.Fail(0, fmt.Sprintf("%d places in %d bytes", f.places, size))
		return
	}
	f.seen = f.to.dense.rarely().places.reset(f.places)
}

// checkPlaces reads what follows the slots without changing anything.
func (f *frame) checkPlaces(r *wire.Reader, size int) {
	for range f.holes(r) {
		if i := r.Uint32(); r.Err() != nil || !f.seen.add(i) {
			r.Fail(-4, noPlace(i, f.places))
			return
		}
	}
	if f.places > f.to.dense.vals.cap {
		r.Stop(allow(uint64(f.places)*uint64(f.vals.size+8), int64(size)))
	}
	f.vals.check(r, f.live)
}

// takePlaces takes memory for the places. If Memory refuses, it gives back that of the chunks.
func (f *frame) takePlaces() error {
	d := f.to.dense
	d.checkPlaces()
	if f.places > d.vals.cap && !d.setCap(f.places) {
		f.giveBack()
		return d.index.supply.why()
	}
	return nil
}

// holes reads the number of holes. It fails unless the places are as many as values and holes.
func (f *frame) holes(r *wire.Reader) int {
	n := r.Uint32()
	if uint64(f.live)+uint64(n) != uint64(f.places) || f.live == 0 && n > 0 {
		r.Fail(-4, fmt.Sprintf("%d places for %d values and %d holes", f.places, f.live, n))
		return 0
	}
	return int(n)
}

// readPlaces reads what follows the slots. If the data was not checked, it takes memory for values
// only as they arrive.
func (f *frame) readPlaces(r *wire.Reader) {
	d, holes := f.to.dense, f.holes(r)
	if r.Err() != nil {
		return
	}
	d.clearPlaces(f.places)
	owner := d.owner[:min(f.places, cap(d.owner))]
	if len(owner) < f.places {
		owner = make([]id, f.places) // 4 bytes have arrived for each
	}
	f.own(r, owner, holes)
	for i, n := 0, 0; i < f.places && r.Err() == nil; i += n {
		if i == d.vals.cap && !d.setCap(min(f.places, max(2*i, 16))) {
			r.Stop(d.index.supply.why())
			return
		}
		live := liveRun(owner[i:min(f.places, d.vals.cap)], holes)
		n = max(live, 1)
		d.vals.n, d.owner = i+n, d.owner[:i+n]
		if !f.checked {
			copy(d.owner[i:], owner[i:i+n])
		}
		if live == 0 && !poison.On || live > 0 && (poison.On || !f.vals.overwrites()) {
			d.wipe(i, i+n)
		}
		f.vals.read(r, d.vals.first, i, live, func(i int) id { return owner[i] })
	}
}

// own sets owner from the index, and reads the holes.
func (f *frame) own(r *wire.Reader, owner []id, holes int) {
	d := f.to.dense
	clear(owner)
	for k, b := range d.index.dir {
		if b == nil {
			continue
		}
		for w := b.occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			place := b.vals[i]
			if uint64(place) >= uint64(len(owner)) || owner[place].gen != 0 {
				r.Fail(0, noPlace(place, f.places))
				return
			}
			owner[place] = id{f.salt + uint32(k<<6+i), b.gens[i]}
		}
	}
	last := &d.hole
	for range holes {
		i := r.Uint32()
		if r.Err() != nil || uint64(i) >= uint64(len(owner)) || owner[i] != (id{}) {
			r.Fail(-4, noPlace(i, f.places))
			return
		}
		owner[i] = id{gen: 2} // for the test above
		*last, last = i, &owner[i].index
	}
	for i, n := d.hole, holes; n > 0; n-- {
		owner[i].gen = 0
		i = owner[i].index
	}
	d.holes = holes
}

// clearPlaces cuts all places off. The first keep of them still hold their values, which the caller
// overwrites.
func (d *dense) clearPlaces(keep int) {
	if poison.On {
		for i, h := range d.owner {
			if h.gen&1 != 0 {
				d.kind.vacate(d.val(i))
			}
		}
	} else {
		d.wipe(keep, d.vals.n)
	}
	clear(d.owner)
	d.vals.n, d.owner = 0, d.owner[:0]
	d.holes, d.hole = 0, 0
}

// become gives d the values of q, and their memory. q must not be used again.
func (d *dense) become(q *dense) {
	old, owner, piece := d.vals, d.owner, d.piece
	d.vals, d.owner, d.piece = q.vals, q.owner, q.piece
	d.hole, d.holes = q.hole, q.holes
	if d.era == nil {
		d.era = new(era)
	}
	d.leaveArray(old, owner)
	d.index.supply.free(piece)
}

// loaded is called when d has other contents.
func (d *dense) loaded(reserve int) {
	d.reserve = reserve
	d.loops = 0
	d.moves++
	d.emptied = d.moves // so that running loops end
	for _, c := range d.rare.sides() {
		c.loaded()
	}
	d.forgetFrames()
	d.changed()
}

// places records which places the data of a Dense has named so far.
type places struct {
	seen []uint64
	n    int
}

// reset forgets all places, of which there will be n.
func (s *places) reset(n int) *places {
	words := (n + 63) / 64
	if cap(s.seen) < words {
		s.seen = make([]uint64, words)
	}
	s.seen, s.n = s.seen[:words], n
	clear(s.seen)
	return s
}

// read reads n places.
func (s *places) read(r *wire.Reader, n int) {
	b := r.Next(4 * n)
	if r.Err() != nil {
		return
	}
	for ; len(b) >= 4; b = b[4:] {
		if i := binary.LittleEndian.Uint32(b); !s.add(i) {
			r.Fail(-int64(len(b)), noPlace(i, s.n))
			return
		}
	}
}

// add records place i. It reports false if there is no such place, or it was recorded before.
func (s *places) add(i uint32) bool {
	if uint64(i) >= uint64(s.n) {
		return false
	}
	w, bit := &s.seen[i>>6], uint64(1)<<(i&63)
	ok := *w&bit == 0
	*w |= bit
	return ok
}

// noPlace describes a wrong place in a Dense with n of them.
func noPlace(i uint32, n int) string {
	return fmt.Sprintf("place %d, of %d, is taken twice or does not exist", i, n)
}

// bytes returns the memory that s holds, apart from itself.
func (s *places) bytes() int { return cap(s.seen) * int(reflect.TypeFor[uint64]().Size()) }
