package stable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// A load checks everything before it changes l. UnmarshalBinary reads its data twice: the first
// pass only checks, and the second writes into the memory that l has. The other methods cannot read
// twice, or run code of the caller. They load another list, whose memory l then takes over.

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of l by the one
// that data holds. The keys that were live when it was saved find the same values in l. Stale keys
// find nothing, and the next inserts issue the same keys as in the list that was saved. A key that
// either list has issued since may find another value later; see [ListOf.Clone]. The Config comes
// from data, hooks stay those of l, and Stats count anew. No hook is called.
//
// If it fails, l is unchanged. The error wraps [ErrCorrupt] if data is damaged, or holds another
// container or other types of values, indices or identifiers, and also [io.ErrUnexpectedEOF] if
// data is cut. It wraps [ErrFull] if l would need more than 256 MiB and 64 times len(data), and has
// less memory: call Grow first. Types with the same fields are the same type, whatever their name.
// Cost: O(Cap), for both lists; allocates the memory that l lacks, and nothing if it lacks none.
// Ends: all keys and pointers.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) UnmarshalBinary(data []byte) error {
	const fn = "ListOf.UnmarshalBinary"
	c, err := plainCodec[T, I, D](fn)
	if err != nil {
		return err
	}
	if !c.ids.flat {
		return listReadAll(l, data, &c)
	}
	var r wire.Reader
	r.Read(data, false)
	f := listFrame[T, I, D]{codec: c}
	f.seen = l.q.seen
	err = frameRead(&f, &r, nil)
	l.q.seen = f.seen
	if err == nil {
		err = frameMayTake(&f, r.Count(), cap(l.ids))
	}
	if err != nil {
		return codecFailedLoad(&f.codec, err)
	}
	listPrepare(l, f.size)
	r.Read(data, true)
	if err := frameRead(&f, &r, l); err != nil {
		panic("stable: " + fn + ": data changed while it was read: " + err.Error())
	}
	frameFinish(&f, l)
	return nil
}

// ReadFrom implements [io.ReaderFrom]. It loads what [ListOf.WriteTo] has written, as
// [ListOf.UnmarshalBinary] does, and reads no byte beyond it. It returns the number of bytes read.
// An error of r is wrapped. The end of r before that of the data is an [ErrCorrupt] and an
// [io.ErrUnexpectedEOF].
// Cost: O(Cap), for both lists; allocates the memory of the new state, which l takes over, and a
// buffer of 64 KiB.
// Ends: all keys and pointers.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) ReadFrom(r io.Reader) (int64, error) {
	c, err := plainCodec[T, I, D]("ListOf.ReadFrom")
	if err != nil {
		return 0, err
	}
	return listReadFrom(l, r, &c)
}

// Decode loads what [ListOf.Encode] has written into r, as [ListOf.ReadFrom] does. value sets *v, a
// zero T, from the bytes that Encode's function has appended. It must not keep b or v, or use l. If
// it fails, Decode stops, returns an error that wraps value's, and leaves l unchanged.
// Cost: as ReadFrom, and value for each live value; allocates.
// Ends: as ReadFrom.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) Decode(r io.Reader, value func(b []byte, v *T) error) error {
	c, err := codecOf[T, I, D]("ListOf.Decode")
	if err != nil {
		return err
	}
	c.get = value
	_, err = listReadFrom(l, r, &c)
	return err
}

// listReadAll loads a list from data as readFrom does.
func listReadAll[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], data []byte, c *codec[T, I, D],
) error {
	from := bytes.NewReader(data)
	c.done = func() error {
		if from.Len() > 0 {
			return badData(fmt.Sprintf("%d bytes behind the frame", from.Len()))
		}
		return nil
	}
	_, err := listReadFrom(l, from, c)
	return err
}

