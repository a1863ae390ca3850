package berth

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// Memory supplies memory for the values of a container, in place of Go's heap: see [Config.Memory].
// The collector does not scan that memory, so it can only hold values without Go pointers.
//
// A container allocates few and large pieces, and frees each one once. A [Pool] frees pieces only
// in Clip and Clear. A [Dense] also frees its piece when it has moved its values to another one:
// when it grows, and when a removal has left most of it unused.
//
//   - A pointer or a span into a piece ends with the piece. Using it longer may crash the program,
//     which it would not on Go's heap. With the build tag berth_invariants or berth_poison, a piece
//     is filled with the byte 0xDB before it is freed.
//   - A loop never reads a freed piece, and never delays freeing it. See the rules of loops at
//     [Pool] and [Dense].
//   - A Memory must outlive the containers that have pieces of it. This is not checked. A container
//     used after its Memory was released reads and writes memory that may belong to others.
//   - A container that is dropped frees nothing: call Clear and Clip first.
//
// Both methods are called by the goroutine that changes or clones the container, during that call.
// A Memory for the containers of several goroutines must be safe for concurrent use. Neither method
// may use the container that calls it.
type Memory interface {
	// Alloc returns size zeroed bytes, at an address that is a multiple of align. size is at least
	// 1, and align is a power of two. If it returns an error, it must not have allocated anything.
	// The container checks the size and the address, and with the build tag berth_invariants also
	// that the bytes are zero.
	Alloc(size, align int) ([]byte, error)
	// Free frees b, a slice that Alloc returned. The contents are unspecified. It must not panic.
	Free(b []byte)
}

// errTooLarge refuses a piece that is too large for any Memory.
var errTooLarge = errors.New("more memory than any machine has")

// supply holds the pieces that a container has from a Memory. It is nil without a Memory.
type supply struct {
	memory  Memory
	pieces  [][]byte // Pool: of each chunk, or nil
	refused error    // error of the last call of Alloc by a change, if it failed
}

// newSupply returns a supply from m, or nil if m is nil.
func newSupply(m Memory) *supply {
	if m == nil {
		return nil
	}
	return &supply{memory: m}
}

// mustBePlain panics if m is not nil and T has Go pointers.
func mustBePlain(fn string, t reflect.Type, m Memory) {
	if m == nil {
		return
	}
	if path := plain.Pointer(t); path != "" {
		panic("berth: " + fn + ": Memory cannot hold Go pointers: " + path)
	}
}

// alloc returns size zeroed bytes. A slice of the wrong size or address is an error of Memory, and
// is freed.
func (s *supply) alloc(size, align int) ([]byte, error) {
	b, err := s.memory.Alloc(size, align)
	if err != nil {
		return nil, err
	}
	if wrong := unfit(b, size, align); wrong != "" {
		if len(b) > 0 {
			s.memory.Free(b)
		}
		panic(fmt.Sprintf("berth: Memory.Alloc(%d, %d) %s", size, align, wrong))
	}
	return b, nil
}

// unfit describes the error in b, if any.
func unfit(b []byte, size, align int) string {
	switch {
	case len(b) != size:
		return "returned " + strconv.Itoa(len(b)) + " bytes"
	case !aligned(b, uintptr(align)):
		return "returned bytes at another address"
	case invariants.On && slices.ContainsFunc(b, func(x byte) bool { return x != 0 }):
		return "returned bytes that are not zero"
	}
	return ""
}

// allocFor returns zeroed memory for n elements of the given size.
func (s *supply) allocFor(n, size, align int) ([]byte, error) {
	if n > limits.MaxBytes/max(1, size) {
		return nil, errTooLarge
	}
	return s.alloc(n*size, align)
}

// free frees b. The container must be consistent by now.
func (s *supply) free(b []byte) {
	if len(b) == 0 {
		return
	}
	if invariants.On || poison.On { // for reads after the free
		poison.FillAll(b)
	}
	s.memory.Free(b)
}

// attempt calls f, and calls undo if f panics.
func attempt(f, undo func()) {
	done := false
	defer func() {
		if !done {
			undo()
		}
	}()
	f()
	done = true
}

// freeAll frees all pieces of a container that is not in use yet.
func (s *supply) freeAll() {
	if s == nil {
		return
	}
	for _, b := range s.pieces {
		s.free(b)
	}
	s.pieces = nil
}

// resize gives pieces room for the given number of chunks. Chunks that are cut off have no memory.
func (s *supply) resize(chunks int) {
	if s == nil {
		return
	}
	if chunks > len(s.pieces) {
		s.pieces = append(s.pieces, make([][]byte, chunks-len(s.pieces))...)
		return
	}
	s.pieces = s.pieces[:chunks]
	if chunks < cap(s.pieces)/4 {
		s.pieces = append(make([][]byte, 0, 2*chunks), s.pieces...)
	}
}

// why returns the reason why an insert has just failed for lack of a slot or a place.
func (s *supply) why() error {
	if s == nil || s.refused == nil {
		return ErrFull
	}
	return fmt.Errorf("%w: %w", ErrFull, s.refused)
}

// fail panics with the reason why fn cannot continue.
func (s *supply) fail(fn string) {
	if s != nil && s.refused != nil {
		panic("berth: " + fn + ": Memory has refused: " + s.refused.Error())
	}
	panic("berth: " + fn + ": more than 2^32 slots")
}

// bytes returns the memory that s holds, in bytes, without the pieces in use.
func (s *supply) bytes() int {
	if s == nil {
		return 0
	}
	return int(reflect.TypeFor[supply]().Size()) +
		cap(s.pieces)*int(reflect.TypeFor[[]byte]().Size())
}
