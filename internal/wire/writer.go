package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/seed505807e1/berth/internal/layout"
)

// Writer writes a frame: into a slice of bytes, or through a buffer of one chunk into an io.Writer.
type Writer struct {
	b     []byte // the frame so far; with to, the rest that is not written yet
	start int    // where the current chunk begins in b, with its length
	sum   uint32
	rest  []byte // memory for values that span chunks
	to    io.Writer
	err   error // of to, or of Stop
}

// Append makes w append a frame to b. desc is the description of the type of the values, or "" if
// their encoding is not berth's.
func (w *Writer) Append(b []byte, k Kind, desc string) {
	*w = Writer{b: b, rest: w.rest[:0]}
	w.begin(k, desc)
}

// Stream makes w write a frame into to.
func (w *Writer) Stream(to io.Writer, k Kind, desc string) {
	*w = Writer{to: to, b: make([]byte, 0, headBytes+2*wordBytes+MaxChunk)}
	w.begin(k, desc)
}

func (w *Writer) begin(k Kind, desc string) {
	at := len(w.b)
	w.b = append(append(w.b, magic...), version, byte(k), 0, 0)
	w.sum = Checksum(0, w.b[at:])
	w.open()
	w.Uint32(uint32(len(desc)))
	for len(desc) > 0 {
		w.Room(1)
		n := min(len(desc), MaxChunk-w.len())
		w.b = append(w.b, desc[:n]...)
		desc = desc[n:]
	}
}

// open begins a chunk.
func (w *Writer) open() {
	w.start = len(w.b)
	w.b = append(w.b, 0, 0, 0, 0)
}

// seal ends the current chunk.
func (w *Writer) seal() {
	binary.LittleEndian.PutUint32(w.b[w.start:], uint32(w.len()))
	w.sum = Checksum(w.sum, w.b[w.start:])
	w.b = binary.LittleEndian.AppendUint32(w.b, w.sum)
	if w.to == nil {
		return
	}
	if w.err == nil {
		n, err := w.to.Write(w.b)
		if err == nil && n < len(w.b) {
			err = io.ErrShortWrite
		}
		w.err = err
	}
	w.b = w.b[:0]
}

// len returns the length of the current chunk's content.
func (w *Writer) len() int { return len(w.b) - w.start - wordBytes }

// Room ensures that n more bytes fit into the current chunk. n is at most MaxChunk.
func (w *Writer) Room(n int) {
	if w.len()+n > MaxChunk {
		w.seal()
		w.open()
	}
}

// Uint8 writes a byte.
func (w *Writer) Uint8(x uint8) { w.Room(1); w.b = append(w.b, x) }

// Uint32 writes a number in 4 bytes.
func (w *Writer) Uint32(x uint32) { w.Room(4); w.b = binary.LittleEndian.AppendUint32(w.b, x) }

// Uint64 writes a number in 8 bytes.
func (w *Writer) Uint64(x uint64) { w.Room(8); w.b = binary.LittleEndian.AppendUint64(w.b, x) }

// Bytes writes p, in several chunks if it does not fit into one.
func (w *Writer) Bytes(p []byte) {
	for len(p) > 0 {
		w.Room(1)
		n := min(len(p), MaxChunk-w.len())
		w.b = append(w.b, p[:n]...)
		p = p[n:]
	}
}

// Values writes the values in mem, the memory of adjacent values with layout l.
func (w *Writer) Values(l *layout.Layout, mem []byte) {
	if l.Encoded == 0 {
		return
	}
	for len(mem) > 0 {
		n := (MaxChunk - w.len()) / l.Encoded
		if n == 0 && l.Encoded <= MaxChunk {
			w.Room(l.Encoded)
			continue
		}
		if n == 0 { // a value that spans chunks
			w.rest = l.Append(w.rest[:0], mem[:l.Size])
			w.Bytes(w.rest)
			mem = mem[l.Size:]
			continue
		}
		n = min(n*l.Size, len(mem))
		w.b = l.Append(w.b, mem[:n])
		mem = mem[n:]
	}
}

// Coded writes a value that f encodes by appending to its argument: the length of the result in 4
// bytes, and the result. The error is that of f.
func (w *Writer) Coded(f func([]byte) ([]byte, error)) error {
	b, err := f(w.rest[:0])
	if err != nil {
		return err
	}
	if len(b) > maxCoded {
		return fmt.Errorf("a value of %d bytes, more than %d", len(b), maxCoded)
	}
	w.rest = b
	w.Uint32(uint32(len(b)))
	w.Bytes(b)
	return nil
}

// End completes the frame.
func (w *Writer) End() {
	if w.len() > 0 {
		w.seal()
		w.open()
	}
	w.seal()
}

// Frame returns the bytes, for a Writer of Append.
func (w *Writer) Frame() []byte { return w.b }

// Forget makes w forget its frame. It keeps its own memory for the next Append.
func (w *Writer) Forget() { *w = Writer{rest: w.rest[:0]} }

// Stop makes w fail with err, unless it has failed before.
func (w *Writer) Stop(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns the error of the io.Writer or of Stop, if any. Nothing is written after it.
func (w *Writer) Err() error { return w.err }

// FrameBytes returns the length of a frame with the given length of contents, apart from what
// chunks lose at their ends.
func FrameBytes(desc string, contents int) int {
	n := wordBytes + len(desc) + contents
	return headBytes + n + (n/MaxChunk+2)*2*wordBytes
}
