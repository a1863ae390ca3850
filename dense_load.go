package berth

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of d by the one
// that data holds. The handles that were live when it was saved find the same values in d, in the
// same order of the slice. Stale handles find nothing, and the next inserts issue the same handles
// as in the Dense that was saved. A handle that either Dense has issued since may find another
// value later; see [Pool.Clone]. Seed comes from data. The other settings, Memory and hooks stay
// those of d. No hook is called.
//
// It fails as [Pool.UnmarshalBinary] does, and then leaves d unchanged.
// Cost: O(Cap), for both Denses; allocates the memory that d lacks, and nothing if it lacks none.
// The first time, it allocates a bit for each place.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalBinary(data []byte) error { return denseOf(d).unmarshalBinary(data) }

//go:noinline
func (d *dense) unmarshalBinary(data []byte) error {
	const fn = "Dense.UnmarshalBinary"
	c, err := codecOf(fn, typeOf(d.kind))
	if err != nil {
		return err
	}
	if err := d.index.core().mayCode(fn); err != nil {
		return err
	}
	var r wire.Reader
	r.Read(data, false)
	f := denseFrame{codec: c}
	f.slots = poolFrame{codec: placeCodec(fn), limit: d.index.max, to: d.index.core()}
	if err := f.check(&r, len(data), d); err != nil {
		return corrupt(fn, err)
	}
	d.checkPlaces()
	if err := f.slots.take(fn); err != nil {
		return err
	}
	if f.places > d.vals.cap && !d.setCap(f.places) {
		f.slots.giveBack()
		return fmt.Errorf("berth: %s: %w", fn, d.index.supply.why())
	}
	r.Read(data, true)
	if err := f.open(&r); err != nil {
		return corrupt(fn, err)
	}
	if err := f.fill(&r, d); err != nil {
		panic("berth: " + fn + ": data changed while it was read: " + err.Error())
	}
	d.countAnew()
	d.loaded(d.index.reserve)
	return nil
}

// ReadFrom implements [io.ReaderFrom]. It loads what [Dense.WriteTo] has written, as
// [Dense.UnmarshalBinary] does, and reads no byte beyond it. It returns the number of bytes read.
// An error of r is wrapped. The end of r before that of the data is an [ErrCorrupt] and an
// [io.ErrUnexpectedEOF].
// Cost: O(Cap), for both Denses; allocates the memory of the new state, which d takes over, and a
// buffer of 64 KiB.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) ReadFrom(r io.Reader) (int64, error) { return denseOf(d).readPlain(r) }

//go:noinline
func (d *dense) readPlain(r io.Reader) (int64, error) {
	c, err := codecOf("Dense.ReadFrom", typeOf(d.kind))
	if err != nil {
		return 0, err
	}
	return d.readFrom(r, &c, nil)
}

// Decode loads what [Dense.Encode] has written into r, as [Dense.ReadFrom] does. value sets *v, a
// zero T, from the bytes that Encode's function has appended. It must not keep b or v, or use d. If
// it fails, Decode stops, returns an error that wraps value's, and leaves d unchanged.
// Cost: as ReadFrom, and value for each live value; allocates.
// Ends: as ReadFrom.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) Decode(r io.Reader, value func(b []byte, v *T) error) error {
	return denseOf(d).decode(r, func(b []byte, _ id, v ref) error {
		return value(b, (*T)(v))
	})
}

//go:noinline
func (d *dense) decode(r io.Reader, get func(b []byte, h id, v ref) error) error {
	_, err := d.readFrom(r, &codec{fn: "Dense.Decode", size: d.kind.size, get: get}, nil)
	return err
}

// UnmarshalJSON implements [json.Unmarshaler]. It loads what [Dense.MarshalJSON] has returned, as
// [Dense.UnmarshalBinary] does. The error of a value wraps that of package encoding/json. The JSON
// null leaves d unchanged.
// Cost: O(Cap), for both Denses, and json.Unmarshal for each value; allocates.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalJSON(data []byte) error { return denseOf(d).unmarshalJSON(data) }

