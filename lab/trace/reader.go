package trace

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Reader reads the ops of a stream one by one. It validates everything it reads. No number in a
// stream makes it allocate more than its [Limits] allow.
//
// The zero Reader is not usable. A Reader must not be copied or used by several goroutines at a
// time.
type Reader struct {
	src    io.Reader
	limits Limits

	infos  []TrackInfo
	tracks []*names
	names  int // names issued in all tracks, live or not

	// The current run.
	left  uint64
	delta int64
	code  uint8
	on    *names // the current track; nil before the first is declared
	track int
	rng   rng
	ops   uint64 // the number of further ops allowed

	raw    []byte // contents of the block
	at     int    // in raw: the next op
	block  int64  // in the stream: the start of the block
	offset int64  // in the stream: the start of the next block
	sum    uint32

	packed   []byte
	inflate  io.ReadCloser
	deflated bytes.Reader

	err error // the result of all later calls
}

// NewReader returns a Reader of the stream at the start of src. The error wraps ErrForeign,
// ErrVersion or ErrTruncated, or is that of src.
//
// Cost: allocates 64 KiB, another 128 KiB at the first deflated block, and 12 bytes for each value
// live at the peak.
func NewReader(src io.Reader) (*Reader, error) { return NewReaderLimits(src, Limits{}) }

// NewReaderLimits is [NewReader] with other limits.
//
// Cost: as NewReader.
func NewReaderLimits(src io.Reader, l Limits) (*Reader, error) {
	r := &Reader{src: src, limits: l.withDefaults()}
	r.ops = r.limits.Ops
	var head [headBytes]byte
	n, err := io.ReadFull(src, head[:])
	seen := min(n, len(magic))
	switch {
	case string(head[:seen]) != magic[:seen]:
		return nil, fmt.Errorf("trace: byte 0: %w: no magic", ErrForeign)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("trace: byte %d: %w: incomplete head", n, ErrTruncated)
	case err != nil:
		return nil, fmt.Errorf("trace: byte %d: %w", n, err)
	case head[4] != version || head[5]|head[6]|head[7] != 0:
		return nil, fmt.Errorf("trace: byte %d: %w: % x", len(magic), ErrVersion, head[4:])
	}
	r.offset = headBytes
	r.sum = crc32.Checksum(head[:], castagnoli)
	return r, nil
}

// Tracks returns the tracks declared so far, indexed by [Op.Track]. Reading ops may add tracks, and
// never changes existing ones. The caller must not modify the slice.
//
// Cost: O(1); never allocates.
func (r *Reader) Tracks() []TrackInfo { return r.infos[:len(r.infos):len(r.infos)] }

// Info returns the metadata read so far.
//
// Cost: O(1); never allocates.
func (r *Reader) Info() Info { return Info{Version: version, Tracks: r.Tracks()} }

// Offset returns the length in bytes of the blocks read so far, up to the one with the last op.
//
// Cost: O(1); never allocates.
func (r *Reader) Offset() int64 { return r.offset }

// Next returns the next op. At the end of the stream it returns io.EOF itself. Any other error
// wraps ErrTruncated, ErrCorrupt or ErrLimit, or is that of the source. An error follows all valid
// ops, and repeats at every later call.
//
// Cost: amortised O(1), some nanoseconds; allocates only if more values are live than ever before,
// for a new track, and occasionally a little at a new block.
func (r *Reader) Next() (Op, error) {
	for r.left == 0 {
		if r.at == len(r.raw) {
			if err := r.nextBlock(); err != nil {
				return Op{}, err
			}
		}
		if err := r.decode(); err != nil {
			return Op{}, r.fail(err)
		}
	}
	r.left--
	switch r.code {
	case codeGet:
		if r.on.last += r.delta; r.on.lives(r.on.last) {
			return Op{Get, r.track, uint32(r.on.last)}, nil
		}
	case codeInsert:
		return Op{Insert, r.track, r.on.insert()}, nil
	case codeRemove:
		if r.on.last += r.delta; r.on.lives(r.on.last) {
			r.on.remove(uint32(r.on.last))
			return Op{Remove, r.track, uint32(r.on.last)}, nil
		}
	case codeMiss:
		if r.on.last += r.delta; r.on.hasPast(r.on.last) {
			return Op{Miss, r.track, uint32(r.on.last)}, nil
		}
	case codeDraw:
		return Op{Get, r.track, r.on.order[r.rng.below(uint64(r.on.live))]}, nil
	case codeDrawMiss:
		return Op{Miss, r.track, r.on.gone[r.rng.below(uint64(len(r.on.gone)))]}, nil
	case codePass:
		return Op{Pass, r.track, 0}, nil
	case codeFrame:
		return Op{Kind: Frame}, nil
	}
	return Op{}, r.fail(r.noSuchName())
}

