package berth

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"

	"github.com/seed505807e1/berth/internal/wire"
)

// ErrCorrupt is returned for a text or bytes that no value of the type was marshalled to. The error
// that wraps it says what is wrong and where.
var ErrCorrupt = errors.New("berth: corrupt")

// Handle names one value in one container of T: the place of its slot, and the generation that
// the slot had when the value was inserted. Handles are plain values: copy them, compare them
// with ==, store them, send them, keep them as long as you like. A handle whose value is gone is
// stale, and finds nothing.
//
// The zero Handle names nothing. A Handle[A] does not convert to a Handle[B].
// As the key of a map, [Handle.Uint64] is hashed faster than the Handle itself.
//
// A Handle marshals as text, "index:generation", and as 8 bytes. So encoding/json, encoding/xml,
// encoding/gob and package flag keep it, also as the key of a map. A JSON number would not do:
// JavaScript loses the bits of one beyond 2^53. The tag `json:",omitzero"` leaves the zero Handle
// out.
//
// A type defined as a Handle (type ID berth.Handle[User]) has none of its methods, and marshals as
// {}. An alias (type ID = berth.Handle[User]) and a struct that embeds a Handle have them.
//
// A handle that leaves the program may come back to a later run of it, which issues the same
// handles unless it has another [Config.Seed]. A handle is no secret: the next one can be guessed.
//
// Shape: 8 bytes, no pointers. The index counts from a start that differs between containers, so
// it is not the slot's number. [Pool.IndexOf] returns that, and [Dense.PlaceOf] the place in a
// Dense.
type Handle[T any] struct {
	_          [0]*T // forbids conversion; first, because last it would cost 8 bytes
	index, gen uint32
}

// HandleFromUint64 is the inverse of [Handle.Uint64]. No u crashes or corrupts anything: one that
// no container has issued makes a handle that finds nothing.
// Cost: O(1); never allocates.
func HandleFromUint64[T any](u uint64) Handle[T] {
	return Handle[T]{index: uint32(u), gen: uint32(u >> 32)}
}

// Uint64 returns h as a number, for maps, wires and C; 0 exactly for the zero Handle.
// Cost: O(1); never allocates.
func (h Handle[T]) Uint64() uint64 { return uint64(h.gen)<<32 | uint64(h.index) }

// IsZero reports whether h is the zero Handle, which names nothing. That a handle is not zero
// does not mean that it is live: ask the container.
// Cost: O(1); never allocates.
func (h Handle[T]) IsZero() bool { return h.index|h.gen == 0 }

// Generation returns the generation of h: odd in every handle that a container has issued, and
// another one in each handle of the same slot. It grows by 2 or more from one to the next, and
// wraps.
// Cost: O(1); never allocates.
func (h Handle[T]) Generation() uint32 { return h.gen }

// String returns "index:generation" in decimal, or "none" for the zero Handle. It is for people;
// [Handle.Uint64] and [Handle.MarshalText] are for programs.
// Cost: allocates the string.
func (h Handle[T]) String() string {
	if h.IsZero() {
		return "none"
	}
	text, _ := h.AppendText(nil) // never fails
	return string(text)
}

// AppendText appends "index:generation" in decimal to b, or nothing for the zero Handle. The error
// is always nil.
// Cost: O(1); allocates only to grow b.
func (h Handle[T]) AppendText(b []byte) ([]byte, error) {
	if h.IsZero() {
		return b, nil
	}
	return strconv.AppendUint(wire.AppendHandle(b, uint64(h.index)), uint64(h.gen), 10), nil
}

// MarshalText returns what [Handle.AppendText] appends to nothing.
// Cost: O(1); allocates the text.
func (h Handle[T]) MarshalText() ([]byte, error) { return h.AppendText([]byte{}) }

// UnmarshalText sets h to the Handle that was marshalled to text. Every Handle has one text; any
// other is an [ErrCorrupt], and h stays as it was. The empty text is the zero Handle; the "none" of
// [Handle.String] is an ErrCorrupt. A Handle that no container has issued finds nothing.
// Cost: O(len(text)); never allocates unless it fails.
func (h *Handle[T]) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*h = Handle[T]{}
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
	h.index, h.gen = uint32(index), uint32(gen)
	return nil
}

// AppendBinary appends 8 bytes to b: [Handle.Uint64], the lowest byte first. The error is always
// nil.
// Cost: O(1); allocates only to grow b.
func (h Handle[T]) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(b, h.Uint64()), nil
}

// MarshalBinary returns what [Handle.AppendBinary] appends to nothing.
// Cost: O(1); allocates 8 bytes.
func (h Handle[T]) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary sets h to the Handle that was marshalled to data. Any 8 bytes make a Handle; one
// that no container has issued finds nothing. Another length is an [ErrCorrupt], and h stays as it
// was.
// Cost: O(1); never allocates unless it fails.
func (h *Handle[T]) UnmarshalBinary(data []byte) error {
	if len(data) != 8 {
		return fmt.Errorf("%w: Handle.UnmarshalBinary: %d bytes, want 8", ErrCorrupt, len(data))
	}
	*h = HandleFromUint64[T](binary.LittleEndian.Uint64(data))
	return nil
}

// LogValue makes log/slog print h as [Handle.String] does.
// Cost: allocates the string.
func (h Handle[T]) LogValue() slog.Value { return slog.StringValue(h.String()) }

var (
	_ fmt.Stringer               = Handle[int]{}
	_ slog.LogValuer             = Handle[int]{}
	_ encoding.TextAppender      = Handle[int]{}
	_ encoding.TextMarshaler     = Handle[int]{}
	_ encoding.TextUnmarshaler   = (*Handle[int])(nil)
	_ encoding.BinaryAppender    = Handle[int]{}
	_ encoding.BinaryMarshaler   = Handle[int]{}
	_ encoding.BinaryUnmarshaler = (*Handle[int])(nil)
)
