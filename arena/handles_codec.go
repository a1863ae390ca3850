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

// AppendBinary appends the result of [Handles.MarshalBinary] to b. If it fails, it returns b
// unchanged.
// Cost: O(slots); allocates if b has no room.
func (r *Handles[T, H]) AppendBinary(b []byte) ([]byte, error) {
	return r.appendBinary("Handles.AppendBinary", b)
}

// MarshalBinary encodes the complete state: the values, the generations of all slots, and the order
// in which slots will be taken. For types without int, uint and uintptr, the bytes are the same on
// every machine. It fails while a CreateFunc runs, and if T holds a [Nested], whose values lie
// outside the Handles.
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

// UnmarshalBinary replaces the state of r by that of the Handles encoded in data. Each of that
// Handles' handles finds the same value in r, or nothing if it was stale, and r goes on to give out
// the same handles as the original would have. It returns [ErrCorrupt] if data is not a marshalled
// Handles of these types, [ErrNoSpace] if the arena has no room, and an error if T holds a
// [Nested]. If it fails, r is unchanged. It panics while a CreateFunc runs. Types with different
// names but the same fields are the same type. The blocks of r are reused. The data must not lie in
// them.
//
// In a Chunked arena without a limit, UnmarshalBinary takes at most 256 MiB plus 64 times
// len(data). If the values need more, call [Handles.Reserve] first.
// Cost: O(slots); takes the missing blocks from the arena, and allocates nothing if none is
// missing.
// Ends: handles that r gave out before, some of which may now find other values, and pointers to
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

// slots is the decoded slots of a Handles.
type slots[H word] struct {
	base, used, head uint32
	gone, live       int
	words            []byte
}

// readSlots reads and checks the slots of a Handles.
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
			return s, r.corrupt("invalid word of slot " + strconv.Itoa(i))
		}
	}
	if uint64(s.gone) != uint64(gone) {
		r.at = headBytes + 12
		return s, r.corrupt("wrong number of retired slots")
	}
	if !s.chained(vacant) {
		r.at = headBytes + 8
		return s, r.corrupt("invalid chain of vacant slots")
	}
	return s, nil
}

func (s *slots[H]) len() int { return len(s.words) / metaBytes[H]() }

// meta returns invalid word of slot i.
func (s *slots[H]) meta(i int) H {
	if metaBytes[H]() == 4 {
		return H(binary.LittleEndian.Uint32(s.words[4*i:]))
	}
	return H(binary.LittleEndian.Uint64(s.words[8*i:]))
}

// chained reports whether the chain has exactly vacant slots. A chain that reaches its end visits
// no slot twice.
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
