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

// Memory is where a container takes the memory of its values from, in place of Go's heap: see
// [Config.Memory]. The collector does not look into it, so only values without Go pointers can lie
// there.
//
// A container asks for few and large pieces, and gives each back once. A [Pool] gives pieces back
// in Clip and Clear, and nowhere else. A [Dense] also gives its piece back when it has moved its
// values to another: when it grows, and when a removal has left most of it unused.
//
//   - A pointer or a span into a piece ends with the piece. Where it is kept longer, the program
//     may crash; on Go's heap, it would read or write in vain. With the build tag berth_invariants
//     or berth_poison, a piece is filled with the byte 0xDB before it is given back.
//   - A loop never reads a piece that was given back, and no loop delays it. See the rules of loops
//     at [Pool] and [Dense].
//   - A Memory must outlive the containers that have pieces of it. Nobody checks that. A container
//     that is used after its Memory was released reads and writes memory of others, or of nobody.
//   - A container that is dropped gives nothing back: call Clear and Clip first.
//
// Both methods are called by the goroutine that changes or clones the container, inside of that
// call. A Memory that serves the containers of several goroutines must be made for that. Neither
// method may use the container that calls it.
type Memory interface {
	// Alloc returns size zeroed bytes, at least one, at a multiple of align, a power of two; or an
	// error, and then nothing was taken. Size and place are checked, and that they are zero only
	// under the build tag berth_invariants.
	Alloc(size, align int) ([]byte, error)
	// Free takes back what Alloc returned: the same slice. The contents are unspecified. It must
	// not panic.
	Free(b []byte)
}

// errTooLarge is the refusal of a piece that no Memory need be asked for.
var errTooLarge = errors.New("more memory than any machine has")

// supply is what a container has from a Memory. It is nil where there is none.
type supply struct {
	memory  Memory
	pieces  [][]byte // Pool: of each chunk, or nil
	refused error    // why the last call of Alloc that a change has made was refused, if it was
}

// newSupply returns nil for no Memory.
func newSupply(m Memory) *supply {
	if m == nil {
		return nil
	}
	return &supply{memory: m}
}

// mustBePlain panics if values of T cannot lie in m.
func mustBePlain[T any](fn string, m Memory) {
	if m == nil {
		return
	}
	if path := plain.Pointer(reflect.TypeFor[T]()); path != "" {
		panic("berth: " + fn + ": Memory cannot hold Go pointers: " + path)
	}
}

// alloc returns size zeroed bytes. A slice that does not fit is a mistake of Memory, and goes back.
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

// unfit says what is wrong with b, if anything.
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

// allocOf returns memory for n values of T, zeroed.
func allocOf[T any](s *supply, n int) ([]T, []byte, error) {
	t := reflect.TypeFor[T]()
	if n > limits.MaxBytes/max(1, int(t.Size())) {
		return nil, nil, errTooLarge
	}
	b, err := s.alloc(n*int(t.Size()), t.Align())
	if err != nil {
		return nil, nil, err
	}
	return valuesIn[T](b, n), b, nil
}

// free gives b back. The container must be whole by now.
func (s *supply) free(b []byte) {
	if len(b) == 0 {
		return
	}
	if invariants.On || poison.On { // for whoever reads it all the same
		poison.FillAll(b)
	}
	s.memory.Free(b)
}

// attempt calls f, and undo if f panics.
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

// freeAll gives back all pieces of a container that nobody has seen.
func (s *supply) freeAll() {
	if s == nil {
		return
	}
	for _, b := range s.pieces {
		s.free(b)
	}
	s.pieces = nil
}

// resize makes pieces one of so many chunks; those cut off have no memory.
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

// why returns the reason of an insert that was just refused for want of a slot or a place.
func (s *supply) why() error {
	if s == nil || s.refused == nil {
		return ErrFull
	}
	return fmt.Errorf("%w: %w", ErrFull, s.refused)
}

// fail panics with why fn cannot go on.
func (s *supply) fail(fn string) {
	if s != nil && s.refused != nil {
		panic("berth: " + fn + ": Memory has refused: " + s.refused.Error())
	}
	panic("berth: " + fn + ": more than 2^32 slots")
}

// bytes returns what s takes, but for the pieces in use.
func (s *supply) bytes() int {
	if s == nil {
		return 0
	}
	return int(reflect.TypeFor[supply]().Size()) +
		cap(s.pieces)*int(reflect.TypeFor[[]byte]().Size())
}
