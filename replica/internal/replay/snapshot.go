package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/wire"
	_ "github.com/seed505807e1/berth/save"
)

// A snapshot is the state of a world at a sequence of its log. Its bytes are little-endian:
//
//	4  "BRS" and the version, 1
//	4  CRC-32C of what follows
//	8  sequence of a commit or takeover
//	8  time in that message
//	8  number of the last frame
//	8  size of a cell, as a float64
//	8  bytes of the Pool
//	   the Pool, as berth.Pool.AppendBinary saves it
//	   if there are cells: that of each value, in the order of the Pool, X and Y, 4 bytes each

const (
	snapMagic     = "BRS\x01"
	snapHeadBytes = 4 + 4 + 5*8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Snapshot is the state of a world at a sequence.
type Snapshot struct {
	Seq   uint64  // of the last commit or takeover
	Time  int64   // in that message
	Frame uint64  // number of the last frame
	Size  float64 // of a cell
	Pool  []byte
	Cells []byte
}

// BeginSnapshot appends the head of s, and the Pool. The cells follow, and EndSnapshot.
func BeginSnapshot[T any](b []byte, s Snapshot, p *berth.Pool[T]) ([]byte, error) {
	b = append(b, snapMagic...)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, s.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Time))
	b = binary.LittleEndian.AppendUint64(b, s.Frame)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.Size))
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	b, err := berth.AppendBinary(p, b)
	if err != nil {
		return b, err
	}
	binary.LittleEndian.PutUint64(b[snapHeadBytes-8:], uint64(len(b)-snapHeadBytes))
	return b, nil
}

// EndSnapshot completes a snapshot.
func EndSnapshot(b []byte) {
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:], castagnoli))
}

// AppendCell appends a cell.
func AppendCell(b []byte, c Cell) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(c.X))
	return binary.LittleEndian.AppendUint32(b, uint32(c.Y))
}

// ReadSnapshot reads the bytes of a snapshot. The Pool in it is not checked.
func ReadSnapshot(b []byte) (s Snapshot, err error) {
	bad := func(what string) error { return fmt.Errorf("%w: a snapshot %s", ErrCorrupt, what) }
	switch {
	case len(b) < snapHeadBytes:
		return s, bad("that ends early")
	case string(b[:4]) != snapMagic:
		return s, bad("of another kind or version")
	case binary.LittleEndian.Uint32(b[4:]) != crc32.Checksum(b[8:], castagnoli):
		return s, bad("with a wrong checksum")
	}
	s.Seq = binary.LittleEndian.Uint64(b[8:])
	s.Time = int64(binary.LittleEndian.Uint64(b[16:]))
	s.Frame = binary.LittleEndian.Uint64(b[24:])
	s.Size = math.Float64frombits(binary.LittleEndian.Uint64(b[32:]))
	n := binary.LittleEndian.Uint64(b[40:])
	if b = b[snapHeadBytes:]; n > uint64(len(b)) {
		return s, bad("that ends early")
	}
	s.Pool, s.Cells = b[:n:n], b[n:]
	if s.Size == 0 && len(s.Cells) > 0 {
		return s, bad("with cells, of a world that has none")
	}
	return s, nil
}

// Load makes p hold what s has, or the values in the given cells if there are any. If it fails, p
// is unchanged.
func Load[T any](p *berth.Pool[T], s Snapshot, c Values[T], cells map[Cell]bool) error {
	if len(cells) == 0 {
		return corrupt(p.UnmarshalBinary(s.Pool))
	}
	var all berth.Pool[T]
	if err := all.UnmarshalBinary(s.Pool); err != nil {
		return corrupt(err)
	}
	if len(s.Cells) != all.Len()*CellBytes {
		return fmt.Errorf("%w: a snapshot of %d values with %d bytes of cells", ErrCorrupt,
			all.Len(), len(s.Cells))
	}
	var r wire.Reader
	r.Read(s.Pool, true)
	if err := r.Open(wire.Pool, c.Desc); err != nil {
		return corrupt(err)
	}
	part := berth.NewPool[T](berth.Config{Seed: r.Uint32(), Limit: maxSlots})
	at := s.Cells
	for h, v := range all.All() {
		x, y := binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
		at = at[CellBytes:]
		if !cells[Cell{int32(x), int32(y)}] {
			continue
		}
		if err := berth.InsertAt(part, h, *v); err != nil {
			return fmt.Errorf("replica: a snapshot: %w", err)
		}
	}
	p.CopyFrom(part)
	return nil
}

// maxSlots is the number of slots that a follower of some cells can have. Its slots are where the
// leader has them, so a wrong handle could otherwise make it allocate gigabytes.
const maxSlots = 1 << 26

// corrupt returns the error for one of berth.
func corrupt(err error) error {
	if errors.Is(err, berth.ErrCorrupt) {
		return fmt.Errorf("%w: a snapshot: %w", ErrCorrupt, err)
	}
	if err != nil {
		return fmt.Errorf("replica: a snapshot: %w", err)
	}
	return nil
}
