package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/seed505807e1/berth/internal/layout"
)

// Reader reads a frame, from a slice of bytes or from an io.Reader, of which it reads no byte
// beyond the end of the frame. It checks each chunk before it returns any of it.
//
// The first error stays, and the methods that have no error result return zeros after it. So the
// caller may read several numbers and check Err once, before it uses them.
type Reader struct {
	chunk []byte // the rest of the current chunk
	data  []byte // what follows the current chunk, without from
	from  io.Reader
	buf   []byte // of from: the current chunk with its checksum
	rest  []byte // memory for pieces that span chunks
	sum   uint32
	at    int64 // offset of the end of chunk
	count int64 // bytes read
	last  bool  // the last chunk was read
	known bool  // the checksums are right
	err   error
}

// The lengths that a Reader accepts: of the description of a type, and of a value in an encoding of
// the program's own.
const (
	maxDesc  = MaxChunk
	maxCoded = 1 << 30
)

// Read makes r a Reader of data. If known is set, the checksums are not checked again.
func (r *Reader) Read(data []byte, known bool) {
	*r = Reader{data: data, known: known, rest: r.rest[:0], buf: r.buf[:0]}
}

// From makes r a Reader of from.
func (r *Reader) From(from io.Reader) { *r = Reader{from: from} }

// buffer has room for a chunk with its checksum.
type buffer [MaxChunk + wordBytes]byte

// buffers has the buffers of Readers that were recycled.
var buffers sync.Pool

// bufferOf returns at least n bytes, for a chunk.
func bufferOf(n int) []byte {
	if b, ok := buffers.Get().(*buffer); ok {
		return b[:]
	}
	if n <= len(buffer{})/4 {
		return make([]byte, max(4<<10, n))
	}
	return new(buffer)[:]
}

// Recycle ends the use of r, and of all bytes that it has returned. It leaves its buffer to other
// Readers.
func (r *Reader) Recycle() {
	if cap(r.buf) >= len(buffer{}) {
		buffers.Put((*buffer)(r.buf[:len(buffer{})]))
	}
	*r = Reader{}
}

// Open reads the header, and fails unless it is that of a container of kind k whose values have the
// description desc.
func (r *Reader) Open(k Kind, desc string) error {
	head := r.raw(headBytes, "the header")
	if r.err != nil {
		if !strings.HasPrefix(magic, string(r.rest[:min(len(r.rest), len(magic))])) {
			r.err = &Error{What: "not a saved container"}
		}
		return r.err
	}
	r.sum = Checksum(0, head)
	switch {
	case !Is(head):
		r.Fail(-headBytes, "not a saved container")
	case head[4] != version:
		r.Fail(4-headBytes, fmt.Sprintf("version %d of the format, not %d", head[4], version))
	case Kind(head[5]) != k:
		r.Fail(5-headBytes, fmt.Sprintf("a saved %v, not a %v", Kind(head[5]), k))
	case head[6]|head[7] != 0:
		r.Fail(6-headBytes, "reserved bytes that are not zero")
	}
	n := r.Uint32()
	if r.err == nil && n > maxDesc {
		r.Fail(-4, fmt.Sprintf("a description of %d bytes", n))
	}
	if r.err != nil {
		return r.err
	}
	if got := r.Next(int(n)); r.err == nil && string(got) != desc {
		r.Fail(-int64(n), otherType(string(got), desc))
	}
	return r.err
}

// otherType describes the difference between two types of values.
func otherType(got, want string) string {
	switch {
	case got == "":
		return "values that a function has encoded: Decode needs one too"
	case want == "":
		return "values as they lie in memory: Decode needs no function"
	}
	return "another type: " + layout.Differ(got, want)
}

// raw reads n bytes outside of a chunk.
func (r *Reader) raw(n int, what string) []byte {
	if r.from == nil {
		if len(r.data) < n {
			r.rest = append(r.rest[:0], r.data...)
			r.at += int64(len(r.data))
			r.cut(what)
			return nil
		}
		b := r.data[:n]
		r.data = r.data[n:]
		r.at += int64(n)
		r.count += int64(n)
		return b
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	got, err := io.ReadFull(r.from, b)
	r.at += int64(got)
	r.count += int64(got)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.rest = append(r.rest[:0], b[:got]...)
		r.cut(what)
		return nil
	case err != nil:
		r.err = err
		return nil
	}
	return b
}

// cut fails because the data ends before the frame does.
func (r *Reader) cut(what string) {
	r.err = &Error{What: "the data ends in " + what, At: r.at, Err: io.ErrUnexpectedEOF}
}