// listReadFrom loads a list from r, and then gives its memory to l.
func listReadFrom[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], from io.Reader, c *codec[T, I, D],
) (int64, error) {
	var r wire.Reader
	r.From(from)
	f := listFrame[T, I, D]{codec: *c, stream: true}
	q := new(ListOf[T, I, D])
	err := frameRead(&f, &r, q)
	if err == nil {
		err = frameMayTake(&f, r.Count(), cap(q.ids))
	}
	if err == nil && f.done != nil {
		err = f.done()
	}
	if err != nil {
		return r.Count(), codecFailedLoad(&f.codec, err)
	}
	frameRoom(&f, q, f.size)
	frameFinish(&f, q)
	listBecome(l, q)
	return r.Count(), nil
}

// badData is an error of the data.
func badData(what string) error { return badID{errors.New(what)} }

// codecFailedLoad returns the error of the method that was called for err.
func codecFailedLoad[T any, I Index, D Identifier[D]](c *codec[T, I, D], err error) error {
	if isCorrupt(err) {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, c.fn, err)
	}
	return codecFailed(c, err)
}

// listPrepare makes l ready to read a list of size slots: no slot is touched, and there is memory.
func listPrepare[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], size int) {
	l.past.change()
	l.past.check(l.ids, l.vals[:cap(l.vals)])
	if size <= cap(l.ids) {
		if poison.On {
			l.past.vacateAll(l.ids, l.vals)
		}
		return
	}
	l.past.moved(l.ids, l.vals)
	l.ids, l.vals = make([]D, 0, size), make([]T, 0, size)
	l.past.begin(l.ids, l.vals)
}

// listBecome gives l the state of q, and the memory. q must not be used again. l keeps its hooks.
func listBecome[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], q *ListOf[T, I, D]) {
	l.past.change()
	l.past.check(l.ids, l.vals[:cap(l.vals)])
	l.past.moved(l.ids, l.vals)
	l.ids, l.vals, l.n, l.size, l.quick = q.ids, q.vals, q.n, q.size, 0
	l.past.begin(l.ids, l.vals)
	l.last, l.firstID = q.last, q.firstID
	l.place, l.truncate, l.min, l.started = q.place, q.truncate, q.min, true
	l.truncations, l.grown, l.visits = 0, q.grown, 0
	l.changes++
	listSetRemoves(l, 0)
	l.heap, l.q = q.heap, q.q
	l.low.CopyFrom(&q.low)
	if invariants.On {
		listCheckInvariants(l)
	}
}

// listFrame reads the frame of a list.
type listFrame[T any, I Index, D Identifier[D]] struct {
	codec[T, I, D]
	stream bool // the frame is read once, and was not checked

	last, first D
	place       Placement
	truncate    Truncate
	min, size   int
	touched     int

	live int
	seen []uint64    // under Quartered: slots that are live or in a chain
	q    quarters[I] // vacant slots in each part
}

// frameRead reads the frame into l, or only checks it if l is nil.
func frameRead[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], r *wire.Reader, l *ListOf[T, I, D],
) error {
	if err := r.Open(wire.List, f.Desc); err != nil {
		return err
	}
	if err := frameTypes(f, r); err != nil {
		return err
	}
	if err := frameConfig(f, r); err != nil {
		return err
	}
	f.live, f.seen = 0, f.seen[:0]
	f.q = quarters[I]{stepwise: f.place == QuarteredStepwise}
	f.q.ends = [3]int{f.size / 4, f.size / 2, f.size}
	if l != nil {
		frameBegin(f, l)
	}
	for base := 0; base < f.touched; base += 64 {
		if err := frameBlock(f, r, l, base); err != nil {
			return err
		}
	}
	if !f.place.lowestFirst() {
		for p := range f.q.ends {
			if err := frameChain(f, r, l, p); err != nil {
				return err
			}
		}
	}
	return r.End()
}

