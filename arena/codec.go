package arena

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/seed505807e1/berth/internal/bitset"
	_ "github.com/seed505807e1/berth/internal/crc"
	"github.com/seed505807e1/berth/internal/layout"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/wire"
)

// Vec, Deque, Pool, Handles and Map have AppendBinary, MarshalBinary and UnmarshalBinary. Equal
// contents give equal bytes on every machine. docs/format.md describes the bytes.
//
// A value is encoded as its numbers, in the order of the fields. Padding and blank fields are left
// out. An int takes 8 bytes on 64-bit machines and 4 on 32-bit machines, and neither kind reads the
// other's. Types without int, uint and uintptr are encoded alike everywhere.
//
// Data that is damaged, cut, hostile, or of another type or kind is refused with [ErrCorrupt]. If
// the arena has no room, the error is [ErrNoSpace]. In both cases nothing has changed: a loader
// reads the data twice, and the first time only checks it. It checks the checksums, all counts
// against the length, each bool, the word of each slot, the chain of vacant slots, and that the
// keys of a Map differ.
//
// The arena provides the memory for the values, and for slots without a value: up to 64 values for
// 8 bytes of input in a Pool, and one value for 4 or 8 bytes in a Handles. Read data of unknown
// origin into an arena of limited size. In a Chunked arena without a limit, UnmarshalBinary takes
// at most maxSparse bytes plus 64 times the length of the input, apart from blocks that the
// container has already.

// ErrCorrupt reports data that no container of this kind and type was marshalled to: it is damaged,
// cut, of another type or a later version, or something else entirely. If UnmarshalBinary finds the
// data cut, the error is also [io.ErrUnexpectedEOF].
var ErrCorrupt = errors.New("arena: corrupt")

// maxSparse bounds the memory that UnmarshalBinary takes for a short input from an unlimited arena.
const maxSparse = 256 << 20

// codecs caches the encoding of each type, a [wire.Type].
var codecs sync.Map

// codecOf returns the encoding of T, or an error if T cannot be marshalled.
func codecOf[T any](fn string) (*wire.Type, error) { return codecAt(plain.TypeFor[T](), fn) }

func codecAt(t reflect.Type, fn string) (*wire.Type, error) {
	got, ok := codecs.Load(t)
	if !ok {
		got, _ = codecs.LoadOrStore(t, study(t))
	}
	e := got.(*wire.Type)
	if e.Why != "" {
		return nil, errors.New("arena: " + fn + ": " + e.Why)
	}
	return e, nil
}

func study(t reflect.Type) *wire.Type {
	if path := plain.Pointer(t); path != "" {
		return &wire.Type{Why: "cannot marshal Go pointers: " + path}
	}
	if path, found := layout.Find(t, isNested); found != nil {
		return &wire.Type{Why: "cannot marshal a Nested: " + t.String() + path}
	}
	e := wire.TypeOf(t)
	return &e
}

// elsewhere marks the blank field of a Nested. Reflection finds it under any type name.
type elsewhere interface{ elsewhere() }

var _ elsewhere = phantom[byte]{}

func (phantom[T]) elsewhere() {}

// isNested reports whether t is a Nested, or a type declared as one.
func isNested(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" && f.Type.Implements(reflect.TypeFor[elsewhere]()) {
			return true
		}
	}
	return false
}

// writers keeps the memory of Writers between calls.
var writers = sync.Pool{New: func() any { return new(wire.Writer) }}

// begin returns a Writer that appends a frame to b. contents is the length of what will be written.
func begin(b []byte, k wire.Kind, e *wire.Type, contents int) *wire.Writer {
	const ends = 64 // bytes that numbers leave at the ends of chunks
	w := writers.Get().(*wire.Writer)
	w.Append(slices.Grow(b, wire.FrameBytes(e.Desc, contents)+ends), k, e.Desc)
	return w
}

// finish completes the frame of w and returns it. w must not be used again.
func finish(w *wire.Writer) []byte {
	w.End()
	b := w.Frame()
	w.Forget()
	writers.Put(w)
	return b
}

// writeRuns writes the values that have a bit in occ.
func writeRuns[T any](w *wire.Writer, e *wire.Type, vals []T, occ uint64) {
	for occ != 0 {
		i, n := bitset.Run(occ)
		w.Values(e.Layout, bytesOf(vals[i:i+n]))
		occ &= bitset.Beyond(i + n)
	}
}

