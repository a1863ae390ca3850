package trace

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Recorder writes a stream. It buffers one block of 64 KiB, and writes it with one call when it is
// full, and in Flush and Close. A program that crashes loses at most that block.
//
// A Recorder writes nothing that a [Reader] with the default [Limits] rejects. Exceeding 2^33 ops,
// 2^24 live values or 256 tracks ends the recording with an error that wraps ErrLimit. So does a
// track's name or size that is out of range. GetRandom and MissRandom count as the ops that they
// stand for. The first error of the writer ends the recording, too.
//
// After the end of the recording the methods of its tracks do nothing, and Frame, Flush, Close and
// Err return the error. The recorded program continues. The stream has no end mark then, so a
// Reader reads the written part and returns ErrTruncated.
//
// The zero Recorder is not usable. A Recorder must not be copied. It and its tracks must not be
// used by several goroutines at a time.
type Recorder struct {
	w   io.Writer
	raw []byte // contents of the block
	out block  // head and packed contents, for w
	sum uint32

	deflate *flate.Writer

	tracks int
	names  int    // names issued in all tracks, live or not
	most   int    // the limit of names
	left   uint64 // the number of further ops allowed
	on     *Track // the reader's current track
	seed   uint64
	seeded bool

	run run

	err    error
	closed bool
}

// run is the last op, repeated n times, that is not in the block yet.
type run struct {
	on   *Track // nil for a frame
	code uint8
	arg  uint64 // for removals, gets and misses
	n    uint64
}

// mostOp is the maximum length of a run: the track, an op, and the repetitions.
const mostOp = 3 * binary.MaxVarintLen64

// block is a slice with a Write method.
type block []byte

func (b *block) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// NewRecorder returns a Recorder that writes to w, and writes the head of the stream. The error is
// that of w. Close the Recorder at the end; it does not close w.
//
// Cost: allocates about 1.3 MB.
func NewRecorder(w io.Writer) (*Recorder, error) {
	if w == nil {
		return nil, errors.New("trace: NewRecorder: nil writer")
	}
	r := &Recorder{w: w, raw: make([]byte, 0, maxRaw), seed: 1, most: defaultLive, left: defaultOps}
	r.out = make(block, 0, blockHead+maxRaw+maxRaw/8)
	r.deflate, _ = flate.NewWriter(&r.out, flate.BestSpeed) // fails only for unknown levels
	head := [headBytes]byte{len(magic): version}
	copy(head[:], magic)
	r.sum = crc32.Checksum(head[:], castagnoli)
	if r.write(head[:]); r.err != nil {
		return nil, r.err
	}
	return r, nil
}

// Track declares a track for a container. The name has up to 255 bytes and need not be unique, and
// valueBytes is the size of a value. The result is never nil. A name or size out of range, or a
// track beyond the 256th, ends the recording with an error.
//
// Cost: O(1); allocates the track.
func (r *Recorder) Track(name string, valueBytes int) *Track {
	t := &Track{r: r, id: r.tracks}
	switch {
	case r.stopped():
		return t
	case len(name) > maxName:
		r.stop(fmt.Errorf("trace: track: %w: a name of %d bytes, more than %d",
			ErrLimit, len(name), maxName))
		return t
	case valueBytes < 0 || valueBytes > maxBytes:
		r.stop(fmt.Errorf("trace: track %q: %w: values of %d bytes, not 0 to %d",
			name, ErrLimit, valueBytes, maxBytes))
		return t
	case r.tracks == defaultTracks:
		r.stop(fmt.Errorf("trace: track %q: %w of %d tracks", name, ErrLimit, defaultTracks))
		return t
	}
	r.endRun()
	if !r.room(mostOp + len(name)) {
		return t
	}
	r.raw = appendOp(r.raw, codeDeclare, uint64(len(name)))
	r.raw = append(r.raw, name...)
	r.raw = binary.AppendUvarint(r.raw, uint64(valueBytes))
	r.tracks++
	r.on = t
	return t
}

// Seed sets the state of the generator for later GetRandom and MissRandom. The initial state is 1;
// 0 means 1.
//
// Cost: O(1); never allocates.
func (r *Recorder) Seed(seed uint64) { r.seed, r.seeded = max(seed, 1), false }

// Frame records the end of a frame. It returns the error that has ended the recording, if any.
//
// Cost: amortised O(1); about every 64 KiB of ops a block is deflated, which takes half a
// millisecond, and written; never allocates.
func (r *Recorder) Frame() error {
	if r.take(1) {
		r.do(nil, codeFrame, 0, 1)
	}
	return r.state()
}

// Flush writes the buffered ops as a block. It does not flush the writer. It returns the error that
// has ended the recording, if any.
//
// Cost: that of a block; never allocates.
func (r *Recorder) Flush() error {
	if !r.stopped() {
		r.endRun()
		r.writeBlock()
	}
	return r.state()
}

