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

// Reader hands out the ops of a stream, one after another. It checks all it reads, and trusts no
// number in the stream: what it allocates is bounded by [Limits].
//
// The zero Reader is not usable. A Reader must not be copied, nor used by several goroutines at a
// time.
type Reader struct {
	src    io.Reader
	limits Limits

	infos  []TrackInfo
	tracks []*names
	names  int // given out in all tracks, living or not

	// The run that is being handed out.
	left  uint64
	delta int64
	code  uint8
	on    *names // the track that ops are of; nil before the first is declared
	track int
	rng   rng
	ops   uint64 // how many more may come

	raw    []byte // contents of the block
	at     int    // in raw: the next op
	block  int64  // in the stream: where the block begins
	offset int64  // in the stream: where the next one does
	sum    uint32

	packed   []byte
	inflate  io.ReadCloser
	deflated bytes.Reader

	err error // what all calls to come return
}

// NewReader returns a Reader of the stream that src begins with. The error wraps ErrForeign,
// ErrVersion or ErrTruncated, or is that of src.
// Cost: allocates 64 KiB, 128 KiB more for the first block that is deflated, and 12 bytes for each
// value that ever lived at the time of the most.
func NewReader(src io.Reader) (*Reader, error) { return NewReaderLimits(src, Limits{}) }

// NewReaderLimits is [NewReader] with other limits.
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
		return nil, fmt.Errorf("trace: byte %d: %w: no whole head", n, ErrTruncated)
	case err != nil:
		return nil, fmt.Errorf("trace: byte %d: %w", n, err)
	case head[4] != version || head[5]|head[6]|head[7] != 0:
		return nil, fmt.Errorf("trace: byte %d: %w: % x", len(magic), ErrVersion, head[4:])
	}
	r.offset = headBytes
	r.sum = crc32.Checksum(head[:], castagnoli)
	return r, nil
}

// Tracks returns the tracks that have been declared so far; an Op's Track is an index of it. More
// may come while ops are read, the ones that are there stay. The caller must not change it.
// Cost: O(1); never allocates.
func (r *Reader) Tracks() []TrackInfo { return r.infos[:len(r.infos):len(r.infos)] }

// Info returns what the stream has said of itself so far.
// Cost: O(1); never allocates.
func (r *Reader) Info() Info { return Info{Version: version, Tracks: r.Tracks()} }

// Offset returns how many bytes of the stream the ops up to the last one take, in whole blocks.
// Cost: O(1); never allocates.
func (r *Reader) Offset() int64 { return r.offset }

// Next returns the next op. At the end of the stream, the error is io.EOF itself; else it wraps
// ErrTruncated, ErrCorrupt or ErrLimit, or is that of the source. It comes after all ops that are
// good, and again at each call to come.
// Cost: amortised O(1), some nanoseconds; allocates only where more values live than ever before,
// where a track is declared, and now and then a little where a block begins.
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

// noSuchName says what is wrong with the last name.
func (r *Reader) noSuchName() error {
	what := map[uint8]string{codeGet: "get", codeRemove: "removal", codeMiss: "miss"}[r.code]
	why := "which does not live"
	if r.code == codeMiss {
		why = "which no value had that is gone"
	}
	return fmt.Errorf("%w: %s of name %d of track %d, %s",
		ErrCorrupt, what, r.on.last, r.track, why)
}

// fail makes err the answer to all calls to come, and says where it happened.
func (r *Reader) fail(err error) error {
	r.left, r.raw, r.at = 0, nil, 0
	r.err = fmt.Errorf("trace: block at byte %d: %w", r.block, err)
	return r.err
}

