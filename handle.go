package berth

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seed505807e1/berth/internal/slots"
	"github.com/seed505807e1/berth/internal/wire"
)

// ErrCorrupt is returned for text or bytes that are not the encoding of a value. The error that
// wraps it describes what is wrong and where.
var ErrCorrupt = slots.ErrCorrupt

// Handle refers to a value in a container of T. It holds the slot's index, and the slot's
// generation at insertion. A Handle is a plain value: copy it, compare it with ==, store it, send
// it, keep it as long as you like. A handle is stale once its value is removed, and foreign to all
// containers but the one that issued it and its clones. A stale or foreign handle finds nothing.
//
// The zero Handle refers to no value. A Handle[A] does not convert to a Handle[B]. As the key of a
// map, a Handle is as fast as a number.
//
// A Handle marshals as text, "index:generation", and as 8 bytes. Packages encoding/json,
// encoding/xml, encoding/gob and flag use these, including for map keys. In JSON it is a string
// because JavaScript loses the bits of a number beyond 2^53. The tag `json:",omitzero"` leaves the
// zero Handle out.
//
// Two Pools of one T have handles of one type. A handle finds nothing in the wrong Pool. If each
// Pool has a type of its own (type Ally struct{ Unit }), the mistake does not compile.
//
// A type defined as a Handle (type ID berth.Handle[User]) has none of its methods, and marshals as
// {}. An alias (type ID = berth.Handle[User]) and a struct that embeds a Handle have them.
//
// A later run of the program issues the same handles again, unless it has another [Config.Seed]. So
// a handle that left the program may come back and find another value. A handle is no secret: the
// next one can be guessed.
//
// A Handle takes 8 bytes and contains no pointers. The index counts from a start that differs
// between containers, so it is not the number of the slot. [Pool.IndexOf] returns that number, and
// [Dense.PlaceOf] returns the place in a Dense.
type Handle[T any] struct {
	// of forbids conversion. It comes first, because last it would cost 8 bytes. It has a name,
	// because the compiler compares and hashes a struct with a blank field piece by piece.
	of [0]*T //nolint:unused // see above
	id slots.ID
}

// HandleFromUint64 is the inverse of [Handle.Uint64]. Every u is safe: if no container has issued
// it, the handle finds nothing.
//
// Cost: O(1); never allocates.
func HandleFromUint64[T any](u uint64) Handle[T] {
	return Handle[T]{id: slots.ID{Index: uint32(u), Gen: uint32(u >> 32)}}
}

// Uint64 returns h as a number, for map keys, protocols and C: the index, and the generation from
// bit 32 on. It is 0 only for the zero Handle.
// Bit 32 is set in the number of every handle that a container has issued, so it is never less than
// 1<<32. The numbers below are free for other uses. All ones can be a handle: that of the slot with
// the last index, in the last of all generations.
//
// Cost: O(1); never allocates.
func (h Handle[T]) Uint64() uint64 { return uint64(h.id.Gen)<<32 | uint64(h.id.Index) }

// IsZero reports whether h is the zero Handle, which refers to no value. A handle that is not zero
// may still be stale; see [Pool.Contains].
//
// Cost: O(1); never allocates.
func (h Handle[T]) IsZero() bool { return slots.IsZero(h.id) }

// String returns "index:generation" in decimal, or "none" for the zero Handle. It is meant for
// people. Programs use [Handle.Uint64] and [Handle.MarshalText].
//
// Cost: allocates the string.
func (h Handle[T]) String() string { return slots.TextOf(h.id) }

// Format implements [fmt.Formatter]. It prints the text of [Handle.String], also for %d. For %b,
// %o, %O, %x and %X, both numbers are in that base.
//
// Cost: allocates the text.
func (h Handle[T]) Format(s fmt.State, verb rune) { format(h.id, s, verb) }

//go:noinline
func format(h slots.ID, s fmt.State, verb rune) {
	wire.Format(s, verb, slots.TextOf(h), uint64(h.Index), h.Gen)
}

// MarshalText implements [encoding.TextMarshaler]. It returns "index:generation" in decimal, or
// nothing for the zero Handle. The error is always nil.
//
// Cost: O(1); allocates the text.
func (h Handle[T]) MarshalText() ([]byte, error) { return marshalText(h.id), nil }

//go:noinline
func marshalText(h slots.ID) []byte { return slots.AppendHandle([]byte{}, h) }