//go:noinline
func (d *dense) unmarshalJSON(data []byte) error {
	const fn = "Dense.UnmarshalJSON"
	s, err := readSaved(fn, data)
	if s == nil {
		return err
	}
	c := codec{fn: fn, size: d.kind.size, get: s.getter(d.kind.t)}
	_, err = d.readFrom(bytes.NewReader(s.Slots), &c, s)
	return err
}

// readFrom loads a Dense from r, and then gives its memory to d. s is what UnmarshalJSON has read,
// or nil.
func (d *dense) readFrom(from io.Reader, c *codec, s *saved) (int64, error) {
	if err := d.index.core().mayCode(c.fn); err != nil {
		return 0, err
	}
	q := &dense{denseState: denseState{kind: d.kind}}
	q.index.core().init(Config{Seed: 1})
	q.keeping = 1
	if d.index.supply != nil {
		q.index.supply = newSupply(d.index.supply.memory)
	}
	var r wire.Reader
	r.From(from)
	f := denseFrame{codec: *c}
	f.slots = poolFrame{codec: placeCodec(c.fn), limit: d.index.max, to: q.index.core()}
	var err error
	attempt(func() { err = f.load(&r, q, s) }, q.freeAll)
	if err == nil {
		err = d.index.core().mayCode(c.fn) // the functions of the caller have run since
	}
	if err != nil {
		q.freeAll()
		return r.Count(), err
	}
	d.become(q)
	return r.Count(), nil
}

// become gives d the state of q, and the memory. q must not be used again.
func (d *dense) become(q *dense) {
	d.checkPlaces()
	d.index.core().become(q.index.core())
	old, owner, piece := d.vals, d.owner, d.piece
	d.vals, d.owner, d.piece = q.vals, q.owner, q.piece
	d.hole, d.holes = q.hole, q.holes
	if d.era == nil {
		d.era = new(era)
	}
	if poison.On {
		d.leaveArray(old, owner)
	}
	if s := d.index.supply; s != nil {
		s.free(piece)
	}
	d.countAnew()
	d.loaded(d.index.reserve)
}

// countAnew starts the counters of the memory of the values anew.
func (d *dense) countAnew() {
	d.grown, d.released = 0, 0
	d.moved(0)
}

// loaded is called when d has been loaded.
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

// denseFrame reads the frame of a Dense.
type denseFrame struct {
	codec
	slots  poolFrame
	places int
}

// load reads the frame into the new Dense q.
func (f *denseFrame) load(r *wire.Reader, q *dense, s *saved) error {
	if err := f.open(r); err != nil {
		return corrupt(f.fn, err)
	}
	if err := f.fill(r, q); err != nil {
		return corrupt(f.fn, err)
	}
	if err := r.End(); err != nil {
		return corrupt(f.fn, err)
	}
	if s != nil {
		return s.done(f.fn, f.slots.seed)
	}
	return nil
}

// open reads the header of the frame, and of its contents.
func (f *denseFrame) open(r *wire.Reader) error {
	if err := r.Open(wire.Dense, f.Desc); err != nil {
		return err
	}
	f.places = int(r.Uint32())
	if f.places < 0 {
		return ErrFull // more than fit the memory of a 32-bit machine
	}
	return f.slots.head(r)
}

// check reads the frame, which has size bytes, without changing anything.
func (f *denseFrame) check(r *wire.Reader, size int, d *dense) error {
	if err := f.open(r); err != nil {
		return err
	}
	if f.places > size/4 { // each takes 4 bytes
		r.Fail(0, fmt.Sprintf("%d places in %d bytes", f.places, size))
		return r.Err()
	}
	s := d.rarely().places.reset(f.places)
	f.slots.places = s
	if err := f.slots.check(r); err != nil {
		return err
	}
	holes := r.Uint32()
	if err := f.checkHoles(r, holes); err != nil {
		return err
	}
	for range holes {
		if i := r.Uint32(); r.Err() != nil || !s.add(i) {
			r.Fail(-4, noPlace(i, f.places))
			return r.Err()
		}
	}
	need := uint64(f.places) * uint64(f.Size+8)
	if f.places > d.vals.cap && need > bound(int64(size)) {
		return tooMuch(need, int64(size))
	}
	f.codec.check(r, f.slots.live)
	return r.End()
}

