package stable

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth"
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
//
// Cost: O(Cap), for both lists; allocates the memory that l lacks, and nothing if it lacks none.
//
// Ends: all keys and pointers.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) UnmarshalBinary(data []byte) error {
	return listUnmarshal(coreOf(l), data)
}

// listUnmarshal is UnmarshalBinary.
func listUnmarshal[I Index, D Identifier[D]](l *core[I, D], data []byte) error {
	const fn = "ListOf.UnmarshalBinary"
	c, err := plainCodec(fn, &l.kind, new(D))
	if err != nil {
		return err
	}
	if !c.ids.flat {
		from := bytes.NewReader(data)
		return listReadFrom(l, from, c, from)
	}
	var r wire.Reader
	r.Read(data, false)
	f := listFrame[I, D]{codec: c}
	f.seen = l.q.seen
	err = frameRead(&f, &r, nil)
	l.q.seen = f.seen
	if err == nil {
		err = frameBound(&f, r.Count(), f.size, cap(l.ids))
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

// Decode loads what [ListOf.Encode] has written into r, as [ListOf.UnmarshalBinary] does, and reads
// no byte beyond it. value must be nil if it was for Encode. Otherwise it sets *v, a zero T, from
// the bytes that Encode's function has appended. It must not keep b or v, or use l. If it fails, or
// r does, Decode stops, returns an error that wraps that error, and leaves l unchanged. The end of
// r before that of the data is an [ErrCorrupt] and an [io.ErrUnexpectedEOF].
//
// Cost: O(Cap), for both lists, and value for each live value; allocates the memory of the new
// state, which l takes over, and a buffer of 64 KiB.
//
// Ends: all keys and pointers.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) Decode(r io.Reader, value func(b []byte, v *T) error) error {
	if value == nil {
		return listDecode(coreOf(l), r, nil)
	}
	return listDecode(coreOf(l), r, func(b []byte, v ref) error { return value(b, (*T)(v)) })
}

// listDecode is Decode.
func listDecode[I Index, D Identifier[D]](
	l *core[I, D], from io.Reader, get func(b []byte, v ref) error,
) error {
	c, err := codecFor(&l.kind, new(D), "ListOf.Decode", get != nil)
	if err != nil {
		return err
	}
	c.get = get
	return listReadFrom(l, from, c, nil)
}

// listReadFrom loads a list from the reader from, and then gives its memory to l. If all is not
// nil, it must have no bytes left.
func listReadFrom[I Index, D Identifier[D]](
	l *core[I, D], from io.Reader, c codec, all *bytes.Reader,
) error {
	var r wire.Reader
	r.From(from)
	f := listFrame[I, D]{codec: c, stream: true}
	q := &core[I, D]{kind: l.kind}
	err := frameRead(&f, &r, q)
	if err == nil {
		err = frameBound(&f, r.Count(), f.size, cap(q.ids))
	}
	if err == nil && all != nil && all.Len() > 0 {
		err = badID{fmt.Errorf("%d bytes behind the frame", all.Len())}
	}
	if err != nil {
		return codecFailedLoad(&f.codec, err)
	}
	frameRoom(&f, q, f.size)
	frameFinish(&f, q)
	listBecome(l, q)
	return nil
}

// codecFailedLoad returns the error of the method that was called for err.
func codecFailedLoad(c *codec, err error) error {
	if isCorrupt(err) {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, c.fn, err)
	}
	return codecFailed(c, err)
}

// listPrepare makes l ready to read a list of size slots: no slot is touched, and there is memory.
func listPrepare[I Index, D Identifier[D]](l *core[I, D], size int) {
	if poison.On {
		pastChange(l)
		pastCheck(l)
	}
	if size <= cap(l.ids) {
		if poison.On {
			pastVacateAll(l)
		}
		return
	}
	ids, was := l.ids, l.vals
	l.ids, l.vals = make([]D, 0, size), l.kind.make(size)
	if poison.On {
		pastMoved(l, ids, was)
	}
}

