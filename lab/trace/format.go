package trace

import (
	"encoding/binary"
	"hash/crc32"
)

// A stream consists of a head, blocks, and an end mark. Numbers of fixed size are little-endian.
//
//	head   magic 0x8E "BTR", version, three bytes of 0
//	block  raw length (4 bytes), packed length (4), sum (4), packed contents
//	end    a block of the lengths 0 and 0
//
// The contents of a block are whole ops, deflated if that makes them shorter. If not, both lengths
// are equal. The sum is the CRC-32C of everything before it in the stream except other sums, and of
// the contents. It continues the sum of the previous block, so a missing, repeated or misplaced
// block is detected.
//
// An op is a varint (as in encoding/binary). Its lowest four bits are the code, the rest is the
// argument. Some codes are followed by more fields.
const (
	magic     = "\x8eBTR"
	version   = 1
	headBytes = 8

	blockHead = 12
	maxRaw    = 64 << 10
	maxName   = 255
	maxBytes  = 1 << 30 // size of a value
)

// The codes. A name is written as the zigzag-coded difference to the last name written for the same
// track. Inserts have no name, since the next name follows from the ops before.
//
// The generator draws element below(n) of a list of n names. Live names are in the order of
// inserts, and the last one fills the place of a removed one. Names given back are in the order of
// their first removal.
const (
	codeFrame    = iota // n frames
	codePass            // n passes
	codeInsert          // n inserts
	codeRemove          // difference
	codeGet             // difference
	codeMiss            // difference
	codeAgain           // repeats the last remove, get or miss n times, with its difference
	codeDraw            // n gets of live values, drawn by the generator
	codeDrawMiss        // n misses of names given back before, drawn by the generator
	codeTrack           // switches to track n
	codeDeclare         // switches to a new track: length of its name; name, varint size
	codeSeed            // 0; state of the generator, 8 bytes
)

const codeBits = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendOp(b []byte, code uint8, arg uint64) []byte {
	return binary.AppendUvarint(b, arg<<codeBits|uint64(code))
}

func zigzag(d int64) uint64   { return uint64(d)<<1 ^ uint64(d>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// rng is xorshift64*. Its state must not be 0.
//
// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
// 2014.
type rng struct{ s uint64 }

func (r *rng) next() uint64 {
	r.s ^= r.s >> 12
	r.s ^= r.s << 25
	r.s ^= r.s >> 27
	return r.s * 0x2545F4914F6CDD1D
}

// below returns a number in [0, n). n must fit in 32 bits.
func (r *rng) below(n uint64) uint64 { return ((r.next() >> 32) * n) >> 32 }
