// Package crc makes package wire compute its checksums by hash/crc32, which uses instructions of
// the processor. Packages that save import it for that alone. Package berth does not, since
// hash/crc32 adds 7 KB to a program, also if it saves nothing.
package crc

import (
	"hash/crc32"

	"github.com/seed505807e1/berth/internal/wire"
)

func init() {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	wire.Checksum = func(sum uint32, p []byte) uint32 { return crc32.Update(sum, castagnoli, p) }
}