// UnmarshalText implements [encoding.TextUnmarshaler]. Every Handle has exactly one text, and the
// zero Handle has the empty text. Any other text, including the "none" of [Handle.String], is an
// [ErrCorrupt] and leaves h unchanged. A Handle that no container has issued finds nothing.
//
// Cost: O(len(text)); never allocates unless it fails.
func (h *Handle[T]) UnmarshalText(text []byte) error { return unmarshalText(&h.id, text) }

//go:noinline
func unmarshalText(h *slots.ID, text []byte) error {
	if len(text) == 0 {
		*h = slots.ID{}
		return nil
	}
	index, rest, err := wire.CutHandle(text, math.MaxUint32)
	if err != nil {
		return fmt.Errorf("%w: Handle.UnmarshalText: %w", ErrCorrupt, err)
	}
	gen, err := wire.Number(rest, math.MaxUint32)
	if err != nil {
		return fmt.Errorf("%w: Handle.UnmarshalText: generation: %w", ErrCorrupt, err)
	}
	if index|gen == 0 {
		return fmt.Errorf("%w: Handle.UnmarshalText: \"0:0\", but the zero Handle has no text",
			ErrCorrupt)
	}
	h.Index, h.Gen = uint32(index), uint32(gen)
	return nil
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the 8 bytes of [Handle.Uint64],
// the lowest first. The error is always nil. Package encoding/gob uses it.
//
// Cost: O(1); allocates 8 bytes.
func (h Handle[T]) MarshalBinary() ([]byte, error) { return marshalBinary(h.id), nil }

//go:noinline
func marshalBinary(h slots.ID) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(h.Gen)<<32|uint64(h.Index))
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. Any 8 bytes make a Handle; one that no
// container has issued finds nothing. Data of another length is an [ErrCorrupt] and leaves h
// unchanged.
//
// Cost: O(1); never allocates unless it fails.
func (h *Handle[T]) UnmarshalBinary(data []byte) error { return unmarshalBinary(&h.id, data) }

//go:noinline
func unmarshalBinary(h *slots.ID, data []byte) error {
	if len(data) != 8 {
		return fmt.Errorf("%w: Handle.UnmarshalBinary: %d bytes, want 8", ErrCorrupt, len(data))
	}
	*h = HandleFromUint64[slots.ID](binary.LittleEndian.Uint64(data)).id
	return nil
}

// Compact returns a live handle of p as a number of 32 bits, never 0. The low slotBits bits hold
// the number of the slot plus 1. The other bits hold the low bits of a count of the slot's
// lives. Compact reports false if h is stale, zero or foreign, or if the slot does not fit: 20 bits
// are enough for a million slots. It panics if slotBits is not between 1 and 32.
//
// In contrast to a Handle, a number repeats: after 2^(32-slotBits) lives of its slot, it finds a
// later value. With 20 bits, these are 4096 lives.
//
// Cost: O(1); never allocates.
//
//berth:asks h of p
func Compact[T any](p *Pool[T], h Handle[T], slotBits int) (c uint32, ok bool) {
	mustSplit("Compact", slotBits)
	slot := uint64(p.IndexOf(h) + 1)
	if slot == 0 || slot>>slotBits != 0 {
		return 0, false
	}
	return h.id.Gen>>1<<slotBits | uint32(slot), true
}

// Expand returns the handle for which [Compact] returns c, with the same slotBits, or the zero
// Handle if there is none.
//
// Cost: O(1); never allocates.
//
//berth:issues r0 of p
func Expand[T any](p *Pool[T], c uint32, slotBits int) Handle[T] {
	mustSplit("Expand", slotBits)
	h, _ := p.At(int(c&(1<<slotBits-1)) - 1)
	if is, ok := Compact(p, h, slotBits); !ok || is != c {
		return Handle[T]{}
	}
	return h
}

// mustSplit panics if 32 bits do not have the given number of low bits.
func mustSplit(fn string, slotBits int) {
	if slotBits < 1 || slotBits > 32 {
		slots.PanicGot(fn, "slotBits must be 1 to 32", slotBits)
	}
}

var (
	_ fmt.Stringer               = Handle[int]{}
	_ fmt.Formatter              = Handle[int]{}
	_ encoding.TextMarshaler     = Handle[int]{}
	_ encoding.TextUnmarshaler   = (*Handle[int])(nil)
	_ encoding.BinaryMarshaler   = Handle[int]{}
	_ encoding.BinaryUnmarshaler = (*Handle[int])(nil)
)
