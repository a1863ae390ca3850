package arena

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"reflect"
	"strconv"
	"sync"

	"github.com/seed505807e1/berth/internal/layout"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
)

// The format of marshalled containers. Vec, Deque, Pool, Handles and Map have AppendBinary,
// MarshalBinary and UnmarshalBinary. Equal contents give equal bytes on every machine. All numbers
// are little-endian.
//
//	at  bytes
//	 0  4     magic: 0x8E "ARN"
//	 4  1     version of the format: 1
//	 5  1     kind: 1 Vec, 2 Deque, 3 Pool, 4 Handles of Handle32, 5 of Handle64, 6 Map
//	 6  2     0
//	 8  4     encoded size of a value; in a Map, of a key
//	12  4     in a Map, encoded size of a value; else 0
//	16  8     fingerprint of the type: see layout.Describe; in a Map, the 64-bit FNV-1a hash of
//	          those of key and value
//	24  ...   the contents, which depend on the kind, as below
//	    4     CRC-32C of everything before it
//
// A value is encoded as its numbers, in the order of the fields. Padding, blank fields and names
// are left out. An int takes 8 bytes on 64-bit machines and 4 on 32-bit machines, and neither kind
// reads the other's. Types without int, uint and uintptr are encoded alike everywhere. A bool is 0
// or 1.
//
// Vec:
//
//	24  8     number of values
//	32  ...   values
//
// Deque:
//
//	24  8     binary logarithm of the values in a block; informative only
//	32  8     number of values
//	40  ...   values, first to last
//
// Pool:
//
//	24  8     number of blocks of 64 slots, up to the last that holds a value
//	32  ...   a word of 8 bytes per block: bit i is set if slot i holds a value
//	    ...   values, in order of slots
//
// Handles:
//
//	24  4     generation of a slot that has never been taken
//	28  4     slots that have ever been taken
//	32  4     index of the vacant slot to take next, 0 for none
//	36  4     slots that are retired
//	40  ...   a word per slot, of the size of a handle: for a live slot, its handle; for a vacant
//	          one, the free bit, the index of the next vacant slot, and the generation of its next
//	          handle; for a retired one, 0
//	    ...   values, in order of slots
//
// Map:
//
//	24  8     number of entries
//	32  ...   key and value, in insertion order
//
// # Failures
//
// Data that is damaged, truncated, hostile, or of another type or kind is refused with
// [ErrCorrupt]. If the arena has no room, the error is [ErrNoSpace]. In both cases nothing has
// changed. Everything is checked before it is used: the checksum, all counts against the length,
// each bool, the word of each slot, the chain of vacant slots, and that the keys of a Map differ.
// The arena provides the memory for the values, and for slots without a value: up to 64 values for
// 8 bytes of input in a Pool, and one value for 4 or 8 bytes in a Handles. Read data of unknown
// origin into an arena of limited size. In a Chunked arena without a limit, UnmarshalBinary takes
// at most maxSparse bytes plus 64 times the length of the input, apart from blocks that the
// container has already.

// ErrCorrupt reports data that no container of this kind and type was marshalled to: it is damaged,
// truncated, of another type or a later version, or something else entirely.
var ErrCorrupt = errors.New("arena: corrupt")

const (
	magic     = "\x8eARN"
	version   = 1
	headBytes = 24
	sumBytes  = 4
	// maxSparse bounds the memory that UnmarshalBinary takes for a short input from an unlimited
	// arena.
	maxSparse = 256 << 20
)

// wire is the kind of a marshalled container.
type wire uint8

const (
	wireVec wire = 1 + iota
	wireDeque
	wirePool
	wireHandles32
	wireHandles64
	wireMap
)

func (w wire) String() string {
	names := [...]string{
		wireVec: "Vec", wireDeque: "Deque", wirePool: "Pool", wireHandles32: "Handles of Handle32",
		wireHandles64: "Handles of Handle64", wireMap: "Map",
	}
	if w == 0 || int(w) >= len(names) {
		return "kind " + strconv.Itoa(int(w))
	}
	return names[w]
}

// head is the header of a marshalled container.
type head struct {
	kind        wire
	size, value uint32
	print       uint64
}