// more reads the next chunk. It reports false if there is none, or after an error.
func (r *Reader) more() bool {
	if r.err != nil || r.last {
		return false
	}
	word := r.raw(wordBytes, "the length of a chunk")
	if r.err != nil {
		return false
	}
	n := binary.LittleEndian.Uint32(word)
	if n > MaxChunk {
		r.Fail(-wordBytes, fmt.Sprintf("a chunk of %d bytes, more than %d", n, MaxChunk))
		return false
	}
	if !r.known {
		r.sum = Checksum(r.sum, word)
	}
	if need := int(n) + wordBytes; r.from != nil && cap(r.buf) < need {
		r.buf = bufferOf(need)
	}
	b := r.raw(int(n)+wordBytes, "a chunk")
	if r.err != nil {
		return false
	}
	if r.chunk = b[:n]; !r.known {
		r.sum = Checksum(r.sum, r.chunk)
		if r.sum != binary.LittleEndian.Uint32(b[n:]) {
			r.chunk = nil
			r.Fail(-wordBytes, "a checksum does not match")
			return false
		}
	}
	r.at -= wordBytes
	if n == 0 {
		r.last = true
	}
	return n > 0
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Count returns the number of bytes read so far.
func (r *Reader) Count() int64 { return r.count }

// Fail makes r fail with an Error at the present position plus by, unless it has failed before.
func (r *Reader) Fail(by int64, what string) {
	if r.err == nil {
		r.err = &Error{What: what, At: max(0, r.Offset()+by)}
		r.chunk = nil
	}
}

// Stop makes r fail with err, which is not the data's, unless it is nil or r has failed before.
func (r *Reader) Stop(err error) {
	if r.err == nil && err != nil {
		r.err, r.chunk = err, nil
	}
}

// Offset returns the position in the frame of the next byte of contents.
func (r *Reader) Offset() int64 { return r.at - int64(len(r.chunk)) }

// refill is called when the current chunk is used up. Between chunks lies a checksum.
func (r *Reader) refill() bool {
	if r.last {
		return false
	}
	if r.at > headBytes {
		r.at += wordBytes
	}
	return r.more()
}

// Next returns the next n bytes, which are valid until the next call. It takes memory for them only
// if they span chunks, as they arrive. After an error it returns zeros if n is at most 8, and nil
// for a larger n.
func (r *Reader) Next(n int) []byte {
	if n <= len(r.chunk) {
		b := r.chunk[:n:n]
		r.chunk = r.chunk[n:]
		return b
	}
	return r.across(n)
}

var zeros [8]byte

// across is Next for bytes that are not all in the current chunk.
func (r *Reader) across(n int) []byte {
	if len(r.chunk) == 0 && r.err == nil && r.refill() && n <= len(r.chunk) {
		return r.Next(n)
	}
	b := r.rest[:0]
	if n <= len(r.chunk)+len(r.data) { // data that has arrived
		b = slices.Grow(b, n)
	}
	for r.err == nil {
		k := min(n-len(b), len(r.chunk))
		b = append(b, r.chunk[:k]...)
		r.chunk = r.chunk[k:]
		if r.rest = b; len(b) == n {
			return b
		}
		if !r.refill() {
			r.Fail(0, "the contents end too early")
		}
	}
	if n <= len(zeros) {
		return zeros[:n:n]
	}
	return nil
}

// Uint8 reads a byte.
func (r *Reader) Uint8() uint8 { return r.Next(1)[0] }

// Uint32 reads a number in 4 bytes.
func (r *Reader) Uint32() uint32 { return binary.LittleEndian.Uint32(r.Next(4)) }

// Uint64 reads a number in 8 bytes.
func (r *Reader) Uint64() uint64 { return binary.LittleEndian.Uint64(r.Next(8)) }

// Values reads the values of layout l into mem, the memory of adjacent values. If mem is nil, it
// reads n values and checks them only. It reports false after an error.
func (r *Reader) Values(l *layout.Layout, mem []byte, n int) bool {
	if l.Encoded == 0 {
		return r.err == nil
	}
	for n > 0 {
		k := max(1, min(n, len(r.chunk)/l.Encoded))
		b := r.Next(k * l.Encoded)
		if r.err != nil {
			return false
		}
		if mem == nil || !r.known {
			if at := l.Invalid(b); at >= 0 {
				r.Fail(int64(at-len(b)), "a bool that is neither 0 nor 1")
				return false
			}
		}
		if mem != nil {
			l.Decode(mem[:k*l.Size], b)
			mem = mem[k*l.Size:]
		}
		n -= k
	}
	return true
}

// Coded reads what Coded of a Writer has written, valid until the next call.
func (r *Reader) Coded() []byte {
	n := r.Uint32()
	if n > maxCoded {
		r.Fail(-wordBytes, fmt.Sprintf("a value of %d bytes", n))
	}
	if r.err != nil {
		return nil
	}
	return r.Next(int(n))
}

// End fails unless the frame ends here. Data may only follow in an io.Reader.
func (r *Reader) End() error {
	switch {
	case r.err != nil:
	case len(r.chunk) > 0 || r.refill():
		r.Fail(0, "contents behind the last value")
	case r.err == nil && len(r.data) > 0:
		r.err = &Error{What: fmt.Sprintf("%d bytes behind the frame", len(r.data)), At: r.count}
	}
	return r.err
}