// decode reads one op: a run to hand out, or something else that leaves none.
func (r *Reader) decode() error {
	u, n := binary.Uvarint(r.raw[r.at:])
	if n <= 0 {
		return fmt.Errorf("%w: no varint at %d of the contents", ErrCorrupt, r.at)
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
		// Of two numbers below 2^62 each, the sum does not overflow.
		r.code, r.delta, arg = code, unzigzag(arg), 1
	case codeAgain:
		if r.code != codeRemove && r.code != codeGet && r.code != codeMiss {
			return fmt.Errorf("%w: nothing to do again", ErrCorrupt)
		}
	default:
		if err := r.mayRun(code, arg); err != nil {
			return err
		}
		r.code = code
	}
	if arg == 0 {
		return fmt.Errorf("%w: a run of none", ErrCorrupt)
	}
	if arg > r.ops {
		return fmt.Errorf("%w of %d ops", ErrLimit, r.limits.Ops)
	}
	r.ops -= arg
	r.left = arg
	return nil
}

// mayRun says why there cannot be a run of n ops of a code, of which one is as good as another.
func (r *Reader) mayRun(code uint8, n uint64) error {
	switch code {
	case codeFrame, codePass:
	case codeInsert:
		vacant := len(r.on.order) - int(r.on.live)
		if n > uint64(vacant+r.limits.Live-r.names) {
			return fmt.Errorf("%w of %d living values", ErrLimit, r.limits.Live)
		}
		r.names += max(0, int(n)-vacant)
	case codeDraw:
		if r.on.live == 0 {
			return fmt.Errorf("%w: gets where nothing lives", ErrCorrupt)
		}
		return r.hasSeed()
	case codeDrawMiss:
		if len(r.on.gone) == 0 {
			return fmt.Errorf("%w: misses where nothing is gone", ErrCorrupt)
		}
		return r.hasSeed()
	default:
		return fmt.Errorf("%w: code %d", ErrCorrupt, code)
	}
	return nil
}

func (r *Reader) hasSeed() error {
	if r.rng.s == 0 {
		return fmt.Errorf("%w: no seed of the generator", ErrCorrupt)
	}
	return nil
}

// declare reads what a track is.
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
		return fmt.Errorf("%w: size of a track's values", ErrCorrupt)
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

// nextBlock reads the next block, and makes its contents raw. io.EOF is the end mark.
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
		return r.fail(fmt.Errorf("%w: lengths %d and %d", ErrCorrupt, raw, packed))
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
		return r.fail(fmt.Errorf("%w: the sum of the block is another", ErrCorrupt))
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

// end is called behind the end mark: nothing must follow.
func (r *Reader) end() error {
	r.offset += blockHead
	var one [1]byte
	switch _, err := io.ReadFull(r.src, one[:]); {
	case err == nil:
		return r.fail(fmt.Errorf("%w: bytes behind the end mark", ErrCorrupt))
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
		return fmt.Errorf("%w: %d bytes are missing of %d", ErrTruncated, len(b)-n, len(b))
	}
	return err
}

// unpack inflates what a block has been deflated to, and fills raw.
func (r *Reader) unpack(packed []byte) error {
	r.deflated.Reset(packed)
	if r.inflate == nil {
		r.inflate = flate.NewReader(&r.deflated)
	} else if err := r.inflate.(flate.Resetter).Reset(&r.deflated, nil); err != nil {
		return err
	}
	var more [1]byte
	if _, err := io.ReadFull(r.inflate, r.raw); err != nil {
		return fmt.Errorf("%w: cannot be inflated: %v", ErrCorrupt, err)
	}
	switch _, err := io.ReadFull(r.inflate, more[:]); {
	case err == nil:
		return fmt.Errorf("%w: more contents than %d bytes", ErrCorrupt, len(r.raw))
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: no end of the deflated contents: %v", ErrCorrupt, err)
	}
	if n := r.deflated.Len(); n > 0 {
		at := r.block + blockHead + int64(len(packed)-n)
		return fmt.Errorf("%w: %d bytes behind the deflated contents, at byte %d",
			ErrCorrupt, n, at)
	}
	return nil
}
