package arena

import (
	"encoding"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
)

var (
	_ encoding.BinaryAppender    = (*Handles[int, Handle32[int]])(nil)
	_ encoding.BinaryMarshaler   = (*Handles[int, Handle32[int]])(nil)
	_ encoding.BinaryUnmarshaler = (*Handles[int, Handle32[int]])(nil)
)

// AppendBinary appends what [Handles.MarshalBinary] returns to b. On an error, it returns b.
// Cost: O(slots); allocates if b has no room.
func (r *Handles[T, H]) AppendBinary(b []byte) ([]byte, error) {
	return r.appendBinary("Handles.AppendBinary", b)
}

// MarshalBinary returns all that there is to know as bytes: values, generations of all slots, the
// order in which slots are taken. They are the same on every machine for types without int, uint
// and uintptr. It returns an error in the midst of a CreateFunc, and if T holds a [Nested], whose
// values are not here.
// Cost: O(slots); allocates the bytes.
func (r *Handles[T, H]) MarshalBinary() ([]byte, error) {
	return r.appendBinary("Handles.MarshalBinary", nil)
}

func (r *Handles[T, H]) appendBinary(fn string, b []byte) ([]byte, error) {
	r.mem.check(fn)
	l, err := layoutOf[T](fn)
	if err != nil {
		return b, err
	}
	if r.pending > 0 {
		return b, errors.New("arena: " + fn + ": a value is under construction, by CreateFunc")
	}
	meta, err := layoutOf[H](fn)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = slices.Grow(b, headBytes+16+int(r.used)*meta.Size+r.n*l.Encoded+sumBytes)
	b = headOf(wireOf[H](), l).begin(b)
	for _, n := range []uint32{r.base, r.used, r.head, uint32(r.gone)} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	left := int(r.used)
	for _, k := range r.dir {
		n := min(left, blockSlots)
		b = meta.Append(b, bytesOf(k.meta[:n]))
		left -= n
	}
	for _, k := range r.dir {
		b = appendRuns(b, l, k.vals[:], k.occ)
	}
	return finish(b, start), nil
}

// wireOf returns the kind of a Handles of H.
func wireOf[H word]() wire {
	if metaBytes[H]() == 4 {
		return wireHandles32
	}
	return wireHandles64
}

// metaBytes is the size of H.
func metaBytes[H word]() int { return indexBits[H]() / 4 }

// UnmarshalBinary makes r what the manager was that was marshalled to data: each of its handles
// finds in r what it found there, or finds nothing, and the next ones are the same as it would have
// given out. It fails with [ErrCorrupt] if data is not what a Handles of these types was marshalled
// to, and with [ErrNoSpace] if the arena has no room; nothing changes then. A T that holds a
// [Nested] is an error too. A type of another name with the same fields is the same type. It panics
// in the midst of a CreateFunc. The blocks of r serve again. Data must not lie in them.
//
// Of an arena of chunks, which has no end, no more than 256 MiB and 64 times len(data) are taken;
// for more than that, Reserve it before.
// Cost: O(slots); takes the blocks that r lacks, and allocates nothing if it lacks none.
// Ends: handles that r gave out before, of which some may find what is not theirs, and pointers to
// values.
func (r *Handles[T, H]) UnmarshalBinary(data []byte) error {
	const fn = "Handles.UnmarshalBinary"
	r.mem.check(fn)
	if r.pending > 0 {
		panic("arena: " + fn + ": a value is under construction, by CreateFunc")
	}
	l, err := layoutOf[T](fn)
	if err != nil {
		return err
	}
	var in reader
	if err := in.open(fn, data, headOf(wireOf[H](), l), 16); err != nil {
		return err
	}
	s, err := readSlots[H](&in)
	if err != nil {
		return err
	}
	vals, err := in.values(uint64(s.live), l)
	if err != nil {
		return err
	}
	old := len(r.dir)
	if more := (s.len() + blockSlots - 1) / blockSlots; more > old {
		more -= old
		if !mayTake[handleBlock[T, H]](r.mem.a, more, len(data)) || !r.addBlocks(more) {
			return in.noSpace()
		}
	}
	r.base, r.used, r.head, r.gone, r.n = s.base, s.used, s.head, s.gone, s.live
	r.live.Clear()
	for k, b := range r.dir {
		if k < old {
			*b = handleBlock[T, H]{}
		}
		for i := range min(blockSlots, max(0, s.len()-k*blockSlots)) {
			m := s.meta(k*blockSlots + i)
			b.meta[i] = m
			if m != 0 && !isFree(m) {
				b.occ |= 1 << i
			}
		}
		vals = decodeRuns(vals, l, b.vals[:], b.occ)
		if b.occ != 0 {
			r.live.Add(k)
		}
	}
	r.changed()
	return nil
}

// slots is the slots of a Handles, as they were marshalled.
type slots[H word] struct {
	base, used, head uint32
	gone, live       int
	words            []byte
}

// readSlots reads the slots of a Handles, and checks them.
func readSlots[H word](r *reader) (s slots[H], err error) {
	s.base, s.used, s.head = r.uint32(), r.uint32(), r.uint32()
	gone := r.uint32()
	at := r.at
	switch {
	case s.base > maxGeneration[H]():
		r.at = headBytes
		return s, r.corrupt("a generation that is too high")
	case uint64(s.used) > uint64(maxSlots[H]()):
		r.at = headBytes + 4
		return s, r.corrupt("more slots than indices")
	}
	s.words, err = r.take(uint64(s.used), metaBytes[H](), "slots")
	if err != nil {
		return s, err
	}
	vacant := 0
	for i := range s.len() {
		switch m := s.meta(i); {
		case m == 0:
			s.gone++
		case isFree(m) && generationOf(m) != s.base && indexOf(m) <= s.used:
			vacant++
		case !isFree(m) && indexOf(m) == uint32(i)+1:
			s.live++
		default:
			r.at = at + i*metaBytes[H]()
			return s, r.corrupt("the word of slot " + strconv.Itoa(i))
		}
	}
	if uint64(s.gone) != uint64(gone) {
		r.at = headBytes + 12
		return s, r.corrupt("another number of retired slots")
	}
	if !s.chained(vacant) {
		r.at = headBytes + 8
		return s, r.corrupt("the chain of vacant slots")
	}
	return s, nil
}

func (s *slots[H]) len() int { return len(s.words) / metaBytes[H]() }

// meta returns the word of slot i.
func (s *slots[H]) meta(i int) H {
	if metaBytes[H]() == 4 {
		return H(binary.LittleEndian.Uint32(s.words[4*i:]))
	}
	return H(binary.LittleEndian.Uint64(s.words[8*i:]))
}

// chained reports whether exactly so many vacant slots are in the chain. One that comes to its end
// has been nowhere twice.
func (s *slots[H]) chained(vacant int) bool {
	at := s.head
	for ; vacant > 0; vacant-- {
		if at == 0 || at > s.used {
			return false
		}
		m := s.meta(int(at - 1))
		if !isFree(m) {
			return false
		}
		at = indexOf(m)
	}
	return at == 0
}