// loader reads a marshalled container for UnmarshalBinary, which must leave the container unchanged
// until it has checked everything. So it reads the contents, and then again after a call of again.
type loader struct {
	wire.Reader
	fn   string
	kind wire.Kind
	desc string
	data []byte // the frame
}

// loaders keeps the memory of loaders between calls.
var loaders = sync.Pool{New: func() any { return new(loader) }}

// open returns a loader of data for fn. It fails unless data begins like a container of kind k with
// values of e. The caller must close the loader.
func open(fn string, data []byte, k wire.Kind, e *wire.Type) (*loader, error) {
	r := loaders.Get().(*loader)
	r.fn, r.kind, r.desc, r.data = fn, k, e.Desc, data
	r.Read(r.data, false)
	_ = r.Open(k, e.Desc)
	if err := r.failed(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// openOf is open for values of type T. It also returns their encoding.
func openOf[T any](fn string, data []byte, k wire.Kind) (*loader, *wire.Type, error) {
	e, err := codecOf[T](fn)
	if err != nil {
		return nil, nil, err
	}
	r, err := open(fn, data, k, e)
	return r, e, err
}

// close ends the use of r.
func (r *loader) close() {
	r.data, r.desc = nil, ""
	r.Read(nil, false)
	loaders.Put(r)
}

// again makes r read the contents from their beginning. The checksums are not checked again.
func (r *loader) again() {
	r.Read(r.data, true)
	_ = r.Open(r.kind, r.desc) // has succeeded before
}

// loaded ends the second reading. It can only fail if another goroutine writes to the data, or if
// the data lies in the container.
func (r *loader) loaded() {
	if r.End() != nil {
		panic("arena: " + r.fn + ": data has changed during the call")
	}
}

// fits reports whether n pieces of size bytes can be in the data. If not, r fails where it ends.
func (r *loader) fits(n uint64, size int) bool {
	if hi, lo := bits.Mul64(n, uint64(size)); hi == 0 && lo <= uint64(len(r.data)) {
		return r.Err() == nil
	}
	for r.Err() == nil {
		r.Next(1 << 10)
	}
	return false
}

// values checks n values up to the end of the contents.
func (r *loader) values(e *wire.Type, n uint64) error {
	if r.fits(n, e.Encoded) {
		r.Values(e.Layout, nil, int(n))
	}
	_ = r.End()
	return r.failed()
}

// readRuns reads the values that have a bit in occ. All of vals is zero before.
func readRuns[T any](r *loader, e *wire.Type, vals []T, occ uint64) {
	for occ != 0 {
		i, n := bitset.Run(occ)
		r.Values(e.Layout, bytesOf(vals[i:i+n]), n)
		occ &= bitset.Beyond(i + n)
	}
}

// corrupt is an [ErrCorrupt] with its reason and position.
type corrupt struct {
	fn, what string
	at       int64
	cause    error // or nil
}

func (e *corrupt) Error() string {
	return "arena: " + e.fn + ": corrupt: " + e.what + ", at byte " + strconv.FormatInt(e.at, 10)
}

func (e *corrupt) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrCorrupt}
	}
	return []error{ErrCorrupt, e.cause}
}

// failed returns the error of r as one of fn, or nil.
func (r *loader) failed() error {
	if r.Err() == nil {
		return nil
	}
	var bad *wire.Error
	if !errors.As(r.Err(), &bad) {
		return fmt.Errorf("arena: %s: %w", r.fn, r.Err())
	}
	return &corrupt{r.fn, bad.What, bad.At, bad.Err}
}

// corrupt returns the error for byte at of the contents, which r has read already.
func (r *loader) corrupt(at int, what string) error {
	r.again()
	for n := 0; at > 0; at -= n {
		n = min(at, 1<<10)
		r.Next(n)
	}
	r.Next(1)
	r.Fail(-1, what)
	return r.failed()
}

func (r *loader) noSpace() error { return fmt.Errorf("arena: %s: %w", r.fn, ErrNoSpace) }

// mayTake reports whether UnmarshalBinary may take n values of T from a for an input of the given
// length. In an arena of limited size it always may.
func mayTake[T any](a *Arena, n, input int) bool {
	if a == nil {
		return false
	}
	bytes, ok := bytesFor[T](n)
	endless := a.kind == chunked && a.limit == limits.MaxBytes
	return ok && (!endless || uint64(bytes) <= maxSparse+64*uint64(input))
}