// listBecome gives l the state of q, and the memory. q must not be used again. l keeps its hooks.
func listBecome[I Index, D Identifier[D]](l, q *core[I, D]) {
	ids, was := l.ids, l.vals
	if poison.On {
		pastChange(l)
		pastCheck(l)
	}
	l.ids, l.vals, l.n, l.size, l.quick = q.ids, q.vals, q.n, q.size, 0
	if poison.On {
		pastMoved(l, ids, was)
	}
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
type listFrame[I Index, D Identifier[D]] struct {
	codec  codec
	stream bool // the frame is read once, and was not checked

	last, first D
	place       Placement
	truncate    berth.Truncate
	min, size   int
	touched     int

	live int
	seen []uint64    // under Quartered: slots that are live or in a chain
	q    quarters[I] // vacant slots in each part
}

// frameRead reads the frame into l, or only checks it if l is nil.
func frameRead[I Index, D Identifier[D]](
	f *listFrame[I, D], r *wire.Reader, l *core[I, D],
) error {
	if err := r.Open(wire.List, f.codec.values.Desc); err != nil {
		return err
	}
	if err := frameTypes(f, r); err != nil {
		return err
	}
	if err := frameConfig(f, r); err != nil {
		return err
	}
	f.live, f.seen = 0, f.seen[:0]
	f.q = quarters[I]{stepwise: f.place == quarteredStepwise}
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
func frameTypes[I Index, D Identifier[D]](f *listFrame[I, D], r *wire.Reader) error {
	var index I
	width, kind, size := r.Uint8(), r.Uint8(), r.Uint32()
	switch {
	case r.Err() != nil:
	case uintptr(width) != unsafe.Sizeof(index):
		r.Fail(-6, fmt.Sprintf("indices of %d bytes, not %d", width, unsafe.Sizeof(index)))
	case kind != f.codec.ids.kind || size != uint32(f.codec.ids.size):
		r.Fail(-5, describeIDs(kind, size)+", not "+
			describeIDs(f.codec.ids.kind, uint32(f.codec.ids.size)))
	}
	flags := r.Uint8()
	if r.Err() == nil && flags > 3 {
		r.Fail(-1, fmt.Sprintf("flags %#x", flags))
	}
	var zero D
	f.last, f.first = zero, zero
	var err error
	if r.Err() == nil && flags&1 != 0 {
		f.last, err = idsReadOne[D](&f.codec.ids, r)
	}
	if err == nil && r.Err() == nil && flags&2 != 0 {
		f.first, err = idsReadOne[D](&f.codec.ids, r)
	}
	if err != nil {
		return err
	}
	return r.Err()
}

// frameConfig reads the Config, and the number of slots.
func frameConfig[I Index, D Identifier[D]](f *listFrame[I, D], r *wire.Reader) error {
	l := core[I, D]{kind: *f.codec.kind}
	f.place = Placement(r.Uint8())
	truncate := r.Uint8()
	least, size, touched := r.Uint64(), r.Uint64(), r.Uint64()
	most := (uint64(^I(0)) &^ 3) + 4 // slots, or 0 if they are 2^64
	switch {
	case r.Err() != nil:
	case f.place > quarteredStepwise:
		r.Fail(-26, "unknown "+f.place.String())
	case int(truncate) >= len(truncates):
		r.Fail(-25, fmt.Sprintf("unknown Truncate(%d)", truncate))
	case least < 4 || least%4 != 0 || least-1 > most-1:
		r.Fail(-24, fmt.Sprintf("Min of %d", least))
	case size > 0 && (size-1 > most-1 || size < least),
		size%4 != 0 && !f.place.lowestFirst():
		r.Fail(-16, fmt.Sprintf("Cap of %d", size))
	case touched > size:
		r.Fail(-8, fmt.Sprintf("%d slots with a Cap of %d", touched, size))
	case max(size, least) > uint64(min(listMost[I](), limits.MaxBytes/listSlotBytes(&l, f.place))):
		return fmt.Errorf("%w: Cap of %d, and Min of %d", ErrFull, size, least)
	}
	if r.Err() == nil {
		f.truncate, f.min = truncates[truncate], int(least)
		f.size, f.touched = int(size), int(touched)
	}
	return r.Err()
}

// frameBound fails if size slots need more memory than n bytes of data justify, so that hostile
// data cannot take all, and if there are fewer slots.
func frameBound[I Index, D Identifier[D]](
	f *listFrame[I, D], n int64, size, slots int,
) error {
	l := core[I, D]{kind: *f.codec.kind}
	most := 256<<20 + 64*uint64(n)
	if each := listSlotBytes(&l, f.place); size > slots && uint64(size) > most/uint64(each) {
		return fmt.Errorf("%w: %d slots of %d bytes for %d bytes of data", ErrFull, size, each, n)
	}
	return nil
}

// frameBegin makes l a list without touched slots.
func frameBegin[I Index, D Identifier[D]](f *listFrame[I, D], l *core[I, D]) {
	l.place = f.place
	if keep := f.touched; keep < len(l.ids) {
		if !poison.On {
			l.kind.clear(l.vals.first, keep, l.vals.n)
		}
		clear(l.ids[keep:])
	}
	l.ids, l.vals.n = l.ids[:0], 0
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
func frameRoom[I Index, D Identifier[D]](f *listFrame[I, D], l *core[I, D], n int) {
	if n > cap(l.ids) {
		l.ids = append(make([]D, 0, n), l.ids...)
		was := l.vals
		l.vals = l.kind.make(n)
		l.vals.n = was.n
		l.kind.copy(l.vals.first, was.first, was.n)
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
func frameBlock[I Index, D Identifier[D]](
	f *listFrame[I, D], r *wire.Reader, l *core[I, D], base int,
) error {
	end := min(base+64, f.touched)
	occ := r.Uint64()
	n := bits.OnesCount64(occ)
	switch {
	case r.Err() != nil:
	case occ&bitset.Beyond(end-base) != 0:
		r.Fail(-8, fmt.Sprintf("a live slot behind the last of %d", f.touched))
	case end == f.touched && occ>>(end-base-1) == 0 &&
		f.place.lowestFirst() && f.truncate != berth.TruncateNever:
		r.Fail(-8, "a last slot that is vacant")
	}
	if r.Err() != nil {
		return r.Err()
	}
	f.live += n
	unused := ^occ &^ bitset.Beyond(end-base)
	if !f.place.lowestFirst() {
		f.seen = append(f.seen, ^unused)
		quartersSpread(&f.q, base, unused)
	}
	if l == nil {
		if err := idsRead(&f.codec.ids, r, nil, n, f.first, f.last); err != nil {
			return err
		}
		r.Values(f.codec.values.Layout, nil, n)
		return r.Err()
	}
	if f.stream && end > cap(l.ids) {
		size := min(f.size, max(2*cap(l.ids), 64))
		if err := frameBound(f, r.Count(), size, 0); err != nil {
			return err
		}
		frameRoom(f, l, size)
	}
	l.ids, l.vals.n = l.ids[:end], end
	frameVacate(f, l, base, unused)
	for rest := occ; rest != 0; {
		i, n := bitset.Run(rest)
		rest &= bitset.Beyond(i + n)
		if err := idsRead(&f.codec.ids, r, l.ids[base+i:base+i+n], n, f.first, f.last); err != nil {
			return err
		}
	}
	frameMark(f, l, base, occ, unused)
	for occ != 0 {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		if err := frameValues(f, r, l, base+i, n); err != nil {
			return err
		}
	}
	return nil
}

// frameVacate makes the slots of l from base on vacant that have a bit in unused.
func frameVacate[I Index, D Identifier[D]](
	f *listFrame[I, D], l *core[I, D], base int, unused uint64,
) {
	var zero D
	for w := unused; w != 0; w &= w - 1 {
		i := base + bits.TrailingZeros64(w)
		if l.ids[i] != zero && !poison.On {
			l.kind.clear(l.vals.first, i, i+1)
		}
		l.ids[i] = zero
	}
}

// frameMark gives the slots from base on to the placement of l.
func frameMark[I Index, D Identifier[D]](
	f *listFrame[I, D], l *core[I, D], base int, occ, unused uint64,
) {
	switch f.place {
	case FirstFree:
		l.low.TakeWord(base>>6, occ)
	case FirstFreeHeap, firstFreeHeapWalk:
		for w := unused; w != 0; w &= w - 1 {
			i := base + bits.TrailingZeros64(w)
			l.heap.queue = append(l.heap.queue, I(i)) // in order, as a heap may be
			if f.place == FirstFreeHeap {
				l.heap.ends[i] = I(i)
				heapJoinRuns(&l.heap, i, i > 0 && vacant(l.ids, i-1), false)
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
func frameValues[I Index, D Identifier[D]](
	f *listFrame[I, D], r *wire.Reader, l *core[I, D], i, n int,
) error {
	c := &f.codec
	if poison.On || c.get != nil || !c.values.Flat() {
		l.kind.clear(l.vals.first, i, i+n)
	}
	if c.get == nil {
		r.Values(c.values.Layout, bytesAt(l.kind.at(l.vals.first, i), n, l.kind.size), n)
		return r.Err()
	}
	for ; n > 0; n-- {
		b := r.Coded()
		if r.Err() != nil {
			return r.Err()
		}
		if err := c.get(b, l.kind.at(l.vals.first, i)); err != nil {
			return fmt.Errorf("value of %s: %w", keyString(uint64(i), l.ids[i], false), err)
		}
		i++
	}
	return nil
}

// frameChain reads the chain of part p into l, or only checks it if l is nil.
func frameChain[I Index, D Identifier[D]](
	f *listFrame[I, D], r *wire.Reader, l *core[I, D], p int,
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
func frameFirstUnseen[I Index, D Identifier[D]](f *listFrame[I, D], i, left int) int {
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
func frameFinish[I Index, D Identifier[D]](f *listFrame[I, D], l *core[I, D]) {
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