// noSuchName returns the error for an invalid name.
func (r *Reader) noSuchName() error {
	what := map[uint8]string{codeGet: "get", codeRemove: "removal", codeMiss: "miss"}[r.code]
	why := "which is not live"
	if r.code == codeMiss {
		why = "which has no removed value"
	}
	return fmt.Errorf("%w: %s of name %d of track %d, %s",
		ErrCorrupt, what, r.on.last, r.track, why)
}

// fail makes err, with its position, the result of all later calls.
func (r *Reader) fail(err error) error {
	r.left, r.raw, r.at = 0, nil, 0
	r.err = fmt.Errorf("trace: block at byte %d: %w", r.block, err)
	return r.err
}

// decode reads one op: either a run, or an op that leaves none.
func (r *Reader) decode() error {
	u, n := binary.Uvarint(r.raw[r.at:])
	if n <= 0 {
		return fmt.Errorf("%w: invalid varint at byte %d of the contents", ErrCorrupt, r.at)
	}
	r.at += n
	code, arg := uint8(u&(1<<codeBits-1)), u>>codeBits
	switch code {
	case codeTrack:
		if arg >= uint64(len(r.tracks)) {
			return fmt.Errorf("%w: track %d of %d", ErrCorrupt, arg, len(r.tracks))
		}
		r.track, r.on, r.code = int(arg), r.tracks[arg], code
		return nil
	case codeDeclare:
		r.code = code
		return r.declare(arg)
	case codeSeed:
		r.code = code
		return r.seed(arg)
	}
	if r.on == nil && code != codeFrame {
		return fmt.Errorf("%w: an op before the first track", ErrCorrupt)
	}
	switch code {
	case codeRemove, codeGet, codeMiss:
		// The sum of two numbers below 2^62 does not overflow.
		r.code, r.delta, arg = code, unzigzag(arg), 1
	case codeAgain:
		if r.code != codeRemove && r.code != codeGet && r.code != codeMiss {
			return fmt.Errorf("%w: no op to repeat", ErrCorrupt)
		}
	default:
		if err := r.mayRun(code, arg); err != nil {
			return err
		}
		r.code = code
	}
	if arg == 0 {
		return fmt.Errorf("%w: an empty run", ErrCorrupt)
	}
	if arg > r.ops {
		return fmt.Errorf("%w of %d ops", ErrLimit, r.limits.Ops)
	}
	r.ops -= arg
	r.left = arg
	return nil
}

// mayRun returns an error if a run of n ops of this code is invalid, for codes whose ops are
// interchangeable.
func (r *Reader) mayRun(code uint8, n uint64) error {
	switch code {
	case codeFrame, codePass:
	case codeInsert:
		vacant := len(r.on.order) - int(r.on.live)
		if n > uint64(vacant+r.limits.Live-r.names) {
			return fmt.Errorf("%w of %d live values", ErrLimit, r.limits.Live)
		}
		r.names += max(0, int(n)-vacant)
	case codeDraw:
		if r.on.live == 0 {
			return fmt.Errorf("%w: gets without live values", ErrCorrupt)
		}
		return r.hasSeed()
	case codeDrawMiss:
		if len(r.on.gone) == 0 {
			return fmt.Errorf("%w: misses without removed values", ErrCorrupt)
		}
		return r.hasSeed()
	default:
		return fmt.Errorf("%w: unknown code %d", ErrCorrupt, code)
	}
	return nil
}

func (r *Reader) hasSeed() error {
	if r.rng.s == 0 {
		return fmt.Errorf("%w: no seed for the generator", ErrCorrupt)
	}
	return nil
}

