package slots

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

// ErrTooLarge refuses a piece that is too large for any Memory.
var errTooLarge = errors.New("more memory than any machine has")

// Supply holds the pieces that a container has from a Memory. It is nil without a Memory.
type Supply struct {
	memory  Memory
	Pieces  [][]byte // Pool: of each chunk, or nil
	Refused error    // error of the last call of Alloc by a change, if it failed
}

// newSupply returns a supply from m, or nil if m is nil.
func newSupply(m Memory) *Supply {
	if m == nil {
		return nil
	}
	return &Supply{memory: m}
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
func (s *Supply) alloc(size, align int) ([]byte, error) {
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
	case reflect.ValueOf(b).Pointer()%uintptr(align) != 0:
		return "returned bytes at another address"
	case invariants.On && slices.ContainsFunc(b, func(x byte) bool { return x != 0 }):
		return "returned bytes that are not zero"
	}
	return ""
}

// allocFor returns zeroed memory for n elements of the given size.
func (s *Supply) allocFor(n, size, align int) ([]byte, error) {
	if n > limits.MaxBytes/max(1, size) {
		return nil, errTooLarge
	}
	return s.alloc(n*size, align)
}

// Free frees b. The container must be consistent by now.
func (s *Supply) Free(b []byte) {
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
func (s *Supply) freeAll() {
	if s == nil {
		return
	}
	for _, b := range s.Pieces {
		s.Free(b)
	}
	s.Pieces = nil
}

// resize gives pieces room for the given number of chunks. Chunks that are cut off have no memory.
func (s *Supply) resize(chunks int) {
	if s == nil {
		return
	}
	if chunks > len(s.Pieces) {
		s.Pieces = append(s.Pieces, make([][]byte, chunks-len(s.Pieces))...)
		return
	}
	s.Pieces = s.Pieces[:chunks]
	if chunks < cap(s.Pieces)/4 {
		s.Pieces = append(make([][]byte, 0, 2*chunks), s.Pieces...)
	}
}

// Why returns the reason why an insert has just failed for lack of a slot or a place.
func (s *Supply) Why() error {
	if s == nil || s.Refused == nil {
		return ErrFull
	}
	return fmt.Errorf("%w: %w", ErrFull, s.Refused)
}

// fail panics with the reason why fn cannot continue.
func (s *Supply) fail(fn string) {
	if s != nil && s.Refused != nil {
		panic("berth: " + fn + ": Memory has refused: " + s.Refused.Error())
	}
	panic("berth: " + fn + ": more than 2^32 slots")
}

// Bytes returns the memory that s holds, in bytes, without the pieces in use.
func (s *Supply) Bytes() int {
	if s == nil {
		return 0
	}
	return int(reflect.TypeFor[Supply]().Size()) +
		cap(s.Pieces)*int(reflect.TypeFor[[]byte]().Size())
}
