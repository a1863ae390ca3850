package pooltest

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// errData is the error of a load for damaged data. The format has no checksum.
var errData = errors.New("damaged data")

// Save writes the salt, the generation of new slots, and for each block 1, its mark, and 1 if it is
// in memory: then its generations, its live and its used-up slots, and the live values, each after
// its length. The end is a 0.
func (r *reference[V]) Save() (b []byte, err error) {
	if r.building > 0 {
		return nil, errors.New("a value is under construction")
	}
	word := binary.LittleEndian.AppendUint32
	b = word(word(b, r.salt), r.start)
	if r.is("a load takes over the Limit") {
		b = word(b, uint32(r.limit))
	}
	for k, blk := range r.blocks {
		mark := r.marks[k]
		if r.is("a save has no generations of released slots") {
			mark = r.start
		}
		b = word(append(b, 1), mark)
		if blk == nil {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		for i, g := range blk.gens {
			if blk.live>>i&1 == 0 && r.is("a save has no generations of vacant slots") {
				g = r.start
			}
			b = word(b, g)
		}
		dead := blk.dead
		if r.is("a save forgets used-up slots") {
			dead = 0
		}
		b = word(word(b, blk.live), dead)
		for w := blk.live; w != 0; w &= w - 1 {
			at := len(b)
			b, err = AppendItem(append(b, 0, 0), &blk.vals[bits.TrailingZeros32(w)])
			if err != nil {
				return nil, err
			}
			binary.LittleEndian.PutUint16(b[at:], uint16(len(b)-at-2))
		}
	}
	return append(b, 0), nil
}

// Load builds a new reference, and then takes over its blocks.
func (r *reference[V]) Load(data []byte) error {
	q := &reference[V]{bug: r.bug, idle: -1, limit: r.limit}
	if r.is("a load uses the data later") {
		r.late = data
	}
	d := refData{
		b:       data,
		lenient: r.is("a load ends where its data end"),
		naive:   r.is("a load trusts its data"),
	}
	q.salt, q.start = d.word(), d.word()
	if r.is("a load takes over the Limit") {
		q.limit = int(d.word())
	}
	for d.byte() == 1 && !d.bad {
		q.loadBlock(&d)
		if r.is("a load that fails leaves half") && len(q.blocks) == 1 {
			r.takeOver(q)
		}
	}
	if d.bad || len(d.b) > 0 || q.start%2 != 0 {
		return errData
	}
	switch full := r.limit > 0 && q.n > r.limit; {
	case full && r.is("a load hides that it is full"):
		return nil
	case full && !r.is("a load overlooks the Limit"):
		return errFull
	}
	r.limit = q.limit
	r.takeOver(q)
	return nil
}

func (r *reference[V]) takeOver(q *reference[V]) {
	if r.is("a load keeps the old values") {
		r.last = r.blocks
	}
	if r.is("a load keeps blocks of its own") && r.salt == q.salt && len(q.blocks) > 0 {
		q.blocks = append(q.blocks, r.blocks[min(len(r.blocks), len(q.blocks)):]...)
		q.marks = append(q.marks, r.marks[min(len(r.marks), len(q.marks)):]...)
		q.n = 0
		for _, b := range q.blocks {
			if b != nil {
				q.n += bits.OnesCount32(b.live)
			}
		}
	}
	r.blocks, r.marks, r.n, r.used = q.blocks, q.marks, q.n, q.used
	r.salt, r.start = q.salt, q.start
	r.low, r.idle, r.again, r.cursor = 0, -1, nil, 0
	r.turned = r.is("a load turns the order round")
	if r.is("a load continues at the end") {
		r.low = max(0, len(r.blocks)-1)
	}
}

func (r *reference[V]) loadBlock(d *refData) {
	mark, in := d.word(), d.byte()
	d.check(in < 2)
	r.blocks, r.marks = append(r.blocks, nil), append(r.marks, mark)
	if in == 0 {
		if mark == usedUp {
			r.used += refBlock
		}
		d.check(mark == usedUp || mark%2 == 0)
		return
	}
	b := new(slots[V])
	for i := range b.gens {
		b.gens[i] = d.word()
	}
	b.live, b.dead = d.word(), d.word()
	d.check(b.live&b.dead == 0)
	for i, g := range b.gens {
		d.check(g&1 == b.live>>i&1 && (g == 0 || b.dead>>i&1 == 0))
	}
	for w := b.live; w != 0 && !d.bad; w &= w - 1 {
		n := int(d.byte()) | int(d.byte())<<8
		err := ReadItem(d.take(n), &b.vals[bits.TrailingZeros32(w)])
		d.check(err == nil)
	}
	r.blocks[len(r.blocks)-1] = b
	r.n += bits.OnesCount32(b.live)
}

// refData reads the data of a load. naive and lenient are defects.
type refData struct {
	b                   []byte
	bad, lenient, naive bool
}

func (d *refData) take(n int) []byte {
	if n > len(d.b) && !d.naive {
		d.bad = !d.lenient
		d.b = append(d.b, make([]byte, min(n, math.MaxUint16))...)
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *refData) byte() byte   { return d.take(1)[0] }
func (d *refData) word() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *refData) check(ok bool) {
	d.bad = d.bad || !ok && !d.naive
}