// Close writes the last block and the end mark, and ends the recording. It does not close the
// writer. It returns the error that ended the recording before, if any. Repeated calls return the
// same result.
//
// Cost: as Flush.
func (r *Recorder) Close() error {
	if r.closed {
		return r.err
	}
	if err := r.Flush(); err != nil {
		r.closed = true
		return err
	}
	var mark [blockHead]byte
	r.out = append(r.out[:0], mark[:]...)
	r.send()
	r.closed = true
	return r.err
}

// Err returns the error that has ended the recording, if any.
//
// Cost: O(1); never allocates.
func (r *Recorder) Err() error { return r.err }

// stopped reports whether the recording has ended.
func (r *Recorder) stopped() bool { return r.err != nil || r.closed }

// state returns the result of Frame and Flush.
func (r *Recorder) state() error {
	if r.err == nil && r.closed {
		return ErrClosed
	}
	return r.err
}

// stop ends the recording with err, and releases its memory.
func (r *Recorder) stop(err error) {
	r.err = err
	r.raw, r.out, r.deflate, r.run = nil, nil, nil, run{}
}

// take counts n more ops. It reports false if the recording has ended. Exceeding the limit ends it.
func (r *Recorder) take(n uint64) bool {
	if r.stopped() {
		return false
	}
	if n > r.left {
		r.stop(fmt.Errorf("trace: recorder: %w of %d ops", ErrLimit, uint64(defaultOps)))
		return false
	}
	r.left -= n
	return true
}

// do records an op n times. The ops must have been counted by take.
func (r *Recorder) do(on *Track, code uint8, arg, n uint64) {
	if r.run.code == code && r.run.on == on && r.run.arg == arg && r.run.n != 0 {
		r.run.n += n
		return
	}
	if r.stopped() {
		return
	}
	r.endRun()
	r.run = run{on, code, arg, n}
}

// endRun writes the run to the block.
func (r *Recorder) endRun() {
	if r.run.n == 0 || !r.room(mostOp) {
		return
	}
	b := r.raw
	if on := r.run.on; on != nil && on != r.on {
		b = appendOp(b, codeTrack, uint64(on.id))
		r.on = on
	}
	switch r.run.code {
	case codeRemove, codeGet, codeMiss:
		b = appendOp(b, r.run.code, r.run.arg)
		if r.run.n > 1 {
			b = appendOp(b, codeAgain, r.run.n-1)
		}
	default:
		b = appendOp(b, r.run.code, r.run.n)
	}
	r.raw, r.run.n = b, 0
}

// sow writes the state of the generator to the block, unless the reader has it.
func (r *Recorder) sow() {
	if r.seeded || r.stopped() {
		return
	}
	r.endRun()
	if r.room(mostOp) {
		r.raw = appendOp(r.raw, codeSeed, 0)
		r.raw = binary.LittleEndian.AppendUint64(r.raw, r.seed)
		r.seeded = true
	}
}

// room makes room for n bytes in the block. It reports false if the recording has ended.
func (r *Recorder) room(n int) bool {
	if len(r.raw)+n > maxRaw {
		r.writeBlock()
	}
	return r.err == nil
}

// writeBlock writes the block, unless it is empty.
func (r *Recorder) writeBlock() {
	if len(r.raw) == 0 {
		return
	}
	var head [blockHead]byte
	r.out = append(r.out[:0], head[:]...)
	r.deflate.Reset(&r.out)
	_, err := r.deflate.Write(r.raw)
	if err = errors.Join(err, r.deflate.Close()); err != nil {
		r.stop(fmt.Errorf("trace: deflate: %w", err))
		return
	}
	if len(r.out)-blockHead >= len(r.raw) {
		r.out = append(r.out[:blockHead], r.raw...)
	}
	binary.LittleEndian.PutUint32(r.out, uint32(len(r.raw)))
	binary.LittleEndian.PutUint32(r.out[4:], uint32(len(r.out)-blockHead))
	r.raw = r.raw[:0]
	r.send()
}

// send completes out with its checksum, and writes it.
func (r *Recorder) send() {
	r.sum = crc32.Update(r.sum, castagnoli, r.out[:8])
	r.sum = crc32.Update(r.sum, castagnoli, r.out[blockHead:])
	binary.LittleEndian.PutUint32(r.out[8:], r.sum)
	r.write(r.out)
}

// errUnfinished is the error of a Recorder whose writer has not returned: it panicked, or called
// the Recorder. It is unknown how much was written then, so nothing may follow.
var errUnfinished = errors.New("trace: recorder: the writer did not return")

// write writes all of b, or ends the recording.
func (r *Recorder) write(b []byte) {
	r.err = errUnfinished
	n, err := r.w.Write(b)
	r.err = nil
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		r.stop(fmt.Errorf("trace: recorder: %w", err))
	}
}