// declare reads the declaration of a track.
func (r *Reader) declare(nameBytes uint64) error {
	if len(r.tracks) >= r.limits.Tracks {
		return fmt.Errorf("%w of %d tracks", ErrLimit, r.limits.Tracks)
	}
	rest := r.raw[r.at:]
	if nameBytes > maxName || nameBytes > uint64(len(rest)) {
		return fmt.Errorf("%w: a track's name of %d bytes", ErrCorrupt, nameBytes)
	}
	size, n := binary.Uvarint(rest[nameBytes:])
	if n <= 0 || size > maxBytes {
		return fmt.Errorf("%w: invalid size of a track's values", ErrCorrupt)
	}
	r.infos = append(r.infos, TrackInfo{Name: string(rest[:nameBytes]), Bytes: int(size)})
	r.at += int(nameBytes) + n
	r.track, r.on = len(r.tracks), new(names)
	r.tracks = append(r.tracks, r.on)
	return nil
}

// seed reads the state of the generator.
func (r *Reader) seed(arg uint64) error {
	if arg != 0 || len(r.raw)-r.at < 8 {
		return fmt.Errorf("%w: seed", ErrCorrupt)
	}
	r.rng.s = binary.LittleEndian.Uint64(r.raw[r.at:])
	r.at += 8
	return r.hasSeed()
}

// nextBlock reads the next block into raw. It returns io.EOF at the end mark.
func (r *Reader) nextBlock() error {
	if r.err != nil {
		return r.err
	}
	r.block = r.offset
	var head [blockHead]byte
	if err := r.readFull(head[:]); err != nil {
		return r.fail(err)
	}
	raw, packed := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if raw > maxRaw || packed > raw || packed == 0 && raw != 0 {
		return r.fail(fmt.Errorf("%w: invalid lengths %d and %d", ErrCorrupt, raw, packed))
	}
	if r.packed == nil {
		r.packed = make([]byte, 2*maxRaw)
	}
	contents := r.packed[:packed]
	if err := r.readFull(contents); err != nil {
		return r.fail(err)
	}
	r.sum = crc32.Update(crc32.Update(r.sum, castagnoli, head[:8]), castagnoli, contents)
	if r.sum != binary.LittleEndian.Uint32(head[8:]) {
		return r.fail(fmt.Errorf("%w: wrong checksum of the block", ErrCorrupt))
	}
	if raw == 0 {
		return r.end()
	}
	r.raw, r.at = contents, 0
	if packed < raw {
		r.raw = r.packed[maxRaw : maxRaw+int(raw)]
		if err := r.unpack(contents); err != nil {
			return r.fail(err)
		}
	}
	r.offset += int64(blockHead + int(packed))
	return nil
}

// end checks that nothing follows the end mark.
func (r *Reader) end() error {
	r.offset += blockHead
	var one [1]byte
	switch _, err := io.ReadFull(r.src, one[:]); {
	case err == nil:
		return r.fail(fmt.Errorf("%w: bytes after the end mark", ErrCorrupt))
	case !errors.Is(err, io.EOF):
		return r.fail(err)
	}
	r.raw, r.at = nil, 0
	r.err = io.EOF
	return io.EOF
}

// readFull fills b from the source.
func (r *Reader) readFull(b []byte) error {
	n, err := io.ReadFull(r.src, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %d of %d bytes are missing", ErrTruncated, len(b)-n, len(b))
	}
	return err
}

// unpack inflates a block into raw.
func (r *Reader) unpack(packed []byte) error {
	r.deflated.Reset(packed)
	if r.inflate == nil {
		r.inflate = flate.NewReader(&r.deflated)
	} else if err := r.inflate.(flate.Resetter).Reset(&r.deflated, nil); err != nil {
		return err
	}
	var more [1]byte
	if _, err := io.ReadFull(r.inflate, r.raw); err != nil {
		return fmt.Errorf("%w: cannot inflate: %v", ErrCorrupt, err)
	}
	switch _, err := io.ReadFull(r.inflate, more[:]); {
	case err == nil:
		return fmt.Errorf("%w: more than %d bytes of contents", ErrCorrupt, len(r.raw))
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: no end of the deflated contents: %v", ErrCorrupt, err)
	}
	if n := r.deflated.Len(); n > 0 {
		at := r.block + blockHead + int64(len(packed)-n)
		return fmt.Errorf("%w: %d bytes after the deflated contents, at byte %d",
			ErrCorrupt, n, at)
	}
	return nil
}
