package slots

import (
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// PlaceCodec returns the codec for the places in the index of a Dense.
func PlaceCodec(op string) codec {
	c, _ := CodecOf(op, wire.Dense, reflect.TypeFor[uint32]())
	return c
}

// write writes the contents of the frame of a Dense:
//
//	4  places, with holes
//	   the slots, as the contents of a Pool of the numbers of the places, 4 bytes each
//	4  holes, and for each, in the order in which inserts fill them:
//	   4  the place
//	   the live values, in the order of the places
func (d *Dense) write(w *wire.Writer, c *codec) {
	w.Uint32(uint32(d.Vals.N))
	places := PlaceCodec(c.op)
	d.Index.Core().Write(w, &places)
	w.Uint32(uint32(d.Holes))
	for i, n := d.Hole, d.Holes; n > 0; n-- {
		w.Uint32(i)
		i = d.Owner[i].Index
	}
	d.writeValues(w, c, d.Vals.First)
}

// writeValues writes the live values, or what lies in their order from first on.
func (d *Dense) writeValues(w *wire.Writer, c *codec, first Ref) {
	for i := 0; i < len(d.Owner); i++ {
		n := liveRun(d.Owner[i:], d.Holes)
		c.write(w, first, i, n, func(i int) ID { return d.Owner[i] })
		i += n // a hole
	}
}

// liveRun returns the number of live values before the first hole of owner. holes is 0 if there is
// none.
func liveRun(owner []ID, holes int) (n int) {
	if holes == 0 {
		return len(owner)
	}
	for n < len(owner) && owner[n].Gen&1 != 0 {
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
	f.seen = f.to.dense.Rarely().places.reset(f.places)
}

// checkPlaces reads what follows the slots without changing anything.
func (f *frame) checkPlaces(r *wire.Reader, size int) {
	for range f.holes(r) {
		if i := r.Uint32(); r.Err() != nil || !f.seen.add(i) {
			r.Fail(-4, noPlace(i, f.places))
			return
		}
	}
	if f.places > f.to.dense.Vals.Cap {
		r.Stop(allow(uint64(f.places)*uint64(f.vals.size+8), int64(size)))
	}
	f.vals.check(r, f.live)
}

// takePlaces takes memory for the places. If Memory refuses, it gives back that of the chunks.
func (f *frame) takePlaces() error {
	d := f.to.dense
	d.checkPlaces()
	if f.places > d.Vals.Cap && !d.SetCap(f.places) {
		f.giveBack()
		return d.Index.Supply.Why()
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

// readPlaces reads what follows the slots. If the data was not checked, it takes memory only as the
// data arrives.
func (f *frame) readPlaces(r *wire.Reader) {
	d, holes := f.to.dense, f.holes(r)
	var gaps []uint32 // the holes, of which the number may be a lie
	for !f.checked && len(gaps) < holes && r.Err() == nil {
		gaps = append(gaps, r.Uint32())
	}
	if r.Err() != nil {
		return
	}
	d.clearPlaces(f.places)
	if !f.checked && !f.fitPlaces(r.Count()) {
		r.Stop(d.Index.Supply.Why())
		return
	}
	owner, apart := d.Owner, f.places > d.Vals.Cap
	if apart {
		owner = make([]ID, f.places) // 4 bytes have arrived for each
	}
	owner = owner[:f.places]
	f.own(r, owner, holes, gaps)
	for i, n := 0, 0; i < f.places && r.Err() == nil; i += n {
		if i == d.Vals.Cap && !d.SetCap(min(f.places, max(2*i, 16))) {
			r.Stop(d.Index.Supply.Why())
			return
		}
		live := liveRun(owner[i:min(f.places, d.Vals.Cap)], holes)
		n = max(live, 1)
		d.Vals.N, d.Owner = i+n, d.Owner[:i+n]
		if apart {
			copy(d.Owner[i:], owner[i:i+n])
		}
		if live == 0 && !poison.On || live > 0 && (poison.On || !f.vals.overwrites()) {
			d.wipe(i, i+n)
		}
		f.vals.read(r, d.Vals.First, i, live, func(i int) ID { return owner[i] })
	}
}

// fitPlaces prepares the memory for the places, of which none is set. It keeps an array of an
// earlier state that has hardly more room. Otherwise it takes one, if that has at most 16 times the
// bytes that have arrived: the array then need not grow. It reports false if Memory refuses.
func (f *frame) fitPlaces(arrived int64) bool {
	d, n := f.to.dense, f.places
	if n <= d.Vals.Cap && d.Vals.Cap <= n+n/8 {
		d.Vals.Cap, d.Owner = n, d.Owner[:0:n]
		return true
	}
	d.Vals, d.Owner = Array{}, nil
	return uint64(n)*uint64(f.vals.size+8) > 16*uint64(arrived) || d.SetCap(n)
}

// own sets owner from the index, and reads the holes, unless gaps has them.
func (f *frame) own(r *wire.Reader, owner []ID, holes int, gaps []uint32) {
	d := f.to.dense
	clear(owner)
	for k, b := range d.Index.Dir {
		if b == nil {
			continue
		}
		first := f.salt + uint32(k<<6)
		for w := b.Occ; w != 0; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			for ; n > 0; n-- {
				place := b.Vals[i&63]
				if uint64(place) >= uint64(len(owner)) || owner[place].Gen != 0 {
					r.Fail(0, noPlace(place, f.places))
					return
				}
				owner[place] = ID{first + uint32(i), b.Gens[i&63]}
				i++
			}
		}
	}
	last := &d.Hole
	for n := range holes {
		var i uint32
		if f.checked {
			i = r.Uint32()
		} else {
			i = gaps[n]
		}
		if r.Err() != nil || uint64(i) >= uint64(len(owner)) || owner[i] != (ID{}) {
			r.Fail(-4*int64(max(1, len(gaps)-n)), noPlace(i, f.places))
			return
		}
		owner[i] = ID{Gen: 2} // for the test above
		*last, last = i, &owner[i].Index
	}
	for i, n := d.Hole, holes; n > 0; n-- {
		owner[i].Gen = 0
		i = owner[i].Index
	}
	d.Holes = holes
}

// clearPlaces cuts all places off. The first keep of them still hold their values, which the caller
// overwrites.
func (d *Dense) clearPlaces(keep int) {
	if poison.On {
		for i, h := range d.Owner {
			if h.Gen&1 != 0 {
				d.Kind.vacate(d.val(i))
			}
		}
	} else {
		d.wipe(keep, d.Vals.N)
	}
	clear(d.Owner[min(keep, len(d.Owner)):])
	d.Vals.N, d.Owner = 0, d.Owner[:0]
	d.Holes, d.Hole = 0, 0
}

// become gives d the values of q, and their memory, and q that of d.
func (d *Dense) become(q *Dense) {
	old, owner, piece := d.Vals, d.Owner, d.Piece
	d.Vals, d.Owner, d.Piece = q.Vals, q.Owner, q.Piece
	d.Hole, d.Holes = q.Hole, q.Holes
	if d.Era == nil {
		d.Era = new(Era)
	}
	d.leaveArray(old, owner)
	d.Index.Supply.Free(piece)
	q.Vals, q.Owner, q.Piece = old, owner, nil
}

// loaded is called when d has other contents.
func (d *Dense) loaded(reserve int) {
	d.Reserve = reserve
	d.Loops = 0
	d.Moves++
	d.Emptied = d.Moves // so that running loops end
	for _, c := range d.Rare.Sides() {
		c.Loaded()
	}
	d.forgetFrames()
	d.Changed()
}