// frameTypes reads the types of indices and identifiers.
func frameTypes[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], r *wire.Reader) error {
	var index I
	width, kind, size := r.Uint8(), r.Uint8(), r.Uint32()
	switch {
	case r.Err() != nil:
	case uintptr(width) != unsafe.Sizeof(index):
		r.Fail(-6, fmt.Sprintf("indices of %d bytes, not %d", width, unsafe.Sizeof(index)))
	case kind != f.ids.kind || size != uint32(f.ids.size):
		r.Fail(-5, describeIDs(kind, size)+", not "+describeIDs(f.ids.kind, uint32(f.ids.size)))
	}
	flags := r.Uint8()
	if r.Err() == nil && flags > 3 {
		r.Fail(-1, fmt.Sprintf("flags %#x", flags))
	}
	var zero D
	f.last, f.first = zero, zero
	var err error
	if r.Err() == nil && flags&1 != 0 {
		f.last, err = idsReadOne[D](&f.ids, r)
	}
	if err == nil && r.Err() == nil && flags&2 != 0 {
		f.first, err = idsReadOne[D](&f.ids, r)
	}
	if err != nil {
		return err
	}
	return r.Err()
}

// frameConfig reads the Config, and the number of slots.
func frameConfig[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], r *wire.Reader) error {
	var l ListOf[T, I, D]
	f.place, f.truncate = Placement(r.Uint8()), Truncate(r.Uint8())
	least, size, touched := r.Uint64(), r.Uint64(), r.Uint64()
	most := (uint64(^I(0)) &^ 3) + 4 // slots, or 0 if they are 2^64
	switch {
	case r.Err() != nil:
	case f.place > QuarteredStepwise:
		r.Fail(-26, "unknown "+f.place.String())
	case f.truncate > TruncateNever:
		r.Fail(-25, "unknown Truncate "+f.truncate.String())
	case least < 4 || least%4 != 0 || least-1 > most-1:
		r.Fail(-24, fmt.Sprintf("Min of %d", least))
	case size > 0 && (size-1 > most-1 || size < least),
		size%4 != 0 && !f.place.lowestFirst():
		r.Fail(-16, fmt.Sprintf("Cap of %d", size))
	case touched > size:
		r.Fail(-8, fmt.Sprintf("%d slots with a Cap of %d", touched, size))
	case max(size, least) > uint64(min(listMost(&l), limits.MaxBytes/listSlotBytes(&l, f.place))):
		return fmt.Errorf("%w: Cap of %d, and Min of %d", ErrFull, size, least)
	}
	f.min, f.size, f.touched = int(least), int(size), int(touched)
	return r.Err()
}

// frameMayTake fails if the list needs more memory than n bytes of data justify, and than there is.
func frameMayTake[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], n int64, slots int,
) error {
	return frameBound(f, n, f.size, slots)
}

// frameBound fails if size slots need more memory than n bytes of data justify, so that hostile
// data cannot take all, and if there are fewer slots.
func frameBound[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], n int64, size, slots int,
) error {
	var l ListOf[T, I, D]
	most := 256<<20 + 64*uint64(n)
	if each := listSlotBytes(&l, f.place); size > slots && uint64(size) > most/uint64(each) {
		return fmt.Errorf("%w: %d slots of %d bytes for %d bytes of data", ErrFull, size, each, n)
	}
	return nil
}

// frameBegin makes l a list without touched slots.
func frameBegin[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], l *ListOf[T, I, D]) {
	l.place = f.place
	if keep := f.touched; keep < len(l.ids) {
		if !poison.On {
			clear(l.vals[keep:])
		}
		clear(l.ids[keep:])
	}
	l.ids, l.vals = l.ids[:0], l.vals[:0]
	heapClear(&l.heap)
	bands := l.q.bands[:0]
	l.q = quarters[I]{next: l.q.next, bands: bands, seen: l.q.seen, stepwise: f.q.stepwise}
	if !f.place.lowestFirst() {
		quartersSetSize(&l.q, f.size)
		clear(l.q.bands)
	}
	listLink(l)
	if l.low.Init(0); f.place == FirstFree {
		l.low.Init(min(f.size, cap(l.ids)))
	}
}