// checkHoles fails unless the places are as many as values and holes.
func (f *denseFrame) checkHoles(r *wire.Reader, holes uint32) error {
	if uint64(f.slots.live)+uint64(holes) != uint64(f.places) || f.slots.live == 0 && holes > 0 {
		r.Fail(-4,
			fmt.Sprintf("%d places for %d values and %d holes", f.places, f.slots.live, holes))
	}
	return r.Err()
}

// fill reads the rest of the frame into d. If the data was not checked, it takes memory only as it
// arrives.
func (f *denseFrame) fill(r *wire.Reader, d *dense) error {
	f.slots.replace(d.index.core())
	if err := f.slots.fill(r, d.index.core()); err != nil {
		return err
	}
	holes := r.Uint32()
	if err := f.checkHoles(r, holes); err != nil {
		return err
	}
	d.clearPlaces(f.places)
	owner := d.owner[:min(f.places, cap(d.owner))]
	if len(owner) < f.places {
		owner = make([]id, f.places) // 4 bytes have arrived for each
	}
	if err := f.own(r, d, owner, int(holes)); err != nil {
		return err
	}
	for i, n := 0, 0; i < f.places; i += n {
		live := owner[i].gen & 1
		if n = f.places - i; holes != 0 {
			for n = 1; i+n < f.places && owner[i+n].gen&1 == live; n++ {
			}
		}
		if i+n > d.vals.cap {
			n = max(1, min(n, d.vals.cap-i, 4096))
			if i+n > d.vals.cap && !d.setCap(min(f.places, max(2*i, i+n, 16))) {
				return d.index.supply.why()
			}
		}
		d.vals.n, d.owner = i+n, d.owner[:i+n]
		if !f.slots.checked {
			copy(d.owner[i:], owner[i:i+n])
		}
		if live == 0 {
			if !poison.On {
				d.wipe(i, i+n)
			}
			continue
		}
		if err := f.values(r, d, i, n); err != nil {
			return err
		}
	}
	return r.Err()
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

// own sets owner from the index of d, and reads the holes.
func (f *denseFrame) own(r *wire.Reader, d *dense, owner []id, holes int) error {
	clear(owner)
	for k, b := range d.index.dir {
		if b == nil {
			continue
		}
		first := d.index.salt + uint32(k<<6)
		for w := b.occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			place := b.vals[i]
			if uint64(place) >= uint64(len(owner)) || owner[place].gen != 0 {
				r.Fail(0, noPlace(place, f.places))
				return r.Err()
			}
			owner[place] = id{first + uint32(i), b.gens[i]}
		}
	}
	last := uint32(0)
	for n := range holes {
		i := r.Uint32()
		if r.Err() == nil && (int64(i) >= int64(f.places) || owner[i] != id{}) {
			r.Fail(-4, noPlace(i, f.places))
		}
		if r.Err() != nil {
			return r.Err()
		}
		owner[i] = id{gen: 2} // for the test above
		if n == 0 {
			d.hole = i
		} else {
			owner[last].index = i
		}
		last = i
	}
	for i, n := d.hole, holes; n > 0; n-- {
		next := owner[i].index
		owner[i] = id{index: next}
		i = next
	}
	d.holes = holes
	return r.Err()
}

// values reads the n values from place first on.
func (f *denseFrame) values(r *wire.Reader, d *dense, first, n int) error {
	if poison.On || f.get != nil || !f.Flat() {
		d.wipe(first, first+n)
	}
	if f.get == nil {
		r.Values(f.Layout, bytesAt(d.val(first), n, f.size), n)
		return r.Err()
	}
	for i := first; i < first+n; i++ {
		b := r.Coded()
		if r.Err() != nil {
			return r.Err()
		}
		if err := f.get(b, d.owner[i], d.val(i)); err != nil {
			return fmt.Errorf("value of %s: %w", textOf(d.owner[i]), err)
		}
	}
	return nil
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
