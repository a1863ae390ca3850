package replay

import (
	"encoding/binary"
	"hash/crc64"

	"github.com/seed505807e1/berth"
)

var ecma = crc64.MakeTable(crc64.ECMA)

// Hasher computes a CRC-64 of values and their handles, in slot order, without padding.
type Hasher[T any] struct {
	Values Values[T]
	Sum    uint64
	buf    []byte
}

// Add adds a value.
func (h *Hasher[T]) Add(k berth.Handle[T], v *T) {
	h.buf = binary.LittleEndian.AppendUint64(h.buf[:0], k.Uint64())
	h.buf = h.Values.Append(h.buf, v)
	h.Sum = crc64.Update(h.Sum, ecma, h.buf)
}
