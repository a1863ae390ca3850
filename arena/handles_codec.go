package arena

import (
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary appends the result of [Handles.MarshalBinary] to b. If it fails, it returns b
// unchanged.
//
// Cost: O(slots); allocates if b has no room.
func (r *Handles[T, H]) AppendBinary(b []byte) ([]byte, error) {
	return r.appendBinary("Handles.AppendBinary", b)
}

// MarshalBinary encodes the complete state: the values, the generations of all slots, and the order
// in which slots will be taken. For types without int, uint and uintptr, the bytes are the same on
// every machine. It fails while an InsertFunc runs, and if T holds a [Nested], whose values lie
// outside the Handles.
//
// Cost: O(slots); allocates the bytes.
func (r *Handles[T, H]) MarshalBinary() ([]byte, error) {
	return r.appendBinary("Handles.MarshalBinary", nil)
}

func (r *Handles[T, H]) appendBinary(fn string, b []byte) ([]byte, error) {
	r.mem.check(fn)
	e, err := codecOf[T](fn)
	if err != nil {
		return b, err
	}
	if r.pending > 0 {
		return b, errors.New("arena: " + fn + ": a value is under construction, by InsertFunc")
	}
	meta, err := codecOf[H](fn)
	if err != nil {
		return b, err
	}
	w := begin(b, kindOf[H](), e, slotHead+int(r.used)*meta.Size+r.n*e.Encoded)
	for _, n := range []uint32{r.base, r.used, r.head, uint32(r.gone)} {
		w.Uint32(n)
	}
	left := int(r.used)
	for _, k := range r.dir {
		n := min(left, blockSlots)
		w.Values(meta.Layout, bytesOf(k.meta[:n]))
		left -= n
	}
	for _, k := range r.dir {
		writeRuns(w, e, k.vals[:], k.occ)
	}
	return finish(w), nil
}

// kindOf returns the kind of a Handles of H.
func kindOf[H word]() wire.Kind {
	if metaBytes[H]() == 4 {
		return wire.ArenaHandles32
	}
	return wire.ArenaHandles64
}

// metaBytes is the size of H.
func metaBytes[H word]() int { return indexBits[H]() / 4 }

// UnmarshalBinary replaces the state of r by that of the Handles encoded in data. Each of that
// Handles' handles finds the same value in r, or nothing if it was stale, and r goes on to give out
// the same handles as the original would have. It returns [ErrCorrupt] if data is not a marshalled
// Handles of these types, [ErrNoSpace] if the arena has no room, and an error if T holds a
// [Nested]. If it fails, r is unchanged. It panics while an InsertFunc runs. Types with different
// names but the same fields are the same type. The blocks of r are reused. The data must not lie in
// them.
//
// In a Chunked arena without a limit, UnmarshalBinary takes at most 256 MiB plus 64 times
// len(data). If the values need more, call [Handles.Grow] first.
//
// Cost: O(slots); takes the missing blocks from the arena, and allocates nothing if none is
// missing. Above 64 KiB of data it needs memory on Go's heap for a handle per slot, which later
// calls reuse.
//
// Ends: handles that r gave out before, some of which may now find other values, and pointers to
// values.
//
//berth:ends emptied
//berth:clones
func (r *Handles[T, H]) UnmarshalBinary(data []byte) error {
	const fn = "Handles.UnmarshalBinary"
	r.mem.check(fn)
	if r.pending > 0 {
		panic("arena: " + fn + ": a value is under construction, by InsertFunc")
	}
	meta, err := codecOf[H](fn)
	if err != nil {
		return err
	}
	in, e, err := openOf[T](fn, data, kindOf[H]())
	if err != nil {
		return err
	}
	defer in.close()
	s, err := checkSlots[H](in)
	if err == nil {
		err = in.values(e, uint64(s.live))
	}
	if err != nil {
		return err
	}
	old := len(r.dir)
	if more := (s.len() + blockSlots - 1) / blockSlots; more > old {
		more -= old
		if !mayTake[handleBlock[T, H]](r.mem.a, more, len(in.data)) || !r.addBlocks(more) {
			return in.noSpace()
		}
	}
	in.again()
	in.Next(slotHead)
	r.base, r.used, r.head, r.gone, r.n = s.base, s.used, s.head, s.gone, s.live
	r.live.Clear()
	left := int(s.used)
	for k, b := range r.dir {
		if k < old {
			*b = handleBlock[T, H]{}
		}
		n := min(left, blockSlots)
		left -= n
		in.Values(meta.Layout, bytesOf(b.meta[:n]), n)
		for i, m := range b.meta[:n] {
			if m != 0 && !isFree(m) {
				b.occ |= 1 << i
			}
		}
		if b.occ != 0 {
			r.live.Add(k)
		}
	}
	for _, b := range r.dir {
		readRuns(in, e, b.vals[:], b.occ)
	}
	in.loaded()
	r.changed()
	return nil
}

// slotHead is the number of bytes before the words of the slots.
const slotHead = 16

// slots is the decoded slots of a Handles.
type slots[H word] struct {
	base, used, head uint32
	gone, live       int
	words            []byte // valid until the next read
}

// checkSlots reads and checks the slots of a Handles.
func checkSlots[H word](r *loader) (s slots[H], err error) {
	s.base, s.used, s.head = r.Uint32(), r.Uint32(), r.Uint32()
	s.gone = int(r.Uint32())
	switch {
	case s.base > maxGeneration[H]():
		return s, r.corrupt(0, "a generation that is too high")
	case uint64(s.used) > uint64(maxSlots[H]()):
		return s, r.corrupt(4, "more slots than indices")
	case r.fits(uint64(s.used), metaBytes[H]()):
		s.words = r.Next(int(s.used) * metaBytes[H]())
	}
	if r.Err() != nil {
		return s, r.failed()
	}
	gone, vacant := 0, 0
	for i := range s.len() {
		switch m := s.meta(i); {
		case m == 0:
			gone++
		case isFree(m) && generationOf(m) != s.base && indexOf(m) <= s.used:
			vacant++
		case !isFree(m) && indexOf(m) == uint32(i)+1:
			s.live++
		default:
			return s, r.corrupt(slotHead+i*metaBytes[H](), "invalid word of slot "+strconv.Itoa(i))
		}
	}
	if s.gone != gone {
		return s, r.corrupt(12, "wrong number of retired slots")
	}
	if !s.chained(vacant) {
		return s, r.corrupt(8, "invalid chain of vacant slots")
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