// frameRoom gives l, which is read once, memory for n slots.
func frameRoom[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], l *ListOf[T, I, D], n int) {
	if n > cap(l.ids) {
		l.ids = append(make([]D, 0, n), l.ids...)
		l.vals = append(make([]T, 0, n), l.vals...)
		if f.place == FirstFreeHeap {
			l.heap.ends = resized(l.heap.ends, len(l.ids), n)
		}
		if !f.place.lowestFirst() {
			l.q.next = resized(l.q.next, len(l.ids), n)
		}
	}
	if f.place == FirstFree {
		l.low.Grow(n - l.low.Cap() + l.low.Len())
	}
}

// frameBlock reads the 64 slots from base on, or those that were touched.
func frameBlock[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], r *wire.Reader, l *ListOf[T, I, D], base int,
) error {
	end := min(base+64, f.touched)
	occ := r.Uint64()
	n := bits.OnesCount64(occ)
	switch {
	case r.Err() != nil:
	case occ&bitset.Beyond(end-base) != 0:
		r.Fail(-8, fmt.Sprintf("a live slot behind the last of %d", f.touched))
	case end == f.touched && occ>>(end-base-1) == 0 &&
		f.place.lowestFirst() && f.truncate != TruncateNever:
		r.Fail(-8, "a last slot that is vacant")
	}
	if r.Err() != nil {
		return r.Err()
	}
	f.live += n
	vacant := ^occ &^ bitset.Beyond(end-base)
	if !f.place.lowestFirst() {
		f.seen = append(f.seen, ^vacant)
		quartersSpread(&f.q, base, vacant)
	}
	if l == nil {
		if err := idsRead(&f.ids, r, nil, n, f.first, f.last); err != nil {
			return err
		}
		codecCheck(&f.codec, r, n)
		return r.Err()
	}
	if f.stream && end > cap(l.ids) {
		size := min(f.size, max(2*cap(l.ids), 64))
		if err := frameBound(f, r.Count(), size, 0); err != nil {
			return err
		}
		frameRoom(f, l, size)
	}
	l.ids, l.vals = l.ids[:end], l.vals[:end]
	frameVacate(f, l, base, vacant)
	for rest := occ; rest != 0; {
		i, n := bitset.Run(rest)
		rest &= bitset.Beyond(i + n)
		if err := idsRead(&f.ids, r, l.ids[base+i:base+i+n], n, f.first, f.last); err != nil {
			return err
		}
	}
	frameMark(f, l, base, occ, vacant)
	for occ != 0 {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		if err := frameValues(f, r, l, base+i, n); err != nil {
			return err
		}
	}
	return nil
}

// codecCheck reads n values without storing them.
func codecCheck[T any, I Index, D Identifier[D]](c *codec[T, I, D], r *wire.Reader, n int) {
	r.Values(c.Layout, nil, n)
}

// frameVacate makes the slots of l from base on vacant that have a bit in vacant.
func frameVacate[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], l *ListOf[T, I, D], base int, vacant uint64,
) {
	var none T
	var zero D
	for w := vacant; w != 0; w &= w - 1 {
		i := base + bits.TrailingZeros64(w)
		if l.ids[i] != zero && !poison.On {
			l.vals[i] = none
		}
		l.ids[i] = zero
	}
}

// frameMark gives the slots from base on to the placement of l.
func frameMark[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], l *ListOf[T, I, D], base int, occ, vacant uint64,
) {
	switch f.place {
	case FirstFree:
		l.low.TakeWord(base>>6, occ)
	case FirstFreeHeap, FirstFreeHeapWalk:
		for w := vacant; w != 0; w &= w - 1 {
			i := base + bits.TrailingZeros64(w)
			l.heap.queue = append(l.heap.queue, I(i)) // in order, as a heap may be
			if f.place == FirstFreeHeap {
				l.heap.ends[i] = I(i)
				heapJoinRuns(&l.heap, i, i > 0 && l.vacant(i-1), false)
			}
		}
	default:
		if base > 0 {
			l.q.bands[bits.Len(uint(base))] += bits.OnesCount64(occ)
			return
		}
		for w := occ; w != 0; w &= w - 1 {
			quartersInserted(&l.q, bits.TrailingZeros64(w))
		}
	}
}