func headOf(k wire, l *layout.Layout) head {
	return head{kind: k, size: uint32(l.Encoded), print: l.Fingerprint}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// begin appends h to b.
func (h head) begin(b []byte) []byte {
	b = append(b, magic...)
	b = append(b, version, byte(h.kind), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, h.size)
	b = binary.LittleEndian.AppendUint32(b, h.value)
	return binary.LittleEndian.AppendUint64(b, h.print)
}

// finish appends the checksum of b[start:] to b.
func finish(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// written is the encoding of a type, or the reason why it has none.
type written struct {
	*layout.Layout
	why string
}

// studied caches a written per type.
var studied sync.Map

// layoutOf returns the encoding of T, or an error if T cannot be marshalled.
func layoutOf[T any](fn string) (*layout.Layout, error) {
	t := reflect.TypeFor[T]()
	w, ok := studied.Load(t)
	if !ok {
		w, _ = studied.LoadOrStore(t, study(t))
	}
	if why := w.(written).why; why != "" {
		return nil, errors.New("arena: " + fn + ": " + why)
	}
	return w.(written).Layout, nil
}

func study(t reflect.Type) written {
	if path := plain.Pointer(t); path != "" {
		return written{why: "cannot marshal Go pointers: " + path}
	}
	if path, found := layout.Find(t, isNested); found != nil {
		return written{why: "cannot marshal a Nested: " + t.String() + path}
	}
	l := layout.Of(t)
	switch {
	case l.Encoded == 0 && l.Size > 0:
		return written{why: t.String() + " has nothing to marshal, and takes memory"}
	case uint64(l.Encoded) > math.MaxUint32:
		return written{why: t.String() + " is too large to be marshalled"}
	}
	return written{Layout: l}
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

// corrupt is an [ErrCorrupt] with its reason and position.
type corrupt struct {
	fn, what string
	at       int
}

func (e *corrupt) Error() string {
	return "arena: " + e.fn + ": corrupt: " + e.what + ", at byte " + strconv.Itoa(e.at)
}

func (e *corrupt) Unwrap() error { return ErrCorrupt }

// reader reads a marshalled container, and tracks the position.
type reader struct {
	fn   string
	data []byte // without the checksum
	at   int
}

// open starts reading data for fn. It checks the checksum, that the header is h, and that the
// length allows for counts bytes of counts.
func (r *reader) open(fn string, data []byte, h head, counts int) error {
	r.fn, r.data, r.at = fn, data, 0
	switch {
	case len(data) < len(magic)+1 || string(data[:len(magic)]) != magic:
		return r.corrupt("not a marshalled container")
	case data[len(magic)] != version:
		r.at = len(magic)
		return r.corrupt("version " + strconv.Itoa(int(data[r.at])) + " of the format, not " +
			strconv.Itoa(version))
	case len(data) < headBytes+counts+sumBytes:
		r.at = len(data)
		return r.corrupt("too short")
	}
	r.at = len(data) - sumBytes
	r.data = data[:r.at]
	if binary.LittleEndian.Uint32(data[r.at:]) != crc32.Checksum(r.data, castagnoli) {
		return r.corrupt("checksum")
	}
	return r.checkHead(h)
}

func (r *reader) checkHead(h head) error {
	r.at = len(magic) + 1
	if k := wire(r.data[r.at]); k != h.kind {
		return r.corrupt("a " + k.String() + ", not a " + h.kind.String())
	}
	r.at++
	if r.data[r.at]|r.data[r.at+1] != 0 {
		return r.corrupt("reserved bytes are not zero")
	}
	r.at += 2
	if size, value := r.uint32(), r.uint32(); size != h.size || value != h.value {
		r.at = 8
		return r.corrupt(fmt.Sprintf("another type, of %d and %d bytes, not %d and %d",
			size, value, h.size, h.value))
	}
	if r.uint64() != h.print {
		r.at = 16
		return r.corrupt("another type, of the same size")
	}
	return nil
}

func (r *reader) corrupt(what string) error { return &corrupt{r.fn, what, r.at} }

func (r *reader) noSpace() error { return fmt.Errorf("arena: %s: %w", r.fn, ErrNoSpace) }

// uint32 reads a number, for which the caller has checked the length.
func (r *reader) uint32() uint32 {
	r.at += 4
	return binary.LittleEndian.Uint32(r.data[r.at-4:])
}

// uint64 reads a number, for which the caller has checked the length.
func (r *reader) uint64() uint64 {
	r.at += 8
	return binary.LittleEndian.Uint64(r.data[r.at-8:])
}

// take reads n pieces of size bytes. It fails if the data is too short.
func (r *reader) take(n uint64, size int, what string) ([]byte, error) {
	hi, lo := bits.Mul64(n, uint64(size))
	if left := len(r.data) - r.at; hi != 0 || lo > uint64(left) {
		return nil, r.corrupt(strconv.FormatUint(n, 10) + " " + what + " do not fit the data")
	}
	b := r.data[r.at : r.at+int(lo)]
	r.at += int(lo)
	return b, nil
}

// end fails if data is left.
func (r *reader) end() error {
	if r.at != len(r.data) {
		return r.corrupt(strconv.Itoa(len(r.data)-r.at) + " bytes behind the last value")
	}
	return nil
}

// values reads n values, up to the end, and checks their bools.
func (r *reader) values(n uint64, l *layout.Layout) ([]byte, error) {
	b, err := r.take(n, l.Encoded, "values")
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, err
	}
	if at := l.Invalid(b); at >= 0 {
		r.at += at - len(b)
		return nil, r.corrupt("a bool that is neither 0 nor 1")
	}
	return b, nil
}

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