// frameValues reads the values of n adjacent slots from i on.
func frameValues[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], r *wire.Reader, l *ListOf[T, I, D], i, n int,
) error {
	vals := l.vals[i : i+n]
	if poison.On || f.get != nil || !f.Flat() {
		clear(vals)
	}
	if f.get == nil {
		r.Values(f.Layout, bytesIn(vals), n)
		return r.Err()
	}
	for k := range vals {
		b := r.Coded()
		if r.Err() != nil {
			return r.Err()
		}
		if err := f.get(b, &vals[k]); err != nil {
			key := Key[T, I, D]{index: I(i + k), id: l.ids[i+k]}
			return fmt.Errorf("value of %v: %w", key, err)
		}
	}
	return nil
}

// frameChain reads the chain of part p into l, or only checks it if l is nil.
func frameChain[T any, I Index, D Identifier[D]](
	f *listFrame[T, I, D], r *wire.Reader, l *ListOf[T, I, D], p int,
) error {
	from, end := 0, min(f.q.ends[p], f.touched)
	if p > 0 {
		from = f.q.ends[p-1]
	}
	n := r.Uint64()
	if r.Err() == nil && n > uint64(f.q.vac[p]) {
		r.Fail(-8, fmt.Sprintf("a chain of %d in a part with %d vacant slots", n, f.q.vac[p]))
	}
	if r.Err() != nil {
		return r.Err()
	}
	var head, last I
	for k := range int(n) {
		var i uint64
		if linkBytes[I]() == 4 {
			i = uint64(r.Uint32())
		} else {
			i = r.Uint64()
		}
		if r.Err() != nil {
			return r.Err()
		}
		if i < uint64(from) || i >= uint64(end) || f.seen[i>>6]>>(i&63)&1 != 0 {
			r.Fail(0, fmt.Sprintf("slot %d in a chain of the slots %d to %d", i, from, end))
			return r.Err()
		}
		f.seen[i>>6] |= 1 << (i & 63)
		if k == 0 {
			head = I(i)
		} else if l != nil {
			l.q.next[last] = I(i)
		}
		last = I(i)
	}
	if l != nil {
		l.q.head[p], l.q.vac[p], l.q.left[p] = head, f.q.vac[p], f.q.vac[p]-int(n)
		l.q.cursor[p] = frameFirstUnseen(f, from, l.q.left[p])
	}
	return nil
}

// frameFirstUnseen returns the first slot from i on that is not in seen, if there are any.
func frameFirstUnseen[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], i, left int) int {
	for left > 0 && f.seen[i>>6]>>(i&63)&1 != 0 {
		if i++; i&63 == 0 {
			for f.seen[i>>6] == math.MaxUint64 {
				i += 64
			}
		}
	}
	return i
}

// frameFinish completes the list l, which was read.
func frameFinish[T any, I Index, D Identifier[D]](f *listFrame[T, I, D], l *ListOf[T, I, D]) {
	l.n, l.size, l.quick = f.live, f.size, 0
	l.last, l.firstID = f.last, f.first
	l.place, l.truncate, l.min, l.started = f.place, f.truncate, f.min, true
	l.truncations, l.grown, l.visits, l.q.visits = 0, 0, 0, 0
	if cap(l.ids) > 0 {
		l.grown = 1
	}
	l.changes++
	listSetRemoves(l, 0)
	quartersSetRoom(&l.q)
	if f.stream {
		l.q.seen = nil
	} else {
		l.q.seen = f.seen
	}
	if invariants.On && !f.stream {
		listCheckInvariants(l)
	}
}
